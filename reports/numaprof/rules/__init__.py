# SPDX-License-Identifier: Apache-2.0
"""Advice. Each rule is one pure function in a file of its own: evidence in, at most one advice out.

docs/dev/adding-a-rule.md says how to write one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from numaprof.analysis.remote_share import remote_share
from numaprof.analysis.verdict import Judgement, judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import UNNAMED
from numaprof.evidence.thresholds import SHARE_CHANGE
from numaprof.fixes.edit import agreed, printed
from numaprof.rules.advice import Advice, Kind
from numaprof.rules.change_program import huge_page, mismatched_init, recycled, serial_init, shared_by_all
from numaprof.rules.change_run import (
    dirty_lines,
    disturbed,
    file_pages,
    launcher_binding,
    one_controller,
    owner_moved,
    placed_before,
    plan_leaves_node,
    policy,
    slow_tier,
)
from numaprof.rules.leave_alone import borders, handed_over, nothing_to_gain, prefetch_border, read_by_all, serial_phase
from numaprof.rules.own_terms import in_own_terms
from numaprof.source.objects import fix_at, fixes_for
from numaprof.source.request import Wanted

RULES: tuple[Callable[[Evidence], Advice | None], ...] = (
    serial_init.rule,
    mismatched_init.rule,
    shared_by_all.rule,
    read_by_all.rule,
    recycled.rule,
    huge_page.rule,
    launcher_binding.rule,
    owner_moved.rule,
    policy.rule,
    placed_before.rule,
    file_pages.rule,
    dirty_lines.rule,
    prefetch_border.rule,
    handed_over.rule,
    serial_phase.rule,
    borders.rule,
    nothing_to_gain.rule,
    one_controller.rule,
    plan_leaves_node.rule,
    disturbed.rule,
    slow_tier.rule,
)


def advise(evidence: Evidence) -> list[Advice]:
    """All that applies and can be seen in a second run, what pays most first."""
    share = remote_share(evidence)
    given = [(rule, rule(evidence)) for rule in RULES]
    found = [replace(advice, rule=rule.__module__.rpartition(".")[2]) for rule, advice in given if advice is not None]
    if judge(evidence) is Judgement.LIGHT_BETWEEN_PACKAGES:
        found = [advice for advice in found if advice.kind is not Kind.LEAVE]
    found = [in_own_terms(evidence, _in_source(evidence, advice)) for advice in _agreed(found)]
    found = [a for a in found if share is None or a.removes is None or a.removes * share.share >= SHARE_CHANGE]
    return sorted(found, key=lambda advice: (advice.kind.value, -advice.benefit))


def _in_source(evidence: Evidence, advice: Advice) -> Advice:
    """The same advice with the edits of its objects, where the program's text allows them."""
    wanted = _wanted(evidence, advice)
    if wanted is None:
        return advice
    if advice.objects:
        fixes = fixes_for(evidence, advice.objects, advice.used_at, wanted)
    else:
        fixes = (fix_at(evidence, advice.touched_at, advice.used_at),) if wanted is Wanted.TEAM else ()
    return replace(advice, fixes=fixes)


def _wanted(evidence: Evidence, advice: Advice) -> Wanted | None:
    """None: the advice is not about a place in memory that an edit could give."""
    if advice.kind is not Kind.FIX:
        return None
    if advice.rule == "huge_page":
        return Wanted.SMALL_PAGES
    if advice.rule == "shared_by_all":
        return Wanted.INTERLEAVED if advice.edits else None
    if advice.rule not in ("serial_init", "mismatched_init"):
        return None
    if not evidence.samples.openmp or any(obj.in_region for obj in advice.objects):
        return Wanted.THREADS
    pieces = advice.objects and all(obj.kind == UNNAMED for obj in advice.objects)
    return Wanted.PIECES if pieces else Wanted.TEAM


def _agreed(found: list[Advice]) -> list[Advice]:
    """The same advice, with one text for a line of the program that several replace."""
    changes = agreed([advice.edits for advice in found])
    return [
        replace(advice, code=printed(edits), edits=edits) if edits else advice for advice, edits in zip(found, changes)
    ]
