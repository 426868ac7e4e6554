# SPDX-License-Identifier: Apache-2.0
"""Estimates what multiplexed events would have counted, and the error of that: docs/errors.md.

The rate of an event, in all that it saw of a scope, is taken for all of the scope's size: a combined ratio estimator
(Cochran, Sampling Techniques, 3rd ed., 6.11). Size is instructions where they are known in and out of the group, else
CPU time. In each part of the scope's time the event counted more or less than by that rate: half the mean squared
difference of successive such residuals estimates the variance (Wolter, Introduction to Variance Estimation, 2nd ed.,
8.2). A little is added for what no part shows. It is never smaller than that of independent events (Poisson), of which
a few may have happened unseen even where none was counted.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby
from operator import attrgetter, mul, sub
from typing import NamedTuple

from numaprof.evidence.errors import Estimated, own_error
from numaprof.evidence.thresholds import UNSEEN_PART, UNSEEN_REQUESTS
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_estimates
from numaprof.recording.sql.sql_estimates import Part

Estimates = Mapping[tuple[int, int], Estimated]  # (scope, event); sql_estimates has the scopes


def load_estimates(
    recording: Recording, events: Iterable[int], clocks: Iterable[int], by_work: bool = True
) -> Estimates:
    """by_work: scale by instructions where they are known, else by CPU time. Events that saw nothing of a scope have
    an estimate without error there, for its size."""
    events = sorted(events)
    counted, timed = json.dumps(events), json.dumps(sorted(clocks))
    sql = sql_estimates.parts(recording.one(sql_estimates.HasWork, sql_estimates.HAS_WORK).found > 0)
    recording.run(*sql_estimates.SPAN, clocks=timed)
    paces = {scope: list(parts) for scope, parts in _by_scope(recording.rows(Part, sql, events=timed, apart=0))}
    found = {
        (scope, event): estimated
        for scope, parts in _by_scope(recording.rows(Part, sql, events=counted, apart=1))
        for event, estimated in _of_scope(parts, paces[scope], by_work)
    }
    unseen = {scope: _unseen(pace, by_work) for scope, pace in paces.items()}
    return {(scope, event): found.get((scope, event), unseen[scope]) for scope in paces for event in events}


def _unseen(clocks: Iterable[Part], by_work: bool) -> Estimated:
    passed, pace = _columns(clocks)
    work = sum(part or 0 for part in pace.work)
    by_work = by_work and work > 0 and all(pace.has_work)
    return Estimated(0.0, 0.0, float(work if by_work else sum(passed)), 0.0, by_work, None)


def _by_scope(parts: Iterable[Part]) -> Iterator[tuple[int, Iterator[Part]]]:
    return groupby(parts, attrgetter("scope"))


class Times(NamedTuple):
    """When an event counted, and how much of the time and of the work it saw: the same of all events of a group."""

    at: tuple[int, ...]
    running: tuple[int, ...]
    work: tuple[int | None, ...]
    has_work: tuple[int, ...]


def _of_scope(parts: Iterable[Part], clocks: Iterable[Part], by_work: bool) -> Iterator[tuple[int, Estimated]]:
    passed, pace = _columns(clocks)
    groups: dict[Times, dict[int, tuple[int, ...]]] = defaultdict(dict)
    for event, own in groupby(parts, attrgetter("event")):
        values, times = _columns(own)
        groups[times][event] = values
    for times, counted in groups.items():
        slices = _slices(times, pace, passed, by_work)
        if slices is not None:
            yield from _of_group(slices, counted)


def _columns(parts: Iterable[Part]) -> tuple[tuple[int, ...], Times]:
    _, _, at, values, running, work, has_work = zip(*parts)
    return values, Times(at, running, work, has_work)


class Slices(NamedTuple):
    """What the events of a group saw of a scope; sizes are instructions (by_work) or nanoseconds."""

    seen: tuple[int, ...]  # by part of the scope's time
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
    def variance_factor(self) -> float:
        """What the variance of a count is multiplied by, with the finite population factor."""
        return self.scale**2 * (1 - 1 / self.scale)

    @property
    def effective(self) -> float:
        """Parts that would tell as much, had the events seen the same of each."""
        return float(self.whole**2 / sum(map(mul, self.seen, self.seen)))


def _slices(own: Times, pace: Times, passed: Sequence[int], by_work: bool) -> Slices | None:
    """None: the event saw nothing. passed: what the clocks counted."""
    by_work = by_work and any(pace.work) and all(own.has_work) and all(pace.has_work)
    seen = tuple(part or 0 for part in own.work) if by_work else own.running
    size = sum(part or 0 for part in pace.work) if by_work else sum(passed)
    return Slices(seen, size, by_work) if sum(seen) > 0 else None


def _of_group(slices: Slices, values: Mapping[int, Sequence[int]]) -> Iterator[tuple[int, Estimated]]:
    """Events of one group saw the same slices, and so have covariances. Events of different groups are taken as
    independent."""
    counted = {event: sum(own) for event, own in values.items()}
    steps = {event: _steps(own, slices.seen) for event, own in values.items()}
    whole, scale, factor, effective = slices.whole, slices.scale, slices.variance_factor, slices.effective

    def covariance(one: int, other: int) -> float:
        changes: float = sum(map(mul, steps[one], steps[other])) / max(1, len(slices.seen) - 1)
        unseen = UNSEEN_PART * counted[one] * counted[other] / effective**2
        return factor * (0.5 * len(slices.seen) * changes + unseen)

    covariances: dict[int, dict[int, float]] = defaultdict(dict)
    for one, other in combinations(values, 2):
        covariances[one][other] = covariances[other][one] = covariance(one, other)
    parts = sum(seen > 0 for seen in slices.seen)
    for event, count in counted.items():
        least = factor * (count + UNSEEN_REQUESTS)
        yield (
            event,
            Estimated(
                scale * count,
                count / whole,
                float(slices.size),
                float(whole),
                slices.by_work,
                own_error(max(covariance(event, event), least), parts, effective if scale > 1 else None),
                covariances[event],
            ),
        )


def _steps(values: Sequence[int], seen: Sequence[int]) -> list[float]:
    """From each part to the next one: how much more was counted than the rate of all parts tells."""
    rate = sum(values) / sum(seen)
    residuals = [value - rate * size for value, size in zip(values, seen)]
    return list(map(sub, residuals[1:], residuals))
