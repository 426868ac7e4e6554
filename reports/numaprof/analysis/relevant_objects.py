# SPDX-License-Identifier: Apache-2.0
"""Which objects matter, who uses what somebody first touched, and the line it happens at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from numaprof.evidence.evidence import Evidence, InitSite
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import ELSEWHERE, UNKNOWN, Site
from numaprof.evidence.spread import effective_size, sampled_interval
from numaprof.evidence.thresholds import (
    IN_CACHE_BYTES,
    MAINLY,
    MIN_OBJECT_BYTES,
    MIN_OBJECT_SHARE,
    MIN_SAMPLES_OF_PART,
    RECYCLED,
    REMOTE_LIGHT,
    SERIAL_TOUCH,
)
from numaprof.text.format import percent, plural, share_in_interval

# Not made by an initialisation of the program's own.
_NO_DATA = ("file", "stack")


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


def remote_share_of(group: Sequence[Object]) -> float | None:
    """Remote share of the accesses to these objects; None: not known."""
    known = sum(found.known for found in group)
    return sum(found.remote for found in group) / known if known else None


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


def suspects(evidence: Evidence) -> list[Object]:
    """Objects that matter: by their share of the remote accesses if these have addresses, else by their size.

    Of what was placed before the recorder came the rule placed_before speaks.
    """
    nameless = (UNKNOWN, ELSEWHERE, None)
    data = [
        o
        for o in evidence.objects.found
        if o.kind not in _NO_DATA
        and not o.is_ours
        and (o.named or o.site not in nameless)
        and not o.placed_before
        and not on_slow_tier(evidence, o)
    ]
    if measured(evidence):
        parts = [(found, part_of_remote(evidence, found) or 0.0) for found in data]
        by_function: dict[object, float] = defaultdict(float)
        for found, part in parts:
            by_function[_function(found)] += part
        return [found for found, part in parts if part > 0 and by_function[_function(found)] >= MIN_OBJECT_SHARE]
    data = [found for found in data if not gone_before_use(evidence, found)]
    big = [found for found in data if _is_big(evidence, found.pages) or _grew_big(evidence, found)]
    return sorted(big, key=lambda found: -found.pages)


def worth_placing(evidence: Evidence, group: list[Object]) -> bool:
    """The group as a whole has enough of the remote lines, as far as these are known, and more than a core's caches
    hold."""
    size = evidence.bytes(sum(found.pages_at_most for found in group))
    part = sum(part_of_remote(evidence, found) or 0.0 for found in group)
    few = evidence.remote_lines.enough and part < MIN_OBJECT_SHARE
    return not measured(evidence) or not (few or 0 < size < IN_CACHE_BYTES)


def _function(found: Object) -> object:
    """Key of a group: small arrays by the function that allocates them, every other object by itself."""
    site = found.allocated
    return (site.function, site.file) if site is not None and site.function and found.name is None else found.things


def on_slow_tier(evidence: Evidence, found: Object | InitSite) -> bool:
    """True if most of the object is on the slow tier: no other initialisation makes it local."""
    slow = evidence.machine.slow_nodes
    there = sum(pages for home, pages in found.known_homes.items() if home in slow)
    return bool(slow) and there > sum(found.known_homes.values()) / 2


def gone_before_use(evidence: Evidence, found: Object) -> bool:
    """True if the object was freed before any other worker started."""
    began = [thread.row.start_ns for thread in evidence.workers if thread.row.id != found.main_thread]
    return found.until is not None and bool(began) and found.until < min(began)


def each_its_own(evidence: Evidence, found: Object) -> bool:
    """Where addresses do not tell who uses it: several threads first touch memory at its place, each what it needs."""
    site = next((site for site in evidence.init_sites if site.site == found.site), None)
    return not measured(evidence) and site is not None and site.main_share < SERIAL_TOUCH


def _is_big(evidence: Evidence, pages: float) -> bool:
    return evidence.bytes(pages) >= MIN_OBJECT_BYTES and pages >= MIN_OBJECT_SHARE * evidence.touched_pages


def _grew_big(evidence: Evidence, found: Object) -> bool:
    """True for a large object that grew: it had moved when the recorder classified its page faults."""
    return found.grows and _is_big(evidence, found.pages_at_most)


def serial_suspects(evidence: Evidence) -> list[Object]:
    """Objects that one thread first touches, the same for all, and that are on its node for that reason."""
    cause_elsewhere = {before.site for found in recycled(evidence) for before in found.before}
    serial = [
        found
        for found in suspects(evidence)
        if found.pages
        and found.main_share >= SERIAL_TOUCH
        and has_own_line(found)
        and not each_its_own(evidence, found)
        and found.site not in cause_elsewhere
        and not used_by_owner(evidence, found)
    ]
    return [found for found in serial if found.main_thread == serial[0].main_thread]


def stored_beside(evidence: Evidence, group: Iterable[Object]) -> list[Object]:
    """Objects that the same thread first touches in the same functions, hardly seen by sampled loads.

    If threads of other nodes store, they store to these objects.
    """
    group = list(group)
    if not measured(evidence) or not group or not _stores_remotely(evidence):
        return []
    functions = {(site.function, site.file) for found in group for site in found.pages_by_site}
    beside = [
        found
        for found in evidence.objects.found
        if found not in group
        and found.kind not in _NO_DATA
        and found.named
        and not found.is_ours
        and not found.remote
        and found.known_samples < MIN_SAMPLES_OF_PART
        and found.main_thread == group[0].main_thread
        and found.main_share >= SERIAL_TOUCH
        and found.pages >= MIN_OBJECT_SHARE * evidence.touched_pages
        and found.site is not None
        and (found.site.function, found.site.file) in functions
    ]
    return beside if evidence.bytes(sum(found.pages for found in beside)) >= MIN_OBJECT_BYTES else []


def _stores_remotely(evidence: Evidence) -> bool:
    """Of what was not prefetched: a prefetcher brings lines that will be stored to as well."""
    asked = [evidence.columns[key].remote.estimate or 0.0 for key in ("rfo", "demand") if key in evidence.columns]
    return "rfo" in evidence.columns and asked[0] > 0 and asked[0] >= REMOTE_LIGHT * sum(asked)


def recycled(evidence: Evidence) -> list[Object]:
    """Objects most of whose pages were first touched before the objects were allocated."""
    found = []
    for each in evidence.objects.found:
        before = sum(row.pages for row in each.before)
        enough = evidence.bytes(before) >= max(MIN_OBJECT_BYTES, RECYCLED * (each.bytes or 0.0))
        if not enough or before < each.pages or before < MIN_OBJECT_SHARE * evidence.touched_pages:
            continue
        threads: dict[int, float] = defaultdict(float)
        for row in each.before:
            threads[row.thread] += row.pages
        serial = max(threads.values()) >= SERIAL_TOUCH * before and not _by_its_own_line(each)
        matters = not measured(evidence) or remote_part(evidence, [each]) >= MIN_OBJECT_SHARE
        if serial and matters:
            found.append(each)
    return found


def _by_its_own_line(found: Object) -> bool:
    """True if the line that touched the pages before also initialises the object: it would touch new pages too."""
    own = {found.allocated, *found.pages_by_site}
    return sum(row.pages for row in found.before if row.site in own) > sum(row.pages for row in found.before) / 2


def has_own_line(found: Object) -> bool:
    return found.site not in (None, UNKNOWN, ELSEWHERE)


def used_by_owner(evidence: Evidence, found: Object) -> bool:
    """True if the thread that first touched the object makes most of its remote accesses, for it has moved, or most of
    its accesses."""
    own = sum(row.accesses for row in found.used if row.remote and row.init_thread == row.thread)
    return measured(evidence) and (own > found.remote / 2 or _by_toucher_mainly(evidence, found))


def _by_toucher_mainly(evidence: Evidence, found: Object) -> bool:
    """The thread that first touched it makes most of its later accesses, and few remote lines are those of others:
    elsewhere it would cost more than it gives."""
    uses = found.later or found.used
    own = sum(row.accesses for row in uses if row.thread == found.main_thread)
    mainly = own > MAINLY * sum(row.accesses for row in uses)
    few = (part_of_remote(evidence, found) or 0.0) < MIN_OBJECT_SHARE
    return found.known_samples >= MIN_SAMPLES_OF_PART and mainly and few


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


def serial_sites(evidence: Evidence) -> list[InitSite]:
    """Large source locations of first touch, all of the thread that touches most; the largest first."""
    big = [
        site
        for site in evidence.init_sites
        if site.site not in (UNKNOWN, ELSEWHERE) and _is_big(evidence, site.pages) and not on_slow_tier(evidence, site)
    ]
    serial = [site for site in big if site.main_share >= SERIAL_TOUCH]
    return [site for site in serial if site.main_thread == serial[0].main_thread]
