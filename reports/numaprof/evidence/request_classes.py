# SPDX-License-Identifier: Apache-2.0
"""Which events count what: from the catalogue's class and placement to the columns and sides of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from numaprof.recording.sql.sql_counts import Event
from numaprof.text.format import plural

LOCAL, REMOTE, BOTH = "local", "remote", "both"


class Column(NamedTuple):
    key: str
    heading: str
    meaning: str  # within "... of DRAM requests (...)"


ANY = Column("any", "all requests", "all requests")
DEMAND = Column("demand", "demand", "demand reads")
ACCESSES = Column("demand", "demand", "demand accesses")  # loads and stores, where they are not told apart
RFO = Column("rfo", "RFO", "RFO")
PREFETCH = Column("prefetch", "prefetch", "prefetches")
RETIRED = Column("retired", "retired loads", "retired loads, without prefetches")
DIRECT = (DEMAND.key, RETIRED.key)  # what sampled loads see themselves

# Placements that are memory of this node or of another, by preference: parts that add up stand in one tuple.
# docs/events.md explains the words; a suffix marks a variant of the same.
_PLACEMENTS = {
    LOCAL: (("local_dram",),),
    REMOTE: (("remote_dram", "other_cluster"), ("remote_near", "remote_far", "other_cluster")),
    BOTH: (("any_dram",),),
}
# The same for the slow tier, with the kind of memory that the words stand for (docs/recording.md, node_memory).
_SLOW = {"CXL": (("any_cxl",), ("local_cxl", "remote_cxl")), "persistent": (("local_pmem", "remote_pmem"),)}


class Partial(NamedTuple):
    """A column that was not opened for every thread: open files had run out."""

    column: Column
    counted: int
    threads: int  # of which anything was counted

    @property
    def words(self) -> str:
        return f"{self.column.meaning}, which were counted in {self.counted} of {plural(self.threads, 'thread')} only"


@dataclass(frozen=True)
class Population:
    """What the verdict counts, and in which words."""

    columns: tuple[Column, ...]
    partial: tuple[Partial, ...] = ()  # columns that are not in it, for they lack threads

    @property
    def words(self) -> str:
        return " + ".join(column.meaning for column in self.columns)

    @property
    def misses(self) -> str | None:
        """Requests that the verdict leaves out; None: none."""
        keys = {column.key for column in self.columns}
        if self.partial:
            return "; ".join(part.words for part in self.partial)
        if "demand" in keys and "prefetch" not in keys:
            return "prefetches"
        return "prefetches, which retired loads do not include" if keys == {"retired"} else None


@dataclass(frozen=True)
class EventMap:
    """The events of one recording, sorted into columns."""

    columns: tuple[Column, ...]
    events: dict[tuple[str, str], tuple[int, ...]]  # (column key, side) -> event ids
    time: tuple[int, ...]  # task-clock
    partial: tuple[Partial, ...] = ()
    slow: tuple[int, ...] = ()  # demand requests that a slow tier answered
    slow_kind: str | None = None  # of that tier's memory

    def of(self, column: Column, side: str) -> tuple[int, ...]:
        return self.events.get((column.key, side), ())

    def of_column(self, column: Column) -> tuple[int, ...]:
        return tuple(event for side in (LOCAL, REMOTE, BOTH) for event in self.of(column, side))

    @property
    def counted(self) -> frozenset[int]:
        return frozenset(event for ids in (*self.events.values(), self.slow) for event in ids)

    @property
    def verdict(self) -> Population | None:
        """All requests where they are counted; else what adds up to them; else what retired."""
        lacking = {part.column for part in self.partial}
        have = [column for column in self.columns if self.splits(column) and column not in lacking]
        if ANY in have:
            return Population((ANY,))
        parts = tuple(column for column in have if column in (DEMAND, ACCESSES, RFO, PREFETCH))
        if DEMAND in parts or ACCESSES in parts:
            return Population(parts, tuple(part for part in self.partial if part.column != RETIRED))
        return Population((RETIRED,)) if RETIRED in have else None

    def splits(self, column: Column) -> bool:
        """Local and remote are told apart."""
        return bool(self.of(column, LOCAL)) and bool(self.of(column, REMOTE) or self.of(column, BOTH))


def sort_events(events: Sequence[Event]) -> EventMap:
    counted = [event for event in events if event.collector == "counters"]
    present = {event.request for event in counted}
    classes: dict[Column, tuple[str, ...]] = {
        ANY: _first(present, "any", "any_l2", "reads"),
        (DEMAND if "demand_rd" in present else ACCESSES): _first(present, "demand_rd", "demand"),
        RFO: ("demand_rfo",),
        PREFETCH: _prefetch_classes(present),
        RETIRED: ("retired_load",),
    }
    found = {}
    for column, names in classes.items():
        for side, placements in _PLACEMENTS.items():
            ids = tuple(id for name in names for id in _side(counted, name, placements))
            if ids:
                found[column.key, side] = ids
    columns = tuple(column for column in classes if any((column.key, side) in found for side in _PLACEMENTS))
    slow_kind, slow = next(_slow(counted, _first(present, "demand_rd", "demand")), (None, ()))
    return EventMap(
        columns, found, tuple(event.id for event in events if event.request == "time"), slow=slow, slow_kind=slow_kind
    )


def _slow(events: Sequence[Event], requests: Sequence[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
    for kind, placements in _SLOW.items():
        ids = tuple(id for request in requests for id in _side(events, request, placements))
        if ids:
            yield kind, ids


def _first(present: set[str], *names: str) -> tuple[str, ...]:
    return next(((name,) for name in names if name in present), ())


def _prefetch_classes(present: set[str]) -> tuple[str, ...]:
    """Those that do not overlap."""
    if "pf_any" in present:
        return ("pf_any",)
    level2 = ("pf_l2",) if "pf_l2" in present else ("pf_l2_rd", "pf_l2_rfo")
    return tuple(name for name in ("pf_l1", *level2, "pf_l3", "pf_sw") if name in present)


def _side(events: Sequence[Event], request: str, placements: Sequence[Sequence[str]]) -> list[int]:
    """The first choice that the recording has. Variants of one placement count the same requests: one of them."""
    for words in placements:
        chosen: dict[str, int] = {}
        for event in events:
            word = _placement(event.placement, words)
            if event.request == request and word is not None:
                chosen.setdefault(word, event.id)
        if words[0] in chosen:
            return list(chosen.values())
    return []


def _placement(name: str, words: Sequence[str]) -> str | None:
    return next((word for word in words if name == word or name.startswith(word + "_")), None)
