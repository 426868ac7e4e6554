# SPDX-License-Identifier: Apache-2.0
"""What data the first advice is about, why its pages are where they are, and where it is used; with source lines."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from numaprof.model import report_model as model
from numaprof.text.format import NOT_KNOWN, plural, size, words

# How the threads share an object, short: the words of Object.use_shape on the left.
_SHAPES = {
    "each thread a block of its own": "one block each",
    "each thread allocations of its own": "each its own allocations",
    "each thread several blocks of its own": "several blocks each",
    "every thread all of it": "each all of it",
}

_FIRST_SENTENCE = re.compile(r"(?<=[.]) (?=[A-Z])")


NAMED = 3  # further objects by name: more do not fit beside the first


class Row(NamedTuple):
    label: str
    text: str
    source: str = ""
    more: str = ""  # behind the text, where there is room
    brief: str = ""  # instead of the text, where there is room for neither


def subject(report: model.Answer, advice: model.Advice | None) -> list[Row]:
    """Where the advice is about no data: what it found."""
    found = _object(report, advice)
    rows = []
    if found is not None:
        others = [report.objects.rows[each] for each in advice.objects] if advice is not None else []
        source = _source(report, found.allocated_at)
        others = [obj for obj in others if obj is not found]
        rows.append(Row("WHAT", _what(found), source, _others(found, others), _sum(found, others)))
    touched = _touched(advice, found)
    if touched is not None:
        rows.append(Row("WHY", _why(advice, found), _source(report, touched)))
    elif advice is not None and advice.cause:
        rows.append(Row("WHY", advice.cause))
    used = advice.used_at if advice is not None and advice.used_at else found.used_at if found is not None else None
    if used is not None:
        rows.append(Row("WHERE", _where(report, advice, found), _source(report, used)))
    if not rows and advice is not None and _is_remote(report):
        rows.append(Row("WHY", _FIRST_SENTENCE.split(advice.finding, 1)[0]))
    return rows


def _touched(advice: model.Advice | None, found: model.Object | None) -> model.Place | None:
    """Where the data is first touched: where its object is, if the advice names that place among others."""
    own = found.first_touched_at if found is not None else None
    named = advice.touched_at if advice is not None else ()
    return named[0] if named and own not in named else own


def _object(report: model.Answer, advice: model.Advice | None) -> model.Object | None:
    """Of the advice; where a lot is remote and no rule fits, what most of that reaches."""
    rows = report.objects.rows
    if advice is not None and advice.objects and all(place.of_runtime for place in advice.touched_at):
        return rows[min(advice.objects)]  # no line tells which is meant: the one with most remote accesses
    if advice is not None:
        return rows[advice.objects[0]] if advice.objects else None
    known = rows and rows[0].of_all_remote and rows[0].samples >= report.objects.enough_for_threads
    return rows[0] if _is_remote(report) and known else None


def _is_remote(report: model.Answer) -> bool:
    return report.verdict.judgement in ("heavy", "moderate")


def _what(found: model.Object) -> str:
    named = found.allocated_at is None or not found.name.startswith(found.allocated_at.label)
    memory = found.kind == "memory"
    name = f"{found.name}, " if named and not memory else ""
    module = found.allocated_at.module if found.allocated_at is not None and found.allocated_at.of_runtime else None
    if module is not None and not module.startswith("["):  # not what a compiler made at run time
        name = f"memory that {os.path.basename(module)} allocates, "
    large = size(found.bytes)
    if found.filled < 1.0:
        large = f"{size(found.filled * found.bytes)} used of {large}"
    if found.home == NOT_KNOWN:
        return f"{name}{large}"
    where = f"all of it on {found.home}" if found.home.startswith("node ") and "%" not in found.home else found.home
    return f"{name}{large}, {where}"


def _others(first: model.Object, others: list[model.Object]) -> str:
    """; also b and sum.c:14: 24 MiB in all. Each by its variable, or by the line that asked for it."""
    if not others:
        return ""
    mine = _short_name(first)
    names = [name for name in dict.fromkeys(map(_short_name, others)) if name != mine]
    left = len(others) - NAMED if len(names) > NAMED else 0 if names else len(others)
    listed = words([*names[:NAMED], *([f"{left} more"] if left else [])])
    return f"; also {listed}: {size(first.bytes + sum(each.bytes for each in others))} in all"


def _sum(first: model.Object, others: list[model.Object]) -> str:
    """8 objects, 24 MiB in all."""
    return f"{len(others) + 1} objects, {size(first.bytes + sum(obj.bytes for obj in others))} in all" if others else ""


def _short_name(found: model.Object) -> str:
    """a; sum.c:13 where that line allocates it; the caller's line where a function does for several."""
    if found.allocated_at is None or not found.name.startswith(found.allocated_at.label):
        return found.name
    return found.name.rpartition(" < ")[2].partition(" ")[0]


def _why(advice: model.Advice | None, found: model.Object | None) -> str:
    if advice is not None and advice.cause:
        return advice.cause
    threads = found.touched_by if found is not None else 0
    if advice is not None and advice.touched_by is not None:
        part = "all" if threads == 1 else "most"
        return f"one thread first touches {part} of it"
    if threads == 1:
        return "one thread first touches all of it"
    return f"{plural(threads, 'thread')} first touch it"


def _where(report: model.Answer, advice: model.Advice | None, found: model.Object | None) -> str:
    if found is None or not found.used_by:
        return "most remote reads come from here"
    few = found.samples < report.objects.enough_for_threads
    count = len(advice.threads) if advice is not None and advice.threads and not few else found.used_by
    shape = _SHAPES.get(found.use_shape, "")
    if count == 1 and not shape:
        return "one thread or more, by few samples" if few else "one thread uses it"
    shape = f", {shape}" if shape else ""
    if count == 1:  # of several: the others were sampled too rarely
        return f"threads use it{shape}"
    if few and count < len(report.threads):
        return f"{count} or more threads use it{shape}"
    return f"{plural(count, 'thread')} use it{shape}"


def _source(report: model.Answer, place: model.Place | None) -> str:
    """sum.c:13  long *a = malloc(...); the text only where it is the text that was recorded."""
    if place is None or (place.line is None and place.of_runtime):
        return ""
    if place.line is None and place.function is None and "+0x" in place.label:
        return f"in {place.label.rpartition('+0x')[0]} (no symbols)"
    line = next((row for row in report.lines if row.place == place), None)
    position = place.label if place.line is None else place.label.partition(" ")[0]
    if line is None or line.source_changed:
        return place.label
    text = next((row.text.strip() for row in line.source if row.number == place.line), "")
    return f"{position}  {text}" if text else place.label
