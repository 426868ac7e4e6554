# SPDX-License-Identifier: Apache-2.0
"""Which events count what: from the catalogue's class and placement to the columns and sides of the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from numaprof.queries import Event

LOCAL, REMOTE = "local", "remote"


class Column(NamedTuple):
    key: str
    heading: str
    meaning: str  # within "... of DRAM requests (...)"


ANY = Column("any", "all requests", "all requests")
DEMAND = Column("demand", "demand", "demand reads")
RFO = Column("rfo", "RFO", "RFO")
PREFETCH = Column("prefetch", "prefetch", "prefetches")
RETIRED = Column("retired", "retired loads", "retired loads, without prefetches")

# Placements that are memory of this node or of another. Variants of a word (_anysnoop, ...) count the same thing.
_LOCAL = ("local_dram", "local_socket_dram")
_REMOTE = ("remote_dram", "other_cluster_same_socket", "remote_near", "remote_far")


@dataclass(frozen=True)
class Population:
    """What the verdict counts, and in which words."""

    columns: tuple[Column, ...]

    @property
    def words(self) -> str:
        return " + ".join(column.meaning for column in self.columns)

    @property
    def misses(self) -> str | None:
        """What the verdict does not see."""
        keys = {column.key for column in self.columns}
        if "demand" in keys and "prefetch" not in keys:
            return "prefetches are not counted on this CPU"
        return "retired loads see no prefetches" if keys == {"retired"} else None


@dataclass(frozen=True)
class EventMap:
    """The events of one recording, sorted into columns."""

    columns: tuple[Column, ...]
    events: dict[tuple[str, str], tuple[int, ...]]  # (column key, side) -> event ids
    time: tuple[int, ...]  # task-clock

    def of(self, column: Column, side: str) -> tuple[int, ...]:
        return self.events.get((column.key, side), ())

    @property
    def verdict(self) -> Population | None:
        """All requests where they are counted; else what adds up to them; else what retired."""
        have = [column for column in self.columns if self.of(column, LOCAL) and self.of(column, REMOTE)]
        if ANY in have:
            return Population((ANY,))
        parts = tuple(column for column in have if column in (DEMAND, RFO, PREFETCH))
        if DEMAND in parts:
            return Population(parts)
        return Population((RETIRED,)) if RETIRED in have else None


def sort_events(events: Sequence[Event]) -> EventMap:
    counted = [event for event in events if event.collector == "counters"]
    prefetch = _prefetch_classes({event.request for event in counted})
    classes = {
        ANY: ("any",),
        DEMAND: ("demand_rd",),
        RFO: ("demand_rfo",),
        PREFETCH: prefetch,
        RETIRED: ("retired_load",),
    }
    found = {}
    for column, names in classes.items():
        for side in (LOCAL, REMOTE):
            ids = tuple(id for name in names for id in _side(counted, name, side))
            if ids:
                found[column.key, side] = ids
    columns = tuple(column for column in classes if (column.key, LOCAL) in found or (column.key, REMOTE) in found)
    return EventMap(columns, found, tuple(event.id for event in events if event.request == "time"))


def _prefetch_classes(present: set[str]) -> tuple[str, ...]:
    """Those that do not overlap."""
    if "pf_any" in present:
        return ("pf_any",)
    level2 = ("pf_l2_all",) if "pf_l2_all" in present else ("pf_l2_rd", "pf_l2_rfo")
    return tuple(name for name in ("pf_l1", *level2, "pf_l3", "pf_sw") if name in present)


def _side(events: Sequence[Event], request: str, side: str) -> list[int]:
    """One event for each placement of this side: variants of one placement count the same requests."""
    chosen: dict[str, int] = {}
    for event in events:
        word = _placement(event.placement, _LOCAL if side == LOCAL else _REMOTE)
        if event.request == request and word is not None:
            chosen.setdefault(word, event.id)
    # The socket holds its clusters: with both counted, take the cluster's own, and its neighbours as remote.
    if len(chosen) > 1 and side == LOCAL:
        chosen.pop("local_socket_dram", None)
    return list(chosen.values())


def _placement(name: str, words: Sequence[str]) -> str | None:
    return next((word for word in words if name == word or name.startswith(word + "_")), None)
