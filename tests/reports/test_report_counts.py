# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of counters that share a register: against layout and pencil, and against what must always hold."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numaprof.evidence.counts import (
    NOTHING,
    Amount,
    Count,
    Traffic,
    added,
    completed,
    difference,
    pooled,
    summed,
    together,
)
from numaprof.evidence.errors import NORMAL, Contrasts, student
from numaprof.evidence.estimates import Estimated, load_estimates
from numaprof.recording.reader import Recording
from reading import printed, read
from recording_builder import RAN, SCHEMA, RecordingBuilder
from scenarios import SCENARIOS, levels


def test_paper_and_pencil() -> None:
    """A thread of 100 ms, two classes taking turns: demand counted 40 ms, prefetch 60 ms.

    demand   local  200 / 0.4 =  500   remote  300 / 0.4 =  750
    prefetch local 1200 / 0.6 = 2000   remote  300 / 0.6 =  500
    all      local 2500                remote 1250              remote share 1250 / 3750 = one third
    """
    demand = Traffic(pooled([Count(200, 40, 100)]), pooled([Count(300, 40, 100)]))
    prefetch = Traffic(pooled([Count(1200, 60, 100)]), pooled([Count(300, 60, 100)]))
    both = added([demand, prefetch])
    assert demand.local == Amount(500, 0.4)
    assert both.local.estimate == pytest.approx(2500)
    assert both.remote.estimate == pytest.approx(1250)
    assert both.share == pytest.approx(1 / 3)
    assert both.coverage == 0.4
    assert both.scaled


def test_what_was_counted_all_the_time_is_not_scaled() -> None:
    assert Count(1000, 995, 1000).amount.estimate == 1000
    assert not Traffic(Amount(1, 0.995), Amount(1, 1.0)).scaled


def test_too_little_coverage_is_refused_not_guessed() -> None:
    assert Count(7, 5, 100).amount.estimate is None
    assert pooled([Count(7, 5, 100)]).estimate is None
    assert Count(7, 5, None).amount.estimate is None
    assert Traffic(Amount(None, 0.05), Amount(10, 1.0)).share is None


def test_nothing_counted_is_not_a_share() -> None:
    assert Traffic(Amount(0, 1.0), Amount(0, 1.0)).share is None
    assert Traffic().share is None
    assert together([]) == NOTHING


def test_short_threads_are_scaled_together() -> None:
    """Ten threads of 10 ms; the event had its turn in two of them, for all of their time: 2 x 20, so 10 x 20 in all."""
    found = pooled(completed([Count(20, 10, 10)] * 2 + [Count(0, 0, 10)] * 8))
    assert found.coverage == pytest.approx(0.2)
    assert found.estimate == pytest.approx(200)
    # A long thread does not speak for short ones: those not seen are like those that were.
    mixed = pooled(completed([Count(1000, 100, 100), *[Count(8, 10, 10)] * 5, *[Count(0, 0, 10)] * 5]))
    assert mixed.estimate == pytest.approx(1000 + 10 * 8)


def test_threads_that_were_hardly_seen_are_like_others_of_their_node_and_the_nodes_add_up() -> None:
    """Remote requests: threads of node 0 make none, those of node 1 ten in a millisecond."""
    node0 = [Count(0, 100, 100, nodes=(0,)), Count(0, 1, 100, nodes=(0,))]
    node1 = [Count(1000, 100, 100, nodes=(1,)), Count(0, 1, 100, nodes=(1,))]
    elsewhere = [Count(0, 0, 100, nodes=(2,))]  # nothing was seen there: at the rate of all
    found = completed(node0 + node1 + elsewhere)
    assert pooled(found[:2]).estimate == 0
    assert pooled(found[2:4]).estimate == pytest.approx(1000 + 100 * 1000 / 101)
    assert pooled(found[:4]).estimate == pytest.approx(1000 + 100 * 1000 / 101)
    assert pooled(found).estimate == pytest.approx(1000 + 100 * 1000 / 101 + 100 * 1000 / 202)


def test_a_short_slice_of_the_only_thread_of_a_node_is_no_rate() -> None:
    """It met the thread's start, and is a thousandth of its time."""
    seen = [Count(1000, 10**9, 10**9, nodes=(0,))] * 8
    found = pooled(completed([*seen, Count(500, 10**4, 10**7, nodes=(1,))]))
    assert found.estimate == pytest.approx(8000 + 10, rel=0.01)


def test_threads_of_unknown_time_do_not_spoil_a_sum_unless_they_are_much_of_it() -> None:
    assert pooled([Count(100, 100, 100), Count(1, 1, None)]).estimate == 100
    assert pooled([Count(100, 100, 100), Count(50, 50, None)]).estimate is None


counts = st.builds(
    lambda value, time, share: Count(value, round(time * share), time),
    st.integers(0, 10**12),
    st.integers(1, 10**12),
    st.floats(0, 1),
)


@given(st.lists(counts, min_size=1, max_size=20))
def test_sums(several: list[Count]) -> None:
    whole, found = summed(several), pooled(completed(several))
    assert whole.value == sum(count.value for count in several)
    assert 0 <= (whole.coverage or 0) <= 1
    assert found.coverage == whole.coverage
    if found.estimate is not None:
        seen = sum(count.value for count in several if count.amount.estimate is not None)
        assert found.estimate >= seen * (1 - 1e-9)


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.floats(0.1, 1))
def test_a_ratio_does_not_depend_on_coverage(local: int, remote: int, coverage: float) -> None:
    """Local and remote stand in one group: they share their time slices."""
    time = 10**9
    running = round(time * coverage) + 1
    traffic = Traffic(pooled([Count(local, running, time)]), pooled([Count(remote, running, time)]))
    if local + remote:
        assert traffic.share == pytest.approx(remote / (local + remote))


def test_coverage_of_a_thread_that_moves(tmp_path) -> None:
    """(task, cpu) events are enabled while the thread is elsewhere: running/enabled says 50 %, but all was counted."""
    builder = levels(RecordingBuilder())
    builder.thread(name="mover", tid=1, pin="none", migrations=9, cpu_ns=RAN)
    clock = builder.event("time", "")
    local, remote = builder.event("demand_rd", "local_dram"), builder.event("demand_rd", "remote_dram")
    for cpu, time in ((0, RAN // 4), (4, RAN - RAN // 4)):
        builder.count(clock, 1, time, cpu=cpu, running_ns=time)
        builder.count(local, 1, 1000 if cpu == 0 else 0, cpu=cpu, enabled_ns=RAN, running_ns=time)
        builder.count(remote, 1, 0 if cpu == 0 else 3000, cpu=cpu, enabled_ns=RAN, running_ns=time)
    found = read(builder, tmp_path)
    assert found.threads[0].traffic.coverage == pytest.approx(1.0)
    assert found.threads[0].traffic.share == pytest.approx(0.75)
    assert found.threads[0].nodes == (0, 1)
    assert found.ledger.cpu(4)["demand"].remote == Amount(3000, 1.0)
    assert found.ledger.cpu(4)["demand"].coverage == pytest.approx(1.0)


def test_inherited_events_belong_to_the_cpu(tmp_path) -> None:
    """A static program: counts of all its threads on one CPU, beside the task-clock of the same kind."""
    builder = levels(RecordingBuilder()).threads(2, cpus=(0, 4), from_start=0)
    clock = builder.event("time", "")
    local, remote = builder.event("demand_rd", "local_dram"), builder.event("demand_rd", "remote_dram")
    for cpu, values in ((0, (500, 0)), (4, (0, 500))):
        builder.count(clock, None, RAN, cpu=cpu)
        builder.count(local, None, values[0], share=0.5, cpu=cpu)
        builder.count(remote, None, values[1], share=0.5, cpu=cpu)
    found = read(builder, tmp_path)
    assert found.traffic.share == pytest.approx(0.5)
    assert found.traffic.local.estimate == pytest.approx(1000)
    assert found.ledger.cpu(4)["demand"].share == pytest.approx(1.0)


def test_inherited_events_without_a_clock_are_refused(tmp_path) -> None:
    builder = levels(RecordingBuilder()).threads(1)
    for side in ("local_dram", "remote_dram"):
        builder.count(builder.event("demand_rd", side), None, 500, cpu=0)
    found = read(builder, tmp_path)
    assert found.traffic.share is None
    assert found.traffic.coverage is None


def test_scaled_sums_of_a_recording(tmp_path) -> None:
    """Three classes with a third of the time each: 3 x (10 000 + 5 000 + 40 000) a thread, four threads a side."""
    found = read(SCENARIOS["multiplexed"](), tmp_path)
    assert found.traffic.local.estimate == pytest.approx(4 * 3 * 55_000, rel=1e-6)
    assert found.traffic.coverage == pytest.approx(1 / 3, rel=1e-6)


def test_local_and_remote_of_a_group_err_together() -> None:
    """Busy blocks have more of both: the share is surer than either count."""
    steps = {1: [60.0, 80.0], 2: [30.0, 40.0]}
    counts = {
        event: Estimated(total, 1, 1000, 300, False, {(1, 1): Contrasts(steps[event], 20.0)})
        for event, total in ((1, 1000), (2, 500))
    }
    local, remote = Count(300, 300, 1000, counts[1]).amount, Count(150, 300, 1000, counts[2]).amount
    assert local.error is not None and local.error.variance == pytest.approx(10_000)
    paired = Traffic(local, remote).share_error
    assert paired is not None and paired.variance == pytest.approx(0.0, abs=1e-12)
    apart = replace(remote, strata={(1, 2): Contrasts(steps[2], 20.0)})
    alone = Traffic(local, apart).share_error
    # (1 - s)^2 V_r + s^2 V_l, over the total squared, with s = 1/3
    assert alone is not None and alone.variance == pytest.approx((4 / 9 * 2_500 + 10_000 / 9) / 1500**2)


def test_what_is_left_of_a_whole_errs_with_it() -> None:
    """Remote as the rest of both: total and local share their error, so that the total has that of both alone."""
    both = Amount(1000.0, 0.3, {"both": Contrasts([30.0])})
    local = Amount(600.0, 0.3, {"local": Contrasts([40.0])})
    found = Traffic(local, difference(both, local))
    assert found.remote.error is not None and found.remote.error.variance == pytest.approx(30**2 + 40**2)
    assert found.total_error is not None and found.total_error.variance == pytest.approx(30**2)
    # The share is 1 - local / both: the relative errors of the two add up.
    assert found.share_error is not None
    assert found.share_error.variance == pytest.approx(0.6**2 * ((30 / 1000) ** 2 + (40 / 600) ** 2))


BRIEF = 2  # the event of brief()


def brief(path: Path, rates: list[float], unseen: int = 0, seen: int = 300) -> list[Count]:
    """Threads of one interval, in which an event saw so much of 1000 at these rates; further threads it did not see."""
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
        insert = "INSERT INTO count VALUES (?, ?, NULL, 1000, ?, 1000, ?, NULL)"
        for thread in range(1, len(rates) + unseen + 1):
            database.execute(insert, (1, thread, 1000, 1000))
        for thread, rate in enumerate(rates, 1):
            database.execute(insert, (BRIEF, thread, round(seen * rate), seen))
    with Recording(str(path)) as recording:
        found = load_estimates(recording, [BRIEF], [1])
    values = [(round(seen * rate), seen) for rate in rates] + [(0, 0)] * unseen
    return completed([Count(*value, 1000, found[thread, BRIEF]) for thread, value in enumerate(values, 1)])


def test_short_threads_give_each_other_an_error(tmp_path: Path) -> None:
    """The spread of the threads' rates, with the quantile of Student's t that four of them have. Three are too few."""
    assert pooled(brief(tmp_path / "few", [1.0] * 3)).error is None
    found = pooled(brief(tmp_path / "four", [0.9, 1.1, 0.9, 1.1])).error
    assert found is not None
    by_spread = 4 * 0.01 * 1000 * 700 * 4 / 3 * (student(3) / NORMAL) ** 2
    assert found.variance == pytest.approx(max(by_spread, 4 * 1000 * 700 / 300), rel=1e-3)
    assert found.half_width == pytest.approx(NORMAL * found.variance**0.5)


def test_threads_that_were_hardly_seen_have_an_error_from_those_that_were(tmp_path: Path) -> None:
    """Rates 1 +- 0.5, alike well seen: two threads of 1000 may differ from the mean of four as any of them does."""
    rates = [0.5, 1.5, 0.5, 1.5]
    whole, alone = pooled(brief(tmp_path / "more", rates, 2)), pooled(brief(tmp_path / "alone", rates))
    assert whole.estimate == pytest.approx(4000 + 2000)
    assert whole.error is not None and alone.error is not None
    spread = 0.25 * 4 / 3 * (student(3) / NORMAL) ** 2
    assert whole.error.variance == pytest.approx(alone.error.variance + spread * (2 * 1000**2 + 2000**2 / 4), rel=1e-3)
    assert pooled(brief(tmp_path / "few", [1.0] * 3, 2)).error is None


def test_threads_that_show_nothing_have_an_upper_bound(tmp_path: Path) -> None:
    """Of four threads with three tenths seen, and of two that were not seen: 1.96^2 requests may be where none was."""
    seen = pooled(brief(tmp_path / "seen", [0.0] * 4))
    assert seen.estimate == 0 and seen.error is not None
    assert seen.error.variance == pytest.approx(4 * 3.84 * 1000 * 700 / 300**2)
    whole = pooled(brief(tmp_path / "whole", [0.0] * 4, 2))
    assert whole.estimate == 0 and whole.error is not None
    assert whole.error.variance == pytest.approx(seen.error.variance + 3.84 * (2000 / 1200) ** 2)


def crowd(told_apart: int) -> RecordingBuilder:
    """Eight threads with a quarter of their demand reads remote; only the first `told_apart` had prefetches counted."""
    builder = RecordingBuilder()
    levels(builder)
    builder.threads(8)
    builder.counters("demand_rd", [3000] * 8, [1000] * 8)
    return builder.counters("pf_any", [0] * told_apart, [50_000] * told_apart)


def test_a_class_that_threads_lack_is_no_part_of_the_verdict(tmp_path: Path) -> None:
    evidence = read(crowd(3), tmp_path)
    assert evidence.traffic.share == 0.25
    assert evidence.traffic.coverage == 1
    assert "prefetch" not in evidence.columns
    assert evidence.population is not None
    assert evidence.population.misses == "prefetches, which were counted in 3 of 8 threads only"
    assert evidence.threads[0].columns["prefetch"].remote.estimate == 50_000
    assert evidence.threads[7].columns["prefetch"].remote.estimate is None
    whole = read(crowd(8), tmp_path)
    assert whole.traffic.total == 8 * 54_000
    assert whole.population is not None and whole.population.misses is None


def test_the_report_says_in_how_many_threads_a_class_was_counted(tmp_path: Path) -> None:
    shown = printed(crowd(3), tmp_path)
    assert "prefetch: counted in 3 of 8 threads, for lack of open files." in shown
    told = " ".join(shown.split())
    assert "25.0 % of DRAM requests are remote (demand reads)" in told
    assert "asks little of memory" not in told  # many prefetches were counted, of some threads
    assert "Not counted: prefetches, which were counted in 3 of 8 threads only." in told


def test_rows_that_a_killed_recorder_did_not_write_do_not_take_a_class_out_of_the_verdict(tmp_path: Path) -> None:
    builder = RecordingBuilder()
    levels(builder)
    builder.threads(2)
    builder.counters("demand_rd", [3000] * 2, [1000] * 2).counters("pf_any", [0], [50_000])
    clock = builder.event("time", "", name="task-clock")
    builder.count(clock, 1, RAN).count(clock, 2, RAN // 1000)
    evidence = read(builder, tmp_path)
    assert evidence.population is not None and "prefetches" in evidence.population.words
