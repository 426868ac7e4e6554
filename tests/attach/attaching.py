# SPDX-License-Identifier: Apache-2.0
"""A program to attach to, and `numaprof attach` beside it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from conftest import PROGRAM
from running import target

PAGE = os.sysconf("SC_PAGESIZE")
LATE_PAGES = (4 << 20) // PAGE  # what a thread, a child and "touch" of attachee.c fill


class Attachee:
    """tests/targets/attachee.c, which does what it is told."""

    def __init__(self, command: Sequence[object]) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(list(map(str, command)), text=True, **pipes)  # type: ignore[call-overload]
        self.pid: int = self.process.pid
        self.expect("ready")

    def expect(self, word: str) -> None:
        assert self.process.stdout.readline().strip() == word

    def do(self, word: str) -> None:
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        if word != "end":
            self.expect(f"{word} done")


@contextmanager
def attachee(*before: object) -> Iterator[Attachee]:
    """before: a command that starts it."""
    found = Attachee([*before, target("attachee", "-pthread")])
    try:
        yield found
    finally:
        found.process.kill()
        found.process.communicate()


@contextmanager
def attached(
    pid: object,
    recording: Path,
    *options: object,
    command: Sequence[object] = (PROGRAM,),
) -> Iterator[Attach]:
    """From when it records until Ctrl-C, unless it ended by itself. pid None: the options say what to attach to."""
    words = [*command, "attach", *(("-p", pid) if pid is not None else ()), "-o", recording, *options]
    with subprocess.Popen(list(map(str, words)), stderr=subprocess.PIPE, text=True) as recorder:
        try:
            begun = recorder.stderr.readline()
            assert begun == "numaprof: recording; Ctrl-C ends that\n", begun
            found = Attach(recorder)
            yield found
        except BaseException:
            recorder.kill()
            raise
        if recorder.poll() is None and not found.ends:
            recorder.send_signal(signal.SIGINT)
        found.said = recorder.stderr.read()
        found.status = recorder.wait()


class Attach:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.ends = False  # set: it is to end by itself
        self.said = ""
        self.status: int | None = None
