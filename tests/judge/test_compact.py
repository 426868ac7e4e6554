# SPDX-License-Identifier: Apache-2.0
"""A compact recording keeps the sums that a decision rests on, and tells nothing of the machine it was made on."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import scenarios
from compact import MOST_SAMPLES, MOST_SLICES, Compact, compact, read_archive, restore, write_archive

SUMS = {
    "weights of samples, by kind": "SELECT kind, sum(weight) FROM sample GROUP BY kind ORDER BY kind",
    "counts": "SELECT event, thread, sum(value) FROM count GROUP BY event, thread ORDER BY event, thread",
    "bytes of objects": "SELECT object, sum(bytes) FROM block GROUP BY object ORDER BY object",
}


@pytest.fixture(params=["named_objects", "multiplexed"])
def recording(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path: Path = getattr(scenarios, request.param)().write(tmp_path / "full.numaprof")
    return path


@pytest.fixture
def packed(recording: Path) -> Compact:
    return compact(recording)


def sums(path: Path, query: str) -> list[tuple[int, ...]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(query).fetchall()


@pytest.mark.parametrize("query", SUMS.values(), ids=SUMS)
def test_a_restored_recording_has_the_sums_of_the_first(
    recording: Path, packed: Compact, tmp_path: Path, query: str
) -> None:
    restore(packed, tmp_path / "restored.numaprof")
    before, after = sums(recording, query), sums(tmp_path / "restored.numaprof", query)
    assert [row[:-1] for row in after] == [row[:-1] for row in before]
    assert [row[-1] for row in after] == pytest.approx([row[-1] for row in before], rel=0.01)


def test_an_archive_gives_back_what_was_written(packed: Compact, tmp_path: Path) -> None:
    write_archive(tmp_path / "archive.xz", {"two/b.c": packed, "two/a.c": packed})
    assert list(read_archive(tmp_path / "archive.xz")) == [("two/a.c", packed), ("two/b.c", packed)]


def test_a_compact_recording_names_no_folder_of_a_user(packed: Compact) -> None:
    text = json.dumps(packed)
    assert "/home/" not in text
    assert "box" not in text


def test_samples_and_slices_are_bounded(packed: Compact) -> None:
    kinds = packed.get("sample", {"kind": []})["kind"]
    assert all(kinds.count(kind) <= most for kind, most in MOST_SAMPLES.items())
    series = list(zip(*(packed.get("count", {}).get(name, []) for name in ("event", "thread"))))
    assert all(series.count(one) <= MOST_SLICES for one in set(series))
