# SPDX-License-Identifier: Apache-2.0
"""Who uses what somebody first touched: the shape of the use, and the line it happens at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum

from numaprof.evidence import Evidence, InitSite, Thread
from numaprof.places import ELSEWHERE, UNKNOWN, Site
from numaprof.samples import Used
from numaprof.spread import median
from numaprof.thresholds import (
    MIN_OBJECT_BYTES,
    MIN_OBJECT_SHARE,
    MIN_SAMPLES,
    MIN_USES_OF_THREAD,
    SERIAL_TOUCH,
    USES_ALL,
    USES_BLOCK,
)


class Shape(Enum):
    UNKNOWN = "not known"
    BLOCKS = "each thread a block of its own"
    ALL = "every thread all of it"


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


def shape(uses: Iterable[Used]) -> Shape:
    """By the range of addresses that each thread spans."""
    lowest: dict[int, int] = {}
    highest: dict[int, int] = {}
    samples: dict[int, int] = defaultdict(int)
    for row in uses:
        lowest[row.thread] = min(row.lowest, lowest.get(row.thread, row.lowest))
        highest[row.thread] = max(row.highest, highest.get(row.thread, row.highest))
        samples[row.thread] += row.samples
    threads = [thread for thread in samples if samples[thread] >= MIN_USES_OF_THREAD]
    if len(threads) < 2:
        return Shape.UNKNOWN
    whole = max(highest[thread] for thread in threads) - min(lowest[thread] for thread in threads)
    span = median(highest[thread] - lowest[thread] for thread in threads) / whole if whole else 1.0
    return Shape.ALL if span >= USES_ALL else Shape.BLOCKS if span <= USES_BLOCK else Shape.UNKNOWN


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
