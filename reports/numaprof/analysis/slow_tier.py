# SPDX-License-Identifier: Apache-2.0
"""How much of what memory answers the slow tier answers. From samples: no counter tells it on every CPU."""

from __future__ import annotations

from numaprof.analysis.remote_share import RemoteShare
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.spread import effective_size
from numaprof.recording.codes import Source
from numaprof.text.format import number, share_in_interval

POPULATION = "sampled loads and stores that memory answered"
_MEMORY = (Source.LOCAL_DRAM, Source.REMOTE_DRAM, Source.SLOW_TIER)


def slow_share(evidence: Evidence) -> RemoteShare | None:
    """None: the machine has no slow tier, or no access was sampled."""
    answers = [answer for answer in evidence.objects.answers if answer.source in _MEMORY]
    total = sum(answer.weight for answer in answers)
    if not evidence.machine.slow_nodes or not total:
        return None
    slow = sum(answer.weight for answer in answers if answer.source == Source.SLOW_TIER)
    effective = effective_size(total, sum(answer.squares for answer in answers))
    return RemoteShare(slow, total, slow_samples(evidence), effective=effective)


def slow_samples(evidence: Evidence) -> int:
    return sum(answer.samples for answer in evidence.objects.answers if answer.source in _MEMORY)


def slow_share_in_words(evidence: Evidence) -> str:
    """25 % ± 3 of the 1 024 sampled loads and stores ... ; empty: not known."""
    found = slow_share(evidence)
    if found is None:
        return ""
    share = share_in_interval(found.share, found.interval)
    return f"the slow tier answered {share} of {number(slow_samples(evidence))} {POPULATION}"
