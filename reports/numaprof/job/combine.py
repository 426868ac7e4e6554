# SPDX-License-Identifier: Apache-2.0
"""From the ranks of a job to one document: a pure function of the set of their summaries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

from numaprof.analysis.remote_meaning import NEAR_IS_LOCAL
from numaprof.analysis.remote_share import COUNTERS
from numaprof.evidence.thresholds import MIN_OBJECT_BYTES, MIN_OBJECT_SHARE
from numaprof.job.crowded import with_crowded_bindings
from numaprof.job.hosts import binding_in_words, common_pattern, host_name, hosts, rank_list
from numaprof.job.select import Selected, began_and_ended
from numaprof.job.shares import (
    Population,
    main_population,
    of_population,
    outliers,
    spread,
    together,
    without_error,
)
from numaprof.job.verdict import WORST_FIRST, verdict
from numaprof.model import job_model as model
from numaprof.model.rank_model import RankAdvice, RankObject, RankSummary
from numaprof.text.format import clean, duration, plural

MOST_ADVICES, MOST_OBJECTS = 8, 12
MOST_MISSING = 200  # characters of their list


def combine(selected: Selected, source: Sequence[str]) -> model.Job:
    ranks = with_crowded_bindings(selected.ranks)
    population = main_population(ranks)
    apart = outliers(of_population(ranks, population))
    numbers, missing = {rank.number for rank in apart}, _missing(selected)
    return model.Job(
        format="numaprof.job",
        version=model.VERSION,
        source=tuple(source),
        launcher=ranks[0].launcher,
        job=ranks[0].job,
        command_line=_most([rank.command_line for rank in ranks]),
        size=selected.size,
        found=len(ranks),
        missing=missing,
        missing_count=None if selected.size is None else selected.size - len(ranks),
        left_out=selected.left_out,
        remarks=tuple(_remarks(selected, population, missing)),
        verdict=verdict(ranks, population, apart),
        judged=tuple(_judged(ranks, population)),
        hosts=hosts(ranks, population),
        spread=spread(of_population(ranks, population)),
        pattern=common_pattern(apart, ranks),
        without_comparison=without_error(of_population(ranks, population)),
        advice=_advice(ranks),
        objects=_objects(ranks, population),
        ranks=tuple(_rank(rank, rank.number in numbers) for rank in ranks),
    )


def _most(values: Sequence[str]) -> str:
    counts = Counter(values)
    return max(counts, key=lambda value: (counts[value], value))


def _missing(selected: Selected) -> str:
    """Numbers without a recording, as a list; from the gaps, because a damaged size may be huge."""
    gaps, expected = [], 0
    for number in [*(rank.number or 0 for rank in selected.ranks), selected.size or 0]:
        if number > expected:
            gaps.append(str(expected) if number == expected + 1 else f"{expected}-{number - 1}")
        expected = max(expected, number + 1)
    return ",".join(gaps) if selected.size is not None else ""


def _remarks(selected: Selected, population: Population | None, missing: str) -> Iterator[str]:
    """What a reader must know before any number."""
    ranks = selected.ranks
    if selected.size is not None and missing:
        gone = plural(selected.size - len(ranks), "rank")
        yield f"{gone} of {selected.size} left no recording that can be read: {clean(missing, MOST_MISSING)}."
    if selected.size is None:
        yield "The launcher did not tell how many ranks the job has: missing ones would not be noticed."
    for left in selected.left_out:
        more = ", ..." if left.count > len(left.files) else ""
        yield f"Left out, {plural(left.count, 'recording')} ({', '.join(left.files)}{more}): {left.why}."
    cut = [rank for rank in ranks if not rank.complete]
    if cut:
        why = "the recorder was killed, could not write, or is still at work"
        yield f"{plural(len(cut), 'recording')} cut short, {why}: {rank_list(cut)}."
    alone = [rank for rank in ranks if "not_followed" in rank.losses]
    if alone:
        yield f"{plural(len(alone), 'rank')} with programs that were not pinned or followed: {rank_list(alone)}."
    failed = [rank for rank in ranks if rank.exit_status or rank.term_signal]
    if failed:
        yield f"{plural(len(failed), 'rank')} failed or died by a signal: {rank_list(failed)}."
    summed = {rank.number for rank in of_population(ranks, population)}
    others = [rank for rank in ranks if rank.share.share is not None and rank.number not in summed]
    if others:
        yield f"In no sum, {plural(len(others), 'rank')} that counted something else: {rank_list(others)}."
    yield from _meanings(ranks)
    emulated = [rank for rank in ranks if rank.host.emulated is not None]
    if emulated:
        yield f"{plural(len(emulated), 'rank')} ran on an emulated machine: shares hold, times mean nothing."
    programs = {rank.command_line for rank in ranks}
    if len(programs) > 1:
        yield f"The ranks run {len(programs)} different commands."
    versions = sorted({rank.tool_version for rank in ranks})
    if len(versions) > 1:
        yield f"Recorded by numaprof {', '.join(versions)}."
    yield from _clocks(ranks)


def _meanings(ranks: Sequence[RankSummary]) -> Iterator[str]:
    """What remote means where it is not memory of another node."""
    near = [rank for rank in ranks if rank.share.between_packages]
    if near:
        which = f"{plural(len(near), 'rank')}, where remote is another package: {rank_list(near)}. "
        yield f"{which if len(near) < len(ranks) else ''}{NEAR_IS_LOCAL}"
    in_doubt = [
        rank
        for rank in ranks
        if "clusters" in rank.losses and rank.share.basis == COUNTERS and not rank.share.between_packages
    ]
    if in_doubt:
        where = plural(len(in_doubt), "rank")
        yield f"What remote means is in doubt on {where}, whose own reports say why: {rank_list(in_doubt)}."


def _clocks(ranks: Sequence[RankSummary]) -> Iterator[str]:
    times = [found for rank in ranks if (found := began_and_ended(rank)) is not None]
    if not times:
        return
    gap = max(began for began, _ in times) - min(ended for _, ended in times)
    if gap.total_seconds() <= 0:
        return
    began = f"ome ranks began {duration(gap.total_seconds() * 1e9)} after others had ended"
    if len({host_name(rank) for rank in ranks}) > 1:
        yield f"By their clocks s{began}: clocks of hosts differ, or the ranks did not run together."
    else:
        yield f"S{began}: the ranks did not run together."


def _judged(ranks: Sequence[RankSummary], population: Population | None) -> Iterator[model.Judged]:
    groups: dict[str, list[RankSummary]] = defaultdict(list)
    for rank in ranks:
        groups[rank.share.judgement].append(rank)
    known = [word for word in WORST_FIRST if word in groups]
    for word in (*known, *sorted(groups.keys() - set(known))):
        group = groups[word]
        yield model.Judged(word, len(group), rank_list(group), together(of_population(group, population)).share)


def _rank(rank: RankSummary, is_apart: bool) -> model.JobRank:
    return model.JobRank(
        number=-1 if rank.number is None else rank.number,
        host=host_name(rank),
        binding=binding_in_words(rank.binding),
        judgement=rank.share.judgement,
        between_packages=rank.share.between_packages,
        population=rank.share.population,
        remote_share=rank.share.share,
        lowest=rank.share.lowest,
        highest=rank.share.highest,
        coverage=rank.share.coverage,
        wall_ns=rank.wall_ns,
        exit_status=rank.exit_status,
        term_signal=rank.term_signal,
        complete=rank.complete,
        outlier=is_apart,
        recording=rank.recording,
    )


def _advice(ranks: Sequence[RankSummary]) -> tuple[model.JobAdvice, ...]:
    """One for each kind and source line; without a line, for each change. Fixes first, then by remote accesses."""
    groups: dict[tuple[str, str], list[tuple[RankSummary, RankAdvice]]] = defaultdict(list)
    for rank in ranks:
        seen = set()
        for advice in rank.advice:
            key = (advice.kind, advice.place if advice.place is not None else advice.change)
            if key not in seen:
                seen.add(key)
                groups[key].append((rank, advice))
    rows = [(_weight(group), _grouped(group)) for group in groups.values()]
    order = {"fix": 0, "setting": 1, "leave": 2}
    rows.sort(key=lambda row: (order[row[1].kind], -row[0], -row[1].count, row[1].place or "", row[1].change))
    if any(row.kind != "leave" for _, row in rows):
        rows = [(weight, row) for weight, row in rows if row.kind != "leave"]
    return tuple(row for _, row in rows[:MOST_ADVICES])


def _weight(group: Sequence[tuple[RankSummary, RankAdvice]]) -> float:
    return sum((rank.share.remote or 0.0) * (advice.removes or 0.0) for rank, advice in group)


def _grouped(group: Sequence[tuple[RankSummary, RankAdvice]]) -> model.JobAdvice:
    rank, advice = max(group, key=lambda pair: (pair[0].share.remote or 0.0, -(pair[0].number or 0)))
    removes = [found.removes for _, found in group if found.removes is not None]
    return model.JobAdvice(
        kind=advice.kind,
        place=advice.place,
        finding=advice.finding,
        change=advice.change,
        code=advice.code,
        count=len(group),
        ranks=rank_list([rank for rank, _ in group]),
        representative=-1 if rank.number is None else rank.number,
        recording=rank.recording,
        removes_least=min(removes, default=None),
        removes_most=max(removes, default=None),
    )


def _objects(ranks: Sequence[RankSummary], population: Population | None) -> tuple[model.JobObject, ...]:
    groups: dict[tuple[str, str, str | None], list[tuple[RankSummary, RankObject]]] = defaultdict(list)
    for rank in ranks:
        for found in rank.objects:
            groups[found.name, found.kind, found.site].append((rank, found))
    remote = sum(rank.share.remote or 0.0 for rank in of_population(ranks, population))
    rows = [_object(group, population, remote) for group in groups.values()]
    rows = [row for row in rows if row.kind != "stack" and _is_worth_a_row(row)]
    rows.sort(key=lambda row: (-(row.of_all_remote or 0.0), -row.bytes, row.name, row.kind, row.site or ""))
    return tuple(rows[:MOST_OBJECTS])


def _is_worth_a_row(row: model.JobObject) -> bool:
    """Large on some rank, or much of what is remote."""
    return row.bytes_most >= MIN_OBJECT_BYTES or (row.of_all_remote or 0.0) >= MIN_OBJECT_SHARE


def _object(
    group: Sequence[tuple[RankSummary, RankObject]], population: Population | None, remote: float
) -> model.JobObject:
    first, ranks = group[0][1], [rank for rank, _ in group]
    shares = [found.remote_share for _, found in group if found.remote_share is not None]
    summed = {rank.number for rank in of_population(ranks, population)}
    parts = [
        found.of_all_remote * (rank.share.remote or 0.0)
        for rank, found in group
        if found.of_all_remote is not None and rank.number in summed
    ]
    # Ranks on which its part is not known are no part of the whole either.
    remote -= sum(
        rank.share.remote or 0.0 for rank, found in group if found.of_all_remote is None and rank.number in summed
    )
    return model.JobObject(
        name=first.name,
        kind=first.kind,
        site=first.site,
        count=len({rank.number for rank in ranks}),
        ranks=rank_list(ranks),
        bytes=sum(found.bytes for _, found in group),
        bytes_most=max(found.bytes for _, found in group),
        remote_least=min(shares, default=None),
        remote_median=median(shares) if shares else None,
        remote_most=max(shares, default=None),
        of_all_remote=sum(parts) / remote if parts and remote else None,
    )
