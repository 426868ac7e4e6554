# SPDX-License-Identifier: Apache-2.0
"""Much is remote, and no rule fits: where to start looking."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from numaprof.analysis.naming import site_label, thread_in_text
from numaprof.analysis.object_users import main_cause
from numaprof.analysis.remote_share import RemoteShare, remote_share
from numaprof.analysis.verdict import Judgement, judge
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.thresholds import MIN_SAMPLES, NEARLY_ALL, REMOTE_HEAVY
from numaprof.placement.advice import Advice
from numaprof.text.format import either, plural, round_percent

FEW = 2 * MIN_SAMPLES  # there is enough for one object, hardly for two


def unexplained(evidence: Evidence, advices: Sequence[Advice]) -> str | None:
    if advices or judge(evidence) is not Judgement.HEAVY:
        return None
    cause = main_cause(evidence)
    where = f"Most remote reads come from {site_label(cause)}." if cause else _threads(evidence)
    seen = sum(row.samples for row in evidence.samples.used)
    few = f" Only {plural(seen, 'sampled access', 'es')} {either(seen, 'has', 'have')} a known address: run longer."
    return f"No object explains this. {where}{few if 0 < seen < FEW else ''}"


def _threads(evidence: Evidence) -> str:
    """How many are worth a look: of 200, perhaps 20."""
    found = [remote_share(evidence, thread) for thread in evidence.threads]
    if not any(found):
        return "Which threads read remotely is not known."
    heavy = sum(1 for share in found if share and share.share >= REMOTE_HEAVY)
    most = _most_remote([(share, thread) for share, thread in zip(found, evidence.threads) if share])
    if 2 * len(most) <= min(heavy, len(found) - 1):
        which = thread_in_text(most[0]) if len(most) == 1 else f"the {len(most)} threads of {len(found)}"
        return f"Start with {which}, which {either(len(most), 'makes', 'make')} nearly all remote accesses."
    if heavy in (0, len(found)):
        return "All threads read remotely about as much as each other."
    which = f"{plural(heavy, 'thread')} of {len(found)}"
    return f"Start at the {which} with {round_percent(REMOTE_HEAVY)} remote or more."


def _most_remote(shares: Sequence[tuple[RemoteShare, Thread]]) -> list[Thread]:
    """The fewest threads that make nearly all of what is remote."""
    order = sorted(shares, key=lambda row: -row[0].remote)
    sums = list(accumulate((share.remote for share, _ in order), initial=0.0))
    return [thread for (_, thread), before in zip(order, sums) if before < NEARLY_ALL * sums[-1]]
