# SPDX-License-Identifier: Apache-2.0
"""The decision as code or as a command: what the program's text, the lever and the placement allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from numaprof.analysis.naming import command_to_copy
from numaprof.analysis.relevant_objects import allocation_sites, init_sites
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import REMOTE_LIGHT
from numaprof.fixes.edit import Edit, printed
from numaprof.fixes.find import memories
from numaprof.fixes.memory import ANY, Memory
from numaprof.fixes.snippets import Snippet, by_node, edits_of, huge_pages, interleaved, unplaced, zeros_in_parallel
from numaprof.placement.decide import Decision, Scored
from numaprof.placement.levers import Lever
from numaprof.placement.placements import Form, Placement
from numaprof.placement.policies import without_policy
from numaprof.placement.use_matrix import Block
from numaprof.source.objects import fix_at, fixes_for
from numaprof.source.request import Fix, Wanted

# glibc maps blocks of at least so many bytes one by one (mallopt(3), M_MMAP_THRESHOLD), unless those at issue are
# smaller: a round number above which programs have few blocks.
LARGE_BLOCK = 1_000_000

# Parts of equal size that stand for blocks of any size.
EQUAL_PARTS = 64


class Code(NamedTuple):
    lines: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()


def code_for(evidence: Evidence, decisions: Sequence[Decision], use: Site | None, openmp: bool) -> Code:
    lever, objects = decisions[0].lever, [obj for decision in decisions for obj in decision.objects]
    command = _command(evidence, lever, decisions[0].placement, objects)
    if command or lever in (Lever.NO_POLICY, Lever.RUNTIME):
        return Code(command)
    return _edited(evidence, objects, use, _snippet(decisions, openmp), lever is Lever.MOVE)


def _command(evidence: Evidence, lever: Lever, placement: Placement, objects: Sequence[Object]) -> tuple[str, ...]:
    """Empty: an edit makes the placement real."""
    command = command_to_copy(evidence)
    spread, node = f"numactl --interleave=all {command}", evidence.machine.all_cpu_nodes[0]
    gone = all((obj.name or "").endswith(" (deleted)") for obj in objects)
    commands = {
        Lever.FRESH_PAGES: (f"MALLOC_MMAP_THRESHOLD_={_threshold(evidence, objects)} {command}",),
        Lever.SPREAD_FILE: (spread if gone else f"echo 1 > /proc/sys/vm/drop_caches; {spread}",),
        Lever.NO_POLICY: without_policy(evidence),
        Lever.MIGRATE: tuple(f"migratepages {row.pid} all {placement.node}" for row in evidence.attached[:3]),
        Lever.COMMAND: (spread, f"numactl --cpunodebind={node} --membind={node} {command}"),
        Lever.INTERLEAVE: () if others_are_local(evidence, objects) else (spread,),
    }
    return commands.get(lever, ())


def _snippet(decisions: Sequence[Decision], openmp: bool) -> Snippet:
    decision, placement = decisions[0], decisions[0].placement
    if decision.lever is Lever.INTERLEAVE:
        return interleaved
    if decision.lever is Lever.SMALL_PAGES:
        return lambda memory: huge_pages(memory, wanted=False)
    if writes_zeros(decisions, openmp):
        return lambda memory: zeros_in_parallel(_divided(memory, placement))
    grows = decision.lever is Lever.MOVE
    nodes, blocks = node_table(placement), 0
    scored = _scored(decisions)
    separate = [row.matrix.blocks for row in scored if len(row.matrix.blocks) > 1]
    if separate and not placement.folded and not grows:
        # The parts are those of all blocks of one line together: each block goes to the node of its middle.
        if len(scored) > 1:
            return lambda _: []
        blocks = len(separate[0])
        nodes = _nodes_of_blocks(placement, separate[0])

    def place(memory: Memory) -> list[Edit]:
        memory = replace(_divided(memory, placement), grown=grows) if memory is ANY else _divided(memory, placement)
        if grows and not memory.grown:
            return []  # a policy for an array that still grows is that of its old size
        return by_node(replace(memory, blocks=memory.blocks or blocks) if memory.nest is None else memory, nodes)

    return place


def writes_zeros(decisions: Sequence[Decision], openmp: bool) -> bool:
    """True if the code initialises in parallel; False: it sets a policy for the pages."""
    first = decisions[0]
    in_region = any(obj.in_region for decision in decisions for obj in decision.objects)
    whole = first.placement.folded or not any(len(row.matrix.blocks) > 1 for row in _scored(decisions))
    return first.lever is Lever.FIRST_TOUCH and openmp and first.placement.periods == 1 and not in_region and whole


def _scored(decisions: Sequence[Decision]) -> list[Scored]:
    return [row for decision in decisions for row in decision.scored]


def fixes_of(
    evidence: Evidence, decisions: Sequence[Decision], touched: Sequence[Site], use: Site | None, openmp: bool
) -> tuple[Fix, ...]:
    """Edits of the program's text, by its syntax tree; empty: a command is the change."""
    objects = [obj for decision in decisions for obj in decision.objects]
    if _command(evidence, decisions[0].lever, decisions[0].placement, objects):
        return ()
    wanted = _WANTED.get(decisions[0].lever)
    if wanted is Wanted.TEAM:
        in_region = any(obj.in_region for obj in objects)
        wanted = Wanted.THREADS if not openmp or in_region else Wanted.TEAM
        if wanted is Wanted.TEAM and decisions[0].placement.form is Form.PER_ALLOCATION:
            wanted = Wanted.PIECES
    if wanted is None:
        return ()
    made = any(obj.allocated is not None or obj.name is not None for obj in objects)
    return fixes_for(evidence, objects, use, wanted) if made else (fix_at(evidence, touched, use),)


_WANTED = {
    Lever.FIRST_TOUCH: Wanted.TEAM,
    Lever.POLICY: Wanted.TEAM,
    Lever.MOVE: Wanted.TEAM,
    Lever.INTERLEAVE: Wanted.INTERLEAVED,
    Lever.SMALL_PAGES: Wanted.SMALL_PAGES,
}


def _edited(evidence: Evidence, objects: Sequence[Object], use: Site | None, snippet: Snippet, grows: bool) -> Code:
    there = memories(evidence, objects, use)
    if there is None:
        return Code(unplaced(snippet, allocation_sites(objects), init_sites(objects), grows))
    edits = edits_of(there, snippet)
    return Code(printed(edits), edits)


def _divided(memory: Memory, placement: Placement) -> Memory:
    return replace(memory, divide_each=placement.folded)


def _nodes_of_blocks(placement: Placement, blocks: Sequence[Block]) -> tuple[int, ...]:
    team = placement.team
    if team is None or placement.form is Form.PER_ALLOCATION:
        return node_table(placement)
    total = sum(block.bytes for block in blocks) or 1
    middles = (block.start + block.bytes / total / 2 for block in blocks)
    return tuple(team.nodes[placement.owner_at(middle)] for middle in middles)


def node_table(placement: Placement) -> tuple[int, ...]:
    """The node of each of equal parts of the memory."""
    team = placement.team
    if team is None:
        return (placement.node,) if placement.node is not None else ()
    if placement.form is Form.PARTS:
        return team.nodes * placement.periods
    if placement.form is Form.PER_ALLOCATION:
        return tuple(team.nodes[owner] for owner in placement.owners)
    middles = [(part + 0.5) / EQUAL_PARTS for part in range(EQUAL_PARTS)]
    return tuple(team.nodes[placement.owner_at(middle)] for middle in middles)


def others_are_local(evidence: Evidence, objects: Sequence[Object]) -> bool:
    """True if interleaving all memory would make more remote than it makes even."""
    things = {thing for obj in objects for thing in obj.things}
    others = [obj for obj in evidence.objects.found if not things.intersection(obj.things)]
    known, remote = sum(obj.known for obj in others), sum(obj.remote for obj in others)
    whole = sum(obj.known for obj in evidence.objects.found)
    return known - remote > REMOTE_LIGHT * whole and known - remote > remote


def _threshold(evidence: Evidence, objects: Sequence[Object]) -> int:
    """Size in bytes from which glibc shall map allocations: whole pages, at most the size of these allocations."""
    least = min((obj.bytes or 0.0) / max(1, obj.blocks or 1) for obj in objects)
    page = evidence.run.page_bytes
    return min(LARGE_BLOCK, max(page, int(least) // page * page))
