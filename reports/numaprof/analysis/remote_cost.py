# SPDX-License-Identifier: Apache-2.0
"""What the remote reads of a run cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numaprof.evidence.counts import Amount, Traffic, together
from numaprof.evidence.errors import Error
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.thresholds import (
    MIN_GAIN,
    MIN_REMOTE_READS,
    MOST_UNCOUNTED,
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
    """True if even a perfect fix saves less than a measurement can show, at the upper end of the count's interval,
    with all that was not counted remote."""
    return _saves_nothing(evidence, lambda traffic: traffic.remote)


def asks_little(evidence: Evidence) -> bool:
    """True if that holds were every request, of all kinds, remote: so few tell no share, and none of them matters."""
    everything = evidence.population is not None and evidence.population.misses is None
    return everything and _saves_nothing(evidence, lambda traffic: together([traffic.local, traffic.remote]))


def _saves_nothing(evidence: Evidence, part: Callable[[Traffic], Amount]) -> bool:
    found, uncounted, whole = gain(evidence), evidence.uncounted, part(evidence.traffic)
    known_in_part = evidence.population is not None and evidence.population.partial
    if found is None or whole.estimate is None or uncounted.part > MOST_UNCOUNTED or known_in_part:
        return False
    scale = _upper_end(whole)
    if found.cpu_ns and (whole.estimate * scale + uncounted.requests) * found.extra_ns / found.cpu_ns >= MIN_GAIN:
        return False
    estimates = [part(thread.traffic).estimate for thread in evidence.threads]
    known = [estimate for estimate in estimates if estimate is not None]
    rest = (whole.estimate - sum(known)) / max(1, len(estimates) - len(known))  # of threads that were not counted
    most = max([*known, rest])
    missed = max((thread.traffic.uncounted.requests for thread in evidence.threads), default=0.0)
    of_one = max(most, whole.estimate if not evidence.ledger.by_thread else 0) * scale + missed
    if not found.cpu_ns:
        return of_one < MIN_REMOTE_READS
    # Others may only spin until one thread has waited for its memory.
    return not evidence.ledger.by_thread or of_one * found.extra_ns < MIN_GAIN * (evidence.run.wall_ns or found.cpu_ns)


def _upper_end(amount: Amount) -> float:
    """The upper end of the interval, in relation to the estimate.

    The standard error of a sum of which a random share was seen is at most that sum, all of it in one place
    (Horvitz-Thompson); errors beyond that come from too few blocks. So it is where the error is not known.
    """
    if not amount.estimate:
        return 1.0
    most = Error(amount.estimate**2).half_width
    return 1 + (most if amount.error is None else min(amount.error.half_width, most)) / amount.estimate
