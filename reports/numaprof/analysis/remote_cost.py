# SPDX-License-Identifier: Apache-2.0
"""What the remote reads of a run cost."""

from __future__ import annotations

from dataclasses import dataclass

from numaprof.evidence.evidence import Evidence
from numaprof.evidence.thresholds import (
    MIN_GAIN,
    MIN_REMOTE_READS,
    READS_UNDER_WAY,
)


@dataclass(frozen=True)
class Gain:
    """What remote reads cost: each so many nanoseconds more than a local one."""

    remote: float
    waited_for: float | None  # of these, the ones that an instruction waits for: demand reads; None: not told apart
    extra_ns: float
    cpu_ns: int

    @property
    def least(self) -> float | None:
        """Of the CPU time: nobody waits for prefetches, and as many reads overlap as a core can have under way."""
        waited_for = self.remote if self.waited_for is None else self.waited_for
        return waited_for / READS_UNDER_WAY * self.extra_ns / self.cpu_ns if self.cpu_ns else None

    @property
    def share(self) -> float | None:
        """Of the CPU time, if none overlaps another; None where time says nothing."""
        return self.remote * self.extra_ns / self.cpu_ns if self.cpu_ns else None


def gain(evidence: Evidence) -> Gain | None:
    """None without counters: samples do not say how many accesses there were."""
    remote = evidence.traffic.remote.estimate
    if not evidence.counted or remote is None:
        return None
    demand = evidence.columns.get("demand")
    waited_for = demand.remote.estimate if demand is not None else None
    return Gain(remote, waited_for, evidence.machine.remote_extra_ns, 0 if evidence.run.emulated else evidence.cpu_ns)


def negligible(evidence: Evidence) -> bool:
    """Even a perfect fix could not be measured."""
    found = gain(evidence)
    if found is None:
        return False
    if found.share is not None:
        return found.share < MIN_GAIN
    estimates = [thread.traffic.remote.estimate for thread in evidence.threads]
    known = [estimate for estimate in estimates if estimate is not None]
    rest = (found.remote - sum(known)) / max(1, len(estimates) - len(known))  # of threads that were not counted
    most = max([*known, rest])
    return max(most, found.remote if not evidence.ledger.by_thread else 0) < MIN_REMOTE_READS
