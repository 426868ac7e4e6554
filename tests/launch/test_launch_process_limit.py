# SPDX-License-Identifier: Apache-2.0
"""A limit of processes (ulimit -u, pids.max), for numaprof at its start and for the program later: one line each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import BUILD, NOBODY_ID
from running import Ended, one, rows, run_command, target

NOBODY_ELSE = NOBODY_ID + 10000  # the limit is the user's, so no other test may run as this one
REMEDY = "allow more processes: ulimit -u, or pids.max of the control group"

pytestmark = pytest.mark.requires("root", "perf_event")


def run_with(processes: int, folder: Path, threads: int) -> Ended:
    for file in (BUILD / "numaprof", BUILD / "libnumaprof-preload.so", target("touch")):
        shutil.copy(file, folder)
    user = ["setpriv", f"--reuid={NOBODY_ELSE}", f"--regid={NOBODY_ELSE}", "--clear-groups"]
    command = [folder / "numaprof", "record", "-q", "-o", folder / "r.numaprof", folder / "touch", threads, 64]
    return run_command(*user, "prlimit", f"--nproc={processes}", *command, cwd=folder)


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_too_few_for_numaprof_is_one_line(processes: int, public_place: Path) -> None:
    done = run_with(processes, public_place, 3)
    assert done.status == 125
    assert done.err.count("\n") == 1
    assert "the limit of processes is used up; " + REMEDY in done.err
    assert not (public_place / "r.numaprof").exists()


def test_too_few_for_the_program_is_a_note(public_place: Path) -> None:
    done = run_with(7, public_place, 6)
    assert done.status not in (0, 125)  # its own
    recording = public_place / "r.numaprof"
    found = rows(recording, "SELECT text, remedy FROM note WHERE kind = 'unmade'")
    assert [remedy for _, remedy in found] == [REMEDY]
    assert "could not be started: the system refused" in found[0][0]
    assert one(recording, "SELECT complete FROM run") == 1
