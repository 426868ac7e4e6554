# SPDX-License-Identifier: Apache-2.0
"""Too few remote reads for placement to matter, whatever their share: say so, with the number."""

from __future__ import annotations

from numaprof.analysis.remote_cost import asks_little, gain
from numaprof.analysis.remote_meaning import remote_requests
from numaprof.analysis.verdict import Judgement, judge
from numaprof.evidence.evidence import Evidence
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import duration, percent


def rule(evidence: Evidence) -> Advice | None:
    if judge(evidence) is not Judgement.NO_TRAFFIC:
        return None
    found = gain(evidence)
    if found is None or not evidence.traffic.total:
        return None
    cost = duration(found.remote * found.extra_ns)
    of_time = f", {percent(found.share)} of the CPU time" if found.share is not None else ""
    what = "The program asks little of memory" if asks_little(evidence) else "Remote requests cost next to nothing"
    return Advice(
        kind=Kind.LEAVE,
        finding=f"{what}: {remote_requests(evidence, found.remote)} in all.",
        change="Leave the placement alone; look for the lost time elsewhere.",
        evidence=f"at {found.extra_ns:.0f} ns each and none overlapping they cost {cost}{of_time}: "
        "a perfect fix gives back no more.",
    )
