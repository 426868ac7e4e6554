# SPDX-License-Identifier: Apache-2.0
"""numaprof sweep: run time, speed-up, remote share and bandwidth over numbers of threads."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from numaprof.commands.arguments import Parser, output_file, pin_policy, positive, thread_list
from numaprof.experiments.rounds import Setting, run_rounds
from numaprof.experiments.run_once import Plan
from numaprof.terminal.experiment_view import as_json, print_sweep
from numaprof.terminal.layout import Layout
from numaprof.text.format import plural
from numaprof.text.messages import Failure

PLACEHOLDER = "{threads}"
USAGE = "%(prog)s [-t LIST] [-n REPEATS] [options] [--] PROGRAM [ARGUMENT...]"


def main(arguments: Sequence[str]) -> int:
    parser = Parser("sweep", "Runs PROGRAM with different numbers of threads and shows how it scales.", USAGE)
    parser.add_argument("-t", "--threads", type=thread_list, metavar="LIST", help="e.g. 1,2,4-8  [1,2,4,... all CPUs]")
    parser.add_argument("-n", "--repeats", type=positive, default=3, help="runs with each number  [3]")
    parser.add_argument(
        "--pin", type=pin_policy, default="compact", metavar="POLICY", help="see numaprof run --help  [compact]"
    )
    parser.add_argument("--no-record", action="store_true", help="time only, without the recorder")
    parser.add_argument("--show-output", action="store_true", help="let the program write to stdout")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--html", type=output_file, metavar="OUT", help="also write a page with every run")
    parser.add_argument("command", nargs="...", metavar="PROGRAM", help=f"{PLACEHOLDER} in it becomes the number; "
                        "OMP_NUM_THREADS is set as well")  # fmt: skip
    options = parser.parse_args(arguments)
    command = [word for number, word in enumerate(options.command) if number or word != "--"]
    if not command:
        raise Failure("sweep: no program given", "see numaprof sweep --help")
    counts = options.threads or default_counts(len(os.sched_getaffinity(0)))
    outcome = run_rounds([setting(command, threads, options) for threads in counts], options.repeats)
    if options.json:
        print(as_json(outcome, command, "sweep"))
    else:
        print_sweep(outcome, shlex.join(command), Layout())
    if options.html:
        from numaprof.commands.write_documents import write_experiment  # noqa: PLC0415 (only then: start-up counts)

        write_experiment("sweep", shlex.join(command), outcome, list(outcome.series), options.html)
    return outcome.exit_status


def default_counts(cpus: int) -> list[int]:
    """Powers of two, and all."""
    counts = []
    threads = 1
    while threads < cpus:
        counts.append(threads)
        threads *= 2
    return [*counts, cpus]


def setting(command: list[str], threads: int, options: object) -> Setting:
    words = tuple(word.replace(PLACEHOLDER, str(threads)) for word in command)
    plan = Plan(
        command=words,
        environment=(("OMP_NUM_THREADS", str(threads)),),
        pin=getattr(options, "pin", "compact"),
        record=not getattr(options, "no_record", False),
        shows_output=getattr(options, "show_output", False),
    )
    return Setting(plural(threads, "thread"), plan, threads)
