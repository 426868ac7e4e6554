# SPDX-License-Identifier: Apache-2.0
"""How much is remote, on what evidence, and whether a fix could pay. The rules and the verdict both rest on this."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from numaprof.evidence.evidence import Evidence, Thread
from numaprof.recording.sql.sql_samples import HINT, LOAD, STORE


@dataclass(frozen=True)
class RemoteShare:
    """Remote part of a population of accesses, and how sure that is."""

    remote: float
    total: float
    samples: int | None  # None: counted, not sampled
    counted_interval: tuple[float, float] | None = None  # of a counted share; None: its error is not known

    @property
    def share(self) -> float:
        return self.remote / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the true share. None: not known."""
        return self.counted_interval if self.samples is None else sampled_interval(self.share, self.samples)


def sampled_interval(share: float, samples: int) -> tuple[float, float]:
    """95 % interval of the true share: Wilson's interval."""
    if samples == 0:
        return share, share
    z, n, p = 1.96, samples, min(1.0, share)
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


COUNTERS, LOADS, HINTS = "counters", "loads", "hint faults"
_SAMPLED = {LOADS: (LOAD, STORE), HINTS: (HINT,)}


def basis(evidence: Evidence) -> str | None:
    """The best available evidence for a remote share."""
    if evidence.counted:
        return COUNTERS
    return next((name for name in (LOADS, HINTS) if sampled_share(evidence, name).samples), None)


def sampled_share(evidence: Evidence, name: str, thread: Thread | None = None) -> RemoteShare:
    """Remote share of the accesses with addresses whose page has a known node."""
    tallies = evidence.samples.tallies
    if thread is None:
        mine = [tally for (kind, _), tally in tallies.items() if kind in _SAMPLED[name]]
    else:
        mine = [tallies[kind, thread.row.id] for kind in _SAMPLED[name] if (kind, thread.row.id) in tallies]
    return RemoteShare(
        sum(tally.remote for tally in mine), sum(tally.total for tally in mine), sum(tally.samples for tally in mine)
    )


def remote_share(evidence: Evidence, thread: Thread | None = None) -> RemoteShare | None:
    """Remote share of one thread or of all; None: not known, or no access was seen."""
    name = basis(evidence)
    if name == COUNTERS:
        traffic = evidence.traffic if thread is None else thread.traffic
        total, remote = traffic.total, traffic.remote.estimate
        return RemoteShare(remote, total, None, traffic.interval) if total and remote is not None else None
    found = sampled_share(evidence, name, thread) if name else None
    return found if found and found.samples else None
