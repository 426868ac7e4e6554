# SPDX-License-Identifier: Apache-2.0
"""Which CPU each thread of a trial takes."""

from __future__ import annotations

from collections import defaultdict

from numaprof.evidence.evidence import Evidence, Thread
from numaprof.placement.teams import by_creation


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
