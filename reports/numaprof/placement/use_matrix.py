# SPDX-License-Identifier: Apache-2.0
"""Who uses which part of an object: samples by position, thread, node and time, and first touches.

A position is a fraction of the object with its blocks one behind the other (`at`), and of its block (`within`). Samples
are grouped into clusters of one thread and one time slice: what a thread does at one time is much the same, so that
clusters, not samples, are what the errors come from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import NamedTuple

from numaprof.evidence.spread import effective_size
from numaprof.evidence.thresholds import MIN_PHASE_USES, SPELLS
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_uses
from numaprof.recording.sql.sql_samples import HINT

# So few samples that DRAM answered tell less than all samples: a prefetched line is a cache hit at the same position.
MIN_DRAM = 64

# Samples of an object that are looked at: a share is then off by up to 1.6 points (95 %, worst case).
MOST_USES = 4000


class Use(NamedTuple):
    """One sampled access."""

    at: float
    within: float
    block: int  # position of its block in `blocks`
    offset: int  # in its block
    thread: int
    node: int
    home: int | None  # node of the page when it was accessed; None: not known
    weight: float
    cluster: int


class Touch(NamedTuple):
    """Pages that a page fault brought."""

    at: float
    within: float
    block: int
    offset: int
    thread: int
    home: int | None
    pages: float


class Block(NamedTuple):
    thing: int
    id: int  # of the recording; 0: memory without an allocation
    start: float  # fraction of the object before it
    bytes: int
    start_ns: int | None
    end_ns: int | None


@dataclass(frozen=True)
class UseMatrix:
    """Accesses and first touches of an object, or of several that one edit moves."""

    uses: tuple[Use, ...]
    touches: tuple[Touch, ...]
    blocks: tuple[Block, ...]
    dram: bool  # uses are those that DRAM answered
    slices: Mapping[int, int] = field(default_factory=dict)  # cluster -> time slice
    page_bytes: int = 4096
    assumed: bool = False  # no sample tells the uses (few_samples.py)

    @cached_property
    def bytes(self) -> int:
        return sum(block.bytes for block in self.blocks)

    @cached_property
    def weight(self) -> float:
        return sum(use.weight for use in self.uses)

    @cached_property
    def effective(self) -> float:
        """Samples of equal weight that tell as much."""
        return effective_size(self.weight, sum(use.weight**2 for use in self.uses))

    @cached_property
    def by_thread(self) -> Mapping[int, float]:
        return _sums((use.thread, use.weight) for use in self.uses)

    @cached_property
    def by_node(self) -> Mapping[int, float]:
        return _sums((use.node, use.weight) for use in self.uses)

    @cached_property
    def homes(self) -> Mapping[int, float]:
        """Pages by node, of the first touches; without any, accesses by the node of their page."""
        touched = _sums((touch.home, touch.pages) for touch in self.touches if touch.home is not None)
        return touched or _sums((use.home, use.weight) for use in self.uses if use.home is not None)

    @cached_property
    def remote_now(self) -> float | None:
        """Remote share of the uses; None: the node of no page is known."""
        known = [use for use in self.uses if use.home is not None]
        total = sum(use.weight for use in known)
        return sum(use.weight for use in known if use.home != use.node) / total if total else None

    def slices_of(self, threads: Iterable[int]) -> set[int]:
        """Time slices in which any of the threads was sampled."""
        wanted = set(threads)
        return {self.slices[use.cluster] for use in self.uses if use.thread in wanted}

    @cached_property
    def touched_until(self) -> float:
        """The largest touched or used position, of an object with room to grow."""
        ends = (touch.at + touch.pages * self.page_bytes / self.bytes for touch in self.touches)
        return min(1.0, max([*(use.at for use in self.uses), *ends], default=1.0))


def _sums(rows: Iterable[tuple[int, float]]) -> dict[int, float]:
    sums: dict[int, float] = defaultdict(float)
    for key, weight in rows:
        sums[key] += weight
    return dict(sums)


# Interleaved: no node holds more than so many times what an even spread would give it.
MOST_OF_SPREAD = 1.25


def is_interleaved(nodes: Sequence[int], homes: Mapping[int, float], samples: int | None = None) -> bool:
    """True if interleaving would take little off the node that holds most pages.

    samples: those that tell the nodes; None: all pages were looked at. Enough samples may be off by their error.
    """
    known = [homes.get(node, 0.0) for node in nodes]
    if len(nodes) < 2 or not sum(known):
        return False
    most = MOST_OF_SPREAD / len(nodes)
    error = 1.96 * sqrt(most * (1 - most) / samples) if samples and samples >= 8 * len(nodes) else 0.0
    return max(known) <= (most + error) * sum(known)


@dataclass(frozen=True)
class UseRows:
    """What a recording tells of all objects."""

    extents: Mapping[int, Sequence[sql_uses.Extent]] = field(default_factory=dict)
    uses: Mapping[int, Sequence[sql_uses.UseRow]] = field(default_factory=dict)
    touches: Mapping[int, Sequence[sql_uses.TouchRow]] = field(default_factory=dict)
    page_bytes: int = 4096

    def matrix(
        self, things: Iterable[int], stand_ins: Mapping[int, int], nodes: Sequence[int], grows: bool = False
    ) -> UseMatrix:
        """stand_ins: threads of later waves -> of the first. nodes: all that have memory. grows: only its largest block
        is used in the end."""
        things = tuple(things)
        extents = [row for thing in things for row in self.extents.get(thing, ())]
        if grows and extents:
            extents = [max(extents, key=lambda row: row.bytes)]
        total = sum(row.bytes for row in extents) or 1
        numbers, blocks, before = {}, [], 0
        for number, row in enumerate(extents):
            numbers[row.thing, row.process, row.block] = number
            blocks.append(Block(row.thing, row.block, before / total, row.bytes, row.start_ns, row.end_ns))
            before += row.bytes

        def key(row: sql_uses.UseRow | sql_uses.TouchRow) -> tuple[int, int, int]:
            return row.thing, row.process, row.block

        def place(row: sql_uses.UseRow | sql_uses.TouchRow) -> tuple[float, float, int, int]:
            number = numbers[row.thing, row.process, row.block]
            offset = min(row.offset, blocks[number].bytes - 1)
            return blocks[number].start + offset / total, offset / blocks[number].bytes, number, offset

        rows = _chosen([row for thing in things for row in self.uses.get(thing, ()) if key(row) in numbers])
        begin = min((row.t_ns for row in rows), default=0)
        end = max((row.t_ns for row in rows), default=0) + 1
        clusters: dict[tuple[int, int], int] = {}
        uses = []
        for use in rows:
            thread, part = stand_ins.get(use.thread, use.thread), (use.t_ns - begin) * SPELLS // (end - begin)
            cluster = clusters.setdefault((use.thread, part), len(clusters))
            uses.append(Use(*place(use), thread, use.node, _home(use, nodes), use.weight, cluster))
        touches = [
            Touch(*place(row), stand_ins.get(row.thread, row.thread), row.home, row.pages)
            for thing in things
            for row in self.touches.get(thing, ())
            if key(row) in numbers
        ]
        slices = {number: part for (_, part), number in clusters.items()}
        dram = all(row.dram for row in rows)
        return UseMatrix(tuple(uses), tuple(touches), tuple(blocks), dram, slices, self.page_bytes)


def _chosen(rows: list[sql_uses.UseRow]) -> list[sql_uses.UseRow]:
    """Of the steady phase and of DRAM where enough were sampled; hint faults where no access was."""
    loads = [row for row in rows if row.kind != HINT] or rows
    dram = [row for row in loads if row.dram]
    loads = dram if len(dram) >= MIN_DRAM else loads
    steady = [row for row in loads if row.steady]
    return _thinned(steady if len(steady) >= MIN_PHASE_USES else loads, MOST_USES)


def _thinned(rows: list[sql_uses.UseRow], most: int) -> list[sql_uses.UseRow]:
    """Evenly chosen; their weights stand for the rest."""
    step = -(-len(rows) // most)
    return [row._replace(weight=row.weight * step) for row in rows[::step]] if step > 1 else rows


def _home(row: sql_uses.UseRow, nodes: Sequence[int]) -> int | None:
    """What the CPU says of a source goes before what the kernel says of the page, which may have moved since."""
    if row.remote == 0:
        return row.node
    if row.remote and len(nodes) == 2:
        return next((node for node in nodes if node != row.node), None)
    return row.home


def load_use_rows(recording: Recording, page_bytes: int) -> UseRows:
    """After load_samples, whose tables it reads."""
    extents: dict[int, list[sql_uses.Extent]] = defaultdict(list)
    for extent in recording.rows(sql_uses.Extent, sql_uses.EXTENTS):
        extents[extent.thing].append(extent)
    uses: dict[int, list[sql_uses.UseRow]] = defaultdict(list)
    for use in recording.rows(sql_uses.UseRow, sql_uses.USES):
        uses[use.thing].append(use)
    touches: dict[int, list[sql_uses.TouchRow]] = defaultdict(list)
    for touch in recording.rows(sql_uses.TouchRow, sql_uses.TOUCHED):
        touches[touch.thing].append(touch)
    return UseRows(extents, uses, touches, page_bytes)
