# SPDX-License-Identifier: Apache-2.0
"""Who uses what somebody first touched: the shape of the use, and the line it happens at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from numaprof.evidence import Evidence, InitSite, Thread
from numaprof.places import ELSEWHERE, UNKNOWN, Site
from numaprof.samples import Used
from numaprof.shapes import Shape
from numaprof.thresholds import (
    MIN_OBJECT_BYTES,
    MIN_OBJECT_SHARE,
    MIN_SAMPLES,
    SERIAL_TOUCH,
)


def big_sites(evidence: Evidence) -> list[InitSite]:
    """Places whose memory is big enough to matter, and that have a name."""
    return [
        site
        for site in evidence.init_sites
        if site.site not in (UNKNOWN, ELSEWHERE)
        and evidence.bytes(site.pages) >= MIN_OBJECT_BYTES
        and site.pages >= MIN_OBJECT_SHARE * evidence.touched_pages
    ]


def serial_sites(evidence: Evidence) -> list[InitSite]:
    """Big places that one thread first touches, all by the thread that touches most; biggest first."""
    serial = [site for site in big_sites(evidence) if site.main_share >= SERIAL_TOUCH]
    return [site for site in serial if site.main_thread == serial[0].main_thread]


def uses_of(evidence: Evidence, sites: Iterable[InitSite]) -> list[Used]:
    """Accesses with addresses to what these places first touched, by other threads than the one that touched. None
    if there are too few of them to speak for all."""
    wanted = {site.site for site in sites}
    uses = [row for row in evidence.samples.used if row.init in wanted and row.thread != row.init_thread]
    return uses if sum(row.samples for row in uses) >= MIN_SAMPLES else []


def shape_of(evidence: Evidence, sites: Iterable[InitSite]) -> Shape:
    """Of the object that holds most of what these places first touched, by its accesses."""
    wanted = {site.site for site in sites}
    uses: dict[int, float] = defaultdict(float)
    for number, found in enumerate(evidence.objects.found):
        uses[number] += sum(row.samples for row in found.used if row.init in wanted)
    best = max(uses, key=lambda number: uses[number], default=None)
    return evidence.objects.found[best].use_shape if best is not None and uses[best] else Shape.UNKNOWN


def main_use(uses: Iterable[Used]) -> Site | None:
    """The line that accesses most."""
    return _heaviest((row.site, row.accesses) for row in uses)


def main_cause(evidence: Evidence) -> Site | None:
    """The line that causes most remote accesses, by the counters' overflow samples."""
    return _heaviest((row.site, row.events) for row in evidence.samples.caused)


def _heaviest(weights: Iterable[tuple[Site, float]]) -> Site | None:
    sums: dict[Site, float] = defaultdict(float)
    for site, weight in weights:
        sums[site] += weight
    named = [site for site in sums if site not in (UNKNOWN, ELSEWHERE)]
    return max(named, key=lambda site: sums[site], default=None)


def home_of(evidence: Evidence, site: InitSite) -> int | None:
    """The node that holds most of it; where homes are not known, the node on which it was touched."""
    known = {home: pages for home, pages in site.pages_by_home.items() if home is not None}
    if known:
        return max(known, key=lambda home: known[home])
    toucher = evidence.by_id.get(site.main_thread)
    return toucher.node if toucher else None


def others(evidence: Evidence, site: InitSite) -> tuple[Thread, ...]:
    """Working threads, other than the one that touched, that are not known to sit at the memory's home."""
    home = home_of(evidence, site)
    return tuple(
        thread
        for thread in evidence.workers
        if thread.row.id != site.main_thread and (evidence.machine.single or thread.node is None or thread.node != home)
    )
