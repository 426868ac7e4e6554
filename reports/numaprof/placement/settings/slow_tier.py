# SPDX-License-Identifier: Apache-2.0
"""Data on the slow tier: memory behind CXL, persistent memory, or of a node without CPUs. It is slow for every CPU and
local to none, so that no initialisation fixes it; a policy does."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.analysis.naming import command_to_copy, objects_in_text
from numaprof.analysis.slow_tier import slow_share_in_words
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import MIN_OBJECT_BYTES, MIN_OBJECT_SHARE
from numaprof.placement.advice import Advice, Kind
from numaprof.text.format import nodes_in_text, number_list, percent, size, words

_SLOW = (
    "Another initialisation does not bring this memory back. Bind what is used most to nodes with CPUs, and leave what "
    "is rarely used to the slow tier. All of it, without an edit:"
)
_UNKNOWN = (
    "Find out first whether it is slower or, as HBM, faster: numaprof topology --measure. Only if it is slower, bind "
    "what is used most to nodes with CPUs. All of it, without an edit:"
)


def rule(evidence: Evidence) -> Advice | None:
    slow = evidence.machine.slow_nodes
    group = sorted(
        (found for found in evidence.objects.found if _matters(evidence, found, slow)),
        key=lambda found: -_there(found, slow),
    )
    if not group:
        return None
    used = [node for node in slow if any(found.known_homes.get(node) for found in group)]
    kinds = words(list(dict.fromkeys(_kind(evidence, node) for node in used)))
    there = sum(_there(found, slow) for found in group)
    part = "" if there == sum(map(_known, group)) else f"{size(evidence.bytes(there))} of "
    unknown = evidence.machine.speed_unknown
    slowness = "of unknown speed" if unknown else "slow for every CPU"
    return Advice(
        kind=Kind.SETTING,
        finding=f"{nodes_in_text(used).capitalize()} ({kinds}), {slowness} and local to none, "
        f"hold{'s' * (len(used) == 1)} {part}{objects_in_text(evidence, group)}.",
        change=_UNKNOWN if unknown else _SLOW,
        code=(f"numactl --membind={number_list(list(evidence.machine.all_cpu_nodes))} {command_to_copy(evidence)}",),
        evidence=_rests_on(evidence, group),
        objects=tuple(group),
    )


def _there(found: Object, slow: Sequence[int]) -> float:
    return sum(found.known_homes.get(node, 0.0) for node in slow)


def _known(found: Object) -> float:
    return sum(found.known_homes.values())


def _matters(evidence: Evidence, found: Object, slow: Sequence[int]) -> bool:
    pages = _there(found, slow)
    return evidence.bytes(pages) >= MIN_OBJECT_BYTES and pages >= MIN_OBJECT_SHARE * evidence.touched_pages


def _kind(evidence: Evidence, node: int) -> str:
    told = {"CXL": "memory behind CXL", "persistent": "persistent memory", "GPU": "a graphics processor's memory"}
    return told.get(evidence.machine.memory_of(node) or "", "memory without CPUs")


def _rests_on(evidence: Evidence, group: Sequence[Object]) -> str:
    slow = evidence.machine.slow_nodes
    known = sum(map(_known, group))
    text = f"{percent(sum(_there(found, slow) for found in group) / known)} of its pages were there when last looked at"
    used = slow_share_in_words(evidence)
    return f"{text}; {used}." if used else f"{text}. How often the program uses them is not known."
