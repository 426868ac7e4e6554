# SPDX-License-Identifier: Apache-2.0
"""What is remote is prefetches, where one node's block ends and the next begins: leave it alone."""

from __future__ import annotations

from numaprof.evidence.counts import Traffic
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.request_classes import PREFETCH
from numaprof.evidence.thresholds import PREFETCH_ONLY, REMOTE_HEAVY, REMOTE_LIGHT
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import number, percent, plural


def rule(evidence: Evidence) -> Advice | None:
    share, prefetched = evidence.traffic.share, _prefetched(evidence.columns)
    if not share or share >= REMOTE_LIGHT or prefetched is None or prefetched < PREFETCH_ONLY:
        return None
    remote = evidence.columns[PREFETCH.key].remote.estimate or 0.0
    border = [thread for thread in _at_border(evidence) if thread.columns]
    theirs = sum(thread.columns[PREFETCH.key].remote.estimate or 0.0 for thread in border)
    at_border = bool(border) and theirs >= PREFETCH_ONLY / 2 * remote
    where = " across the borders of the nodes' blocks" if at_border else ""
    team = plural(len(border), "thread")
    carried = f"{team} with a neighbour on another node made {percent(theirs / remote)} of them. " if at_border else ""
    return Advice(
        kind=Kind.LEAVE,
        finding=f"{percent(prefetched)} of the {number(remote / prefetched)} remote requests are prefetches{where}.",
        change="Leave it alone: the few remote requests are prefetches, for which no thread waits.",
        evidence=carried + f"{percent(share)} of all requests are remote{_heaviest(evidence)}.",
        threads=tuple(border) if at_border else (),
    )


def _prefetched(columns: dict[str, Traffic]) -> float | None:
    """Share of prefetches in the remote requests of classes that can be added."""
    parts = [columns[key].remote.estimate for key in ("demand", "rfo") if key in columns]
    prefetch = columns[PREFETCH.key].remote.estimate if PREFETCH.key in columns else None
    if prefetch is None or not parts or None in parts:
        return None
    total = prefetch + sum(part or 0.0 for part in parts)
    return prefetch / total if total else None


def _at_border(evidence: Evidence) -> list[Thread]:
    """Threads whose neighbour in the plan works on another node."""
    team = evidence.workers
    return [
        thread
        for before, thread, after in zip((None, *team), team, (*team[1:], None))
        if any(beside is not None and beside.nodes != thread.nodes for beside in (before, after))
    ]


def _heaviest(evidence: Evidence) -> str:
    heavy = [thread for thread in evidence.threads if (thread.traffic.share or 0.0) >= REMOTE_HEAVY]
    return f"; {plural(len(heavy), 'thread')} above {percent(REMOTE_HEAVY)}" if heavy else ""
