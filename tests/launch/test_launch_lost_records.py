# SPDX-License-Identifier: Apache-2.0
"""The kernel's records of forks and ends are lost while the recorder stands still: no process is there twice."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from conftest import PROGRAM
from running import one, rows, target


def _record_children(recording: Path, count: int, kib: int) -> Counter[int]:
    """The processes that there were: the program, and children that all end while the recorder is stopped."""
    command = [PROGRAM, "record", "-q", "-o", recording, target("lone_forks"), str(count), str(kib)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdin and recorder.stdout
        assert recorder.stdout.readline() == "ready\n"
        recorder.send_signal(signal.SIGSTOP)
        os.waitpid(recorder.pid, os.WUNTRACED)
        recorder.stdin.write("\n")
        recorder.stdin.flush()
        children = list(map(int, iter(recorder.stdout.readline, "done\n")))
        recorder.send_signal(signal.SIGCONT)
        recorder.stdin.write("\n")
        recorder.stdin.flush()
        assert recorder.wait() == 0
    assert len(children) == count
    return Counter([*children, one(recording, "SELECT pid FROM run")])


# Records of few fit into the rings, which hold less than the page faults of many.
@pytest.mark.requires("gcc", "perf_event")
@pytest.mark.parametrize(("count", "kib", "loses"), [(20, 0, False), (100, 0, None), (1000, 256, True)])
def test_each_process_has_one_row_or_a_lost_record(count: int, kib: int, loses: bool | None, tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    were = _record_children(recording, count, kib)
    recorded = Counter(rows(recording, "SELECT pid FROM process"))
    lost = one(recording, "SELECT ifnull(sum(value), 0) FROM note WHERE kind = 'lost'")
    assert loses is None or loses == (lost > 0)
    assert recorded - were == Counter()
    assert sum((were - recorded).values()) <= lost
    assert one(recording, "SELECT count(*) FROM process WHERE end_ns IS NULL") <= lost
