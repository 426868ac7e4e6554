# SPDX-License-Identifier: Apache-2.0
"""Which threads use an object, from which line, and how the work is divided among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum

from numaprof.analysis.placement import node_order
from numaprof.analysis.relevant_objects import measured, suspects
from numaprof.evidence.access_patterns import Shape
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.first_touches import Touches
from numaprof.evidence.objects import Object
from numaprof.evidence.samples import Used
from numaprof.evidence.source_location import ELSEWHERE, UNKNOWN, Site
from numaprof.evidence.thresholds import (
    MIN_PHASE_USES,
    MIN_SAMPLES,
    ONLY_THREAD,
)


class Team(Enum):
    """How the program shares out its work."""

    OPENMP = "OpenMP"
    THREADS = "threads"
    PROCESSES = "processes"


def later_uses(group: Iterable[Object]) -> list[Used]:
    """Accesses with addresses, after the initialisation. None if there are too few to speak for all."""
    uses = [row for found in group for row in found.later]
    return uses if sum(row.samples for row in uses) >= MIN_PHASE_USES else []


def main_use(uses: Iterable[Used]) -> Site | None:
    """The line that accesses most: that of the parallel loop, where this calls an accessor."""
    return _heaviest((row.loop, row.accesses) for row in uses)


def through(uses: Iterable[Used]) -> Site | None:
    """What the line that accesses most calls for it; None if it does so itself."""
    rows = list(uses)
    use = main_use(rows)
    inner = _heaviest((row.site, row.accesses) for row in rows if row.loop == use)
    return inner if inner != use else None


def main_cause(evidence: Evidence) -> Site | None:
    """The line that causes most remote accesses, by the counters' overflow samples."""
    return _heaviest((row.site, row.events) for row in evidence.samples.caused)


def _heaviest(weights: Iterable[tuple[Site, float]]) -> Site | None:
    sums: dict[Site, float] = defaultdict(float)
    for site, weight in weights:
        sums[site] += weight
    named = [site for site in sums if site not in (UNKNOWN, ELSEWHERE)]
    return max(named, key=lambda site: sums[site], default=None)


def users(evidence: Evidence, uses: Iterable[Used]) -> list[Thread]:
    """Who makes more than stray accesses: a twentieth of the busiest one's."""
    sums: dict[int, int] = defaultdict(int)
    for row in uses:
        sums[row.thread] += row.samples
    least = (1 - ONLY_THREAD) * max(sums.values(), default=0)
    return [evidence.by_id[thread] for thread in sums if thread in evidence.by_id and sums[thread] >= least]


def shape_of(group: Iterable[Object]) -> Shape:
    """Of the one that is used most."""
    return max(group, key=lambda found: sum(row.samples for row in found.later)).use_shape


def shared(evidence: Evidence, found: Object) -> bool:
    """No thread has a part of its own; where too few samples tell, as what the same code uses beside it."""
    if measured(evidence) and node_order(found) is not None:
        return False
    if measured(evidence) and found.use_shape is Shape.OVERLAPPING and found.known_samples >= MIN_SAMPLES:
        return True  # and the nodes mix in each part
    if found.use_shape is not Shape.UNKNOWN or not measured(evidence):
        return found.use_shape.shared
    use = main_use(found.later)
    beside = [o for o in suspects(evidence) if o.use_shape is not Shape.UNKNOWN and o.pages]
    beside = [o for o in beside if _same_code(main_use(o.later), use)]
    return bool(beside) and beside[0].use_shape.shared


def _same_code(one: Site | None, other: Site | None) -> bool:
    return one is not None and other is not None and (one.function, one.file) == (other.function, other.file)


def home_of(evidence: Evidence, found: Touches) -> int | None:
    """The node that holds most of it; where homes are not known, the node on which it was touched."""
    if found.known_homes:
        return max(found.known_homes, key=lambda home: found.known_homes[home])
    toucher = evidence.by_id.get(found.main_thread)
    return toucher.node if toucher else None


def others(evidence: Evidence, found: Touches) -> tuple[Thread, ...]:
    """Working threads, other than the one that touched, that are not known to sit at the memory's home."""
    home = home_of(evidence, found)
    return tuple(
        thread
        for thread in evidence.workers
        if thread.row.id != found.main_thread
        and (evidence.machine.single or thread.node is None or thread.node != home)
    )


def team(evidence: Evidence, toucher: int, working: Iterable[Thread]) -> Team:
    """Processes, if most of the work is done in others than the one that touched."""
    origin = evidence.by_id.get(toucher)
    elsewhere = [origin is not None and thread.row.process != origin.row.process for thread in working]
    if sum(elsewhere) > len(elsewhere) / 2:
        return Team.PROCESSES
    return Team.OPENMP if evidence.samples.openmp else Team.THREADS
