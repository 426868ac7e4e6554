# SPDX-License-Identifier: Apache-2.0
"""Two jobs side by side. One run each: how much runs differ by chance is not known, so small changes are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from numaprof.evidence.spread import Spread, least_difference
from numaprof.evidence.thresholds import RUN_VARIATION, SHARE_CHANGE
from numaprof.model import job_diff_model as model
from numaprof.model.job_model import Job, JobAdvice, JobHost, JobRank
from numaprof.text.format import percent, plural

Key = tuple[str, str]


def compare_jobs(before: Job, after: Job) -> model.JobComparison:
    change, error = _change(before, after)
    ranks = list(_pairs(before, after))
    changed = [
        model.RankChange(old.number, old.remote_share or 0.0, new.remote_share or 0.0)
        for old, new in ranks
        if _differ(old, new, len(ranks))
    ]
    better = tuple(each for each in changed if each.after < each.before)
    worse = tuple(each for each in changed if each.after > each.before)
    return model.JobComparison(
        format="numaprof.job-diff",
        version=model.VERSION,
        headline=_headline(before, after, change, error),
        before=_side(before),
        after=_side(after),
        change=change,
        error=error,
        differs=tuple(_differs(before, after)),
        compared=len(ranks),
        better=better,
        worse=worse,
        advice=tuple(_advice(before, after)),
    )


def _side(job: Job) -> model.JobSide:
    emulated = any("emulated" in text for text in job.remarks)
    times = [rank.wall_ns for rank in job.ranks if rank.wall_ns is not None]
    return model.JobSide(
        source=job.source,
        command_line=job.command_line,
        found=job.found,
        size=job.size,
        remote_share=job.verdict.remote_share,
        lowest=job.verdict.lowest,
        highest=job.verdict.highest,
        population=job.verdict.population,
        wall_ns=max(times, default=None) if not emulated else None,
        judged=tuple(f"{each.judgement.replace('_', ' ')}: {plural(each.count, 'rank')}" for each in job.judged),
        remarks=job.remarks,
    )


def _change(before: Job, after: Job) -> tuple[float | None, float | None]:
    old, new = before.verdict, after.verdict
    if old.remote_share is None or new.remote_share is None or old.population != new.population:
        return None, None
    change = new.remote_share - old.remote_share
    if old.lowest is None or old.highest is None or new.lowest is None or new.highest is None:
        return change, None
    shares = (
        Spread((old.remote_share,), (old.lowest, old.highest)),
        Spread((new.remote_share,), (new.lowest, new.highest)),
    )
    return change, least_difference(*shares, RUN_VARIATION)


def _headline(before: Job, after: Job, change: float | None, error: float | None) -> str:
    shares = f"{percent(before.verdict.remote_share)} before, {percent(after.verdict.remote_share)} after"
    if change is None:
        return f"The remote shares cannot be compared: {shares}."
    if error is None:
        return f"Whether the remote share changed is not known, because its error is not: {shares}."
    if abs(change) < error:
        return f"No change of the remote share that one run each could prove: {shares}."
    return f"The remote share {'fell' if change < 0 else 'rose'}: {shares}."


def _pairs(before: Job, after: Job) -> Iterator[tuple[JobRank, JobRank]]:
    new = {rank.number: rank for rank in after.ranks if rank.lowest is not None}
    for rank in before.ranks:
        other = new.get(rank.number)
        if other is not None and rank.lowest is not None and rank.population == other.population:
            yield rank, other


def _differ(old: JobRank, new: JobRank, several: int) -> bool:
    """By more than chance makes one of all ranks differ."""
    sides = [_spread(rank) for rank in (old, new)]
    least = least_difference(sides[0], sides[1], RUN_VARIATION, several)
    return least is not None and abs(sides[1].mean - sides[0].mean) >= max(SHARE_CHANGE, least)


def _spread(rank: JobRank) -> Spread:
    known = rank.lowest is not None and rank.highest is not None
    return Spread((rank.remote_share or 0.0,), (rank.lowest or 0.0, rank.highest or 0.0) if known else (), known)


def _differs(before: Job, after: Job) -> Iterator[str]:
    pairs = (
        ("ranks", str(before.found), str(after.found)),
        ("hosts", str(len(before.hosts)), str(len(after.hosts))),
        ("command", before.command_line, after.command_line),
        ("launcher", str(before.launcher), str(after.launcher)),
        ("counted", str(before.verdict.population), str(after.verdict.population)),
        ("topology", *(_all(job, lambda host: host.topology) for job in (before, after))),
        ("CPU", *(_all(job, lambda host: host.cpu_name or "n/a") for job in (before, after))),
        ("binding", *(_all(job, lambda host: host.bindings) for job in (before, after))),
    )
    for what, old, new in pairs:
        if old != new:
            yield f"{what}: {old} before, {new} after"


def _all(job: Job, read: Callable[[JobHost], str]) -> str:
    return "; ".join(sorted(set(map(read, job.hosts))))


def _advice(before: Job, after: Job) -> Iterator[model.AdviceChange]:
    """Lines that moved count as others: a fix that adds lines above them moves them."""
    old, new = ({_key(each): each for each in job.advice} for job in (before, after))
    for key in dict.fromkeys((*old, *new)):
        one = old.get(key) or new[key]
        counts = (side[key].count if key in side else 0 for side in (old, new))
        yield model.AdviceChange(one.kind, one.place, one.change, *counts)


def _key(advice: JobAdvice) -> Key:
    return advice.kind, advice.place if advice.place is not None else advice.change
