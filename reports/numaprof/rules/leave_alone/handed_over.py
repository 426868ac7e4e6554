# SPDX-License-Identifier: Apache-2.0
"""Threads fill memory again and again, or one sorts it before, threads of all nodes use what is in it: no place is near
to both."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.analysis.naming import most_at, objects_in_text, thread_in_text, threads_on_nodes
from numaprof.analysis.object_users import is_refilled, later_uses, main_use, users
from numaprof.analysis.placement import refills
from numaprof.analysis.relevant_objects import init_sites, measured, of_remote, remote_part, suspects
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import SERIAL_TOUCH
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import plural


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).fixable or not measured(evidence):
        return None
    group = [found for found in suspects(evidence) if is_refilled(evidence, found)]
    alone = bool(group) and group[0].main_share >= SERIAL_TOUCH
    group = [found for found in group if (found.main_share >= SERIAL_TOUCH) is alone]
    uses = later_uses(group)
    if not uses:
        return None
    part, filler = remote_part(evidence, group), evidence.by_id.get(group[0].main_thread) if alone else None
    times, there = refills(evidence, group[0]), objects_in_text(evidence, group)
    if alone:
        who, elsewhere = thread_in_text(filler), "spread over the nodes, it would be remote for that thread as well"
        counted = "beyond what the other threads request, this thread requests "
        counted += f"{times:.0f} times as many lines as it first touched"
    else:
        who = "Each thread that first touched a part of it"
        elsewhere = "near its users, it would be remote for those that fill it"
        counted = f"threads request {times:.0f} times as many lines as it has from their own nodes, beyond what load "
        counted += "samples see: they store to what they first touched"
    if alone and _before_others(group, group[0].main_thread):
        does = f"goes over {there} many times before {threads_on_nodes(users(evidence, uses))} use it"
        other = "Divide what it does there among the threads, or leave that too."
    else:
        does = f"fills {there} again and again, and {threads_on_nodes(users(evidence, uses))} use what is in it"
        other = "Let threads use what a thread of their own node has filled."
    return Advice(
        kind=Kind.LEAVE,
        finding=f"{who} {does}{most_at(main_use(uses))}.",
        change=f"Leave its placement alone: {elsewhere}. {other}",
        evidence=f"{counted}; {of_remote(evidence, part)} reach this memory "
        f"({plural(sum(row.samples for row in uses), 'sample')}).",
        concerns=part,
        objects=tuple(group),
        touched_at=tuple(init_sites(group)),
        touched_by=filler,
        used_at=main_use(uses),
        threads=tuple(users(evidence, uses)),
    )


def _before_others(group: Sequence[Object], filler: int) -> bool:
    """No sample of that thread comes after the first of another one: a long serial set-up."""
    rows = [row for found in group for row in found.used]
    own, others = ([row for row in rows if (row.thread == filler) is mine] for mine in (True, False))
    return bool(own and others) and max(row.last_ns for row in own) < min(row.first_ns for row in others)
