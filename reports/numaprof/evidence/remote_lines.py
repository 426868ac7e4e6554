# SPDX-License-Identifier: Apache-2.0
"""Which objects remote lines belong to, those that were prefetched included. docs/objects.md has the method.

A sampled load sees a prefetched line as a hit in a cache, so load samples alone give a streamed array too little.
Demand reads are divided by the load samples that remote DRAM answered. Other requests have overflow samples, which know
the instruction and no address: they are divided by the pages on other nodes that load samples of any level reach from
the same instruction, else line, else function. Where no sampled load is left there, every line came in time: the
objects that load samples hardly see elsewhere share them, by their pages on other nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Optional

from numaprof.evidence.samples import Samples
from numaprof.evidence.thresholds import HARDLY_SAMPLED, LINES_OF_KIB
from numaprof.evidence.traffic import Ledger
from numaprof.recording import sql_counts, sql_prefetches
from numaprof.recording.reader import Recording

Shares = dict[int, float]  # thing -> part of a whole
_DIRECT = ("demand", "retired")  # columns that load samples see themselves


@dataclass(frozen=True)
class RemoteLines:
    """Remote requests of the verdict's population; all None where counters do not tell them."""

    shares: Mapping[int, float] = field(default_factory=dict)  # by thing, of all of them
    unknown: float | None = None  # the part whose object is not known; None: shares are not known at all

    @property
    def known(self) -> bool:
        return self.unknown is not None

    def of(self, things: Iterable[int]) -> float:
        return sum(self.shares.get(thing, 0.0) for thing in things)


@dataclass(frozen=True)
class Reader:
    """A thread group on one node, and how many remote requests of each column it made."""

    node: int
    remote: Mapping[str, float]  # by column key


def load_remote_lines(  # noqa: PLR0917
    recording: Recording,
    samples: Samples,
    books: Ledger,
    events: Iterable[sql_counts.Event],
    readers: list[Reader],
    page_bytes: int,
) -> RemoteLines:
    """After load_samples, whose tables it reads."""
    population, total = books.events.verdict, books.total
    remote = {column.key: total[column.key].remote.estimate for column in population.columns} if population else {}
    amounts = {key: amount for key, amount in remote.items() if amount is not None}
    whole = sum(amounts.values())
    if not whole or len(amounts) < len(remote):
        return RemoteLines()
    requests = {event.id: event.request for event in events}
    asked = recording.rows(sql_prefetches.Asked, sql_prefetches.ASKED)
    read = recording.rows(sql_prefetches.Read, sql_prefetches.READ)
    direct = _by_samples(samples)
    shares: Shares = defaultdict(float)
    for key, amount in amounts.items():
        words = {requests[event] for (column, _), ids in books.events.events.items() if column == key for event in ids}
        mine = [row for row in asked if row.request in words]
        footprint = _Footprint(samples, read, readers, key, page_bytes)
        parts = direct if key in _DIRECT and not mine else _by_instruction(mine, read, footprint)
        for thing, part in (parts or direct).items():
            shares[thing] += part * amount / whole
    return RemoteLines(dict(shares), max(0.0, 1.0 - sum(shares.values())))


def _by_samples(samples: Samples) -> Shares:
    sums: Shares = defaultdict(float)
    for row in samples.used:
        if row.remote:
            sums[row.thing or 0] += row.accesses
    return _parts(sums)


def _parts(sums: Mapping[int, float]) -> Shares:
    whole = sum(sums.values())
    return {thing: part / whole for thing, part in sums.items()} if whole else {}


Place = tuple[object, ...]
_Key = Callable[["sql_prefetches.Asked | sql_prefetches.Read"], Optional[Place]]


def _line(row: sql_prefetches.Asked | sql_prefetches.Read) -> Place | None:
    return (row.module, row.file, row.line) if row.line else None


def _function(row: sql_prefetches.Asked | sql_prefetches.Read) -> Place | None:
    return (row.module, row.function) if row.function else None


_LEVELS: tuple[_Key, ...] = (lambda row: (row.place,), _line, _function)


def _by_instruction(
    asked: list[sql_prefetches.Asked], read: list[sql_prefetches.Read], footprint: _Footprint
) -> Shares:
    """Empty: nothing is known."""
    tables = [_table(read, level) for level in _LEVELS]
    whole = sum(row.events for row in asked)
    if not whole:
        return footprint.shares(None)
    sums: Shares = defaultdict(float)
    for row in asked:
        found = ((level(row), table) for level, table in zip(_LEVELS, tables))
        parts = next((table[place] for place, table in found if place in table), None)
        if parts is None:
            parts = footprint.shares(_function(row))
        for thing, part in parts.items():
            sums[thing] += part * row.events / whole
    return dict(sums)


def _table(read: list[sql_prefetches.Read], level: _Key) -> dict[Place | None, Shares]:
    sums: dict[Place | None, Shares] = defaultdict(lambda: defaultdict(float))
    for row in read:
        if row.remote and (place := level(row)) is not None:
            sums[place][row.thing] += row.remote
    return {place: _parts(found) for place, found in sums.items()}


class _Footprint:
    """Pages on other nodes than the readers', of objects that load samples hardly see."""

    def __init__(
        self, samples: Samples, read: list[sql_prefetches.Read], readers: list[Reader], key: str, page_bytes: int
    ) -> None:
        self._read = read
        self._lines_of_page = page_bytes // 1024 * LINES_OF_KIB
        self._pages: dict[int, Shares] = defaultdict(lambda: defaultdict(float))
        for row in samples.touched:
            if row.thing and row.home is not None:
                self._pages[row.thing][row.home] += row.pages
        self._weights: Shares = defaultdict(float)
        for reader in readers:
            self._weights[reader.node] += reader.remote.get(key, 0.0)

    def shares(self, asking: Place | None) -> Shares:
        """asking: the function that makes the requests, if that is known."""
        elsewhere: Shares = defaultdict(float)
        for row in self._read:
            if asking is None or _function(row) != asking:
                elsewhere[row.thing] += row.accesses
        unseen = {
            thing: homes
            for thing, homes in self._pages.items()
            if elsewhere[thing] < HARDLY_SAMPLED * self._lines_of_page * sum(homes.values())
        }
        sums: Shares = defaultdict(float)
        for node, weight in self._weights.items():
            remote = {thing: sum(homes.values()) - homes.get(node, 0.0) for thing, homes in unseen.items()}
            for thing, part in _parts(remote).items():
                sums[thing] += part * weight
        return _parts(sums)
