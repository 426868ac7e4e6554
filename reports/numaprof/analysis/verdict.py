# SPDX-License-Identifier: Apache-2.0
"""Whether placement is a problem in this run."""

from __future__ import annotations

from enum import Enum

from numaprof.analysis.binding import LAUNCHER, binding
from numaprof.analysis.remote_cost import asks_little, negligible
from numaprof.analysis.remote_meaning import between_packages
from numaprof.analysis.remote_share import COUNTERS, basis, remote_share
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.thresholds import (
    MARKED_PART,
    MIN_SAMPLES,
    MOST_UNCOUNTED,
    REMOTE_HEAVY,
    REMOTE_LIGHT,
)


class Judgement(Enum):
    BINDING = "the launcher's binding is at fault"
    SINGLE_NODE = "nothing can be remote on this machine"
    UNKNOWN = "nothing tells local from remote"
    REFUSED = "seen for too short a time to say"
    NO_TRAFFIC = "too little memory traffic for placement to matter"
    ONE_NODE_USED = "all threads on one node: proves nothing"
    LIGHT_BETWEEN_PACKAGES = "little is remote; between the nodes of a package: not known, it may be much"
    LIGHT = "leave it alone"
    MODERATE = "little to gain"
    HEAVY = "worth fixing"

    @property
    def by_share(self) -> bool:
        """True if it follows from the remote share."""
        return self.light or self in (Judgement.MODERATE, Judgement.HEAVY)

    @property
    def light(self) -> bool:
        return self in (Judgement.LIGHT, Judgement.LIGHT_BETWEEN_PACKAGES)

    @property
    def fixable(self) -> bool:
        """True if advice on placement is needed, or may be."""
        return self in (
            Judgement.MODERATE,
            Judgement.HEAVY,
            Judgement.UNKNOWN,
            Judgement.REFUSED,
        )


def judge(evidence: Evidence) -> Judgement:
    return evidence.once(_judge)


def _judge(evidence: Evidence) -> Judgement:
    return Judgement.BINDING if binding(evidence).fault is not None else _by_memory(evidence)


def _by_memory(evidence: Evidence) -> Judgement:
    if evidence.machine.single:
        return Judgement.SINGLE_NODE
    name = basis(evidence)
    if name is None:
        return Judgement.UNKNOWN
    if name == COUNTERS and evidence.traffic.total is None:
        return Judgement.REFUSED
    found = remote_share(evidence)
    if found is None:
        return Judgement.REFUSED if evidence.uncounted.part > MOST_UNCOUNTED else Judgement.NO_TRAFFIC
    if found.samples is not None and found.samples < MIN_SAMPLES:
        return Judgement.REFUSED
    return _by_share(evidence, found.share)


def _by_share(evidence: Evidence, share: float) -> Judgement:
    if asks_little(evidence):
        return Judgement.NO_TRAFFIC
    if share < REMOTE_LIGHT:
        counted = basis(evidence) == COUNTERS
        if counted and evidence.uncounted.part > MOST_UNCOUNTED and evidence.traffic.interval is None:
            return Judgement.REFUSED
        if one_node_used(evidence):
            return Judgement.ONE_NODE_USED
        return Judgement.LIGHT_BETWEEN_PACKAGES if between_packages(evidence) else Judgement.LIGHT
    if negligible(evidence):  # what goes between the nodes of a package, which may be much, is not known
        return Judgement.MODERATE if between_packages(evidence) else Judgement.NO_TRAFFIC
    return Judgement.HEAVY if share >= REMOTE_HEAVY else Judgement.MODERATE


def one_node_used(evidence: Evidence) -> bool:
    """True if all workers ran on one of several nodes: a small remote share then says nothing about the program.

    A rank that its launcher binds to a node runs there whether or not it is recorded.
    """
    if binding(evidence).by == LAUNCHER:
        return False
    return len(evidence.workers) > 1 and len(evidence.worker_nodes) == 1 and len(evidence.machine.all_cpu_nodes) > 1


def is_remote_heavy(evidence: Evidence, share: float | None, remote: float | None, parts: int) -> bool:
    """True if one of this many threads, CPUs or nodes is to be marked, by its remote share and its remote requests."""
    whole = remote_share(evidence)
    if share is None or share < REMOTE_HEAVY or whole is None or judge(evidence) is Judgement.NO_TRAFFIC:
        return False
    return (remote or 0.0) >= MARKED_PART * whole.remote / max(1, parts)
