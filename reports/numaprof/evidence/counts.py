# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of counters that did not count all the time. Nothing is scaled without `coverage` saying so, and what is
scaled has an error, which may be unknown (None)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from numaprof.evidence.errors import EXACT, Error, Estimated, added, added_alike, between_scopes, of_unseen
from numaprof.evidence.thresholds import FULL_COVERAGE, MIN_COVERAGE, MIN_SPREAD, MOST_UNTIMED, SMALL_PART


@dataclass(frozen=True)
class Count:
    """What one event counted in one scope: a thread, a CPU, a node."""

    value: int
    running_ns: int
    time_ns: int | None  # what the scope really ran on a CPU; None: not known
    estimated: Estimated | None = None  # from its intervals; None: these are not known
    nodes: tuple[int, ...] = ()  # where the scope ran; empty: not known

    @cached_property
    def coverage(self) -> float | None:
        """Share of the CPU time in which the event had a counter. Not running/enabled: see docs/recording.md."""
        return min(1.0, self.running_ns / self.time_ns) if self.time_ns else None

    @cached_property
    def by_work(self) -> bool:
        """Its size is in instructions: CPU time also passes while the host or the sibling thread has the core."""
        return self.estimated is not None and self.estimated.by_work

    @cached_property
    def estimate(self) -> float | None:
        """The value for the whole of the time. None where too little of it was seen, unless its error is known."""
        coverage = self.coverage
        if coverage is None or (_extent([self]).part < MIN_COVERAGE and self.error is None):
            return None
        if coverage >= FULL_COVERAGE:
            return self.value
        return self.estimated.total if self.estimated else self.value / coverage

    @cached_property
    def error(self) -> Error | None:
        """Of the estimate, from the scope itself."""
        coverage = self.coverage
        if coverage is not None and coverage >= FULL_COVERAGE:
            return EXACT
        return self.estimated.own_error if self.estimated else None


class _Extent(NamedTuple):
    """What was counted, and how much was seen, of how much: instructions, or nanoseconds."""

    value: int
    seen: float
    size: float

    @property
    def part(self) -> float:
        return min(1.0, self.seen / self.size) if self.size else 0.0


def _extent(counts: Iterable[Count], by_work: bool = True) -> _Extent:
    """Of scopes of known time. by_work: in instructions if they are known of all."""
    counts = list(counts)
    value, estimates = sum(count.value for count in counts), [count.estimated for count in counts if count.by_work]
    if by_work and counts and len(estimates) == len(counts):
        known = [estimated for estimated in estimates if estimated is not None]
        return _Extent(value, sum(each.seen for each in known), sum(each.size for each in known))
    return _Extent(value, sum(count.running_ns for count in counts), sum(count.time_ns or 0 for count in counts))


def summed(counts: Iterable[Count]) -> Count:
    """One scope made of several. Time is known only if all of it is."""
    value = running = time = 0
    known = True
    for count in counts:
        value += count.value
        running += count.running_ns
        known = known and count.time_ns is not None
        time += count.time_ns or 0
    return Count(value, running, time if known else None)


@dataclass(frozen=True)
class Amount:
    """A number of requests, and how much of the time it was counted in."""

    estimate: float | None
    coverage: float | None
    error: Error | None = field(default=None, compare=False)
    by_work: bool = field(default=False, compare=False)  # scaled by instructions where it was scaled

    @property
    def scaled(self) -> bool:
        return self.estimate is not None and self.coverage is not None and self.coverage < FULL_COVERAGE

    @property
    def bounds(self) -> tuple[float, float]:
        """The 95 % interval; of an error that is not known, the estimate alone."""
        estimate, half = self.estimate or 0.0, self.error.half_width if self.error is not None else 0.0
        return max(0.0, estimate - half), estimate + half


NOTHING = Amount(None, None)


def pooled(counts: list[Count]) -> Amount:
    """One event over many scopes, each scaled by its own coverage.

    Scopes with too little of it (short threads that met one turn of the rotation, or none) are scaled together, those
    of the same nodes: so the sums of the nodes add up to the whole. If even that is too little, they are taken to have
    asked as much in a nanosecond as the others of these nodes did, if these were seen for long enough, else as all
    did. Too little of all of them together is an estimate only where its error is known, as for one scope.
    """
    if len(counts) == 1:
        return Amount(counts[0].estimate, counts[0].coverage, counts[0].error, _by_work(counts))
    timed = [count for count in counts if count.time_ns is not None]
    whole, everything = summed(timed), summed(counts)
    untimed = everything.running_ns - whole.running_ns > MOST_UNTIMED * everything.running_ns
    by_work = all(count.by_work for count in timed)
    everyone = _extent(timed, by_work)
    if untimed or whole.coverage is None or not everyone.seen:
        return Amount(None, whole.coverage)
    solid = sum(count.estimate for count in timed if count.estimate is not None)
    thin = [count for count in timed if count.estimate is None]
    left = sum(
        _scaled_together(_extent(some, by_work), _extent(others, by_work), everyone)
        for some, others in _by_nodes(thin, timed)
    )
    # The error is that of any scope's rate, of the larger sum: the others of the same nodes may be few.
    of_any = _extent(thin, by_work)
    alike = max(left, _scaled_together(of_any, everyone, everyone))
    seen = [count.estimated for count in timed if count.estimated is not None and count.estimated.seen]
    error = _error([count for count in timed if count.estimate is not None], seen)
    if alike > SMALL_PART * (solid + alike) or (thin and not solid + alike):
        error = added([error, of_unseen(alike, len(thin), of_any.size / everyone.seen, seen)])
    if everyone.part < MIN_COVERAGE and error is None:
        return Amount(None, whole.coverage)
    return Amount(solid + left, whole.coverage, error, _by_work(counts))


def _by_nodes(thin: list[Count], everyone: list[Count]) -> Iterator[tuple[list[Count], list[Count]]]:
    """What was hardly seen, and all that ran on the same nodes."""
    for nodes in {count.nodes for count in thin}:
        yield [count for count in thin if count.nodes == nodes], [count for count in everyone if count.nodes == nodes]


def _scaled_together(thin: _Extent, others: _Extent, everyone: _Extent) -> float:
    """By what was seen of them, else at the rate of the others, else of everyone."""
    like = next((each for each in (thin, others) if each.part >= MIN_COVERAGE), everyone)
    return thin.size * like.value / like.seen


def _error(counts: list[Count], everyone: list[Estimated]) -> Error | None:
    """Scopes with an error of their own, and those too short for one together; everyone: all scopes that were seen."""
    short = _short(counts)
    variance = between_scopes([(one, one) for one in short], [(one, one) for one in everyone]) if short else 0.0
    if variance is None or any(count.error is None and count.estimated is None for count in counts):
        return None
    least = sum(estimated.least_variance for estimated in short)
    spread = short if len(short) >= MIN_SPREAD else everyone
    together = Error(max(variance, least), len(spread) - 1) if short else EXACT
    return added([together, *(count.error for count in counts if count.error is not None)])


def _short(counts: list[Count]) -> list[Estimated]:
    return [count.estimated for count in counts if count.estimated is not None and count.error is None]


def _by_work(counts: list[Count]) -> bool:
    scaled = [count.estimated for count in counts if count.estimated is not None and count.error != EXACT]
    return bool(scaled) and all(estimated.by_work for estimated in scaled)


def covariance(pairs: list[tuple[Count, Count]], other: int) -> float:
    """Of the sums of two events over the same scopes; other: the second event."""
    own = sum(
        one.estimated.covariances.get(other, 0.0)
        for one, second in pairs
        if one.estimated is not None and one.error not in (None, EXACT) and second.error is not None
    )
    everyone = [  # in one group: seen in the same slices
        (one.estimated, second.estimated)
        for one, second in pairs
        if one.estimated is not None and second.estimated is not None and one.estimated.seen == second.estimated.seen
    ]
    short = [(one, second) for one, second in everyone if one.own_error is None and second.own_error is None]
    return own + (between_scopes(short, everyone) or 0.0)


def together(amounts: list[Amount]) -> Amount:
    """Several events in one scope: known if all are, seen as little as the least seen."""
    if not amounts:
        return NOTHING
    estimates = [amount.estimate for amount in amounts if amount.estimate is not None]
    coverages = [amount.coverage for amount in amounts if amount.coverage is not None]
    complete = len(estimates) == len(amounts)
    coverage = min(coverages) if len(coverages) == len(amounts) else None
    error = added(amount.error for amount in amounts)
    scaled = [amount for amount in amounts if amount.scaled]
    by_work = bool(scaled) and all(amount.by_work for amount in scaled)
    return Amount(sum(estimates) if complete else None, coverage, error, by_work)


def difference(whole: Amount, part: Amount) -> Amount:
    """What is left of it. Counted at different times, a part may come out a little larger than the whole."""
    both = together([whole, part])
    if whole.estimate is None or part.estimate is None:
        return Amount(None, both.coverage)
    estimate = max(0.0, whole.estimate - part.estimate)
    return Amount(estimate, both.coverage, both.error, both.by_work)


@dataclass(frozen=True)
class Uncounted:
    """CPU time of a scope in which it had no counters."""

    part: float = 0.0  # of its CPU time
    requests: float = 0.0  # that it made in that time, at most


@dataclass(frozen=True)
class Traffic:
    """Requests that DRAM answered, of one kind in one scope."""

    local: Amount = NOTHING
    remote: Amount = NOTHING
    covariance: float = 0.0  # of the two
    uncounted: Uncounted = Uncounted()

    @cached_property
    def share_error(self) -> Error | None:
        """Of the share, by the delta method."""
        share, total = self.share, self.total
        if share is None or not total or self.local.error is None or self.remote.error is None:
            return None
        remote, local = self.remote.error.times(1 - share), self.local.error.times(share)
        both = added([remote, local]) if not self.covariance else added_alike(remote, local)
        assert both is not None
        shared = 2 * share * (1 - share) * self.covariance
        return Error(max(0.0, both.variance - shared) / total**2, both.freedom)

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the share; None: not known. Requests that nobody counted may be all local, or all remote.

        Where the delta method goes beyond 0 or 1, errors are too large for it: the share of the counts' own bounds.
        """
        share, error = self.share, self.share_error
        if share is None or error is None:
            return None
        low, high = share - error.half_width, share + error.half_width
        remote, local = self.remote.bounds, self.local.bounds
        if low <= 0.0:
            low = remote[0] / (remote[0] + local[1]) if remote[0] else 0.0
        if high >= 1.0:
            high = remote[1] / (remote[1] + local[0]) if remote[1] else 1.0
        if not self.uncounted.requests:
            return low, high
        missed = self.uncounted.requests / ((self.total or 0.0) + self.uncounted.requests)
        return (1 - missed) * low, (1 - missed) * high + missed

    @cached_property
    def coverage(self) -> float | None:
        coverage = together([self.local, self.remote]).coverage
        return None if coverage is None else coverage * (1 - self.uncounted.part)

    @cached_property
    def total(self) -> float | None:
        return together([self.local, self.remote]).estimate

    @cached_property
    def total_error(self) -> Error | None:
        """Of the total; None: not known."""
        both = together([self.local, self.remote]).error
        return None if both is None else Error(max(0.0, both.variance + 2 * self.covariance), both.freedom)

    @property
    def share(self) -> float | None:
        """Remote part of all; None where one side is unknown or nothing was counted."""
        total = self.total
        return self.remote.estimate / total if total and self.remote.estimate is not None else None

    @property
    def scaled(self) -> bool:
        return self.local.scaled or self.remote.scaled


def combined(traffics: Iterable[Traffic]) -> Traffic:
    """Several kinds of requests in one scope."""
    parts = list(traffics)
    return Traffic(
        together([part.local for part in parts]),
        together([part.remote for part in parts]),
        sum(part.covariance for part in parts),
    )
