# SPDX-License-Identifier: Apache-2.0
"""Following and pinning with counters and two nodes: in the emulated machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from running import Ended, one, rows, run, target

MACHINE = "tests/lab/machines/small-zen.machine"
COUNTED = (
    "SELECT count(DISTINCT thread) FROM count JOIN event ON event.id = count.event WHERE class = 'time' AND value > 0"
)

if "NUMAPROF_MACHINE" not in os.environ:  # on the host: a compiler is slow in the guest
    for name in ("touch", "fork_server", "raw_threads", "run_then_exit", "sits"):
        target(name)
    target("touch", "-static", output="touch-static")
    target("sits", "-static", output="sits-static")


def record(recording: Path, *words: object) -> Ended:
    done = run("record", "-q", "-o", recording, *words)
    assert (done.status, done.err) == (0, "")
    return done


@pytest.mark.lab(MACHINE)
def test_every_thread_of_every_child_is_counted_from_its_start(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    record(recording, target("fork_server"), 5, 256)
    assert one(recording, "SELECT count(*) FROM process WHERE followed = 'preload'") == 6
    assert rows(recording, "SELECT DISTINCT pin, from_start FROM thread") == [("planned", 1)]
    assert one(recording, COUNTED) == one(recording, "SELECT count(*) FROM thread") == 12


@pytest.mark.lab(MACHINE)
@pytest.mark.shares_cpu
def test_a_thread_behind_the_libraries_back_is_counted_late(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    record(recording, target("raw_threads"), 3000)
    assert rows(recording, "SELECT from_start FROM thread ORDER BY id") == [1, 0]
    assert one(recording, COUNTED) == 2


@pytest.mark.lab(MACHINE)
def test_a_static_program_is_pinned_from_outside_and_counted_by_cpu(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    done = record(recording, target("sits", "-static", output="sits-static"), 3)
    assert done.out.split() == ["1"] * 4
    assert sorted(rows(recording, "SELECT planned_cpu FROM thread WHERE pin = 'planned'")) == [0, 1, 2, 3]
    assert one(recording, "SELECT count(*) FROM count WHERE thread IS NOT NULL") == 0
    assert one(recording, "SELECT count(DISTINCT cpu) FROM count WHERE value > 0") >= 1


@pytest.mark.lab(MACHINE)
def test_a_static_child_is_counted_by_thread(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    sits = target("sits", "-static", output="sits-static")
    record(recording, target("run_then_exit"), sits, 3)
    child = one(recording, "SELECT id FROM process WHERE exe LIKE '%/sits-static'")
    assert one(recording, f"SELECT count(*) FROM thread WHERE process = {child} AND from_start = 0") == 3
    assert one(recording, COUNTED + f" AND thread IN (SELECT id FROM thread WHERE process = {child})") == 4


@pytest.mark.lab(MACHINE)
@pytest.mark.parametrize(
    ("policy", "cpus"), [("compact", [0, 1, 2, 3]), ("scatter", [0, 4, 1, 5]), ("7,2", [7, 2, 7, 2])]
)
def test_the_plan_on_two_nodes(policy: str, cpus: list[int], tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    record(recording, "--pin", policy, target("touch"), 3, 64)
    assert rows(recording, "SELECT planned_cpu FROM thread ORDER BY tid") == cpus  # by creation, whoever begins first
    assert rows(recording, "SELECT DISTINCT pin FROM thread") == ["planned"]
    assert rows(recording, "SELECT DISTINCT migrations FROM thread WHERE id > 1") == [0]
