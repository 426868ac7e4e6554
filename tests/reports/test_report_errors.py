# SPDX-License-Identifier: Apache-2.0
"""Errors of multiplexed counts: 95 % intervals hold the truth in 90 % of simulated runs, and nothing is biased."""

from __future__ import annotations

import math
import random
import sqlite3
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import closing
from functools import cache
from itertools import combinations, cycle
from pathlib import Path
from statistics import NormalDist, fmean, median
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numaprof.analysis.remote_share import RemoteShare
from numaprof.compare.sides import ShareChange, change_of_share, spread_of_shares
from numaprof.evidence.counts import Amount, Count, Traffic, Uncounted, completed, pooled
from numaprof.evidence.errors import (
    Contrasts,
    Error,
    Estimate,
    by_cluster,
    combined,
    error_of,
    independent,
    student,
    successive,
)
from numaprof.evidence.estimates import Estimated, Estimates, load_estimates
from numaprof.evidence.spread import (
    Spread,
    among,
    clustered_size,
    effective_size,
    error_of_difference,
    sampled_interval,
)
from numaprof.evidence.thresholds import SHARE_CHANGE, SPELLS, UNSEEN_PART
from numaprof.recording.reader import Recording
from numaprof.text.format import share_in_interval
from recording_builder import SCHEMA, SECOND

CLOCK, LOCAL, REMOTE = 1, 2, 3
SLICE = 4_000_000  # ns: how long the kernel leaves a group on the counters at 250 Hz
SLICES = 25  # of an interval
RUNS = 250


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


def unlike(chance: random.Random, slices: int) -> Iterator[Rates]:
    """Passes of three phases, each of several turns of all groups: few requests by many instructions, and many by few.
    The phases of two threads are not of one length."""
    left, phases = 0, cycle((Rates(400, 300, 60_000), Rates(900, 900, 4_000), Rates(800, 1200, 2_000)))
    rates = Rates(0, 0, 0)
    for _ in range(slices):
        if left == 0:
            left, rates = max(1, round(chance.gauss(12, 3))), next(phases)
        left -= 1
        yield rates


KINDS = (steady, drifting, halves, waves, bursts, unlike)


class Seen(NamedTuple):
    thread: int
    event: int
    value: int
    running: int


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
    with closing(sqlite3.connect(path)) as database, database:
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
        Amount(local.total, 0.3, local.strata),
        Amount(remote.total, 0.3, remote.strata),
    )


@pytest.mark.parametrize(("by_work", "intervals"), [(False, 40), (True, 40), (True, 3)])
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_hold_the_truth(kind: Phases, by_work: bool, intervals: int, simulate: Simulate) -> None:
    """Of threads of 4 s, and of 0.3 s, of which three blocks tell."""
    found = simulate(kind, by_work, intervals)
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
    # The bias of a ratio falls with the number of its parts (Cochran, Sampling Techniques, 6.8).
    assert abs(fmean(deviations)) <= 3 * spread + 0.08 / intervals, "biased"


def test_intervals_are_not_much_wider_than_needed(simulate: Simulate) -> None:
    found = simulate(steady, True)
    estimates = [found.estimates[thread, REMOTE] for thread in range(1, RUNS + 1)]
    actual = fmean((e.total - remote) ** 2 for e, (_, remote) in zip(estimates, found.truth))
    errors = [error_of(e.strata) for e in estimates]
    claimed = fmean(error.variance for error in errors if error is not None)
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


@pytest.mark.parametrize("intervals", [8, 40])
@pytest.mark.parametrize("kind", KINDS)
def test_identical_runs_are_not_called_changed(kind: Phases, intervals: int, simulate: Simulate) -> None:
    """One run of 0.8 or 4 s a side: at most 5 of 100 pairs. Those of `bursts` and `halves` often truly differ."""
    found = simulate(kind, True, intervals)
    shares = [(share(found, thread), true_share(found, thread)) for thread in range(1, RUNS + 1)]
    pairs = [
        (one, other)
        for step in (1, 2, 7, 31)
        for (one, truth), (other, other_truth) in zip(shares, shares[step:])
        if abs(truth - other_truth) < SHARE_CHANGE
    ]
    changed = sum(change_of_share(one, other) != ShareChange.SAME for one, other in pairs)
    assert len(pairs) >= 50
    assert changed <= 0.05 * len(pairs)


def true_share(found: Simulated, thread: int) -> float:
    local, remote = found.truth[thread - 1]
    return remote / (local + remote)


def test_ten_points_are_called_a_change(simulate: Simulate) -> None:
    """Of bursty programs of four seconds a thread, counted a third of the time: one run a side."""
    before, after = simulate(bursts, True), simulate(more_remote, True)
    pairs = [thread for thread in range(1, RUNS + 1) if true_share(after, thread) - true_share(before, thread) >= 0.1]
    assert len(pairs) >= 50
    found = [change_of_share(share(before, thread), share(after, thread)) for thread in pairs]
    assert found.count(ShareChange.ROSE) >= 0.9 * len(pairs)


def test_work_scales_what_time_cannot(tmp_path: Path) -> None:
    """Sampling interrupts fall into the group's own slices: in the same time it does half as much."""
    path = tmp_path / "slow.numaprof"
    with closing(sqlite3.connect(path)) as database, database:
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


def estimated(path: Path, counts: Iterable[tuple[int | None, ...]]) -> Estimated:
    """Of the remote event of one thread. Of each count: event, time, value, enabled, running, work."""
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
        database.executemany("INSERT INTO count VALUES (?, 1, NULL, ?, ?, ?, ?, ?)", counts)
    with Recording(str(path)) as recording:
        return load_estimates(recording, [REMOTE], [CLOCK])[1, REMOTE]


def test_intervals_without_a_turn_take_the_rate_of_the_others(tmp_path: Path) -> None:
    """A counter in every third interval only: what it saw there stands for all of the time."""
    clock = [(CLOCK, at, 10, 10, 10, None) for at in range(1, 31)]
    remote = [(REMOTE, at, 100 if at <= 15 else 300, 10, 10, None) for at in range(2, 31, 3)]
    found = estimated(tmp_path / "gaps.numaprof", clock + remote)
    assert found.total == pytest.approx(3 * (5 * 100 + 5 * 300))
    assert found.seen == 100
    assert found.size == 300
    assert error_of(found.strata) is not None


def test_time_that_was_not_seen_may_be_unlike_all_that_was(tmp_path: Path) -> None:
    """Ten parts of one rate, a quarter of each counted: their changes are 0, the error is not."""
    clock = [(CLOCK, at, 40, 40, 40, 4_000_000) for at in range(1, 11)]
    remote = [(REMOTE, at, 250_000, 40, 10, 1_000_000) for at in range(1, 11)]
    found = estimated(tmp_path / "even.numaprof", clock + remote)
    assert found.total == pytest.approx(10_000_000)
    error = error_of(found.strata)
    assert error is not None and error.variance == pytest.approx(UNSEEN_PART * (1 - 0.25) * (found.total / 10) ** 2)


def test_what_timers_tell_at_other_times_than_the_clock_is_not_lost(tmp_path: Path) -> None:
    """The event is told of every 130 ms, the clock every 100 ms: first before, last after the clock's."""
    path, ms = tmp_path / "timed.numaprof", 1_000_000
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
        clock = [(CLOCK, 1, (100 + 100 * i) * ms, 100 * ms, 100 * ms, 100 * ms, 1000) for i in range(30)]
        event = [(LOCAL, 1, (90 + 130 * i) * ms, 13, 130 * ms, 26 * ms, 260) for i in range(24)]
        database.executemany("INSERT INTO count VALUES (?,?,NULL,?,?,?,?,?)", clock + event)
    with Recording(str(path)) as recording:
        found = load_estimates(recording, [LOCAL], [CLOCK])[1, LOCAL]
    assert (found.seen, found.size) == (24 * 260, 30 * 1000)
    assert found.total == pytest.approx(30_000 * 13 / 260)
    assert error_of(found.strata) is not None


Mix = Callable[[random.Random, float], float]  # the remote part of what is asked, at a time from 0 to 1


def evenly(chance: random.Random, at: float) -> float:
    return 0.35


def at_random(chance: random.Random, at: float) -> float:
    return float(chance.random() < 0.35)


def in_halves(chance: random.Random, at: float) -> float:
    return 0.1 if at < 0.5 else 0.7


BUSY_RUNS, BUSY_THREADS = 40, 8


def record_busy(path: Path, mix: Mix) -> tuple[list[float], dict[int, int]]:
    """Threads of 20 to 60 turns of six groups, local and remote apart. After some turns the host takes the CPU away,
    which the guest takes for time of the group. The true share of each run, and each thread's CPU time."""
    shares, times = [], {}
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
        for run in range(BUSY_RUNS):
            chance, sums = random.Random(f"busy {run}"), [0, 0]
            for thread in range(run * BUSY_THREADS + 1, (run + 1) * BUSY_THREADS + 1):
                turns, first, now, rows = chance.randint(20, 60), chance.randrange(6), 0, []
                for turn in range(turns):
                    length = SLICE + (chance.random() < 0.4) * round(chance.expovariate(1 / (12 * SLICE)))
                    work, remote = chance.randint(5_000, 100_000), mix(chance, turn / turns)
                    asked = round(work * (1 - remote) / 10), round(work * remote / 10)
                    now, sums = now + length, [sums[0] + asked[0], sums[1] + asked[1]]
                    rows.append((CLOCK, thread, now, length, length, length, work))
                    if (turn + first) % 3 == 0:
                        side = (turn + first) % 6 // 3
                        rows.append((LOCAL + side, thread, now, asked[side], length, length, work))
                database.executemany("INSERT INTO count VALUES (?,?,NULL,?,?,?,?,?)", rows)
                times[thread] = now
            shares.append(sums[1] / sum(sums))
    return shares, times


@pytest.mark.parametrize(("mix", "error"), [(evenly, 0.002), (at_random, 0.1), (in_halves, 0.06)])
def test_shares_of_short_threads_on_a_busy_host(mix: Mix, error: float, tmp_path: Path) -> None:
    """Each event saw a few turns of a thread, and most of its time without the host's CPU: that time did no work."""
    truth, times = record_busy(tmp_path / "busy.numaprof", mix)
    with Recording(str(tmp_path / "busy.numaprof")) as recording:
        rows = recording.rows(Seen, "SELECT thread, event, sum(value), sum(running_ns) FROM count GROUP BY 1, 2")
        found = load_estimates(recording, [LOCAL, REMOTE], [CLOCK])
    seen, held, errors = {(row.thread, row.event): row for row in rows}, 0, []
    for run, share in enumerate(truth):
        threads = range(run * BUSY_THREADS + 1, (run + 1) * BUSY_THREADS + 1)
        sides = [
            pooled(completed([
                Count(*seen.get((thread, event), (0, 0, 0, 0))[2:], times[thread], found[thread, event])
                for thread in threads
            ]))
            for event in (LOCAL, REMOTE)
        ]  # fmt: skip
        traffic = Traffic(*sides)
        assert traffic.share is not None and traffic.interval is not None
        held += traffic.interval[0] <= share <= traffic.interval[1]
        errors.append(abs(traffic.share - share))
    assert held >= 0.9 * BUSY_RUNS
    assert median(errors) <= error


@given(st.floats(1, 200))
def test_student(freedom: float) -> None:
    """Against a table: 3.182 at 3 degrees, 2.228 at 10, 1.984 at 100; always wider than the normal distribution's."""
    for known, value in ((3, 3.182), (10, 2.228), (100, 1.984)):
        assert student(known) == pytest.approx(value, rel=0.005)
    assert 1.959 < student(freedom) <= student(1) < 12.71


errors = st.builds(Error, st.just(0.0) | st.floats(1e-6, 1e12), st.floats(2, 1e6))


@given(st.lists(errors, min_size=1, max_size=8))
def test_errors_of_a_sum(parts: list[Error]) -> None:
    strata = [(1.0, independent(part)) for part in parts]
    whole = error_of(combined(strata))
    assert whole is not None
    assert whole.variance == pytest.approx(sum(part.variance for part in parts))
    assert whole.freedom >= min(part.freedom for part in parts) * (1 - 1e-9)
    assert combined([*strata, (1.0, None)]) is None
    assert error_of(combined([])) == Error(0.0)


clusters = st.dictionaries(st.tuples(st.integers(1, 4), st.integers(0, 31)), st.floats(0, 1e6), min_size=4)


@given(clusters, st.floats(-10, 10), st.floats(0.1, 10))
def test_estimates_of_the_same_clusters_keep_what_they_share(
    values: dict[tuple[int, int], float], factor: float, unit: float
) -> None:
    """A multiple differs from it by a multiple, and their ratio has no error."""
    one = Estimate(sum(values.values()), by_cluster(values))
    other = one.times(factor)
    alone, left = one.error, (other - one).error
    assert (alone is None) == (left is None) or factor == 1
    if alone is not None and left is not None:
        assert left.variance == pytest.approx((factor - 1) ** 2 * alone.variance, rel=1e-6, abs=1e-6)
    if one.value > 1:
        ratio = one.times(unit).per(one)
        assert ratio.value == pytest.approx(unit)
        assert ratio.error is None or ratio.error.variance == pytest.approx(0.0, abs=1e-9)


def test_threads_in_step_err_together() -> None:
    """Eight threads with the same deviations have eight times the error of one, not its root; if each has its own, the
    errors add up as of independent ones."""
    chance = random.Random(1)
    own = [successive([chance.gauss(0, 1) for _ in range(32)])._replace(family="alive together") for _ in range(8)]
    alike, apart = (dict(enumerate(parts)) for parts in ([own[0]] * 8, own))
    one = error_of({0: own[0]})
    same, other = error_of(alike), error_of(apart)
    assert one is not None and same is not None and other is not None
    assert same.variance == pytest.approx(64 * one.variance)
    assert other.variance < 1.7 * sum(part.variance for part in own)


def test_phases_and_drifts_are_no_errors() -> None:
    """Where one phase ends is one difference; a drift is the same difference everywhere; what deviates has two."""
    chance = random.Random(2)
    noise = [chance.gauss(0, 1) for _ in range(32)]
    plain = successive(noise).variance
    phases = successive([value + 20 * (at >= 16) for at, value in enumerate(noise)]).variance
    drift = successive([value + at for at, value in enumerate(noise)]).variance
    deviates = successive([value + 20 * (at == 16) for at, value in enumerate(noise)]).variance
    assert phases < 4 * plain
    assert drift == pytest.approx(plain)
    assert deviates > 8 * plain


@given(st.floats(1, 1e9), st.floats(1, 1e9), errors, errors, st.floats(1e-3, 1e3))
def test_the_interval_of_a_share_does_not_depend_on_the_unit(
    local: float, remote: float, one: Error, other: Error, unit: float
) -> None:
    sides = Amount(local, 0.5, independent(one)), Amount(remote, 0.5, independent(other))
    plain = Traffic(*sides).interval
    scaled = Traffic(*(side.times(unit) for side in sides)).interval
    assert plain is not None and scaled is not None
    assert plain == pytest.approx(scaled, abs=1e-9)
    assert plain[0] <= remote / (local + remote) * (1 + 1e-9) and plain[1] <= 1


requests = st.tuples(st.floats(0, 1e6), st.floats(0, 1e6))  # local and remote


@given(requests, requests, st.floats(1, 10), st.floats(1, 1e6))
def test_the_interval_holds_whatever_was_not_counted(
    counted: tuple[float, float], missing: tuple[float, float], slack: float, variance: float
) -> None:
    """Be it all local, all remote or anything between, as long as there is no more of it than was allowed for."""
    assume(sum(counted) > 1)
    amounts = Amount(counted[0], 1.0, {}), Amount(counted[1], 1.0, {})
    missed = Uncounted(0.5, slack * sum(missing))
    low, high = Traffic(*amounts, uncounted=missed).interval or (1.0, 0.0)
    truth = (counted[1] + missing[1]) / (sum(counted) + sum(missing))
    assert 0 <= low <= truth + 1e-9 and truth - 1e-9 <= high <= 1 + 1e-9
    unsure = Amount(counted[1], 0.5, independent(Error(variance)))
    wider, plain = Traffic(amounts[0], unsure, uncounted=missed).interval, Traffic(amounts[0], unsure).interval
    assert wider is not None and plain is not None
    assert wider[0] <= min(low, plain[0]) + 1e-9 and max(high, plain[1]) - 1e-9 <= wider[1] <= 1 + 1e-9


@pytest.mark.parametrize(
    ("one", "other", "lowest"), [((56, 70), (48, 80), 0.0524), ((9, 10), (3, 10), 0.1705), ((5, 56), (0, 29), -0.0381)]
)
def test_the_interval_of_a_difference(one: tuple[int, int], other: tuple[int, int], lowest: float) -> None:
    """Against Newcombe 1998, table II, method 10: the lower end of the difference of two sampled shares."""
    sides = [Spread((x / n,), sampled_interval(x / n, n)) for x, n in (one, other)]
    assert sides[0].middle - sides[1].middle - error_of_difference(*sides) == pytest.approx(lowest, abs=5e-5)
    assert error_of_difference(*sides) == error_of_difference(*reversed(sides))


@given(st.integers(min_value=1, max_value=10_000))
def test_of_several_differences_chance_makes_one_in_5_percent_of_all_sets(several: int) -> None:
    """Against the quantile of the normal distribution: never less, and little more."""
    needed = NormalDist().inv_cdf(1 - 0.025 / several) / NormalDist().inv_cdf(0.975)
    assert needed - 1e-6 <= among(several) <= 1.08 * needed


def test_the_interval_of_a_sampled_share_knows_that_few_samples_stand_for_most_accesses() -> None:
    """A sampler adapts its period: it takes many samples of one weight, then a few that stand for fifty times more."""
    chance, rounds, weights = random.Random(5), 4000, [101.0] * 100 + [5003.0] * 30
    held, held_by_number = 0, 0
    for _ in range(rounds):
        remote = sum(weight for weight in weights if chance.random() < 0.3)
        size = effective_size(sum(weights), sum(weight * weight for weight in weights))
        found = RemoteShare(remote, sum(weights), len(weights), effective=size)
        by_number = sampled_interval(found.share, len(weights))
        assert found.interval is not None
        held += found.interval[0] <= 0.3 <= found.interval[1]
        held_by_number += by_number[0] <= 0.3 <= by_number[1]
    assert held > 0.93 * rounds > 0.75 * rounds > held_by_number


@given(weight=st.floats(1e-3, 1e9), samples=st.integers(1, 10_000))
def test_samples_of_one_weight_count_as_themselves(weight: float, samples: int) -> None:
    assert effective_size(samples * weight, samples * weight * weight) == pytest.approx(samples)


@cache
def host_lets(chance: int, spell: int) -> bool:
    return random.Random(f"{chance} {spell}").random() < 0.5


SAMPLING = {  # in which slices accesses are sampled
    "all of the time": lambda chance, at: True,
    "in turns": lambda chance, at: at % 3 == 0,
    "as the host lets it": lambda chance, at: host_lets(chance, at // 12),
}
PERIOD = 1009  # accesses


def sampled_run(kind: Phases, number: int, sees: Callable[[int, int], bool]) -> tuple[float, RemoteShare, Spread]:
    """Of four threads of two seconds: its true share, the sampled one as reports know it, and as samples that do not
    depend on each other would have it."""
    truth: list[float] = [0, 0]
    remotes: dict[tuple[Hashable, int], float] = {}
    wholes: dict[tuple[Hashable, int], float] = {}
    for thread in range(4):
        chance = random.Random(f"sampled {kind.__name__} {number} {thread}")
        spells = [[0, 0] for _ in range(SPELLS)]
        left = chance.uniform(0, PERIOD)
        for at, rates in enumerate(kind(chance, 500)):
            remote, both = max(0.0, rates.remote), max(1.0, rates.local + rates.remote)
            truth[0], truth[1] = truth[0] + remote, truth[1] + both
            left -= both * sees(number * 4 + thread, at)
            while left <= 0:
                is_remote = chance.random() < remote / both
                spells[at * SPELLS // 500][0] += is_remote
                spells[at * SPELLS // 500][1] += 1
                left += PERIOD
        for spell, (part, count) in enumerate(spells):
            remotes[thread, spell], wholes[thread, spell] = part, count
    samples = [sum(remotes.values()), sum(wholes.values())]
    effective = clustered_size(remotes, wholes, samples[1])
    found = RemoteShare(*samples, int(samples[1]), effective=effective)
    alone = Spread((found.share,), sampled_interval(found.share, samples[1]))
    return truth[0] / truth[1], found, alone


@pytest.mark.parametrize("sampling", SAMPLING)
@pytest.mark.parametrize("kind", KINDS)
def test_identical_runs_are_not_called_changed_by_samples(kind: Phases, sampling: str) -> None:
    """At most 5 of 100 pairs of the same true share, within a point."""
    runs = [sampled_run(kind, number, SAMPLING[sampling]) for number in range(50)]
    found = [(truth, spread_of_shares([share])) for truth, share, _ in runs]
    pairs = [(a, b) for (x, a), (y, b) in combinations(found, 2) if abs(x - y) < SHARE_CHANGE and a and b]
    changed = sum(change_of_share(one, other) != ShareChange.SAME for one, other in pairs)
    assert len(pairs) >= 50
    assert changed <= 0.05 * len(pairs)


def test_samples_that_come_together_would_tell_changes_where_there_are_none() -> None:
    """Without clusters: what the test above guards against."""
    runs = [sampled_run(bursts, number, SAMPLING["as the host lets it"]) for number in range(50)]
    pairs = [(a, b) for (x, _, a), (y, _, b) in combinations(runs, 2) if abs(x - y) < SHARE_CHANGE]
    apart = sum(abs(one.middle - other.middle) > error_of_difference(one, other) for one, other in pairs)
    assert apart > 0.1 * len(pairs)


Parts = dict[tuple[int, int], tuple[float, float]]  # with the property and in all, by thread and stretch


def size_of(parts: Parts, samples: float) -> float:
    return clustered_size(
        {at: part for at, (part, _) in parts.items()}, {at: whole for at, (_, whole) in parts.items()}, samples
    )


@given(
    st.dictionaries(
        st.tuples(st.integers(1, 5), st.integers(0, 31)), st.tuples(st.integers(0, 50), st.integers(1, 50)), min_size=1
    )
)
def test_clusters_never_tell_more_than_their_samples(parts: dict[tuple[int, int], tuple[int, int]]) -> None:
    found: Parts = {at: (float(min(part, whole)), float(whole)) for at, (part, whole) in parts.items()}
    samples = sum(whole for _, whole in found.values())
    assert 0 <= size_of(found, samples) <= samples


def test_clusters_that_are_all_or_nothing_are_samples_themselves() -> None:
    """40 of 50 samples each, with the quantiles of t instead of the normal distribution; and two tell what two do."""
    found: Parts = {(1, n): (50.0 * (n % 2), 50.0) for n in range(40)}
    assert size_of(found, 2000) == pytest.approx(39 * (1.96 / 2.023) ** 2, rel=1e-3)
    assert size_of({(1, 0): (0.0, 500.0), (1, 1): (500.0, 500.0)}, 1000) == 2


def test_threads_that_differ_are_no_error() -> None:
    """Half of them read remote memory only, all of the time."""
    found: Parts = {(n, at): (50.0 * (n % 2), 50.0) for n in range(4) for at in range(32)}
    assert size_of(found, 6400) == 6400


def test_how_a_share_is_written() -> None:
    assert share_in_interval(0.462, (0.422, 0.502)) == "46 % ± 4"
    assert share_in_interval(0.0413, (0.038, 0.0443)) == "4.1 % ± 0.3"
    assert share_in_interval(0.501, (0.501, 0.501)) == "50.1 %"
    assert share_in_interval(0.98, (0.9, 1.0)) == "98 % ± 8"
    assert share_in_interval(0.25, None) == "25.0 %"
    assert share_in_interval(0.36, (0.02, 0.76)) == "36 % (2..76)"


def test_one_exact_run_a_side_is_no_change_by_two_points() -> None:
    """Counts that nothing multiplexes have no error; how two runs of one program differ is not known from one each."""

    def runs(*shares: float) -> Spread:
        return Spread(shares, shares, True)

    assert change_of_share(runs(0.50), runs(0.52)) == ShareChange.SAME
    assert change_of_share(runs(0.50), runs(0.54)) == ShareChange.SAME
    assert change_of_share(runs(0.50), runs(0.56)) == ShareChange.ROSE
    assert change_of_share(runs(0.500, 0.501), runs(0.520, 0.522)) == ShareChange.SAME
    before, after = runs(0.500, 0.501, 0.499, 0.502, 0.5), runs(0.520, 0.522, 0.521, 0.519, 0.52)
    assert change_of_share(before, after) == ShareChange.ROSE


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
        error = error_of(estimate.strata)
        assert error is not None and error.half_width > 3
        held += abs(estimate.total - remote) <= error.half_width
        none += estimate.total == 0
        interval = traffic(found, thread).interval
        assert interval is not None and interval[1] > 0
    assert none >= 0.2 * RUNS and held >= 0.95 * RUNS


def counted(local: float, remote: float, errors: tuple[float, float], freedom: float = math.inf) -> Traffic:
    """errors: standard errors of the two."""
    strata = [independent(Error(error**2, freedom)) for error in errors]
    return Traffic(*(Amount(count, 0.25, mine) for count, mine in zip((local, remote), strata)))


def test_a_known_count_among_a_hardly_known_one_is_not_nothing() -> None:
    few = counted(1_840_000, 1_130_000, (390_000, 21_000), 1.2).interval
    assert few is not None and 0.1 < few[0] < 0.38 < few[1] < 1.0
    most = counted(1_130_000, 1_840_000, (21_000, 390_000), 1.2).interval
    assert most is not None and most == pytest.approx((1 - few[1], 1 - few[0]))
    assert (counted(1_000_000, 10, (1_000, 10)).interval or (1.0,))[0] == 0.0, "ten that may be none"
    assert (counted(10, 1_000_000, (10, 1_000)).interval or (0.0, 0.0))[1] == 1.0
    sure = counted(1_000_000, 500_000, (10_000, 10_000))
    assert sure.share_error is not None
    assert sure.interval == pytest.approx((1 / 3 - sure.share_error.half_width, 1 / 3 + sure.share_error.half_width))


@pytest.mark.parametrize("relative", [(0.05, 0.5), (0.5, 0.05), (0.5, 0.5), (0.9, 0.1)])
def test_ends_from_the_counts_own_bounds_miss_the_truth_as_seldom_as_an_interval_may(
    relative: tuple[float, float],
) -> None:
    """Where the delta method reaches beyond 0 or 1. The other ends are its own."""
    chance, runs, missed, ends = random.Random(5), 4000, 0, 0
    errors = (2.0 * relative[0], 2.0 * relative[1])
    for _ in range(runs):
        found = counted(*(max(0.01, chance.gauss(2.0, error)) for error in errors), errors)
        assert found.share is not None and found.share_error is not None and found.interval is not None
        below, above = found.share <= found.share_error.half_width, 1 - found.share <= found.share_error.half_width
        ends += below + above
        missed += (below and found.interval[0] > 0.5) + (above and found.interval[1] < 0.5)
    assert ends > 100
    assert missed <= 0.025 * runs


def test_errors_of_few_blocks_are_known_with_few_degrees_of_freedom() -> None:
    """n blocks of equal weight tell 2 (n - 1)^2 / (3 n - 4): 1.6 of 3, 2.25 of 4. Two tell nothing by themselves."""
    assert successive([1.0, 2.0, 4.0, 3.0], 3.0).freedom == pytest.approx(1.6)
    assert successive([1.0, 2.0, 4.0, 3.0]).freedom == pytest.approx(2.25)
    pair = successive([1.0, 2.0])
    assert error_of({1: pair}) is None
    both = error_of({1: pair, 2: pair})
    assert both is not None and both.freedom == pytest.approx(2)
    assert error_of({1: Contrasts([3.0, 4.0])}) == Error(25.0)
