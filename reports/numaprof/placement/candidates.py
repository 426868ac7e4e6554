# SPDX-License-Identifier: Apache-2.0
"""Placements that an object could have. What depends on who uses it is fitted on the uses that are given."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import log2

from numaprof.evidence.spread import sampled_interval
from numaprof.placement.placements import AS_IT_IS, INTERLEAVED, Form, Placement
from numaprof.placement.teams import Team
from numaprof.placement.use_matrix import Use, UseMatrix

# Bins of an object in the search for owners: with 64 threads each has four.
OWNER_BINS = 256

# A border between owners takes so many bits: its position, and whose the part behind it is.
BORDER_BITS = log2(OWNER_BINS) + 1

# Bits that a sample tells which lies in the part of its owner, about: one of ten is another's.
SAMPLE_BITS = 3.0

# One node uses an object alone if it surely makes so many of the accesses: others make start and end of the run.
ONE_NODE = 0.80

# An object's unused end matters from here on: less is rounding, or a page fault that was not sampled.
UNUSED = 0.03


def fixed(matrix: UseMatrix, teams: Sequence[Team], nodes: Sequence[int], page_bytes: int) -> Iterator[Placement]:
    """Candidates that do not depend on who uses what."""
    yield AS_IT_IS
    yield INTERLEAVED
    yield from (Placement(Form.ONE_NODE, node=node) for node in nodes if _uses_alone(matrix, node))
    for rank, team in enumerate(teams):
        for folded in (False, True) if len(matrix.blocks) > 1 else (False,):
            yield from _parts(matrix, team, folded, rank, page_bytes)


def _uses_alone(matrix: UseMatrix, node: int) -> bool:
    """True if the node's threads make nearly all accesses: else memory on one node would only shift load."""
    part = matrix.by_node.get(node, 0.0) / matrix.weight if matrix.weight else 0.0
    return sampled_interval(part, matrix.effective)[0] >= ONE_NODE


def _parts(matrix: UseMatrix, team: Team, folded: bool, rank: int, page_bytes: int) -> Iterator[Placement]:
    bits = float(rank + folded)
    size = max(block.bytes for block in matrix.blocks) if folded else matrix.bytes
    most = size // (page_bytes * max(2, len(set(team.nodes))))
    ends = [1.0]
    if len(matrix.blocks) == 1 and matrix.touched_until < 1 - UNUSED:
        ends.append(matrix.touched_until + 1e-9)
    for end in ends:
        yield Placement(Form.PARTS, team, folded, 1, end, bits=bits)
        for periods in _periods(most):
            yield Placement(Form.PARTS, team, folded, periods, end, bits=bits + 1 + 2 * log2(periods))


def _periods(most: int) -> Iterator[int]:
    yield from range(2, min(most, 64) + 1)


def fitted(matrix: UseMatrix, team: Team, uses: Sequence[Use]) -> Iterator[Placement]:
    """Candidates whose owners are those of the uses."""
    for folded in (False, True) if len(matrix.blocks) > 1 else (False,):
        yield from _pieces(team, folded, uses)
    if len(matrix.blocks) > 1:
        yield _per_allocation(matrix, team, uses)


def _pieces(team: Team, folded: bool, uses: Sequence[Use]) -> Iterator[Placement]:
    """The cheapest sequence of owning nodes over the bins (Viterbi): foreign accesses, and the bits of each border."""
    total = sum(use.weight for use in uses)
    if not total:
        return
    scale = (total**2 / sum(use.weight**2 for use in uses)) / total
    bins: list[dict[int, float]] = [defaultdict(float) for _ in range(OWNER_BINS)]
    by_thread: list[dict[int, float]] = [defaultdict(float) for _ in range(OWNER_BINS)]
    position = {thread: at for at, thread in enumerate(team.threads)}
    for use in uses:
        at = min(OWNER_BINS - 1, int((use.within if folded else use.at) * OWNER_BINS))
        bins[at][use.node] += use.weight * scale
        if use.thread in position:
            by_thread[at][position[use.thread]] += use.weight
    nodes = sorted(set(team.nodes))
    change = BORDER_BITS / SAMPLE_BITS
    cost = dict.fromkeys(nodes, 0.0)
    before: list[dict[int, int]] = []
    for used in bins:
        here, cheapest = sum(used.values()), min(nodes, key=lambda node: cost[node])
        came = {node: node if cost[node] <= cost[cheapest] + change else cheapest for node in nodes}
        cost = {node: cost[came[node]] + change * (came[node] != node) + here - used.get(node, 0.0) for node in nodes}
        before.append(came)
    owner = min(nodes, key=lambda node: cost[node])
    owners = []
    for came in reversed(before):
        owners.append(owner)
        owner = came[owner]
    owners.reverse()
    ends, members, start = [], [], 0
    for at in range(1, OWNER_BINS + 1):
        if at == OWNER_BINS or owners[at] != owners[start]:
            weights: dict[int, float] = defaultdict(float)
            for part in by_thread[start:at]:
                for member, weight in part.items():
                    if team.nodes[member] == owners[start]:
                        weights[member] += weight
            members.append(max(weights, key=lambda m: weights[m], default=team.nodes.index(owners[start])))
            ends.append(at / OWNER_BINS)
            start = at
    if len(ends) > 1:
        bits = BORDER_BITS * (len(ends) - 1)
        yield Placement(Form.PIECES, team, folded, ends=tuple(ends), owners=tuple(members), bits=bits)


def _per_allocation(matrix: UseMatrix, team: Team, uses: Sequence[Use]) -> Placement:
    """Each block on the node that uses it most; one that was not seen goes with the block before it."""
    weights: list[dict[int, float]] = [defaultdict(float) for _ in matrix.blocks]
    position = {thread: at for at, thread in enumerate(team.threads)}
    first_on = {node: team.nodes.index(node) for node in set(team.nodes)}
    for use in uses:
        member = position.get(use.thread, first_on.get(use.node))
        if member is not None:
            weights[use.block][member] += use.weight
    owners, last = [], 0
    for of_block in weights:
        by_node: dict[int, float] = defaultdict(float)
        for member, weight in of_block.items():
            by_node[team.nodes[member]] += weight
        if by_node:
            node = max(by_node, key=lambda n: by_node[n])
            last = max((m for m in of_block if team.nodes[m] == node), key=lambda m: of_block[m])
        owners.append(last)
    seen = sum(1 for of_block in weights if of_block)
    return Placement(Form.PER_ALLOCATION, team, owners=tuple(owners), bits=float(seen))
