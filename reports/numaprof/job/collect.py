# SPDX-License-Identifier: Apache-2.0
"""Summaries of ranks from directories, recordings and merged files. What cannot be read is named.

A merged file has one summary a line, or what was left out and why. Merging is the union of sets: any tree of merges
gives what one merge gives.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from numaprof.job.kept_summaries import keep, kept
from numaprof.job.paths import MERGED, RECORDING
from numaprof.job.summary_line import MOST_TEXT, from_line, summary_of, to_line
from numaprof.model.rank_model import RankSummary
from numaprof.text.format import clean
from numaprof.text.messages import Failure
from numaprof.text.regular_file import open_regular

_LEFT_OUT = '{"format":"numaprof.left-out"'
AT_ONCE = 16  # recordings that a process takes at a time
FEW = 32  # recordings that are read faster without more processes


class Refused(NamedTuple):
    """A file, or a line of a merged file, that is in no number."""

    name: str
    why: str


@dataclass(frozen=True)
class Collected:
    """Summaries without doubles, in an order that does not depend on where they came from."""

    summaries: tuple[RankSummary, ...]
    refused: tuple[Refused, ...] = ()


def collect(paths: Iterable[str]) -> Collected:
    """Failure: a path is not there, or nothing in all of them is of use."""
    recordings: list[str] = []
    merged: list[str] = []
    refused: list[Refused] = []
    folders: list[str] = []
    for path in paths:
        _sort(path, recordings, merged, folders)
    found: list[RankSummary] = []
    for each in (*_lines(merged), *_of_recordings(recordings, folders)):
        (refused if isinstance(each, Refused) else found).append(each)  # type: ignore[arg-type]
    return Collected(union(found), tuple(sorted(set(refused))))


def union(summaries: Iterable[RankSummary]) -> tuple[RankSummary, ...]:
    """The same summary twice, from a recording and a merged file, is one."""
    return tuple(each for _, each in sorted({to_line(each): each for each in summaries}.items(), key=_order))


def _order(item: tuple[str, RankSummary]) -> tuple[int, str]:
    line, summary = item
    return (-1 if summary.number is None else summary.number, line)


def _sort(path: str, recordings: list[str], merged: list[str], folders: list[str]) -> None:
    if not os.path.isdir(path):
        (merged if path.endswith(MERGED) else recordings).append(path)
        return
    folders.append(path)
    try:
        names = sorted(os.listdir(path))
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}", "see its permissions") from error
    for name in names:
        if name.endswith(RECORDING):
            recordings.append(os.path.join(path, name))
        elif name.endswith(MERGED):
            merged.append(os.path.join(path, name))


def _of_recordings(paths: list[str], folders: list[str]) -> list[RankSummary | Refused]:
    """Summaries that are made here are kept for the next report of their folder."""
    known = {path: summary for folder in folders for path, summary in kept(folder).items()}
    unknown = [path for path in paths if path not in known]
    found: dict[str, RankSummary | Refused] = {**known, **dict(zip(unknown, _summaries(unknown)))}
    for folder in {os.path.dirname(path) for path in unknown}.intersection(folders):
        of_folder = ((path, found[path]) for path in paths if os.path.dirname(path) == folder)
        keep(folder, {path: each for path, each in of_folder if isinstance(each, RankSummary) and each.complete})
    return [found[path] for path in paths]


def _summaries(paths: list[str]) -> Iterator[RankSummary | Refused]:
    """A recording takes 10 ms, a large one seconds: all CPUs."""
    workers = len(os.sched_getaffinity(0))
    if len(paths) <= FEW or workers < 2:
        yield from map(_summary, paths)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(_summary, paths, chunksize=AT_ONCE)


def _summary(path: str) -> RankSummary | Refused:
    if os.path.islink(path) and not os.path.exists(path):
        name = f"{os.path.basename(path)} -> {os.readlink(path)}"
        return Refused(clean(name), "not moved here from its host: the rank is still at work, or its host died")
    try:
        return summary_of(path)
    except Failure as failure:
        return Refused(clean(os.path.basename(path)), clean(failure.cause.replace(f"{path} ", "")))


def _lines(paths: list[str]) -> Iterator[RankSummary | Refused]:
    for path in paths:
        try:
            with open_regular(path) as file:
                for number in range(1, 1 << 62):
                    line = file.readline(MOST_TEXT + 2).decode("ascii", "replace")
                    if not line:
                        break
                    yield _line(f"{clean(os.path.basename(path))}, line {number}", line)
        except OSError as error:
            if not os.path.lexists(path):
                raise Failure(f"cannot read {path}: {error.strerror}", "see what is there with ls -l") from error
            yield Refused(clean(os.path.basename(path)), clean(f"cannot be read: {error.strerror}"))


def _line(name: str, line: str) -> RankSummary | Refused:
    try:
        return _refused(line) or from_line(line)
    except ValueError as error:
        return Refused(name, f"damaged: {clean(str(error), 120)}")


def _refused(line: str) -> Refused | None:
    """What an earlier merge left out."""
    if not line.startswith(_LEFT_OUT):
        return None
    found = json.loads(line)
    if not isinstance(found.get("name"), str) or not isinstance(found.get("why"), str):
        raise ValueError("nothing that was left out")
    return Refused(clean(found["name"]), clean(found["why"]))


def merged_lines(found: Collected) -> Iterator[str]:
    yield from (to_line(each) + "\n" for each in found.summaries)
    for each in found.refused:
        yield f'{_LEFT_OUT},"name":{json.dumps(each.name)},"why":{json.dumps(each.why)}}}\n'
