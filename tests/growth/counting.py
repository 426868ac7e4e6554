# SPDX-License-Identifier: Apache-2.0
"""Counts what a report does: steps of SQLite's machine by query, lines of Python by function. No clock is read.

What one call of a function in C does (sorted, str.join) is one line.
"""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from math import log
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from numaprof.document.build_report import document
from numaprof.export.json_document import to_json
from numaprof.page.report_page import report_page
from numaprof.recording import reader
from numaprof.recording.reader import Recording
from numaprof.terminal.first_screen import print_first_screen
from numaprof.terminal.layout import Layout
from numaprof.terminal.report_view import print_report

STEPS_AT_ONCE = 1000


def reported(recording: Path) -> None:
    """As on the terminal, all tables included; as JSON and as a page."""
    report = document(str(recording))
    print_first_screen(report, Layout(io.StringIO(), 80))
    print_report(report, Layout(io.StringIO(), 80))
    to_json(report)
    report_page(report)


def count_steps(recording: Path) -> tuple[Counter[str], int]:
    """Steps by query, and how many of one query the reader allows."""
    steps: Counter[str] = Counter()
    limits: list[int] = []
    execute = Recording._execute

    def counted(self: Recording, sql: str, values: dict[str, object]) -> list[tuple[Any, ...]]:
        rows = execute(self, sql, values)
        steps[sql] += (self._steps - self._steps_left) * STEPS_AT_ONCE
        limits.append(self._steps * STEPS_AT_ONCE)
        return rows

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "STEPS_AT_LEAST", reader.STEPS_AT_LEAST * reader.STEPS_AT_ONCE // STEPS_AT_ONCE)
        patch.setattr(reader, "STEPS_AT_ONCE", STEPS_AT_ONCE)
        patch.setattr(Recording, "_execute", counted)
        document(str(recording))
    return steps, min(limits)


def count_lines(recording: Path) -> Counter[str]:
    """Lines by function; of the modules' own, none: they are there."""
    lines: Counter[str] = Counter()
    reported(recording)
    with _lines_counted(lines):
        reported(recording)
    return lines


@contextmanager
def _lines_counted(lines: Counter[str]) -> Iterator[None]:
    by_code: Counter[Any] = Counter()

    def in_function(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            by_code[frame.f_code] += 1
        return in_function

    before = sys.gettrace()
    sys.settrace(in_function)
    try:
        yield
    finally:
        sys.settrace(before)
        for code, count in by_code.items():
            lines[f"{code.co_filename}:{code.co_firstlineno} {code.co_name}"] += count


def exponent(points: dict[int, float]) -> float:
    """The power of the size with which the work grows: the slope of a straight line through the logarithms."""
    xs, ys = [log(size) for size in points], [log(max(1.0, work)) for work in points.values()]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)
