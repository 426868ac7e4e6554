# SPDX-License-Identifier: Apache-2.0
"""numaprof diff BEFORE AFTER, or numaprof diff BEFORE... -- AFTER... with several runs on a side."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from numaprof.commands.arguments import Parser, add_documents
from numaprof.commands.schema import write_schema
from numaprof.commands.writing.outputs import write
from numaprof.commands.writing.progress import Progress
from numaprof.compare.sides import Side
from numaprof.document.build_comparison import comparison
from numaprof.evidence.evidence import load
from numaprof.job.paths import is_job
from numaprof.terminal.comparison_view import print_diff
from numaprof.terminal.layout import Layout
from numaprof.text.messages import Failure

USAGE = """%(prog)s [OPTION...] BEFORE AFTER
       %(prog)s [OPTION...] BEFORE... -- AFTER..."""
DESCRIPTION = """Compares two runs, or two sets of runs of one program each (numaprof -n 5): remote share, run time,
threads, lines. States a difference only if the spread of the runs allows it."""

_BETWEEN = "\0"  # stands for "--", which argparse would take for its own; no argument can hold it


def main(arguments: Sequence[str]) -> int:
    parser = Parser("diff", DESCRIPTION, USAGE, "files")
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="recordings; -- separates the sides if there are more than two"
    )
    add_documents(parser)
    options = parser.parse_intermixed_args([_BETWEEN if each == "--" else each for each in arguments])
    if options.schema:
        return write_schema(options.schema, "job-diff" if any(map(is_job, options.files)) else "diff")
    before, after = split(["--" if each == _BETWEEN else each for each in options.files])
    if options.open and not options.html:
        raise Failure("--open opens a page, and none is written", "add --html OUT")
    if any(map(is_job, (*before, *after))):
        return _jobs(before, after, options)
    if options.html or options.json or options.csv:
        from numaprof.commands.writing.write_documents import Outputs, write_diff  # noqa: PLC0415 (only then: start-up counts)

        write_diff(before, after, Outputs(options.html, options.json, options.csv, options.open))
        return 0
    print_diff(comparison(Side(tuple(map(load, before))), Side(tuple(map(load, after))), times=False), Layout())
    return 0


def _jobs(before: list[str], after: list[str], options: argparse.Namespace) -> int:
    from numaprof.export.json_document import to_json  # noqa: PLC0415 (as above)
    from numaprof.job.compare_jobs import compare_jobs  # noqa: PLC0415
    from numaprof.job.read_job import read_job  # noqa: PLC0415
    from numaprof.terminal.job_diff_view import print_job_diff  # noqa: PLC0415

    if options.html or options.csv:
        raise Failure("--html and --csv are for recordings of one process", "use --json, or compare two ranks")
    with Progress() as say:
        say("reading summaries")
        found = compare_jobs(read_job(before), read_job(after))
    if options.json:
        write(options.json, to_json(found))
    else:
        print_job_diff(found, Layout())
    return 0


def split(files: list[str]) -> tuple[list[str], list[str]]:
    """The two sides: two names, or as many as wanted on both sides of "--"."""
    if "--" in files:
        middle = files.index("--")
        before, after = files[:middle], files[middle + 1 :]
        if "--" in after:
            raise Failure("-- is given more than once: there are only two sides", "numaprof diff BEFORE... -- AFTER...")
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
