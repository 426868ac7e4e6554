# SPDX-License-Identifier: Apache-2.0
"""Rows of the live view from two samples made by hand: sums, rates, and what is unknown."""

from __future__ import annotations

from math import comb

import pytest
from live_samples import (
    MS,
    NO_PMU,
    counts,
    header,
    header_document,
    pages,
    process,
    sample,
    sample_document,
    text,
    thread,
    view,
)
from numaprof.evidence.thresholds import LINE_BYTES
from numaprof.live.model import margin
from numaprof.live.sample import documents

START = counts(0, (0, 0), (0, 0))


def test_share_and_bytes_of_a_thread() -> None:
    before = sample(0, process(1, "p", thread(1, "t", 0, counts=START)))
    after = sample(2, process(1, "p", thread(1, "t", 1000, counts=counts(1000, (3000, 1000), (1000, 3000)))))
    (row,) = view(before, after).threads
    assert row.cpu == 0.5
    assert row.rates.verdict.share == 0.5
    assert row.rates.of("demand").share == 0.25
    assert row.rates.bytes_per_s("demand") == (3000 * LINE_BYTES / 2, 1000 * LINE_BYTES / 2)
    assert row.rates.bytes_per_s(None) == (4000 * LINE_BYTES / 2, 4000 * LINE_BYTES / 2)
    assert row.rates.is_whole


def test_totals_before_the_first_sample_do_not_count() -> None:
    early = counts(1000, (7777, 8888), (999, 999))
    late = [a + b for a, b in zip(early, counts(500, (100, 300), (0, 0)))]
    before = sample(5, process(1, "p", thread(1, "t", 1000, counts=early, faults=100)))
    (row,) = view(before, sample(6, process(1, "p", thread(1, "t", 1500, counts=late, faults=110)))).threads
    assert row.rates.bytes_per_s("demand") == (100 * LINE_BYTES, 300 * LINE_BYTES)
    assert (row.cpu, row.faults_per_s) == (0.5, 10)


def test_multiplexed_counts_are_scaled_by_time() -> None:
    before = sample(0, process(1, "p", thread(1, "t", 0, counts=START)))
    after = sample(1, process(1, "p", thread(1, "t", 1000, counts=counts(1000, (300, 100), (0, 0), part=0.25))))
    rates = view(before, after).threads[0].rates
    assert rates.bytes_per_s("demand") == (1200 * LINE_BYTES, 400 * LINE_BYTES)
    assert rates.of("demand").share == 0.25
    assert rates.of("demand").coverage == 0.25


def test_a_class_that_had_no_counter_is_unknown() -> None:
    """Not zero, and then neither is the sum of all classes."""
    before = sample(0, process(1, "p", thread(1, "t", 0, counts=START)))
    never = [1000 * MS, 1000 * MS, 300, 100, 0, 0, 0]
    rates = view(before, sample(1, process(1, "p", thread(1, "t", 1000, counts=never)))).threads[0].rates
    assert rates.bytes_per_s("demand") == (300 * LINE_BYTES, 100 * LINE_BYTES)
    assert rates.bytes_per_s("prefetch") == (None, None)
    assert rates.bytes_per_s(None) == (None, None)


def test_without_counters_requests_are_unknown_and_the_rest_is_known() -> None:
    before = sample(0, process(1, "p", thread(1, "t", 0)))
    after = sample(1, process(1, "p", thread(1, "t", 700), pages=pages(30.0, 10.0)))
    row = view(before, after, header(**NO_PMU)).processes[0]
    assert row.rates.bytes_per_s(None) == (None, None)
    assert row.rates.verdict.share is None
    assert (row.cpu, row.placement) == (0.7, (0.75, 0.25))


def test_a_thread_that_is_new_has_cpu_time_and_no_counts() -> None:
    before = sample(0, process(1, "p", thread(1, "old", 0, counts=START)))
    old = thread(1, "old", 300, counts=counts(300, (100, 100), (0, 0)))
    after = sample(1, process(1, "p", old, thread(2, "new", 100, counts=counts(50, (9, 9), (9, 9)))))
    shown = view(before, after)
    new = next(row for row in shown.threads if row.tid == 2)
    assert (new.cpu, new.rates.verdict.share, new.faults_per_s) == (0.1, None, None)
    whole = shown.processes[0]
    assert whole.cpu == pytest.approx(0.4)
    assert whole.rates.counted == pytest.approx(0.75)
    assert not whole.rates.is_whole
    assert whole.rates.of("demand").share == 0.5


def test_of_a_process_that_is_new_the_cpu_time_is_unknown() -> None:
    """It may have run for hours before it came into the group."""
    before = sample(0, process(1, "p", thread(1, "t", 0)))
    after = sample(1, process(1, "p", thread(1, "t", 0)), process(2, "q", thread(2, "q", 5000)))
    assert [row.cpu for row in view(before, after).processes] == [0.0, None]


def test_another_thread_of_the_same_number_is_new() -> None:
    before = sample(0, process(1, "p", thread(1, "t", 0), thread(2, "a", 900, counts=counts(900, (5, 5), (5, 5)))))
    other = thread(2, "b", 100, counts=counts(10, (1, 1), (1, 1)), started=99)
    (row,) = [row for row in view(before, sample(1, process(1, "p", thread(1, "t", 0), other))).threads if row.tid == 2]
    assert (row.cpu, row.rates.verdict.share) == (0.1, None)


def test_what_has_ended_has_no_row() -> None:
    before = sample(0, process(1, "p", thread(1, "t", 0), thread(2, "a", 0)), process(9, "q", thread(9, "q", 0)))
    shown = view(before, sample(1, process(1, "p", thread(1, "t", 10))))
    assert [row.tid for row in shown.threads] == [1]
    assert [row.pid for row in shown.processes] == [1]


def test_a_thread_that_moved_counts_for_no_node() -> None:
    before = sample(
        0, process(1, "p", *(thread(tid, "t", 0, cpu, counts=START) for tid, cpu in ((1, 0), (2, 2), (3, 1))))
    )
    ran = counts(500, (30, 10), (0, 0))
    moved = counts(500, (1000, 1000), (0, 0))
    after = sample(
        1,
        process(
            1,
            "p",
            thread(1, "t", 500, 1, counts=ran),
            thread(2, "t", 500, 1, counts=moved),
            thread(3, "t", 500, 0, counts=ran),
        ),
    )
    first, second = view(before, after).nodes
    assert first.rates.bytes_per_s("demand") == (60 * LINE_BYTES, 20 * LINE_BYTES)
    assert (first.cpu, second.cpu) == (1.5, 0.0)
    assert second.rates.bytes_per_s("demand") == (None, None)


def test_a_look_stays_until_the_next_one_and_belongs_to_one_process() -> None:
    first = sample(0, process(1, "p", thread(1, "t", 0), pages=pages(3.0, 1.0)))
    second = sample(1, process(1, "p", thread(1, "t", 1)), before=first)
    assert view(first, second).processes[0].placement == (0.75, 0.25)
    third = sample(2, process(1, "q", thread(1, "t", 1, started=77)), before=second)
    assert view(second, third).processes[0].placement is None


def test_moved_pages_are_unknown_where_one_thread_is() -> None:
    before = sample(0, process(1, "p", thread(1, "t", 0, migrated=5), thread(2, "u", 0)))
    after = sample(2, process(1, "p", thread(1, "t", 0, migrated=25), thread(2, "u", 0)))
    shown = view(before, after)
    assert [row.migrated_per_s for row in shown.threads] == [10, None]
    assert shown.processes[0].migrated_per_s is None


def test_own_cost_is_that_of_reader_and_view() -> None:
    shown = view(sample(0), sample(2), own_ns=12 * MS)
    assert shown.own_cpu == pytest.approx((8 + 12) / 2000)


def test_documents_are_taken_as_they_become_complete() -> None:
    whole = text(header_document()) + text(sample_document(1))
    buffer, found = bytearray(), []
    for at in range(0, len(whole), 7):
        buffer += whole[at : at + 7]
        found += list(documents(buffer))
    assert found == [header_document(), sample_document(1)]
    assert buffer == b""


def test_error_of_a_sampled_share() -> None:
    assert margin(0.5, 100, 10_000) == pytest.approx(0.096, abs=1e-3)
    assert margin(1.0, 50, 10_000) == pytest.approx(0.071, abs=1e-3)  # others may be elsewhere
    assert margin(0.5, 50, 50) == 0.0
    assert margin(0.3, 0, 10) == 1.0


@pytest.mark.parametrize("truth", [0.5, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("seen", [3, 10, 50, 300])
def test_the_margin_holds_the_truth(truth: float, seen: int) -> None:
    """In 89 of 100 looks at least, by binomial sums: Wilson's interval holds 0.8 so often by three pages."""
    chances = [comb(seen, here) * truth**here * (1 - truth) ** (seen - here) for here in range(seen + 1)]
    shares = [here / seen for here in range(seen + 1)]
    held = sum(p for p, share in zip(chances, shares) if abs(share - truth) <= margin(share, seen, 10_000))
    assert held >= 0.89
