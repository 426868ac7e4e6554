# SPDX-License-Identifier: Apache-2.0
"""What a user can name: variables and allocation sites, else memory that goes by the line that first touched it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

from numaprof.evidence.first_touches import Touches, summed
from numaprof.evidence.samples import Samples, Touched, Used
from numaprof.evidence.source_location import ELSEWHERE, UNKNOWN, Site, is_library, site_of
from numaprof.evidence.thresholds import (
    HARDLY,
    HUGE_FAULT,
    MIN_GROWTH,
    MIN_OBJECT_BYTES,
    MIN_PHASE_USES,
    NEARLY_ALL,
)
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_accesses, sql_objects
from numaprof.recording.sql.sql_locations import Place
from numaprof.recording.sql.sql_samples import LOAD, STORE, LookedAtTwice
from numaprof.text.format import number_list

UNNAMED = "memory"
_OUTLINED = r"\._omp_fn\.|\.omp_outlined"  # functions that compilers make of regions of OpenMP
SHARED = "shared"  # the recording's word for memory that processes share under a name


@dataclass(frozen=True)
class Before:
    """Pages of an object that were first touched when they were something else."""

    site: Site
    thread: int
    pages: float


@dataclass(frozen=True)
class Object(Touches):
    kind: str  # the recording's word; UNNAMED: told apart by the place of first touch alone
    name: str | None
    allocated: Site | None
    caller: Site | None  # of the function that allocates; of UNNAMED, of that which first touches
    is_wrapped: bool  # other callers use the same place to allocate
    in_region: bool  # allocated within a parallel region of OpenMP, by one of its threads
    blocks: int | None
    bytes: float | None  # most that lived at one time
    used: tuple[Used, ...]  # accesses that DRAM answered, or hint faults
    answers: tuple[sql_accesses.Answer, ...]  # who answered the sampled loads
    before: tuple[Before, ...]
    huge: sql_objects.HugeRegions | None = None
    huge_pages: float = 0.0  # of the pages first touched, those that came as huge ones
    unclear: tuple[sql_objects.Unclear, ...] = ()  # page faults that may have been first touches
    looked_at_twice: tuple[LookedAtTwice, ...] = ()  # of its pages, those whose node is known twice
    mapped_before: bool = False  # before the recorder came
    page_bytes: int = 0
    things: tuple[int, ...] = ()  # of the recording (queries_objects), the one that is used most first
    grows: bool = False  # one block after the other, each larger
    since: int = 0  # when the first block of it was allocated
    until: int | None = None  # when the last block of it was given back; None: never
    numbers: str = ""  # of the allocations at one line, where these behave differently: 2-5

    @property
    def pages_at_most(self) -> float:
        """With those whose page faults may have been first touches."""
        return self.pages + sum(row.pages for row in self.unclear)

    @property
    def placed_before(self) -> bool:
        """Before the recorder came: the first touches that it saw are those of a part at most."""
        return self.mapped_before and self.pages * self.page_bytes < NEARLY_ALL * (self.bytes or 0.0)

    @property
    def moves(self) -> dict[tuple[int, int], float]:
        """Pages that were on another node when last looked at than after the first touch: by both nodes."""
        return summed(((row.first, row.last), row.pages) for row in self.looked_at_twice if row.first != row.last)

    @property
    def main_share(self) -> float:
        """Of all that may have been first touches: who touched what nobody saw is not known."""
        sums = dict(self.pages_by_thread)
        for row in self.unclear:
            sums[row.thread] = sums.get(row.thread, 0.0) + row.pages
        return sums.get(self.main_thread, 0.0) / (sum(sums.values()) or 1.0) if sums else 0.0

    @property
    def came_in_huge_pages(self) -> bool:
        """Most page faults on it brought a huge page each."""
        return self.pages >= HUGE_FAULT * max(1, sum(row.samples for row in self.touched))

    @property
    def is_ours(self) -> bool:
        """Memory of the library that is loaded into the program to observe it: by its name, else by who touched it."""
        made = self.allocated or self.site
        return is_library(self.name) or (self.name is None and made is not None and is_library(made.module))

    @property
    def named(self) -> bool:
        return self.kind != UNNAMED

    @property
    def site(self) -> Site | None:
        """The place that touched most of it."""
        sums = self.pages_by_site
        return max(sums, key=lambda site: sums[site], default=None)

    @cached_property
    def homes(self) -> dict[int, float]:
        """Pages by their home; where first touches do not tell, accesses by the home of what they reach. The kernel may
        have filled nearly all of it (mlock, read), which is no touch of the program's."""
        few = sum(self.known_homes.values()) * self.page_bytes < HARDLY * (self.bytes or 0.0)
        return (few and self.used_homes) or self.known_homes or self.used_homes

    @cached_property
    def used_homes(self) -> dict[int, float]:
        """Accesses by the home of what they reach."""
        return summed((row.page_node, row.accesses) for row in self.used if row.page_node is not None)

    @cached_property
    def remote(self) -> float:
        return sum(row.accesses for row in self.used if row.remote)

    @cached_property
    def known(self) -> float:
        """Accesses of which it is known whether they were remote."""
        return sum(row.accesses for row in self.used if row.remote is not None)

    @cached_property
    def known_samples(self) -> int:
        return sum(row.samples for row in self.used if row.remote is not None)

    @cached_property
    def later(self) -> tuple[Used, ...]:
        """The steady phase, where one can be told from the initialisation."""
        steady = tuple(row for row in self.used if row.steady)
        enough = sum(row.samples for row in steady) >= MIN_PHASE_USES
        return steady if enough else tuple(row for row in self.used if row.thread != row.init_thread)

    @cached_property
    def stores(self) -> float:
        return sum(answer.weight for answer in self.answers if answer.kind == STORE)

    @cached_property
    def loads(self) -> float:
        return sum(answer.weight for answer in self.answers if answer.kind == LOAD)


@dataclass(frozen=True)
class Objects:
    """All of them, those with most remote accesses first, then the largest."""

    found: tuple[Object, ...]
    attributed: tuple[sql_objects.Attributed, ...]
    answers: tuple[sql_accesses.Answer, ...]  # of all samples, also those of no object


Row = TypeVar("Row", LookedAtTwice, sql_accesses.Answer, sql_objects.Unclear, Touched, Used)


def _by_thing(rows: Iterable[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row.thing:
            found[row.thing].append(row)
    return found


def load_objects(recording: Recording, samples: Samples, page_bytes: int) -> Objects:
    """After load_samples, whose tables it reads."""
    answers = recording.rows(sql_accesses.Answer, sql_accesses.ANSWERS)
    parts = _Parts(recording, samples, answers, page_bytes).all()
    found = sorted(_merged(parts), key=lambda object: (-object.remote, -object.pages, object.kind, object.name or ""))
    attributed = tuple(recording.rows(sql_objects.Attributed, sql_objects.ATTRIBUTED))
    return Objects(tuple(found), attributed, tuple(answers))


class _Parts:
    """Objects before those that nobody can tell apart are merged, from what is read once."""

    def __init__(
        self,
        recording: Recording,
        samples: Samples,
        all_answers: Sequence[sql_accesses.Answer],
        page_bytes: int,
    ) -> None:
        self._page_bytes, self._sites = page_bytes, samples.sites
        self._touched, self._used = _by_thing(samples.touched), _by_thing(samples.used)
        self._answers = _by_thing(all_answers)
        self._named = {row.id: row for row in recording.rows(sql_objects.Named, sql_objects.NAMED)}
        self._growing = {
            row.thing for row in recording.rows(sql_objects.Growing, sql_objects.GROWING, blocks=MIN_GROWTH)
        }
        self._ended = {row.thing: row.end_ns for row in recording.rows(sql_objects.Ended, sql_objects.ENDED)}
        self._paths = _paths(recording)
        self._wrapped = _wrapped(self._paths)
        self._callers = {
            row.thing: _site(row) for row in recording.rows(sql_objects.TouchCaller, sql_objects.TOUCH_CALLERS)
        }  # that with most pages is the last
        self._before = _before(recording, samples)
        regions = recording.rows(sql_objects.HugeRegions, sql_objects.HUGE_REGIONS, huge_fault=HUGE_FAULT)
        self._huge = {row.thing: row for row in regions}
        huge_touches = recording.rows(sql_objects.HugeTouches, sql_objects.HUGE_TOUCHES, huge_fault=HUGE_FAULT)
        self._came_huge = {row.thing: row.pages for row in huge_touches}
        self._mapped_before = {row.thing for row in recording.rows(sql_objects.PlacedBefore, sql_objects.PLACED_BEFORE)}
        self._looked_at_twice = _by_thing(samples.looked_at_twice)
        self._unclear = _by_thing(recording.rows(sql_objects.Unclear, sql_objects.UNCLEAR))

    def all(self) -> list[Object]:
        things = {*self._touched, *self._used, *self._answers, *self._named}
        return [
            self._object(thing) for thing in sorted(things, key=abs) if thing in self._named or self._touched[thing]
        ]

    def _object(self, thing: int) -> Object:
        return Object(
            touched=tuple(self._touched[thing]),
            kind=self._named[thing].kind if thing in self._named else UNNAMED,
            name=self._named[thing].name if thing in self._named else None,
            allocated=self._paths[thing].site if thing in self._paths else None,
            caller=self._paths[thing].caller if thing in self._paths else self._callers.get(thing),
            is_wrapped=thing in self._wrapped,
            in_region=thing in self._paths and self._paths[thing].in_region,
            blocks=self._named[thing].blocks if thing in self._named else None,
            bytes=self._named[thing].bytes if thing in self._named else None,
            used=tuple(self._used[thing]),
            answers=tuple(self._answers[thing]),
            before=tuple(self._before[thing]),
            huge=self._huge.get(thing),
            huge_pages=self._came_huge.get(thing, 0.0),
            unclear=tuple(self._unclear[thing]),
            looked_at_twice=tuple(self._looked_at_twice[thing]),
            things=(thing,),
            mapped_before=thing in self._mapped_before,
            page_bytes=self._page_bytes,
            grows=thing in self._growing,
            since=self._named[thing].start_ns or 0 if thing in self._named else 0,
            until=self._ended.get(thing),
        )


def _merged(parts: list[Object]) -> list[Object]:
    """Objects that nobody can tell apart are one: those of forked processes, stacks, mappings of one file."""
    groups: dict[object, list[Object]] = defaultdict(list)
    for part in parts:
        key = (part.kind, part.name, part.allocated, part.caller)
        groups[key if part.named else part.site].append(part)
    return [found for group in groups.values() for found in _told_apart(group)]


def _told_apart(group: list[Object]) -> list[Object]:
    """Several allocations at one line are one object, unless they are touched in different ways."""
    alike: list[list[Object]] = []
    for part in sorted(group, key=_use_samples, reverse=True):
        fitting = next((each for each in alike if all(_behave_alike(part, other) for other in each)), None)
        if fitting is None:
            alike.append([part])
        else:
            fitting.append(part)
    if len(alike) == 1 or group[0].allocated is None:
        return [_sum(group)]
    order = sorted(group, key=lambda part: part.since)
    return [replace(_sum(each), numbers=number_list([order.index(part) + 1 for part in each])) for each in alike]


def _behave_alike(one: Object, other: Object) -> bool:
    """As far as it is known of both."""
    small = min(one.bytes or 0.0, other.bytes or 0.0) < MIN_OBJECT_BYTES
    serial = [each.main_share >= NEARLY_ALL for each in (one, other)]
    return small or not (one.pages and other.pages and serial[0] != serial[1])


def _sum(group: list[Object]) -> Object:
    if len(group) == 1:
        return group[0]
    used = max(group, key=_use_samples)
    sizes, blocks = ([part.bytes or 0.0 for part in group], [part.blocks or 0 for part in group])
    together = max if used.kind == SHARED else sum  # what several processes have mapped is there once
    return replace(
        used,
        touched=tuple(row for part in group for row in part.touched),
        blocks=together(blocks) or None,
        bytes=together(sizes) or None,
        used=tuple(row for part in group for row in part.used),
        answers=tuple(row for part in group for row in part.answers),
        before=tuple(row for part in group for row in part.before),
        huge_pages=sum(part.huge_pages for part in group),
        unclear=tuple(row for part in group for row in part.unclear),
        looked_at_twice=tuple(row for part in group for row in part.looked_at_twice),
        since=min(part.since for part in group),
        until=_last([part.until for part in group]),
        mapped_before=any(part.mapped_before for part in group),
        things=tuple(thing for part in (used, *(part for part in group if part is not used)) for thing in part.things),
    )


def _use_samples(part: Object) -> int:
    return sum(row.samples for row in part.used)


def _last(ends: list[int | None]) -> int | None:
    known = [end for end in ends if end is not None]
    return max(known) if len(known) == len(ends) else None


def _site(row: sql_objects.AllocationPlace | sql_objects.TouchCaller) -> Site:
    return site_of(Place(row.id, row.module, row.address, row.function, row.offset, row.file, row.line))


class _Path(NamedTuple):
    """Where an object is allocated, who called the function that does so, and whether a region of OpenMP did."""

    site: Site | None
    caller: Site | None
    in_region: bool


def _paths(recording: Recording) -> dict[int, _Path]:
    places: dict[int, list[tuple[int, Site]]] = defaultdict(list)
    for row in recording.rows(sql_objects.AllocationPlace, sql_objects.ALLOCATION_PATHS):
        places[row.object].append((row.rank, _site(row)))
    found: dict[int, _Path] = {}
    for object, path in places.items():
        best = max(rank for rank, _ in path)
        mine = [site for rank, site in path if rank == best]
        caller = next((site for site in mine if site.function != mine[0].function), None)
        if re.search(_OUTLINED, mine[0].function or ""):
            caller = None  # of a parallel region: one thread of the team has it, the others have none
        in_region = any(re.search(_OUTLINED, site.function or "") for _, site in path)
        found[object] = _Path(mine[0], caller, in_region)
    return found


def _wrapped(paths: dict[int, _Path]) -> set[int]:
    callers: dict[Site | None, set[Site | None]] = defaultdict(set)
    for path in paths.values():
        callers[path.site].add(path.caller)
    return {object for object, path in paths.items() if len(callers[path.site]) > 1}


def _before(recording: Recording, samples: Samples) -> dict[int, list[Before]]:
    found: dict[int, list[Before]] = defaultdict(list)
    for row in recording.rows(sql_objects.Recycled, sql_objects.RECYCLED):
        site = samples.sites.get(row.site, UNKNOWN)
        if site not in (UNKNOWN, ELSEWHERE):
            found[row.thing].append(Before(site, row.thread, row.pages))
    return found
