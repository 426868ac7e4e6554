# SPDX-License-Identifier: Apache-2.0
"""The threads leave nodes without work: their memory controllers idle, and what would be remote there stays unseen."""

from __future__ import annotations

from numaprof.analysis.naming import command_to_copy, threads_on_nodes
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.thresholds import MAINLY
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import nodes_in_text, number_list


def rule(evidence: Evidence) -> Advice | None:
    machine, used = evidence.machine, evidence.worker_nodes
    usable = set(machine.all_cpu_nodes) & set(machine.memory_nodes)
    empty = sorted(usable - set(used))
    located = all(thread.nodes for thread in evidence.workers)
    if evidence.rank is not None:  # other ranks of the host are there
        return None
    if len(evidence.workers) < 2 or not empty or not used or not located or machine.single:
        return None
    if _share_on_one_node(evidence):
        return _stay(evidence, empty)
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


def _share_on_one_node(evidence: Evidence) -> bool:
    """They fit on their node, and most of what they access is memory that all of them use."""
    used = evidence.worker_nodes
    if len(used) > 1 or len(evidence.workers) > len(evidence.machine.cpus_of(used[0])):
        return False
    seen = {found.things: sum(row.accesses for row in found.used) for found in evidence.objects.found}
    common = sum(seen[found.things] for found in evidence.objects.found if found.use_shape.shared)
    return common > MAINLY * sum(seen.values())


def _stay(evidence: Evidence, empty: list[int]) -> Advice:
    return Advice(
        kind=Kind.LEAVE,
        finding=f"{threads_on_nodes(evidence.workers)} mostly use memory that all of them use; "
        f"{nodes_in_text(empty)} had no thread.",
        change="Leave them on one node: on several, part of what they share would be remote for each.",
        evidence="where the threads ran, and addresses of sampled loads. They do not tell whether one "
        "node's bandwidth is enough.",
        threads=evidence.workers,
    )


def _remedy(evidence: Evidence, refused: list[int]) -> tuple[str, tuple[str, ...]]:
    command = command_to_copy(evidence)
    if refused:
        return (
            f"The affinity mask that the run inherited leaves out {nodes_in_text(refused)}; give it all CPUs:",
            (f"taskset -c {_all_cpus(evidence)} numaprof --pin scatter {command}",),
        )
    if any(thread.row.pin == "program" for thread in evidence.workers):
        return "The program pins its threads itself; spread them:", (
            f"OMP_PLACES=cores OMP_PROC_BIND=spread {command}",
        )
    return "To use all nodes, and to see what is remote then:", (f"numaprof --pin scatter {command}",)


def _all_cpus(evidence: Evidence) -> str:
    return number_list([cpu.id for cpu in evidence.machine.cpus if cpu.online])
