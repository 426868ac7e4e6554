# SPDX-License-Identifier: Apache-2.0
"""Estimates what multiplexed events would have counted, and the error of that: docs/errors.md.

The rate of an event, in all that it saw of a scope, is taken for all of the scope's size: a combined ratio estimator
(Cochran, Sampling Techniques, 3rd ed., 6.11). Size is instructions where they are known in and out of the group, else
CPU time. In each part of the scope's time the event counted more or less than by that rate: these residuals are the
clusters. Scopes that live at the same time have the same parts: what they do in step errs together. Scopes with too
few parts are clusters themselves, beside those that were seen as briefly.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import sqrt
from operator import attrgetter, mul
from typing import NamedTuple

from numaprof.evidence.errors import NORMAL, Contrasts, Strata, student, successive
from numaprof.evidence.thresholds import IN_STEP, MIN_COVERAGE, MIN_PARTS, MIN_SPREAD, UNSEEN_PART, UNSEEN_REQUESTS
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_estimates
from numaprof.recording.sql.sql_estimates import MOST, Part


@dataclass(frozen=True)
class Estimated:
    """What an event would have counted in one scope, had it had a counter all the time."""

    total: float
    rate: float  # per unit of size
    size: float  # instructions (by_work) or nanoseconds of the scope ...
    seen: float  # ... and those in which the event had a counter
    by_work: bool
    strata: Strata | None  # None: the error is not known
    brief: bool = False  # too few parts of its time were seen to tell an error of its own

    @property
    def hardly_seen(self) -> bool:
        """Its own rate says nothing: others stand for it."""
        return self.brief and self.seen < MIN_COVERAGE * self.size


Estimates = Mapping[tuple[int, int], Estimated]  # (scope, event); sql_estimates has the scopes


def load_estimates(
    recording: Recording, events: Iterable[int], clocks: Iterable[int], by_work: bool = True
) -> Estimates:
    """by_work: scale by instructions where they are known, else by CPU time. Events that saw nothing of a scope have
    an estimate of 0 there, for its size."""
    events = sorted(events)
    counted, timed = json.dumps(events), json.dumps(sorted(clocks))
    sql = sql_estimates.parts(recording.one(sql_estimates.HasWork, sql_estimates.HAS_WORK).found > 0)
    spans = _in_step(recording.rows(sql_estimates.Span, sql_estimates.SPANS, clocks=timed))
    recording.run(*sql_estimates.SPAN, spans=json.dumps(spans))
    cohorts = {span.scope: span.cohort for span in spans}
    paces = {scope: list(parts) for scope, parts in _by_scope(recording.rows(Part, sql, events=timed, apart=0))}
    groups: dict[int, int] = {}  # the first event of the group of each event
    found: dict[tuple[int, int], Estimated] = {}
    for scope, parts in _by_scope(recording.rows(Part, sql, events=counted, apart=1)):
        for event, group, estimated in _of_scope(scope, cohorts[scope], parts, paces[scope], by_work):
            found[scope, event] = estimated
            groups[event] = group
    unseen = {scope: _unseen(pace, by_work) for scope, pace in paces.items()}
    for event in events:
        mine = {scope: found.get((scope, event), unseen[scope]) for scope in paces}
        found.update({(scope, event): known for scope, known in _with_brief(event, groups, mine)})
    return found


def _in_step(spans: list[sql_estimates.Span]) -> list[sql_estimates.Span]:
    """Scopes that begin and end together, with the parts of the first of them."""
    found: list[sql_estimates.Span] = []
    leader: sql_estimates.Span | None = None
    for span in sorted(spans, key=lambda span: (span.first, -span.last, span.scope)):
        if leader is None or not _near(span, leader):
            leader = span
        found.append(span._replace(cohort=leader.scope, first=leader.first, step=leader.step))
    return found


def _near(span: sql_estimates.Span, leader: sql_estimates.Span) -> bool:
    apart = max(abs(span.first - leader.first), abs(span.last - leader.last))
    return apart <= max(leader.step, (leader.last - leader.first) // IN_STEP)


def _unseen(clocks: Iterable[Part], by_work: bool) -> Estimated:
    passed, pace = _columns(clocks)
    work = sum(part or 0 for part in pace.work)
    by_work = by_work and work > 0 and all(pace.has_work)
    return Estimated(0.0, 0.0, float(work if by_work else sum(passed)), 0.0, by_work, None, True)


def _by_scope(parts: Iterable[Part]) -> Iterator[tuple[int, Iterator[Part]]]:
    return groupby(parts, attrgetter("scope"))


class Times(NamedTuple):
    """When an event counted, and how much of the time and of the work it saw: the same of all events of a group."""

    at: tuple[int, ...]
    running: tuple[int, ...]
    work: tuple[int | None, ...]
    has_work: tuple[int, ...]


def _of_scope(
    scope: int, cohort: int, parts: Iterable[Part], clocks: Iterable[Part], by_work: bool
) -> Iterator[tuple[int, int, Estimated]]:
    """Each event with the first one of its group."""
    passed, pace = _columns(clocks)
    groups: dict[Times, dict[int, tuple[int, ...]]] = defaultdict(dict)
    for event, own in groupby(parts, attrgetter("event")):
        values, times = _columns(own)
        groups[times][event] = values
    for times, counted in groups.items():
        slices = _slices(times, pace, passed, by_work)
        if slices is not None:
            group = min(counted)
            for event, values in counted.items():
                estimated = _estimated(slices, values, scope=scope, cohort=cohort, group=group, event=event)
                yield event, group, estimated


def _columns(parts: Iterable[Part]) -> tuple[tuple[int, ...], Times]:
    _, _, at, values, running, work, has_work = zip(*parts)
    return values, Times(at, running, work, has_work)


class Slices(NamedTuple):
    """What the events of a group saw of a scope; sizes are instructions (by_work) or nanoseconds."""

    at: tuple[int, ...]  # parts of the scope's time
    seen: tuple[int, ...]  # of each
    size: int  # of the scope
    by_work: bool

    @property
    def whole(self) -> int:
        return sum(self.seen)

    @property
    def scale(self) -> float:
        """Clocks are read one after the other, so that a little more may have been seen than there was."""
        return max(1.0, self.size / self.whole)

    @property
    def spread(self) -> float:
        """What a deviation of a count is multiplied by, with the finite population factor."""
        return self.scale * sqrt(1 - 1 / self.scale)

    @property
    def effective(self) -> float:
        """Parts that would tell as much, had the events seen the same of each."""
        return float(self.whole**2 / sum(map(mul, self.seen, self.seen)))


def _slices(own: Times, pace: Times, passed: Sequence[int], by_work: bool) -> Slices | None:
    """None: the event saw nothing. passed: what the clocks counted."""
    by_work = by_work and any(pace.work) and all(own.has_work) and all(pace.has_work)
    seen = tuple(part or 0 for part in own.work) if by_work else own.running
    size = sum(part or 0 for part in pace.work) if by_work else sum(passed)
    return Slices(own.at, seen, size, by_work) if sum(seen) > 0 else None


def _estimated(slices: Slices, values: Sequence[int], *, scope: int, cohort: int, group: int, event: int) -> Estimated:
    """Events of one group saw the same slices, and so have the same clusters."""
    count, whole, scale = sum(values), slices.whole, slices.scale
    rate = count / whole
    brief = scale > 1 and sum(seen > 0 for seen in slices.seen) < MIN_PARTS
    strata: Strata | None = {} if scale == 1 else None
    if scale > 1 and not brief:
        # What no part shows may be in the time without a counter, the same for all events of the group.
        unseen = slices.spread * sqrt(UNSEEN_PART) * count / slices.effective
        residuals = [slices.spread * (value - rate * seen) for value, seen in zip(values, slices.seen)]
        steps = successive(residuals, slices.effective)._replace(family=(cohort, group), beyond=unseen)
        least = slices.spread**2 * (count + UNSEEN_REQUESTS)
        strata = _at_least((scope, group), steps, least, (scope, event, "single"))
    return Estimated(scale * count, rate, float(slices.size), float(whole), slices.by_work, strata, brief)


def _at_least(stratum: Hashable, contrasts: Contrasts, least: float, single: Hashable) -> dict[Hashable, Contrasts]:
    """Never less than of independent single events, of which a few may have happened where none was seen."""
    known, strata = contrasts.variance, {stratum: contrasts}
    return {**strata, single: Contrasts([sqrt(least - known)])} if least > known else strata


class _Alike(NamedTuple):
    """How the rates of scopes differ that were seen as briefly."""

    spread: list[float]  # of a scope of which one unit of size was seen: it falls as more is seen
    scopes: int
    seen: float
    squares: float  # sum of the squares of what was seen of each
    requests: float


def _with_brief(
    event: int, groups: Mapping[int, int], mine: Mapping[int, Estimated]
) -> Iterator[tuple[int, Estimated]]:
    brief = {scope: known for scope, known in mine.items() if known.brief}
    seen = [known for known in brief.values() if known.seen]
    if len(seen) < MIN_SPREAD:
        seen = [known for known in mine.values() if known.seen]
    alike = _alike(seen) if len(seen) >= MIN_SPREAD else None
    for scope, known in mine.items():
        if known.brief and alike is not None:
            yield scope, replace(known, strata=_of_brief(known, alike, scope, event, groups[event]))
        else:
            yield scope, known


def _alike(scopes: Sequence[Estimated]) -> _Alike:
    whole = sum(known.seen for known in scopes)
    count = sum(known.rate * known.seen for known in scopes)
    rate, number = count / whole, min(len(scopes), MOST)
    seen, counts = [0.0] * number, [0.0] * number
    for at, known in enumerate(scopes):
        seen[at % number] += known.seen
        counts[at % number] += known.rate * known.seen
    # All take this spread: they know it no better together, so that its degrees of freedom are in it.
    factor = student(number - 1) / NORMAL / sqrt(number - 1)
    spread = [factor * (value - rate * size) / sqrt(size) for value, size in zip(counts, seen)]
    return _Alike(spread, len(scopes), whole, sum(known.seen**2 for known in scopes), count)


def _of_brief(known: Estimated, alike: _Alike, scope: int, event: int, group: int) -> Strata:
    """Its own rate has the spread of the others'; one that was hardly seen has their mean rate, and may differ from it
    as much as one of them."""
    if not known.hardly_seen:
        factor = sqrt(known.size * max(0.0, known.size - known.seen) / known.seen)
        least = factor**2 * (known.rate * known.seen + UNSEEN_REQUESTS) / known.seen
        own = Contrasts([factor * value for value in alike.spread])
        return _at_least((scope, group), own, least, (scope, event, "single"))
    mean = alike.seen / alike.scopes
    of_mean = known.size * sqrt(alike.squares / mean) / alike.seen
    least = (alike.requests + UNSEEN_REQUESTS) * (known.size / alike.seen) ** 2
    common = Contrasts([of_mean * value for value in alike.spread])
    own = Contrasts([known.size / sqrt(mean) * value for value in alike.spread])
    return {(scope, group): own, **_at_least(("mean", group), common, least, ("mean", event, "single"))}
