# SPDX-License-Identifier: Apache-2.0
"""numaprof diff BEFORE AFTER, or numaprof diff BEFORE... -- AFTER... with several runs on a side."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.arguments import Parser
from numaprof.compare import Side
from numaprof.diag import Failure
from numaprof.evidence import load
from numaprof.views.diff import print_diff
from numaprof.views.paper import Paper

USAGE = "%(prog)s BEFORE AFTER\n       %(prog)s BEFORE... -- AFTER..."
DESCRIPTION = """Compares two runs, or two sets of runs of one program each (numaprof -n 5): remote share, run time,
threads, lines. Says what the spread of the runs allows to say and no more."""


def main(arguments: Sequence[str]) -> int:
    options, files = [a for a in arguments if a in ("-h", "--help")], list(arguments)
    if options:
        Parser("diff", DESCRIPTION, USAGE).parse_args(options)
    before, after = split(files)
    print_diff(Side(tuple(map(load, before))), Side(tuple(map(load, after))), Paper())
    return 0


def split(files: list[str]) -> tuple[list[str], list[str]]:
    """The two sides: two names, or as many as wanted on both sides of "--"."""
    if "--" in files:
        middle = files.index("--")
        before, after = files[:middle], files[middle + 1 :]
    elif len(files) == 2:
        before, after = files[:1], files[1:]
    else:
        raise Failure(
            f"diff needs two recordings, got {len(files)}",
            "with several runs on a side, put -- between the sides: numaprof diff BEFORE... -- AFTER...",
        )
    if not before or not after:
        raise Failure("one side of -- is empty", "numaprof diff BEFORE... -- AFTER...")
    unknown = next((name for name in files if name.startswith("-") and name != "--"), None)
    if unknown is not None:
        raise Failure(f"unknown option {unknown}", "see numaprof diff --help; a file of that name is ./" + unknown)
    return before, after
