# SPDX-License-Identifier: Apache-2.0
"""Are all ranks of a job within a limit? One rank above it fails the job; one that is not known leaves it open."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numaprof.evidence.spread import among
from numaprof.model.job_model import Job, JobRank
from numaprof.text.format import clean, number_list, percent, plural
from numaprof.text.messages import EXIT_CANNOT_SAY, EXIT_LIMIT_EXCEEDED

MOST_LISTED = 60  # characters
NOT_MEASURED = ("unknown", "refused", "single_node", "one_node_used")


def check_job(job: Job, max_remote: float, min_coverage: float) -> tuple[int, str]:
    """Exit status of check, and its line."""
    limit = f"limit {percent(max_remote)}"
    above = [rank for rank in job.ranks if _matters(rank) and _surely_above(rank, max_remote, len(job.ranks))]
    if above:
        worst = max(above, key=lambda rank: (rank.remote_share or 0.0, -rank.number))
        most = f"{percent(worst.remote_share)} on rank {worst.number}"
        return EXIT_LIMIT_EXCEEDED, f"exceeded: by {_named(above)} of {job.found}, {most}, {limit}"
    why_not = next(
        (f"{text} of {_named(found)}" for text, found in _unknown(job, max_remote, min_coverage) if found), None
    )
    if job.missing_count:
        why_not = f"{plural(job.missing_count, 'rank')} of {job.size} left no recording"
    if why_not is not None:
        return EXIT_CANNOT_SAY, f"cannot say: {why_not}, {limit}"
    known = [rank.remote_share for rank in job.ranks if rank.remote_share is not None and _matters(rank)]
    most = f"{percent(max(known))} at most" if known else "no traffic that matters"
    return 0, f"ok: {plural(job.found, 'rank')}, {most}, {limit}"


def _surely_above(rank: JobRank, max_remote: float, several: int) -> bool:
    """Also as one of several ranks, of which chance puts some outside of their intervals."""
    if rank.lowest is None or rank.remote_share is None:
        return False
    return rank.remote_share - among(several) * (rank.remote_share - rank.lowest) > max_remote


def _matters(rank: JobRank) -> bool:
    return rank.judgement != "no_traffic"


def _unknown(job: Job, max_remote: float, min_coverage: float) -> list[tuple[str, list[JobRank]]]:
    reasons: tuple[tuple[str, Callable[[JobRank], bool]], ...] = (
        ("the recordings were cut short", lambda rank: not rank.complete),
        ("the remote share is not known", lambda rank: rank.judgement in NOT_MEASURED or rank.remote_share is None),
        ("too little CPU time was counted", lambda rank: rank.coverage is not None and rank.coverage < min_coverage),
        ("requests between nodes of one package are not known", lambda rank: rank.between_packages),
        ("the error is not known", lambda rank: rank.highest is None),
        ("the limit lies within the error", lambda rank: rank.highest is not None and rank.highest > max_remote),
    )
    ranks = [rank for rank in job.ranks if _matters(rank) or not rank.complete]
    return [(text, [rank for rank in ranks if applies(rank)]) for text, applies in reasons]


def _named(ranks: Sequence[JobRank]) -> str:
    listed = clean(number_list([rank.number for rank in ranks]), MOST_LISTED)
    return f"{plural(len(ranks), 'rank')} ({listed})"
