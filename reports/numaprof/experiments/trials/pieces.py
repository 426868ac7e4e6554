# SPDX-License-Identifier: Apache-2.0
"""From sampled accesses to pieces: which node should have which part of an allocation."""

from __future__ import annotations

from collections.abc import Mapping

from numaprof.evidence.thresholds import BINS
from numaprof.experiments.trials.placement import Piece, Place, in_equal_parts

Uses = Mapping[int, Mapping[int, float]]  # bin -> node -> accesses

# A change of node has to save this part of what one of `threads` equal blocks has: less is noise at a border.
CHANGE_COST = 0.125
SNAP_BINS = 1.5  # a border this close to one of a static schedule is that border: the bin it falls into is used by both


def used_pieces(uses: Uses, threads: int) -> Place | None:
    """Pieces such that few accesses are remote, without a piece for every stray access. None: no uses."""
    nodes = sorted({node for bins in uses.values() for node in bins})
    if not nodes:
        return None
    place = in_equal_parts(_owners(uses, nodes, threads))
    snapped = [Piece(piece.node, _snapped(uses, piece.end, threads)) for piece in place.pieces]
    rising = all(one.end < other.end for one, other in zip(snapped, snapped[1:]))
    return Place("blocks", tuple(snapped)) if rising else place


def explained(place: Place, uses: Uses) -> float:
    """Share of the accesses that come from the node of their piece; at a border, from either."""
    total = local = 0.0
    starts = [0.0, *(piece.end for piece in place.pieces)]
    for bin, nodes in uses.items():
        low, high = bin / BINS, (bin + 1) / BINS
        here = {piece.node for piece, start in zip(place.pieces, starts) if start < high and piece.end > low}
        total += sum(nodes.values())
        local += sum(weight for node, weight in nodes.items() if node in here)
    return local / total if total else 0.0


def _owners(uses: Uses, nodes: list[int], threads: int) -> list[int]:
    """The cheapest sequence of nodes over the bins (Viterbi): foreign accesses, and a cost for each change."""
    total = sum(weight for bins in uses.values() for weight in bins.values())
    change = CHANGE_COST * total / max(2, threads)
    cost = dict.fromkeys(nodes, 0.0)
    before: list[dict[int, int]] = []
    for bin in range(BINS):
        used = uses.get(bin, {})
        here = sum(used.values())
        cheapest = min(nodes, key=lambda node: cost[node])
        came = {node: node if cost[node] <= cost[cheapest] + change else cheapest for node in nodes}
        cost = {node: cost[came[node]] + change * (came[node] != node) + here - used.get(node, 0.0) for node in nodes}
        before.append(came)
    owner = min(nodes, key=lambda node: cost[node])
    owners = []
    for came in reversed(before):
        owners.append(owner)
        owner = came[owner]
    return owners[::-1]


def _snapped(uses: Uses, end: float, threads: int) -> float:
    """The border of a static schedule that no access contradicts, if there is one."""
    border = round(end * BINS)
    left, right = border, border
    while left > 0 and not uses.get(left - 1):
        left -= 1
    while right < BINS and not uses.get(right):
        right += 1
    nearest = round(end * threads) / threads if threads else end
    return nearest if nearest > 0 and left - SNAP_BINS <= nearest * BINS <= right + SNAP_BINS else end
