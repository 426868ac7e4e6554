# SPDX-License-Identifier: Apache-2.0
"""Recordings from anybody: they show no file of the reader, keep nobody waiting, and end in a line, not a traceback."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from numaprof.recording import reader
from numaprof.recording.reader import Recording
from numaprof.text.messages import Failure
from scenarios import SCENARIOS, serial_init
from test_report_recording import REPORTS, refused, reports

SECRET = "the_secret_of_the_reader"


def names_a_file(path: Path, folder: Path) -> Path:
    """A recording whose first touch is at line 17 of that file."""
    return serial_init().change("place", "line = 17", file=str(path)).write(folder / "x.numaprof")


def shown(recording: Path, cwd: Path, *options: object) -> str:
    # A process of its own: in this one all of tmp_path may be shown (conftest.py).
    done = reports("report", recording, "--json", "-", *options, cwd=cwd, env=dict(os.environ))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder of the reader, beside one with a secret."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.c").write_text(f"{SECRET}\n" * 40)
    (tmp_path / "project" / "src").mkdir(parents=True)
    (tmp_path / "project" / "src" / "own.c").write_text("own_text\n" * 40)
    return tmp_path / "project"


def test_source_of_the_folder_one_stands_in_is_shown(project: Path, tmp_path: Path) -> None:
    recording = names_a_file(project / "src" / "own.c", tmp_path)
    assert "own_text" in shown(recording, project)
    assert "own_text" not in shown(recording, project / "src" / ".." / ".." / "elsewhere")


def test_source_of_the_repository_one_stands_in_is_shown(project: Path, tmp_path: Path) -> None:
    recording = names_a_file(project / "src" / "own.c", tmp_path)
    (project / "build").mkdir()
    assert "own_text" not in shown(recording, project / "build")
    (project / ".git").mkdir()
    assert "own_text" in shown(recording, project / "build")


def test_other_files_are_shown_only_if_the_reader_allows(project: Path, tmp_path: Path) -> None:
    recording = names_a_file(tmp_path / "elsewhere" / "secret.c", tmp_path)
    assert SECRET not in shown(recording, project)
    assert SECRET in shown(recording, project, "--source", tmp_path / "elsewhere")


def test_the_folder_that_the_reader_names_comes_first(project: Path, tmp_path: Path) -> None:
    """A relative name exists there and here: the sources of that day are in a folder of their own."""
    (tmp_path / "that_day" / "src").mkdir(parents=True)
    (tmp_path / "that_day" / "src" / "own.c").write_text("text_of_that_day\n" * 40)
    recording = names_a_file(Path("src/own.c"), tmp_path)
    assert "own_text" in shown(recording, project)
    found = shown(recording, project, "--source", tmp_path / "that_day")
    assert "text_of_that_day" in found and "own_text" not in found


def test_links_and_dots_do_not_lead_out(project: Path, tmp_path: Path) -> None:
    (project / "link.c").symlink_to(tmp_path / "elsewhere" / "secret.c")
    (project / "folder").symlink_to(tmp_path / "elsewhere")
    for name in (project / "link.c", project / "folder" / "secret.c", project / ".." / "elsewhere" / "secret.c"):
        assert SECRET not in shown(names_a_file(name, tmp_path), project)
        (tmp_path / "x.numaprof").unlink()


def test_a_link_to_what_is_no_source(project: Path, tmp_path: Path) -> None:
    (project / ".env").write_text(f"{SECRET}\n" * 40)
    (project / "env.c").symlink_to(project / ".env")
    assert SECRET not in shown(names_a_file(project / "env.c", tmp_path), project)


def test_a_pipe_or_a_device_keeps_nobody_waiting(project: Path, tmp_path: Path) -> None:
    os.mkfifo(project / "pipe.c")
    (project / "log.c").symlink_to("/proc/kmsg")
    for name in ("pipe.c", "log.c"):
        shown(names_a_file(project / name, tmp_path), project)
        (tmp_path / "x.numaprof").unlink()


# What is in the place of tables


def replaced(folder: Path, *statements: str) -> Path:
    path = serial_init().write(folder / "x.numaprof")
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS level FROM n"


def test_an_endless_view_in_place_of_a_table(tmp_path: Path) -> None:
    refused(replaced(tmp_path, "DROP TABLE evidence", f"CREATE VIEW evidence AS {ENDLESS}"), "a view (evidence)")


def test_a_trigger(tmp_path: Path) -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON note BEGIN SELECT 1; END"
    refused(replaced(tmp_path, trigger), "a trigger (t)")


def test_a_virtual_table(tmp_path: Path) -> None:
    refused(replaced(tmp_path, "CREATE VIRTUAL TABLE v USING fts5(text)"), "virtual table (v)")


@pytest.mark.parametrize("forged", ["rootpage = 3", "rootpage = 3, sql = replace(sql, 'CREATE', 'CREATE/**/')"])
def test_a_virtual_table_that_says_that_it_has_a_page(forged: str, tmp_path: Path) -> None:
    forge = f"UPDATE sqlite_schema SET {forged} WHERE name = 'v'"
    table = "CREATE VIRTUAL TABLE v USING fts5(text)"
    refused(replaced(tmp_path, table, "PRAGMA writable_schema = on", forge), "table (v)")


@pytest.mark.parametrize("kind", ["VIRTUAL", "STORED"])
def test_a_column_that_computes(kind: str, tmp_path: Path) -> None:
    """An expression is one step, however long it takes."""
    column = f"text TEXT AS (hex(zeroblob(400000000))) {kind}"
    table = f"CREATE TABLE note(time_ns, kind, thread, level, value, {column}, remedy)"
    refused(replaced(tmp_path, "DROP TABLE note", table), "a generated column (note.text)")


def test_a_query_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "STEPS_AT_LEAST", 1)
    with Recording(str(serial_init().write(tmp_path / "x.numaprof"))) as recording:
        with pytest.raises(Failure, match=r"a query was ended after . M steps, too many for a file of this size"):
            recording.run(f"CREATE TEMP TABLE t AS {ENDLESS}")
        recording.run("CREATE TEMP TABLE t AS SELECT 1")  # each query has its own steps


@pytest.mark.parametrize("page_bytes", [0, -4096, 2**63 - 1, -(2**63)])
def test_a_page_of_no_size(page_bytes: int, tmp_path: Path) -> None:
    refused(serial_init(page_bytes=page_bytes).write(tmp_path / "x.numaprof"), "page size")


# The reader's own environment


@pytest.mark.parametrize("name", ["PYTHONHOME", "PYTHONPATH"])
def test_pythons_variables_are_the_targets(name: str, tmp_path: Path) -> None:
    (tmp_path / "numaprof").mkdir()
    (tmp_path / "numaprof" / "__init__.py").write_text("raise SystemExit('the wrong package')\n")
    path = serial_init().write(tmp_path / "x.numaprof")
    done = reports("report", path, env={**os.environ, name: str(tmp_path)})
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("options", [[], ["--full"], ["--json", "-"]])
@pytest.mark.parametrize("scenario", ["serial_init", "many_threads"])
def test_a_full_disk_is_one_line(scenario: str, options: list[str], tmp_path: Path) -> None:
    path = SCENARIOS[scenario]().write(tmp_path / "x.numaprof")
    with open("/dev/full", "w") as full:
        command = [REPORTS, "report", path, *options]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 125
    last = done.stderr.splitlines()[-1]
    assert last.startswith("numaprof: cannot write to stdout: No space left on device; ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["report", "try"])  # the help of all commands leaves through one function
def test_a_full_disk_is_one_line_for_help_too(command: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([REPORTS, command, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 125
    assert done.stderr.startswith("numaprof: cannot write to stdout: No space left on device; ")
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_cut_while_it_is_read_is_damaged(tmp_path: Path) -> None:
    """Another user may own it: a mapped file would end the report with a bus error."""
    path = serial_init().write(tmp_path / "x.numaprof")
    recording = Recording(str(path))
    os.truncate(path, 8192)
    with pytest.raises(Failure, match="is damaged"):
        recording.run("CREATE TEMP TABLE all_of_it AS SELECT * FROM sample JOIN stack ON sample.stack = stack.id")
