# SPDX-License-Identifier: Apache-2.0
"""numaprof merge DIRECTORY... -o OUT.ranks: the summaries of many ranks in one small file."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from numaprof.commands.arguments import Parser
from numaprof.commands.writing.outputs import RANKS, write
from numaprof.commands.writing.progress import Progress
from numaprof.job.collect import collect, merged_lines
from numaprof.text.format import plural
from numaprof.text.messages import Failure

USAGE = "%(prog)s DIRECTORY|FILE... -o OUT.ranks"
DESCRIPTION = """Writes what a report of a job needs of each rank, a few kB, into one file. Merged files may be merged
again; the order does not matter. Each host may merge its own ranks."""


def main(arguments: Sequence[str]) -> int:
    parser = Parser("merge", DESCRIPTION, USAGE, "files")
    parser.add_argument("files", nargs="+", metavar="FILE", help="directories of a job, recordings, merged files")
    parser.add_output("-o", RANKS, required=True, help=f"output file, *{RANKS.ending}; - is stdout")
    options = parser.parse_args(arguments)
    if not options.o.is_stdout and not options.o.path.endswith(RANKS.ending):
        raise Failure(
            f"-o {options.o.path}: the name has to end in {RANKS.ending}", f"-o {options.o.path}{RANKS.ending}"
        )
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
    write(options.o, "".join(merged_lines(found)))
    left_out = f", {len(found.refused)} left out (numaprof report says why)" if found.refused else ""
    print(f"numaprof: {plural(len(found.summaries), 'recording')} merged{left_out}", file=sys.stderr)
    return 0
