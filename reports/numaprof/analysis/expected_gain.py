# SPDX-License-Identifier: Apache-2.0
"""What a fix can give back: a range, with what it assumes. Emulated time says nothing, so there is none for it."""

from __future__ import annotations

from collections.abc import Iterable

from numaprof.analysis.remote_cost import gain
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import MIN_LATENCIES, MOST_SERIAL_COST
from numaprof.recording.codes import Source
from numaprof.recording.sql.sql_accesses import Answer
from numaprof.text.format import percent

LOCAL_DRAM, REMOTE_DRAM = Source.LOCAL_DRAM, Source.REMOTE_DRAM


def saves(evidence: Evidence, removes: float | None, group: Iterable[Object]) -> str | None:
    """In words, of a fix that removes this part of the remote accesses, all of this group's."""
    if evidence.run.emulated or removes is None:
        return None
    parts = [part for part in (_of_time(evidence, removes), _of_latency(evidence, list(group))) if part]
    return "Worth " + "; ".join(parts) + "." if parts else None


def _of_time(evidence: Evidence, removes: float) -> str | None:
    found = gain(evidence)
    if found is None or found.share is None or found.least is None or found.share > MOST_SERIAL_COST:
        return None
    return f"{percent(found.least * removes)} to {percent(found.share * removes)} of the CPU time"


def _of_latency(evidence: Evidence, group: list[Object]) -> str | None:
    """In words: share of the latency of sampled loads saved if these remote loads take as long as local ones."""
    cycles = stall_cycles(evidence.objects.answers)
    local, remote = (mean_latency(evidence.objects.answers, source) for source in (LOCAL_DRAM, REMOTE_DRAM))
    theirs = sum(a.weight for found in group for a in found.answers if a.source == REMOTE_DRAM and a.cycles is not None)
    if not cycles or local is None or remote is None or remote <= local or not theirs:
        return None
    saved = theirs * (remote - local) / cycles
    return f"up to {percent(saved)} of the latency of sampled loads (remote {remote:.0f} cycles, local {local:.0f})"


def stall_cycles(answers: Iterable[Answer]) -> float:
    return sum(answer.cycles or 0.0 for answer in answers)


def mean_latency(answers: Iterable[Answer], source: int) -> float | None:
    """Mean latency in cycles; None: too few samples."""
    mine = [answer for answer in answers if answer.source == source and answer.cycles is not None]
    if sum(answer.samples for answer in mine) < MIN_LATENCIES:
        return None
    return sum(answer.cycles or 0.0 for answer in mine) / (sum(answer.weight for answer in mine) or 1.0)
