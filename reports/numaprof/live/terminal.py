# SPDX-License-Identifier: Apache-2.0
"""The live view in a terminal, drawn by curses; and the recordings that it starts."""

from __future__ import annotations

import ctypes
import curses
import fcntl
import locale
import os
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from numaprof.live.model import View
from numaprof.live.screen import State, frame, press

KEYS = {
    curses.KEY_UP: "up",
    curses.KEY_DOWN: "down",
    curses.KEY_PPAGE: "page up",
    curses.KEY_NPAGE: "page down",
    curses.KEY_ENTER: "enter",
    curses.KEY_LEFT: "back",
    curses.KEY_BACKSPACE: "back",
    10: "enter",
    13: "enter",
    8: "back",
    27: "back",
    127: "back",
}
QUIT_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# They end the view as they end any program, once the terminal is as it was.
DEADLY_SIGNALS = (
    signal.SIGQUIT,
    signal.SIGABRT,
    signal.SIGALRM,
    signal.SIGVTALRM,
    signal.SIGPROF,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGIO,
    signal.SIGPWR,
    signal.SIGXCPU,
)
_PR_SET_PDEATHSIG = 1


class Source(Protocol):
    fd: int
    ended: bool

    def arrived(self) -> View | None: ...


class Recording:
    """`numaprof attach` beside the view."""

    def __init__(self, program: str, pid: int, name: str) -> None:
        safe = re.sub(r"[^A-Za-z0-9._-]", "_", name) or "process"
        self.file = f"{safe}.{pid}.{time.strftime('%H%M%S')}.numaprof"
        words = [program, "attach", "-q", "-p", str(pid), "-o", self.file]
        pipe = subprocess.PIPE
        # A process group of its own: Ctrl-C is for the view, which then ends the recording.
        streams = {"stdin": subprocess.DEVNULL, "stdout": pipe, "stderr": pipe, "start_new_session": True}
        end_with = _end_with(os.getpid())
        self.process = subprocess.Popen(words, preexec_fn=end_with, **streams)  # type: ignore[call-overload] # noqa: PLW1509 (the view has one thread)

    def ended(self) -> str | None:
        """What to say of it, once it has ended."""
        if self.process.poll() is None:
            return None
        said = self.process.communicate()[1].decode(errors="replace").strip()
        return said.splitlines()[-1] if said else f"recorded: numaprof report {self.file}"

    def stop(self) -> str:
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)
        self.process.wait()
        return self.ended() or ""


def _end_with(parent: int) -> Callable[[], None]:
    """For the child: it gets SIGINT and ends its recording if the view is killed."""
    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() != parent:  # it was killed meanwhile
            os._exit(0)

    return ask


class Terminal:
    def __init__(self, source: Source, subject: str, state: State, program: str) -> None:
        self.deadly = 0  # the signal that ends the program, once the terminal is as it was
        self.source, self.subject, self.state, self.program = source, subject, state, program
        self.view: View | None = None
        self.recording: Recording | None = None

    def run(self) -> str:
        """Returns what is to be said after the end."""
        locale.setlocale(locale.LC_ALL, "")
        awake, wake = os.pipe()
        for end in (awake, wake):
            os.set_blocking(end, False)
        for number in (*QUIT_SIGNALS, *DEADLY_SIGNALS, signal.SIGWINCH):
            signal.signal(number, self._signalled)
        signal.set_wakeup_fd(wake)
        os.environ.setdefault("ESCDELAY", "25")
        try:
            self._with_screen(awake)
        finally:
            said = self.recording.stop() if self.recording else self.state.message
            if self.deadly:
                signal.signal(self.deadly, signal.SIG_DFL)
                signal.raise_signal(self.deadly)
        return said

    def _signalled(self, number: int, _: object) -> None:
        if number != signal.SIGWINCH:
            self.state = replace(self.state, quits=True)
        if number in DEADLY_SIGNALS:
            self.deadly = number

    def _with_screen(self, awake: int) -> None:
        """As curses.wrapper, but in the terminal's own colours: start_color would paint all of it white on black."""
        screen = curses.initscr()
        try:
            curses.noecho()
            curses.cbreak()
            screen.keypad(True)
            self._loop(screen, awake)
        finally:
            screen.keypad(False)
            curses.endwin()

    def _loop(self, screen: curses.window, awake: int) -> None:
        with suppress(curses.error):
            curses.curs_set(0)
        screen.nodelay(True)
        while not self.state.quits:
            self._draw(screen)
            waits = [0, awake, *([] if self.source.ended else [self.source.fd])]
            ready = select.select(waits, [], [], 0.5 if self.recording else None)[0]
            if awake in ready:
                os.read(awake, 4096)
                size = os.get_terminal_size(0)
                curses.resizeterm(size.lines, size.columns)
            if self.source.fd in ready:
                self._take(self.source.arrived())
            if 0 in ready and _has_hung_up():
                return
            self._press_all(screen)
            self._tend_recording()

    def _take(self, view: View | None) -> None:
        if view is not None and not self.state.held:
            self.view = view
        self.state = replace(self.state, ended=self.source.ended)

    def _press_all(self, screen: curses.window) -> None:
        while (code := screen.getch()) >= 0:
            key = KEYS.get(code, chr(code) if 32 <= code < 127 else "")
            self.state = press(self.state, key, self.view, screen.getmaxyx()[1])

    def _tend_recording(self) -> None:
        pid = self.state.asks_to_record
        if pid is not None:
            self.state = replace(self.state, asks_to_record=None)
            if self.recording:
                self._say(self.recording.stop())
                self.recording = None
            else:
                names = {row.pid: row.name for row in self.view.processes} if self.view else {}
                self.recording = Recording(self.program, pid, names.get(pid, ""))
                self._say(f"recording process {pid} to {self.recording.file}; r stops it")
        elif self.recording and (said := self.recording.ended()) is not None:
            self._say(said)
            self.recording = None

    def _say(self, message: str) -> None:
        self.state = replace(self.state, message=message)

    def _draw(self, screen: curses.window) -> None:
        height, width = screen.getmaxyx()
        shown = frame(self.view, self.state, self.subject, width - 1, height)
        screen.erase()
        for number, line in enumerate(shown.lines[:height]):
            style = curses.A_REVERSE if number == shown.chosen else curses.A_BOLD if number in shown.bold else 0
            text = line.ljust(width - 1) if number == shown.chosen else line
            with suppress(curses.error):
                screen.addstr(number, 0, text.encode(screen.encoding, "replace").decode(screen.encoding), style)
        screen.refresh()


def _has_hung_up() -> bool:
    """True if the terminal is gone: standard input is ready, and there is nothing to read."""
    try:
        return fcntl.ioctl(0, termios.FIONREAD, bytes(4)) == bytes(4)
    except OSError:
        return True


def take_keys() -> bool:
    """False: there is no terminal for the keys. They come from the terminal though standard input is something else."""
    if sys.stdin is not None and sys.stdin.isatty():
        return True
    try:
        keys = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return False
    os.dup2(keys, 0)
    return True


def obstacle() -> str:
    """What keeps the view from being drawn on this terminal; empty: nothing."""
    try:
        curses.setupterm()
    except curses.error:
        return "is unknown"
    return "" if curses.tigetstr("cup") else "cannot move its cursor"
