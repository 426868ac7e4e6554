# SPDX-License-Identifier: Apache-2.0
"""How much is remote, on what evidence, and whether a cure could pay. The rules and the verdict both rest on this."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import sqrt

from numaprof.evidence import Evidence, Thread
from numaprof.queries import HINT, LOAD, STORE
from numaprof.thresholds import MIN_GAIN, MIN_REMOTE_READS, MIN_SAMPLES, READS_UNDER_WAY, REMOTE_HEAVY, REMOTE_LIGHT


class Judgement(Enum):
    SINGLE_NODE = "nothing can be remote on this machine"
    UNKNOWN = "nothing tells local from remote"
    REFUSED = "seen for too short a time to say"
    NO_TRAFFIC = "too little memory traffic for placement to matter"
    ONE_NODE_USED = "all threads on one node: proves nothing"
    LIGHT = "leave it alone"
    MODERATE = "little to gain"
    HEAVY = "worth fixing"

    @property
    def curable(self) -> bool:
        """Advice on placement makes sense: it is needed, or nobody knows."""
        return self in (
            Judgement.MODERATE,
            Judgement.HEAVY,
            Judgement.UNKNOWN,
            Judgement.SINGLE_NODE,
            Judgement.REFUSED,
        )


@dataclass(frozen=True)
class RemoteShare:
    """Remote part of a population of accesses, and how sure that is."""

    remote: float
    total: float
    samples: int | None  # None: counted, not sampled

    @property
    def share(self) -> float:
        return self.remote / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Between what and what the true share lies, with 95 %: Wilson's interval of a sampled share."""
        if self.samples is None or self.samples == 0:
            return self.share, self.share
        z, n, p = 1.96, self.samples, min(1.0, self.share)
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, middle - half), min(1.0, middle + half)


COUNTERS, LOADS, HINTS = "counters", "loads", "hint faults"
_SAMPLED = {LOADS: (LOAD, STORE), HINTS: (HINT,)}


def basis(evidence: Evidence) -> str | None:
    """The best evidence there is for a remote share."""
    if evidence.counted:
        return COUNTERS
    return next((name for name in (LOADS, HINTS) if sampled_share(evidence, name).samples), None)


def sampled_share(evidence: Evidence, name: str, thread: Thread | None = None) -> RemoteShare:
    """Of accesses with addresses, whose page's home is known."""
    tallies = evidence.samples.tallies
    if thread is None:
        mine = [tally for (kind, _), tally in tallies.items() if kind in _SAMPLED[name]]
    else:
        mine = [tallies[kind, thread.row.id] for kind in _SAMPLED[name] if (kind, thread.row.id) in tallies]
    return RemoteShare(
        sum(tally.remote for tally in mine), sum(tally.total for tally in mine), sum(tally.samples for tally in mine)
    )


def remote_share(evidence: Evidence, thread: Thread | None = None) -> RemoteShare | None:
    """Of one thread or of all; None where it is not known or nothing was seen."""
    name = basis(evidence)
    if name == COUNTERS:
        traffic = evidence.traffic if thread is None else thread.traffic
        total, remote = traffic.total, traffic.remote.estimate
        return RemoteShare(remote, total, None) if total and remote is not None else None
    found = sampled_share(evidence, name, thread) if name else None
    return found if found and found.samples else None


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
    """Even a perfect cure could not be measured."""
    found = gain(evidence)
    if found is None:
        return False
    if found.share is not None:
        return found.share < MIN_GAIN
    most = max((thread.traffic.remote.estimate or 0 for thread in evidence.threads), default=found.remote)
    return max(most, found.remote if not evidence.ledger.by_thread else 0) < MIN_REMOTE_READS


def judge(evidence: Evidence) -> Judgement:
    if evidence.machine.single:
        return Judgement.SINGLE_NODE
    name = basis(evidence)
    if name is None:
        return Judgement.UNKNOWN
    if name == COUNTERS and evidence.traffic.total is None:
        return Judgement.REFUSED
    found = remote_share(evidence)
    if found is None:
        return Judgement.NO_TRAFFIC
    if found.samples is not None and found.samples < MIN_SAMPLES:
        return Judgement.REFUSED
    return _by_share(evidence, found.share)


def _by_share(evidence: Evidence, share: float) -> Judgement:
    if share < REMOTE_LIGHT:
        return Judgement.ONE_NODE_USED if one_node_used(evidence) else Judgement.LIGHT
    if negligible(evidence):
        return Judgement.NO_TRAFFIC
    return Judgement.HEAVY if share >= REMOTE_HEAVY else Judgement.MODERATE


def one_node_used(evidence: Evidence) -> bool:
    """All that work sit on one node of several, so that a small remote share says nothing of the program."""
    return len(evidence.workers) > 1 and len(evidence.worker_nodes) == 1 and len(evidence.machine.all_cpu_nodes) > 1
