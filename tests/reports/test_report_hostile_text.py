# SPDX-License-Identifier: Apache-2.0
"""Text of the target is never a format, a template or markup, whatever rule or view shows it."""

from __future__ import annotations

import inspect
import json
import sqlite3
import string
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Callable

import numaprof.rules
import pytest
import reading
import test_report_attached
import test_report_binding
import test_report_no_false_advice
import test_report_object_rules
import test_report_rules
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numaprof.commands.export import SINGLE, exported
from numaprof.document.build_report import document
from numaprof.document.open_recording import reading as opened
from numaprof.export.csv_tables import tables
from numaprof.export.json_document import to_json
from numaprof.page.report_page import report_page
from numaprof.rules import advise
from numaprof.rules.advice import Advice
from numaprof.text.messages import Failure
from recording_builder import SCHEMA, RecordingBuilder, literal
from scenarios import SCENARIOS

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


def scenarios() -> Iterator[Callable[[Path], object]]:
    """The scenarios, and the tests of the rules that need a folder and, at most, plain parameters."""
    yield from (
        lambda folder, scenario=scenario: advise(reading.read(scenario(), folder)) for scenario in SCENARIOS.values()
    )
    modules = (
        test_report_rules,
        test_report_object_rules,
        test_report_attached,
        test_report_binding,
        test_report_no_false_advice,
    )
    for test in [test for module in modules for test in vars(module).values()]:
        if not inspect.isfunction(test) or not test.__name__.startswith("test_"):
            continue
        values = _first_values_of(test)
        if {*values, "tmp_path"} == set(inspect.signature(test).parameters):
            yield lambda folder, test=test, values=values: test(**values, tmp_path=folder)


def _first_values_of(test: Callable[..., None]) -> dict[str, object]:
    """What pytest's own parametrize gives the test first, where there is one of it."""
    marks = [mark.args[:2] for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    if not marks:
        return {}
    names, rows = marks[0]
    names = names.split(",") if isinstance(names, str) else names
    first = next(iter(rows))
    return dict(zip(names, first if len(names) > 1 else (first,)))


def test_every_rule_takes_any_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the scenarios of the rules' own tests, whose expectations of names do not hold with other names."""
    given_by: set[str] = set()

    def watched(rule: Callable[..., Advice | None]) -> Callable[..., Advice | None]:
        def call(evidence: object) -> Advice | None:
            advice = rule(evidence)
            given_by.update([rule.__module__] if advice is not None else [])
            return advice

        return call

    written: dict[str, Path] = {}
    write = RecordingBuilder.write

    def write_once(builder: RecordingBuilder, path: Path) -> Path:
        """Many tests share a recording: it is read once."""
        text = with_text(builder, NASTY).sql()
        if text not in written:
            written[text] = write(builder, path)
        return written[text]

    monkeypatch.setattr(RecordingBuilder, "write", write_once)
    monkeypatch.setattr(reading, "load", cache(reading.load))
    modules = [rule.__module__ for rule in numaprof.rules.RULES]
    for module, rule in zip(modules, numaprof.rules.RULES):
        monkeypatch.setattr(f"{module}.rule", watched(rule))
    for user in (numaprof.rules, test_report_rules, test_report_object_rules):
        monkeypatch.setattr(user, "RULES", tuple(import_module(module).rule for module in modules))
    for number, scenario in enumerate(scenarios()):
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            scenario(folder)
        except AssertionError:
            pass
        except sqlite3.OperationalError as error:
            assert "no such table" in str(error), error  # a scenario of an older recording, which lacks a table
        except ValueError as error:
            assert "values to unpack" in str(error), error  # another number of advices than with the usual names
    assert given_by == set(modules), "there must be a scenario in which each rule gives advice"
