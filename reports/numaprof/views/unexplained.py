# SPDX-License-Identifier: Apache-2.0
"""Much is remote, and no rule fits: where to look then."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.evidence import Evidence
from numaprof.judgement import Judgement, judge
from numaprof.naming import site_label
from numaprof.rules.advice import Advice
from numaprof.text import plural
from numaprof.thresholds import MIN_SAMPLES
from numaprof.uses import main_cause

FEW = 2 * MIN_SAMPLES  # there is enough for one object, hardly for two


def unexplained(evidence: Evidence, advices: Sequence[Advice]) -> str | None:
    if advices or judge(evidence) not in (Judgement.HEAVY, Judgement.MODERATE):
        return None
    cause = main_cause(evidence)
    where = f"Most remote reads come from {site_label(cause)}." if cause else "Start at the remote-heavy threads."
    seen = sum(row.samples for row in evidence.samples.used)
    few = f" Of only {plural(seen, 'access', 'es')} the address is known: a longer run may tell more."
    return f"No rule fits this pattern. {where}{few if 0 < seen < FEW else ''}"
