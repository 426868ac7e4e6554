# SPDX-License-Identifier: Apache-2.0
"""Advice, and where in the report its evidence is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from numaprof.document.sections.lines_section import place
from numaprof.evidence.thresholds import MOST_ADVICES
from numaprof.model import report_model as model
from numaprof.placement.advice import Advice, Kind
from numaprof.source.objects import root_of
from numaprof.source.patch import changes, flags_of, unified
from numaprof.text.format import clean


class Edits(TypedDict):
    """Fields of model.Advice that are made of edits."""

    changes: tuple[model.Change, ...]
    patch: str
    flags: tuple[str, ...]
    why_not_better: tuple[str, ...]


_KINDS: dict[Kind, Literal["fix", "setting", "leave"]] = {
    Kind.FIX: "fix",
    Kind.SETTING: "setting",
    Kind.LEAVE: "leave",
}


@dataclass(frozen=True)
class Shown:
    """What the report shows: advice refers to objects and lines by their position in it."""

    objects: dict[tuple[int, ...], int]  # Object.things -> position
    lines: dict[model.Place, int]


def advice(advices: Sequence[Advice], shown: Shown, trials: Sequence[model.Trial | None]) -> tuple[model.Advice, ...]:
    """trials: one for each advice."""
    return tuple(_advice(found, shown, trial) for found, trial in zip(advices[:MOST_ADVICES], trials))


def _advice(found: Advice, shown: Shown, trial: model.Trial | None) -> model.Advice:
    return model.Advice(
        kind=_KINDS[found.kind],
        decision=found.decision,
        finding=found.finding,
        change=found.change,
        code=found.code,
        **_edits(found),
        remarked=tuple(model.Remarked(*each) for each in found.remarked),
        evidence=found.evidence,
        cause=found.cause,
        expects=found.expects,
        removes=found.removes,
        removes_lowest=found.interval[0] if found.interval is not None else None,
        removes_highest=found.interval[1] if found.interval is not None else None,
        concerns=found.concerns,
        saves=found.saves,
        shared=found.shared,
        objects=tuple(shown.objects[each.things] for each in found.objects if each.things in shown.objects),
        touched_at=tuple(map(place, found.touched_at)),
        touched_by=found.touched_by.row.id if found.touched_by is not None else None,
        used_at=place(found.used_at) if found.used_at is not None else None,
        threads=tuple(thread.row.id for thread in found.threads),
        can_be_tried=found.can_be_tried,
        trial=trial,
        shown_in=tuple(_shown_in(found, shown)),
    )


def _edits(found: Advice) -> Edits:
    fixes = [fix for fix in found.fixes if fix.edits]
    return Edits(
        changes=tuple(
            model.Change(clean(each.file), each.first, each.last, tuple(map(clean, each.text)))
            for each in changes(edit for fix in fixes for edit in fix.edits)
        ),
        patch=clean_text(unified(fixes, root_of(fixes))) if fixes else "",
        flags=flags_of(fixes),
        why_not_better=tuple(dict.fromkeys(clean(fix.reason) for fix in found.fixes if fix.reason)),
    )


def clean_text(patch: bytes) -> str:
    """A patch to be read; the command line writes its bytes."""
    lines = patch.decode("utf-8", "backslashreplace").split("\n")
    return "\n".join(clean(line.rstrip("\r")) for line in lines)


def _shown_in(found: Advice, shown: Shown) -> Iterator[str]:
    """Names of the parts of a report that show the subjects, then the part that counts who reads where."""
    yield from (f"object-{shown.objects[each.things]}" for each in found.objects if each.things in shown.objects)
    allocated = [each.allocated for each in found.objects]
    sites = [*allocated, *found.touched_at, found.used_at]
    places = dict.fromkeys(place(site) for site in sites if site is not None)
    yield from (f"line-{shown.lines[each]}" for each in places if each in shown.lines)
    if found.threads or found.touched_by:
        yield "threads"
    if found.kind is not Kind.SETTING:
        yield "who-reads-where"
