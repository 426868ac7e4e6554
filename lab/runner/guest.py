# SPDX-License-Identifier: Apache-2.0
"""The life of one guest: starts QEMU, passes output on while it comes, ends it whatever happens.

Everything QEMU shares with us is a descriptor without a name (sockets, memory files), so that nothing is left behind
even by a kill that cannot be caught; and QEMU dies with us by the kernel's parent death signal.
"""

from __future__ import annotations

import ctypes
import os
import selectors
import signal
import socket
import subprocess
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Callable

from runner import job as jobs
from runner import qemu
from runner.machine import Machine

BOOT_SECONDS = 300  # a guest boots in 5 to 10 on an idle computer
END_SECONDS = 120  # for the command to end when its time is up, and for its files to come back
KEPT_LINES = 200
PR_SET_PDEATHSIG = 1


class GuestError(Exception):
    """The guest did not do its work: the cause, for people, and what helps."""

    def __init__(self, cause: str, remedy: str = "") -> None:
        super().__init__(cause)
        self.remedy = remedy


@dataclass
class Outputs:
    """Where things go. phase is told what the guest does until the command starts, and how long that has run while it
    writes nothing; "" before anything else is written."""

    stdout: BinaryIO
    stderr: BinaryIO
    phase: Callable[[str], None]
    console: BinaryIO | None = None


@dataclass
class _State:
    started: bool = False
    at_line_start: bool = True  # the command's output ends with a whole line
    late: bool = False  # its time is up, and the guest was told to stop it
    status: int | None = None
    failure: str = ""
    lost: str = ""
    console: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))


def run(machine: Machine, built: Path, job: jobs.Job, time_limit: float, outputs: Outputs) -> int:
    """The command's exit status."""
    guest = _Guest(machine, built, job, outputs, time_limit)
    try:
        guest.follow()
        return guest.result()
    finally:
        guest.end()


class _Guest:
    control: socket.socket

    def __init__(self, machine: Machine, built: Path, job: jobs.Job, outputs: Outputs, time_limit: float) -> None:
        self.outputs = outputs
        self.time_limit = time_limit
        self.state = _State()
        self.machine = machine
        self.selector = selectors.DefaultSelector()
        self.rests: dict[str, bytes] = {}
        self.process = self._start(built, job)

    def _start(self, built: Path, job: jobs.Job) -> subprocess.Popen[bytes]:
        theirs: dict[str, int] = {}
        sockets = []
        for name in (*qemu.PORTS, "console"):
            ours, other = socket.socketpair()
            self.selector.register(ours, selectors.EVENT_READ, name)
            if name == "control":
                self.control = ours
            sockets.append(other)
            theirs[name] = other.fileno()
        theirs["shared"] = _memory_file("numaprof-lab", qemu.shared_bytes(self.machine))
        theirs["initrd"] = _memory_file("numaprof-initrd", jobs.initrd(built, self.machine, job))
        words = qemu.arguments(self.machine, built, job.scratch, theirs)
        try:
            return subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=sockets[-1].fileno(),  # QEMU's complaints belong to the console's
                pass_fds=list(theirs.values()),
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - there are no other threads
                start_new_session=True,  # Ctrl-C is ours
            )
        except OSError as error:
            raise GuestError(
                f"cannot start {qemu.PROGRAM}: {error.strerror}", "apt-get install qemu-system-x86"
            ) from None
        finally:
            for other in sockets:
                other.close()
            os.close(theirs["shared"])
            os.close(theirs["initrd"])

    def follow(self) -> None:
        """Until the guest has said how the command ended, or all its doors are closed."""
        time_limit = self.time_limit
        limit = time.monotonic() + BOOT_SECONDS
        began, start = False, 0.0
        while self.selector.get_map() and self.state.status is None and not self.state.failure:
            if self.state.started and not began:
                began, start = True, time.monotonic()
                limit = start + time_limit if time_limit else float("inf")
            ready = self.selector.select(min(max(limit - time.monotonic(), 0), 1))
            for key, _ in ready:
                self._take(key)
            if began and not ready and self.state.at_line_start:
                self.outputs.phase(f"running for {time.monotonic() - start:.0f} s")
            if time.monotonic() >= limit:
                if not began or self.state.late:
                    raise self._too_late()
                self.control.sendall(b"stop\n")
                self.state.late = True
                limit = time.monotonic() + END_SECONDS

    def _too_late(self) -> GuestError:
        if self.state.late:
            return self._was_late("what it wrote is lost: ")
        return GuestError(
            f"the guest did not boot within {BOOT_SECONDS} s", "is this computer busy? --console FILE shows more"
        )

    def _was_late(self, lost: str = "") -> GuestError:
        return GuestError(
            f"the command did not end within {self.time_limit:g} s", f"{lost}--time-limit SECONDS allows more"
        )

    def _take(self, key: selectors.SelectorKey) -> None:
        stream: socket.socket = key.fileobj  # type: ignore[assignment]
        try:
            data = stream.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        if not data:
            self.selector.unregister(stream)
            stream.close()
        elif key.data in ("stdout", "stderr"):
            self.outputs.phase("")
            self.state.at_line_start = data.endswith(b"\n")
            output = getattr(self.outputs, key.data)
            output.write(data)
            output.flush()
        else:
            self._lines(key.data, data)

    def _lines(self, name: str, data: bytes) -> None:
        if name == "console" and self.outputs.console:
            self.outputs.console.write(data)
            self.outputs.console.flush()
        *lines, self.rests[name] = (self.rests.get(name, b"") + data).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace").strip()
            if name == "console":
                self.state.console.append(text)
            else:
                self._heard(text)

    def _heard(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        if word == "phase" and not self.state.started:
            self.outputs.phase(f"booting: {rest}")
        elif word == "start":
            self.state.started = True
            self.outputs.phase("")
        elif word == "fail":
            self.state.failure = rest
        elif word == "lost":
            self.state.lost = rest
        elif word == "exit":
            self.state.status = int(rest)

    def result(self) -> int:
        self._drain()
        state = self.state
        if state.failure:
            raise GuestError(f"the guest is not usable: {state.failure}", "--console FILE shows more")
        if state.status is None:
            raise GuestError(self._last_words(), "--console FILE shows all it printed")
        if state.lost:
            raise GuestError(f"files could not be brought back: {state.lost}", "--scratch DIR puts them elsewhere")
        if state.late:
            raise self._was_late()
        return state.status

    def _drain(self) -> None:
        """What is still on its way: the guest sends its output before it says how the command ended."""
        while self.selector.get_map():
            ready = self.selector.select(0)
            if not ready:
                return
            for key, _ in ready:
                self._take(key)

    def _last_words(self) -> str:
        for line in self.state.console:
            if "Kernel panic" in line:
                return f"the guest's kernel panicked: {line.partition('Kernel panic - not syncing: ')[2] or line}"
        last = next((line for line in reversed(self.state.console) if line), "nothing")
        return f"the guest ended before the command did; it last said: {last}"

    def end(self) -> None:
        """A guest that has done its work powers off by itself; nobody waits for that: nothing of it is kept."""
        self.process.kill()
        self.process.wait()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self.selector.close()


def _memory_file(name: str, content: bytes | int) -> int:
    fd = os.memfd_create(name, 0)
    if isinstance(content, int):
        os.ftruncate(fd, content)
    else:
        with os.fdopen(os.dup(fd), "wb") as file:
            file.write(content)
    return fd


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
