# SPDX-License-Identifier: Apache-2.0
"""The error of whatever is printed, from clusters of what was seen: docs/errors.md has the method and its sources.

A cluster is what was seen of one thread in one stretch of its time. An estimate carries contrasts: for each stratum
(clusters that follow each other), the differences of successive clusters, as far as they move the estimate. Contrasts
add, subtract and multiply as the estimates do, so that sums, differences and ratios keep what their terms share; the
variance is the sum of their squares.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import inf, sqrt
from operator import add
from typing import NamedTuple

NORMAL = 1.959964  # 97.5 % quantile of the normal distribution: 2.5 % on either side

TELLS_DRIFT = 8  # clusters of a stratum from which on drifts and phases are told from errors
OF_NEIGHBOURS = 0.718  # 2 / pi (sqrt(3) / 2 + pi / 12)
TELLS_STEP = 2.0  # degrees of freedom of one thread from which on threads in step are told from others
BY_CHANCE = 2.0  # standard deviations of a variance that is known with few degrees of freedom


@dataclass(frozen=True)
class Error:
    """Variance of an estimate, and with how many degrees of freedom it is known."""

    variance: float
    freedom: float = inf

    @property
    def half_width(self) -> float:
        """Of the 95 % interval."""
        return student(self.freedom) * sqrt(self.variance)


def student(freedom: float, normal: float = NORMAL) -> float:
    """97.5 % quantile of Student's t distribution, or the one that has this quantile in the normal distribution:
    Abramowitz and Stegun 26.7.5. 1 % too small at two degrees of freedom, 11 % at one."""
    z, n = normal, max(1.0, freedom)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / n**power for power, term in enumerate(terms, 1))


class Contrasts(NamedTuple):
    """Of one stratum: how far each difference of successive clusters moves the estimate."""

    values: Sequence[float]
    freedom: float = inf  # of the sum of their squares
    family: Hashable = None  # of strata whose clusters are of the same time: threads in step err together
    in_time: bool = False  # they follow each other
    beyond: float = 0.0  # a deviation that no difference of clusters shows

    def times(self, factor: float) -> Contrasts:
        return self._replace(values=[factor * value for value in self.values], beyond=factor * self.beyond)

    def plus(self, other: Contrasts) -> Contrasts:
        """Strata of unequal length begin together."""
        long, short = (self, other) if len(self.values) >= len(other.values) else (other, self)
        values = list(map(add, long.values, short.values)) + list(long.values[len(short.values) :])
        freedom, beyond = max(self.freedom, other.freedom), self.beyond + other.beyond
        return self._replace(values=values, freedom=freedom, beyond=beyond)

    @property
    def variance(self) -> float:
        return (_in_time if self.in_time else _squares)(self.values) + self.beyond**2


Strata = Mapping[Hashable, Contrasts]


def successive(values: Sequence[float], effective: float | None = None) -> Contrasts:
    """Of clusters in the order of their time: half the mean squared difference of successive values estimates the
    variance of their sum, where each was seen in the same part (Wolter, Introduction to Variance Estimation, 2nd ed.,
    8.2), with 2 (n - 1)^2 / (3 n - 4) degrees of freedom (von Neumann 1941). What all differences have in common is a
    drift, and no error. effective: clusters of equal weight that tell as much."""
    count = len(values)
    factor = sqrt(count / (2 * (count - 1)))
    drift = (values[-1] - values[0]) / (count - 1) if count >= TELLS_DRIFT else 0.0
    steps = [factor * (later - earlier - drift) for earlier, later in zip(values, values[1:])]
    weights = (
        count if effective is None else max(effective, min(count, 2.1))
    )  # of three a bit more is known than of two
    return Contrasts(steps, freedom_of_steps(weights), in_time=True)


def _squares(values: Iterable[float]) -> float:
    return sum([value * value for value in values])


def _in_time(values: Sequence[float]) -> float:
    """Products of neighbours in the place of squares: a single step is where one phase ends and another begins, two
    that follow each other are a deviation (bipower variation, Barndorff-Nielsen and Shephard, Journal of Financial
    Econometrics 2, 1, 2004). Neighbours share a cluster, so that of normal deviations the product is 0.718 of the
    square."""
    count = len(values)
    if count < TELLS_DRIFT - 1:
        return _squares(values)
    pairs = sum([abs(one * other) for one, other in zip(values, values[1:])])
    return pairs * count / (count - 1) / OF_NEIGHBOURS


def freedom_of_steps(count: float) -> float:
    """Of the successive differences of so many clusters of equal weight."""
    count = max(2.0, count)
    return 2 * (count - 1) ** 2 / (3 * count - 4)


def by_cluster(clusters: Mapping[tuple[Hashable, int], float]) -> Strata:
    """Of a sum over sampled clusters: their variance within the strata (Cochran, Sampling Techniques, 5.6 and 9A.2).
    That threads differ is no error, since each is sampled; that phases do is one, since chance decides how often each
    is sampled. clusters: by stratum (a thread) and stretch of time; between the first and the last stretch of a stratum
    those without a sample are 0. Sums that are compared must name the same clusters."""
    found: dict[Hashable, dict[int, float]] = {}
    for (stratum, at), value in clusters.items():
        found.setdefault(stratum, {})[at] = value
    return {
        stratum: _within([values.get(at, 0.0) for at in range(min(values), max(values) + 1)])
        for stratum, values in found.items()
    }


def _within(values: list[float]) -> Contrasts:
    """A single cluster has no other to differ from: as if it should have been 0."""
    count = len(values)
    if count < 2:
        return Contrasts(values, 1.0)
    middle, factor = sum(values) / count, sqrt(count / (count - 1))
    return Contrasts([factor * (value - middle) for value in values], count - 1.0)


def independent(error: Error | None, stratum: Hashable = None) -> Strata | None:
    """Of an estimate that shares no cluster with others. stratum: its own, if it has a name."""
    if error is None:
        return None
    return {object() if stratum is None else stratum: Contrasts([sqrt(error.variance)], error.freedom)}


def combined(parts: Iterable[tuple[float, Strata | None]]) -> Strata | None:
    """Of a sum of estimates, each multiplied by a factor. None: the error of one is not known."""
    sums: dict[Hashable, Contrasts] = {}
    for factor, strata in parts:
        if strata is None:
            return None
        for stratum, contrasts in strata.items():
            mine = contrasts if factor == 1 else contrasts.times(factor)
            sums[stratum] = sums[stratum].plus(mine) if stratum in sums else mine
    return sums


def error_of(strata: Strata | None) -> Error | None:
    """Degrees of freedom by Satterthwaite. None: not known, or from two clusters alone."""
    if strata is None:
        return None
    families: dict[Hashable, list[Contrasts]] = defaultdict(list)
    for stratum, contrasts in strata.items():
        families[(stratum,) if contrasts.family is None else contrasts.family].append(contrasts)
    parts = list(map(_of_family, families.values()))
    variance = sum(error.variance for error in parts)
    spread = sum(error.variance**2 / error.freedom for error in parts)
    freedom = variance**2 / spread if spread else inf
    return Error(variance, freedom) if freedom > 1 + 1e-9 else None


def _of_family(members: list[Contrasts]) -> Error:
    """Strata are independent, unless their sum varies by more than chance allows: then they are in step."""
    squares = [contrasts.variance for contrasts in members]
    apart = sum(squares)
    spread = sum(own**2 / contrasts.freedom for own, contrasts in zip(squares, members))
    freedom = apart**2 / spread if spread else inf
    of_one = max(contrasts.freedom for contrasts in members)
    if len(members) == 1 or of_one < TELLS_STEP:
        return Error(apart, freedom)
    sums = [sum(values) for values in zip_longest(*(one.values for one in members), fillvalue=0.0)]
    beyond = sqrt(_squares(one.beyond for one in members))
    together = members[0]._replace(values=sums, beyond=beyond).variance
    if together > apart * (1 + BY_CHANCE * sqrt(2 / of_one)):
        return Error(together, of_one)
    return Error(max(apart, together), freedom)


@dataclass(frozen=True)
class Estimate:
    """A number made of clusters, and the contrasts that tell its error; None: the error is not known."""

    value: float
    strata: Strata | None

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(self.value + other.value, combined([(1, self.strata), (1, other.strata)]))

    def __sub__(self, other: Estimate) -> Estimate:
        return Estimate(self.value - other.value, combined([(1, self.strata), (-1, other.strata)]))

    def times(self, factor: float) -> Estimate:
        return Estimate(factor * self.value, combined([(factor, self.strata)]))

    def per(self, other: Estimate) -> Estimate:
        """Their ratio, linearised (delta method)."""
        ratio = self.value / other.value
        return Estimate(ratio, combined([(1 / other.value, self.strata), (-ratio / other.value, other.strata)]))

    @property
    def error(self) -> Error | None:
        return error_of(self.strata)
