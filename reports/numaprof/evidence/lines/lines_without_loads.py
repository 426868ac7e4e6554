# SPDX-License-Identifier: Apache-2.0
"""Objects of remote lines that load samples do not tell: of loads whose lines were all prefetched, and of stores.

A store asks to own a line (RFO), and has prefetches of its own. What it writes it has not read just before, or the line
would be there. So it has the objects on other nodes that the loads of its function do not read, by their pages; load
samples that hardly see these anywhere confirm that. Where one instruction of the function reads several objects, they
change places, as in a stencil: what is written in one pass is read in the next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from numaprof.evidence.request_classes import DIRECT, RFO
from numaprof.evidence.thresholds import (
    HARDLY,
    HARDLY_SAMPLED,
    LINE_BYTES,
    MIN_OBJECT_BYTES,
    MIN_SAMPLES_OF_PART,
    READ_IN_TURNS,
)
from numaprof.recording.sql import sql_prefetches

Shares = dict[int, float]  # thing -> part of a whole


def parts_of(sums: Mapping[int, float]) -> Shares:
    whole = sum(sums.values())
    return {thing: part / whole for thing, part in sums.items()} if whole else {}


Place = tuple[object, ...]
Key = Callable[["sql_prefetches.Asked | sql_prefetches.Read"], Optional[Place]]


def line_of(row: sql_prefetches.Asked | sql_prefetches.Read) -> Place | None:
    return (row.module, row.file, row.line) if row.line else None


def function_of(row: sql_prefetches.Asked | sql_prefetches.Read) -> Place | None:
    return (row.module, row.function) if row.function else None


@dataclass(frozen=True)
class Footprint:
    """Where threads run and data lies."""

    nodes: Mapping[int, int]  # of threads that stay on one
    pages: Mapping[int, Mapping[int, float]]  # first touched, by thing and node
    lines_of_page: int
    in_cache: frozenset[int]  # things that fit the caches of a core


@dataclass(frozen=True)
class Unseen:
    """Objects that load samples hardly see, by their pages on other nodes than the readers'."""

    footprint: Footprint
    read: list[sql_prefetches.Read]
    readers: Mapping[int, float]  # remote requests by the node of their threads

    def shares(self, asking: Place | None) -> Shares:
        """asking: the function that makes the requests, if it has a name: what it reads is not counted as seen."""
        seen: Shares = defaultdict(float)
        for row in self.read:
            if asking is None or function_of(row) != asking:
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
            for thing, part in parts_of(remote).items():
                sums[thing] += part * requests
        return parts_of(sums)

    def unread(self, function: Place) -> tuple[Shares, bool]:
        """Objects that the function's loads do not read; True: nor do others, but for a few."""
        reads: Shares = defaultdict(float)
        for row in self.read:
            if function_of(row) == function:
                reads[row.thing] += row.accesses
        least = HARDLY * sum(reads.values())
        others = {thing for thing in self.footprint.pages if reads.get(thing, 0.0) <= least}
        shares = self.by_pages(others)
        return shares, shares.keys() <= self.shares(None).keys()

    def read_in_turns(self, function: Place) -> bool:
        """One instruction of the function reads several objects on other nodes."""
        by_place: dict[int, list[float]] = defaultdict(list)
        for row in self.read:
            if function_of(row) == function and row.samples >= MIN_SAMPLES_OF_PART:
                by_place[row.place].append(row.remote)
        return any(sorted(of)[-2] > READ_IN_TURNS * sum(of) for of in by_place.values() if len(of) > 1)


def stores(asked: Mapping[str, Sequence[sql_prefetches.Asked]]) -> frozenset[int]:
    """Places with at least as many RFO as demand reads. Where there are fewer, the instruction is a load soon after a
    store: an overflow sample may be of a later instruction than the one that asked. asked: by column."""
    more: dict[int, float] = defaultdict(float)
    for key, rows in asked.items():
        sign = 1.0 if key == RFO.key else -1.0 if key in DIRECT else 0.0
        for row in rows:
            more[row.place] += sign * row.events
    own = {row.place for row in asked.get(RFO.key, ())}
    return frozenset(place for place in own if more[place] >= 0.0)
