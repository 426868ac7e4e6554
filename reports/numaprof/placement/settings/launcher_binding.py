# SPDX-License-Identifier: Apache-2.0
"""The launcher bound the rank to too few CPUs, or to CPUs and memory of different nodes."""

from __future__ import annotations

from numaprof.analysis.binding import binding
from numaprof.evidence.evidence import Evidence
from numaprof.placement.advice import Advice, Kind


def rule(evidence: Evidence) -> Advice | None:
    found = binding(evidence)
    if found.fault is None or evidence.rank is None:
        return None
    return Advice(
        kind=Kind.SETTING,
        finding=f"{found.fault[0].upper()}{found.fault[1:]}.",
        change="Bind the ranks differently, with the launcher's own option" + (":" if found.fixes else "."),
        code=found.fixes,
        evidence=f"the affinity mask and the memory that {evidence.rank.launcher} gave rank {evidence.rank.number}, "
        "beside the threads it ran and the nodes of its pages.",
    )
