# SPDX-License-Identifier: Apache-2.0
"""Which node uses which part of an object, and where each part would be after a fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import BINS, MIN_SAMPLES_OF_PART, MIN_USES_OF_THREAD, OWN_PARTS

MOST_PARTS_PER_NODE = 16


def node_order(found: Object) -> tuple[int, ...] | None:
    """The node that uses each of equal parts of an object, in its steady phase: the fewest whose users hardly mix.

    None: they mix, or too few samples tell.
    """
    uses = found.steady_uses
    nodes = sorted(uses)
    seen = sum(sum(bins.values()) for bins in uses.values())
    if len(nodes) < 2 or seen < MIN_USES_OF_THREAD * len(nodes):
        return None
    parts = len(nodes)
    while parts <= MOST_PARTS_PER_NODE * len(nodes) and seen >= MIN_SAMPLES_OF_PART * parts:
        order = [max(nodes, key=lambda node: _weight(uses[node], part, parts)) for part in range(parts)]
        own = sum(_weight(uses[node], part, parts) for part, node in enumerate(order))
        if own >= OWN_PARTS * seen and len(set(order)) == len(nodes):
            return tuple(order)
        parts *= 2
    return None


def team_order(working: Sequence[Thread], parts: int) -> tuple[int | None, ...]:
    """The node of each of equal parts, as a static schedule hands them to the threads in the order of their start."""
    team = [thread for thread in sorted(working, key=lambda thread: thread.position) if thread.node is not None]
    return tuple(team[(2 * part + 1) * len(team) // (2 * parts)].node for part in range(parts)) if team else ()


def gained(evidence: Evidence, group: Sequence[Object], nodes: Sequence[int | None] | None, each_block: bool) -> float:
    """Share of all remote accesses that would be gone, less those that would become remote.

    Equal parts of each object, or of each of its blocks, would be on these nodes; None: by turns on all nodes. Serial
    phases count as well.
    """
    saved = sum(found.remote - _away(evidence, found, nodes, each_block) * found.known for found in group)
    return saved / evidence.samples.remote_accesses


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
