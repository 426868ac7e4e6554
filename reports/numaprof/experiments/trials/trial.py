# SPDX-License-Identifier: Apache-2.0
"""What alternating runs say about a placement: worth the edit, leave it, or cannot tell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

from numaprof.compare.sides import Side, rank_sum_p_value
from numaprof.evidence.counts import NOTHING, Amount
from numaprof.evidence.evidence import Evidence, evidence_of
from numaprof.evidence.spread import Spread, median, spread
from numaprof.evidence.thresholds import MIN_GAIN, SIGNIFICANCE
from numaprof.experiments.same_subject import things_of
from numaprof.experiments.trials.placement import Subject
from numaprof.experiments.trials.proposals import layouts_of
from numaprof.experiments.trials.stored_trial import LEAVE, UNKNOWN, WORTH
from numaprof.experiments.trials.trial_runs import Arm, Run
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_placement
from numaprof.text.format import in_words, number, percent, plural

MOST_MISSING = 0.10  # of the advised bytes that were not found or not placed: beyond, the runs tell of something else


@dataclass(frozen=True)
class Measured:
    """One recorded run."""

    evidence: Evidence
    initialised_ns: float | None  # when the advised data were touched
    outcomes: tuple[sql_placement.Outcome, ...]  # by subject of the placement file; of a plain run none

    @property
    def compute_ns(self) -> float | None:
        wall = self.evidence.run.wall_ns
        return wall - self.initialised_ns if wall is not None and self.initialised_ns is not None else None


def team_size(evidence: Evidence) -> int:
    """Threads of a run, without helpers of runtimes."""
    return sum(thread.row.pin != "helper" for thread in evidence.threads)


def measure(path: str, subjects: Sequence[Subject]) -> Measured:
    """subjects: of all placements, whose first touches end the initialisation."""
    with Recording(path) as recording:
        evidence = evidence_of(recording)
        things = things_of(subjects, layouts_of(recording))
        found = recording.one(sql_placement.Until, sql_placement.INITIALISED, things=json.dumps(things))
        outcomes = recording.rows_if("placed", sql_placement.Outcome, sql_placement.OUTCOMES)
    return Measured(evidence, found.t_ns, tuple(outcomes))


@dataclass(frozen=True)
class Tried:
    """One arm and its runs."""

    arm: Arm
    runs: tuple[Run, ...]
    measured: tuple[Measured, ...]  # of those that ended well

    @property
    def side(self) -> Side | None:
        return Side(tuple(run.evidence for run in self.measured)) if self.measured else None

    @property
    def time(self) -> Spread | None:
        return self.side.time if self.side else None

    @property
    def initialisation(self) -> Spread | None:
        return spread(run.initialised_ns for run in self.measured)

    @property
    def compute(self) -> Spread | None:
        return spread(run.compute_ns for run in self.measured)

    @property
    def requests(self) -> Spread | None:
        """Remote requests of DRAM with their intervals, where they are counted."""
        values = spread(amount.estimate for amount in self.remote_amounts)
        if values is None:
            return None
        bounds = []
        for value, amount, run in zip(values.values, self.remote_amounts, self.measured):
            if amount.error is not None:
                half, missed = amount.error.half_width, run.evidence.uncounted.requests
                bounds += [max(0.0, value - half), value + half + missed]
        return replace(values, bounds=tuple(bounds), certain=len(bounds) == 2 * len(values.values))

    @property
    def remote_amounts(self) -> tuple[Amount, ...]:
        return tuple(run.evidence.traffic.remote if run.evidence.counted else NOTHING for run in self.measured)

    @property
    def failures(self) -> tuple[str, ...]:
        return tuple(run.failure for run in self.runs if run.failure is not None)

    def total(self, column: str) -> int:
        """Of all subjects and runs."""
        return sum(getattr(outcome, column) for run in self.measured for outcome in run.outcomes)

    @property
    def found(self) -> float | None:
        """Part of the advised bytes whose call stack was met again: the least of all runs."""
        advised = sum(subject.recorded_bytes for subject in self.arm.subjects)
        parts = [
            sum(subject.recorded_bytes for subject, row in zip(self.arm.subjects, run.outcomes) if row.asked) / advised
            for run in self.measured
            if advised
        ]
        return min(parts, default=None)

    @property
    def placed(self) -> float | None:
        asked = self.total("asked_bytes")
        return self.total("placed_bytes") / asked if asked else None

    @property
    def right(self) -> float | None:
        """Part of the touched and checked bytes that lie on the asked node."""
        checked = self.total("checked_bytes")
        return self.total("right_bytes") / checked if checked else None


@dataclass(frozen=True)
class Change:
    """A time before and after: how many times as fast, and how often chance alone separates the sides as clearly."""

    ratio: float
    p: float

    @property
    def faster(self) -> bool:
        return self.p <= SIGNIFICANCE and self.ratio >= 1 + MIN_GAIN

    @property
    def slower(self) -> bool:
        return self.p <= SIGNIFICANCE and self.ratio <= 1 / (1 + MIN_GAIN)


def change(before: Spread | None, after: Spread | None) -> Change | None:
    if before is None or after is None or not after.middle:
        return None
    return Change(before.middle / after.middle, rank_sum_p_value(before.values, after.values))


@dataclass(frozen=True)
class Verdict:
    words: str
    why: str


def judge(plain: Tried, placed: Tried) -> Verdict:
    doubt = _doubt(plain, placed)
    if doubt is not None:
        return Verdict(UNKNOWN, doubt)
    whole, compute = change(plain.time, placed.time), change(plain.compute, placed.compute)
    assert whole is not None  # _doubt has looked
    if whole.faster:
        return Verdict(WORTH, f"the run is {_times(whole)}")
    if compute is not None and compute.faster:
        first_toucher = "zeroing and page tables stay with the thread that touches first, which an edit would change"
        return Verdict(WORTH, f"the compute phase is {_times(compute)}; the run as a whole is not ({first_toucher})")
    if whole.slower:
        return Verdict(LEAVE, f"the run is slower, {1 / whole.ratio:.2f} times the time (p = {whole.p:.2g})")
    return Verdict(LEAVE, f"no difference that {_runs(plain, placed)} could tell from noise (p = {whole.p:.2g})")


def _times(change: Change) -> str:
    return f"{change.ratio:.2f} times as fast (p = {change.p:.2g})"


def _runs(plain: Tried, placed: Tried) -> str:
    return f"{len(plain.measured)} and {len(placed.measured)} runs"


def _doubt(plain: Tried, placed: Tried) -> str | None:
    """Why these runs allow no verdict."""
    if not plain.measured or not placed.measured:
        name = "plain" if not plain.measured else "placed"
        return f"no {name} run ended well"
    machine = plain.measured[0].evidence
    if machine.machine.single:
        return "this machine has one node: nothing can be remote"
    wrong = _misplaced(placed)
    if wrong is None and machine.run.emulated:
        return f"{_requests(plain, placed)}; the time cannot be judged on an emulated machine"
    return wrong or _untimed(plain, placed)


def _requests(plain: Tried, placed: Tried) -> str:
    """What the placement did to remote requests, for people."""
    before, after = plain.requests, placed.requests
    if before is None or after is None:
        return "remote requests were not counted in every run"
    direction = "fall" if after.highest < before.lowest else "rise" if after.lowest > before.highest else "go"
    return f"remote requests {direction} from {in_words(before, number)} to {in_words(after, number)}"


def _misplaced(placed: Tried) -> str | None:
    if not placed.arm.subjects:
        return None
    threads = [team_size(run.evidence) for run in placed.measured]
    wanted = placed.arm.threads
    if wanted is not None and not (1 - MOST_MISSING) * wanted <= median(threads) <= (1 + MOST_MISSING) * wanted:
        return f"the runs have {plural(median(threads), 'thread')}, the recording {wanted}: the borders are for those"
    if placed.found is not None and placed.found < 1 - MOST_MISSING:
        return f"{percent(placed.found)} of the advised bytes were found in these runs (other input or thread count?)"
    if placed.placed is None or placed.placed < 1 - MOST_MISSING:
        errors = {row.error for run in placed.measured for row in run.outcomes if row.error}
        return (
            f"only {percent(placed.placed)} of the advised bytes could be placed ({', '.join(sorted(errors)) or 'n/a'})"
        )
    if placed.right is not None and placed.right < 1 - MOST_MISSING:
        return f"only {percent(placed.right)} of the checked bytes are on the asked node (a full node?)"
    return None


def _untimed(plain: Tried, placed: Tried) -> str | None:
    n, m = len(plain.measured), len(placed.measured)
    if plain.time is None or placed.time is None:
        return "the run time is not known of every run"
    if 2 / comb(n + m, n) > SIGNIFICANCE:
        return f"{plural(n, 'plain run')} and {m} placed cannot tell a difference from noise; try with -n 5"
    return None
