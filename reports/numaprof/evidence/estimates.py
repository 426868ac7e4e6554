# SPDX-License-Identifier: Apache-2.0
"""Estimates what multiplexed events would have counted, and the error of that: docs/errors.md.

The parts of a scope's time are joined to blocks until the event saw enough of its size; the event's rate in a block is
taken for all of the block's size: a separate ratio estimator (Cochran, Sampling Techniques, 3rd ed., 6.10).
Size is instructions where they are known in and out of the group, else CPU time. Half the mean squared difference of
successive rates estimates their variance (Wolter, Introduction to Variance Estimation, 2nd ed., 8.2); it is never
smaller than that of independent events (Poisson), of which a few may have happened unseen even where none was counted.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, combinations, groupby
from operator import attrgetter, mul, sub
from typing import NamedTuple

from numaprof.evidence.errors import Estimated, own_error
from numaprof.evidence.thresholds import UNSEEN_REQUESTS
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_estimates
from numaprof.recording.sql.sql_estimates import Part

Estimates = Mapping[tuple[int, int], Estimated]  # (scope, event); sql_estimates has the scopes

# A block ends once its event saw this part of what it sees in an interval on average.
LEAST = 0.25


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
    blocks: dict[Times, Blocks | None] = {}
    groups: dict[Slices, dict[int, tuple[int, ...]]] = defaultdict(dict)
    for event, own in groupby(parts, attrgetter("event")):
        values, times = _columns(own)
        if times not in blocks:
            blocks[times] = _blocks(times, pace, passed, by_work)
        found = blocks[times]
        if found is not None:
            groups[found.slices][event] = tuple(_sums(found.places, values, len(found.slices.blocks)))
    for slices, counted in groups.items():
        yield from _of_group(slices, counted)


def _columns(parts: Iterable[Part]) -> tuple[tuple[int, ...], Times]:
    _, _, at, values, running, work, has_work = zip(*parts)
    return values, Times(at, running, work, has_work)


class Slices(NamedTuple):
    """What the events of a group saw, by block; sizes are instructions (by_work) or nanoseconds."""

    blocks: tuple[int, ...]
    seen: tuple[int, ...]
    sizes: tuple[int, ...]
    by_work: bool


class Blocks(NamedTuple):
    slices: Slices
    places: tuple[int, ...]  # the block of each part of the event


def _blocks(own: Times, pace: Times, passed: Sequence[int], by_work: bool) -> Blocks | None:
    """None: the event saw nothing. passed: what the clocks counted."""
    # Timers tell of an event and of the clock at different times: what came before the clock goes with it.
    last = len(pace.at) - 1
    at = [min(bisect_left(pace.at, time), last) for time in own.at]
    by_work = by_work and any(pace.work) and all(own.has_work) and all(pace.has_work)
    own_sizes = [part or 0 for part in own.work] if by_work else own.running
    seen_in = _sums(at, own_sizes, len(pace.at))
    whole = sum(seen_in)
    if whole <= 0:
        return None
    numbers = _numbers(seen_in, whole)
    blocks = {number: position for position, number in enumerate(dict.fromkeys(numbers))}
    own_block = tuple(blocks[numbers[position]] for position in at)
    pace_block = [blocks[number] for number in numbers]
    seen = _sums(own_block, own_sizes, len(blocks))
    sizes = _sums(pace_block, [part or 0 for part in pace.work] if by_work else passed, len(blocks))
    return Blocks(Slices(tuple(blocks), tuple(seen), tuple(sizes), by_work), own_block)


def _numbers(seen: Sequence[int], whole: int) -> list[int]:
    """The block of each part: what is left at the end and too little for a block goes to the last one."""
    least = LEAST * whole / sum(size > 0 for size in seen)
    before = [0, *accumulate(seen[:-1])]
    last = max(size for size in before if whole - size >= least)
    return [int(min(size, last) / least) for size in before]


def _sums(places: Iterable[int], values: Iterable[int], count: int) -> list[int]:
    sums = [0] * count
    for place, value in zip(places, values):
        sums[place] += value
    return sums


def _of_group(slices: Slices, values: Mapping[int, Sequence[int]]) -> Iterator[tuple[int, Estimated]]:
    """Events of one group saw the same slices, and so have covariances. Events of different groups are taken as
    independent."""
    # What the variance of a rate adds to that of the total, with the finite population factor. Clocks are read one
    # after the other, so that a little more may have been seen than there was.
    weights = [float(size) * max(0, size - seen) for seen, size in zip(slices.seen, slices.sizes)]
    squares = sum(map(mul, weights, weights))
    effective = sum(weights) ** 2 / squares if squares else None
    steps = _step_weights(slices.seen, weights)
    changes = {event: _changes(own, slices.seen) for event, own in values.items()}
    weighted = {event: list(map(mul, steps or (), own)) for event, own in changes.items()}
    covariances: dict[int, dict[int, float]] = defaultdict(dict)
    for one, other in combinations(values if squares else (), 2):
        covariances[one][other] = covariances[other][one] = sum(map(mul, weighted[one], changes[other]))
    for event, own in values.items():
        variance = sum(map(mul, weighted[event], changes[event])) if steps else None
        yield (
            event,
            Estimated(
                sum(
                    size * value / seen if seen else value for value, seen, size in zip(own, slices.seen, slices.sizes)
                ),
                sum(own) / max(1, sum(slices.seen)),
                float(sum(slices.sizes)),
                float(sum(slices.seen)),
                slices.by_work,
                own_error(_at_least_independent(variance, own, slices, weights), len(own), effective),
                covariances[event],
            ),
        )


def _at_least_independent(
    variance: float | None, values: Iterable[int], slices: Slices, weights: Iterable[float]
) -> float | None:
    """As if each request came by itself, and a few more than were counted."""
    if variance is None:
        return None
    size, seen = float(sum(slices.sizes)), sum(slices.seen)
    more = UNSEEN_REQUESTS * size * max(0.0, size - seen) / seen**2
    counted = sum(weight * value / seen**2 for value, seen, weight in zip(values, slices.seen, weights) if seen)
    return max(variance, counted + more)


def _changes(values: Sequence[int], seen: Sequence[int]) -> list[float]:
    """From one block's rate to the next one's."""
    rates = [value / size if size else 0.0 for value, size in zip(values, seen)]
    return list(map(sub, rates[1:], rates))


def _step_weights(seen: Sequence[int], weights: Sequence[float]) -> list[float] | None:
    """What the square of each change counts for in the variance of the total: half the mean square of the changes
    before and after a block estimates the variance of its rate. None: no two successive blocks have rates."""
    linked = [first != 0 and second != 0 for first, second in zip(seen, seen[1:])]
    if not any(linked):
        return None
    shares = [
        0.5 * weight / max(1, before + after)
        for weight, before, after in zip(weights, [False, *linked], [*linked, False])
    ]
    return [(one + other) * link for one, other, link in zip(shares, shares[1:], linked)]
