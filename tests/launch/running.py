# SPDX-License-Identifier: Apache-2.0
"""Runs numaprof for the tests of this folder: in a terminal of its own or with pipes, and reads what was recorded."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

from conftest import BUILD, NOBODY, PROGRAM, TREE, build_once

if "NUMAPROF_MACHINE" not in os.environ:  # in the emulated machine an import takes long, and no test there needs it
    from numaprof.commands import cli

PATIENCE_S = 60  # a busy machine is not a wrong one
TARGETS = TREE / "tests" / "targets"
PROGRESS = re.compile(r"numaprof: [a-z ]+: this takes a while\n")  # said after a second, on a busy machine of any run
BUSY = re.compile(r".* …\n")  # the same of the reports


class Ended(NamedTuple):
    status: int  # as subprocess has it: -9 is death by signal 9
    out: str
    err: str


def target(name: str, *flags: str, output: str | None = None) -> Path:
    """tests/targets/NAME.c, compiled, if it is not there yet."""
    return build_once(BUILD / "tests" / "targets" / (output or name), str(TARGETS / f"{name}.c"), *flags)


def run(*arguments: object, **options: Any) -> Ended:
    """numaprof ARGUMENTS, to its end."""
    return run_command(PROGRAM, *arguments, **options)


def run_command(*arguments: object, **options: Any) -> Ended:
    words = [str(argument) for argument in arguments]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, **options)
    return Ended(done.returncode, done.stdout, PROGRESS.sub("", done.stderr))


def reports(*arguments: object) -> Ended:
    """numaprof-reports ARGUMENTS as it works once Python is started and the modules are read, which takes longer than
    most reports. An error that nobody expects is raised."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", errors="backslashreplace") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = cli.run(list(map(str, arguments)))
        except SystemExit as left:  # --help
            status = int(left.code or 0)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return Ended(status, texts[0], BUSY.sub("", texts[1]))


def job(*files: Path) -> dict[str, Any]:
    """The report of a job's directory, or of its recordings."""
    done = reports("report", *files, "--json", "-")
    assert done.status == 0, done
    found: dict[str, Any] = json.loads(done.out)
    return found


def run_as_nobody(public_place: Path, *words: object) -> Ended:
    """`numaprof record` to r.numaprof there, by a user without rights."""
    command = [*NOBODY, public_place / "numaprof", "record", "-q"]
    return run_command(*command, "-o", public_place / "r.numaprof", *words, cwd=public_place)


def rows(path: Path, question: str) -> list[Any]:
    """Answers from a recording; single columns come as plain values."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as recording, recording:
        found = recording.execute(question).fetchall()
    return [row[0] if len(row) == 1 else row for row in found]


def one(path: Path, question: str) -> Any:
    found = rows(path, question)
    assert len(found) == 1, found
    return found[0]


def touched_pages(recording: Path, process: int = 1) -> int:
    """First touches of a process, and faults that may have been some: without a last look at its memory their kind is
    not known; on a busy machine the kernel drops records, which it says, and what samples stand for is an estimate,
    while all faults are counted."""
    threads = f"thread IN (SELECT id FROM thread WHERE process = {process})"
    seen = one(recording, f"SELECT sum(weight) FROM sample WHERE kind IN (10, 19) AND {threads}")
    assert seen, "nothing was seen of it"
    return int(seen + lost_faults(recording))


def lost_faults(recording: Path) -> int:
    """What the recording says is missing. A lost record may be that of a sample, which stands for many faults."""
    lost = one(recording, "SELECT ifnull(sum(value), 0) FROM note WHERE kind = 'lost'")
    return int(max(lost, faults_without_sample(recording)))


def faults_without_sample(recording: Path) -> int:
    """Page faults that the kernel counted and no sample stands for: the recorder did not run while they happened."""
    counted = one(recording, "SELECT ifnull(sum(value), 0) FROM note WHERE kind = 'faults'")
    sampled = one(recording, "SELECT sum(weight) FROM sample WHERE kind >= 10")
    return int(max(counted - sampled, 0))


def until(what: Callable[[], Any], seconds: float = PATIENCE_S) -> Any:
    """Asks until the answer is true."""
    end = time.monotonic() + seconds
    while not (answer := what()):
        assert time.monotonic() < end, "it did not come to pass"
        select.select([], [], [], 0.01)
    return answer


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def has_rows(path: Path, table: str) -> bool:
    """While it is written, a look at it may find half of a commit."""
    try:
        return bool(path.exists() and rows(path, f"SELECT 1 FROM {table}"))
    except sqlite3.Error:
        return False


def is_alive(pid: int) -> bool:
    return state_of(pid) not in ("", "Z")


def state_of(pid: int) -> str:
    """The letter of /proc/PID/stat; empty: gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def children_of(pid: int) -> list[int]:
    """Of all its threads: the kernel lists a child with the thread that made it."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    with contextlib.suppress(OSError):
        return [int(child) for path in lists for child in path.read_text().split()]
    return []


class Terminal:
    """A command that leads a session on a terminal of its own, as in a terminal window."""

    def __init__(self, command: Sequence[object], cwd: Path) -> None:
        self.seen = ""
        self.status: int | None = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.environ.update(PS1="prompt> ", TERM="dumb")
            os.execv(str(command[0]), [str(word) for word in command])

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.close()

    def close(self) -> None:
        """Closes the terminal's window."""
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def expect(self, pattern: str) -> re.Match[str]:
        """Waits until this is on the screen, and forgets what stood before."""
        end = time.monotonic() + PATIENCE_S
        while not (match := re.search(pattern, self.seen)):
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            assert ready, f"waited for {pattern!r}, saw {self.seen!r}"
            try:
                self.seen += os.read(self.fd, 4096).decode(errors="replace")
            except OSError:
                raise AssertionError(f"ended before {pattern!r}: {self.seen!r}") from None
        self.seen = self.seen[match.end() :]
        return match

    def wait(self) -> int:
        """Its status, as subprocess has it."""

        def ended() -> bool:
            if self.fd >= 0 and select.select([self.fd], [], [], 0)[0]:
                with contextlib.suppress(OSError):  # nobody has the terminal open any more
                    self.seen += os.read(self.fd, 4096).decode(errors="replace")
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            return pid != 0

        until(ended)
        assert self.status is not None
        return self.status
