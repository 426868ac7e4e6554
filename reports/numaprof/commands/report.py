# SPDX-License-Identifier: Apache-2.0
"""numaprof report [FILE...]: the terminal report."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Sequence

from numaprof import queries
from numaprof.arguments import Parser
from numaprof.diag import EXIT_FAILED, Failure
from numaprof.evidence import load
from numaprof.text import clean
from numaprof.views.paper import BOLD, Paper
from numaprof.views.report import print_report

SUFFIX = ".numaprof"


def main(arguments: Sequence[str]) -> int:
    parser = Parser("report", "Says who suffers from remote memory, why, and what to change.", "%(prog)s [FILE...]")
    parser.add_argument("files", nargs="*", metavar="FILE", help="recordings; without one, the newest in this folder")
    parser.add_argument(
        "--pass-status", action="store_true", help="exit as the recorded program did (numaprof run asks for this)"
    )
    options = parser.parse_args(arguments)
    files = options.files or [newest()]
    paper = Paper()
    for number, file in enumerate(files):
        evidence = load(file)
        if number:
            paper.line()
        if len(files) > 1:
            paper.line(f"== {clean(file)} ==", BOLD)
        print_report(evidence, paper)
        run = evidence.run
    return exit_as(run) if options.pass_status else 0


def newest() -> str:
    """The recording that was written last in this folder."""
    with os.scandir(".") as entries:
        times = [(entry.stat().st_mtime_ns, entry.name) for entry in entries if entry.name.endswith(SUFFIX)]
    if not times:
        raise Failure(f"no *{SUFFIX} in this folder", "name a recording: numaprof report FILE")
    return max(times)[1]


def exit_as(run: queries.Run) -> int:
    """The status the program had; a signal that ended it is raised again, without a second core dump."""
    if run.term_signal is not None and run.term_signal in signal.valid_signals():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError):  # SIGKILL cannot be set, and need not be
            signal.signal(run.term_signal, signal.SIG_DFL)
        sys.stdout.flush()
        os.kill(os.getpid(), run.term_signal)
    return EXIT_FAILED if run.exit_status is None else run.exit_status & 0xFF
