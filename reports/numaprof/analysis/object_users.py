# SPDX-License-Identifier: Apache-2.0
"""Which threads use an object, from which line, and how the work is divided among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum

from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.objects import Object
from numaprof.evidence.samples import Used
from numaprof.evidence.source_location import ELSEWHERE, UNKNOWN, Site
from numaprof.evidence.thresholds import (
    ONLY_THREAD,
    SAMPLED_PART,
)


class Team(Enum):
    """Kind of the workers that share the work."""

    OPENMP = "OpenMP"
    THREADS = "threads"
    PROCESSES = "processes"


def main_use(uses: Iterable[Used]) -> Site | None:
    """The line with most accesses; the line of the parallel loop if that calls an accessor."""
    return _heaviest((row.loop, row.accesses) for row in uses)


def through(uses: Iterable[Used]) -> Site | None:
    """The function that the line with most accesses calls; None: the line itself accesses."""
    rows = list(uses)
    use = main_use(rows)
    inner = _heaviest((row.site, row.accesses) for row in rows if row.loop == use)
    return inner if inner != use else None


def main_cause(evidence: Evidence) -> Site | None:
    """The line with most remote accesses, by overflow samples. None: these represent too few of the remote accesses."""
    remote, coverage = evidence.traffic.remote.estimate, evidence.traffic.remote.coverage
    counted = (remote or 0.0) * (coverage or 0.0)
    if sum(row.events for row in evidence.samples.caused) < SAMPLED_PART * counted:
        return None
    return _heaviest((row.site, row.events) for row in evidence.samples.caused)


def storing_line(evidence: Evidence, group: Iterable[Object]) -> Site | None:
    """The line that stores to objects which no load sees: of lines with remote requests that read no other object."""
    things = {thing for found in group for thing in found.things}
    used = [row for row in evidence.samples.used if row.remote and row.thing is not None]
    reading = {row.site for row in used if row.thing not in things}
    if not reading or any(row.thing in things for row in used):
        return None
    return _heaviest((row.site, row.events) for row in evidence.samples.caused if row.site not in reading)


def _heaviest(weights: Iterable[tuple[Site, float]]) -> Site | None:
    sums: dict[Site, float] = defaultdict(float)
    for site, weight in weights:
        sums[site] += weight
    named = [site for site in sums if site not in (UNKNOWN, ELSEWHERE)]
    return max(named, key=lambda site: sums[site], default=None)


def users(evidence: Evidence, uses: Iterable[Used]) -> list[Thread]:
    """Threads with at least a twentieth of the busiest thread's accesses. Sampling periods differ by thread."""
    sums: dict[int, float] = defaultdict(float)
    for row in uses:
        sums[row.thread] += row.accesses
    least = (1 - ONLY_THREAD) * max(sums.values(), default=0)
    return [evidence.by_id[thread] for thread in sums if thread in evidence.by_id and sums[thread] >= least]


def team(evidence: Evidence, toucher: int, working: Iterable[Thread]) -> Team:
    """Processes, if most workers are in other processes than the thread that first touched it."""
    origin = evidence.by_id.get(toucher)
    elsewhere = [origin is not None and thread.row.process != origin.row.process for thread in working]
    if sum(elsewhere) > len(elsewhere) / 2:
        return Team.PROCESSES
    return Team.OPENMP if evidence.samples.openmp else Team.THREADS
