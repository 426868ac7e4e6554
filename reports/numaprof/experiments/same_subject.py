# SPDX-License-Identifier: Apache-2.0
"""The same allocation in another recording: by build id and offset, or in a rebuilt program by source location."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from numaprof.experiments.trials.placement import Frame, Subject
from numaprof.experiments.trials.proposals import Layouts, NotPlaced, call_stack


def things_of(subjects: Sequence[Subject], layouts: Layouts) -> list[int]:
    """Objects of a recording that these subjects are, with the same binary."""
    stacks = {tuple((frame.build_id, frame.offset) for frame in subject.frames) for subject in subjects}
    addresses = {subject.variable[1] for subject in subjects if subject.variable is not None}
    found = [
        thing
        for thing, frames in _stacks(layouts).items()
        if tuple((frame.build_id, frame.offset) for frame in frames) in stacks
    ]
    return found + [thing for thing, variable in layouts.variables.items() if variable.address in addresses]


def _stacks(layouts: Layouts) -> dict[int, tuple[Frame, ...]]:
    found = {}
    for thing in layouts.frames:
        try:
            found[thing] = call_stack(thing, layouts)
        except NotPlaced:
            continue
    return found


def rebuilt(subjects: Sequence[Subject], layouts: Layouts) -> tuple[list[Subject], list[str]]:
    """The subjects with the call stacks of a new build, which layouts tells of; and those that were not found, and why.

    By function and line of every frame; where an edit has moved the lines, by functions and files, if one stack has
    them.
    """
    by_line: dict[tuple[str, ...], set[tuple[Frame, ...]]] = defaultdict(set)
    by_function: dict[tuple[str, ...], set[tuple[Frame, ...]]] = defaultdict(set)
    for frames in _stacks(layouts).values():
        by_line[_labels(frames)].add(frames)
        by_function[_functions(frames)].add(frames)
    kept, lost = [], []
    for subject in subjects:
        same = by_line.get(_labels(subject.frames)) or by_function.get(_functions(subject.frames)) or set()
        if subject.variable is not None:
            lost.append(f"{subject.label}: static variables of a rebuilt program are not matched; record again")
        elif len(same) == 1:
            kept.append(replace(subject, frames=same.pop()))
        else:
            how = "more than one allocation" if same else "no allocation"
            lost.append(
                f"{subject.label}: {how} of the rebuilt program has these functions on its call stack; record again"
            )
    return kept, lost


def _labels(frames: Sequence[Frame]) -> tuple[str, ...]:
    return tuple(frame.label for frame in frames)


def _functions(frames: Sequence[Frame]) -> tuple[str, ...]:
    return tuple(frame.label.rpartition(":")[0] or frame.label for frame in frames)
