# SPDX-License-Identifier: Apache-2.0
"""Which objects remote lines belong to, those that were prefetched included. docs/objects.md has the method.

A sampled load sees a prefetched line as a hit in a cache, so load samples alone give a streamed array too little.
Requests have overflow samples, which share their counter's time and know the instruction and no address: they are
divided by the pages on other nodes that load samples of any level reach from the same instruction, else line, else
function: the first that enough load samples are of. Where no sampled load is left there, every line came in time: the
objects that load samples hardly see elsewhere share them, by their pages on other nodes. The instruction of an overflow
sample may be a later one than the one that asked: what fits a core's caches has no part of lines that something larger
can have, and beyond its own instructions neither has an object that many load samples see on the readers' own nodes
alone. Demand reads are divided by the load samples that remote DRAM answered where overflow samples are few. No load
tells what a store asks for: lines_without_loads.py. Load samples tell nothing of another class: one without overflow
samples has what is left if all lines together were divided by pages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from math import sqrt
from typing import NamedTuple

from numaprof.evidence.counts import Count
from numaprof.evidence.errors import NORMAL
from numaprof.evidence.lines.lines_without_loads import (
    Footprint,
    Key,
    Place,
    Shares,
    Unseen,
    function_of,
    line_of,
    parts_of,
    stores,
)
from numaprof.evidence.request_classes import DIRECT, REMOTE, RFO
from numaprof.evidence.spread import clustered_size, effective_size, sampled_interval
from numaprof.evidence.thresholds import (
    ALL_OF_IT,
    ENOUGH_TO_BE_NEAR,
    HARDLY_REMOTE,
    MIN_REMOTE_SAMPLES,
    MIN_SAMPLES_OF_PART,
    MOST_UNDIVIDED,
    SAMPLED_PART,
    SPELLS,
)
from numaprof.evidence.traffic import Ledger
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_counts, sql_prefetches


@dataclass(frozen=True)
class ClassLines:
    """Remote lines of one class."""

    part: float  # of all
    error: float | None  # half the 95 % interval of that, as its count has it; None: not known
    shares: Shares  # of the class's, by thing
    samples: float  # of equal weight that would tell the shares as well; 0: no sample does
    by_pages: Shares = field(default_factory=dict)  # as if all objects on other nodes shared them, seen or not
    guessed: Shares = field(default_factory=dict)  # of the shares what no sample tells, though some tell the rest

    def of(self, things: Collection[int]) -> float:
        return min(1.0, sum(self.shares.get(thing, 0.0) for thing in things))

    @property
    def untold(self) -> float:
        """The part of which no sample tells the object."""
        return sum(self.guessed.values()) if self.samples else 1.0

    def error_of_untold(self, things: Collection[int]) -> float:
        """It may be any part: also what alone has pages on other nodes shares with code, stacks and smaller memory."""
        guessed = self.guessed if self.samples else self.shares
        share = min(self.untold, sum(guessed.get(thing, 0.0) for thing in things))
        return max(share, self.untold - share)

    def error_of_told(self, things: Collection[int]) -> float:
        """Half the 95 % interval of the rest: Wilson's, of samples that came by themselves. Where samples and pages
        agree that it is all or nothing, it is no more or less than the samples say."""
        told = 1.0 - self.untold
        if told <= 0.0:
            return 0.0
        return told * self._error_of_share(things, told)

    def _error_of_share(self, things: Collection[int], told: float) -> float:
        guess = sum(self.guessed.get(thing, 0.0) for thing in things)
        share = min(1.0, max(0.0, self.of(things) - guess) / told)
        by_pages = sum(self.by_pages.get(thing, 0.0) for thing in things)
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
        return sum(each.part * each.untold for each in self.classes)

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
            variance += (each.part * each.error_of_told(things)) ** 2
            untold += each.part * each.error_of_untold(things)
        return sqrt(variance + untold**2)


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
    unseen = Unseen(footprint, read, _readers(books, list(amounts), footprint.nodes))
    large = [row for row in read if row.thing not in footprint.in_cache]
    near = _near(read)
    elsewhere = [row for row in large if row.thing not in near]
    order = [(large, _LEVELS[:1]), (elsewhere, _LEVELS[1:]), (large, _LEVELS[1:])]
    direct = _by_samples(recording.rows(sql_prefetches.Answered, sql_prefetches.ANSWERED, spells=SPELLS))
    if direct.shares.keys() <= footprint.in_cache:  # else what a function stores to is not what it reads from a cache
        order.append((read, _LEVELS))
    tables = [_Table(level, _table(rows, level)) for rows, levels in order for level in levels]
    by_hints = [_guessing(table) if table.level is function_of else table for table in tables]
    of_class = {
        key: _of_class(asked, {class_of[event] for event in books.events.events.get((key, REMOTE), ())})
        for key in amounts
    }
    storing = stores(of_class)
    known: dict[str, _Divided] = {}  # by samples of the class
    for key, mine in of_class.items():
        if key in DIRECT:
            found = _demand_reads(_enough(mine, _counts(books, key)), tables, unseen, direct)
        else:
            writes = _written(key, storing, tables[0].divided.keys(), mine)
            found = _by_instruction(mine, by_hints, unseen, _Divided({}), writes)
        if found.shares:
            known[key] = found
    told = _added((amounts[key] / whole, divided.shares) for key, divided in known.items())
    by_pages = unseen.by_pages() or direct.shares
    rest = _Divided(parts_of({thing: max(0.0, part - told.get(thing, 0.0)) for thing, part in by_pages.items()}))
    parts = []
    for key, amount in amounts.items():
        divided, error = known.get(key, rest), total[key].remote.error
        width = error.half_width / whole if error is not None else None
        parts.append(ClassLines(amount / whole, width, divided.shares, divided.size, by_pages, divided.guessed))
    shares = _added((each.part, each.shares) for each in parts)
    sampled = sum(divided.sampled * amounts[key] / whole for key, divided in known.items())
    most = max((divided.samples for divided in known.values()), default=0)
    return RemoteLines(shares, max(0.0, 1.0 - sum(shares.values())), sampled, most, tuple(parts))


def _of_class(asked: Iterable[sql_prefetches.Asked], classes: Container[str]) -> list[sql_prefetches.Asked]:
    return [row for row in asked if row.request in classes]


def _written(
    key: str, storing: Container[int], loading: Container[Place | None], asked: Iterable[sql_prefetches.Asked]
) -> frozenset[int]:
    """Places whose requests are of a store that load samples do not see: of RFO all but atomic instructions, which
    load and store."""
    places = {row.place for row in asked if key == RFO.key or row.place in storing}
    return frozenset(place for place in places if not (place in storing and (place,) in loading))


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


def _guessing(table: _Table) -> _Table:
    """What a function reads at other lines is no more than a guess of what its other instructions prefetch or write."""
    return _Table(table.level, {place: _Divided({}, guessed=parts.shares) for place, parts in table.divided.items()})


@dataclass(frozen=True)
class _Divided:
    """Remote lines, by thing."""

    shares: Shares
    sampled: float = 0.0  # the part that load samples divide
    samples: int = 0  # so many
    size: float = 0.0  # samples of equal weight, each by itself, that would tell the shares as well
    guessed: Shares = field(default_factory=dict)  # of the shares what no sample tells


# Lines by thread and spell: what a thread does at one time is much the same.
_Clusters = dict[tuple[Hashable, int], Shares]


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
        parts = {at: of.get(most, 0.0) for at, of in clusters.items()}
        size = clustered_size(parts, {at: sum(of.values()) for at, of in clusters.items()}, size)
    return _Divided(parts_of(sums), sampled, samples, size)


def _added(weighed: Iterable[tuple[float, Shares]]) -> Shares:
    sums: Shares = defaultdict(float)
    for weight, shares in weighed:
        for thing, part in shares.items():
            sums[thing] += weight * part
    return dict(sums)


_LEVELS: tuple[Key, ...] = (lambda row: (row.place,), line_of, function_of)


class _Table(NamedTuple):
    level: Key
    divided: dict[Place | None, _Divided]


def _by_instruction(
    asked: list[sql_prefetches.Asked],
    tables: list[_Table],
    unseen: Unseen,
    instead: _Divided,
    writes: Container[int] = (),
) -> _Divided:
    """tables: the first that has an instruction divides its lines. instead: of what nothing else tells; empty: it is
    divided as the rest. writes: stores that load samples do not see."""
    unseen_of, stored_by = cache(unseen.shares), cache(partial(_stored_by, unseen))
    divided: dict[int, _Divided] = {}  # by instruction
    used: dict[Place | None, _Divided] = {}  # what load samples of a place tell
    place_of: dict[int, Place | None] = {}
    for row in {row.place: row for row in asked}.values():
        place, parts = None, stored_by(function_of(row)) if row.place in writes else None
        if parts is None:
            found = [(table.level(row), table.divided) for table in tables]
            place, parts = next(((place, table[place]) for place, table in found if place in table), (None, None))
        if parts is None:
            by_pages = unseen_of(function_of(row))
            parts = _Divided(by_pages) if by_pages else instead
        used[place], place_of[row.place], divided[row.place] = parts, place, parts
    whole = sum(row.events for row in asked)
    clusters: _Clusters = defaultdict(lambda: defaultdict(float))
    guessed: Shares = defaultdict(float)
    lines: dict[Place | None, float] = defaultdict(float)
    sampled = 0.0
    for row in asked:
        parts = divided[row.place]
        lines[place_of[row.place]] += row.events
        sampled += parts.sampled * row.events / whole
        for thing, part in parts.shares.items():
            clusters[row.thread, row.spell][thing] += part * row.events
        for thing, part in parts.guessed.items():
            guessed[thing] += part * row.events
    told = sum(sum(shares.values()) for shares in clusters.values())
    by_samples = _divided(
        clusters,
        sampled,
        sum(parts.samples for parts in used.values()),
        told / (whole or 1.0) * sum(row.squares for row in asked),
    )
    by_loads = [(lines[place] / whole, parts) for place, parts in used.items() if parts.samples]
    return _with_guess(replace(by_samples, size=_size_with_loads(by_samples, by_loads)), told, guessed)


def _size_with_loads(divided: _Divided, parts: list[tuple[float, _Divided]]) -> float:
    """Samples that would tell the shares as well: the load samples that divide the lines of a place err, too.

    parts: the places' parts of all lines, and how load samples divide them.
    """
    if not divided.size or not parts:
        return divided.size
    most = max(divided.shares, key=lambda thing: divided.shares[thing])
    share = divided.shares[most]
    if not 0.0 < share < 1.0:
        return 1 / (1 / divided.size + sum(part**2 / loads.samples for part, loads in parts))
    shares = [(part, loads.shares.get(most, 0.0), loads.samples) for part, loads in parts]
    of_loads = sum(part**2 * own * (1 - own) / samples for part, own, samples in shares)
    return share * (1 - share) / (share * (1 - share) / divided.size + of_loads)


def _stored_by(unseen: Unseen, function: Place | None) -> _Divided | None:
    """What stores of a function write that its loads do not see; None: the same as they read."""
    if function is None or unseen.read_in_turns(function):
        return None
    shares, confirmed = unseen.unread(function)
    if not shares:
        return None
    return _Divided(shares) if confirmed else _Divided({}, guessed=shares)


def _with_guess(told: _Divided, lines: float, guessed: Shares) -> _Divided:
    """lines: that are told; guessed: lines by thing."""
    whole = lines + sum(guessed.values())
    if not guessed or not whole:
        return told
    parts = {thing: part / whole for thing, part in guessed.items()}
    return replace(told, shares=_added([(lines / whole, told.shares), (1.0, parts)]), guessed=parts)


def _demand_reads(
    asked: list[sql_prefetches.Asked], tables: list[_Table], unseen: Unseen, direct: _Divided
) -> _Divided:
    """By overflow samples where they are enough, or tell more than the load samples that remote DRAM answered: they are
    of what was counted, which may include lines from other nodes' caches (Nehalem)."""
    found = _by_instruction(asked, tables, unseen, direct)
    return found if found.size >= min(direct.size, MIN_REMOTE_SAMPLES) else direct


def _table(read: list[sql_prefetches.Read], level: Key) -> dict[Place | None, _Divided]:
    """A sample or two of one instruction are no measure: they may be of its spilled variables."""
    sums: dict[Place | None, Shares] = defaultdict(lambda: defaultdict(float))
    samples: dict[Place | None, int] = defaultdict(int)
    for row in read:
        if row.remote and (place := level(row)) is not None:
            sums[place][row.thing] += row.remote
            samples[place] += row.samples
    least = MIN_SAMPLES_OF_PART if level is not _LEVELS[-1] else 1
    return {place: _Divided(parts_of(of), 1.0, samples[place]) for place, of in sums.items() if samples[place] >= least}
