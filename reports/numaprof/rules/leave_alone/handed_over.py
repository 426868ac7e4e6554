# SPDX-License-Identifier: Apache-2.0
"""One thread fills memory again and again, threads of all nodes use what is in it: no place is near to both."""

from __future__ import annotations

from numaprof.analysis.naming import most_at, objects_in_text, thread_in_text, threads_on_nodes
from numaprof.analysis.object_users import is_refilled, later_uses, main_use, users
from numaprof.analysis.placement import refills
from numaprof.analysis.relevant_objects import init_sites, measured, of_remote, remote_part, suspects
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import plural


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).fixable or not measured(evidence):
        return None
    group = [found for found in suspects(evidence) if is_refilled(evidence, found)]
    uses = later_uses(group)
    if not uses:
        return None
    part, filler = remote_part(evidence, group), evidence.by_id.get(group[0].main_thread)
    times = refills(evidence, group[0])
    return Advice(
        kind=Kind.LEAVE,
        finding=f"{thread_in_text(filler)} fills {objects_in_text(evidence, group)} again and again, and "
        f"{threads_on_nodes(users(evidence, uses))} use what is in it{most_at(main_use(uses))}.",
        change="Leave its placement alone: spread over the nodes, it would be remote for the thread that fills it as "
        "well. Let threads use what a thread of their own node has filled.",
        evidence=f"beyond what the other threads request, this thread requests {times:.0f} times as many lines as it "
        f"first touched; {of_remote(evidence, part)} reach this memory "
        f"({plural(sum(row.samples for row in uses), 'sample')}).",
        concerns=part,
        objects=tuple(group),
        touched_at=tuple(init_sites(group)),
        touched_by=filler,
        used_at=main_use(uses),
        threads=tuple(users(evidence, uses)),
    )
