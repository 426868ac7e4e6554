# SPDX-License-Identifier: Apache-2.0
"""What the samples tell: who first touched what at which line, which line reads remotely, who uses whose pages."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from numaprof.evidence.counts import Traffic
from numaprof.evidence.request_classes import DIRECT
from numaprof.evidence.source_location import ELSEWHERE, UNKNOWN, Site, site_of
from numaprof.evidence.thresholds import (
    HARDLY,
    MAINLY,
    MIN_REMOTE_SAMPLES,
    MOST_OBJECTS,
    MOST_PLACES,
    MOST_SAMPLES,
    NEARLY_ALL,
    SPELLS,
)
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_accesses, sql_locations, sql_objects, sql_samples


class Touched(NamedTuple):
    """Pages first touched at one place by one thread."""

    thing: int | None  # what it is part of (queries_objects)
    site: Site
    thread: int
    node: int | None  # where the thread ran
    home: int | None  # where the pages are
    pages: float
    samples: int


class Caused(NamedTuple):
    """Remote accesses by one instruction's line, from overflow samples: no addresses."""

    site: Site
    thread: int
    node: int | None
    events: float
    samples: int


class Used(NamedTuple):
    """Accesses with addresses, and who had first touched what they reach."""

    kind: int
    thing: int | None
    init_thread: int | None
    site: Site
    loop: Site  # where the thread enters the program's own code, if that calls the site; else the site
    thread: int
    node: int | None
    page_node: int | None
    remote: bool | None
    steady: bool  # after the initialisation
    accesses: float
    samples: int
    squares: float  # sum of the squares of the samples' weights


class LibraryCall(NamedTuple):
    function: str
    container: bool  # of C++'s standard library


@dataclass(frozen=True)
class Spells:
    """Accesses by parts of the run: what shares of samples have their errors from."""

    remote: tuple[sql_accesses.Spell, ...] = ()
    slow: tuple[sql_accesses.Spell, ...] = ()  # who answered: the slow tier or other memory

    @cached_property
    def remote_of(self) -> dict[int, list[sql_accesses.Spell]]:
        """By thread."""
        found: dict[int, list[sql_accesses.Spell]] = defaultdict(list)
        for spell in self.remote:
            found[spell.thread].append(spell)
        return found


@dataclass(frozen=True)
class Samples:
    kinds: tuple[sql_samples.SampleKind, ...]
    touched: tuple[Touched, ...]
    caused: tuple[Caused, ...]
    used: tuple[Used, ...]
    homed_pages: dict[int, int]  # node -> base pages there when last looked at
    sites: dict[int | None, Site]  # by the recording's number of a place
    library_calls: dict[Site, LibraryCall]  # first touch happens inside this function, which the user cannot edit
    openmp: bool  # a runtime of OpenMP calls the program's functions
    modules: tuple[sql_locations.ModuleReads, ...]
    looked_at_twice: tuple[sql_samples.LookedAtTwice, ...]

    @cached_property
    def remote_accesses(self) -> float:
        """With a known address: what the parts of objects are parts of."""
        return sum(row.accesses for row in self.used if row.remote)

    @cached_property
    def tell_objects(self) -> bool:
        """There are enough accesses with addresses to say which objects are used remotely."""
        return sum(row.samples for row in self.used if row.remote) >= MIN_REMOTE_SAMPLES

    def taken(self, *kinds: int) -> int:
        return sum(row.samples for row in self.kinds if row.kind in kinds)

    @property
    def downsampled(self) -> tuple[sql_samples.SampleKind, ...]:
        """Kinds of which only a share was looked at."""
        return tuple(row for row in self.kinds if row.kind in sql_samples.PLACED_KINDS and row.samples > MOST_SAMPLES)


def pick_samples(recording: Recording) -> dict[int, tuple[int, ...]]:
    """After read_machine: chooses the samples to look at, and returns the nodes on which each thread was sampled."""
    knows = recording.has_table("placed_before")
    recording.run(
        sql_samples.LAST_SNAPSHOTS,
        sql_samples.WAS_THERE if knows else sql_samples.NONE_WAS_THERE,
        sql_samples.ELSEWHERE,
        *([sql_samples.FILL_ELSEWHERE] if recording.has_table("same_memory") else []),
        *sql_samples.KIND_SUMS,
        sql_samples.PICKED,
        most=MOST_SAMPLES,
    )
    return _nodes_of_thread(recording.rows(sql_samples.ThreadNode, sql_samples.THREAD_NODES))


def weigh_threads(recording: Recording, counted: Mapping[int, Mapping[str, Traffic]]) -> None:
    """After pick_samples. counted: columns of the threads."""
    sampled = {row.thread: row.accesses for row in recording.rows(sql_accesses.Sampled, sql_accesses.SAMPLED)}
    recording.run(*sql_accesses.WEIGHED, factors=json.dumps(thread_weights(sampled, counted)))


def thread_weights(sampled: Mapping[int, float], counted: Mapping[int, Mapping[str, Traffic]]) -> dict[int, float]:
    """Factors that make the accesses of threads as many, against each other, as was counted. The sum of all stays.

    sampled: accesses that DRAM answered, by thread. A thread that is not in the result keeps its weights.
    docs/errors.md has the measurements.
    """
    known = {thread: _counted_total(counted.get(thread, {})) for thread, accesses in sampled.items() if accesses > 0}
    totals = {thread: total for thread, total in known.items() if total}
    accesses = sum(sampled[thread] for thread in totals) / (sum(totals.values()) or 1.0)
    return {thread: total * accesses / sampled[thread] for thread, total in totals.items()}


def _counted_total(columns: Mapping[str, Traffic]) -> float | None:
    """None: not known well enough. Local requests of some time slices and remote ones of others make no sum: with a
    single offcore register such sums were off by a factor of two."""
    traffic = next((columns[key] for key in DIRECT if key in columns), Traffic())
    together = not traffic.scaled or traffic.local.coverage == traffic.remote.coverage
    return traffic.total if together else None


def load_samples(recording: Recording, page_bytes: int) -> Samples:
    """After weigh_threads."""
    recording.run(*sql_samples.BY_ONE_THREAD, page_bytes=page_bytes, hardly=HARDLY)
    recording.run(*sql_locations.STACK_SITES, places=MOST_PLACES)
    recording.run(*sql_objects.THINGS, page_bytes=page_bytes, objects=MOST_OBJECTS, placed_since=NEARLY_ALL)
    sites = _sites(recording)
    kinds = recording.rows(sql_samples.SampleKind, sql_samples.SAMPLE_KINDS)
    touches = recording.rows(sql_samples.Touch, sql_samples.TOUCHES, page_bytes=page_bytes)
    uses = recording.rows(sql_accesses.Use, sql_accesses.USES)
    return Samples(
        kinds=tuple(kinds),
        touched=_merged_touches(touches, sites, _touched_pages(kinds)),
        caused=_merged_overflows(recording.rows(sql_samples.Overflow, sql_samples.OVERFLOWS), sites),
        used=tuple(_used(row, sites) for row in uses),
        sites=dict(sites),
        library_calls=_library_calls(recording.rows(sql_locations.LibraryCall, sql_locations.LIBRARY_CALLS), sites),
        openmp=bool(recording.one(sql_locations.Truth, sql_locations.OPENMP).answer),
        modules=tuple(recording.rows(sql_locations.ModuleReads, sql_locations.MODULE_READS)),
        homed_pages={row.node: row.pages for row in recording.rows(sql_samples.HomedPages, sql_samples.HOMED_PAGES)},
        looked_at_twice=tuple(
            recording.rows(sql_samples.LookedAtTwice, sql_samples.LOOKED_AT_TWICE, page_bytes=page_bytes)
        ),
    )


def load_spells(recording: Recording, counted: bool, has_slow_tier: bool) -> Spells:
    """After load_samples. counted: counters tell what is remote, so that no share of samples does."""

    def ask(query: str) -> tuple[sql_accesses.Spell, ...]:
        return tuple(recording.rows(sql_accesses.Spell, query, spells=SPELLS))

    return Spells(
        remote=() if counted else ask(sql_accesses.REMOTE_SPELLS),
        slow=ask(sql_accesses.SLOW_SPELLS) if has_slow_tier else (),
    )


def _sites(recording: Recording) -> dict[int | None, Site]:
    sites: dict[int | None, Site] = defaultdict(lambda: UNKNOWN)
    sites[sql_locations.ELSEWHERE] = ELSEWHERE
    sites.update((place.id, site_of(place)) for place in recording.rows(sql_locations.Place, sql_locations.PLACES))
    return sites


def _touched_pages(kinds: list[sql_samples.SampleKind]) -> int:
    return sum(row.weight for row in kinds if row.kind in sql_samples.FIRST_KINDS)


def _merged_touches(rows: list[sql_samples.Touch], sites: dict[int | None, Site], pages: int) -> tuple[Touched, ...]:
    """Instructions of one line become one; biggest first. Where only a share was looked at, the sum is still exact."""
    looked_at = sum(row.pages for row in rows)
    factor = pages / looked_at if looked_at else 1.0
    sums: dict[tuple[int | None, Site, int, int | None, int | None], list[float]] = defaultdict(lambda: [0, 0])
    for row in rows:
        total = sums[row.thing, sites[row.site], row.thread, row.node, row.home]
        total[0] += row.pages * factor
        total[1] += row.samples
    merged = [Touched(*key, pages=total, samples=int(samples)) for key, (total, samples) in sums.items()]
    return tuple(sorted(merged, key=lambda touched: -touched.pages))


def _merged_overflows(rows: list[sql_samples.Overflow], sites: dict[int | None, Site]) -> tuple[Caused, ...]:
    sums: dict[tuple[Site, int, int | None], list[float]] = defaultdict(lambda: [0, 0])
    for row in rows:
        total = sums[sites[row.site], row.thread, row.node]
        total[0] += row.events
        total[1] += row.samples
    merged = [Caused(*key, events=events, samples=int(samples)) for key, (events, samples) in sums.items()]
    return tuple(sorted(merged, key=lambda caused: -caused.events))


def _library_calls(rows: list[sql_locations.LibraryCall], sites: dict[int | None, Site]) -> dict[Site, LibraryCall]:
    """The rows come with what touches most first. A line that touches by itself as well is not a call."""
    shares: dict[Site, float] = defaultdict(float)
    for row in rows:
        shares[sites[row.site]] += row.share
    calls: dict[Site, LibraryCall] = {}
    for row in rows:
        if shares[sites[row.site]] >= MAINLY:
            calls.setdefault(sites[row.site], LibraryCall(row.function, bool(row.container)))
    return calls


def _used(row: sql_accesses.Use, sites: dict[int | None, Site]) -> Used:
    return Used(
        row.kind,
        row.thing,
        row.init_thread,
        sites[row.site],
        sites[row.loop if row.loop is not None else row.site],
        row.thread,
        row.node,
        row.page_node,
        None if row.remote is None else bool(row.remote),
        bool(row.steady),
        row.accesses,
        row.samples,
        row.squares,
    )


def _nodes_of_thread(rows: list[sql_samples.ThreadNode]) -> dict[int, tuple[int, ...]]:
    nodes: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        nodes[row.thread].append(row.node)
    return {thread: tuple(sorted(found)) for thread, found in nodes.items()}
