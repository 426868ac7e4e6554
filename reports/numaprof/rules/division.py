# SPDX-License-Identifier: Apache-2.0
"""How the threads that use some memory divide it: as one, each block, or each level of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from numaprof.analysis.object_users import leading, main_use, users
from numaprof.analysis.placement import gained, one_pass, order_as_filled, order_of_arrays, parts_order, team_order
from numaprof.evidence.access_patterns import Shape
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import AS_GOOD, BINS
from numaprof.fixes.find import dealt, memories
from numaprof.fixes.fortran_allocation import each_array, each_level
from numaprof.fixes.memory import Memory


class Division(NamedTuple):
    """How the threads divide one object."""

    found: Object
    nodes: tuple[int, ...] | None  # of equal parts, that which uses each; None: not known
    by_level: tuple[int | None, ...]  # of as many parts as BINS, where each level of it is divided; else empty
    each_block: bool  # the code divides each block


class Divided(NamedTuple):
    """How the threads divide the memory: nodes and by_team as in Initialisation, and whether they divide each block."""

    nodes: tuple[int, ...] | None
    by_team: tuple[int | None, ...]
    each_block: bool
    divisions: tuple[Division, ...]
    memories: list[Memory] | None
    unlike: bool  # one allocation makes objects that the threads divide in different ways


class Group(NamedTuple):
    objects: Sequence[Object]
    use: Site | None
    text: Sequence[Memory]  # the allocations that the program's text tells

    def own(self, evidence: Evidence, found: Object) -> list[Memory]:
        mine = self.text if len(self.objects) == 1 else memories(evidence, [found], self.use) or ()
        return [memory for memory in mine if memory in self.text and not memory.kept]


def divided_by_threads(
    evidence: Evidence, those: Group, working: Sequence[Thread], order: tuple[int, ...] | None
) -> Divided:
    """As one, each block, or each level of it: what explains the accesses best, levels of each object by itself.

    order: of equal parts of the object that is used most, as sampled.
    """
    group, text, by_team = those.objects, those.text, team_order(evidence, working, BINS, those.objects)
    whole, each = (gained(evidence, group, by_team, each_block) for each_block in (False, True))
    lead = leading(group)
    if order is not None and _of_a_block(lead, order) == order:  # blocks that are dealt out are in no team's order
        whole = max(whole, gained(evidence, [lead], order, False))
    each_block = each > whole + AS_GOOD
    divisions, makers = [], []
    placed = {memory: replace(memory, divide_each=each_block) for memory in text}
    for found in group:
        own = those.own(evidence, found)
        nodes = order if found is lead else parts_order(evidence, found, working)
        nodes = _of_a_block(found, nodes) if each_block else nodes
        grown = any(memory.grown for memory in own)
        if grown:  # how far its last block is used is not known, only in what order
            nodes = team_order(evidence, working, len(working), [found]) or None
        arrays = _cut_into(evidence, found, own, working)
        by_level = _by_level(evidence, found, own, working, arrays)
        blocks = 0 if by_level or each_block else _blocks(evidence, found, own, nodes)
        if blocks and _in_fortran(own) and nodes != team_order(evidence, working, len(nodes or ()), group):
            blocks = 0  # no static schedule gives these nodes their parts, and nothing else places an array of Fortran
        mine = {memory: replace(placed[memory], nodes=nodes or (), blocks=blocks) for memory in own}
        cut = {memory: each_array(memory, arrays) if arrays else each_level(memory) for memory in own}
        placed |= cut if by_level else mine
        pieces = any(memory.nest or memory.moved or blocks for memory in own)
        divided = all(memory.pointer for memory in own) and (each_block or (bool(text) and (grown or not pieces)))
        divisions.append(Division(found, None if by_level else nodes, by_level, divided))
        makers.append(own)
    several = _orders_of_several(evidence, divisions, makers)
    for made, best in several.items():
        placed[made] = replace(placed[made], nodes=best)
        divisions = [each._replace(nodes=best) if made in own else each for each, own in zip(divisions, makers)]
    nodes, memory = divisions[group.index(lead)].nodes, list(placed.values()) or None
    return Divided(nodes, by_team, each_block, tuple(divisions), memory, bool(several))


def _orders_of_several(
    evidence: Evidence, divisions: Sequence[Division], makers: Sequence[Sequence[Memory]]
) -> dict[Memory, tuple[int, ...]]:
    """Of the allocations that make objects of different orders: the one that suits all of these best, as the code there
    has one order."""
    found = {}
    for memory in dict.fromkeys(each for own in makers for each in own):
        made = [division for division, own in zip(divisions, makers) if memory in own]
        orders = list(dict.fromkeys(division.nodes for division in made))
        known = [nodes for nodes in orders if nodes is not None]
        if len(known) == len(orders) > 1:
            saved = [sum(gained(evidence, [each.found], nodes, each.each_block) for each in made) for nodes in known]
            found[memory] = known[saved.index(max(saved))]
    return found


def _of_a_block(found: Object, nodes: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """An order of all blocks that is the same in each is that of a block."""
    once = (nodes or ())[: len(nodes or ()) // max(1, found.blocks or 1)]
    return once if once and nodes == once * (found.blocks or 1) else nodes


def _by_level(
    evidence: Evidence, found: Object, text: Sequence[Memory], working: Sequence[Thread], arrays: int
) -> tuple[int | None, ...]:
    """The nodes of as many parts as BINS, where that explains more than a division of all of it; else empty."""
    levels = arrays or max((memory.levels for memory in text), default=0) or _named_in_one(found, text)
    if not levels:
        return ()
    by_level = team_order(evidence, working, BINS // levels, [found]) * levels
    by_team = team_order(evidence, working, BINS, [found])
    better = gained(evidence, [found], by_level, False) > gained(evidence, [found], by_team, False) + AS_GOOD
    return by_level if better else ()


def _cut_into(evidence: Evidence, found: Object, text: Sequence[Memory], working: Sequence[Thread]) -> int:
    """How many arrays of one size the program keeps in one array of Fortran that has one dimension; 0: not more."""
    if found.blocks != 1 or len(text) != 1 or not text[0].fortran or text[0].zero.count(",") or text[0].moved:
        return 0
    order = order_of_arrays(evidence, found, working, sure=True) or ()
    periods = (each for each in range(1, len(order)) if order == order[:each] * (len(order) // each))
    period = next(periods, 0)
    return len(order) // period if period else 0


def _blocks(evidence: Evidence, found: Object, text: Sequence[Memory], nodes: tuple[int, ...] | None) -> int:
    """How many blocks each of its allocations makes, if each block is one part and no loop in the text numbers them."""
    made = _most_ranked(text) if _in_fortran(text) else len(text)
    blocks = found.blocks or 0
    if blocks < 2 or nodes is None or found.in_region or not made or blocks % made:
        return 0
    unlike = any(memory.derived or memory.instead is not None for memory in text)
    if unlike or any(memory.nest or memory.moved or memory.static or memory.unnumbered for memory in text):
        return 0
    each, whole = (gained(evidence, [found], nodes, each_block) for each_block in (True, False))
    return blocks // made if whole > each + AS_GOOD else 0


def _in_fortran(text: Sequence[Memory]) -> bool:
    return any(memory.fortran for memory in text)


def _most_ranked(text: Sequence[Memory]) -> int:
    """Of the arrays of one ALLOCATE those with most dimensions: beside them the others are too small for objects."""
    ranks = [memory.zero.count(",") for memory in text]
    return ranks.count(max(ranks))


def dividing_team(evidence: Evidence, group: Sequence[Object], seen: Sequence[Thread]) -> Sequence[Thread]:
    """The threads that divide the memory: those seen to use it, or all workers where the parts of all explain more, or
    all but the one that initialises, which has a part in a team of OpenMP, or if it uses the memory where others do.

    A thread that no sample saw still has its part, and moves the borders of the others.
    """
    initialises = None if evidence.samples.openmp else group[0].main_thread
    others = _without(evidence.workers, initialises)
    lead = leading(group)

    def explained(threads: Sequence[Thread]) -> float:
        order, arrays = (
            team_order(evidence, threads, BINS, group),
            order_of_arrays(evidence, lead, threads, sure=True),
        )
        several = gained(evidence, [lead], arrays, False) if arrays else -1.0
        if lead.filled < 1.0:
            several = max(several, gained(evidence, [lead], order_as_filled(evidence, threads, lead), False))
        return max(several, *(gained(evidence, group, order, each_block) for each_block in (False, True)))

    if initialises is not None and not _uses_it_with_others(group, initialises):
        return max((threads for threads in (_without(seen, initialises), others) if threads), key=explained, default=())
    return max((threads for threads in (seen, evidence.workers, others) if threads), key=explained, default=())


def _without(threads: Sequence[Thread], one: int | None) -> list[Thread]:
    return [thread for thread in threads if thread.row.id != one]


def _uses_it_with_others(group: Sequence[Object], one: int) -> bool:
    """At a line where others use it too: what it reads by itself, to check or to sum up, is no part of its own."""
    lines: dict[bool, set[Site]] = {True: set(), False: set()}
    for found in group:
        for row in found.later:
            lines[row.thread == one].add(row.loop)
    return not lines[True].isdisjoint(lines[False])


def order_of_threads(evidence: Evidence, found: Object, use: Site | None, in_region: bool) -> tuple[int, ...] | None:
    """Nodes of equal parts, where samples too few for more tell that threads have blocks in the order of their start.

    The threads are those that access anything from the same place, or more if parts of more explain the uses better.
    """
    if (evidence.samples.openmp and not in_region) or found.use_shape is not Shape.BLOCKS:
        return None
    seen = users(evidence, [row for row in evidence.samples.used if use is not None and row.loop == use])
    working = one_pass(evidence, dividing_team(evidence, [found], seen), [found])
    nodes = order_as_filled(evidence, working, found)
    return nodes if len(set(nodes)) > 1 else None


def _named_in_one(found: Object, text: Sequence[Memory]) -> int:
    """Arrays of one size that the text names in one variable: a COMMON block."""
    return len(text) if found.kind == "static" and len(text) > 1 else 0


def by_turns(evidence: Evidence, found: Object) -> bool:
    """The text says that the loop which uses it hands out its rows by turns, however few samples saw that."""
    return evidence.samples.openmp and bool(dealt(evidence, found, main_use(found.later)))
