# SPDX-License-Identifier: Apache-2.0
"""Errors of multiplexed counts: 95 % intervals hold the truth in 90 % of simulated runs, and nothing is biased."""

from __future__ import annotations

import math
import random
import sqlite3
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numaprof.analysis.remote_share import RemoteShare
from numaprof.compare.sides import ShareChange, change_of_share, spread_of_shares
from numaprof.evidence.counts import Amount, Traffic
from numaprof.evidence.errors import EXACT, Error, added, own_error, student
from numaprof.evidence.estimates import Estimates, load_estimates
from numaprof.evidence.spread import Spread
from numaprof.evidence.thresholds import SHARE_CHANGE
from numaprof.recording.reader import Recording
from numaprof.text.format import share_in_interval
from recording_builder import SCHEMA, SECOND

CLOCK, LOCAL, REMOTE = 1, 2, 3
SLICE = 4_000_000  # ns: how long the kernel leaves a group on the counters at 250 Hz
SLICES = 25  # of an interval
RUNS = 300


class Rates(NamedTuple):
    """Requests and instructions of a slice."""

    local: float
    remote: float
    instructions: float


Phases = Callable[[random.Random, int], Iterator[Rates]]  # slices of a run


def steady(chance: random.Random, slices: int) -> Iterator[Rates]:
    for _ in range(slices):
        yield Rates(chance.gauss(900, 90), chance.gauss(600, 90), chance.gauss(10_000, 500))


def drifting(chance: random.Random, slices: int) -> Iterator[Rates]:
    for at in range(slices):
        yield Rates(chance.gauss(900, 90), 50 + 1000 * at / slices, 10_000)


def halves(chance: random.Random, slices: int) -> Iterator[Rates]:
    """Two phases of different density and different share, in one part of the run each."""
    border = slices * chance.uniform(0.2, 0.8)
    for at in range(slices):
        yield Rates(200, 20, 30_000) if at < border else Rates(chance.gauss(500, 50), chance.gauss(900, 50), 6_000)


def waves(chance: random.Random, slices: int) -> Iterator[Rates]:
    start, period = chance.uniform(0, 100), chance.uniform(40, 90)
    for at in range(slices):
        wave = math.sin(2 * math.pi * (at + start) / period)
        yield Rates(700 + 300 * wave, 500 - 300 * wave, 10_000 + 3_000 * wave)


def bursts(chance: random.Random, slices: int) -> Iterator[Rates]:
    """Runs of random length, each local or remote, dense or not."""
    left, rates = 0, Rates(0, 0, 0)
    for _ in range(slices):
        if left == 0:
            left, dense = chance.randint(1, 12), chance.choice((1, 4))
            rates = Rates(dense * 300, dense * 30, 8_000) if chance.random() < 0.7 else Rates(30, dense * 300, 8_000)
        left -= 1
        yield rates


KINDS = (steady, drifting, halves, waves, bursts)


class Simulated(NamedTuple):
    truth: list[tuple[float, float]]  # local and remote of each run, which is a thread of the recording
    estimates: Estimates


Simulate = Callable[..., Simulated]


@pytest.fixture(scope="module")
def simulate(tmp_path_factory: pytest.TempPathFactory) -> Simulate:
    """Simulated runs of (kind, by_work, intervals). Tests of the same runs share the recording."""

    @cache
    def recorded(kind: Phases, intervals: int) -> tuple[Path, list[tuple[float, float]]]:
        path = tmp_path_factory.mktemp("simulated") / "simulated.numaprof"
        return path, record(path, kind, intervals)

    @cache
    def simulated(kind: Phases, by_work: bool, intervals: int = 40) -> Simulated:
        path, truth = recorded(kind, intervals)
        with Recording(str(path)) as recording:
            return Simulated(truth, load_estimates(recording, [LOCAL, REMOTE], [CLOCK], by_work))

    return simulated


def record(path: Path, kind: Phases, intervals: int, groups: int = 3) -> list[tuple[float, float]]:
    """RUNS threads; a group of two events has its turn in one slice of `groups`, from a random one on."""
    truth = []
    with sqlite3.connect(path) as database:
        database.executescript(SCHEMA)
        for thread in range(1, RUNS + 1):
            chance = random.Random(f"{kind.__name__} {thread}")
            slices = [Rates(*(max(0, round(value)) for value in rates)) for rates in kind(chance, SLICES * intervals)]
            truth.append((sum(r.local for r in slices), sum(r.remote for r in slices)))
            turn = chance.randrange(groups)
            database.executemany("INSERT INTO count VALUES (?,?,NULL,?,?,?,?,?)", rows(thread, slices, groups, turn))
    return truth


def rows(thread: int, slices: list[Rates], groups: int, turn: int) -> Iterator[tuple[float, ...]]:
    for start in range(0, len(slices), SLICES):
        here, end = slices[start : start + SLICES], (start + SLICES) * SLICE
        seen = [rates for at, rates in enumerate(here, start) if at % groups == turn]
        ran, running, inside = len(here) * SLICE, len(seen) * SLICE, sum(rates.instructions for rates in seen)
        yield CLOCK, thread, end, ran, ran, ran, sum(rates.instructions for rates in here)
        yield LOCAL, thread, end, sum(rates.local for rates in seen), ran, running, inside
        yield REMOTE, thread, end, sum(rates.remote for rates in seen), ran, running, inside


def traffic(found: Simulated, thread: int) -> Traffic:
    local, remote = found.estimates[thread, LOCAL], found.estimates[thread, REMOTE]
    return Traffic(
        Amount(local.total, 0.3, local.own_error),
        Amount(remote.total, 0.3, remote.own_error),
        local.covariances[REMOTE],
    )


@pytest.mark.parametrize("by_work", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_hold_the_truth(kind: Phases, by_work: bool, simulate: Simulate) -> None:
    found = simulate(kind, by_work)
    holds: dict[str, int] = {"remote": 0, "share": 0}
    deviations = []
    for thread, (local, remote) in enumerate(found.truth, 1):
        estimate = traffic(found, thread)
        assert estimate.remote.estimate is not None and estimate.remote.error is not None
        deviation = estimate.remote.estimate - remote
        deviations.append(deviation / remote)
        holds["remote"] += abs(deviation) <= estimate.remote.error.half_width
        low, high = estimate.interval or (1.0, 0.0)
        holds["share"] += low <= remote / (local + remote) <= high
    assert min(holds.values()) >= 0.9 * RUNS, holds
    spread = math.sqrt(fmean(d * d for d in deviations) / RUNS)
    assert abs(fmean(deviations)) <= 3 * spread + 0.002, "biased"


def test_intervals_are_not_much_wider_than_needed(simulate: Simulate) -> None:
    found = simulate(steady, True)
    estimates = [found.estimates[thread, REMOTE] for thread in range(1, RUNS + 1)]
    actual = fmean((e.total - remote) ** 2 for e, (_, remote) in zip(estimates, found.truth))
    claimed = fmean(e.own_error.variance for e in estimates if e.own_error)
    assert actual / 1.5 < claimed < 2.5 * actual


def more_remote(chance: random.Random, slices: int) -> Iterator[Rates]:
    """As `bursts`, with a remote share that is some 10 points higher."""
    for rates in bursts(chance, slices):
        yield Rates(rates.local - 0.15 * rates.local, rates.remote + 0.15 * rates.local, rates.instructions)


def share(found: Simulated, thread: int) -> Spread:
    estimate = traffic(found, thread)
    assert estimate.total is not None and estimate.remote.estimate is not None
    spread = spread_of_shares([RemoteShare(estimate.remote.estimate, estimate.total, None, estimate.interval)])
    assert spread is not None
    return spread


@pytest.mark.parametrize("kind", KINDS)
def test_identical_runs_are_not_called_changed(kind: Phases, simulate: Simulate) -> None:
    """One run a side, 150 pairs: at most 5 of 100. Those of `bursts` and `halves` truly differ by some points."""
    found = simulate(kind, True)
    pairs = [(thread, thread + 1) for thread in range(1, RUNS, 2)]
    changed = [
        pair for pair in pairs if change_of_share(share(found, pair[0]), share(found, pair[1])) != ShareChange.SAME
    ]
    untrue = [pair for pair in changed if abs(true_share(found, pair[0]) - true_share(found, pair[1])) < SHARE_CHANGE]
    assert len(untrue) <= 0.05 * len(pairs)


def true_share(found: Simulated, thread: int) -> float:
    local, remote = found.truth[thread - 1]
    return remote / (local + remote)


def test_ten_points_are_called_a_change(simulate: Simulate) -> None:
    """Of bursty programs of ten seconds a thread, counted a third of the time."""
    before = simulate(bursts, True, intervals=100)
    after = simulate(more_remote, True, intervals=100)
    pairs = [thread for thread in range(1, RUNS + 1) if true_share(after, thread) - true_share(before, thread) >= 0.1]
    assert len(pairs) >= 50
    found = [change_of_share(share(before, thread), share(after, thread)) for thread in pairs]
    assert found.count(ShareChange.ROSE) >= 0.9 * len(pairs)


def test_work_scales_what_time_cannot(tmp_path: Path) -> None:
    """Sampling interrupts fall into the group's own slices: in the same time it does half as much."""
    path = tmp_path / "slow.numaprof"
    with sqlite3.connect(path) as database:
        database.executescript(SCHEMA)
        for end in range(SECOND // 10, 2 * SECOND, SECOND // 10):
            insert = "INSERT INTO count VALUES (?, 1, NULL, ?, ?, ?, ?, ?)"
            database.execute(insert, (CLOCK, end, 90, 90, 90, 2 * 60 + 30))
            database.execute(insert, (REMOTE, end, 3 * 30, 90, 30, 30))  # 30 of 150 instructions in a third of the time
    with Recording(str(path)) as recording:
        by_work = load_estimates(recording, [REMOTE], [CLOCK])[1, REMOTE]
    with Recording(str(path)) as recording:
        by_time = load_estimates(recording, [REMOTE], [CLOCK], by_work=False)[1, REMOTE]
    assert by_work.by_work and not by_time.by_work
    assert by_work.total == pytest.approx(19 * 3 * 150)
    assert by_time.total == pytest.approx(19 * 3 * 90)


def test_intervals_without_a_turn_take_the_rate_beside_them(tmp_path: Path) -> None:
    """A counter in every third interval only: its rate stands for the two before it, the last one for the end too."""
    path = tmp_path / "gaps.numaprof"
    with sqlite3.connect(path) as database:
        database.executescript(SCHEMA)
        for at in range(1, 31):
            insert = "INSERT INTO count VALUES (?, 1, NULL, ?, ?, ?, ?, NULL)"
            database.execute(insert, (CLOCK, at, 10, 10, 10))
            if at % 3 == 2:
                database.execute(insert, (REMOTE, at, 100 if at <= 15 else 300, 10, 10))
    with Recording(str(path)) as recording:
        found = load_estimates(recording, [REMOTE], [CLOCK])[1, REMOTE]
    assert found.total == pytest.approx(14 * 100 + 16 * 300)
    assert found.seen == 100
    assert found.size == 300
    assert found.own_error is not None


def test_what_timers_tell_at_other_times_than_the_clock_is_not_lost(tmp_path: Path) -> None:
    """The event is told of every 130 ms, the clock every 100 ms: first before, last after the clock's."""
    path, ms = tmp_path / "timed.numaprof", 1_000_000
    with sqlite3.connect(path) as database:
        database.executescript(SCHEMA)
        clock = [(CLOCK, 1, (100 + 100 * i) * ms, 100 * ms, 100 * ms, 100 * ms, 1000) for i in range(30)]
        event = [(LOCAL, 1, (90 + 130 * i) * ms, 13, 130 * ms, 26 * ms, 260) for i in range(24)]
        database.executemany("INSERT INTO count VALUES (?,?,NULL,?,?,?,?,?)", clock + event)
    with Recording(str(path)) as recording:
        found = load_estimates(recording, [LOCAL], [CLOCK])[1, LOCAL]
    assert (found.seen, found.size) == (24 * 260, 30 * 1000)
    assert found.total == pytest.approx(30_000 * 13 / 260)
    assert found.own_error is not None


@given(st.floats(1, 200))
def test_student(freedom: float) -> None:
    """Against a table: 3.182 at 3 degrees, 2.228 at 10, 1.984 at 100; always wider than the normal distribution's."""
    for known, value in ((3, 3.182), (10, 2.228), (100, 1.984)):
        assert student(known) == pytest.approx(value, rel=0.005)
    assert 1.959 < student(freedom) <= student(1) < 12.71


errors = st.builds(Error, st.floats(0, 1e12), st.floats(1, 1e6))


@given(st.lists(errors, min_size=1, max_size=8))
def test_errors_of_a_sum(parts: list[Error]) -> None:
    whole = added(parts)
    assert whole is not None
    assert whole.variance == pytest.approx(sum(part.variance for part in parts))
    assert whole.freedom >= min(part.freedom for part in parts) * (1 - 1e-9)
    assert added([*parts, None]) is None
    assert added([]) == EXACT


@given(st.floats(1, 1e9), st.floats(1, 1e9), errors, errors, st.floats(1e-3, 1e3))
def test_the_interval_of_a_share_does_not_depend_on_the_unit(
    local: float, remote: float, one: Error, other: Error, unit: float
) -> None:
    plain = Traffic(Amount(local, 0.5, one), Amount(remote, 0.5, other)).interval
    scaled = Traffic(Amount(unit * local, 0.5, one.times(unit)), Amount(unit * remote, 0.5, other.times(unit))).interval
    assert plain is not None and scaled is not None
    assert plain == pytest.approx(scaled, abs=1e-9)
    assert plain[0] <= remote / (local + remote) * (1 + 1e-9) and plain[1] <= 1


def test_how_a_share_is_written() -> None:
    assert share_in_interval(0.462, (0.422, 0.502)) == "46 % ± 4"
    assert share_in_interval(0.0413, (0.038, 0.0443)) == "4.1 % ± 0.3"
    assert share_in_interval(0.501, (0.501, 0.501)) == "50.1 %"
    assert share_in_interval(0.98, (0.9, 1.0)) == "98 % ± 8"
    assert share_in_interval(0.25, None) == "25.0 %"


def test_one_exact_run_a_side_is_no_change_by_two_points() -> None:
    """Counts that nothing multiplexes have no error; how two runs of one program differ is not known from one each."""

    def runs(*shares: float) -> Spread:
        return Spread(shares, shares, True)

    assert change_of_share(runs(0.50), runs(0.52)) == ShareChange.SAME
    assert change_of_share(runs(0.50), runs(0.54)) == ShareChange.ROSE
    assert change_of_share(runs(0.500, 0.501), runs(0.520, 0.522)) == ShareChange.ROSE


def rare(chance: random.Random, slices: int) -> Iterator[Rates]:
    """Some three remote requests of a run, each by itself."""
    for _ in range(slices):
        yield Rates(900, float(chance.random() < 0.003), 10_000)


def test_nothing_counted_is_an_upper_bound(simulate: Simulate) -> None:
    """Where a third of the time shows no request, there may have been some in the rest: never 0 +- 0."""
    found = simulate(rare, True)
    held, none = 0, 0
    for thread, (_, remote) in enumerate(found.truth, 1):
        estimate = found.estimates[thread, REMOTE]
        assert estimate.own_error is not None and estimate.own_error.half_width > 3
        held += abs(estimate.total - remote) <= estimate.own_error.half_width
        none += estimate.total == 0
        interval = traffic(found, thread).interval
        assert interval is not None and interval[1] > 0
    assert none >= 0.2 * RUNS and held >= 0.95 * RUNS


def test_errors_of_few_blocks_are_known_with_few_degrees_of_freedom() -> None:
    """n blocks of equal weight tell 2 (n - 1)^2 / (3 n - 4): 1.6 of 3, 2.25 of 4."""
    assert own_error(1.0, 8, 3.0) == Error(1.0, 1.6)
    assert own_error(1.0, 8, 4.0) == Error(1.0, 2.25)
    assert own_error(1.0, 3, 8.0) is None
    assert own_error(None, 1, None) == EXACT
