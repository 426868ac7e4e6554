# SPDX-License-Identifier: Apache-2.0
"""What comes from other nodes comes out of their caches, modified: threads write lines that others use."""

from __future__ import annotations

from numaprof.analysis.naming import command_to_copy, object_in_text
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import MAINLY, MIN_SAMPLES, REMOTE_HEAVY
from numaprof.placement.advice import Advice, Kind
from numaprof.recording.codes import Source
from numaprof.text.format import percent, plural

_OTHER_NODES = (Source.REMOTE_DRAM, Source.REMOTE_CACHE, Source.REMOTE_MODIFIED)


def rule(evidence: Evidence) -> Advice | None:
    there = [answer for answer in evidence.objects.answers if answer.source in _OTHER_NODES]
    dirty = sum(answer.weight for answer in there if answer.source == Source.REMOTE_MODIFIED)
    remote, samples = sum(answer.weight for answer in there), sum(answer.samples for answer in there)
    if samples < MIN_SAMPLES or dirty < MAINLY * remote or dirty < REMOTE_HEAVY * _missed(evidence):
        return None
    modified = [found for found in evidence.objects.found if _modified(found)]
    worst = sorted(modified, key=_modified, reverse=True)[:1]
    where = f", most of {object_in_text(worst[0])}" if worst else ""
    return Advice(
        kind=Kind.SETTING,
        finding=f"{percent(dirty / remote)} of what sampled loads got from other nodes were cache lines that a thread "
        f"there had just written{where}. Threads write to the same cache lines (true or false sharing).",
        change="The node of the memory does not matter here. Find the lines and fields:",
        code=(f"perf c2c record {command_to_copy(evidence)} && perf c2c report",),
        evidence=f"the source of {plural(samples, 'sampled load')} that were answered from another node.",
        concerns=dirty / remote,
        untriable="threads write to the same cache lines, wherever these are",
        objects=tuple(worst),
    )


def _missed(evidence: Evidence) -> float:
    """Weighted number of sampled loads that a core's own caches did not answer."""
    return sum(answer.weight for answer in evidence.objects.answers if answer.source not in (None, Source.OWN_CACHE))


def _modified(found: Object) -> float:
    """Weighted number of sampled loads of the object that got a modified line from another node."""
    return sum(answer.weight for answer in found.answers if answer.source == Source.REMOTE_MODIFIED)
