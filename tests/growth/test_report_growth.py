# SPDX-License-Identifier: Apache-2.0
"""A report takes as long as its recording is large, whatever there is much of. Work is counted, no clock is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from counting import count_lines, count_steps, exponent
from grown import Size, write

SIZES = (1000, 2000, 4000, 8000)
TRACED = 8  # Python is many times slower while its lines are counted: sizes are divided by this
STEEPEST = 1.15  # sorting is within it
PART = 0.01  # of all work: smaller parts are not looked at by themselves
SPARE = 5  # a query takes at most this part of the steps that the reader allows for its file

GROWING: dict[str, Callable[[int], Size]] = {
    "processes": lambda number: Size(processes=number, threads=1),
    "threads": lambda number: Size(threads=number),
    "objects": lambda number: Size(objects=number),
    "blocks": lambda number: Size(objects=1, blocks=number),
    "places": lambda number: Size(places=number),
    "snapshots": lambda number: Size(snapshots=number),
}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("what", GROWING)
def test_queries_grow_in_proportion(what: str, in_memory: Path) -> None:
    steps: dict[int, Counter[str]] = {}
    for number in SIZES:
        steps[number], limit = count_steps(write(in_memory / f"{number}.numaprof", GROWING[what](number)))
        assert [query for query, taken in steps[number].items() if SPARE * taken > limit] == []
    assert too_steep(steps) == {}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("what", GROWING)
def test_pythons_work_grows_in_proportion(what: str, in_memory: Path) -> None:
    sizes = [number // TRACED for number in SIZES]
    recordings = {number: write(in_memory / f"{number}.numaprof", GROWING[what](number)) for number in sizes}
    assert too_steep({number: count_lines(recording) for number, recording in recordings.items()}) == {}


def too_steep(work: dict[int, Counter[str]]) -> dict[str, float]:
    """Of all work over all sizes, and of each large part over the last two steps, where its fixed costs hide it less.
    A part that begins at some size is steep at one step only."""
    first, before, last = list(work)[-3:]
    totals = {number: sum(each.values()) for number, each in work.items()}
    found = {"all": exponent(totals)}
    for part, amount in work[last].items():
        if amount >= PART * totals[last]:
            steps = ({first: work[first][part], before: work[before][part]}, {before: work[before][part], last: amount})
            found[part] = min(map(exponent, steps))
    return {part: steep for part, steep in found.items() if steep > STEEPEST}
