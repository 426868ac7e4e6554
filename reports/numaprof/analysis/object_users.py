# SPDX-License-Identifier: Apache-2.0
"""Which threads use an object, from which line, and how the work is divided among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from math import sqrt

from numaprof.analysis.placement import gained, has_parts, mixed, refills, team_order
from numaprof.analysis.relevant_objects import measured, remote_part, suspects
from numaprof.evidence.access_patterns import Shape
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.first_touches import Touches
from numaprof.evidence.objects import Object
from numaprof.evidence.samples import Used
from numaprof.evidence.source_location import ELSEWHERE, UNKNOWN, Site
from numaprof.evidence.thresholds import (
    BEYOND_CHANCE,
    BINS,
    MIN_PHASE_USES,
    MIN_REFILLS,
    MIN_SAMPLES,
    ONLY_THREAD,
    SAMPLED_PART,
    SERIAL_TOUCH,
)


class Team(Enum):
    """Kind of the workers that share the work."""

    OPENMP = "OpenMP"
    THREADS = "threads"
    PROCESSES = "processes"


def by_others(rows: Iterable[Used]) -> float:
    """Accesses of threads to what another thread first touched."""
    return sum(row.accesses for row in rows if row.init_thread not in (None, row.thread))


def later_uses(group: Iterable[Object]) -> list[Used]:
    """Accesses with addresses after the initialisation; empty: too few to represent all."""
    group = list(group)
    uses = [row for found in group for row in found.later]
    enough = sum(row.samples for row in uses) >= MIN_PHASE_USES or any(
        found.use_shape is not Shape.UNKNOWN for found in group
    )
    return uses if enough else []


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


def shape_of(group: Iterable[Object]) -> Shape:
    """Access pattern of the leading object."""
    return leading(group).use_shape


def leading(group: Iterable[Object]) -> Object:
    """The object with most remote accesses: of those that several threads are known to use, if most are to them."""
    group = list(group)
    known = [found for found in group if found.use_shape not in (Shape.UNKNOWN, Shape.ONE)]
    told = known if 2 * sum(found.remote for found in known) >= sum(found.remote for found in group) else []
    return max(told or group, key=lambda found: (found.remote, found.known_samples))


def shared(evidence: Evidence, found: Object) -> bool:
    """True if no thread has a part of its own. With too few samples, the answer for objects that the same code uses."""
    if measured(evidence) and has_parts(evidence, found, evidence.workers):
        return False
    if measured(evidence) and found.use_shape in (Shape.OVERLAPPING, Shape.BY_LINE):
        return _nodes_mix(evidence, found)
    if found.use_shape is not Shape.UNKNOWN:
        return found.use_shape.shared
    if mixed(evidence, found):
        return True
    if not measured(evidence):
        return False
    use = main_use(found.later)
    beside = [o for o in suspects(evidence) if o.use_shape is not Shape.UNKNOWN and o.pages]
    beside = [o for o in beside if _same_code(main_use(o.later), use)]
    return bool(beside) and beside[0].use_shape.shared


def is_refilled(evidence: Evidence, found: Object) -> bool:
    """True if the thread that first touched it keeps writing to it while the others use all of it, or if several did
    and each keeps writing to its part."""
    return (found.main_share < SERIAL_TOUCH or shared(evidence, found)) and refills(evidence, found) >= MIN_REFILLS


def _nodes_mix(evidence: Evidence, found: Object) -> bool:
    """In each part, as far as so many samples tell."""
    if found.steady_samples >= MIN_SAMPLES or (mixed(evidence, found) and not _pays(evidence, found)):
        return True
    return _hardly_pays(evidence, found)


def _hardly_pays(evidence: Evidence, found: Object) -> bool:
    """With all that the same code uses alike, parts in the order of the threads make no more of it local than chance
    would, and leave most of it remote by more than the error of these samples."""
    use = main_use(found.later)
    alike = [o for o in suspects(evidence) if o.use_shape is found.use_shape and _same_code(main_use(o.later), use)]
    order, part = team_order(evidence, evidence.workers, BINS, alike), remote_part(evidence, alike)
    most = max((gained(evidence, alike, order, each) for each in (False, True)), default=0.0)
    error = 2 / sqrt(max(1.0, sum(each.steady_samples for each in alike)))
    return part > 0 and most / part < min(error, BEYOND_CHANCE - error)


def _pays(evidence: Evidence, found: Object) -> bool:
    """Parts in the order of the threads make more of it local, whatever one thread does with all of it."""
    return gained(evidence, [found], team_order(evidence, evidence.workers, BINS, [found]), False) > 0


def _same_code(one: Site | None, other: Site | None) -> bool:
    return one is not None and other is not None and (one.function, one.file) == (other.function, other.file)


def home_of(evidence: Evidence, found: Touches) -> int | None:
    """The node of most of its pages; if that is not known, the node of the thread that first touched it."""
    if found.known_homes:
        return max(found.known_homes, key=lambda home: found.known_homes[home])
    toucher = evidence.by_id.get(found.main_thread)
    return toucher.node if toucher else None


def others(evidence: Evidence, found: Touches) -> tuple[Thread, ...]:
    """Workers, except the thread that first touched it, that are not known to run on the node of its pages."""
    home = home_of(evidence, found)
    return tuple(
        thread
        for thread in evidence.workers
        if thread.row.id != found.main_thread
        and (evidence.machine.single or thread.node is None or thread.node != home)
    )


def team(evidence: Evidence, toucher: int, working: Iterable[Thread]) -> Team:
    """Processes, if most workers are in other processes than the thread that first touched it."""
    origin = evidence.by_id.get(toucher)
    elsewhere = [origin is not None and thread.row.process != origin.row.process for thread in working]
    if sum(elsewhere) > len(elsewhere) / 2:
        return Team.PROCESSES
    return Team.OPENMP if evidence.samples.openmp else Team.THREADS
