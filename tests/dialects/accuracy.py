# SPDX-License-Identifier: Apache-2.0
"""Estimated counts of a recording of `phases` beside what the hardware counted of the same threads."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import NamedTuple

from numaprof.evidence.errors import error_of
from numaprof.evidence.estimates import Estimated, load_estimates
from numaprof.recording.reader import Recording

LEAST = 2000  # requests of a cell: the error of fewer is chance, and nobody cares

# lab/shared.h: rows and columns of what `phases` prints. Near and far are both remote.
READ, RFO, FETCH, PREFETCH_READ, PREFETCH_RFO = 0, 1, 2, 4, 5
LOCAL_DRAM, REMOTE_DRAM = (4,), (5, 6)

# The catalogue's classes as the hardware names its own (docs/events.md).
CLASSES = {
    "demand_rd": (READ,),
    "demand_rfo": (RFO,),
    "demand": (READ, RFO),
    "pf_any": (PREFETCH_READ, PREFETCH_RFO),
    "pf_l1": (PREFETCH_READ, PREFETCH_RFO),
}


class Cell(NamedTuple):
    """One event of one thread."""

    truth: int
    whole: float  # scaled by running time over the whole run, as perf stat does
    by_time: Estimated
    by_work: Estimated
    coverage: float

    @property
    def held(self) -> bool:
        error = error_of(self.by_work.strata)
        return error is not None and abs(self.by_work.total - self.truth) <= error.half_width


def counted(request: str, placement: str, requests: list[list[int]]) -> int | None:
    rows = CLASSES.get(request)
    columns = {"local_dram": LOCAL_DRAM, "remote_dram": REMOTE_DRAM}.get(placement)
    return sum(requests[row][column] for row in rows for column in columns) if rows and columns else None


def cells(recording: Path, printed: str) -> list[Cell]:
    """printed: the output of `phases`."""
    hardware = {line["tid"]: line["requests"] for line in map(json.loads, printed.splitlines())}
    with closing(sqlite3.connect(recording)) as database:
        threads = dict(database.execute("SELECT id, tid FROM thread"))
        events = {row[0]: row[1:] for row in database.execute("SELECT id, class, placement FROM event")}
        sums = database.execute("SELECT thread, event, sum(value), sum(running_ns) FROM count GROUP BY 1, 2").fetchall()
    clocks = [event for event, (request, _) in events.items() if request == "time"]
    ran = {thread: value for thread, event, value, _ in sums if event in clocks}
    estimates = []
    for by_work in (False, True):
        with Recording(str(recording)) as source:
            estimates.append(load_estimates(source, events, clocks, by_work))
    found = []
    for thread, event, value, running in sums:
        if threads.get(thread) not in hardware or running == 0 or (thread, event) not in estimates[0]:
            continue
        truth = counted(*events[event], hardware[threads[thread]])
        if truth is not None and truth >= LEAST:
            coverage = min(1.0, running / ran[thread])
            times = [each[thread, event] for each in estimates]
            found.append(Cell(truth, value / coverage, times[0], times[1], coverage))
    return found


def error(estimates: Iterable[float], truths: Iterable[int]) -> float:
    """Median of the relative errors."""
    return median(abs(estimate - truth) / truth for estimate, truth in zip(estimates, truths))
