# SPDX-License-Identifier: Apache-2.0
"""numaprof policies: the same program under local first touch, interleaving, one node's memory, and remote memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numaprof.commands.arguments import Parser, positive
from numaprof.commands.experiment import add_experiment_options, program, show
from numaprof.document import build_experiment
from numaprof.experiments.rounds import Setting, run_rounds
from numaprof.experiments.run_once import Plan, numaprof_program
from numaprof.terminal.experiment_view import print_policies
from numaprof.text.format import number_list
from numaprof.text.messages import Failure

USAGE = (
    "%(prog)s [-n REPEATS] [options] [--] PROGRAM [ARGUMENT...]\n"
    "       %(prog)s --under PLACEMENT [--] PROGRAM [ARGUMENT...]"
)


@dataclass(frozen=True)
class Policy:
    label: str
    under: str  # as `policies --under` takes it


def main(arguments: Sequence[str]) -> int:
    parser = Parser("policies", "Runs PROGRAM under several placements of memory and CPUs and ranks them.", USAGE)
    parser.add_argument("-n", "--repeats", type=positive, default=3, help="runs under each policy  [3]")
    add_experiment_options(parser)
    parser.add_argument("--under", metavar="PLACEMENT", help="run once, under local, interleave:NODES or bind:NODES, "
                        "each with @CPUS if wanted, and nothing else")  # fmt: skip
    parser.add_argument("command", nargs="...", metavar="PROGRAM")
    options = parser.parse_args(arguments)
    command = program("policies", options.command)
    found = policies(topology())
    settings = [
        Setting(
            policy.label,
            Plan(
                command,
                before=(numaprof_program(), "policies", "--under", policy.under, "--"),
                pin=options.pin,
                record=not options.no_record,
                shows_output=options.show_output,
            ),
        )
        for policy in found
    ]
    if len(found) == 1:
        print("numaprof: one node with memory here: all placements are alike, only one is run", file=sys.stderr)
    outcome = run_rounds(settings, options.repeats)
    under = {policy.label: policy.under for policy in found}
    show(build_experiment.policies(outcome, command, under), options, print_policies)
    return outcome.exit_status


def topology() -> dict[str, Any]:
    command = [numaprof_program(), "topology", "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Failure("this machine's nodes cannot be read", "see numaprof topology")
    return dict(json.loads(done.stdout))


def policies(machine: dict[str, Any]) -> list[Policy]:
    """Those that differ on this machine: with one memory all are alike."""
    allowed = _numbers(machine["allowed_cpus"])
    cpus = {node["id"]: sorted(allowed & _numbers(node["cpus"])) for node in machine["nodes"]}
    memory = [node["id"] for node in machine["nodes"] if node["allowed"] and node["mem_bytes"] != 0]
    found = [Policy("first touch, all CPUs", "local")]
    if len(memory) < 2:
        return found
    found.append(Policy(f"interleaved over nodes {number_list(memory)}", f"interleave:{number_list(memory)}"))
    found.append(Policy(f"all memory on node {memory[0]}", f"bind:{memory[0]}"))
    home = next((node for node in memory if cpus[node]), None)
    if home is None:
        return found
    mine = number_list(cpus[home])
    other = _farthest(machine, home, [node for node in memory if node != home])
    found.append(Policy(f"CPUs and memory of node {home}", f"bind:{home}@{mine}"))
    found.append(Policy(f"CPUs of node {home}, memory of node {other}", f"bind:{other}@{mine}"))
    return found


def _farthest(machine: dict[str, Any], home: int, others: list[int]) -> int:
    order = [node["id"] for node in machine["nodes"]]
    row = machine["distances"][order.index(home)]
    return max(others, key=lambda node: row[order.index(node)] or 0)


def _numbers(text: str) -> set[int]:
    parts = [part.partition("-") for part in text.split(",") if part]
    return {number for first, _, last in parts for number in range(int(first), int(last or first) + 1)}
