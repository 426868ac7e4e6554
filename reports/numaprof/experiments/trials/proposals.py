# SPDX-License-Identifier: Apache-2.0
"""From the advice of a recording to placements that imitate it, or the reason why none does."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from numaprof.analysis.naming import object_name
from numaprof.evidence.evidence import Evidence, evidence_of
from numaprof.experiments.build_id import build_id_of
from numaprof.experiments.trials.placement import (
    MOST_FRAMES,
    MOST_PLACES,
    MOST_SUBJECTS,
    Frame,
    Piece,
    Place,
    Subject,
    interleave,
    joined,
    size_class,
    whole,
)
from numaprof.placement.advice import Advice, Kind
from numaprof.placement.decide import Scored
from numaprof.placement.explain import advise
from numaprof.placement.placements import Form, Placement
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_placement

BLOCK_ROWS = 1000  # of one object in a recording (collectors/heap/objects.h): ordinals are not known beyond
SMALLEST = 64 << 10  # allocations that can be placed (ALLOC_THRESHOLD)
# What cannot be placed, by the recording's word for its kind.
_NOT_PLACEABLE = {
    "file": "the pages of files cannot be placed from outside",
    "huge": "memory of hugetlbfs cannot be placed from outside",
    "shared": "memory that processes share cannot be placed from outside",
    "stack": "the stacks of threads cannot be placed from outside",
    "tls": "thread-local variables cannot be placed from outside",
}
# Frames of these modules at the outer end say how a thread began, not who allocates.
_START_MODULES = ("libc.so", "ld-linux", "libpthread", "libnumaprof-preload", "[")


@dataclass(frozen=True)
class Proposal:
    """One advice as a placement."""

    number: int  # of the advice in the report, from 1
    advice: Advice
    subjects: tuple[Subject, ...]
    left_out: tuple[str, ...]  # objects that cannot be placed, and why


@dataclass(frozen=True)
class Layouts:
    """What a recording tells of its allocations beyond the evidence."""

    frames: dict[int, list[sql_placement.Frame]]  # object -> innermost first
    blocks: dict[int, list[sql_placement.Block]]
    variables: dict[int, sql_placement.Variable]
    build_ids: dict[str, str]  # module -> build id


def read(path: str) -> tuple[Evidence, Layouts]:
    with Recording(path) as recording:
        return evidence_of(recording), layouts_of(recording)


def layouts_of(recording: Recording) -> Layouts:
    frames, blocks = defaultdict(list), defaultdict(list)
    for frame in recording.rows(sql_placement.Frame, sql_placement.FRAMES):
        frames[frame.object].append(frame)
    for block in recording.rows(sql_placement.Block, sql_placement.BLOCKS):
        blocks[block.object].append(block)
    has_address = recording.one(sql_placement.Count, sql_placement.HAS_ADDRESS).value > 0
    variables = recording.rows(sql_placement.Variable, sql_placement.VARIABLES) if has_address else []
    modules = recording.rows(sql_placement.Module, sql_placement.MODULES)
    return Layouts(
        frames,
        blocks,
        {row.object: row for row in variables},
        {row.module: row.build_id for row in modules},
    )


def proposals(evidence: Evidence, layouts: Layouts) -> list[Proposal]:
    return [proposal(number, advice, evidence, layouts) for number, advice in enumerate(advise(evidence), 1)]


def proposal(number: int, advice: Advice, evidence: Evidence, layouts: Layouts) -> Proposal:
    if advice.kind is Kind.LEAVE:
        return Proposal(number, advice, (), ("it advises no change",))
    if not advice.objects:
        return Proposal(number, advice, (), ("it is not about the placement of an object",))
    if advice.untriable:
        return Proposal(number, advice, (), (advice.untriable,))
    subjects: list[Subject] = []
    left_out: list[str] = []
    for row in (row for decision in advice.decisions for row in decision.scored):
        found = row.obj
        made, reason = _subjects(row, evidence, layouts)
        subjects += made
        if reason:
            left_out.append(f"{object_name(found)}: {reason}")
    kept = merged(subjects)
    if len(kept) < len(merged(subjects, len(subjects))):
        left_out.append(f"more than {MOST_SUBJECTS} call stacks: the largest are placed")
    return Proposal(number, advice, kept, tuple(left_out))


def merged(subjects: Sequence[Subject], most: int = MOST_SUBJECTS) -> tuple[Subject, ...]:
    """Forked processes have call stacks in common: one subject each. The largest first."""
    found: dict[object, Subject] = {}
    for subject in subjects:
        key = (subject.kind, tuple((frame.build_id, frame.offset) for frame in subject.frames), subject.variable)
        if key in found:
            low = min(found[key].bytes_range[0], subject.bytes_range[0])
            high = max(found[key].bytes_range[1], subject.bytes_range[1])
            found[key] = replace(found[key], bytes_range=(low, high))
        else:
            found[key] = subject
    return tuple(sorted(found.values(), key=lambda subject: -subject.recorded_bytes)[:most])


def _subjects(row: Scored, evidence: Evidence, layouts: Layouts) -> tuple[list[Subject], str | None]:
    """All call stacks of an object, or why it cannot be placed."""
    found = row.obj
    if found.kind in _NOT_PLACEABLE:
        return [], _NOT_PLACEABLE[found.kind]
    if found.placed_before:
        return [], "it was allocated before numaprof attached: record the program from its start"
    made, reasons = [], []
    for thing in found.things:
        try:
            made.append(_subject(thing, row, evidence, layouts))
        except NotPlaced as reason:
            reasons.append(str(reason))
    return made, None if made or not reasons else reasons[0]


class NotPlaced(Exception):
    """Why an object cannot be placed."""


def _subject(thing: int, row: Scored, evidence: Evidence, layouts: Layouts) -> Subject:
    found = row.obj
    if thing <= 0:
        raise NotPlaced("only the line of its first touch is known, not its allocation (a pool of the program's own?)")
    blocks = layouts.blocks.get(thing, [])
    if not blocks:
        raise NotPlaced("its allocations are not in the recording")
    if found.kind == "static":
        return _variable(thing, row, evidence, layouts)
    frames = call_stack(thing, layouts)
    sizes = [block.bytes for block in blocks]
    if max(sizes) < SMALLEST:
        raise NotPlaced("its allocations are smaller than 64 KiB")
    places, basis = _places(thing, row, evidence, layouts)
    return Subject(
        "allocation" if found.kind == "heap" else "mapping",
        object_name(found),
        places,
        basis,
        frames,
        size_class(min(sizes), max(sizes)),
        None,
        len(blocks),
        sum(sizes),
    )


def call_stack(thing: int, layouts: Layouts) -> tuple[Frame, ...]:
    """Innermost first, up to the first frame that another run may not have."""
    rows = layouts.frames.get(thing, [])
    while rows and _is_start(rows[-1]):
        rows = rows[:-1]
    frames = []
    for row in rows[:MOST_FRAMES]:
        build_id = row.build_id or layouts.build_ids.get(row.module or "")
        if build_id is None or row.address is None:
            break
        where = f" at {os.path.basename(row.file)}:{row.line}" if row.file and row.line else ""
        frames.append(Frame(build_id, row.address, f"{row.function or 'unknown function'}{where}"))
    if not frames:
        raise NotPlaced("the module that allocates it has no build id: link it with -Wl,--build-id")
    return tuple(frames)


def _is_start(row: sql_placement.Frame) -> bool:
    return row.function == "_start" or os.path.basename(row.module or "[").startswith(_START_MODULES)


def _variable(thing: int, scored: Scored, evidence: Evidence, layouts: Layouts) -> Subject:
    found, row = scored.obj, layouts.variables.get(thing)
    if row is None or row.address is None:
        raise NotPlaced("the recording has no address of the variable: record again with this version")
    module = row.module or evidence.run.program or ""
    build_id = layouts.build_ids.get(module) or build_id_of(module)
    if build_id is None:
        raise NotPlaced("its module has no build id: link it with -Wl,--build-id")
    size = layouts.blocks[thing][0].bytes
    places, basis = _places(thing, scored, evidence, layouts)
    return Subject(
        "static", object_name(found), places, basis, variable=(build_id, row.address, size), recorded=1,
        recorded_bytes=size,
    )  # fmt: skip


# --- where to


def _places(thing: int, row: Scored, evidence: Evidence, layouts: Layouts) -> tuple[tuple[Place, ...], str]:
    """The placement of the decision, for each allocation of one call stack."""
    placement, nodes = row.placement, sorted(evidence.machine.memory_nodes)
    basis = f"{placement.form.value}, by {len(row.matrix.uses)} sampled accesses"
    if placement.form is Form.INTERLEAVED:
        return (interleave(nodes),), basis
    if placement.form is Form.ONE_NODE and placement.node is not None:
        return (whole(placement.node),), basis
    if placement.folded:
        return (place_of(placement, 0.0, 1.0),), basis
    mine = [(at, block) for at, block in enumerate(row.matrix.blocks) if block.thing == thing]
    total = row.matrix.bytes
    if placement.form is Form.PER_ALLOCATION and placement.team is not None:
        places = {block.id: whole(placement.team.nodes[placement.owners[at]]) for at, block in mine}
    else:
        places = {block.id: place_of(placement, block.start, block.start + block.bytes / total) for _, block in mine}
    return _by_ordinal(layouts.blocks[thing], places), basis


def place_of(placement: Placement, low: float, high: float) -> Place:
    """The part of a placement between two positions, as fractions of that part."""
    ends = [end for end in placement.borders() if low < end < high] + [high]
    starts = [low, *ends[:-1]]
    team = placement.team
    nodes = [team.nodes[placement.owner_at((start + end) / 2)] if team else 0 for start, end in zip(starts, ends)]
    pieces = [Piece(node, (end - low) / (high - low)) for node, end in zip(nodes, [*ends[:-1], high])]
    return joined(pieces)


def _by_ordinal(blocks: Sequence[sql_placement.Block], places: Mapping[int, Place]) -> tuple[Place, ...]:
    """One place for each allocation, by its number in the thread that allocates it."""
    known = list(dict.fromkeys(places.values()))
    if len(known) == 1:
        return (known[0],)
    if len(blocks) >= min(BLOCK_ROWS, MOST_PLACES):
        raise NotPlaced("it has too many allocations to tell one from another")
    ordinals: Counter[int | None] = Counter()
    chosen: dict[int, Place] = {}
    for block in blocks:
        ordinal = ordinals[block.thread]
        ordinals[block.thread] += 1
        if block.id in places and chosen.setdefault(ordinal, places[block.id]) != places[block.id]:
            raise NotPlaced("several threads allocate it at one call stack: their allocations cannot be told apart")
    return tuple(replace(place, ordinal=ordinal) for ordinal, place in sorted(chosen.items()))
