# SPDX-License-Identifier: Apache-2.0
"""Rows of the live view: what happened between two samples. None is unknown, and never 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from numaprof.evidence.counts import Count, Traffic
from numaprof.evidence.spread import sampled_interval
from numaprof.evidence.thresholds import FULL_COVERAGE, LINE_BYTES, MIN_COVERAGE
from numaprof.evidence.traffic import Ledger, completed_scopes, verdict_traffic
from numaprof.live.sample import Header, Look, Process, Range, Sample, Thread

SECOND = 1e9


@dataclass(frozen=True)
class Rates:
    """Requests to DRAM of one scope in the interval."""

    seconds: float
    classes: Mapping[str, Traffic]  # by key of the column
    verdict: Traffic
    counted: float | None = None  # part of the scope's CPU time that threads with counters took; None: nothing ran

    @property
    def is_whole(self) -> bool:
        return self.counted is None or self.counted >= FULL_COVERAGE

    def of(self, key: str | None) -> Traffic:
        """One class; None: those that the verdict counts."""
        return self.verdict if key is None else self.classes.get(key, Traffic())

    def bytes_per_s(self, key: str | None) -> tuple[float | None, float | None]:
        """Local and remote."""
        traffic = self.of(key)
        return self._rate(traffic.local.estimate), self._rate(traffic.remote.estimate)

    def _rate(self, estimate: float | None) -> float | None:
        return None if estimate is None else estimate * LINE_BYTES / self.seconds


@dataclass(frozen=True)
class Row:
    """A process or a thread."""

    pid: int
    tid: int | None  # None: the whole process
    name: str
    cpu: float | None  # of one CPU: 1.5 is one and a half
    cpus: frozenset[int]  # where its threads ran last, of those that ran
    nodes: frozenset[int]
    faults_per_s: float | None
    migrated_per_s: float | None  # pages that balancing moved
    rates: Rates
    memory: int | None = None  # resident bytes; of threads unknown
    look: Look | None = None
    threads: int = 1

    @property
    def placement(self) -> tuple[float, ...] | None:
        """Share of its memory on each node."""
        total = sum(self.look.nodes) if self.look else 0
        return tuple(pages / total for pages in self.look.nodes) if self.look and total else None


@dataclass(frozen=True)
class NodeRow:
    id: int
    cpus: tuple[int, ...]
    cpu: float
    rates: Rates  # of threads that ran there at both readings
    mem_bytes: int | None
    free_bytes: int | None
    placed_bytes: float | None  # of the processes shown that were looked at


@dataclass(frozen=True)
class View:
    """All that is known of one interval."""

    header: Header
    seconds: float
    processes: Sequence[Row]
    threads: Sequence[Row]
    nodes: Sequence[NodeRow]
    total: Rates
    own_cpu: float  # of the reader and the view together, of one CPU
    migrated_per_s: float | None  # of the machine
    sample: Sample
    ranges: Mapping[int, Sequence[Range]] = field(default_factory=dict)  # by process


def make_view(header: Header, before: Sample, now: Sample, own_ns: int = 0) -> View:
    """own_ns: CPU time of the view itself in the interval."""
    seconds = (now.t_ns - before.t_ns) / SECOND
    work = _Interval(header, seconds, before, now)
    everything = [(process, thread) for process in now.processes.values() for thread in process.threads.values()]
    threads = [work.thread(process, thread) for process, thread in everything]
    by_process: dict[int, list[Row]] = {pid: [] for pid in now.processes}
    for row in threads:
        by_process[row.pid].append(row)
    return View(
        header=header,
        seconds=seconds,
        processes=[work.process(process, by_process[pid]) for pid, process in now.processes.items()],
        threads=threads,
        nodes=work.nodes(threads),
        total=work.rates(threads),
        own_cpu=(now.own_ns - before.own_ns + own_ns) / SECOND / seconds,
        migrated_per_s=_per_second(before.migrated, now.migrated, seconds),
        sample=now,
        ranges={pid: process.look.ranges for pid, process in now.processes.items() if process.look},
    )


class _Interval:
    def __init__(self, header: Header, seconds: float, before: Sample, now: Sample) -> None:
        self.header, self.seconds, self.before, self.now = header, seconds, before, now
        self.node_of_cpu = header.node_of_cpu
        counts = {}
        for process in now.processes.values():
            for thread in process.threads.values():
                found = _counted(header, self.earlier(process.pid, thread), thread)
                if found is not None:
                    counts[thread.tid] = found
        self.counted = frozenset(counts)
        self.ledger = Ledger(header.events, dict(zip(counts, completed_scopes(list(counts.values())))), {}, {}, {})

    def earlier(self, pid: int, thread: Thread) -> Thread | None:
        """The same thread at the first reading."""
        process = self.before.processes.get(pid)
        found = process.threads.get(thread.tid) if process else None
        return found if found is not None and found.started == thread.started else None

    def rates(self, threads: Sequence[Row]) -> Rates:
        """Of the threads that were counted at both readings; unknown if they took too little of the CPU time."""
        busy = [row for row in threads if row.cpu is None or row.cpu > 0]
        counted = [row for row in busy if row.tid in self.counted]
        time = sum(row.cpu or 0.0 for row in busy)
        part = sum(row.cpu or 0.0 for row in counted) / time if time else None
        if not counted or part is None or part < MIN_COVERAGE:
            return Rates(self.seconds, {}, Traffic(), part)
        classes = self.ledger.threads_on([row.tid for row in counted if row.tid is not None], ())
        return Rates(self.seconds, classes, verdict_traffic(self.header.events, classes), part)

    def thread(self, process: Process, thread: Thread) -> Row:
        earlier = self.earlier(process.pid, thread)
        # One that began since the first reading ran in this interval only. Of a process that is new nothing is known.
        is_new = earlier is None and process.pid in self.before.processes
        cpu_ns = thread.cpu_ns - earlier.cpu_ns if earlier else thread.cpu_ns if is_new else None
        ran = cpu_ns is None or cpu_ns > 0
        row = Row(
            pid=process.pid,
            tid=thread.tid,
            name=thread.name,
            cpu=None if cpu_ns is None else cpu_ns / SECOND / self.seconds,
            cpus=frozenset({thread.cpu}) if ran else frozenset(),
            nodes=frozenset({self.node_of_cpu[thread.cpu]} if ran and thread.cpu in self.node_of_cpu else ()),
            faults_per_s=_per_second(earlier.faults, thread.faults, self.seconds) if earlier else None,
            migrated_per_s=_per_second(earlier.migrated, thread.migrated, self.seconds) if earlier else None,
            rates=Rates(self.seconds, {}, Traffic()),
        )
        return replace(row, rates=self.rates([row]))

    def process(self, process: Process, threads: Sequence[Row]) -> Row:
        return Row(
            pid=process.pid,
            tid=None,
            name=process.name,
            cpu=_sum(row.cpu for row in threads),
            cpus=frozenset().union(*(row.cpus for row in threads)),
            nodes=frozenset().union(*(row.nodes for row in threads)),
            faults_per_s=_sum(row.faults_per_s for row in threads),
            migrated_per_s=_sum(row.migrated_per_s for row in threads),
            rates=self.rates(threads),
            memory=None if process.rss_pages is None else process.rss_pages * self.header.page_bytes,
            look=process.look,
            threads=len(threads),
        )

    def nodes(self, threads: Sequence[Row]) -> list[NodeRow]:
        stayed: dict[int, list[Row]] = {node.id: [] for node in self.header.nodes}
        busy = dict.fromkeys(stayed, 0.0)
        for row in threads:
            process = self.before.processes.get(row.pid)
            earlier = process.threads.get(row.tid or 0) if process else None
            for node in row.nodes:
                busy[node] += row.cpu or 0.0
                if earlier and self.node_of_cpu.get(earlier.cpu) == node:
                    stayed[node].append(row)
        return [
            NodeRow(
                id=node.id,
                cpus=node.cpus,
                cpu=busy[node.id],
                rates=self.rates(stayed[node.id]),
                mem_bytes=node.mem_bytes,
                free_bytes=self.now.free_bytes[index],
                placed_bytes=self._placed(index),
            )
            for index, node in enumerate(self.header.nodes)
        ]

    def _placed(self, index: int) -> float | None:
        looks = [process.look for process in self.now.processes.values() if process.look]
        return sum(look.nodes[index] for look in looks) * self.header.page_bytes if looks else None


def _counted(header: Header, earlier: Thread | None, now: Thread) -> dict[int, list[Count]] | None:
    """Counts of the events between the readings; None: not counted at both."""
    if earlier is None or earlier.counts is None or now.counts is None:
        return None
    deltas = [after - before for before, after in zip(earlier.counts, now.counts)]
    time, at, found = deltas[0], 1, {}
    for group in header.groups:
        for offset, event in enumerate(group, 1):
            found[event] = [Count(deltas[at + offset], deltas[at], time)]
        at += 1 + len(group)
    return found


def _per_second(before: int | None, now: int | None, seconds: float) -> float | None:
    return None if before is None or now is None else (now - before) / seconds


def _sum(values: Iterable[float | None]) -> float | None:
    """Unknown if one of them is."""
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total


def margin(share: float, seen: int, pages: int) -> float:
    """The wider side of the 95 % interval of a share of pages, of which some were seen."""
    if seen >= pages:
        return 0.0
    low, high = sampled_interval(share, seen)
    return max(share - low, high - share) if seen else 1.0
