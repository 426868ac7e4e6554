# SPDX-License-Identifier: Apache-2.0
"""From the advice of a recording to placements that imitate it, or the reason why none does."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from numaprof.analysis.naming import object_name
from numaprof.analysis.placement import order_in_rows
from numaprof.evidence.access_patterns import Shape
from numaprof.evidence.evidence import Evidence, evidence_of
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import BINS, EXCLUSIVE, MIN_PHASE_USES, MIN_SAMPLES_OF_PART, OWN_PARTS
from numaprof.experiments.build_id import build_id_of
from numaprof.experiments.trials.pieces import explained, used_pieces
from numaprof.experiments.trials.placement import (
    MOST_FRAMES,
    MOST_PLACES,
    MOST_SUBJECTS,
    Frame,
    Place,
    Subject,
    in_equal_parts,
    interleave,
    size_class,
    whole,
)
from numaprof.experiments.trials.schedule import BETTER, WHOLE, Fit, Span, Team, as_blocks, fit, teams
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_placement
from numaprof.rules import advise
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import percent

BLOCK_ROWS = 1000  # of one object in a recording (collectors/heap/objects.h): ordinals are not known beyond
SMALLEST = 64 << 10  # allocations that can be placed (ALLOC_THRESHOLD)
# What is left of a block beyond the last touched page: less is rounding, or a fault that was not sampled.
UNUSED = 0.03
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
    parts: dict[int, list[sql_placement.Part]]
    variables: dict[int, sql_placement.Variable]
    build_ids: dict[str, str]  # module -> build id
    touched: dict[int, tuple[float, float]]  # block -> its touched part


def read(path: str) -> tuple[Evidence, Layouts]:
    with Recording(path) as recording:
        return evidence_of(recording), layouts_of(recording)


def layouts_of(recording: Recording) -> Layouts:
    frames, blocks, parts = defaultdict(list), defaultdict(list), defaultdict(list)
    for frame in recording.rows(sql_placement.Frame, sql_placement.FRAMES):
        frames[frame.object].append(frame)
    for block in recording.rows(sql_placement.Block, sql_placement.BLOCKS):
        blocks[block.object].append(block)
    for part in recording.rows(sql_placement.Part, sql_placement.PARTS, bins=BINS):
        parts[part.thing].append(part)
    has_address = recording.one(sql_placement.Count, sql_placement.HAS_ADDRESS).value > 0
    variables = recording.rows(sql_placement.Variable, sql_placement.VARIABLES) if has_address else []
    modules = recording.rows(sql_placement.Module, sql_placement.MODULES)
    page_bytes = recording.one(sql_placement.Count, sql_placement.PAGE_BYTES).value
    touched = recording.rows(sql_placement.Touched, sql_placement.TOUCHED, page_bytes=page_bytes)
    return Layouts(
        frames,
        blocks,
        parts,
        {row.object: row for row in variables},
        {row.module: row.build_id for row in modules},
        {row.block: (row.low, row.high) for row in touched},
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
    for found in advice.objects:
        made, reason = _subjects(found, evidence, layouts)
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


def _subjects(found: Object, evidence: Evidence, layouts: Layouts) -> tuple[list[Subject], str | None]:
    """All call stacks of an object, or why it cannot be placed."""
    if found.kind in _NOT_PLACEABLE:
        return [], _NOT_PLACEABLE[found.kind]
    if found.placed_before:
        return [], "it was allocated before numaprof attached: record the program from its start"
    made, reasons = [], []
    for thing in found.things:
        try:
            made.append(_subject(thing, found, evidence, layouts))
        except NotPlaced as reason:
            reasons.append(str(reason))
    return made, None if made or not reasons else reasons[0]


class NotPlaced(Exception):
    """Why an object cannot be placed."""


def _subject(thing: int, found: Object, evidence: Evidence, layouts: Layouts) -> Subject:
    if thing <= 0:
        raise NotPlaced("only the line of its first touch is known, not its allocation (a pool of the program's own?)")
    blocks = layouts.blocks.get(thing, [])
    if not blocks:
        raise NotPlaced("its allocations are not in the recording")
    if found.kind == "static":
        return _variable(thing, found, evidence, layouts)
    frames = call_stack(thing, layouts)
    sizes = [block.bytes for block in blocks]
    if max(sizes) < SMALLEST:
        raise NotPlaced("its allocations are smaller than 64 KiB")
    places, basis = _places(thing, found, evidence, layouts)
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


def _variable(thing: int, found: Object, evidence: Evidence, layouts: Layouts) -> Subject:
    row = layouts.variables.get(thing)
    if row is None or row.address is None:
        raise NotPlaced("the recording has no address of the variable: record again with this version")
    module = row.module or evidence.run.program or ""
    build_id = layouts.build_ids.get(module) or build_id_of(module)
    if build_id is None:
        raise NotPlaced("its module has no build id: link it with -Wl,--build-id")
    size = layouts.blocks[thing][0].bytes
    places, basis = _places(thing, found, evidence, layouts)
    return Subject(
        "static", object_name(found), places, basis, variable=(build_id, row.address, size), recorded=1,
        recorded_bytes=size,
    )  # fmt: skip


# --- where to


def _nodes(evidence: Evidence) -> list[int]:
    """Nodes with memory where the work is done; in the order of the threads."""
    nodes = [thread.node for thread in evidence.workers if thread.node is not None]
    return [node for node in nodes if node in evidence.machine.memory_nodes]


def _places(thing: int, found: Object, evidence: Evidence, layouts: Layouts) -> tuple[tuple[Place, ...], str]:
    nodes = _nodes(evidence)
    if not nodes:
        raise NotPlaced("the nodes of the threads that use it are not known")
    shape, parts = found.use_shape, _steady(layouts.parts.get(thing, []))
    together = interleave(sorted(set(nodes)))
    if (rows := _rows(found, evidence, layouts.blocks.get(thing, []))) is not None:
        return (rows,), f"page by page, in rows that the threads divide: {shape.value}"
    if shape is Shape.OWN or (shape.divided and not found.grows and _by_allocation(parts)):
        return _own(layouts.blocks[thing], parts), "each allocation on the node that uses it"
    if shape is Shape.INTERLEAVED or shape.shared or shape is Shape.OVERLAPPING:
        return (together,), f"interleaved: {shape.value}"
    if found.grows:
        parts = _of_largest(layouts.blocks[thing], parts)
    return _divided(thing, found, parts, evidence, layouts)


def _rows(found: Object, evidence: Evidence, blocks: Sequence[sql_placement.Block]) -> Place | None:
    """Each page of a block on the node that uses it. None: blocks of several sizes, or no rows explain the uses."""
    order = order_in_rows(evidence, found, evidence.workers) if len({block.bytes for block in blocks}) == 1 else None
    return None if order is None else in_equal_parts(order)


def _divided(
    thing: int, found: Object, parts: list[sql_placement.Part], evidence: Evidence, layouts: Layouts
) -> tuple[tuple[Place, ...], str]:
    """Blocks: the static schedule that explains the accesses, else pieces by their users, else an assumed schedule."""
    orders, touched = teams(evidence), _touched(layouts.blocks[thing], layouts)
    best = _schedule_of(parts, orders, [WHOLE, touched, _used(parts)])
    uses: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for part in parts:
        uses[part.bin][part.node] += part.weight
    seen = f"{sum(part.samples for part in parts)} sampled accesses"
    pieces = used_pieces(uses, len(_nodes(evidence))) if found.use_shape is not Shape.UNKNOWN else None
    if best is not None and best.holds:
        place = as_blocks(best.team, best.repeats, best.span)
        if pieces is None or explained(pieces, uses) <= explained(place, uses) + BETTER:
            return (place,), f"{_schedule(best)}: so {percent(best.share)} of {seen} were"
    if pieces is not None and explained(pieces, uses) < OWN_PARTS:
        raise NotPlaced(f"no blocks on nodes fit {seen}: the parts of its threads are too small")
    if pieces is not None:
        return (pieces,), f"as {seen} used it: {found.use_shape.value}"
    common = _common(orders, layouts)
    if common is not None:
        return (as_blocks(common.team, span=touched),), f"assumed: {_schedule(common)}, as other data are used"
    if not orders:
        raise NotPlaced("which threads share it is not known")
    assumed = f"assumed: equal blocks for {orders[0].label}; who uses which part was not seen"
    return (as_blocks(orders[0], span=touched),), assumed


def _schedule_of(parts: list[sql_placement.Part], orders: list[Team], spans: list[Span]) -> Fit | None:
    """After the initialisation, if a few accesses were seen there. A shorter span has to explain more."""
    later = [part for part in parts if part.steady]
    best: Fit | None = None
    for some in (later, parts):
        if sum(part.samples for part in some) < MIN_SAMPLES_OF_PART:
            continue
        for span in spans:
            found = fit(_by_thread(some), orders, span)
            if found is not None and (best is None or found.share > best.share + BETTER):
                best = found
        if best is not None and best.holds:
            return best
    return best


def _schedule(found: Fit) -> str:
    arrays = f"{found.repeats} arrays, each in " if found.repeats > 1 else ""
    return f"{arrays}{len(found.team.nodes)} equal blocks for {found.team.label} in the order of their creation"


def _by_thread(parts: list[sql_placement.Part]) -> dict[int, dict[int, float]]:
    uses: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for part in parts:
        uses[part.thread][part.bin] += part.weight
    return uses


def _common(orders: list[Team], layouts: Layouts) -> Fit | None:
    """The schedule that most accesses to other data follow."""
    fits = [_schedule_of(parts, orders, [WHOLE]) for parts in layouts.parts.values()]
    return max((found for found in fits if found is not None and found.holds), key=lambda f: f.accesses, default=None)


def _touched(blocks: list[sql_placement.Block], layouts: Layouts) -> Span:
    """What was touched of the largest block: a vector has room to grow."""
    _, high = layouts.touched.get(max(blocks, key=lambda block: block.bytes).id, WHOLE)
    return (0.0, high) if 0.0 < high < 1.0 - UNUSED else WHOLE


def _used(parts: list[sql_placement.Part]) -> Span:
    """As far as accesses were seen: pages that realloc moves are not touched again."""
    high = (max((part.bin for part in parts), default=0) + 1) / BINS
    return (0.0, high) if high < 1.0 - UNUSED else WHOLE


def _of_largest(blocks: list[sql_placement.Block], parts: list[sql_placement.Part]) -> list[sql_placement.Part]:
    """Of an array that grew: the use of what it became, if enough of that was seen."""
    largest = max(blocks, key=lambda block: block.bytes).id
    found = [part for part in parts if part.block == largest]
    return found if sum(part.samples for part in found) >= MIN_PHASE_USES else parts


def _by_allocation(parts: list[sql_placement.Part]) -> bool:
    """Several allocations, each used by hardly more than one node, and not all by the same."""
    users = _users(parts)
    main = {block: nodes.most_common(1)[0] for block, nodes in users.items()}
    exclusive = sum(weight for _, weight in main.values())
    return len({node for node, _ in main.values()}) > 1 and exclusive >= EXCLUSIVE * sum(part.weight for part in parts)


def _users(parts: list[sql_placement.Part]) -> dict[int, Counter[int]]:
    """Accesses to each block by node."""
    users: dict[int, Counter[int]] = defaultdict(Counter)
    for part in parts:
        users[part.block][part.node] += part.weight  # type: ignore[assignment]  # weights are numbers
    return users


def _steady(parts: list[sql_placement.Part]) -> list[sql_placement.Part]:
    steady = [part for part in parts if part.steady]
    return steady if sum(part.samples for part in steady) >= MIN_PHASE_USES else parts


def _own(blocks: list[sql_placement.Block], parts: list[sql_placement.Part]) -> tuple[Place, ...]:
    """One node for each allocation, by its number in the thread that allocates it."""
    if len(blocks) >= min(BLOCK_ROWS, MOST_PLACES):
        raise NotPlaced("it has too many allocations to tell one from another")
    users = _users(parts)
    ordinals: Counter[int | None] = Counter()
    chosen: dict[int, int] = {}
    for block in blocks:
        ordinal = ordinals[block.thread]
        ordinals[block.thread] += 1
        if block.id in users:
            node = users[block.id].most_common(1)[0][0]
            if chosen.setdefault(ordinal, node) != node:
                raise NotPlaced("several threads allocate it at one call stack: their allocations cannot be told apart")
    if not chosen:
        raise NotPlaced("who uses which allocation was not seen")
    return tuple(replace(whole(node), ordinal=ordinal) for ordinal, node in sorted(chosen.items()))
