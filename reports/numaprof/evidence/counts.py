# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of counters that did not count all the time. Nothing is scaled without `coverage` saying so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from numaprof.evidence.thresholds import FULL_COVERAGE, MIN_COVERAGE, MOST_UNTIMED


@dataclass(frozen=True)
class Count:
    """What one event counted in one scope: a thread, a CPU, a node."""

    value: int
    running_ns: int
    time_ns: int | None  # what the scope really ran on a CPU; None: not known

    @property
    def coverage(self) -> float | None:
        """Share of the CPU time in which the event had a counter. Not running/enabled: see docs/recording.md."""
        return min(1.0, self.running_ns / self.time_ns) if self.time_ns else None

    @property
    def estimate(self) -> float | None:
        """The value for the whole of the time, or None where too little of it was seen."""
        coverage = self.coverage
        if coverage is None or coverage < MIN_COVERAGE:
            return None
        return self.value if coverage >= FULL_COVERAGE else self.value / coverage


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

    @property
    def scaled(self) -> bool:
        return self.estimate is not None and self.coverage is not None and self.coverage < FULL_COVERAGE


NOTHING = Amount(None, None)


def pooled(counts: list[Count]) -> Amount:
    """One event over many scopes, each scaled by its own coverage.

    Scopes with too little of it (short threads that met one turn of the rotation, or none) are scaled together; if even
    that is too little, they are taken to have asked as much in a nanosecond as all others did.
    """
    if len(counts) == 1:
        return Amount(counts[0].estimate, counts[0].coverage)
    timed = [(count, count.estimate) for count in counts if count.time_ns is not None]
    whole, everything = summed(count for count, _ in timed), summed(counts)
    untimed = everything.running_ns - whole.running_ns > MOST_UNTIMED * everything.running_ns
    if untimed or whole.coverage is None or whole.coverage < MIN_COVERAGE:
        return Amount(None, whole.coverage)
    solid = sum(estimate for _, estimate in timed if estimate is not None)
    thin = summed(count for count, estimate in timed if estimate is None)
    left = thin.estimate
    if left is None:
        left = (thin.time_ns or 0) * whole.value / whole.running_ns
    return Amount(solid + left, whole.coverage)


def together(amounts: list[Amount]) -> Amount:
    """Several events in one scope: known if all are, seen as little as the least seen."""
    if not amounts:
        return NOTHING
    estimates = [amount.estimate for amount in amounts if amount.estimate is not None]
    coverages = [amount.coverage for amount in amounts if amount.coverage is not None]
    complete = len(estimates) == len(amounts)
    return Amount(sum(estimates) if complete else None, min(coverages) if len(coverages) == len(amounts) else None)


def difference(whole: Amount, part: Amount) -> Amount:
    """What is left of it. Counted at different times, a part may come out a little larger than the whole."""
    coverage = together([whole, part]).coverage
    if whole.estimate is None or part.estimate is None:
        return Amount(None, coverage)
    return Amount(max(0.0, whole.estimate - part.estimate), coverage)


@dataclass(frozen=True)
class Traffic:
    """Requests that DRAM answered, of one kind in one scope."""

    local: Amount = NOTHING
    remote: Amount = NOTHING

    @property
    def coverage(self) -> float | None:
        return together([self.local, self.remote]).coverage

    @property
    def total(self) -> float | None:
        return together([self.local, self.remote]).estimate

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
    return Traffic(together([part.local for part in parts]), together([part.remote for part in parts]))
