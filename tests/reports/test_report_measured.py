# SPDX-License-Identifier: Apache-2.0
"""What memory costs, as recordings carry it."""

from __future__ import annotations

from pathlib import Path

import pytest
from numaprof.document.build_report import document
from numaprof.page.charts import charts
from recording_builder import RecordingBuilder

LATENCIES = {(0, 0): 100.0, (0, 1): 160.0, (1, 1): 104.0, (1, 0): 161.0, (0, None): 131.0}


def measured_book(metric: str = "latency_random") -> RecordingBuilder:
    builder = RecordingBuilder()
    builder.row("measurement", id=1, at="2026-11-21T12:00:00Z", kernels="AVX2", buffer_bytes=1 << 30, huge_pages=1)
    for (source, home), median in LATENCIES.items():
        values = {"median": median, "low": median - 1, "high": median + 1, "repeats": 5, "noisy": 0}
        builder.row("measured", metric=metric, unit="ns", from_node=source, to_node=home, **values)
    return builder


def heat_map(builder: RecordingBuilder, folder: Path) -> list[dict[str, object]] | None:
    found = charts(document(str(builder.write(folder / "r"))))
    return found["latency"].data["latencies"] if "latency" in found else None


def test_the_heat_map_has_every_pair_beside_the_own_memory(tmp_path: Path) -> None:
    rows = heat_map(measured_book(), tmp_path)
    assert rows is not None
    assert {(row["from"], row["to"]): (row["text"], row["relative"]) for row in rows} == {
        ("0", "0"): ("100 ns", "1.00x"),
        ("0", "1"): ("160 ns", "1.60x"),
        ("1", "1"): ("104 ns", "1.00x"),
        ("1", "0"): ("161 ns", "1.55x"),
        ("0", "all"): ("131 ns", "1.31x"),
    }
    assert [row["times"] for row in rows[:3]] == pytest.approx([1, 1.6, 1.31])


def test_one_memory_makes_no_heat_map(tmp_path: Path) -> None:
    builder = RecordingBuilder()
    builder.row("measurement", id=1, at="2026-11-21T12:00:00Z", kernels="AVX2", buffer_bytes=1 << 30, huge_pages=1)
    values = {"median": 100.0, "low": 99.0, "high": 101.0, "repeats": 5, "noisy": 0}
    builder.row("measured", metric="latency_random", unit="ns", from_node=0, to_node=0, **values)
    assert heat_map(builder, tmp_path) is None


def test_a_machine_that_was_not_measured(tmp_path: Path) -> None:
    assert heat_map(RecordingBuilder(), tmp_path) is None


def test_a_recording_without_tables_of_measurements(tmp_path: Path) -> None:
    builder = RecordingBuilder()
    builder.statements += ["DROP TABLE measured;", "DROP TABLE measurement;"]
    assert heat_map(builder, tmp_path) is None
