# SPDX-License-Identifier: Apache-2.0
"""How much of what memory answers the slow tier answers: from counters where the CPU has them, else from samples."""

from __future__ import annotations

from numaprof.analysis.remote_share import RemoteShare, share_of_spells
from numaprof.evidence.evidence import Evidence
from numaprof.text.format import number, share_in_interval

SAMPLED = "sampled loads and stores that memory answered"


def slow_share(evidence: Evidence) -> RemoteShare | None:
    """None: the machine has no slow tier, or nothing of it was counted or sampled."""
    found = _counted(evidence) or share_of_spells(evidence.spells.slow)
    return found if found.total else None


def slow_population(evidence: Evidence, found: RemoteShare) -> str:
    """What `slow_share` is a share of."""
    if found.samples is not None:
        return SAMPLED
    return f"{next(c.meaning for c in evidence.ledger.events.columns if c.key == 'demand')} that memory answered"


def _counted(evidence: Evidence) -> RemoteShare | None:
    """None: no event counts the slow tier, or it may count another kind of memory than this machine's tier is."""
    traffic, kind = evidence.ledger.slow, evidence.ledger.events.slow_kind
    kinds = {evidence.machine.memory_of(node) for node in evidence.machine.slow_nodes} - {kind}
    if not traffic.total or traffic.remote.estimate is None or not kinds <= {None, "untold"}:
        return None
    if kinds and not traffic.remote.estimate:
        return None  # nothing told that the tier is of the kind that this event counts
    return RemoteShare(traffic.remote.estimate, traffic.total, None, traffic.interval)


def slow_share_in_words(evidence: Evidence) -> str:
    """The slow tier answered 25 % ± 3 of 1 024 sampled loads ..., or of the demand reads ...; empty: not known."""
    found = slow_share(evidence)
    if found is None:
        return ""
    share = share_in_interval(found.share, found.interval)
    who = "memory without CPUs, of unknown speed," if evidence.machine.speed_unknown else "the slow tier"
    of = "the" if found.samples is None else number(found.samples)
    return f"{who} answered {share} of {of} {slow_population(evidence, found)}"
