# SPDX-License-Identifier: Apache-2.0
"""Much is remote, and no rule fits: where to look then."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.evidence import Evidence
from numaprof.judgement import Judgement, judge
from numaprof.naming import site_label
from numaprof.rules.advice import Advice
from numaprof.uses import main_cause


def unexplained(evidence: Evidence, advices: Sequence[Advice]) -> str | None:
    if advices or judge(evidence) not in (Judgement.HEAVY, Judgement.MODERATE):
        return None
    cause = main_cause(evidence)
    where = f"Most remote reads come from {site_label(cause)}." if cause else "Start at the remote-heavy threads."
    return f"No rule fits this pattern. {where}"
