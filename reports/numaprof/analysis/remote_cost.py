# SPDX-License-Identifier: Apache-2.0
"""What the remote reads of a run cost."""

from __future__ import annotations

from dataclasses import dataclass

from numaprof.evidence.counts import Amount
from numaprof.evidence.errors import Error
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.thresholds import (
    MIN_GAIN,
    MIN_REMOTE_READS,
    READS_UNDER_WAY,
)


@dataclass(frozen=True)
class Gain:
    """Remote reads and their cost. extra_ns: of each, beyond a local one."""

    remote: float
    waited_for: float | None  # of these, the ones that an instruction waits for: demand reads; None: not told apart
    extra_ns: float
    cpu_ns: int

    @property
    def least(self) -> float | None:
        """Least share of the CPU time: nothing waits for prefetches, and as many reads overlap as a core supports."""
        waited_for = self.remote if self.waited_for is None else self.waited_for
        return waited_for / READS_UNDER_WAY * self.extra_ns / self.cpu_ns if self.cpu_ns else None

    @property
    def share(self) -> float | None:
        """Share of the CPU time if no read overlaps another; None: the time is emulated or not known."""
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
    """True if even a perfect fix saves less than a measurement can show, at the upper end of the count's interval."""
    found = gain(evidence)
    if found is None:
        return False
    scale = _upper_end(evidence.traffic.remote)
    if found.share is not None:
        return found.share * scale < MIN_GAIN
    estimates = [thread.traffic.remote.estimate for thread in evidence.threads]
    known = [estimate for estimate in estimates if estimate is not None]
    rest = (found.remote - sum(known)) / max(1, len(estimates) - len(known))  # of threads that were not counted
    most = max([*known, rest])
    return max(most, found.remote if not evidence.ledger.by_thread else 0) * scale < MIN_REMOTE_READS


def _upper_end(remote: Amount) -> float:
    """The upper end of the interval, in relation to the estimate.

    The standard error of a sum of which a random share was seen is at most that sum, all of it in one place
    (Horvitz-Thompson); errors beyond that come from too few blocks. So it is where the error is not known.
    """
    if not remote.estimate:
        return 1.0
    most = Error(remote.estimate**2).half_width
    return 1 + (most if remote.error is None else min(remote.error.half_width, most)) / remote.estimate
