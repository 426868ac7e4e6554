# SPDX-License-Identifier: Apache-2.0
"""Blocks lie where they are used, and what is remote is where they meet: a halo, or a page with two owners."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.analysis.naming import objects_in_text, threads_on_nodes
from numaprof.analysis.object_users import later_uses, main_use, users
from numaprof.analysis.relevant_objects import measured, of_remote, remote_part, suspects
from numaprof.analysis.verdict import Judgement, judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import AT_BORDERS, MAINLY, REMOTE_HEAVY, SERIAL_TOUCH
from numaprof.rules.advice import Advice, Kind
from numaprof.rules.change_program import huge_page
from numaprof.text.format import percent, plural

_NEAR = (-2, -1, 1, 2)  # parts of BINS: nodes that have several blocks each have no smaller ones


def rule(evidence: Evidence) -> Advice | None:
    """Where less is remote the verdict says so itself; where more is, it is no border any more."""
    if judge(evidence) is not Judgement.MODERATE or not measured(evidence):
        return None
    group = [found for found in suspects(evidence) if _lies_right(found) and not huge_page.spans(found)]
    uses = later_uses(group)
    if not uses or remote_part(evidence, group) < AT_BORDERS:
        return None
    where = "is on the nodes that use it" if len(group) == 1 else "are on the nodes that use them"
    local = 1 - sum(found.remote for found in group) / sum(found.known for found in group)
    return Advice(
        kind=Kind.LEAVE,
        finding=f"{objects_in_text(evidence, group)} {where}: {percent(local)} of what "
        f"{threads_on_nodes(users(evidence, uses))} read there is local, each with a block of its own.",
        change="Leave it alone: "
        + (
            "only the borders between the blocks of two nodes are remote. Larger blocks have fewer borders."
            if _at_borders(group)
            else "what another node reads is all over the blocks, and most of each is read by the node that it is on."
        ),
        evidence=f"{of_remote(evidence, remote_part(evidence, group))} are to this memory; who uses which part, from "
        f"{plural(sum(row.samples for row in uses), 'sample')}.",
        objects=tuple(group),
        used_at=main_use(uses),
        threads=tuple(users(evidence, uses)),
    )


def _lies_right(found: Object) -> bool:
    parallel = bool(found.pages) and found.main_share < SERIAL_TOUCH
    return parallel and found.use_shape.divided and found.known > 0 and found.remote < REMOTE_HEAVY * found.known


def _at_borders(group: Sequence[Object]) -> bool:
    """Most of what another node uses is where the blocks of two nodes meet, or not far from there."""
    there = away = 0.0
    for found in group:
        owner = {
            bin: max(found.node_uses, key=lambda node: found.node_uses[node].get(bin, 0.0))
            for bin in {bin for bins in found.node_uses.values() for bin in bins}
        }
        for node, bins in found.node_uses.items():
            for bin, accesses in bins.items():
                if owner[bin] != node:
                    away += accesses
                    there += accesses if any(owner.get(bin + step, node) == node for step in _NEAR) else 0.0
    return away == 0.0 or there > MAINLY * away
