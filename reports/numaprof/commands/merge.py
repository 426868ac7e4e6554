# SPDX-License-Identifier: Apache-2.0
"""numaprof merge DIRECTORY... -o OUT.ranks: the summaries of many ranks in one small file."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from numaprof.commands.arguments import Parser, output_file
from numaprof.commands.writing.output_files import STDOUT, write_text
from numaprof.commands.writing.progress import Progress
from numaprof.job.collect import collect, merged_lines
from numaprof.job.paths import MERGED
from numaprof.text.format import plural
from numaprof.text.messages import Failure

USAGE = "%(prog)s DIRECTORY|FILE... -o OUT.ranks"
DESCRIPTION = """Writes what a report of a job needs of each rank, a few kB, into one file. Merged files may be merged
again; the order does not matter. Each host may merge its own ranks."""


def main(arguments: Sequence[str]) -> int:
    parser = Parser("merge", DESCRIPTION, USAGE)
    parser.add_argument("files", nargs="+", metavar="FILE", help="directories of a job, recordings, merged files")
    parser.add_argument(
        "-o", type=output_file, required=True, metavar="OUT", help=f"output file, *{MERGED}; - is stdout"
    )
    options = parser.parse_args(arguments)
    if options.o != STDOUT and not options.o.endswith(MERGED):
        raise Failure(f"-o {options.o}: the name has to end in {MERGED}", f"-o {options.o}{MERGED}")
    with Progress() as say:
        say("reading summaries")
        found = collect(options.files)
    if not found.summaries:
        raise Failure("no recording that can be read", "give the directory of a job")
    if all(each.number is None for each in found.summaries):
        name = found.summaries[0].recording
        raise Failure(
            f"no recording of a rank: no launcher of a parallel job started {name}",
            "numaprof report FILE reads it alone",
        )
    write_text(options.o, "".join(merged_lines(found)))
    left_out = f", {len(found.refused)} left out (numaprof report says why)" if found.refused else ""
    print(f"numaprof: {plural(len(found.summaries), 'recording')} merged{left_out}", file=sys.stderr)
    return 0
