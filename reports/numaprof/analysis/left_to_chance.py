# SPDX-License-Identifier: Apache-2.0
"""Where the scheduler decided, in this run, which memory is near which thread."""

from __future__ import annotations

from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.thresholds import MIN_OBJECT_SHARE


def roaming(evidence: Evidence) -> list[Thread]:
    """Unpinned threads that ran on several nodes and make a part of the remote accesses."""
    free = [thread for thread in evidence.workers if thread.row.pin == "none" and len(thread.nodes) > 1]
    return [thread for thread in free if _matters(evidence, thread)]


def _matters(evidence: Evidence, thread: Thread) -> bool:
    theirs, remote = thread.traffic.remote.estimate, evidence.traffic.remote.estimate
    return theirs is None or not remote or theirs >= MIN_OBJECT_SHARE * remote


def wandered(evidence: Evidence) -> dict[int, float]:
    """Pages by node that the first thread first touched, and that are there, as no policy placed them elsewhere. It is
    not pinned before there are others; empty if it was."""
    first = evidence.threads[0] if evidence.threads else None
    pages: dict[int, float] = {}
    if first is None or first.row.pin not in ("planned", "none") or len(evidence.threads) < 2:
        return pages
    for row in evidence.samples.touched:
        if row.thread == first.row.id and row.node is not None and row.home in (None, row.node):
            pages[row.node] = pages.get(row.node, 0.0) + row.pages
    return pages


def _rarer(thread: Thread) -> float:
    total, remote = thread.traffic.total or 0.0, thread.traffic.remote.estimate or 0.0
    return max(0.0, min(remote, total - remote))


def left_to_chance(evidence: Evidence) -> float:
    """Share of the accesses that chance may have made local or remote.

    Of threads that roamed, the rarer of the two; of memory that the first thread touched away from its main node, as
    many as it is of all memory.
    """
    total = evidence.traffic.total
    roamed = sum(map(_rarer, roaming(evidence))) / total if total else 0.0
    pages = wandered(evidence).values()
    away = (sum(pages) - max(pages, default=0.0)) / evidence.touched_pages if evidence.touched_pages else 0.0
    return min(1.0, roamed + away)
