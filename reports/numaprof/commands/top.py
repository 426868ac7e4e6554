# SPDX-License-Identifier: Apache-2.0
"""`numaprof top`: shows what numaprof's C program reads. profiler/commands/cmd_top.c passes the options on."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module

from numaprof.commands.arguments import Parser
from numaprof.live.model import View, make_view
from numaprof.live.sample import Header, Sample, documents, read_header, read_sample
from numaprof.live.screen import State
from numaprof.live.tables import SORTS, Choice, plain
from numaprof.text.format import clean
from numaprof.text.messages import Failure

MOST_ROWS = 20  # of each table in plain text
CHUNK = 1 << 16


def main(arguments: Sequence[str]) -> int:
    parser = Parser("top", "Shows processes live.", "numaprof top [options]")
    parser.add_argument("--stream", type=int, required=True)
    parser.add_argument("--interval", type=float, required=True)
    parser.add_argument("--pids")
    parser.add_argument("--cgroup")
    parser.add_argument("--sort", default="cpu")
    parser.add_argument("--node")
    parser.add_argument("--program", default="numaprof")
    parser.add_argument("--once", action="store_true")
    options = parser.parse_args(arguments)
    if options.sort not in SORTS:
        raise Failure(f"--sort {options.sort}: no such column", f"there are {', '.join(SORTS)}")
    source = Source(options.stream)
    choice = Choice(sort=options.sort, node=_node(options.node, source.header))
    subject = _subject(options.pids, options.cgroup)
    if options.once or not sys.stdout.isatty():
        return _plain(source, subject, choice, options.once)
    return _live(source, subject, choice, options.program)


def _subject(pids: str | None, group: str | None) -> str:
    if pids is not None:
        return f"process {pids}" if "," not in pids else f"processes {pids}"
    return f"control group {group}" if group is not None else "all processes"


def _node(text: str | None, header: Header) -> int | None:
    if text is None:
        return None
    nodes = [node.id for node in header.nodes]
    if not text.isascii() or not text.isdigit() or int(text) not in nodes:
        raise Failure(f"--node {text}: no such node", f"there are {', '.join(map(str, nodes))}")
    return int(text)


@dataclass
class Source:
    """The reader of counters, at the other end of a pipe."""

    fd: int

    def __post_init__(self) -> None:
        self._buffer = bytearray()
        self._sample: Sample | None = None
        self._own_ns = time.process_time_ns()
        self.ended = False
        first = next(self._waited(), None)
        if first is None:
            raise SystemExit(125)  # the reader has said why
        self.header = read_header(first)

    def _waited(self) -> Iterator[dict[str, object]]:
        while not self.ended:
            yield from documents(self._buffer)
            self._read()

    def _read(self) -> None:
        data = os.read(self.fd, CHUNK)
        self._buffer += data
        self.ended = not data

    def views(self) -> Iterator[View]:
        """One for each interval, until the processes have ended."""
        for found in self._waited():
            view = self._next(found)
            if view is not None:
                yield view

    def arrived(self) -> View | None:
        """Reads what there is; the latest view of it, if there is a new one."""
        self._read()
        view = None
        for found in documents(self._buffer):
            view = self._next(found) or view
        return view

    def _next(self, found: dict[str, object]) -> View | None:
        before, self._sample = self._sample, read_sample(found, self._sample)
        if before is None or not self._sample.processes:
            return None
        own_ns = time.process_time_ns()
        view = make_view(self.header, before, self._sample, own_ns - self._own_ns)
        self._own_ns = own_ns
        return view


def _live(source: Source, subject: str, choice: Choice, program: str) -> int:
    try:
        terminal = import_module("numaprof.live.terminal")
    except ImportError as error:  # a Python that was built without curses
        cause = f"the live view needs Python's module {error.name}"
        raise Failure(cause, "numaprof top --once does without") from error
    if obstacle := terminal.obstacle():
        raise Failure(f"the terminal {os.environ.get('TERM', '')!r} {obstacle}", "set TERM, or numaprof top --once")
    if not terminal.take_keys():
        return _plain(source, subject, choice, once=False)
    said: str = terminal.Terminal(source, subject, State(choice=choice), program).run()
    if said:
        print(clean(said))
    return 0


def _plain(source: Source, subject: str, choice: Choice, once: bool) -> int:
    """One page for each interval; its width is that of the terminal, or 80."""
    width = shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80
    shown = 0
    for view in source.views():
        print("\n".join([*([""] if shown else []), *plain(view, subject, choice, width, MOST_ROWS)]), flush=True)
        shown += 1
        if once:
            break
    if not shown:
        raise Failure(f"{subject} ended before a second reading", "a shorter --interval")
    return 0
