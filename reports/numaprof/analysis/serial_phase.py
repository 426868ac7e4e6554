# SPDX-License-Identifier: Apache-2.0
"""A thread that reads memory whose parts other threads use: no placement makes its accesses local."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from numaprof.analysis.placement import parts_told_apart, weight_of_part
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import BINS, EXCLUSIVE, LONE_READER, MIN_REMOTE_SAMPLES, REMOTE_HEAVY


def lone_reader(evidence: Evidence, found: Object) -> int | None:
    """The thread that makes most of the remote accesses to an object while the others have their parts near them."""
    remote: dict[int, float] = defaultdict(float)
    known: dict[int, float] = defaultdict(float)
    for row in found.used:
        if row.remote is not None:
            known[row.thread] += row.accesses
            remote[row.thread] += row.accesses * row.remote
    if len(known) < 3 or sum(row.samples for row in found.used if row.remote) < MIN_REMOTE_SAMPLES:
        return None
    thread = max(remote, key=lambda each: remote[each])
    others = sum(known.values()) - known[thread]
    theirs = sum(remote.values()) - remote[thread]
    alone = remote[thread] >= LONE_READER * sum(remote.values())
    near = theirs < REMOTE_HEAVY * others
    return thread if alone and near and _others_use_these_parts(found, thread, remote[thread]) else None


def _others_use_these_parts(found: Object, thread: int, remote: float) -> bool:
    """False if an uneven division gives it parts that lie elsewhere: what it has alone may be placed with it."""
    away = {row.node for row in found.used if row.thread == thread and row.remote}
    parts, shared = min(BINS, round(parts_told_apart(found.steady_samples) / found.filled)), 0.0
    for part in range(parts):
        by_node = {node: weight_of_part(bins, part, parts) for node, bins in found.node_uses.items()}
        theirs = sum(weight for node, weight in by_node.items() if node in away)
        shared += theirs if theirs < EXCLUSIVE * sum(by_node.values()) else 0.0
    return shared >= LONE_READER * remote


def read_alone(evidence: Evidence, group: Sequence[Object]) -> dict[int, float]:
    """Remote accesses of lone readers, by thread."""
    sums: dict[int, float] = defaultdict(float)
    for found in group:
        thread = lone_reader(evidence, found)
        if thread is not None:
            sums[thread] += sum(row.accesses for row in found.used if row.remote and row.thread == thread)
    return dict(sums)
