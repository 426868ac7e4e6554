# SPDX-License-Identifier: Apache-2.0
"""Remote shares over ranks: of all together with its error, spread, and ranks that stand apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median, quantiles
from typing import NamedTuple

from numaprof.evidence.thresholds import (
    APART_DEVIATIONS,
    APART_SHARE,
    DEVIATION_OF_MAD,
    MIN_COMPARED_RANKS,
)
from numaprof.model.job_model import Bin, Spread
from numaprof.model.rank_model import RankSummary


class Population(NamedTuple):
    """What the remote share of a rank is a share of."""

    basis: str | None
    words: str | None
    between_packages: bool  # remote is another package


BINS = 10
# Judgements with traffic that matters.
COMPARED = ("heavy", "moderate", "light_between_packages", "light", "one_node_used", "binding")


@dataclass(frozen=True)
class Together:
    """The remote share of several ranks; share None: not known of any."""

    share: float | None
    lowest: float | None = None
    highest: float | None = None
    ranks: int = 0
    without_error: int = 0


def main_population(ranks: Sequence[RankSummary]) -> Population | None:
    """What most ranks counted: numbers of different populations are not added."""
    known = Counter(_population(each) for each in ranks if each.share.share is not None)
    return max(known, key=lambda key: (known[key], key), default=None)


def of_population(ranks: Sequence[RankSummary], population: Population | None) -> list[RankSummary]:
    return [each for each in ranks if each.share.share is not None and _population(each) == population]


def _population(rank: RankSummary) -> Population:
    return Population(rank.share.basis, rank.share.population, rank.share.between_packages)


def together(ranks: Sequence[RankSummary]) -> Together:
    """Sum of remote over sum of all. Errors of ranks are independent: their squares add.

    Of a rank without a known error the true share may be anything from 0 to 1: that adds as it is.
    """
    total = sum(each.share.total or 0.0 for each in ranks)
    if not total:
        return Together(None)
    share = sum(each.share.remote or 0.0 for each in ranks) / total
    below = above = open_below = open_above = 0.0
    without = 0
    for each in ranks:
        weight, own = (each.share.total or 0.0) / total, each.share.share or 0.0
        if each.share.lowest is None or each.share.highest is None:
            without += 1
            open_below += weight * own
            open_above += weight * (1 - own)
        else:
            below += (weight * (own - each.share.lowest)) ** 2
            above += (weight * (each.share.highest - own)) ** 2
    if without == len(ranks):
        return Together(share, None, None, len(ranks), without)
    low, high = share - sqrt(below) - open_below, share + sqrt(above) + open_above
    return Together(share, max(0.0, low), min(1.0, high), len(ranks), without)


def compared(ranks: Sequence[RankSummary]) -> list[RankSummary]:
    """Ranks whose memory traffic matters: the share of a handful of requests says nothing."""
    return [each for each in ranks if each.share.share is not None and each.share.judgement in COMPARED]


def spread(ranks: Sequence[RankSummary]) -> Spread | None:
    shares = sorted(each.share.share for each in compared(ranks) if each.share.share is not None)
    if not shares:
        return None
    low, middle, high = quantiles(shares, n=4, method="inclusive") if len(shares) > 1 else shares * 3
    bins = Counter(min(BINS - 1, int(share * BINS)) for share in shares)
    return Spread(
        ranks=len(shares),
        least=shares[0],
        quarter=low,
        median=middle,
        three_quarters=high,
        most=shares[-1],
        bins=tuple(Bin(at / BINS, (at + 1) / BINS, bins[at]) for at in range(BINS)),
    )


def outliers(ranks: Sequence[RankSummary]) -> list[RankSummary]:
    """Ranks far from the median of all, and not by their error alone. Too few ranks have no middle: none."""
    known = compared(ranks)
    if len(known) < MIN_COMPARED_RANKS:
        return []
    shares = [each.share.share or 0.0 for each in known]
    middle = median(shares)
    deviation = median(abs(share - middle) for share in shares)
    least = max(APART_SHARE, APART_DEVIATIONS * DEVIATION_OF_MAD * deviation)
    return [each for each, share in zip(known, shares) if abs(share - middle) > least and _beyond(each, middle)]


def _beyond(rank: RankSummary, middle: float) -> bool:
    low, high = rank.share.lowest, rank.share.highest
    return low is not None and high is not None and not low <= middle <= high


def without_error(ranks: Sequence[RankSummary]) -> int:
    return sum(1 for each in compared(ranks) if each.share.lowest is None)
