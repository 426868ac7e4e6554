# SPDX-License-Identifier: Apache-2.0
"""Requests by node of the CPU and node of the memory."""

from __future__ import annotations

from collections import defaultdict
from typing import Optional

from numaprof.analysis.remote_meaning import between_packages
from numaprof.analysis.remote_share import COUNTERS, basis
from numaprof.evidence.counts import Traffic
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.traffic import verdict_traffic

Matrix = dict[tuple[int, int], Optional[float]]  # (node of the CPU, node of the memory) -> requests; None: not known


def node_traffic(evidence: Evidence, node: int) -> Traffic:
    """Traffic of the node's CPUs, if counts have a CPU; else of the threads that ran on this node only."""
    by_cpu, by_thread = _of_cpus(evidence, node), _of_threads(evidence, node)
    return by_cpu if (by_cpu.total or 0.0) >= (by_thread.total or 0.0) else by_thread


def _of_cpus(evidence: Evidence, node: int) -> Traffic:
    return verdict_traffic(evidence.ledger.events, evidence.ledger.threads_on((), evidence.machine.cpus_of(node)))


def _of_threads(evidence: Evidence, node: int) -> Traffic:
    mine = [thread.row.id for thread in evidence.threads if thread.node == node]
    return verdict_traffic(evidence.ledger.events, evidence.ledger.threads_on(mine, ()))


def matrix(evidence: Evidence) -> Matrix:
    return _counted(evidence) if basis(evidence) == COUNTERS else sampled(evidence)


def _counted(evidence: Evidence) -> Matrix:
    """Counters only say local or remote: which node that is, is known if there is but one."""
    found: Matrix = {}
    for node in evidence.machine.all_cpu_nodes:
        traffic = node_traffic(evidence, node)
        for memories, amount in zip(_answering(evidence, node), (traffic.local, traffic.remote)):
            if len(memories) == 1:
                found[node, memories[0]] = amount.estimate
    return found


def _answering(evidence: Evidence, node: int) -> tuple[list[int], list[int]]:
    """The nodes whose memory counts as local for this node's CPUs, and those whose memory counts as remote."""
    memories = evidence.machine.memory_nodes
    local = evidence.machine.package_of(node) if between_packages(evidence) else (node,)
    return [memory for memory in memories if memory in local], [memory for memory in memories if memory not in local]


def sampled(evidence: Evidence) -> Matrix:
    sums: dict[tuple[int, int], float] = defaultdict(float)
    for row in evidence.samples.used:
        if row.node is not None and row.page_node is not None:
            sums[row.node, row.page_node] += row.accesses
    seen = {node for node, _ in sums}
    return {(node, memory): sums[node, memory] for node in seen for memory in evidence.machine.memory_nodes}


def left_out(evidence: Evidence) -> float:
    """Share of the counted requests that is not in the matrix: those of threads on several nodes, without a CPU.

    0 where a cell is not known: then the rest is not known either.
    """
    total = evidence.traffic.total
    if basis(evidence) != COUNTERS or not total:
        return 0.0
    found = [node_traffic(evidence, node) for node in evidence.machine.all_cpu_nodes]
    if any(traffic.coverage is not None and traffic.total is None for traffic in found):
        return 0.0
    return max(0.0, 1 - sum(traffic.total or 0.0 for traffic in found) / total)


def served(evidence: Evidence) -> dict[int, float]:
    """Least share of the requests that the memory of each node answered; empty: not known.

    A saturated memory controller costs time even if all accesses are local.
    """
    if basis(evidence) != COUNTERS:
        return {}
    sums: dict[int, float] = defaultdict(float)
    for (_, memory), requests in _counted(evidence).items():
        if requests is not None:
            sums[memory] += requests
    total = sum(sums.values())
    # Of a node without memory nothing is local.
    complete = all(
        len(local) <= 1 and len(remote) == 1
        for local, remote in (_answering(evidence, node) for node in evidence.machine.all_cpu_nodes)
    )
    seen = 1 - left_out(evidence)
    return {node: seen * sums[node] / total for node in evidence.machine.memory_nodes} if total and complete else {}
