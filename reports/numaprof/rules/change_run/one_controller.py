# SPDX-License-Identifier: Apache-2.0
"""One node's memory answers nearly all requests while threads work on several: its controller is the bottleneck."""

from __future__ import annotations

from collections import defaultdict

from numaprof.analysis.naming import command_to_copy
from numaprof.analysis.node_matrix import served
from numaprof.analysis.remote_share import COUNTERS, basis
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.thresholds import EVEN_SPREAD, MIN_SAMPLES, ONE_CONTROLLER
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import percent, round_percent, words


def rule(evidence: Evidence) -> Advice | None:
    """Where much is remote, its fix spreads the load too: this speaks where the ratios look fine."""
    if not judge(evidence).light or len(evidence.worker_nodes) < 2 or _one_asks(evidence):
        return None
    shares = served_by(evidence)
    if not shares or max(shares.values()) < ONE_CONTROLLER:
        return None
    node = max(shares, key=lambda each: shares[each])
    if _work_beside(evidence, node) < EVEN_SPREAD / len(evidence.worker_nodes):
        return None  # the work is where the memory is: spread, half of it would be remote
    idle = words([f"node {each} {percent(share)}" for each, share in shares.items() if each != node][:4])
    elsewhere = 1 - 1 / len(evidence.machine.memory_nodes)
    return Advice(
        kind=Kind.SETTING,
        finding=f"Little is remote, but node {node}'s memory answers {percent(shares[node])} of all requests ({idle}): "
        "one memory controller serves nearly all.",
        change=f"Memory of node {node} answers {percent(shares[node])} of all requests. If the program is short of "
        "memory bandwidth, give it all controllers: spread the memory, or divide the work that reads it among all "
        "nodes. Try:",
        code=(f"numactl --interleave=all {command_to_copy(evidence)}",),
        evidence="requests by the node that answered them. They do not tell whether the controller is saturated; "
        "numaprof diff with the interleaved run does.",
        expects=f"Spread, about {round_percent(elsewhere)} remote, but all nodes serve it: faster only if "
        f"node {node}'s memory is the limit now.",
    )


def _one_asks(evidence: Evidence) -> bool:
    """True if one thread makes nearly all requests: then one node answers because of that thread."""
    asked = [thread.traffic.total or 0.0 for thread in evidence.threads]
    return bool(asked) and max(asked) >= ONE_CONTROLLER * sum(asked) > 0


def _work_beside(evidence: Evidence, node: int) -> float:
    """Share of the CPU time that threads of other nodes took."""
    times = [1.0 if thread.row.cpu_ns is None else float(thread.row.cpu_ns) for thread in evidence.workers]
    beside = [time for thread, time in zip(evidence.workers, times) if thread.node not in (None, node)]
    return sum(beside) / (sum(times) or 1.0)


def served_by(evidence: Evidence) -> dict[int, float]:
    """Share of the requests that each node's memory answered: counted, else sampled."""
    if basis(evidence) == COUNTERS:
        return served(evidence)
    sums: dict[int, float] = defaultdict(float)
    for row in evidence.samples.used:
        if row.page_node is not None:
            sums[row.page_node] += row.accesses
    total, samples = sum(sums.values()), sum(row.samples for row in evidence.samples.used)
    nodes = evidence.machine.memory_nodes
    return {node: sums[node] / total for node in nodes} if samples >= MIN_SAMPLES and total else {}
