# SPDX-License-Identifier: Apache-2.0
"""Where the scheduler decided, in this run, which memory is near which thread."""

from __future__ import annotations

from collections.abc import Iterable

from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.first_touches import summed
from numaprof.evidence.samples import Touched
from numaprof.evidence.thresholds import FORCED, HARDLY, MIN_OBJECT_BYTES, MIN_OBJECT_SHARE


def roaming(evidence: Evidence) -> list[Thread]:
    """Unpinned threads that ran on several nodes and make a part of the remote accesses."""
    free = [thread for thread in evidence.workers if thread.row.pin == "none" and len(thread.nodes) > 1]
    return [thread for thread in free if _matters(evidence, thread)]


def _matters(evidence: Evidence, thread: Thread) -> bool:
    theirs, remote = thread.traffic.remote.estimate, evidence.traffic.remote.estimate
    return theirs is None or not remote or theirs >= MIN_OBJECT_SHARE * remote


def touched_unpinned(evidence: Evidence) -> list[Touched]:
    """What the first thread first touched; empty if it was pinned. It is not pinned before there are other threads."""
    first = evidence.threads[0] if evidence.threads else None
    if first is None or first.row.pin not in ("planned", "none") or len(evidence.threads) < 2:
        return []
    return [row for row in evidence.samples.touched if row.thread == first.row.id and row.node is not None]


def by_node(rows: Iterable[Touched]) -> dict[int, float]:
    """Pages by the node of the CPU at the first touch."""
    return summed((row.node, row.pages) for row in rows if row.node is not None)


def wandering(evidence: Evidence) -> dict[int, float]:
    """Pages that the first thread first touched while nothing kept it on a node, by the node of its CPU. Empty: hardly
    any were away from the node of most, or a policy placed them."""
    rows = touched_unpinned(evidence)
    pages, known = by_node(rows), [row for row in rows if row.home is not None]
    away = sum(pages.values()) - max(pages.values(), default=0.0)
    few = away < HARDLY * evidence.touched_pages or evidence.bytes(away) < MIN_OBJECT_BYTES
    elsewhere = sum(row.pages for row in known if row.home != row.node)
    placed = elsewhere > 0 and elsewhere >= FORCED * sum(row.pages for row in known)
    return {} if few or placed else pages


def _rarer(thread: Thread) -> float:
    total, remote = thread.traffic.total or 0.0, thread.traffic.remote.estimate or 0.0
    return max(0.0, min(remote, total - remote))


def roamed(evidence: Evidence) -> float:
    """Share of the counted accesses that threads which roamed had local or remote by chance: the rarer of the two."""
    total = evidence.traffic.total
    return min(1.0, sum(map(_rarer, roaming(evidence))) / total) if total else 0.0


def roamed_by(thread: Thread) -> float:
    """The same of the thread's own accesses, whether it was pinned later or never."""
    total = thread.traffic.total
    return min(1.0, _rarer(thread) / total) if total and len(thread.nodes) > 1 else 0.0


def wandered(evidence: Evidence) -> float:
    """Share of the memory that the first thread touched away from its main node, and that no policy placed."""
    pages = by_node(row for row in touched_unpinned(evidence) if row.home in (None, row.node)).values()
    return (sum(pages) - max(pages, default=0.0)) / evidence.touched_pages if evidence.touched_pages else 0.0
