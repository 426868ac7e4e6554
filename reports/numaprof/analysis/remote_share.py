# SPDX-License-Identifier: Apache-2.0
"""How much is remote, on what evidence, and whether a fix could pay. The rules and the verdict both rest on this."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from numaprof.evidence.counts import Traffic
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.spread import clustered_size, effective_size, sampled_interval
from numaprof.recording.sql.sql_accesses import Spell
from numaprof.recording.sql.sql_samples import HINT, LOAD, STORE


@dataclass(frozen=True)
class RemoteShare:
    """Remote part of a population of accesses, and how sure that is."""

    remote: float
    total: float
    samples: int | None  # None: counted, not sampled
    counted_interval: tuple[float, float] | None = None  # of a counted share; None: its error is not known
    effective: float = 0.0  # of sampled ones: equally weighted samples that tell as much
    surely: float | None = None  # of sampled ones, the remote ones if nodes of which it is not told share controllers

    @property
    def share(self) -> float:
        return self.remote / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the true share, over both readings where there are two. None: not known."""
        if self.samples is None:
            return self.counted_interval
        return sampled_interval(self.least, self.effective)[0], sampled_interval(self.share, self.effective)[1]

    @property
    def least(self) -> float:
        """The share in the other reading."""
        return self.surely / self.total if self.total and self.surely is not None else self.share


COUNTERS, LOADS, HINTS = "counters", "loads", "hint faults"
_SAMPLED = {LOADS: (LOAD, STORE), HINTS: (HINT,)}


def basis(evidence: Evidence) -> str | None:
    """The best available evidence for a remote share."""
    if evidence.counted:
        return COUNTERS
    return next((name for name in (LOADS, HINTS) if sampled_share(evidence, name).samples), None)


def sampled_share(evidence: Evidence, name: str, thread: Thread | None = None) -> RemoteShare:
    """Remote share of the accesses with addresses whose page has a known node."""
    everything = evidence.spells.remote if thread is None else evidence.spells.remote_of.get(thread.row.id, ())
    return share_of_spells([spell for spell in everything if spell.kind in _SAMPLED[name]])


def share_of_spells(spells: Sequence[Spell]) -> RemoteShare:
    total = sum(spell.total for spell in spells)
    independent = effective_size(total, sum(spell.squares for spell in spells))
    remote: dict[tuple[Hashable, int], float] = defaultdict(float)
    both: dict[tuple[Hashable, int], float] = defaultdict(float)
    for spell in spells:
        remote[spell.thread, spell.part] += spell.having
        both[spell.thread, spell.part] += spell.total
    return RemoteShare(
        sum(spell.having for spell in spells),
        total,
        sum(spell.samples for spell in spells),
        effective=clustered_size(remote, both, independent),
        surely=sum(spell.surely for spell in spells),
    )


def counted_share(traffic: Traffic) -> RemoteShare | None:
    """None: not counted."""
    total, remote = traffic.total, traffic.remote.estimate
    return None if total is None or remote is None else RemoteShare(remote, total, None, traffic.interval)


def sampled_together(evidence: Evidence, threads: Iterable[Thread]) -> RemoteShare | None:
    """Of several threads, where counters do not tell. None: no access of theirs was seen."""
    name, of = basis(evidence), evidence.spells.remote_of
    if name not in _SAMPLED:
        return None
    mine = [spell for thread in threads for spell in of.get(thread.row.id, ()) if spell.kind in _SAMPLED[name]]
    return share_of_spells(mine) if mine else None


def remote_share(evidence: Evidence, thread: Thread | None = None) -> RemoteShare | None:
    """Remote share of one thread or of all; None: not known, or no access was seen."""
    name = basis(evidence)
    if name == COUNTERS:
        counted = counted_share(evidence.traffic if thread is None else thread.traffic)
        return counted if counted and counted.total else None
    found = sampled_share(evidence, name, thread) if name else None
    return found if found and found.samples else None
