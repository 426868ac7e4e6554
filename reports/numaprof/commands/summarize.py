# SPDX-License-Identifier: Apache-2.0
"""numaprof-reports summarize FILE: writes the summary of its rank into a recording. numaprof starts it at its end."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.commands.arguments import Parser
from numaprof.job.stored_summary import store

DESCRIPTION = "Writes into a recording what merging a job needs of it; numaprof record does it for the ranks of a job."


def main(arguments: Sequence[str]) -> int:
    parser = Parser("summarize", DESCRIPTION, "%(prog)s FILE")
    parser.add_argument("file", metavar="FILE", help="a recording")
    store(parser.parse_args(arguments).file)
    return 0
