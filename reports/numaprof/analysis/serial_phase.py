# SPDX-License-Identifier: Apache-2.0
"""A thread that reads memory whose parts other threads use: no placement makes its accesses local."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import LONE_READER, MIN_REMOTE_SAMPLES, REMOTE_HEAVY


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
    return thread if alone and theirs < REMOTE_HEAVY * others else None


def read_alone(evidence: Evidence, group: Sequence[Object]) -> dict[int, float]:
    """Remote accesses of lone readers, by thread."""
    sums: dict[int, float] = defaultdict(float)
    for found in group:
        thread = lone_reader(evidence, found)
        if thread is not None:
            sums[thread] += sum(row.accesses for row in found.used if row.remote and row.thread == thread)
    return dict(sums)
