# SPDX-License-Identifier: Apache-2.0
"""The threads leave nodes without work: their memory controllers idle, and what would be remote there stays unseen."""

from __future__ import annotations

from numaprof.analysis.naming import command_line, nodes_in_text, threads_on_nodes
from numaprof.evidence.evidence import Evidence
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import number_list


def rule(evidence: Evidence) -> Advice | None:
    machine, used = evidence.machine, evidence.worker_nodes
    usable = set(machine.all_cpu_nodes) & set(machine.memory_nodes)
    empty = sorted(usable - set(used))
    located = all(thread.nodes for thread in evidence.workers)
    if len(evidence.workers) < 2 or not empty or not used or not located or machine.single:
        return None
    refused = [node for node in empty if node not in machine.cpu_nodes]
    change, code = _remedy(evidence, refused)
    return Advice(
        kind=Kind.SETTING,
        finding=f"{threads_on_nodes(evidence.workers)}: {nodes_in_text(empty)} had none. "
        + ("What is local here may be remote once the program runs on more nodes." if len(used) == 1 else ""),
        change=change,
        code=code,
        evidence="where the threads ran, beside the nodes that have CPUs and memory.",
        threads=evidence.workers,
    )


def _remedy(evidence: Evidence, refused: list[int]) -> tuple[str, tuple[str, ...]]:
    command = command_line(evidence)
    if refused:
        return (
            f"The affinity mask that the run inherited leaves out {nodes_in_text(refused)}; give it all CPUs:",
            (f"taskset -c {_all_cpus(evidence)} numaprof --pin scatter {command}",),
        )
    if any(thread.row.pin == "program" for thread in evidence.workers):
        return "The program pins its threads itself; spread them:", (
            f"OMP_PLACES=cores OMP_PROC_BIND=spread {command}",
        )
    return "To see (and use) all of them, spread the threads:", (f"numaprof --pin scatter {command}",)


def _all_cpus(evidence: Evidence) -> str:
    return number_list([cpu.id for cpu in evidence.machine.cpus if cpu.online])
