# SPDX-License-Identifier: Apache-2.0
"""Text of the target is never a format, a template or markup, whatever rule or view shows it."""

from __future__ import annotations

import json
import sqlite3
import string
from collections import defaultdict
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Callable

import pytest
import reading
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numaprof.commands.export import SINGLE, exported
from numaprof.document.build_report import document
from numaprof.document.open_recording import reading as opened
from numaprof.export.csv_tables import tables
from numaprof.export.json_document import to_json
from numaprof.page.report_page import report_page
from numaprof.text.messages import Failure
from recording_builder import SCHEMA, RecordingBuilder, literal
from scenarios import SCENARIOS
from test_placement import SITUATIONS

# Columns that hold words of the recorder, numbers or lists of CPUs, not text of the target.
CODES = {
    *("evidence.collector", "window.cause", "process.followed", "thread.pin", "thread.own_cpus"),
    *("event.collector", "event.class", "event.placement", "event.confidence", "sample_kind.name", "source.name"),
    *("object.kind", "snapshot.cause", "snapshot.method", "note.kind", "run.command", "run.started_at"),
    *("run.pin_policy", "run.pin_plan", "run.allowed_cpus", "run.allowed_nodes", "run.huge_pages"),
    *("measurement.at", "measured.metric", "measured.unit"),
}
NASTY = (
    "main::{lambda#1}::operator()(int) const {0} {} {x!r:>{y}} %s %(name)s % \\N{BULLET} \\x41 ' \" ` $1 ${x} "
    "{{ x }} {% if %} <b>&amp;</script> \n\r\t\x1b[2J"
)


@cache
def text_columns() -> dict[str, list[str]]:
    """Columns that hold text of the target, by table."""
    with closing(sqlite3.connect(":memory:")) as schema:
        schema.executescript(SCHEMA)
        found = schema.execute(
            "SELECT tables.name, columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns "
            "WHERE tables.type = 'table' AND columns.type = 'TEXT'"
        ).fetchall()
    columns: dict[str, list[str]] = defaultdict(list)
    for table, column in found:
        columns[table] += [column] if f"{table}.{column}" not in CODES else []
    return {table: names for table, names in columns.items() if names}


def with_text(builder: RecordingBuilder, text: str) -> RecordingBuilder:
    """The same recording, with the text at the end of each name in it."""
    for table, columns in text_columns().items():
        longer = ", ".join(f"{column} = {column} || {literal(text)}" for column in columns)
        builder.statements.append(f"UPDATE {table} SET {longer};")
    return builder.change("run", command=json.dumps(["./sum", text]))


# SQLite keeps no lone surrogates and no NUL within text.
TEXT = st.text(st.one_of(st.sampled_from(string.punctuation), st.characters(exclude_characters="\0", codec="utf-8")))


@pytest.mark.parametrize("scenario", [name for name in SCENARIOS if name != "many_threads"])
@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXT)
@example(text=NASTY)
def test_every_view_shows_any_text(scenario: str, tmp_path: Path, text: str) -> None:
    path = with_text(SCENARIOS[scenario](), text).write(tmp_path / f"{len(list(tmp_path.iterdir()))}.numaprof")
    report = document(str(path))
    reading.print_report(report, reading.Layout(reading.io.StringIO(), 80))
    reading.print_first_screen(report, reading.Layout(reading.io.StringIO(), 80))
    assert json.loads(to_json(report))["recording"] == str(path)
    assert tables(report)
    assert "<html" in report_page(report)
    with opened(str(path)) as source:
        for form in SINGLE:
            with suppress(Failure):  # no samples to make a profile of
                assert exported(source, form, None)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_every_decision_takes_any_text(situation: Callable[[], RecordingBuilder], tmp_path: Path) -> None:
    """In each situation that has a lever of its own."""
    report = document(str(with_text(situation(), NASTY).write(tmp_path / "x.numaprof")))
    reading.print_report(report, reading.Layout(reading.io.StringIO(), 80))
    reading.print_first_screen(report, reading.Layout(reading.io.StringIO(), 80))
    assert "<html" in report_page(report)
