# SPDX-License-Identifier: Apache-2.0
"""Initialised in parallel, but divided otherwise than it is used: each part lies with a thread that does not use it."""

from __future__ import annotations

from numaprof.analysis.expected_gain import saves
from numaprof.analysis.naming import (
    list_of_sites,
    objects_in_text,
    site_label,
    threads_on_nodes,
)
from numaprof.analysis.object_users import later_uses, main_use, shape_of, users
from numaprof.analysis.relevant_objects import init_sites, measured, of_remote, remote_part, suspects
from numaprof.analysis.serial_phase import lone_reader
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import REMOTE_HEAVY, SERIAL_TOUCH
from numaprof.rules.advice import Advice, Kind
from numaprof.rules.change_program import huge_page
from numaprof.rules.change_run import policy
from numaprof.rules.initialisation import change, code, initialisation_of, promised
from numaprof.text.format import plural


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).curable or not measured(evidence) or policy.forces(evidence):
        return None
    group = [found for found in suspects(evidence) if _is_mismatched(found) and not huge_page.spans(found)]
    group = [found for found in group if lone_reader(evidence, found) is None]
    uses = later_uses(group)
    if not uses:
        return None
    sites, use = init_sites(group), main_use(uses)
    if use in sites:  # one loop touches and uses: its division cannot be another one
        return None
    part = remote_part(evidence, group)
    line = site_label(use) if use is not None else "code without line numbers"
    init = initialisation_of(evidence, group, sites, use, shape_of(group))
    removes = promised(evidence, group, init)
    return Advice(
        kind=Kind.FIX,
        finding=f"{list_of_sites(sites)} first touch{'es' if len(sites) == 1 else ''} "
        f"{objects_in_text(evidence, group)} in parallel, but divided among the threads otherwise than {line} uses it "
        f"from {threads_on_nodes(users(evidence, uses))}.",
        change=change(init),
        code=code(init),
        evidence=f"{of_remote(evidence, part)} reach this memory, each thread a part "
        f"that another one first touched ({plural(sum(row.samples for row in uses), 'sample')}).",
        cause="first touched in parallel, but divided otherwise",
        removes=removes,
        concerns=part if removes is None else None,
        saves=saves(evidence, removes, group),
        objects=tuple(group),
        touched_at=tuple(sites),
        used_at=use,
        threads=tuple(users(evidence, uses)),
    )


def _is_mismatched(found: Object) -> bool:
    """True if threads have parts of their own that several threads touched, but mostly not their users."""
    if not found.use_shape.divided or not found.pages or found.main_share >= SERIAL_TOUCH or not found.known:
        return False
    foreign = sum(
        r.accesses for r in found.used if r.remote and r.init_thread is not None and r.init_thread != r.thread
    )
    return found.remote / found.known >= REMOTE_HEAVY and foreign > found.remote / 2
