# SPDX-License-Identifier: Apache-2.0
"""The shape of the use of memory: which thread touches which part of it. From samples, so "not known" is an answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain, product

from numaprof.evidence.spread import effective_size, median
from numaprof.evidence.thresholds import (
    ANY_ORDER,
    EXCLUSIVE,
    FEW_CHANGES,
    HALO,
    IN_ORDER,
    MIN_IN_ORDER,
    MIN_MEETINGS,
    MIN_MIXED,
    MIN_ORDERED,
    MIN_SHARED_PARTS,
    MIN_THREADS_IN_ORDER,
    MIN_USES_OF_THREAD,
    ONLY_THREAD,
    SERIAL_TOUCH,
    USES_ALL,
    USES_BLOCK,
)
from numaprof.recording.sql.sql_accesses import Cell, Order, RegionCell, Sharing


class Shape(Enum):
    UNKNOWN = "not known"
    ONE = "one thread only"
    BLOCKS = "each thread a block of its own"
    HALO = "each thread a block of its own, and its neighbours' borders"
    NODE_BLOCKS = "the threads of each node a block of their own"
    OWN = "each thread allocations of its own"
    PIECES = "each thread several blocks of its own"
    INTERLEAVED = "each thread pages of its own, between those of others"
    TURNS = "each thread chunks of it by turns"  # as the program's text says: samples hardly tell it from ALL
    OVERLAPPING = "parts that overlap"
    BY_LINE = "each thread a block of its own at each line, another one at other lines"
    ALL = "every thread all of it"
    RANDOM = "every thread all of it, in no order"

    @property
    def divided(self) -> bool:
        """True if each thread, or each node, has pages that the others hardly use: these pages can be local."""
        return self in (Shape.BLOCKS, Shape.HALO, Shape.NODE_BLOCKS, Shape.OWN, Shape.PIECES, Shape.INTERLEAVED)

    @property
    def among_several(self) -> str:
        """In words, where more than one thread was seen to use it."""
        return "nearly all by one of them" if self is Shape.ONE else str(self.value)

    @property
    def shared(self) -> bool:
        """True if no thread has a part of its own."""
        return self in (Shape.ALL, Shape.RANDOM, Shape.BY_LINE)


_OF_BLOCKS = {Shape.BLOCKS, Shape.HALO}

Parts = Mapping[int, Mapping[int, float]]  # thread or node -> part of the object -> samples, pages or accesses


@dataclass(frozen=True)
class Uses:
    """Who was seen at which part. Samples, or pages touched, tell how far each goes, where several meet, and whether
    that is enough to say: of two samples of one part, the heavier one does not make the other thread go away. Accesses
    tell how much each uses, since sampling periods differ by thread."""

    seen: Parts
    accesses: Parts


NOT_USED = Uses({}, {})


@dataclass(frozen=True)
class Layout:
    """Who was seen at which part of an object."""

    parts: Uses  # of all its blocks, one behind the other
    folded: Uses = NOT_USED  # of its blocks, one over the other
    regions: tuple[Uses, ...] = ()  # of what was first touched at one place
    by_node: Uses = NOT_USED
    pages: Sharing | None = None
    blocks: Sharing | None = None
    order: Order | None = None


def uses_of(cells: Iterable[Cell | RegionCell], by_node: bool = False) -> Uses:
    seen: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    accesses: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for cell in cells:
        key = cell.node if by_node else cell.thread
        if key is not None:
            seen[key][cell.bin] += cell.seen
            accesses[key][cell.bin] += cell.weight
    return Uses(seen, accesses)


def accesses_by_node(cells: Iterable[Cell]) -> Parts:
    return uses_of(cells, by_node=True).accesses


def whole_of(parts: Parts) -> float:
    return sum(sum(bins.values()) for bins in parts.values())


def effective_samples(cells: Iterable[Cell]) -> float:
    """Of which the node is known, as many as tell as much if all had one weight."""
    known = [cell for cell in cells if cell.node is not None]
    return effective_size(sum(cell.weight for cell in known), sum(cell.squares for cell in known))


def shape(layout: Layout) -> Shape:
    """The most local that fits: a thread may have all of every block, but blocks of its own."""
    by_range = _by_range(layout.parts)
    if by_range is Shape.UNKNOWN and _in_order_of_threads(layout.parts.seen):
        return Shape.BLOCKS
    if by_range in (Shape.UNKNOWN, Shape.OVERLAPPING) and _in_order_beside_one(layout.parts):
        return Shape.BLOCKS
    if by_range in (Shape.ONE, Shape.UNKNOWN):
        return by_range
    return _divided(layout) or _shared(layout, by_range)


def _divided(layout: Layout) -> Shape | None:
    found = next((each for each in map(_by_range, (layout.parts, layout.folded)) if each in _OF_BLOCKS), None)
    if found is not None:
        return found
    regions = [each for each in map(_by_range, layout.regions) if each not in (Shape.UNKNOWN, Shape.ONE)]
    if regions and _OF_BLOCKS.issuperset(regions):
        return regions[0] if len(regions) == 1 else Shape.PIECES
    if _exclusive(layout.blocks):
        return Shape.OWN
    if len(layout.by_node.seen) > 1 and _by_range(layout.by_node) in _OF_BLOCKS:
        return Shape.NODE_BLOCKS
    return Shape.PIECES if _in_pieces(layout.parts.seen) else None


def _in_order_of_threads(parts: Parts) -> bool:
    """Few samples, but a thread's are above those of the thread before: of several threads that is no chance."""
    order = sorted(parts)
    if len(order) < MIN_THREADS_IN_ORDER or whole_of(parts) < MIN_IN_ORDER:
        return False
    rising = falling = 0.0
    for below, above in zip(order, order[1:]):
        pairs = product(parts[below].items(), parts[above].items())
        steps = [(high - low, one * other) for (low, one), (high, other) in pairs]
        rising += sum(weight for step, weight in steps if step > 0)
        falling += sum(weight for step, weight in steps if step < 0)
    return rising >= IN_ORDER * (rising + falling) > 0


def _in_order_beside_one(uses: Uses) -> bool:
    """So are those of a team that is hardly sampled, beside one thread that reads all of it and is sampled often."""
    alone = _alone_in_all(uses.seen)
    if alone is None:
        return False
    seen, accesses = ({who: each[who] for who in each if who != alone} for each in (uses.seen, uses.accesses))
    return _in_order_of_threads(seen) and _by_range(Uses(seen, accesses)) in {Shape.UNKNOWN, *_OF_BLOCKS}


def _bins_twice(parts: Parts) -> tuple[int, int]:
    """Number of bins with at least two uses; and of these, the bins of hardly more than one thread."""
    totals = _totals(parts)
    most = {bin: max(bins.get(bin, 0.0) for bins in parts.values()) for bin in totals}
    twice = [bin for bin in totals if totals[bin] > 1]
    return len(twice), sum(most[bin] >= SERIAL_TOUCH * totals[bin] for bin in twice)


def _meet(uses: Uses) -> bool:
    """True if several threads use the same bins: threads that span the whole object may still use different bins."""
    return kept_apart(uses) is False


def kept_apart(uses: Uses) -> bool | None:
    """True if each bin has one user, false if several use the same bins. None: too few bins were seen twice to tell."""
    twice, exclusive = _bins_twice(uses.seen)
    return exclusive >= EXCLUSIVE * twice if twice >= MIN_MEETINGS else None


def _in_pieces(parts: Parts) -> bool:
    """Several arrays in one block, each divided: parts have one user each, and mostly the same as the part beside."""
    totals = _totals(parts)
    twice, exclusive = _bins_twice(parts)
    if twice < MIN_SHARED_PARTS or exclusive < EXCLUSIVE * twice:
        return False
    owners = [max(parts, key=lambda who: parts[who].get(bin, 0.0)) for bin in sorted(totals)]
    changes = sum(one != other for one, other in zip(owners, owners[1:]))
    return changes <= FEW_CHANGES * len(owners)


def _shared(layout: Layout, by_range: Shape) -> Shape:
    if _exclusive(layout.pages):
        return Shape.INTERLEAVED
    if Shape.ALL not in (by_range, _by_range(layout.folded)):
        return Shape.OVERLAPPING
    if not _meet(layout.parts):
        return Shape.UNKNOWN
    return Shape.RANDOM if _without_order(layout.order) else Shape.ALL


def divided_differently(lines: Mapping[int, Sequence[RegionCell]]) -> tuple[int, int] | None:
    """Two lines, those with most accesses, at which each thread uses a block of its own, but not the same one at both.

    None: some line divides it otherwise, all divide it alike, or too few samples tell.
    """
    shapes = {line: _by_range(uses_of(cells)) for line, cells in lines.items()}
    known = [line for line in lines if shapes[line] not in (Shape.UNKNOWN, Shape.ONE)]
    told, seen = (sum(cell.seen for line in some for cell in lines[line]) for some in (known, lines))
    if 2 * told <= seen or any(shapes[line] not in _OF_BLOCKS for line in known):
        return None
    first, *rest = sorted(known, key=lambda line: (-sum(cell.weight for cell in lines[line]), line))
    apart = (line for line in rest if _by_range(uses_of([*lines[first], *lines[line]])) not in _OF_BLOCKS)
    second = next(apart, None)
    return None if second is None else (first, second)


def _exclusive(sharing: Sharing | None) -> bool:
    return sharing is not None and sharing.parts >= MIN_SHARED_PARTS and sharing.one_thread >= EXCLUSIVE * sharing.parts


def _without_order(order: Order | None) -> bool:
    """Blocks visited in turn may be read at random, each by itself: steps within them tell, if there are enough."""
    if order is None:
        return False
    inside = order.within >= MIN_ORDERED
    steps, up = (order.within, order.up_within) if inside else (order.steps, order.up)
    return steps >= MIN_ORDERED and abs(up / steps - 0.5) <= ANY_ORDER


@dataclass(frozen=True)
class Range:
    """Range of a thread's samples, in bins, without the outermost ones, and their median."""

    low: int
    middle: int
    high: int

    @property
    def bins(self) -> int:
        return self.high - self.low + 1


def _range(bins: Mapping[int, float], left_out: float) -> Range:
    total, below = sum(bins.values()), 0.0
    marks: list[int] = []
    for bin in sorted(bins):
        below += bins[bin]
        while len(marks) < 3 and below >= (left_out, 0.5, 1 - left_out)[len(marks)] * total:
            marks.append(bin)
    return Range(*marks)


def _by_range(uses: Uses) -> Shape:
    """Access pattern by the ranges of threads, without a tenth of the samples on either side and widened for it."""
    enough = {who: bins for who, bins in uses.seen.items() if sum(bins.values()) >= MIN_USES_OF_THREAD}
    accesses = {who: sum(bins.values()) for who, bins in uses.accesses.items()}
    if len(enough) == 1 and sum(accesses[who] for who in enough) >= ONLY_THREAD * sum(accesses.values()):
        return Shape.ONE
    if len(enough) < 2:
        return Shape.UNKNOWN
    ranges = {who: _range(bins, 0.1) for who, bins in enough.items()}
    widths = _widths(enough, ranges)
    alone = _alone(widths)
    if alone is None and not _disjoint(list(ranges.values())):
        alone = _alone(widths, USES_BLOCK / 2)  # it has a block too, so that it uses the rest less
    if alone is not None:
        enough = {who: bins for who, bins in enough.items() if who != alone}
        ranges = {who: ranges[who] for who in enough}
    if median(widths[who] for who in enough) <= USES_BLOCK and _disjoint(list(ranges.values())):
        theirs = {who: uses.accesses[who] for who in enough}
        return Shape.HALO if _has_halo(theirs, ranges) else Shape.BLOCKS
    return Shape.ALL if median(widths.values()) >= USES_ALL else Shape.OVERLAPPING


def _widths(seen: Parts, ranges: Mapping[int, Range]) -> dict[int, float]:
    """Share of the object that each thread uses."""
    whole = _range(_totals(seen), 0.02).bins
    return {who: min(1.0, found.bins / 0.8 / whole) for who, found in ranges.items()}


def _alone(widths: Mapping[int, float], least: float = USES_ALL) -> int | None:
    """The only thread that uses all of it: one that fills, checks or prints it, beside those that work on it."""
    everywhere = [who for who in widths if widths[who] >= least]
    return everywhere[0] if len(everywhere) == 1 and len(widths) > 3 else None


def of_team(cells: Sequence[Cell]) -> Sequence[Cell]:
    """Without those of a thread that alone uses all of the object: of few samples, one reaches further by chance."""
    alone = _alone_in_all(uses_of(cells).seen)
    return cells if alone is None else [cell for cell in cells if cell.thread != alone]


def _alone_in_all(seen: Parts) -> int | None:
    """The only thread that uses all of it, where enough of its samples and however few of the others tell that."""
    ranges = {who: _range(bins, 0.1) for who, bins in seen.items() if bins}
    alone = _alone(_widths(seen, ranges)) if ranges else None
    return alone if alone is not None and sum(seen[alone].values()) >= MIN_MIXED else None


def _totals(parts: Parts) -> dict[int, float]:
    totals: dict[int, float] = defaultdict(float)
    for bins in parts.values():
        for bin, amount in bins.items():
            totals[bin] += amount
    return totals


def _disjoint(ranges: list[Range]) -> bool:
    """True if the ranges overlap by one bin at most, which holds a border. One thread of ten may differ."""
    crossing, reached = 0, -1
    for found in sorted(ranges, key=lambda range: range.middle):
        crossing += reached - found.low >= max(1, found.bins // 4)
        reached = max(reached, found.high)
    return crossing <= len(ranges) // 10 and len({found.middle for found in ranges}) > len(ranges) // 2


def _has_halo(parts: Parts, ranges: Mapping[int, Range]) -> bool:
    """True if a few accesses of several threads are in the blocks beside theirs: one thread that checks the result is
    anywhere. The outermost bin of a block may hold the border."""
    totals = _totals(parts)
    if median(found.bins for found in ranges.values()) < 8:
        return False
    owners = {bin: _owner(parts, bin) for bin in totals}
    inner = {bin for bin in owners if owners.get(bin - 1) == owners[bin] == owners.get(bin + 1)}
    inner = {bin for bin in inner if owners[bin] is not None}
    strays = {  # of each thread, in the blocks beside its own
        who: [n for bin, n in bins.items() if bin in inner and _is_beside(ranges, who, owners[bin])]
        for who, bins in parts.items()
    }
    foreign = sum(chain.from_iterable(strays.values()))
    return sum(map(bool, strays.values())) > 1 and HALO[0] <= foreign / (sum(totals.values()) or 1.0) <= HALO[1]


def _is_beside(ranges: Mapping[int, Range], who: int, owner: int | None) -> bool:
    """No block lies between those of the two, not even of a thread that is hardly sampled."""
    if owner is None or owner == who:
        return False
    one, other = ranges[who], ranges[owner]
    return max(one.low, other.low) - min(one.high, other.high) <= min(one.bins, other.bins) // 2


def _owner(parts: Parts, bin: int) -> int | None:
    most = max(bins.get(bin, 0.0) for bins in parts.values())
    first = [who for who, bins in parts.items() if bins.get(bin, 0.0) == most]
    return first[0] if len(first) == 1 else None
