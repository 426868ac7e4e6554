# SPDX-License-Identifier: Apache-2.0
"""The answer in short: what remote reads cost, and the threads of each node summed up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from numaprof.analysis.node_matrix import node_traffic
from numaprof.analysis.remote_cost import gain
from numaprof.analysis.remote_share import COUNTERS, RemoteShare, basis, counted_share, sampled_together
from numaprof.document.remote_sums import remote_sums
from numaprof.evidence.counts import Traffic
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.thresholds import LINE_BYTES, MARKED_PART, MOST_SERIAL_COST
from numaprof.evidence.traffic import verdict_traffic
from numaprof.model import report_model as model
from numaprof.text.format import clean

_OTHER_LINES = ("ppc",)  # IBM Power: 128 bytes


def summary(evidence: Evidence) -> model.Summary:
    least, most = _cost(evidence)
    by_cpu = basis(evidence) == COUNTERS and not evidence.told_apart
    return model.Summary(
        cost_least=least,
        cost_most=most,
        extra_ns=evidence.machine.remote_extra_ns,
        extra_measured=bool(evidence.machine.latencies),
        bytes_per_s=_bandwidth(evidence),
        nodes=_ordered(list(_nodes_of_cpus(evidence) if by_cpu else _nodes(evidence))),
        processes=() if by_cpu else _most_remote_first(_processes(evidence)),
    )


def _ordered(rows: list[model.NodeThreads]) -> tuple[model.NodeThreads, ...]:
    """Most remote requests first; last, whatever their share, threads that made hardly any requests."""
    amounts = [(row.local or 0.0) + (row.remote or 0.0) for row in rows]
    few = MARKED_PART * max(amounts, default=0.0) / len(rows) if rows else 0.0
    return tuple(
        row for _, row in sorted(zip(amounts, rows), key=lambda x: (0 < x[0] < few, -(x[1].remote or 0.0), x[1].nodes))
    )


def _most_remote_first(rows: Iterator[model.ProcessThreads]) -> tuple[model.ProcessThreads, ...]:
    return tuple(sorted(rows, key=lambda row: (-(row.remote or 0.0), row.pid)))


def _cost(evidence: Evidence) -> tuple[float | None, float | None]:
    found = gain(evidence)
    if found is None or found.share is None or found.share > MOST_SERIAL_COST:
        return None, None
    return found.least, found.share


def _bandwidth(evidence: Evidence) -> float | None:
    """While the recorder counted. Emulated time says nothing."""
    wall, total = evidence.recorded_ns, evidence.traffic.total
    other = (evidence.run.uarch or "").startswith(_OTHER_LINES)
    if evidence.run.emulated or other or not wall or not total or basis(evidence) != COUNTERS:
        return None
    return total * LINE_BYTES / (wall / 1e9)


def _nodes(evidence: Evidence) -> Iterator[model.NodeThreads]:
    groups: dict[tuple[int, ...], list[Thread]] = defaultdict(list)
    for thread in evidence.threads:
        groups[thread.nodes].append(thread)
    counted = basis(evidence) == COUNTERS
    for nodes, threads in groups.items():
        found = _counted(evidence, nodes, threads) if counted else sampled_together(evidence, threads)
        yield model.NodeThreads(
            nodes,
            len(threads),
            False,
            tuple(sorted({cpu for thread in threads for cpu in thread.cpus})),
            *remote_sums(evidence, found, len(groups)),
        )


def _nodes_of_cpus(evidence: Evidence) -> Iterator[model.NodeThreads]:
    """Threads were not told apart, so the rows are of CPUs."""
    with_cpus = evidence.machine.all_cpu_nodes
    for node in with_cpus:
        yield model.NodeThreads(
            (node,),
            sum(1 for thread in evidence.threads if node in thread.nodes),
            True,
            tuple(evidence.machine.cpus_of(node)),
            *remote_sums(evidence, counted_share(node_traffic(evidence, node)), len(with_cpus)),
        )


def _processes(evidence: Evidence) -> Iterator[model.ProcessThreads]:
    groups: dict[int, list[Thread]] = defaultdict(list)
    for thread in evidence.threads:
        groups[thread.row.process].append(thread)
    if len(groups) < 2:
        return
    counted = basis(evidence) == COUNTERS
    for threads in groups.values():
        found = counted_share(_traffic(evidence, threads)) if counted else sampled_together(evidence, threads)
        yield model.ProcessThreads(
            threads[0].row.pid,
            clean(threads[0].row.name or "?"),
            len(threads),
            *remote_sums(evidence, found, len(groups)),
        )


def _counted(evidence: Evidence, nodes: tuple[int, ...], threads: list[Thread]) -> RemoteShare | None:
    """Where threads were not told apart, the counts of the node's CPUs are theirs."""
    found = _traffic(evidence, threads)
    if len(nodes) == 1 and found.total is None:
        found = node_traffic(evidence, nodes[0])
    return counted_share(found)


def _traffic(evidence: Evidence, threads: list[Thread]) -> Traffic:
    columns = evidence.ledger.threads_on([thread.row.id for thread in threads], ())
    return verdict_traffic(evidence.ledger.events, columns)
