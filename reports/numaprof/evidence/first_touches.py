# SPDX-License-Identifier: Apache-2.0
"""Some of the memory that was first touched: by whom, where, and where it went."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from numaprof.evidence.samples import Touched
from numaprof.evidence.source_location import Site


@dataclass(frozen=True)
class Touches:
    touched: tuple[Touched, ...]

    @cached_property
    def pages(self) -> float:
        return sum(row.pages for row in self.touched)

    @cached_property
    def pages_by_thread(self) -> dict[int, float]:
        return summed((row.thread, row.pages) for row in self.touched)

    @cached_property
    def pages_by_home(self) -> dict[int | None, float]:
        return summed((row.home, row.pages) for row in self.touched)

    @cached_property
    def known_homes(self) -> dict[int, float]:
        return {home: pages for home, pages in self.pages_by_home.items() if home is not None}

    @cached_property
    def pages_by_site(self) -> dict[Site, float]:
        return summed((row.site, row.pages) for row in self.touched)

    @property
    def main_thread(self) -> int:
        """The one that touched most; 0, the number of no thread, if none did."""
        return max(self.pages_by_thread, key=lambda thread: self.pages_by_thread[thread], default=0)

    @property
    def main_share(self) -> float:
        return max(self.pages_by_thread.values()) / self.pages if self.pages else 0.0


Key = TypeVar("Key")


def summed(pairs: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    sums: dict[Key, float] = defaultdict(float)
    for key, amount in pairs:
        sums[key] += amount
    return dict(sums)
