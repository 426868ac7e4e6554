# SPDX-License-Identifier: Apache-2.0
"""numaprof sweep: run time, speed-up, remote share and bandwidth over numbers of threads."""

from __future__ import annotations

import os
from collections.abc import Sequence

from numaprof.commands.arguments import Parser, positive, thread_list
from numaprof.commands.experiment import add_experiment_options, program, show
from numaprof.document import build_experiment
from numaprof.experiments.rounds import Setting, run_rounds
from numaprof.experiments.run_once import Plan
from numaprof.terminal.experiment_view import print_sweep
from numaprof.text.format import plural

PLACEHOLDER = "{threads}"
USAGE = "%(prog)s [-t LIST] [-n REPEATS] [options] [--] PROGRAM [ARGUMENT...]"


def main(arguments: Sequence[str]) -> int:
    parser = Parser("sweep", "Runs PROGRAM with different numbers of threads and shows how it scales.", USAGE)
    parser.add_argument("-t", "--threads", type=thread_list, metavar="LIST", help="e.g. 1,2,4-8  [1,2,4,... all CPUs]")
    parser.add_argument("-n", "--repeats", type=positive, default=3, help="runs with each number  [3]")
    add_experiment_options(parser)
    parser.add_argument("command", nargs="...", metavar="PROGRAM", help=f"{PLACEHOLDER} in it becomes the number; "
                        "OMP_NUM_THREADS is set as well")  # fmt: skip
    options = parser.parse_args(arguments)
    command = program("sweep", options.command)
    counts = options.threads or default_counts(len(os.sched_getaffinity(0)))
    outcome = run_rounds([setting(command, threads, options) for threads in counts], options.repeats)
    show(build_experiment.sweep(outcome, command), options, print_sweep)
    return outcome.exit_status


def default_counts(cpus: int) -> list[int]:
    """Powers of two, and all."""
    counts = []
    threads = 1
    while threads < cpus:
        counts.append(threads)
        threads *= 2
    return [*counts, cpus]


def setting(command: Sequence[str], threads: int, options: object) -> Setting:
    words = tuple(word.replace(PLACEHOLDER, str(threads)) for word in command)
    plan = Plan(
        command=words,
        environment=(("OMP_NUM_THREADS", str(threads)),),
        pin=getattr(options, "pin", "compact"),
        record=not getattr(options, "no_record", False),
        shows_output=getattr(options, "show_output", False),
    )
    return Setting(plural(threads, "thread"), plan, threads)
