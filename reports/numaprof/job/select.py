# SPDX-License-Identifier: Apache-2.0
"""Which summaries are ranks of one job. Sums over two jobs would be wrong: the others are left out, and named."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from numaprof.job.collect import Collected, Refused
from numaprof.model.job_model import LeftOut
from numaprof.model.rank_model import RankSummary
from numaprof.text.messages import Failure

MOST_FILES = 5  # of one reason
MOST_REASONS = 12

Key = tuple[str, str, int]


@dataclass(frozen=True)
class Selected:
    """Ranks of one job, each number once, in order."""

    ranks: tuple[RankSummary, ...]
    left_out: tuple[LeftOut, ...]
    size: int | None


def select(collected: Collected) -> Selected:
    """The job of most ranks; of several, the one that began last."""
    refused = list(collected.refused)
    groups: dict[Key, list[RankSummary]] = defaultdict(list)
    originals: dict[RankSummary, str] = {}
    for summary in collected.summaries:
        original = originals.setdefault(replace(summary, recording=""), summary.recording)
        if original != summary.recording:
            refused.append(Refused(summary.recording, f"a copy of {original}"))
        elif summary.number is None:
            refused.append(Refused(summary.recording, "of no rank: no launcher of a parallel job started it"))
        else:
            groups[_key(summary)].append(summary)
    if not groups:
        why = f"{refused[0].name}: {refused[0].why}" if refused else "the directory holds none"
        alone = any(summary.number is None for summary in collected.summaries)
        remedy = (
            "numaprof report FILE shows it alone" if alone else "mpirun -n 4 numaprof record ./solver records a job"
        )
        raise Failure(f"no recording of a rank: {why}", remedy)
    chosen = max(groups, key=lambda key: (_numbers(groups[key]), max(each.started_at for each in groups[key]), key))
    for key in sorted(groups.keys() - {chosen}):
        refused += [Refused(each.recording, f"of another job ({_named(key)})") for each in groups[key]]
    ranks, doubles = _one_each(groups[chosen])
    beyond = [each for each in ranks if chosen[2] >= 0 and each.number is not None and each.number >= chosen[2]]
    refused += doubles
    refused += [Refused(each.recording, f"of rank {each.number}, in a job of {chosen[2]} ranks") for each in beyond]
    gone = {each.number for each in beyond}
    return Selected(
        tuple(each for each in ranks if each.number not in gone),
        _by_reason(refused),
        chosen[2] if chosen[2] >= 0 else None,
    )


def _numbers(ranks: Sequence[RankSummary]) -> int:
    return len({each.number for each in ranks})


def _key(summary: RankSummary) -> Key:
    return summary.launcher or "", summary.job or "", -1 if summary.size is None else summary.size


def _named(key: Key) -> str:
    launcher, job, size = key
    return " ".join(filter(None, (launcher, job, f"of {size} ranks" if size >= 0 else "")))


def _one_each(group: list[RankSummary]) -> tuple[list[RankSummary], list[Refused]]:
    """Where ranks are there twice: the run that began last, which is what overlaps with its last rank in time.

    Failure: two runs at the same time, which nothing tells apart.
    """
    if _numbers(group) == len(group):
        return sorted(group, key=_number), []
    last = max(group, key=lambda each: (each.started_at, each.recording))
    kept = sorted((each for each in group if _overlap(each, last)), key=_number)
    for one, other in zip(kept, kept[1:]):
        if one.number == other.number:
            raise Failure(
                f"rank {one.number} is there twice at the same time, {one.recording} and {other.recording}: two "
                "jobs whose launcher names no jobs",
                "record each job into a directory of its own: -o DIRECTORY",
            )
    numbers = {each.number: each for each in kept}
    why = "of an earlier run in the same directory, by its time"
    return kept, [Refused(each.recording, why) for each in group if numbers.get(each.number) is not each]


def _number(summary: RankSummary) -> int:
    return -1 if summary.number is None else summary.number


def began_and_ended(summary: RankSummary) -> tuple[datetime, datetime] | None:
    """None: not known."""
    try:
        began = datetime.fromisoformat(summary.started_at.replace("Z", "+00:00"))
        return None if summary.wall_ns is None else (began, began + timedelta(microseconds=summary.wall_ns / 1000))
    except (ValueError, OverflowError):
        return None


def _overlap(one: RankSummary, other: RankSummary) -> bool:
    """One whose end is not known counts if it began no earlier."""
    first, second = began_and_ended(one), began_and_ended(other)
    if one == other:
        return True
    return first is not None and second is not None and first[0] <= second[1] and second[0] <= first[1]


def _by_reason(refused: Iterable[Refused]) -> tuple[LeftOut, ...]:
    """The most frequent reasons. If there are many, those that differ in numbers only are one."""
    names = _grouped(sorted(refused))
    if len(names) > MOST_REASONS:
        names = _grouped([Refused(each.name, re.sub(r"\d+", "…", each.why)) for each in sorted(refused)])
    rows = sorted(names.items(), key=lambda row: (-len(row[1]), row[0]))
    rest = [name for _, group in rows[MOST_REASONS:] for name in group]
    rows = rows[:MOST_REASONS] + ([("for other reasons", rest)] if rest else [])
    return tuple(LeftOut(why, len(group), tuple(group[:MOST_FILES])) for why, group in rows)


def _grouped(refused: Iterable[Refused]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = defaultdict(list)
    for each in refused:
        reasons[each.why].append(each.name)
    return reasons
