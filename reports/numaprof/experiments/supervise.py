# SPDX-License-Identifier: Apache-2.0
"""Runs of other programs for `try`, `sweep` and `policies`: an interrupt keeps the results and leaves none running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

PROGRAM_VARIABLE = "NUMAPROF_PROGRAM"  # set by profiler/commands/cmd_experiments.c
GRACE_S = 10.0  # for a recorder to write its file after it was asked to end
INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class Interruption:
    number: int | None = None  # of the signal that came

    @property
    def exit_status(self) -> int | None:
        """128 and the signal's number, as a shell has it."""
        return None if self.number is None else 128 + self.number


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """A signal ends the block, not the command: the default action, set by cli.py, would lose the results."""
    found = Interruption()

    def interrupt(number: int, frame: FrameType | None) -> None:
        found.number = number
        raise KeyboardInterrupt

    before = {number: signal.getsignal(number) for number in INTERRUPTS}
    for number in INTERRUPTS:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        yield found
    except KeyboardInterrupt:
        found.number = found.number or signal.SIGINT
    finally:
        for number in INTERRUPTS:
            signal.signal(number, before[number])
        progress("")


def progress(text: str) -> None:
    """One line on a terminal; the empty text removes it."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{f'numaprof: {text}' if text else ''}", end="", file=sys.stderr, flush=True)


def execute(
    command: Sequence[str],
    environment: Mapping[str, str],
    streams: tuple[int | None, int | None] = (None, None),
    cwd: str | None = None,
    limit_s: float | None = None,
) -> tuple[int, str | None]:
    """Its status, and why it was ended; None: it ended by itself. In a session of its own: nothing of it goes on.

    environment: what is added. streams: stdout and stderr; None: inherited. Every run gets the same input: none.
    Raises OSError if the command cannot be started.
    """
    inherited = {name: value for name, value in os.environ.items() if name != PROGRAM_VARIABLE}
    # An interrupt waits until the process is known: else nobody would end it.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (*INTERRUPTS, signal.SIGCHLD))
    try:
        process = subprocess.Popen(
            command, env={**inherited, **environment}, cwd=cwd, stdin=subprocess.DEVNULL, stdout=streams[0],
            stderr=streams[1], start_new_session=True,
            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask),  # noqa: PLW1509 (there is one thread)
        )  # fmt: skip
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, {*mask, signal.SIGCHLD})
            why = _await(process, limit_s)
            return process.wait() if why is None else _end(process), why
        except KeyboardInterrupt:
            _end(process)
            raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _await(process: subprocess.Popen[bytes], limit_s: float | None) -> str | None:
    """None: it has ended. In a session without a terminal nobody would continue a process that stops."""
    until = None if limit_s is None else time.monotonic() + limit_s
    while True:
        state = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
        if state is not None:
            return "stopped itself (SIGSTOP)" if state.si_code == os.CLD_STOPPED else None
        left = 3600.0 if until is None else until - time.monotonic()
        if left <= 0:
            return f"ended after {limit_s:.0f} s: it hangs, or takes longer"
        signal.sigtimedwait({signal.SIGCHLD}, left)


def _end(process: subprocess.Popen[bytes]) -> int:
    """Asks twice, as a recorder forwards the first signal to the program; then kills what is left of the session."""
    try:
        for number in (signal.SIGTERM, signal.SIGTERM):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)
                os.killpg(process.pid, signal.SIGCONT)
            with suppress(subprocess.TimeoutExpired):
                return process.wait(GRACE_S)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return process.wait()
