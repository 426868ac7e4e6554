# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of counters that did not count all the time. Nothing is scaled without `coverage` saying so, and what is
scaled has an error, which may be unknown (None)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from numaprof.evidence.errors import Error, Strata, combined, error_of
from numaprof.evidence.estimates import Estimated
from numaprof.evidence.thresholds import FULL_COVERAGE, MIN_COVERAGE, MOST_LONGER, MOST_UNTIMED, SMALL_PART


@dataclass(frozen=True)
class Amount:
    """A number of requests, and how much of the time it was counted in."""

    estimate: float | None
    coverage: float | None
    strata: Strata | None = field(default=None, compare=False)  # None: the error is not known
    by_work: bool = field(default=False, compare=False)  # scaled by instructions where it was scaled

    @cached_property
    def error(self) -> Error | None:
        return error_of(self.strata)

    @property
    def scaled(self) -> bool:
        return self.estimate is not None and self.coverage is not None and self.coverage < FULL_COVERAGE

    @property
    def bounds(self) -> tuple[float, float]:
        """The 95 % interval; of an error that is not known, the estimate alone."""
        estimate, half = self.estimate or 0.0, self.error.half_width if self.error is not None else 0.0
        return max(0.0, estimate - half), estimate + half

    def times(self, factor: float) -> Amount:
        estimate = None if self.estimate is None else factor * self.estimate
        return replace(self, estimate=estimate, strata=combined([(factor, self.strata)]))


NOTHING = Amount(None, None)


@dataclass(frozen=True)
class Count:
    """What one event counted in one scope: a thread, a CPU, a node."""

    value: int
    running_ns: int
    time_ns: int | None  # what the scope really ran on a CPU; None: not known
    estimated: Estimated | None = None  # from its intervals; None: these are not known
    nodes: tuple[int, ...] = ()  # where the scope ran; empty: not known
    instead: Amount | None = None  # what it is taken for in sums, if not for its own amount

    @cached_property
    def coverage(self) -> float | None:
        """Share of the CPU time in which the event had a counter. Not running/enabled: see docs/recording.md."""
        return min(1.0, self.running_ns / self.time_ns) if self.time_ns else None

    @cached_property
    def by_work(self) -> bool:
        """Its size is in instructions: CPU time also passes while the host or the sibling thread has the core."""
        return self.estimated is not None and self.estimated.by_work

    @cached_property
    def amount(self) -> Amount:
        """For the whole of the time. No estimate where too little of it was seen, unless its error is known."""
        coverage = self.coverage
        if coverage is not None and coverage >= FULL_COVERAGE:
            return Amount(self.value, coverage, {}, self.by_work)
        strata = self.estimated.strata if self.estimated else None
        if coverage is None or (self.estimated.hardly_seen if self.estimated else coverage < MIN_COVERAGE):
            return Amount(None, coverage, strata, self.by_work)
        estimate = self.estimated.total if self.estimated else self.value / coverage
        return Amount(estimate, coverage, strata, self.by_work)

    @property
    def in_sums(self) -> Amount:
        return self.instead or self.amount


class _Extent(NamedTuple):
    """What was counted, and how much was seen, of how much: instructions, or nanoseconds."""

    value: int
    seen: float
    size: float

    @property
    def part(self) -> float:
        return min(1.0, self.seen / self.size) if self.size else 0.0


def _extent(counts: Sequence[Count], by_work: bool) -> _Extent:
    """Of scopes of known time. by_work: in instructions, which are known of all."""
    value = sum(count.value for count in counts)
    if by_work:
        known = [count.estimated for count in counts if count.estimated is not None]
        return _Extent(value, sum(scope.seen for scope in known), sum(scope.size for scope in known))
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


def completed(counts: Sequence[Count]) -> list[Count]:
    """One event over all scopes. Those that were hardly seen (short threads that met one turn of the rotation, or none)
    are taken to have asked as much by their size as others: of the same nodes and about as short, else about as short,
    else of the same nodes, else all. So every sum over scopes has the same parts, and rows add up to the whole."""
    timed = [count for count in counts if count.time_ns is not None]
    unseen = [count for count in timed if count.amount.estimate is None]
    by_work = all(count.by_work for count in timed)
    if not unseen or not _extent(timed, by_work).seen:
        return list(counts)
    longest = MOST_LONGER * max(count.time_ns or 0 for count in unseen)
    short = [count for count in timed if (count.time_ns or 0) <= longest]
    rates: dict[tuple[int, ...], float] = {}
    for nodes in {count.nodes for count in unseen}:
        near = [[count for count in some if count.nodes == nodes] for some in (short, timed)]
        extents = [_extent(some, by_work) for some in (near[0], short, near[1])]
        like = next((some for some in extents if some.part >= MIN_COVERAGE), _extent(timed, by_work))
        rates[nodes] = like.value / like.seen
    return [
        replace(count, instead=replace(count.amount, estimate=rates[count.nodes] * _extent([count], by_work).size))
        if count.time_ns is not None and count.amount.estimate is None
        else count
        for count in counts
    ]


def pooled(counts: Sequence[Count]) -> Amount:
    """One event over many scopes, completed, each scaled by its own coverage. Too little of all of them together is an
    estimate only where its error is known, as for one scope."""
    if len(counts) == 1:
        return counts[0].amount if counts[0].amount.estimate is None else counts[0].in_sums
    timed = [count for count in counts if count.time_ns is not None]
    whole, everything = summed(timed), summed(counts)
    untimed = everything.running_ns - whole.running_ns > MOST_UNTIMED * everything.running_ns
    amounts = [count.in_sums for count in timed]
    estimates = [amount.estimate for amount in amounts if amount.estimate is not None]
    if untimed or whole.coverage is None or not whole.running_ns or len(estimates) < len(amounts):
        return Amount(None, whole.coverage)
    estimate = sum(estimates)
    unknown = sum(amount.estimate or 0.0 for amount in amounts if amount.strata is None)
    is_small = unknown <= SMALL_PART * estimate and estimate > 0
    strata = combined((1, amount.strata) for amount in amounts if amount.strata is not None or not is_small)
    by_work = all(count.by_work for count in timed)
    if strata is None and _extent(timed, by_work).part < MIN_COVERAGE:
        return Amount(None, whole.coverage)
    return Amount(estimate, whole.coverage, strata, by_work and any(amount.strata != {} for amount in amounts))


def together(amounts: Sequence[Amount]) -> Amount:
    """Several events in one scope: known if all are, seen as little as the least seen."""
    if not amounts:
        return NOTHING
    estimates = [amount.estimate for amount in amounts if amount.estimate is not None]
    coverages = [amount.coverage for amount in amounts if amount.coverage is not None]
    complete = len(estimates) == len(amounts)
    coverage = min(coverages) if len(coverages) == len(amounts) else None
    scaled = [amount for amount in amounts if amount.scaled]
    by_work = bool(scaled) and all(amount.by_work for amount in scaled)
    strata = combined((1, amount.strata) for amount in amounts)
    return Amount(sum(estimates) if complete else None, coverage, strata, by_work)


def difference(whole: Amount, part: Amount) -> Amount:
    """What is left of it. Counted at different times, a part may come out a little larger than the whole."""
    both = together([whole, part.times(-1)])
    return both if both.estimate is None else replace(both, estimate=max(0.0, both.estimate))


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
    uncounted: Uncounted = Uncounted()

    @cached_property
    def share_error(self) -> Error | None:
        """Of the share, by the delta method: what local and remote have in common cancels."""
        share, total = self.share, self.total
        if share is None or not total:
            return None
        return error_of(combined([((1 - share) / total, self.remote.strata), (-share / total, self.local.strata)]))

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
        return together([self.local, self.remote]).error

    @property
    def share(self) -> float | None:
        """Remote part of all; None where one side is unknown or nothing was counted."""
        total = self.total
        return self.remote.estimate / total if total and self.remote.estimate is not None else None

    @property
    def scaled(self) -> bool:
        return self.local.scaled or self.remote.scaled


def added(traffics: Iterable[Traffic]) -> Traffic:
    """Several kinds of requests in one scope."""
    parts = list(traffics)
    return Traffic(together([part.local for part in parts]), together([part.remote for part in parts]))
