# SPDX-License-Identifier: Apache-2.0
"""A huge page has one home: where the blocks of two nodes meet in it, one of them is remote."""

from __future__ import annotations

from numaprof.analysis.naming import first_touch_at, objects_in_text
from numaprof.analysis.object_users import later_uses, main_use, users
from numaprof.analysis.placement import node_order
from numaprof.analysis.relevant_objects import allocation_sites, init_sites, measured, remote_part, suspects
from numaprof.analysis.serial_phase import lone_reader
from numaprof.analysis.verdict import judge
from numaprof.evidence.access_patterns import Shape
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import EXCLUSIVE, HUGE_BYTES, IN_MIXED_PAGES, MIN_SHARED_PARTS, SERIAL_TOUCH
from numaprof.fixes import find as fixes
from numaprof.fixes.edit import Edit, printed
from numaprof.fixes.memory import Memory
from numaprof.fixes.snippets import edits_of, huge_pages, unplaced
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import percent, plural


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).by_share or not measured(evidence):
        return None
    group = [found for found in suspects(evidence) if spans(found) and lone_reader(evidence, found) is None]
    if not group:
        return None
    part = remote_part(evidence, group)
    light = judge(evidence).light
    sites, edits = init_sites(group), _edits(evidence, group)
    samples = plural(sum(r.samples for found in group for r in found.used if r.remote), "remote access", "es")
    return Advice(
        kind=Kind.LEAVE if light else Kind.FIX,
        finding=f"{first_touch_at(sites)} {objects_in_text(evidence, group)} in parallel, but its huge pages "
        "span blocks of threads on several nodes; such a page is on one of these nodes.",
        change="Leave it alone: it is too little to matter."
        if light
        else "Begin each thread's block at a multiple of 2 MiB, or take small pages for it:",
        code=() if light else printed(edits) or unplaced(_small, allocation_sites(group), sites),
        edits=() if light else edits,
        evidence=f"{percent(IN_MIXED_PAGES)} or more of its {samples} are to stretches of 2 MiB that several nodes "
        "use, though hardly any page of 4 KiB in them is used by more than one.",
        cause="one 2 MiB page holds several blocks",
        removes=None if light else part,
        untriable="it changes the size of pages, not their node",
        objects=tuple(group),
        touched_at=tuple(sites),
        used_at=main_use(later_uses(group)),
        threads=tuple(users(evidence, later_uses(group))),
    )


def _edits(evidence: Evidence, group: list[Object]) -> tuple[Edit, ...]:
    """Small pages for this memory. glibc.malloc.hugetlb=0 does not forbid them."""
    return edits_of(fixes.memories(evidence, group) or (), _small)


def _small(memory: Memory) -> list[Edit]:
    return huge_pages(memory, wanted=False)


def spans(found: Object) -> bool:
    """True if several threads touched it and its remote accesses are in huge pages that several nodes use."""
    huge = found.huge
    if huge is None or found.main_share >= SERIAL_TOUCH or not _divided(found):
        return False
    clean = huge.pages >= MIN_SHARED_PARTS and huge.one_node >= EXCLUSIVE * huge.pages
    mixed = huge.mixed if found.came_in_huge_pages else huge.came
    return clean and huge.remote > 0 and (mixed >= IN_MIXED_PAGES * huge.remote or _finer(found))


def _divided(found: Object) -> bool:
    """True if threads have parts of their own; with too few samples for a shape, if nodes do within huge pages."""
    few = found.use_shape is Shape.UNKNOWN and found.came_in_huge_pages
    return found.use_shape.divided or (few and found.nodes_apart is True)


def _finer(found: Object) -> bool:
    """True if the parts of the nodes are smaller than its huge pages."""
    order = node_order(found)
    return found.came_in_huge_pages and order is not None and (found.bytes or 0.0) < HUGE_BYTES * len(order)
