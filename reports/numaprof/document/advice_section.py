# SPDX-License-Identifier: Apache-2.0
"""Advice, and where in the report its evidence is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from numaprof.evidence.objects import UNNAMED
from numaprof.evidence.thresholds import MOST_ADVICES
from numaprof.model import report_model as model
from numaprof.rules.advice import Advice, Kind

_KINDS = {Kind.CURE: "cure", Kind.SETTING: "setting", Kind.LEAVE: "leave"}


@dataclass(frozen=True)
class Shown:
    """What the report shows, for advice to point at."""

    objects: tuple[model.Object, ...]
    lines: tuple[model.Line, ...]
    threads: tuple[model.Thread, ...]


def advice(advices: Sequence[Advice], shown: Shown) -> tuple[model.Advice, ...]:
    return tuple(
        model.Advice(
            kind=_KINDS[found.kind],
            finding=found.finding,
            change=found.change,
            code=found.code,
            evidence=found.evidence,
            removes=found.removes,
            concerns=found.concerns,
            saves=found.saves,
            shown_in=tuple(_shown_in(found, shown)),
        )
        for found in advices[:MOST_ADVICES]
    )


def _shown_in(found: Advice, shown: Shown) -> Iterator[str]:
    """Names of the parts of a report: those the advice speaks of, then what counts who reads where."""
    words = f"{found.finding} {found.change} {' '.join(found.code)}"
    for number, row in enumerate(shown.objects):
        if any(_names(words, name) for name in _called(row)):
            yield f"object-{number}"
    for number, line in enumerate(shown.lines):
        if _names(words, line.place.label) or _names(words, line.place.label.split(" ")[0]):
            yield f"line-{number}"
    if shown.threads:
        yield "threads"
    if found.kind is not Kind.SETTING:
        yield "who-reads-where"


def _called(row: model.Object) -> tuple[str, ...]:
    """How advice speaks of an object: by its name in quotes, else by its first location (analysis/naming.py)."""
    place = row.first_touched_at if row.kind == UNNAMED else row.allocated_at
    return (f"`{row.name}`", *((place.label,) if place is not None else ()))


def _names(words: str, label: str) -> bool:
    """The label stands there as a word of its own."""
    at = words.find(label)
    after = words[at + len(label) : at + len(label) + 1]
    return bool(label) and at >= 0 and not after.isalnum()
