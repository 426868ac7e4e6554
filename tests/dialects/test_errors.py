# SPDX-License-Identifier: Apache-2.0
"""Multiplexed counts of whole programs: intervals hold what the hardware counted, and work scales as well as time."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from accuracy import cells, error

TREE = Path(__file__).resolve().parent.parent.parent
PHASES = TREE / "build" / "tests" / "lab" / "phases"


def proved(kind: str, tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    record = [TREE / "numaprof", "record", "-q", "--pin", "none", "-o", recording, "--", PHASES, kind, "6000"]
    done = subprocess.run([*record, "0", "1", "4", "5"], check=True, timeout=800, stdout=subprocess.PIPE, text=True)
    found = cells(recording, done.stdout)
    assert len(found) >= 16, "four threads, classes, local and remote"
    assert all(cell.coverage < 0.9 for cell in found), "nothing was multiplexed, so nothing is proved"
    assert all(cell.by_work.by_work for cell in found)
    # Local and remote of a thread err together: of 12 pairs that hold with 90 %, chance leaves fewer in one run of 200.
    assert sum(cell.held for cell in found) >= 0.6 * len(found)
    truths = [cell.truth for cell in found]
    by_work = error([cell.by_work.total for cell in found], truths)
    assert by_work <= 0.15
    assert by_work <= error([cell.whole for cell in found], truths) + 0.02


@pytest.mark.lab("tests/lab/machines/small-skylake.machine")
def test_two_offcore_registers(tmp_path: Path) -> None:
    proved("thirds", tmp_path)


@pytest.mark.lab("tests/lab/machines/small-nehalem.machine")
def test_one_offcore_register(tmp_path: Path) -> None:
    proved("thirds", tmp_path)


@pytest.mark.lab("tests/lab/machines/small-sapphire.machine")
def test_eight_counters(tmp_path: Path) -> None:
    proved("steady", tmp_path)
