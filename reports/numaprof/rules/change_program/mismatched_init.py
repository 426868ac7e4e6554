# SPDX-License-Identifier: Apache-2.0
"""Initialised in parallel, but divided otherwise than it is used: each part lies with a thread that does not use it."""

from __future__ import annotations

from numaprof.analysis.expected_gain import saves
from numaprof.analysis.naming import (
    first_touch_at,
    objects_in_text,
    site_label,
    thread_in_text,
    threads_on_nodes,
)
from numaprof.analysis.object_users import by_others, is_refilled, later_uses, main_use, shape_of, users
from numaprof.analysis.relevant_objects import init_sites, measured, of_remote, remote_part, suspects
from numaprof.analysis.serial_phase import lone_reader
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.first_touches import summed
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import MIN_OBJECT_SHARE, SERIAL_TOUCH
from numaprof.rules.advice import Advice, Kind
from numaprof.rules.change_program import huge_page
from numaprof.rules.change_run import policy
from numaprof.rules.initialisation import change, code, edits, initialisation_of, promised
from numaprof.text.format import plural


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).fixable or not measured(evidence) or policy.forces(evidence):
        return None
    group = [found for found in suspects(evidence) if _is_mismatched(found) and not huge_page.spans(found)]
    group = [each for each in group if lone_reader(evidence, each) is None and not is_refilled(evidence, each)]
    uses = later_uses(group)
    if not uses:
        return None
    use, alone = main_use(uses), _toucher(group)
    sites = init_sites(group) if alone is None else _touched_by(group, alone)
    if use in sites:  # one loop touches and uses: its division cannot be another one
        return None
    part = remote_part(evidence, group)
    line = site_label(use) if use is not None else "code without line numbers"
    init = initialisation_of(evidence, group, sites, use, shape_of(group))
    removes = promised(evidence, group, init)
    return Advice(
        kind=Kind.FIX,
        finding=_finding(evidence, group, sites, alone)
        + f" {line} uses it from {threads_on_nodes(users(evidence, uses))}.",
        change=change(init),
        code=code(init),
        edits=edits(init),
        evidence=f"{of_remote(evidence, part)} reach this memory, each thread a part "
        f"that another one first touched ({plural(sum(row.samples for row in uses), 'sample')}).",
        cause=None if alone is not None else "first touched in parallel, but divided differently",
        removes=removes,
        concerns=part if removes is None else None,
        saves=saves(evidence, removes, group),
        objects=tuple(group),
        touched_at=tuple(sites),
        touched_by=evidence.by_id.get(alone) if alone is not None else None,
        used_at=use,
        threads=tuple(users(evidence, uses)),
    )


def _is_mismatched(found: Object) -> bool:
    """True if threads have parts of their own that several threads touched, but mostly not their users."""
    if not found.use_shape.divided or not found.pages or found.main_share >= SERIAL_TOUCH or not found.much_remote:
        return False
    return by_others(row for row in found.used if row.remote) > found.remote / 2


def _toucher(group: list[Object]) -> int | None:
    """The one thread that first touched what is used remotely, beside threads that touched what they use; else None."""
    remote = summed((row.init_thread, row.accesses) for found in group for row in found.used if row.remote)
    most = max(remote, key=lambda thread: remote[thread], default=None)
    return most if most is not None and remote[most] >= SERIAL_TOUCH * sum(remote.values()) else None


def _touched_by(group: list[Object], thread: int) -> list[Site]:
    """Where this thread touched what is used remotely; places with a few stray accesses are left out."""
    theirs = [row for found in group for row in found.used if row.remote and row.init_thread == thread]
    remote = summed((row.init, row.accesses) for row in theirs)
    return [site for site in init_sites(group) if remote.get(site, 0.0) >= MIN_OBJECT_SHARE * sum(remote.values())]


def _finding(evidence: Evidence, group: list[Object], sites: list[Site], alone: int | None) -> str:
    touch = first_touch_at(sites)
    what = objects_in_text(evidence, group)
    if alone is not None:
        return f"{touch} the part of {what} that is remote, all from {thread_in_text(evidence.by_id.get(alone))};"
    return f"{touch} {what} in parallel, but divided among the threads differently from how"
