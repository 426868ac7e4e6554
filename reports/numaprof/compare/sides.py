# SPDX-License-Identifier: Apache-2.0
"""Two sides, each of one or several runs: what changed, and what the spread of the runs allows to say about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

from numaprof.analysis.left_to_chance import roamed, roamed_by, wandered
from numaprof.analysis.remote_meaning import counted_words
from numaprof.analysis.remote_share import COUNTERS, RemoteShare, basis, remote_share
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.spread import Spread, least_difference, spread
from numaprof.evidence.thresholds import RUN_VARIATION, SHARE_CHANGE, SIGNIFICANCE
from numaprof.text.format import clean, plural


@dataclass(frozen=True)
class Side:
    """The runs of one side."""

    runs: tuple[Evidence, ...]

    @property
    def first(self) -> Evidence:
        return self.runs[0]

    @property
    def median_run(self) -> Evidence:
        """The run of median time, of an even number the faster one; without times the first."""
        timed = [run for run in self.runs if run.run.wall_ns is not None]
        ordered = sorted(timed, key=lambda run: run.run.wall_ns or 0)
        return ordered[(len(ordered) - 1) // 2] if ordered else self.first

    @cached_property
    def time(self) -> Spread | None:
        return spread(None if run.run.wall_ns is None else float(run.run.wall_ns) for run in self.runs)

    @cached_property
    def shares(self) -> tuple[RemoteShare | None, ...]:
        return tuple(remote_share(run) for run in self.runs)

    @cached_property
    def share(self) -> Spread | None:
        return spread_of_shares(self.shares)

    def values(self, value: Callable[[Evidence], float | None]) -> Spread | None:
        return spread(value(run) for run in self.runs)

    @cached_property
    def wandered(self) -> float:
        """Share of the memory whose place one run leaves to chance; the spread of repeats has it already."""
        return wandered(self.first) if len(self.runs) == 1 else 0.0

    @cached_property
    def roamed(self) -> float:
        """The same of the accesses of threads that changed nodes."""
        return roamed(self.first) if len(self.runs) == 1 else 0.0

    @property
    def population(self) -> str | None:
        """What the remote share is a share of; None where there is none or the runs differ."""
        names = {_population(run) for run in self.runs}
        return names.pop() if len(names) == 1 else None


def spread_of_shares(shares: Iterable[RemoteShare | None]) -> Spread | None:
    """With their intervals. None unless every run has a share."""
    found = list(shares)
    known = [share for share in found if share is not None]
    if not known or len(known) < len(found):
        return None
    intervals = [share.interval for share in known]
    bounds = tuple(bound for interval in intervals if interval is not None for bound in interval)
    return Spread(tuple(share.share for share in known), bounds, None not in intervals)


def _population(run: Evidence) -> str | None:
    if basis(run) == COUNTERS and run.population is not None:
        return f"DRAM requests, {counted_words(run)}"
    return basis(run)


def rank_sum_p_value(before: Sequence[float], after: Sequence[float]) -> float:
    """How often mere chance would separate the two sides as clearly: exact two-sided rank-sum test (Mann-Whitney).

    It assumes nothing about how run times are distributed, which is rarely normal.
    """
    larger = sum((a > b) + 0.5 * (a == b) for a in before for b in after)
    extreme = int(min(larger, len(before) * len(after) - larger))
    ways = _rank_sums(len(before), len(after))
    return min(1.0, 2 * sum(ways[: extreme + 1]) / comb(len(before) + len(after), len(before)))


def _rank_sums(n: int, m: int) -> list[int]:
    """ways[u]: the number of orders of n + m runs whose Mann-Whitney statistic is u."""
    row: list[list[int]] = [[1] for _ in range(m + 1)]  # none of the first side
    for i in range(1, n + 1):
        new: list[list[int]] = [[1]]
        for j in range(1, m + 1):
            with_first, with_second = row[j], new[j - 1]  # whose run is the largest
            ways = [0] * (i * j + 1)
            for u, count in enumerate(with_first):
                ways[u + j] += count
            for u, count in enumerate(with_second):
                ways[u] += count
            new.append(ways)
        row = new
    return row[m]


@dataclass(frozen=True)
class TimeChange:
    """What can be said about run time."""

    words: str
    known: bool  # a difference, or none, was established


def time_change(before: Side, after: Side) -> TimeChange:
    if any(run.run.emulated is not None for run in (*before.runs, *after.runs)):
        return TimeChange("Run time: emulated, means nothing.", False)
    if any(not run.run.complete for run in (*before.runs, *after.runs)) or before.time is None or after.time is None:
        return TimeChange("Run time: not known of every run.", False)
    n, m = len(before.runs), len(after.runs)
    if 2 / comb(n + m, n) > SIGNIFICANCE:
        return TimeChange(f"Run time: {_runs(n, m)} cannot tell a difference from noise; record with -n 5.", False)
    ratio = before.time.middle / after.time.middle if after.time.middle else 1.0
    likely = rank_sum_p_value(before.time.values, after.time.values)
    if likely > SIGNIFICANCE:
        return TimeChange(f"Run time: no difference that {_runs(n, m)} could tell from noise (p = {likely:.2g}).", True)
    faster = f"{ratio:.2f} times as fast" if ratio >= 1 else f"slower, {1 / ratio:.2f} times the time"
    return TimeChange(f"Run time: {faster} (p = {likely:.2g}).", True)


def _runs(n: int, m: int) -> str:
    return "one run each" if n == m == 1 else f"{n} and {m} runs"


class ShareChange:
    """Words for what happened to the remote share."""

    UNKNOWN, SAME, FELL, ROSE = "not known", "unchanged", "fell", "rose"


def share_change(before: Side, after: Side) -> str:
    if before.share is None or after.share is None or before.population is None:
        return ShareChange.UNKNOWN
    if before.population != after.population:
        return ShareChange.UNKNOWN
    return change_of_share(before.share, after.share, chance(before, after))


def chance(before: Side, after: Side) -> float:
    """How far the shares of one program may differ by chance. Threads that roam on one side only are a change of the
    program, or of how it is run."""
    return min(before.roamed, after.roamed) + max(before.wandered, after.wandered)


def chance_of_thread(before: Side, after: Side, at: int) -> float:
    """The same of one thread, by position: what wandered may be all of its own data."""
    threads = [side.first.threads[at] for side in (before, after) if len(side.runs) == 1]
    if any(thread.row.pin == "none" for thread in threads):
        return 1.0  # the scheduler chose its nodes
    roamed_by_both = min(map(roamed_by, threads)) if len(threads) == 2 else 0.0
    return min(1.0, roamed_by_both + max(side.wandered * len(side.first.threads) for side in (before, after)))


def change_of_share(before: Spread, after: Spread, by_chance: float = 0.0, several: int = 1) -> str:
    """A change is large enough to matter, and more than the error of the runs, or than chance between repeats.

    by_chance: how far two runs of one program may differ; several: shares that are compared at a time.
    """
    difference, least = after.mean - before.mean, least_difference(before, after, RUN_VARIATION, several)
    if least is None or abs(difference) < max(by_chance, SHARE_CHANGE, least):
        return ShareChange.SAME
    return ShareChange.FELL if difference < 0 else ShareChange.ROSE


def differences(before: Side, after: Side) -> list[str]:
    """Whatever else differs between the sides, or within one: each could be the cause of what changed."""
    found = [f"nothing: {clean(name)} is on both sides" for name in _on_both(before, after)]
    for name, value in _CONDITIONS:
        old, new = _distinct(before, value), _distinct(after, value)
        if len(old) > 1 or len(new) > 1:
            found.append(f"{name}: not the same in all runs of one side")
        elif old != new:
            found.append(f"{name}: {old[0]}, then {new[0]}")
    return found


def _on_both(before: Side, after: Side) -> list[str]:
    """Recordings that are compared with themselves."""
    old = {os.path.realpath(run.path) for run in before.runs}
    return [run.path for run in after.runs if os.path.realpath(run.path) in old]


def _distinct(side: Side, value: Callable[[Evidence], object]) -> list[str]:
    return sorted({str(value(run)) for run in side.runs})


_CONDITIONS: tuple[tuple[str, Callable[[Evidence], object]], ...] = (
    ("machine", lambda run: f"{run.run.host} ({run.run.cpu_name}, {plural(len(run.machine.nodes), 'node')})"),
    ("emulated machine", lambda run: run.run.emulated or "none"),
    ("kernel", lambda run: run.run.kernel),
    ("program", lambda run: os.path.basename(run.run.program or "".join(run.command[:1]))),
    ("pinning", lambda run: f"{run.run.pin_policy} {run.run.pin_plan or ''}".strip()),
    ("threads", lambda run: len(run.threads)),
    ("arguments", lambda run: " ".join(run.command[1:]) or "none"),
    ("NUMA balancing", lambda run: {None: "n/a", 0: "off"}.get(run.run.balancing, "on")),
    ("page size", lambda run: run.run.page_bytes),
    ("how it ended", lambda run: f"signal {run.run.term_signal}" if run.run.term_signal else run.run.exit_status),
)
