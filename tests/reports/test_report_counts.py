# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of counters that share a register: against layout and pencil, and against what must always hold."""

from __future__ import annotations

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
    combined,
    covariance,
    pooled,
    summed,
    together,
)
from numaprof.evidence.errors import Error, Estimated
from reading import printed, read
from recording_builder import RAN, RecordingBuilder
from scenarios import SCENARIOS, levels


def test_paper_and_pencil() -> None:
    """A thread of 100 ms, two classes taking turns: demand counted 40 ms, prefetch 60 ms.

    demand   local  200 / 0.4 =  500   remote  300 / 0.4 =  750
    prefetch local 1200 / 0.6 = 2000   remote  300 / 0.6 =  500
    all      local 2500                remote 1250              remote share 1250 / 3750 = one third
    """
    demand = Traffic(pooled([Count(200, 40, 100)]), pooled([Count(300, 40, 100)]))
    prefetch = Traffic(pooled([Count(1200, 60, 100)]), pooled([Count(300, 60, 100)]))
    both = combined([demand, prefetch])
    assert demand.local == Amount(500, 0.4)
    assert both.local.estimate == pytest.approx(2500)
    assert both.remote.estimate == pytest.approx(1250)
    assert both.share == pytest.approx(1 / 3)
    assert both.coverage == 0.4
    assert both.scaled


def test_what_was_counted_all_the_time_is_not_scaled() -> None:
    assert Count(1000, 995, 1000).estimate == 1000
    assert not Traffic(Amount(1, 0.995), Amount(1, 1.0)).scaled


def test_too_little_coverage_is_refused_not_guessed() -> None:
    assert Count(7, 5, 100).estimate is None
    assert pooled([Count(7, 5, 100)]).estimate is None
    assert Count(7, 5, None).estimate is None
    assert Traffic(Amount(None, 0.05), Amount(10, 1.0)).share is None


def test_nothing_counted_is_not_a_share() -> None:
    assert Traffic(Amount(0, 1.0), Amount(0, 1.0)).share is None
    assert Traffic().share is None
    assert together([]) == NOTHING


def test_short_threads_are_scaled_together() -> None:
    """Ten threads of 10 ms; the event had its turn in two of them, for all of their time: 2 x 20, so 10 x 20 in all."""
    found = pooled([Count(20, 10, 10)] * 2 + [Count(0, 0, 10)] * 8)
    assert found.coverage == pytest.approx(0.2)
    assert found.estimate == pytest.approx(200)
    # A thread that was seen well counts by itself; the time of those not seen counts at the rate of all that was seen.
    mixed = pooled([Count(1000, 100, 100), *[Count(8, 10, 10)] * 5, *[Count(0, 0, 10)] * 5])
    assert mixed.estimate == pytest.approx(1000 + 5 * 8 + 50 * 1040 / 150)


def test_threads_that_were_hardly_seen_are_like_others_of_their_node_and_the_nodes_add_up() -> None:
    """Remote requests: threads of node 0 make none, those of node 1 ten in a millisecond."""
    node0 = [Count(0, 100, 100, nodes=(0,)), Count(0, 1, 100, nodes=(0,))]
    node1 = [Count(1000, 100, 100, nodes=(1,)), Count(0, 1, 100, nodes=(1,))]
    elsewhere = [Count(0, 0, 100, nodes=(2,))]  # nothing was seen there: at the rate of all
    assert pooled(node0).estimate == 0
    assert pooled(node1).estimate == pytest.approx(1000 + 100 * 1000 / 101)
    assert pooled(node0 + node1).estimate == pytest.approx(1000 + 100 * 1000 / 101)
    assert pooled(node0 + node1 + elsewhere).estimate == pytest.approx(1000 + 100 * 1000 / 101 + 100 * 1000 / 202)


def test_a_short_slice_of_the_only_thread_of_a_node_is_no_rate() -> None:
    """It met the thread's start, and is a thousandth of its time."""
    seen = [Count(1000, 10**9, 10**9, nodes=(0,))] * 8
    found = pooled([*seen, Count(500, 10**4, 10**7, nodes=(1,))])
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
    whole, found = summed(several), pooled(several)
    assert whole.value == sum(count.value for count in several)
    assert 0 <= (whole.coverage or 0) <= 1
    assert found.coverage == whole.coverage
    if found.estimate is not None:
        seen = sum(count.value for count in several if count.estimate is not None)
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
    one = Estimated(1000, 1, 1000, 300, False, Error(10_000, 20), {2: 9_000})
    other = Estimated(500, 0.5, 1000, 300, False, Error(9_000, 20), {1: 9_000})
    local, remote = Count(300, 300, 1000, one), Count(150, 300, 1000, other)
    together = covariance([(local, remote)], 2)
    assert together == 9_000
    alone = Traffic(pooled([local]), pooled([remote])).share_error
    paired = Traffic(pooled([local]), pooled([remote]), together).share_error
    assert alone is not None and paired is not None
    # (1 - s)^2 V_r + s^2 V_l - 2 s (1 - s) C, over the total squared, with s = 1/3
    assert paired.variance == pytest.approx((4 / 9 * 9_000 + 10_000 / 9 - 4 / 9 * 9_000) / 1500**2)
    assert paired.variance < alone.variance


def estimated(rate: float) -> Estimated:
    return Estimated(1000 * rate, rate, 1000, 300, False, None)


def short(rate: float) -> Count:
    """A thread with too few intervals for an error of its own."""
    return Count(round(300 * rate), 300, 1000, estimated(rate))


def test_short_threads_give_each_other_an_error() -> None:
    """Combined ratio estimator: the spread of the threads' rates. Three are too few."""
    assert pooled([short(1.0)] * 3).error is None
    found = pooled([short(rate) for rate in (0.9, 1.1, 0.9, 1.1)])
    assert found.error is not None
    assert found.error.variance == pytest.approx(max(4 * 0.01 * 1000 * 700 * 4 / 3, 4 * 1000 * 700 / 300))
    assert found.error.freedom == 3


def test_few_short_threads_take_their_error_from_the_spread_of_all() -> None:
    """s^2 of a rate of which 1 was seen: 300 * 4 * 0.01 / 3 = 4; of the short thread's total 4 * 1000 * 700 / 300."""
    own = [replace(estimated(rate), own_error=Error(50.0, 6)) for rate in (1.1, 0.9, 1.1)]
    known = [replace(short(each.rate), estimated=each) for each in own]
    found = pooled([short(0.9), *known])
    assert found.error is not None
    assert found.error.variance == pytest.approx(4 * 1000 * 700 / 300 + 3 * 50)
    # Threads that differ by what they do make it wide; with three threads in all it is not known.
    apart = pooled([short(0.0), *known])
    assert apart.error is not None and apart.error.half_width > 3 * found.error.half_width
    assert pooled([short(0.9), *known[:2]]).error is None


def test_threads_that_were_hardly_seen_have_an_error_from_those_that_were() -> None:
    """Rates 1 +- 0.1, alike well seen: their variance is 0.01 * 4 / 3; two threads of 1000, predicted from four."""
    unseen = [Count(0, 0, 1000)] * 2
    found = pooled([*(short(rate) for rate in (0.9, 1.1, 0.9, 1.1)), *unseen])
    alone = pooled([short(rate) for rate in (0.9, 1.1, 0.9, 1.1)])
    assert found.estimate == pytest.approx(4000 + 2000)
    assert found.error is not None and alone.error is not None
    added_variance = 2000**2 * (0.01 * 4 / 3) * (1 / 4 + 1 / 2)
    assert found.error.variance == pytest.approx(alone.error.variance + added_variance)
    assert pooled([*(short(1.0) for _ in range(3)), *unseen]).error is None


def test_threads_that_show_nothing_have_an_upper_bound() -> None:
    """Of four threads with three tenths seen, and of two that were not seen: 1.96^2 requests may be where none was."""
    seen = pooled([short(0.0)] * 4)
    assert seen.estimate == 0 and seen.error is not None
    assert seen.error.variance == pytest.approx(4 * 3.84 * 1000 * 700 / 300**2)
    whole = pooled([*[short(0.0)] * 4, *[Count(0, 0, 1000)] * 2])
    assert whole.estimate == 0 and whole.error is not None
    assert whole.error.variance == pytest.approx(seen.error.variance + 3.84 * (2000 / 1200) ** 2)
    assert pooled([*[short(0.0)] * 3, Count(0, 0, 1000)]).error is None


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
