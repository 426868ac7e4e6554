# SPDX-License-Identifier: Apache-2.0
"""How much of what memory answers the slow tier answers. From samples: no counter tells it on every CPU."""

from __future__ import annotations

from numaprof.analysis.remote_share import RemoteShare, share_of_spells
from numaprof.evidence.evidence import Evidence
from numaprof.text.format import number, share_in_interval

POPULATION = "sampled loads and stores that memory answered"


def slow_share(evidence: Evidence) -> RemoteShare | None:
    """None: the machine has no slow tier, or no access was sampled."""
    found = share_of_spells(evidence.spells.slow)
    return found if found.total else None


def slow_samples(evidence: Evidence) -> int:
    return sum(spell.samples for spell in evidence.spells.slow)


def slow_share_in_words(evidence: Evidence) -> str:
    """25 % ± 3 of the 1 024 sampled loads and stores ... ; empty: not known."""
    found = slow_share(evidence)
    if found is None:
        return ""
    share = share_in_interval(found.share, found.interval)
    who = "memory without CPUs, of unknown speed," if evidence.machine.speed_unknown else "the slow tier"
    return f"{who} answered {share} of {number(slow_samples(evidence))} {POPULATION}"
