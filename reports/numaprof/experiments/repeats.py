# SPDX-License-Identifier: Apache-2.0
"""Repeats of one setting: what went well, what failed, and how far the rest lies apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from numaprof.evidence.spread import Spread, least_difference, median
from numaprof.evidence.thresholds import RUN_VARIATION, WILD_SPREAD
from numaprof.experiments.run_once import Trial
from numaprof.text.format import duration, plural, words


@dataclass(frozen=True)
class Series:
    label: str
    trials: tuple[Trial, ...]
    threads: int | None = None  # asked for

    @property
    def good(self) -> tuple[Trial, ...]:
        return tuple(trial for trial in self.trials if trial.failure is None)

    @property
    def times(self) -> Spread | None:
        """In nanoseconds, of the runs that ended well."""
        return Spread(tuple(float(trial.wall_ns) for trial in self.good)) if self.good else None

    @property
    def remote(self) -> float | None:
        known = [trial.remote for trial in self.good if trial.remote is not None]
        return median(known) if known else None

    @property
    def dram_bytes_per_s(self) -> float | None:
        known = [trial.dram_bytes_per_s for trial in self.good if trial.dram_bytes_per_s is not None]
        return median(known) if known else None

    @property
    def threads_seen(self) -> tuple[int, ...]:
        return tuple(sorted({trial.threads for trial in self.trials if trial.threads is not None}))

    @property
    def width(self) -> float:
        """Slowest less fastest, as a share of the median."""
        times = self.times
        return 0.0 if times is None else (max(times.values) - min(times.values)) / times.middle

    @property
    def is_wild(self) -> bool:
        return self.width > WILD_SPREAD

    @property
    def ignored(self) -> bool:
        """It ran with another number of threads than it was asked for; one more may only wait for the others."""
        fitting = (self.threads, (self.threads or 0) + 1)
        return self.threads is not None and any(seen not in fitting for seen in self.threads_seen)

    def is_like(self, other: Series, settings: int) -> bool:
        """True if their times differ by no more than those of two of so many equal settings may."""
        mine, others = self.times, other.times
        if mine is None or others is None:
            return False
        variation, pairs = RUN_VARIATION * others.mean, settings * (settings - 1) // 2
        least = least_difference(mine, others, variation, pairs)
        return least is None or abs(mine.mean - others.mean) <= least

    def remarks(self) -> list[str]:
        found = []
        endings = Counter(trial.failure for trial in self.trials if trial.failure is not None)
        if endings:
            how = words([f"{times} x {ending}" for ending, times in endings.items()])
            rest = "not in the numbers" if self.good else "there is no number"
            found.append(
                f"{self.label}: {sum(endings.values())} of {plural(len(self.trials), 'run')} failed ({how}); {rest}"
            )
        if self.ignored:
            seen = ", ".join(map(str, self.threads_seen))
            found.append(f"{self.label} requested, {seen} at once seen: the program does not follow that number")
        return found


def wild_remark(series: Iterable[Series]) -> str | None:
    """All of them in one sentence."""
    wild = [(one, one.times.values) for one in series if one.times is not None and one.is_wild]
    found = [
        f"{one.label} by {100 * one.width:.0f} % ({duration(min(times))} to {duration(max(times))})"
        for one, times in wild
    ]
    return f"runs differ so much that their median says little: {'; '.join(found)}" if found else None


def speed_up(series: Series, base: Series) -> float | None:
    if series.times is None or base.times is None:
        return None
    return base.times.middle / series.times.middle


def ranked(series: Iterable[Series]) -> list[Series]:
    """Fastest first; those without a time last."""
    return sorted(series, key=lambda one: one.times.middle if one.times else float("inf"))
