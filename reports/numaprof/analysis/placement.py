# SPDX-License-Identifier: Apache-2.0
"""Which node uses which part of an object, and where each part would be after a fix."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from numaprof.analysis.relevant_objects import part_of_remote
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.objects import Object
from numaprof.evidence.spread import median
from numaprof.evidence.thresholds import (
    AS_GOOD,
    BEYOND_CHANCE,
    BINS,
    EVEN_SPREAD,
    LINE_BYTES,
    MIN_SAMPLES_OF_PART,
    MIN_USES_OF_THREAD,
    ONE_HOME,
    SERIAL_TOUCH,
)

MOST_PARTS_PER_NODE = 16


def is_spread(evidence: Evidence, homes: Mapping[int, float]) -> bool:
    """No node holds nearly all of it, and none much less than its part."""
    nodes = evidence.machine.memory_nodes
    known = {node: homes.get(node, 0.0) for node in nodes}
    total = sum(known.values())
    if not total or len(nodes) < 2 or max(known.values()) >= ONE_HOME * total:
        return False
    return min(known.values()) >= EVEN_SPREAD / len(nodes) * total


def node_order(found: Object) -> tuple[int, ...] | None:
    """The node that uses each of equal parts of an object, in its steady phase: the fewest whose users hardly mix.

    None: they mix, or too few samples tell.
    """
    uses = found.steady_uses
    nodes = sorted(uses)
    seen = sum(sum(bins.values()) for bins in uses.values())
    if len(nodes) < 2 or seen < MIN_USES_OF_THREAD * len(nodes):
        return None
    # By chance the node that uses most of all would be the user of each part.
    most = max(sum(bins.values()) for bins in uses.values()) / seen
    orders, parts = [], len(nodes)
    while parts <= MOST_PARTS_PER_NODE * len(nodes) and seen >= MIN_SAMPLES_OF_PART * parts:
        order = tuple(max(nodes, key=lambda node: _weight(uses[node], part, parts)) for part in range(parts))
        own = sum(_weight(uses[node], part, parts) for part, node in enumerate(order)) / seen
        if own >= most + BEYOND_CHANCE * (1 - most) and len(set(order)) == len(nodes):
            orders.append((own, order))
        parts *= 2
    best = max((own for own, _ in orders), default=0.0)
    return next((order for own, order in orders if own >= best - AS_GOOD), None)


def owners(found: Object) -> tuple[int, ...]:
    """The node that makes most accesses to each of as many equal parts as samples can tell apart."""
    uses = found.steady_uses
    seen = sum(sum(bins.values()) for bins in uses.values())
    parts = max(1, min(BINS, int(seen) // MIN_SAMPLES_OF_PART))
    return tuple(max(uses, key=lambda node: _weight(uses[node], part, parts)) for part in range(parts) if uses)


def team_order(evidence: Evidence, working: Sequence[Thread], parts: int) -> tuple[int | None, ...]:
    """The node of each of equal parts, as a static schedule hands them to the threads in the order of their start."""
    nodes = [_working_node(evidence, thread) for thread in sorted(working, key=lambda thread: thread.position)]
    team = [node for node in nodes if node is not None]
    return tuple(team[(2 * part + 1) * len(team) // (2 * parts)] for part in range(parts)) if team else ()


def _working_node(evidence: Evidence, thread: Thread) -> int | None:
    """Of a thread that wandered before others started, the node of its accesses in the steady phase."""
    if thread.node is not None:
        return thread.node
    sums: dict[int, int] = defaultdict(int)
    for row in evidence.samples.used:
        if row.thread == thread.row.id and row.steady and row.node is not None:
            sums[row.node] += row.samples
    return max(sums, key=lambda node: sums[node], default=None)


def gained(evidence: Evidence, group: Sequence[Object], nodes: Sequence[int | None] | None, each_block: bool) -> float:
    """Share of all remote accesses that would be gone, less those that would become remote.

    Equal parts of each object, or of each of its blocks, would be on these nodes; None: by turns on all nodes. Serial
    phases count as well.
    """
    saved = sum(_saved(evidence, found, _away(evidence, found, nodes, each_block)) for found in group)
    return saved - _serial_requests(evidence, group, nodes or ())


def _saved(evidence: Evidence, found: Object, away: float) -> float:
    """Of the part of one object, by its sampled loads."""
    if not found.remote:
        return 0.0
    return (part_of_remote(evidence, found) or 0.0) * (1 - away * found.known / found.remote)


def _serial_requests(evidence: Evidence, group: Sequence[Object], nodes: Sequence[int | None]) -> float:
    """What the thread that first touches all of it would ask for elsewhere, and no load sample has seen: it stores.

    In relation to all remote requests. One pass over the memory at least, else what that thread asks for beyond what
    the others do.
    """
    serial = [found for found in group if found.main_share >= SERIAL_TOUCH]
    toucher = evidence.by_id.get(serial[0].main_thread) if serial else None
    remote = evidence.traffic.remote.estimate
    node = _working_node(evidence, toucher) if toucher is not None else None
    if toucher is None or node is None or not nodes or not remote or not evidence.counted:
        return 0.0
    others = [thread for thread in evidence.workers if thread is not toucher]
    touched = sum(row.pages for row in evidence.samples.touched if row.thread == toucher.row.id)
    pages = sum(found.pages for found in serial)
    alone = (toucher.traffic.total or 0.0) - median([thread.traffic.total or 0.0 for thread in others])
    seen = _sampled(evidence, toucher) - median([_sampled(evidence, thread) for thread in others])
    unseen = alone - seen * remote / max(1.0, evidence.samples.remote_accesses)
    stored = max(evidence.bytes(pages) / LINE_BYTES, unseen * pages / max(1.0, touched))
    return stored * sum(each != node for each in nodes) / len(nodes) / remote


def _sampled(evidence: Evidence, thread: Thread) -> float:
    return sum(row.accesses for row in evidence.samples.used if row.thread == thread.row.id and row.remote is not None)


def _away(evidence: Evidence, found: Object, nodes: Sequence[int | None] | None, each_block: bool) -> float:
    """Share of the accesses to an object that would be remote."""
    if not nodes:
        return 1 - 1 / max(1, len(evidence.machine.memory_nodes))
    uses = found.block_uses if each_block and found.block_uses else found.node_uses
    seen = sum(sum(bins.values()) for bins in uses.values())
    away = sum(
        weight for node, bins in uses.items() for bin, weight in bins.items() if nodes[bin * len(nodes) // BINS] != node
    )
    return away / seen if seen else 0.0


def _weight(bins: Mapping[int, float], part: int, parts: int) -> float:
    low, high = part * BINS // parts, (part + 1) * BINS // parts
    return sum(weight for bin, weight in bins.items() if low <= bin < high)
