# SPDX-License-Identifier: Apache-2.0
"""Which objects remote lines belong to, those that were prefetched included. docs/objects.md has the method.

A sampled load sees a prefetched line as a hit in a cache, so load samples alone give a streamed array too little.
Requests have overflow samples, which share their counter's time and know the instruction and no address: they are
divided by the pages on other nodes that load samples of any level reach from the same instruction, else line, else
function: the first that enough load samples are of. Where no sampled load is left there, every line came in time: the
objects that load samples hardly see elsewhere share them, by their pages on other nodes. The instruction of an overflow
sample may be a later one than the one that asked: what fits a core's caches has no part of lines that something larger
can have, and beyond its own instructions neither has an object that many load samples see on the readers' own nodes
alone. Demand reads are divided by the load samples that remote DRAM answered where overflow samples are few. Load
samples tell nothing of another class: one without overflow samples has what is left if all lines together were divided
by pages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import sqrt
from typing import NamedTuple, Optional

from numaprof.evidence.counts import Count
from numaprof.evidence.errors import NORMAL
from numaprof.evidence.request_classes import DIRECT, REMOTE
from numaprof.evidence.spread import clustered_size, effective_size, sampled_interval, strata
from numaprof.evidence.thresholds import (
    ALL_OF_IT,
    ENOUGH_TO_BE_NEAR,
    HARDLY_REMOTE,
    HARDLY_SAMPLED,
    LINE_BYTES,
    MIN_OBJECT_BYTES,
    MIN_REMOTE_SAMPLES,
    MIN_SAMPLES_OF_PART,
    MOST_UNDIVIDED,
    SAMPLED_PART,
    SPELLS,
)
from numaprof.evidence.traffic import Ledger
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_counts, sql_prefetches

Shares = dict[int, float]  # thing -> part of a whole


@dataclass(frozen=True)
class ClassLines:
    """Remote lines of one class."""

    part: float  # of all
    error: float | None  # half the 95 % interval of that, as its count has it; None: not known
    shares: Shares  # of the class's, by thing
    samples: float  # of equal weight that would tell the shares as well; 0: no sample does
    by_pages: Shares = field(default_factory=dict)  # as if all objects on other nodes shared them, seen or not

    def of(self, things: Collection[int]) -> float:
        return min(1.0, sum(self.shares.get(thing, 0.0) for thing in things))

    def error_of_share(self, things: Collection[int]) -> float:
        """Half the 95 % interval of that: Wilson's, of samples that came by themselves. Where none did, it may be any
        part: also what alone has pages on other nodes shares with code, stacks and smaller memory. Where samples and
        pages agree that it is all or nothing, it is no more or less than the samples say."""
        share, by_pages = self.of(things), sum(self.by_pages.get(thing, 0.0) for thing in things)
        if not self.samples:
            return max(share, 1.0 - share)
        if min(share, by_pages) >= ALL_OF_IT or max(share, by_pages) <= 1 - ALL_OF_IT:
            return NORMAL * sqrt(share * (1 - share) / self.samples)
        low, high = sampled_interval(share, self.samples)
        return max(share - low, high - share)


@dataclass(frozen=True)
class RemoteLines:
    """Remote requests of the verdict's population, by object."""

    shares: Mapping[int, float] = field(default_factory=dict)  # by thing, of all of them
    unknown: float | None = None  # the part whose object is not known; None: shares are not known at all
    sampled: float = 0.0  # the part that load samples divide among objects; the rest is divided by the objects' pages
    samples: int = 0  # so many load samples do
    classes: tuple[ClassLines, ...] = ()

    @property
    def known(self) -> bool:
        return self.unknown is not None

    @property
    def enough(self) -> bool:
        """Shares can be told: nearly all lines have an object, by its pages or by enough load samples."""
        few = self.sampled > MOST_UNDIVIDED and self.samples < MIN_REMOTE_SAMPLES
        return self.unknown is not None and self.unknown <= MOST_UNDIVIDED and not few

    @property
    def untold(self) -> float:
        """The part of which no sample tells the object."""
        return sum(each.part for each in self.classes if not each.samples)

    def of(self, things: Iterable[int]) -> float:
        return sum(self.shares.get(thing, 0.0) for thing in things)

    def error(self, things: Iterable[int]) -> float | None:
        """Half the 95 % interval of that: of the classes' counts, which weigh their shares, and of these. Classes that
        no sample tells may all be wrong in one direction. None: not known."""
        things, variance, untold = tuple(things), 0.0, 0.0
        whole = self.of(things)
        for each in self.classes:
            if each.error is None:
                return None
            variance += ((each.of(things) - whole) * each.error) ** 2
            of_share = each.part * each.error_of_share(things)
            if each.samples:
                variance += of_share**2
            else:
                untold += of_share
        return sqrt(variance + untold**2)


@dataclass(frozen=True)
class Footprint:
    """Where threads run and data lies."""

    nodes: Mapping[int, int]  # of threads that stay on one
    pages: Mapping[int, Mapping[int, float]]  # first touched, by thing and node
    lines_of_page: int
    in_cache: frozenset[int]  # things that fit the caches of a core


def load_remote_lines(
    recording: Recording, books: Ledger, events: Iterable[sql_counts.Event], footprint: Footprint
) -> RemoteLines:
    """After load_samples, whose tables it reads."""
    population, total = books.events.verdict, books.total
    amounts: dict[str, float] = {}
    for column in population.columns if population else ():
        estimate = total[column.key].remote.estimate
        # However short the time that was counted in, it weighs classes against each other.
        amounts[column.key] = _scaled(_counts(books, column.key)) if estimate is None else estimate
    read = recording.rows(sql_prefetches.Read, sql_prefetches.READ)
    whole = sum(amounts.values())
    if not whole or not read:
        return RemoteLines()
    asked = recording.rows(sql_prefetches.Asked, sql_prefetches.ASKED, spells=SPELLS)
    class_of = {event.id: event.request for event in events}
    unseen = _Unseen(footprint, read, _readers(books, list(amounts), footprint.nodes))
    large = [row for row in read if row.thing not in footprint.in_cache]
    near = _near(read)
    elsewhere = [row for row in large if row.thing not in near]
    order = [(large, _LEVELS[:1]), (elsewhere, _LEVELS[1:]), (large, _LEVELS[1:])]
    direct = _by_samples(recording.rows(sql_prefetches.Answered, sql_prefetches.ANSWERED, spells=SPELLS))
    if direct.shares.keys() <= footprint.in_cache:  # else what a function stores to is not what it reads from a cache
        order.append((read, _LEVELS))
    tables = [_Table(level, _table(rows, level)) for rows, levels in order for level in levels]
    known: dict[str, _Divided] = {}  # by samples of the class
    for key in amounts:
        classes = {class_of[event] for event in books.events.events.get((key, REMOTE), ())}
        mine = [row for row in asked if row.request in classes]
        if key in DIRECT:
            found = _demand_reads(_enough(mine, _counts(books, key)), tables, unseen, direct)
        else:
            found = _by_instruction(mine, tables, unseen, _Divided({}))
        if found.shares:
            known[key] = found
    told = _added((amounts[key] / whole, divided.shares) for key, divided in known.items())
    by_pages = unseen.by_pages() or direct.shares
    rest = _Divided(_parts({thing: max(0.0, part - told.get(thing, 0.0)) for thing, part in by_pages.items()}))
    parts = []
    for key, amount in amounts.items():
        divided, error = known.get(key, rest), total[key].remote.error
        width = error.half_width / whole if error is not None else None
        parts.append(ClassLines(amount / whole, width, divided.shares, divided.size, by_pages))
    shares = _added((each.part, each.shares) for each in parts)
    sampled = sum(divided.sampled * amounts[key] / whole for key, divided in known.items())
    most = max((divided.samples for divided in known.values()), default=0)
    return RemoteLines(shares, max(0.0, 1.0 - sum(shares.values())), sampled, most, tuple(parts))


def _near(read: Iterable[sql_prefetches.Read]) -> set[int]:
    """Things that are read on the readers' own nodes alone, as enough samples say."""
    samples, accesses, remote = (
        defaultdict[int, int](int),
        defaultdict[int, float](float),
        defaultdict[int, float](float),
    )
    for row in read:
        samples[row.thing] += row.samples
        accesses[row.thing] += row.accesses
        remote[row.thing] += row.remote
    enough = (thing for thing, number in samples.items() if number >= ENOUGH_TO_BE_NEAR)
    return {thing for thing in enough if remote[thing] < HARDLY_REMOTE * accesses[thing]}


def _counts(books: Ledger, key: str) -> list[Count]:
    """Of a column's remote events."""
    scopes = [*books.by_thread.values(), books.unattributed]
    events = books.events.events.get((key, REMOTE), ())
    return [count for event in events for scope in scopes for count in scope.get(event, ())]


def _scaled(counts: Iterable[Count]) -> float:
    return sum(count.value / count.coverage for count in counts if count.coverage)


def _readers(books: Ledger, keys: list[str], nodes: Mapping[int, int]) -> Shares:
    """Remote requests by the node of the threads that made them."""
    wanted = [event for key in keys for event in books.events.events.get((key, REMOTE), ())]
    sums: Shares = defaultdict(float)
    for thread, node in nodes.items():
        mine = books.by_thread.get(thread, {})
        sums[node] += _scaled(count for event in wanted for count in mine.get(event, ()))
    return sums


def _enough(asked: list[sql_prefetches.Asked], counts: list[Count]) -> list[sql_prefetches.Asked]:
    """None of them, where they stand for too little of what was counted."""
    sampled = sum(row.events for row in asked)
    return asked if sampled >= SAMPLED_PART * sum(count.value for count in counts) else []


@dataclass(frozen=True)
class _Divided:
    """Remote lines, by thing."""

    shares: Shares
    sampled: float = 0.0  # the part that load samples divide
    samples: int = 0  # so many
    size: float = 0.0  # samples of equal weight, each by itself, that would tell the shares as well


_Clusters = dict[tuple[int, int], Shares]  # lines by thread and spell: what a thread does at one time is much the same


def _by_samples(answered: list[sql_prefetches.Answered]) -> _Divided:
    clusters: _Clusters = defaultdict(lambda: defaultdict(float))
    for row in answered:
        clusters[row.thread, row.spell][row.thing] += row.accesses
    return _divided(clusters, 1.0, sum(row.samples for row in answered), sum(row.squares for row in answered))


def _divided(clusters: _Clusters, sampled: float, samples: int, squares: float) -> _Divided:
    """squares: sum of those of the weights of the samples that are in the clusters."""
    sums = _added((1.0, shares) for shares in clusters.values())
    size = effective_size(sum(sums.values()), squares)
    if sums:
        most = max(sums, key=lambda thing: sums[thing])
        size = clustered_size(strata({at: (of.get(most, 0.0), sum(of.values())) for at, of in clusters.items()}), size)
    return _Divided(_parts(sums), sampled, samples, size)


def _parts(sums: Mapping[int, float]) -> Shares:
    whole = sum(sums.values())
    return {thing: part / whole for thing, part in sums.items()} if whole else {}


def _added(weighed: Iterable[tuple[float, Shares]]) -> Shares:
    sums: Shares = defaultdict(float)
    for weight, shares in weighed:
        for thing, part in shares.items():
            sums[thing] += weight * part
    return dict(sums)


Place = tuple[object, ...]
_Key = Callable[["sql_prefetches.Asked | sql_prefetches.Read"], Optional[Place]]


def _line(row: sql_prefetches.Asked | sql_prefetches.Read) -> Place | None:
    return (row.module, row.file, row.line) if row.line else None


def _function(row: sql_prefetches.Asked | sql_prefetches.Read) -> Place | None:
    return (row.module, row.function) if row.function else None


_LEVELS: tuple[_Key, ...] = (lambda row: (row.place,), _line, _function)


class _Table(NamedTuple):
    level: _Key
    divided: dict[Place | None, _Divided]


def _by_instruction(
    asked: list[sql_prefetches.Asked], tables: list[_Table], unseen: _Unseen, instead: _Divided
) -> _Divided:
    """tables: the first that has an instruction divides its lines. instead: of what nothing else tells; empty: it is
    divided as the rest."""
    unseen_of = cache(unseen.shares)
    divided: dict[int, _Divided] = {}  # by instruction
    used: dict[Place | None, int] = {}  # load samples by the place that they are of
    for row in {row.place: row for row in asked}.values():
        found = [(table.level(row), table.divided) for table in tables]
        place, parts = next(((place, table[place]) for place, table in found if place in table), (None, None))
        if parts is None:
            by_pages = unseen_of(_function(row))
            parts = _Divided(by_pages) if by_pages else instead
        used[place] = max(used.get(place, 0), parts.samples)
        divided[row.place] = parts
    whole = sum(row.events for row in asked)
    clusters: _Clusters = defaultdict(lambda: defaultdict(float))
    sampled = 0.0
    for row in asked:
        parts = divided[row.place]
        sampled += parts.sampled * row.events / whole
        for thing, part in parts.shares.items():
            clusters[row.thread, row.spell][thing] += part * row.events
    known = sum(sum(shares.values()) for shares in clusters.values()) / (whole or 1.0)
    return _divided(clusters, sampled, sum(used.values()), known * sum(row.squares for row in asked))


def _demand_reads(
    asked: list[sql_prefetches.Asked], tables: list[_Table], unseen: _Unseen, direct: _Divided
) -> _Divided:
    """By overflow samples where they are enough, or tell more than the load samples that remote DRAM answered: they are
    of what was counted, which may include lines from other nodes' caches (Nehalem)."""
    found = _by_instruction(asked, tables, unseen, direct)
    return found if found.size >= min(direct.size, MIN_REMOTE_SAMPLES) else direct


def _table(read: list[sql_prefetches.Read], level: _Key) -> dict[Place | None, _Divided]:
    """A sample or two of one instruction are no measure: they may be of its spilled variables."""
    sums: dict[Place | None, Shares] = defaultdict(lambda: defaultdict(float))
    samples: dict[Place | None, int] = defaultdict(int)
    for row in read:
        if row.remote and (place := level(row)) is not None:
            sums[place][row.thing] += row.remote
            samples[place] += row.samples
    least = MIN_SAMPLES_OF_PART if level is not _LEVELS[-1] else 1
    return {place: _Divided(_parts(of), 1.0, samples[place]) for place, of in sums.items() if samples[place] >= least}


@dataclass(frozen=True)
class _Unseen:
    """Objects that load samples hardly see, by their pages on other nodes than the readers'."""

    footprint: Footprint
    read: list[sql_prefetches.Read]
    readers: Mapping[int, float]  # remote requests by the node of their threads

    def shares(self, asking: Place | None) -> Shares:
        """asking: the function that makes the requests, if it has a name: what it reads is not counted as seen."""
        seen: Shares = defaultdict(float)
        for row in self.read:
            if asking is None or _function(row) != asking:
                seen[row.thing] += row.accesses
        lines = self.footprint.lines_of_page
        sizes = {thing: lines * sum(by_node.values()) for thing, by_node in self.footprint.pages.items()}
        return self.by_pages({thing for thing, size in sizes.items() if seen[thing] < HARDLY_SAMPLED * size})

    def by_pages(self, things: Container[int] | None = None) -> Shares:
        """Of these things; None: of all. What is too small to be an object has none."""
        least = MIN_OBJECT_BYTES / LINE_BYTES / self.footprint.lines_of_page
        large = {
            thing: by_node
            for thing, by_node in self.footprint.pages.items()
            if sum(by_node.values()) >= least and (things is None or thing in things)
        }
        sums: Shares = defaultdict(float)
        for node, requests in self.readers.items():
            remote = {thing: sum(by_node.values()) - by_node.get(node, 0.0) for thing, by_node in large.items()}
            for thing, part in _parts(remote).items():
                sums[thing] += part * requests
        return _parts(sums)
