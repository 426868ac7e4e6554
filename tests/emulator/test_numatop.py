# SPDX-License-Identifier: Apache-2.0
"""numatop, another project's reader of the same kind of counters, in the emulated machine: it sees what we see."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import BUILD

NAME = 11  # characters of a program's name that it shows
INTERVALS = 3  # of which the first holds the program's start
SECONDS = 200  # numatop makes an interval of 5 on an idle host
PINNED = {"OMP_PLACES": "cores", "OMP_PROC_BIND": "true", "OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}


@contextlib.contextmanager
def running(program: str) -> Iterator[None]:
    command = [str(BUILD / "examples" / program), "1000000", "32"]
    with subprocess.Popen(command, env={**os.environ, **PINNED}, stdout=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.kill()


def read_bursts(terminal: int, wanted: int) -> None:
    """Reads what numatop draws: a burst at its start, and one at the end of each interval."""
    bursts, drawing, limit = 0, False, time.monotonic() + SECONDS
    while bursts < wanted and time.monotonic() < limit:
        ready = bool(select.select([terminal], [], [], 1)[0])
        if ready:
            os.read(terminal, 1 << 16)
        bursts += drawing and not ready
        drawing = ready


def screens(folder: Path) -> str:
    """What numatop shows in some intervals. It wants a terminal, and writes its screens to a file as well."""
    ours, its = os.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    dump, environment = folder / "screens", {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(["numatop", "-d", dump], stdin=its, stdout=its, stderr=its, env=environment) as numatop:
        os.close(its)
        try:
            read_bursts(ours, 1 + INTERVALS)
            os.write(ours, b"Q")
            read_bursts(ours, 1)
        except OSError:  # it has ended, and its terminal with it
            pass
        assert numatop.wait(SECONDS) == 0
    os.close(ours)
    return dump.read_text(errors="replace")


def remote_per_local(program: str, folder: Path) -> float:
    """By numatop's count in the last of its intervals: thousands of remote and of local accesses."""
    with running(program):
        lines = re.findall(rf"^ *\d+ +{program[:NAME]} +([0-9.]+) +([0-9.]+) ", screens(folder), re.M)
    assert len(lines) >= 2, "numatop did not show the program twice"
    remote, local = map(float, lines[-1])
    assert remote + local > 10
    return remote / max(local, 0.1)


@pytest.mark.lab("westmere")
@pytest.mark.requires("numatop")
def test_numatop_sees_what_the_threads_do(tmp_path: Path) -> None:
    """Serial initialization leaves half of the threads remote: one remote access for each local one, but numatop
    samples in turns, and threads are not equally fast. Parallel initialization leaves next to none."""
    assert 0.4 < remote_per_local("sum_serial", tmp_path) < 2.5
    assert remote_per_local("sum_parallel", tmp_path) < 0.1
