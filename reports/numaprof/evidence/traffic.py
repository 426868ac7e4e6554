# SPDX-License-Identifier: Apache-2.0
"""From rows of `count` to traffic by thread, by CPU, by node, and in all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Optional

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
from numaprof.evidence.estimates import Estimates
from numaprof.evidence.machine import Machine
from numaprof.evidence.request_classes import BOTH, DEMAND, LOCAL, REMOTE, Column, EventMap, Partial
from numaprof.evidence.thresholds import SMALL_PART
from numaprof.recording.sql import sql_counts, sql_threads
from numaprof.recording.sql.sql_estimates import scope_of_cpu

Counts = dict[int, list[Count]]  # event -> one for each scope


@dataclass(frozen=True)
class Ledger:
    """All counts of a recording, each under the thread and the CPU it belongs to, as far as these are known."""

    events: EventMap
    by_thread: dict[int, Counts]
    by_cpu: dict[int, Counts]
    unattributed: Counts  # of all threads of the program together, by CPU or in all
    counted_ns: Mapping[int | None, int]  # CPU time of each counted thread since its counters were open; None: of those
    whole_ns: int = 0  # of this, what is known of the whole program only, neither by thread nor by CPU

    def thread(self, thread: int) -> dict[str, Traffic]:
        """Traffic of a thread, with columns that other threads lack."""
        scopes = [self.by_thread.get(thread, {})]
        return {column.key: self._traffic(column, scopes) for column in self.events.columns}

    def cpu(self, cpu: int) -> dict[str, Traffic]:
        return self._columns([self.by_cpu.get(cpu, {})])

    def threads_on(self, threads: Iterable[int], cpus: Iterable[int]) -> dict[str, Traffic]:
        """Whole threads, and what was counted on CPUs without telling threads apart."""
        parts = [self.by_thread.get(thread, {}) for thread in threads]
        return self._columns([*parts, *(self.by_cpu.get(cpu, {}) for cpu in cpus)])

    @property
    def tells_remote(self) -> bool:
        """True if counters distinguished local from remote in this run."""
        return self.events.verdict is not None and bool(self.by_thread or self.unattributed)

    @cached_property
    def total(self) -> dict[str, Traffic]:
        return self._columns([*self.by_thread.values(), self.unattributed])

    @cached_property
    def slow(self) -> Traffic:
        """Demand requests that DRAM answered, as local, and those that the slow tier answered, as remote."""
        demand = self.total.get(DEMAND.key)
        if demand is None or not self.events.slow:
            return Traffic()
        scopes = [*self.by_thread.values(), self.unattributed]
        return Traffic(together([demand.local, demand.remote]), _sum(self.events.slow, scopes))

    def _columns(self, scopes: list[Counts]) -> dict[str, Traffic]:
        """Sums of the columns. A column that some threads lack has no sum: it would have another population."""
        lacking = {part.column for part in self.events.partial}
        return {column.key: self._traffic(column, scopes) for column in self.events.columns if column not in lacking}

    def _traffic(self, column: Column, scopes: list[Counts]) -> Traffic:
        local, remote, both = (_sum(self.events.of(column, side), scopes) for side in (LOCAL, REMOTE, BOTH))
        if remote == NOTHING and both != NOTHING:
            return Traffic(local, difference(both, local))
        return Traffic(local, remote)


def _sum(events: Iterable[int], scopes: Sequence[Counts]) -> Amount:
    return together([pooled([count for scope in scopes for count in scope.get(event, ())]) for event in events])


def verdict_traffic(events: EventMap, columns: dict[str, Traffic]) -> Traffic:
    """The kinds of requests the verdict counts, added up."""
    population = events.verdict
    return added(columns[column.key] for column in population.columns) if population else Traffic()


def ledger(
    events: EventMap,
    rows: Iterable[sql_counts.Count],
    threads: Sequence[sql_threads.Thread],
    estimates: Estimates,
    *,
    nodes: Mapping[int, tuple[int, ...]],
    machine: Machine,
) -> Ledger:
    """nodes: where each thread ran."""
    clock: dict[int | None, Clock] = defaultdict(lambda: defaultdict(int))
    counted: dict[int | None, list[sql_counts.Count]] = defaultdict(list)
    wanted = set(events.counted)
    for row in rows:
        if row.event in events.time:
            clock[row.thread][row.cpu] += row.value
        elif row.event in wanted:
            counted[row.thread].append(row)
    times = {row.id: sum(clock[row.id].values()) if clock[row.id] else row.cpu_ns for row in threads}
    events = replace(events, partial=tuple(_partial(events, counted, times)))
    wanted -= {event for part in events.partial for event in events.of_column(part.column)}
    mine = {
        thread.id: _estimated(
            _whole(counted[thread.id], wanted, times[thread.id], nodes[thread.id]), estimates, thread.id
        )
        for thread in threads
        if counted[thread.id]
    }
    on_cpus = [
        (cpu, _estimated(counts, estimates, scope_of_cpu(cpu)))
        for cpu, counts in _by_cpu(counted[None], clock[None], machine)
    ]
    scopes = completed_scopes([*mine.values(), *(counts for _, counts in on_cpus)])
    by_thread = dict(zip(mine, scopes))
    unattributed = [(cpu, counts) for (cpu, _), counts in zip(on_cpus, scopes[len(mine) :])]
    by_cpu: dict[int, Counts] = defaultdict(lambda: defaultdict(list))
    for thread in threads:
        if thread.id in by_thread:
            rows_of_thread, whole = counted[thread.id], by_thread[thread.id]
            sole = sole_cpu(thread, {row.cpu for row in rows_of_thread if row.cpu is not None})
            _spread(
                by_cpu,
                _shared_out(whole, rows_of_thread, clock[thread.id], machine) if sole is None else [(sole, whole)],
            )
    _spread(by_cpu, unattributed)
    counted_ns: dict[int | None, int] = {thread: times[thread] or 0 for thread in by_thread}
    counted_ns[None] = sum(clock[None].values())
    return Ledger(
        events,
        by_thread,
        dict(by_cpu),
        _gathered(counts for _, counts in unattributed),
        counted_ns,
        clock[None].get(None, 0),
    )


Clock = dict[Optional[int], int]  # CPU -> task-clock there


def _partial(
    events: EventMap, counted: Mapping[int | None, list[sql_counts.Count]], times: Mapping[int, int | None]
) -> Iterator[Partial]:
    """Columns without any row of some threads: where an event is open it has rows, be it of no requests.

    The last rows of a killed recorder may be missing: threads of little CPU time in all do not make a column partial.
    """
    seen = {thread: {row.event for row in counted[thread]} for thread in times if counted[thread]}
    time = {thread: times[thread] or 0 for thread in seen}
    for column in events.columns:
        lacking = [thread for thread, found in seen.items() if not found.issuperset(events.of_column(column))]
        if sum(time[thread] for thread in lacking) > SMALL_PART * sum(time.values()):
            yield Partial(column, len(seen) - len(lacking), len(seen))


def sole_cpu(thread: sql_threads.Thread, seen: set[int]) -> int | None:
    """The CPU on which all of the thread's counts arose: the only one recorded, else the one it was pinned to."""
    if seen:
        return next(iter(seen)) if len(seen) == 1 else None
    return thread.planned_cpu if thread.pin == "planned" and not thread.migrations else None


def completed_scopes(scopes: Sequence[Counts]) -> list[Counts]:
    """All scopes of a recording, with what stands for those that were hardly seen."""
    found: list[Counts] = [{} for _ in scopes]
    for event in {event for scope in scopes for event in scope}:
        with_event = [(at, count) for at, scope in enumerate(scopes) for count in scope.get(event, ())]
        for (at, _), count in zip(with_event, completed([count for _, count in with_event])):
            found[at].setdefault(event, []).append(count)
    return found


def _whole(rows: list[sql_counts.Count], wanted: set[int], time_ns: int | None, nodes: tuple[int, ...]) -> Counts:
    """A thread's counts over all CPUs. An event without a row never counted there: a coverage of 0, not a gap."""
    parts: dict[int, list[Count]] = {event: [] for event in {*wanted, *(row.event for row in rows)}}
    for row in rows:
        parts[row.event].append(Count(row.value, row.running_ns, None))
    sums = {event: summed(counts) for event, counts in parts.items()}
    return {event: [Count(count.value, count.running_ns, time_ns, nodes=nodes)] for event, count in sums.items()}


def _estimated(counts: Counts, estimates: Estimates, scope: int) -> Counts:
    return {
        event: [replace(count, estimated=estimates.get((scope, event))) for count in found]
        for event, found in counts.items()
    }


def _by_cpu(rows: list[sql_counts.Count], clock: Clock, machine: Machine) -> list[tuple[int | None, Counts]]:
    """None: on a CPU that is not known, or on several."""
    return [(row.cpu, {row.event: [_on_cpu(row, clock, machine)]}) for row in rows]


def _shared_out(
    whole: Counts, rows: list[sql_counts.Count], clock: Clock, machine: Machine
) -> Iterator[tuple[int | None, Counts]]:
    """A thread that ran on several CPUs: its amount, by what was counted on each."""
    parts = _by_cpu(rows, clock, machine)
    sums: dict[int, float] = defaultdict(float)
    for _, counts in parts:
        for event, (count,) in counts.items():
            sums[event] += _by_time(count)
    for cpu, counts in parts:
        for event, (count,) in counts.items():
            amount = whole[event][0].in_sums
            part = _by_time(count) / sums[event] if sums[event] else 0.0
            yield cpu, {event: [replace(count, instead=replace(amount.times(part), coverage=count.coverage))]}


def _by_time(count: Count) -> float:
    return count.value / count.coverage if count.coverage else 0.0


def _on_cpu(row: sql_counts.Count, clock: Clock, machine: Machine) -> Count:
    nodes = () if row.cpu is None else machine.nodes_of((row.cpu,))
    return Count(row.value, row.running_ns, clock.get(row.cpu), nodes=nodes)


def _spread(by_cpu: dict[int, Counts], parts: Iterable[tuple[int | None, Counts]]) -> None:
    for cpu, counts in parts:
        for event, found in counts.items():
            if cpu is not None:
                by_cpu[cpu][event].extend(found)


def _gathered(parts: Iterable[Counts]) -> Counts:
    gathered: Counts = defaultdict(list)
    for counts in parts:
        for event, found in counts.items():
            gathered[event].extend(found)
    return dict(gathered)
