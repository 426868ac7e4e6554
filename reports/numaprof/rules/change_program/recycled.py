# SPDX-License-Identifier: Apache-2.0
"""Memory that the allocator hands out again has its home already: the loop that seems to touch first does not."""

from __future__ import annotations

from collections import defaultdict

from numaprof.analysis.expected_gain import saves
from numaprof.analysis.naming import (
    command_to_copy,
    object_in_text,
    seen_faults,
    site_label,
    site_position,
    thread_in_text,
    threads_on_nodes,
)
from numaprof.analysis.object_users import later_uses, main_use, users
from numaprof.analysis.relevant_objects import measured, of_remote, recycled, remote_part
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import LARGE_BLOCK
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import plural, size


def rule(evidence: Evidence) -> Advice | None:
    group = recycled(evidence)
    if not judge(evidence).fixable or not group:
        return None
    threads, sites = _before(group)
    toucher = max(threads, key=lambda thread: threads[thread])
    site = max(sites, key=lambda site: sites[site])
    uses = later_uses(group)
    use = main_use(uses)
    where = f"{site_label(use)} uses it from {threads_on_nodes(users(evidence, uses))}. " if use is not None else ""
    part = remote_part(evidence, group) if measured(evidence) else None
    return Advice(
        kind=Kind.FIX,
        finding=f"{object_in_text(group[0])}{_more(group)} gets memory that was used before: "
        f"{site_label(site)} first touched it, {size(evidence.bytes(sum(threads.values())))}, from "
        f"{thread_in_text(evidence.by_id.get(toucher))}, and freed it. {where}"
        "The allocator kept the pages on their nodes.",
        change=f"Freed memory is used again by {_allocation(group)}: its pages stay where they were first written. "
        f"Have glibc take large blocks fresh from the kernel, or write it first in parallel, at {site_position(site)}:",
        code=(f"MALLOC_MMAP_THRESHOLD_={_threshold(evidence, group)} {command_to_copy(evidence)}",),
        evidence=_rests_on(evidence, group, part),
        cause="written first, then freed and used again",
        removes=part,
        saves=saves(evidence, part, group),
        objects=tuple(group),
        touched_at=(site,),
        touched_by=evidence.by_id.get(toucher),
        used_at=use,
        threads=tuple(users(evidence, uses)),
    )


def _threshold(evidence: Evidence, group: list[Object]) -> int:
    """Size in bytes from which glibc shall map allocations: whole pages, at most the size of these allocations."""
    least = min((found.bytes or 0.0) / max(1, found.blocks or 1) for found in group)
    page = int(evidence.bytes(1))
    return min(LARGE_BLOCK, max(page, int(least) // page * page))


def _before(group: list[Object]) -> tuple[dict[int, float], dict[Site, float]]:
    threads: dict[int, float] = defaultdict(float)
    sites: dict[Site, float] = defaultdict(float)
    for found in group:
        for row in found.before:
            threads[row.thread] += row.pages
            sites[row.site] += row.pages
    return threads, sites


def _more(group: list[Object]) -> str:
    return f" (and {plural(len(group) - 1, 'more object')})" if group[1:] else ""


def _allocation(group: list[Object]) -> str:
    site = group[0].allocated
    return f"the allocation at {site_position(site)}" if site is not None else "its allocation"


def _rests_on(evidence: Evidence, group: list[Object], part: float | None) -> str:
    text = f"page faults at its addresses from before it was allocated, and fewer after{seen_faults(evidence)}"
    if part is None:
        return f"{text}; who uses it is not known here."
    return f"{text}; {of_remote(evidence, part)} reach it."
