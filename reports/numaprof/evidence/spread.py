# SPDX-License-Identifier: Apache-2.0
"""Several values of one thing: their median and how far they lie apart. (The statistics module takes 10 ms to load.)"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from numaprof.text.format import NOT_KNOWN


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
    def lowest(self) -> float:
        """Of the values and their intervals."""
        return min(*self.values, *self.bounds, self.middle)

    @property
    def highest(self) -> float:
        return max(*self.values, *self.bounds, self.middle)

    def in_words(self, words: Callable[[float], str]) -> str:
        """2.10 s (2.05 s..2.20 s)."""
        low, high = words(self.lowest), words(self.highest)
        text = low if low == high else f"{words(self.middle)} ({low}..{high})"
        return text if self.certain else f"{text}, error not known"


def spread(values: Iterable[float | None]) -> Spread | None:
    """None unless every run has a value: a median of some would hide the others."""
    found = list(values)
    known = [value for value in found if value is not None]
    return Spread(tuple(known)) if known and len(known) == len(found) else None


def in_words(values: Spread | None, words: Callable[[float], str]) -> str:
    return NOT_KNOWN if values is None else values.in_words(words)
