# SPDX-License-Identifier: Apache-2.0
"""Several values of one thing: their median and how far they lie apart. (The statistics module takes 10 ms to load.)"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from math import hypot, inf, log, sqrt

from numaprof.evidence.errors import Estimate, by_cluster, student
from numaprof.evidence.thresholds import MIN_PARTS, STATED_RUNS

Clusters = Mapping[tuple[Hashable, int], float]


def median(values: Iterable[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


@dataclass(frozen=True)
class Spread:
    values: tuple[float, ...]
    bounds: tuple[float, ...] = ()  # of the 95 % intervals of the values, where these are estimates
    certain: bool = True  # False: the error of a value is not known

    @property
    def middle(self) -> float:
        return median(self.values)

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values)

    @property
    def lowest(self) -> float:
        """Of the values and their intervals."""
        return min(*self.values, *self.bounds, self.middle)

    @property
    def highest(self) -> float:
        return max(*self.values, *self.bounds, self.middle)


def effective_size(weights: float, squares: float) -> float:
    """Equally weighted samples of the same error, from the sum of the weights and that of their squares (Kish, Survey
    Sampling, 1965)."""
    return weights * weights / squares if squares else 0.0


def clustered_size(parts: Clusters, wholes: Clusters, independent: float) -> float:
    """Independent samples that tell as much of a share as these clusters: what a thread does at one time is much the
    same. parts: weight with the property by thread and stretch of time; wholes: all weight; independent: the size of
    all if they were no clusters. A smaller size where few clusters tell it (Korn and Graubard, Survey Methodology
    24, 193, 1998)."""
    total = sum(wholes.values())
    if len(wholes) <= MIN_PARTS or not total:
        return min(independent, float(len(wholes)))
    whole = Estimate(total, by_cluster(wholes))
    part = Estimate(sum(parts.values()), by_cluster({at: parts.get(at, 0.0) for at in wholes}))
    share, error = part.value / total, part.per(whole).error
    if error is None or not error.variance:
        return independent
    known = (student(inf) / student(error.freedom)) ** 2
    return min(independent, known * share * (1 - share) / error.variance)


def sampled_interval(share: float, samples: float) -> tuple[float, float]:
    """95 % interval of the true share: Wilson's interval."""
    if not samples:
        return share, share
    z, n, p = 1.96, samples, min(1.0, share)
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def error_of_difference(one: Spread, other: Spread) -> float:
    """Half the 95 % interval of the difference of two estimates, on the side of 0, from their intervals: Newcombe 1998
    (Statistics in Medicine 17, 873), for estimates of any kind Zou and Donner 2008 (27, 1693)."""
    low, high = sorted((one, other), key=lambda values: values.middle)
    return hypot(low.highest - low.middle, high.middle - high.lowest)


def among(several: int) -> float:
    """Factor of the error of each of several differences that chance makes 5 % of all sets have one beyond it: the
    normal distribution's tails shrink at least as fast (Bonferroni's inequality, and Mills' ratio falls)."""
    return sqrt(1 + 2 * log(max(1, several)) / student(inf) ** 2)


def least_difference(one: Spread, other: Spread, variation: float, several: int = 1) -> float | None:
    """What the means of two sides must differ by to be told apart: chance makes 5 % of all sets of `several`
    comparisons have one beyond it. None: one run each, and the error of a value is not known.

    One run each tells nothing of how runs differ: that is the stated variation, a standard deviation, beside the errors
    of both. Repeats have a variance of their own, pooled over both sides, beside the stated one.
    """
    n, m, quantile = len(one.values), len(other.values), student(inf) * among(several)
    if n == m == 1:
        known = one.certain and other.certain
        measured = among(several) * error_of_difference(one, other)
        return hypot(measured, quantile * sqrt(2) * variation) if known else None
    halves = [(high - low) / 2 for side in (one, other) for low, high in zip(side.bounds[::2], side.bounds[1::2])]
    stated = variation**2 + (sum(half * half for half in halves) / len(halves) / student(inf) ** 2 if halves else 0.0)
    squares = sum((value - side.mean) ** 2 for side in (one, other) for value in side.values)
    freedom = n + m - 2 + STATED_RUNS
    variance = (STATED_RUNS * stated + squares) / freedom
    return student(freedom, quantile) * sqrt(variance * (1 / n + 1 / m))


def spread(values: Iterable[float | None]) -> Spread | None:
    """None unless every run has a value: a median of some would hide the others."""
    found = list(values)
    known = [value for value in found if value is not None]
    return Spread(tuple(known)) if known and len(known) == len(found) else None
