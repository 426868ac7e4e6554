# SPDX-License-Identifier: Apache-2.0
"""Teams: orders of threads in which a program may deal out parts of an object.

OpenMP numbers threads in the order of their creation, main first; programs with threads of their own leave main out.
Threads that are made anew for each step stand in for those of the first step.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.thresholds import WORKER_TIME
from numaprof.placement.use_matrix import UseMatrix


@dataclass(frozen=True)
class Team:
    """Threads in the order of their parts."""

    label: str
    threads: tuple[int, ...]
    nodes: tuple[int, ...]  # of each


def node_of(evidence: Evidence, thread: Thread) -> int | None:
    """Where it ran; of one that was seen on several nodes, where it was pinned."""
    node = thread.node if thread.node is not None else evidence.machine.node_of(thread.row.planned_cpu)
    return node if node in evidence.machine.memory_nodes else None


def by_creation(threads: Iterable[Thread]) -> list[Thread]:
    """The kernel numbers threads upwards, and begins anew at its limit: then those below their process are younger."""
    return sorted(threads, key=lambda thread: (thread.row.tid < thread.row.pid, thread.row.tid))


def is_main(thread: Thread) -> bool:
    return thread.row.tid == thread.row.pid


def teams(evidence: Evidence, matrix: UseMatrix) -> list[Team]:
    """Candidate teams for an object, the most usual first."""
    busiest = max(matrix.by_thread.values(), default=0.0)
    users = {thread for thread, weight in matrix.by_thread.items() if weight >= WORKER_TIME * busiest}
    processes: dict[int, list[Thread]] = defaultdict(list)
    for thread in evidence.threads:
        placed = node_of(evidence, thread) is not None and thread.row.id not in evidence.stand_ins
        if placed and thread.row.pin != "helper":
            processes[thread.row.process].append(thread)
    using_it = [threads for threads in processes.values() if any(thread.row.id in users for thread in threads)]
    made = by_creation(thread for threads in using_it or processes.values() for thread in threads)
    workers = {thread.row.id for thread in evidence.workers}
    using = [thread for thread in made if thread.row.id in users]
    working = [thread for thread in made if thread.row.id in workers or thread.row.id in users]
    choices = [
        ("the threads that use it", _without_lone_main(using, matrix)),
        ("all working threads", working),
        ("all working threads but main", [thread for thread in working if not is_main(thread)]),
        ("all threads", made),
        ("all threads but main", [thread for thread in made if not is_main(thread)]),
    ]
    teams: dict[tuple[int, ...], Team] = {}
    for label, threads in choices:
        ids = tuple(thread.row.id for thread in threads)
        nodes = tuple(node for node in (node_of(evidence, thread) for thread in threads) if node is not None)
        if len(ids) > 1:
            teams.setdefault(ids, Team(label, ids, nodes))
    return list(teams.values())


def _without_lone_main(using: Sequence[Thread], matrix: UseMatrix) -> list[Thread]:
    """Without main, if it uses the object all over while each other thread has a part, or in the others' absence."""
    others = [thread for thread in using if not is_main(thread)]
    if len(others) < 2 or len(others) == len(using):
        return others or list(using)
    main = next(thread for thread in using if is_main(thread))
    together = matrix.slices_of([thread.row.id for thread in others])
    own = matrix.slices_of([main.row.id])
    # Main that joins the team is busy when the others are, and as long as they are.
    return others if len(own & together) < len(together) / 2 else list(using)
