# SPDX-License-Identifier: Apache-2.0
"""Errors of estimates, from variances. docs/errors.md has the method and its sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt

from numaprof.evidence.thresholds import MIN_PARTS, MIN_SPREAD, UNSEEN_REQUESTS

NORMAL = 1.959964  # 97.5 % quantile of the normal distribution: 2.5 % on either side


@dataclass(frozen=True)
class Error:
    """Variance of an estimate, and with how many degrees of freedom it is known."""

    variance: float
    freedom: float = inf

    @property
    def half_width(self) -> float:
        """Of the 95 % interval."""
        return student(self.freedom) * sqrt(self.variance)

    def times(self, factor: float) -> Error:
        """Of the estimate multiplied by a constant."""
        return Error(factor**2 * self.variance, self.freedom)


EXACT = Error(0.0)


def student(freedom: float) -> float:
    """97.5 % quantile of Student's t distribution: Abramowitz and Stegun 26.7.5.

    1 % too small at two degrees of freedom, 11 % at one.
    """
    z, n = NORMAL, max(1.0, freedom)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / n**power for power, term in enumerate(terms, 1))


def added(errors: Iterable[Error | None]) -> Error | None:
    """Of a sum of independent estimates; degrees of freedom by Satterthwaite. None if one is not known."""
    variance = spread = 0.0
    for error in errors:
        if error is None:
            return None
        variance += error.variance
        spread += error.variance**2 / error.freedom
    return Error(variance, variance**2 / spread if spread else inf)


def added_alike(one: Error, other: Error) -> Error:
    """Of a sum of estimates from the same slices: Satterthwaite's rule where the variances are wholly correlated, which
    are then known no better together than alone."""
    variance = one.variance + other.variance
    spread = (one.variance / sqrt(one.freedom) + other.variance / sqrt(other.freedom)) ** 2
    return Error(variance, variance**2 / spread if spread else inf)


@dataclass(frozen=True)
class Estimated:
    """What an event would have counted in one scope, had it had a counter all the time."""

    total: float
    rate: float  # per unit of size
    size: float  # instructions (by_work) or nanoseconds of the scope ...
    seen: float  # ... and those in which the event had a counter
    by_work: bool
    own_error: Error | None  # from successive parts; None: too few of them
    covariances: Mapping[int, float] = field(default_factory=dict)  # with other events of its group

    @property
    def weight(self) -> float:
        """What the variance of the rate is multiplied by, with the finite population factor."""
        return self.size * max(0.0, self.size - self.seen)

    @property
    def least_variance(self) -> float:
        """Of independent single events; not 0 where none was seen."""
        return self.weight * (self.rate * self.seen + UNSEEN_REQUESTS) / self.seen**2 if self.seen else 0.0


def own_error(variance: float, parts: int, effective: float | None) -> Error | None:
    """Half the mean squared successive difference of n values is known as well as a variance with
    2 (n - 1)^2 / (3 n - 4) degrees of freedom (von Neumann 1941). n: effective, parts by what was seen of each; None:
    all was seen. Returns None: not known."""
    if effective is None:
        return EXACT
    if parts < MIN_PARTS:
        return None
    count = max(2.0, effective)
    return Error(variance, 2 * (count - 1) ** 2 / (3 * count - 4))


Pairs = Sequence[tuple[Estimated, Estimated]]


def between_scopes(parts: Pairs, everyone: Pairs = ()) -> float | None:
    """Covariance of two sums over scopes with too few parts of their own, from the spread of the scopes' rates; of
    too few such scopes, from that of everyone's. None: these are too few as well.

    Twice the same estimate gives a variance (combined ratio estimator, Cochran, Sampling Techniques, 6.4).
    """
    known = _seen(parts)
    if len(known) < MIN_SPREAD:
        spread = _spread(_seen(everyone))
        return None if spread is None or not known else spread * sum(one.weight / one.seen for one, _ in known)
    first, second = _mean([one for one, _ in known]), _mean([other for _, other in known])
    rates = sum(one.weight * (one.rate - first) * (other.rate - second) for one, other in known)
    return rates * len(known) / (len(known) - 1)


def of_unseen(total: float, count: int, size: float, scopes: Sequence[Estimated]) -> Error | None:
    """Of the total of scopes that were hardly seen, taken to have the rate of those that were: that of a mean that is
    predicted from a sample. None: too few scopes were seen to know how their rates differ.

    size: of the scopes that were hardly seen, as a multiple of what was seen.
    """
    known = [scope for scope in scopes if scope.seen]
    seen = sum(scope.seen for scope in known)
    mean = _mean(known) if known else 0.0
    spread = _spread([(scope, scope) for scope in known])
    if spread is None:
        return None
    if not mean:
        return Error(UNSEEN_REQUESTS * size**2, len(known) - 1)
    effective = seen**2 / sum(scope.seen**2 for scope in known)
    relative = spread * len(known) / seen / mean**2
    return Error(total**2 * relative * (1 / effective + 1 / count), len(known) - 1)


def _seen(parts: Pairs) -> list[tuple[Estimated, Estimated]]:
    return [(one, other) for one, other in parts if one.seen and other.seen]


def _spread(known: Pairs) -> float | None:
    """Covariance of two rates, of a scope in which one unit of size was seen: it falls as more is seen."""
    if len(known) < MIN_SPREAD:
        return None
    first, second = _mean([one for one, _ in known]), _mean([other for _, other in known])
    return sum(one.seen * (one.rate - first) * (other.rate - second) for one, other in known) / (len(known) - 1)


def _mean(scopes: Sequence[Estimated]) -> float:
    return sum(scope.rate * scope.seen for scope in scopes) / sum(scope.seen for scope in scopes)
