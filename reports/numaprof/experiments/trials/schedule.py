# SPDX-License-Identifier: Apache-2.0
"""Static schedules: which order of threads, each with a part of the same size, explains who was seen where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.thresholds import BINS, OWN_PARTS
from numaprof.experiments.trials.placement import Piece, Place, joined

Span = tuple[float, float]  # a part of an allocation, from and to, as fractions of it
WHOLE: Span = (0.0, 1.0)
MOST_REPEATS = 8  # arrays of one size in one allocation, each divided among all threads
# Of the accesses: what a more complicated placement has to explain beyond a simpler one, which is more likely exact.
BETTER = 0.05

Uses = Mapping[int, Mapping[int, float]]  # thread -> bin -> accesses


@dataclass(frozen=True)
class Team:
    """Threads in the order of their parts."""

    nodes: tuple[int, ...]  # of each part
    parts: Mapping[int, int]  # thread -> number of its part
    label: str


@dataclass(frozen=True)
class Fit:
    """A team, and how much of what was sampled it explains."""

    team: Team
    repeats: int  # arrays in the allocation
    span: Span  # the used part of the allocation
    share: float  # of the accesses, those of a thread within its own part
    accesses: float

    @property
    def holds(self) -> bool:
        return self.share >= OWN_PARTS


def teams(evidence: Evidence) -> list[Team]:
    """Orders of threads in which a runtime may deal out parts, the most usual first.

    OpenMP numbers threads in the order of their creation, main first; POSIX programs leave main out. Threads that are
    made anew for each step take the numbers of those before them.
    """
    processes: dict[int, list[Thread]] = defaultdict(list)
    for thread in evidence.threads:
        if thread.row.pin != "helper" and node_of(thread, evidence) is not None:
            processes[thread.row.process].append(thread)
    working = {thread.row.id for thread in evidence.workers}
    largest = max(processes.values(), key=lambda some: sum(t.row.id in working for t in some), default=[])
    made = by_creation(largest)
    workers = [thread for thread in made if thread.row.id in working]
    created = [thread for thread in workers if thread.row.tid != thread.row.pid]
    candidates = [
        (workers, "all working threads"),
        (created, "all working threads but main"),
        (made, "all threads"),
        ([thread for thread in made if thread.row.tid != thread.row.pid], "all threads but main"),
    ]
    found: dict[object, Team] = {}
    for some, label in candidates:
        nodes = tuple(node for node in (node_of(thread, evidence) for thread in some) if node is not None)
        team = Team(nodes, {thread.row.id: at for at, thread in enumerate(some)}, label)
        found.setdefault(tuple(team.parts), team)
    return [team for team in [*found.values(), *_generations(created, evidence)] if team.nodes]


def by_creation(threads: Iterable[Thread]) -> list[Thread]:
    """The kernel numbers threads upwards, and begins anew at its limit: then those below their process are younger."""
    return sorted(threads, key=lambda thread: (thread.row.tid < thread.row.pid, thread.row.tid))


def cpus_of_threads(evidence: Evidence) -> tuple[int, ...]:
    """The CPU that each thread was pinned to, in the order of their creation, main first.

    Of a single process with several threads: of several, which one takes which CPU differs from run to run.
    """
    processes: dict[int, list[Thread]] = defaultdict(list)
    for thread in evidence.threads:
        if thread.row.pin == "planned" and thread.row.planned_cpu is not None:
            processes[thread.row.process].append(thread)
    teams = [by_creation(threads) for threads in processes.values() if len(threads) > 1]
    if len(teams) != 1 or teams[0][0].row.tid != teams[0][0].row.pid:
        return ()
    return tuple(thread.row.planned_cpu for thread in teams[0] if thread.row.planned_cpu is not None)


def node_of(thread: Thread, evidence: Evidence) -> int | None:
    """Where it ran; of one that was seen on several nodes, where it was pinned."""
    node = thread.node if thread.node is not None else evidence.machine.node_of(thread.row.planned_cpu)
    return node if node in evidence.machine.memory_nodes else None


def _generations(created: Sequence[Thread], evidence: Evidence) -> list[Team]:
    """Teams of threads that are made again and again: the n-th of each sits on the same node."""
    nodes = [node_of(thread, evidence) for thread in created]
    for size in range(2, len(nodes) // 2 + 1):
        first = tuple(node for node in nodes[:size] if node is not None)
        if len(nodes) % size == 0 and len(set(first)) > 1 and nodes == [*first] * (len(nodes) // size):
            parts = {thread.row.id: at % size for at, thread in enumerate(created)}
            return [Team(first, parts, f"teams of {size} threads")]
    return []


def fit(uses: Uses, candidates: Sequence[Team], span: Span = WHOLE) -> Fit | None:
    """The team that explains most. None: no team, or no access."""
    best: Fit | None = None
    for repeats in range(1, MOST_REPEATS + 1):
        for team in candidates:
            found = _fit_one(uses, team, repeats, span)
            if found is None:
                continue
            margin = BETTER if best is not None and repeats > best.repeats else 0.0
            if best is None or found.share > best.share + margin:
                best = found
    return best


def _fit_one(uses: Uses, team: Team, repeats: int, span: Span) -> Fit | None:
    all_of_it = inside = 0.0
    count = len(team.nodes)
    for thread, bins in uses.items():
        part = team.parts.get(thread)
        for bin, weight in bins.items():
            all_of_it += weight
            inside += weight * (part is not None and _overlaps(bin, part, count, repeats, span))
    return Fit(team, repeats, span, inside / all_of_it, all_of_it) if all_of_it else None


def _overlaps(bin: int, part: int, count: int, repeats: int, span: Span) -> bool:
    """A slice of the allocation has something of this part, in any of the arrays."""
    low, high = span
    scale = count * repeats / (high - low)
    first, last = ((edge / BINS - low) * scale for edge in (bin, bin + 1))
    # The part's number among all parts of all arrays; a slice is no wider than an array.
    start = int(max(0.0, first)) // count * count
    return any(first < start + turn + part + 1 and last > start + turn + part for turn in (0, count))


def as_blocks(team: Team, repeats: int = 1, span: Span = WHOLE) -> Place:
    """A piece for each part; what lies outside the span goes with its neighbour."""
    low, high = span
    total = len(team.nodes) * repeats
    ends = [low + (high - low) * (at + 1) / total for at in range(total)]
    pieces = [Piece(node, end) for node, end in zip(team.nodes * repeats, [*ends[:-1], 1.0])]
    return joined(pieces)
