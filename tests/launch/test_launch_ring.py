# SPDX-License-Identifier: Apache-2.0
"""The ring by which the preload library reports allocations: nobody waits in it, and what it loses is counted."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from conftest import BUILD, PROGRAM, TREE, build_once

BLOCKS = 100_000


def _target(name: str) -> Path:
    return build_once(BUILD / "tests" / "targets" / name, str(TREE / "tests" / "targets" / f"{name}.c"))


def _lost(recording: Path) -> int:
    with closing(sqlite3.connect(recording)) as db, db:
        return int(db.execute("SELECT value FROM note WHERE kind = 'blocks'").fetchone()[0])


@pytest.mark.requires("gcc", "root")
def test_a_realtime_thread_never_spins_for_an_ordinary_one(tmp_path: Path) -> None:
    """The target says how: the kernel ends it where it spins (RLIMIT_RTTIME)."""
    done = subprocess.run([PROGRAM, "record", "-q", "-o", tmp_path / "r.numaprof", _target("realtime")], check=False)
    if done.returncode == 77:
        pytest.skip("this container has no real-time threads")
    assert done.returncode == 0


def _record_while_stopped(recording: Path, *program: object) -> None:
    """The recorder is stopped between the first line of the program and the second one."""
    command = [PROGRAM, "record", "-q", "--pin", "none", "-o", recording, *map(str, program)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdin and recorder.stdout
        assert recorder.stdout.readline() == "ready\n"
        os.kill(recorder.pid, signal.SIGSTOP)
        os.waitpid(recorder.pid, os.WUNTRACED)
        recorder.stdin.write("\n")
        recorder.stdin.flush()
        assert recorder.stdout.readline() == "done\n"
        os.kill(recorder.pid, signal.SIGCONT)
        recorder.stdin.write("\n")
        recorder.stdin.flush()
        assert recorder.wait() == 0


@pytest.mark.requires("gcc")
def test_losses_are_counted_in_full_while_the_recorder_stands_still(tmp_path: Path) -> None:
    """Each block is two records. Those that found room are at most as many as the ring holds."""
    recording = tmp_path / "r.numaprof"
    _record_while_stopped(recording, _target("many_blocks"), BLOCKS)
    smallest_record, ring = 56, 4 << 20
    assert 2 * BLOCKS - ring // smallest_record <= _lost(recording) < 2 * BLOCKS


@pytest.mark.requires("gcc")
def test_a_lost_free_ends_the_block_whose_record_was_still_queued(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    _record_while_stopped(recording, _target("lost_free"))
    assert _lost(recording) > 0
    with closing(sqlite3.connect(recording)) as db, db:
        blocks = db.execute("SELECT end_ns IS NOT NULL FROM block WHERE bytes = 3 << 20").fetchall()
    assert blocks == [(1,)]
