# SPDX-License-Identifier: Apache-2.0
"""Local and remote requests over time, of all threads and of each, with first touches and what was recorded when."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

from numaprof.analysis.remote_share import COUNTERS, LOADS, basis
from numaprof.document.open_recording import Reading
from numaprof.document.sections.overview_section import population
from numaprof.evidence.counts import Amount, Count, together
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.request_classes import LOCAL, REMOTE, Column
from numaprof.model import report_model as model
from numaprof.recording.sql import sql_samples, sql_timeline
from numaprof.text.format import clean

STEPS = 200  # of the time line: a step is a few pixels wide
WIDEST = 32  # steps put together at most, where counters take turns
KNOWN = 0.8  # part of the steps in which every counter should have had its turn
THREAD_CELLS = 60_000  # steps of all threads together: keeps a page of 2 000 threads at some hundred kilobytes
LEAST_STEPS = 20


def timeline(source: Reading) -> model.Timeline:
    evidence = source.evidence
    fine = _step(source)
    counted = basis(evidence) == COUNTERS
    wide, moments, threads = _counted(source, fine) if counted else (1, *_sampled(source, fine))
    step = fine * wide
    rows = source.recording.rows(sql_timeline.Touches, sql_timeline.TOUCHES_OVER_TIME, step=step, last=STEPS // wide)
    touches = {row.bin: row.pages for row in rows}
    last = max([*moments, *touches], default=-1)
    return model.Timeline(
        step_ns=step,
        thread_step_ns=fine * max(wide, _coarse(evidence)),
        population=population(evidence),
        phases=tuple(model.Phase(row.start_ns, row.end_ns, clean(row.cause)) for row in evidence.windows),
        moments=tuple(_moment(at, step, moments.get(at), touches.get(at, 0), counted) for at in range(last + 1)),
        threads=threads,
    )


Sides = tuple[Amount, Amount]
_NONE: Sides = (Amount(0.0, None), Amount(0.0, None))


def _step(source: Reading) -> int:
    """At least a microsecond, so that an empty recording has a time line too."""
    return max(1000, -(-max(source.last_moment_ns, source.evidence.run.wall_ns or 0) // STEPS))


def _moment(at: int, step: int, sides: Sides | None, touched: int, counted: bool) -> model.Moment:
    """A step in which nothing was counted is a gap: the counters may have been off."""
    local, remote = sides or ((Amount(None, None), Amount(None, None)) if counted else _NONE)
    coverage = together([local, remote]).coverage
    return model.Moment(at * step, local.estimate, remote.estimate, coverage, touched)


def _split(evidence: Evidence) -> tuple[Column, ...]:
    return evidence.population.columns if evidence.population else ()


Found = tuple[dict[int, Sides], tuple[model.ThreadLine, ...]]


def _coarse(evidence: Evidence) -> int:
    """Fine steps in one of a thread's: the more threads, the more."""
    cells = THREAD_CELLS // max(1, len(evidence.threads))
    return STEPS // max(LEAST_STEPS, min(STEPS, cells))


def _counted(source: Reading, step: int) -> tuple[int, dict[int, Sides], tuple[model.ThreadLine, ...]]:
    """With how many fine steps make one in which the counters that take turns all had theirs."""
    events, columns = source.evidence.ledger.events, _split(source.evidence)
    local = [event for column in columns for event in events.of(column, LOCAL)]
    remote = [event for column in columns for event in events.of(column, REMOTE)]
    if not remote:  # this CPU counts both together: what is remote shows only over the whole run
        return 1, {}, ()
    recording, clocks = source.recording, list(events.time)
    wanted = json.dumps([*local, *remote, *clocks])
    recording.run(*sql_timeline.SLOTS, step=step, last=STEPS - 1, events=wanted)
    slots = recording.rows(sql_timeline.Slot, sql_timeline.ALL_SLOTS)
    wide, moments = 1, _pooled(slots, clocks, local, remote)
    while wide < WIDEST and _known(moments) < KNOWN * (max(moments, default=0) - min(moments, default=0) + 1):
        wide *= 2
        moments = _pooled(_wider(slots, wide), clocks, local, remote)
    scale = {"step": step, "last": STEPS - 1, "wide": max(wide, _coarse(source.evidence))}
    rows = recording.rows(sql_timeline.ThreadSlot, sql_timeline.thread_slots(local, remote, clocks), **scale)
    return wide, moments, _lines((row.thread, row.bin, row.local, row.remote) for row in rows)


def _known(moments: dict[int, Sides]) -> int:
    return sum(1 for local, remote in moments.values() if local.estimate is not None and remote.estimate is not None)


def _wider(slots: list[sql_timeline.Slot], wide: int) -> list[sql_timeline.Slot]:
    sums: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for slot in slots:
        total = sums[slot.bin // wide, slot.event]
        for at, value in enumerate((slot.value, slot.running_ns, slot.enabled_ns)):
            total[at] += value
    return [sql_timeline.Slot(*key, *total) for key, total in sums.items()]


def _pooled(
    slots: list[sql_timeline.Slot], clocks: Iterable[int], local: list[int], remote: list[int]
) -> dict[int, Sides]:
    """All threads together, each event scaled by its own coverage of the step, however little that is."""
    by_bin: dict[int, dict[int, sql_timeline.Slot]] = defaultdict(dict)
    for slot in slots:
        by_bin[slot.bin][slot.event] = slot
    found = {}
    for at, events in by_bin.items():
        ran = sum(events[clock].value for clock in clocks if clock in events)
        found[at] = (_side(events, local, ran), _side(events, remote, ran))
    return found


def _side(events: dict[int, sql_timeline.Slot], wanted: list[int], ran: int) -> Amount:
    amounts = []
    for event in wanted:
        slot = events.get(event, sql_timeline.Slot(0, event, 0, 0, 0))
        coverage = Count(slot.value, slot.running_ns, ran or slot.enabled_ns or None).coverage
        amounts.append(Amount(slot.value / coverage if coverage else None, coverage))
    return together(amounts)


def _lines(rows: Iterable[tuple[int, int, float | None, float | None]]) -> tuple[model.ThreadLine, ...]:
    by_thread: dict[int, dict[int, tuple[float | None, float | None]]] = defaultdict(dict)
    for thread, at, local, remote in rows:
        by_thread[thread][at] = (_whole(local), _whole(remote))
    length = max((at for steps in by_thread.values() for at in steps), default=-1) + 1
    gap = (None, None)
    return tuple(
        model.ThreadLine(
            thread,
            tuple(steps.get(at, gap)[0] for at in range(length)),
            tuple(steps.get(at, gap)[1] for at in range(length)),
        )
        for thread, steps in sorted(by_thread.items())
    )


def _whole(value: float | None) -> float | None:
    return None if value is None else float(round(value))


def _sampled(source: Reading, step: int) -> Found:
    if basis(source.evidence) is None:
        return {}, ()
    kinds = [sql_samples.LOAD, sql_samples.STORE] if basis(source.evidence) == LOADS else [sql_samples.HINT]
    rows = source.recording.rows(
        sql_timeline.Accesses, sql_timeline.ACCESSES_OVER_TIME, step=step, last=STEPS - 1, kinds=json.dumps(kinds)
    )
    wide = _coarse(source.evidence)
    whole = _added((row.bin, row.local, row.remote) for row in rows)
    threads = _added(((row.thread, row.bin // wide), row.local, row.remote) for row in rows)
    sides = {at: (Amount(local, None), Amount(remote, None)) for at, (local, remote) in whole.items()}
    return sides, _lines((*key, *both) for key, both in threads.items())


Key = TypeVar("Key")


def _added(rows: Iterable[tuple[Key, float, float]]) -> dict[Key, tuple[float, float]]:
    sums: dict[Key, tuple[float, float]] = {}
    for key, local, remote in rows:
        old = sums.get(key, (0.0, 0.0))
        sums[key] = (old[0] + local, old[1] + remote)
    return sums
