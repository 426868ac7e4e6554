# SPDX-License-Identifier: Apache-2.0
"""Clocks that something bends: times of first touches and allocations are the kernel's, wherever both run."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import BUILD, PROGRAM, TREE, build_once
from running import lost_faults, one, rows, run_command, target

pytestmark = [pytest.mark.requires("gcc", "perf_event")]

PAGES = 1024  # of each of two blocks of the heap
LATER = ["unshare", "-T", "--monotonic", "100000", "--boottime", "100000", "--fork"]
# No more than the machine has run: the kernel refuses a clock below 0 (proc_timens_set_offset in kernel/time).
EARLIER = ["unshare", "-T", "--monotonic", "-10", "--boottime", "-10", "--fork"]
BLOCKS = "FROM block b JOIN object o ON o.id = b.object WHERE o.kind = 'heap' AND o.alloc_stack IS NOT NULL"
TOUCHED = f"SELECT ifnull(sum(weight), 0) FROM sample WHERE kind IN (10, 13, 19) AND block IN (SELECT b.id {BLOCKS})"
WORKERS = "SELECT cpu_ns, t.end_ns - t.start_ns FROM thread t JOIN process p ON p.id = t.process WHERE t.tid <> p.pid"


def _assert_times_agree(recording: Path) -> None:
    """Blocks live when they are touched, one after the other, and not before or long after the run."""
    assert one(recording, "SELECT complete FROM run") == 1
    assert one(recording, TOUCHED) + lost_faults(recording) >= 2 * PAGES - 16
    times = rows(recording, f"SELECT start_ns, end_ns {BLOCKS} ORDER BY start_ns")
    assert len(times) == 2
    moments = [moment for block in times for moment in block]
    assert moments == sorted(moments)
    assert 0 < moments[0] < moments[-1] < one(recording, "SELECT max(t_ns) FROM sample") + 100_000_000_000
    workers = rows(recording, WORKERS)
    assert len(workers) == 2
    for cpu_ns, wall_ns in workers:
        assert cpu_ns is not None and 0 < cpu_ns <= wall_ns


@pytest.mark.requires("mounts")
@pytest.mark.parametrize("shift", [LATER, EARLIER], ids=["later", "earlier"])
@pytest.mark.parametrize("where", ["inside", "outside", "both"])
def test_a_time_namespace(where: str, shift: list[str], tmp_path: Path) -> None:
    recording = tmp_path / "r"
    before, within = (shift if where in (place, "both") else [] for place in ("outside", "inside"))
    program = [target("heap_block"), 4 * PAGES]
    done = run_command(*before, PROGRAM, "record", "-q", "-o", recording, *within, *program)
    assert done == (0, "", "")
    _assert_times_agree(recording)


@pytest.mark.parametrize("where", ["inside", "outside"])
def test_a_library_that_bends_the_clock(where: str, tmp_path: Path) -> None:
    source = TREE / "tests" / "targets" / "bent_clock.c"
    library = build_once(BUILD / "tests" / "targets" / "bent_clock.so", str(source), "-shared", "-fPIC")
    recording = tmp_path / "r"
    bend = ["env", f"LD_PRELOAD={library}"]
    before, within = (bend if where == place else [] for place in ("outside", "inside"))
    done = run_command(*before, PROGRAM, "record", "-q", "-o", recording, *within, target("heap_block"), 4 * PAGES)
    assert done == (0, "", "")
    _assert_times_agree(recording)
