# SPDX-License-Identifier: Apache-2.0
"""Advice, and where in the report its evidence is shown."""

from __future__ import annotations

from collections.abc import Iterator

from numaprof.document import model
from numaprof.evidence import Evidence
from numaprof.rules import advise
from numaprof.rules.advice import Advice, Kind
from numaprof.thresholds import MOST_ADVICES

_KINDS = {Kind.CURE: "cure", Kind.SETTING: "setting", Kind.LEAVE: "leave"}


def advice(
    evidence: Evidence, lines: tuple[model.Line, ...], threads: tuple[model.Thread, ...]
) -> tuple[model.Advice, ...]:
    return tuple(
        model.Advice(
            kind=_KINDS[found.kind],
            finding=found.finding,
            change=found.change,
            code=found.code,
            evidence=found.evidence,
            removes=found.removes,
            shown_in=tuple(_shown_in(found, lines, threads)),
        )
        for found in advise(evidence)[:MOST_ADVICES]
    )


def _shown_in(found: Advice, lines: tuple[model.Line, ...], threads: tuple[model.Thread, ...]) -> Iterator[str]:
    """Names of the parts of a report: those the advice speaks of, then what counts who reads where."""
    words = f"{found.finding} {found.change} {' '.join(found.code)}"
    for number, line in enumerate(lines):
        if _names(words, line.place.label) or _names(words, line.place.label.split(" ")[0]):
            yield f"line-{number}"
    if threads:
        yield "threads"
    if found.kind is not Kind.SETTING:
        yield "who-reads-where"


def _names(words: str, label: str) -> bool:
    """The label stands there as a word of its own."""
    at = words.find(label)
    after = words[at + len(label) : at + len(label) + 1]
    return bool(label) and at >= 0 and not after.isalnum()
