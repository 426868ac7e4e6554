# SPDX-License-Identifier: Apache-2.0
"""numaprof-reports summarize FILE: writes the summary of its rank into a recording. numaprof starts it at its end."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from numaprof.commands.arguments import Parser
from numaprof.job.store_with_others import store_with_others
from numaprof.job.stored_summary import store

DESCRIPTION = "Writes into a recording what merging a job needs of it; numaprof record does it for the ranks of a job."


def main(arguments: Sequence[str]) -> int:
    parser = Parser("summarize", DESCRIPTION, "%(prog)s FILE")
    parser.add_argument("file", metavar="FILE", help="a recording")
    parser.add_argument("--listener", type=int, help=argparse.SUPPRESS)  # a socket that other ranks connect to
    options = parser.parse_args(arguments)
    if options.listener is None:
        store(options.file)
    else:
        store_with_others(options.file, options.listener)
    return 0
