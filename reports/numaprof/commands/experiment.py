# SPDX-License-Identifier: Apache-2.0
"""What sweep and policies share: how the runs are made, and how the outcome is shown."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from numaprof.commands.arguments import Parser, pin_policy
from numaprof.commands.writing.outputs import PAGE
from numaprof.export.json_document import to_json
from numaprof.model.experiment_model import Experiment
from numaprof.terminal.layout import Layout
from numaprof.text.messages import Failure


def add_experiment_options(parser: Parser) -> None:
    parser.add_argument(
        "--pin", type=pin_policy, default="compact", metavar="POLICY", help="see numaprof run --help  [compact]"
    )
    parser.add_argument("--no-record", action="store_true", help="time only, without the recorder")
    parser.add_argument("--show-output", action="store_true", help="let the program write to stdout")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_output("--html", PAGE, help="also write a page with every run")


def program(name: str, words: list[str]) -> tuple[str, ...]:
    """The program and its arguments, without the -- before it."""
    found = tuple(words[1:] if words[:1] == ["--"] else words)
    if not found:
        raise Failure(f"{name}: no program given", f"see numaprof {name} --help")
    return found


def show(found: Experiment, options: argparse.Namespace, print_found: Callable[[Experiment, Layout], None]) -> None:
    if options.json:
        print(to_json(found), end="")
    else:
        print_found(found, Layout())
    if options.html:
        from numaprof.commands.writing.write_documents import write_experiment  # noqa: PLC0415 (only then: start-up counts)

        write_experiment(found, options.html)
