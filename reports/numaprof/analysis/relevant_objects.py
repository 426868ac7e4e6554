# SPDX-License-Identifier: Apache-2.0
"""Which objects matter, who uses what somebody first touched, and the line it happens at."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable

from numaprof.evidence.evidence import Evidence, InitSite
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import ELSEWHERE, UNKNOWN, Site
from numaprof.evidence.spread import effective_size, sampled_interval
from numaprof.evidence.thresholds import MIN_OBJECT_BYTES, MIN_OBJECT_SHARE, NEARLY_ALL
from numaprof.text.format import percent, plural, share_in_interval


def measured(evidence: Evidence) -> bool:
    """True if addresses tell which objects have remote accesses."""
    return not evidence.machine.single and evidence.samples.tell_objects


def remote_part(evidence: Evidence, group: Iterable[Object]) -> float:
    """Share of all remote lines that a placement can make local: without those of threads on nodes without memory."""
    bare = set(evidence.machine.all_cpu_nodes) - set(evidence.machine.memory_nodes)
    return sum((part_of_remote(evidence, found) or 0.0) * _from_nodes_with_memory(found, bare) for found in group)


def part_of_remote(evidence: Evidence, found: Object) -> float | None:
    """Of the remote lines, prefetched ones included, where counters tell; else of the remote accesses with an address.

    None: not known.
    """
    if evidence.remote_lines.known:
        return evidence.remote_lines.of(found.things)
    everything = evidence.samples.remote_accesses
    return found.remote / everything if everything and found.known else None


def of_remote(evidence: Evidence, part: float) -> str:
    """A part as `part_of_remote` has it, of what it is a part, and what tells so: 80 % ± 4 of 320 remote accesses with
    a known address."""
    lines, remote = evidence.remote_lines, [row for row in evidence.samples.used if row.remote]
    if not lines.known:
        effective = effective_size(sum(row.accesses for row in remote), sum(row.squares for row in remote))
        share = share_in_interval(part, sampled_interval(part, effective))
        samples = sum(row.samples for row in remote)
        return f"{share} of {plural(samples, 'remote access', 'es')} with a known address"
    told = f"{percent(1 - (lines.unknown or 0.0))} of these have a known object"
    by = f", by {plural(lines.samples, 'sampled load')}" if lines.sampled else ""
    few = "" if lines.enough and surely_remote(evidence) else ", too few to be sure"
    return f"{percent(part)} of the remote lines ({told}{by}{few})"


def told_part_of_remote(evidence: Evidence, found: Object) -> float | None:
    """As part_of_remote, by remote lines only; None: too little is known of these."""
    enough = evidence.remote_lines.enough and surely_remote(evidence)
    return part_of_remote(evidence, found) if enough or not evidence.remote_lines.known else None


def error_of_told_part(evidence: Evidence, found: Object) -> float | None:
    """Half its 95 % interval; None: not known."""
    told = told_part_of_remote(evidence, found) is not None and evidence.remote_lines.known
    return evidence.remote_lines.error(found.things) if told else None


def most_remote_first(evidence: Evidence) -> list[Object]:
    """Prefetched lines count: a stream has few sampled accesses, and a single one of another object is not more."""
    return sorted(evidence.objects.found, key=lambda found: -(told_part_of_remote(evidence, found) or 0.0))


def surely_remote(evidence: Evidence) -> bool:
    """The error of the counts leaves no room for no remote line at all."""
    return evidence.traffic.interval is None or evidence.traffic.interval[0] > 0.0


def _from_nodes_with_memory(found: Object, bare: set[int]) -> float:
    """Share of its remote accesses from nodes with memory; 1 if no access was sampled."""
    with_memory = sum(row.accesses for row in found.used if row.remote and row.node not in bare)
    return with_memory / found.remote if found.remote else 1.0


def is_big(evidence: Evidence, pages: float) -> bool:
    return evidence.bytes(pages) >= MIN_OBJECT_BYTES and pages >= MIN_OBJECT_SHARE * evidence.touched_pages


def init_sites(group: Iterable[Object]) -> list[Site]:
    """Source locations that first touch the objects, by pages; locations with a few stray pages are left out."""
    sums: dict[Site, float] = defaultdict(float)
    for found in group:
        for site, pages in found.pages_by_site.items():
            sums[site] += pages
    least = MIN_OBJECT_SHARE * sum(sums.values())
    named = [site for site in sums if site not in (UNKNOWN, ELSEWHERE) and sums[site] >= least]
    return sorted(named, key=lambda site: -sums[site])


def allocation_sites(group: Iterable[Object]) -> list[Site]:
    """Where the objects are allocated; a variable is there before the program starts."""
    sites = (found.allocated for found in group if found.kind != "static")
    return list(dict.fromkeys(site for site in sites if site is not None))


def on_slow_tier(evidence: Evidence, found: Object | InitSite) -> bool:
    """True if most of the object is on the slow tier: no other initialisation makes it local."""
    slow = evidence.machine.slow_nodes
    there = sum(pages for home, pages in found.known_homes.items() if home in slow)
    return bool(slow) and there > sum(found.known_homes.values()) / 2


def serial_sites(evidence: Evidence) -> list[InitSite]:
    """Large source locations of first touch, all of the thread that touches most; the largest first."""
    big = [
        site
        for site in evidence.init_sites
        if site.site not in (UNKNOWN, ELSEWHERE) and is_big(evidence, site.pages) and not on_slow_tier(evidence, site)
    ]
    serial = [site for site in big if site.main_share >= NEARLY_ALL]
    return [site for site in serial if site.main_thread == serial[0].main_thread]


def is_code(evidence: Evidence, obj: Object) -> bool:
    """True for the program's file, libraries and their variables: no data of the program's own."""
    path = obj.name or ""
    name, program = os.path.basename(path), os.path.basename(next(iter(evidence.command), ""))
    library = re.search(r"\.so(\.\d+)*$", name) is not None or (name == program and bool(name))
    of_library = obj.allocated is not None and (obj.allocated.module or "").startswith(("/lib", "/usr/lib"))
    return (library and obj.kind in ("file", "static")) or (obj.kind == "static" and of_library)
