# SPDX-License-Identifier: Apache-2.0
"""Memory that the kernel places without a page fault of the program is found, and said with its size."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import one, rows, run, run_as_nobody, target

MIB = 100


def unseen_mib(recording: Path) -> float:
    found = rows(recording, "SELECT value FROM note WHERE kind = 'unseen_pages'")
    return sum(found) / 2**20


@pytest.mark.requires("perf_event")
@pytest.mark.parametrize("how", ["populate", "lock", "advise"])
def test_what_the_kernel_places_is_found_with_its_size_and_nodes(how: str, tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    done = run("record", "-q", "-o", recording, target("populate"), how, MIB)
    if done.status == 77:
        pytest.skip(f"{how} is not allowed here")
    assert done.status == 0
    assert MIB - 1 <= unseen_mib(recording) <= MIB + 1
    homes = "SELECT sum(span) FROM page_home WHERE node IS NOT NULL AND snapshot = (SELECT max(id) FROM snapshot)"
    assert 0.95 * MIB <= one(recording, homes) * one(recording, "SELECT page_bytes FROM run") / 2**20 <= 1.1 * MIB


@pytest.mark.requires("perf_event")
@pytest.mark.parametrize("how", ["touch", "read"])
def test_what_the_program_places_is_not_counted_again(how: str, tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    assert run("record", "-q", "-o", recording, target("populate"), how, MIB).status == 0
    if one(recording, "SELECT detail FROM evidence WHERE collector = 'faults'") == "page faults":
        assert unseen_mib(recording) == 0


@pytest.mark.requires("root", "perf_event")
def test_memory_that_read_fills_for_an_ordinary_user(public_place: Path) -> None:
    """The kernel's faults inside read() are not for an ordinary user to see."""
    program = public_place / "populate"
    program.write_bytes(target("populate").read_bytes())
    program.chmod(0o755)
    assert run_as_nobody(public_place, program, "read", MIB).status == 0
    recording = public_place / "r.numaprof"
    kernel = one(recording, "SELECT count(*) FROM evidence WHERE collector = 'faults' AND detail = 'page faults'")
    assert kernel or MIB - 1 <= unseen_mib(recording) <= MIB + 1
