# SPDX-License-Identifier: Apache-2.0
"""CPU time in which threads had no counters: their counters were opened late, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.evidence.counts import Traffic, Uncounted
from numaprof.evidence.thresholds import MIN_UNCOUNTED, MOST_BUSIER, WORKER_TIME
from numaprof.evidence.traffic import Ledger
from numaprof.recording.sql import sql_threads


def uncounted(
    books: Ledger, rows: Sequence[sql_threads.Thread], traffics: Sequence[Traffic], whole: Traffic
) -> tuple[list[Uncounted], Uncounted]:
    """Of each thread and of all. traffics: of the threads; whole: of all.

    Requests are at most twice as frequent as in the counted time of the thread that made most: threads that wait or do
    little else than start say nothing about those that work.
    """
    end = max((row.end_ns or row.start_ns for row in rows), default=0)
    missed = [_missed(books, row, end) for row in rows]
    times = [books.counted_ns.get(row.id) or 0 for row in rows]
    least = WORKER_TIME * max(times, default=0)
    amounts = [traffic.total or 0.0 for traffic in traffics]
    rates = [amount / time for amount, time in zip(amounts, times) if time and time >= least]
    counted = sum(books.counted_ns.values())
    rate = max([*rates, (whole.total or 0.0) / counted if counted else 0.0])
    return [_of(ns, time, rate) for ns, time in zip(missed, times)], _of(sum(missed), counted, rate)


def _missed(books: Ledger, row: sql_threads.Thread, end: int) -> int:
    """Of a thread without counters all its time, unless those of its CPUs count it: at most its life, if not known."""
    if row.id in books.by_thread:
        return max(0, row.uncounted_ns or 0)
    life = (row.end_ns or end) - row.start_ns
    return 0 if books.unattributed else max(0, life if row.cpu_ns is None else row.cpu_ns)


def _of(missed: int, counted: int, rate: float) -> Uncounted:
    part = missed / (missed + counted) if missed else 0.0
    return Uncounted(part, MOST_BUSIER * missed * rate) if part >= MIN_UNCOUNTED else Uncounted()
