# SPDX-License-Identifier: Apache-2.0
"""The kernel's records are lost while the recorder stands still: no process is there twice, none under a wrong name."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from conftest import PROGRAM
from running import one, rows, target, until


@contextlib.contextmanager
def _stopped(recording: Path, *words: object) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The recorder, and what its program said from "ready" to "done"; all that while the recorder stood still."""
    command = list(map(str, [PROGRAM, "record", "-q", "-o", recording, *words]))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdin and recorder.stdout
        assert recorder.stdout.readline() == "ready\n"
        recorder.send_signal(signal.SIGSTOP)
        os.waitpid(recorder.pid, os.WUNTRACED)
        _say_a_line(recorder)
        said = list(iter(recorder.stdout.readline, "done\n"))
        recorder.send_signal(signal.SIGCONT)
        yield recorder, said
        _say_a_line(recorder)
        recorder.stdin.close()
        assert recorder.wait() == 0


def _say_a_line(program: subprocess.Popen[str]) -> None:
    assert program.stdin
    program.stdin.write("\n")
    program.stdin.flush()


def _record_children(recording: Path, count: int, kib: int) -> Counter[int]:
    """The processes that there were: the program, and children that all end while the recorder is stopped."""
    with _stopped(recording, target("lone_forks"), count, kib) as (_, said):
        children = list(map(int, said))
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


def _knows(recording: Path, program: Path) -> bool:
    """Of a recording that is being written."""
    with contextlib.suppress(sqlite3.Error):
        return one(recording, f"SELECT count(*) FROM process WHERE exe = '{program}'") == 1
    return False


def _has_more(recording: Path, program: Path, before: int) -> bool:
    return _samples(recording, program) > before


def _samples(recording: Path, program: Path) -> int:
    faults = "SELECT count(*) FROM sample JOIN thread ON thread.id = thread JOIN process ON process.id = process"
    with contextlib.suppress(sqlite3.Error):
        return int(one(recording, f"{faults} WHERE exe = '{program}'"))
    return 0


@pytest.mark.requires("gcc", "perf_event")
@pytest.mark.parametrize("flags", [("-static",), ()], ids=["static", "dynamic"])
def test_a_program_whose_exec_was_lost_is_found_in_proc(flags: tuple[str, ...], tmp_path: Path) -> None:
    """Its name, and what is mapped where: another file is at the addresses of its parent's code."""
    recording = tmp_path / "r.numaprof"
    program = target("lost_exec", "-g", *flags, output="lost_exec_" + ("dynamic", "static")[len(flags)])
    # On one CPU, whose buffer is full.
    words = ["taskset", "-c", max(os.sched_getaffinity(0)), target("lost_exec"), 1000, program]
    with _stopped(recording, *words) as (recorder, _):
        until(lambda: _knows(recording, program))
        for _ in range(4):  # /proc is looked at as often as the recording is written
            before = _samples(recording, program)
            _say_a_line(recorder)
            until(partial(_has_more, recording, program, before))
    assert one(recording, "SELECT sum(value) FROM note WHERE kind = 'lost' AND text LIKE '%buffers were full'") > 0
    name, process = one(
        recording,
        "SELECT thread.name, process.id FROM process JOIN thread ON thread.process = process.id"
        f" WHERE exe = '{program}'",
    )
    assert name == program.name[:15]
    seen = rows(
        recording,
        "SELECT DISTINCT module, function FROM sample JOIN thread ON thread.id = thread JOIN stack ON stack.id = stack"
        f" JOIN place ON place.id = place WHERE process = {process} AND function LIKE '%fill%'",
    )
    assert (str(program), "fill_at_last") in seen
