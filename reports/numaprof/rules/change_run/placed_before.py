# SPDX-License-Identifier: Apache-2.0
"""The recorder came when the memory had been placed: no line can be named, and what can be done without one is."""

from __future__ import annotations

from numaprof.analysis.naming import command_to_copy, homes_in_text, objects_in_text, threads_on_nodes
from numaprof.analysis.object_users import later_uses, users
from numaprof.analysis.relevant_objects import measured, of_remote, remote_part
from numaprof.analysis.remote_share import remote_share
from numaprof.analysis.verdict import Judgement, judge
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import MIN_OBJECT_SHARE
from numaprof.rules.advice import Advice, Kind, Remarked
from numaprof.text.format import nodes_in_text, percent

_NAMES_THE_LINE = "at the next start, to name the line that places it"


def rule(evidence: Evidence) -> Advice | None:
    if not evidence.attached or judge(evidence) not in (Judgement.HEAVY, Judgement.MODERATE):
        return None
    group = _group(evidence)
    if measured(evidence) and not group:
        return None  # what is remote was placed while we looked
    working = users(evidence, later_uses(group)) or list(evidence.workers)
    change, code = _change(evidence, working)
    return Advice(
        kind=Kind.SETTING,
        finding=_finding(evidence, group, working),
        change=change,
        code=code,
        remarked=(Remarked(f"numaprof record -- {command_to_copy(evidence)}", _NAMES_THE_LINE),),
        evidence=_rests_on(evidence, group),
        concerns=remote_part(evidence, group) if group else None,
        cause="placed before numaprof attached",
        objects=tuple(group),
        threads=tuple(working),
    )


def _group(evidence: Evidence) -> list[Object]:
    data = [found for found in evidence.objects.found if found.placed_before and found.kind not in ("file", "stack")]
    return [found for found in data if remote_part(evidence, [found]) >= MIN_OBJECT_SHARE] if measured(evidence) else []


def _finding(evidence: Evidence, group: list[Object], working: list[Thread]) -> str:
    if not group:
        return "Memory that was placed before numaprof attached is read remotely. No sample tells which data."
    homes: dict[int, float] = {}
    for found in group:
        for node, pages in found.homes.items():
            homes[node] = homes.get(node, 0.0) + pages
    return (
        f"{objects_in_text(evidence, group)} was placed before numaprof attached, on {homes_in_text(homes)}. "
        f"{threads_on_nodes(working)} {'use' if len(working) > 1 else 'uses'} it."
    )


def _change(evidence: Evidence, working: list[Thread]) -> tuple[str, tuple[str, ...]]:
    """The change that needs no source line."""
    nodes = sorted({node for thread in working for node in thread.nodes})
    pids = [row.pid for row in evidence.attached]
    if len(nodes) == 1:
        migrate = tuple(f"migratepages {pid} all {nodes[0]}" for pid in pids[:3])
        return (
            f"All its users run on {nodes_in_text(nodes)}: move its memory there, now and without a restart:",
            migrate,
        )
    return "Threads of several nodes use it: spread it over the nodes at the next start, or pin the threads near it:", (
        f"numactl --interleave=all {command_to_copy(evidence)}",
    )


def _rests_on(evidence: Evidence, group: list[Object]) -> str:
    unknown = "Who first touched it, and at which line, is not known"
    if group:
        return f"{of_remote(evidence, remote_part(evidence, group))} reach it. {unknown}."
    share = remote_share(evidence)
    counted = f"{percent(share.share)} of the requests are remote. " if share is not None else ""
    return f"{counted}{unknown}."
