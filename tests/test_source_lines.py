# SPDX-License-Identifier: Apache-2.0
"""Source text that a recording keeps: shown without the file, and never of what is no source."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
from pathlib import Path

import pytest
from conftest import TREE
from numaprof.document.build_report import document
from numaprof.text import source_lines
from test_objects import record

# Where each page is touched stands in %s, says the compiler's debug information.
PROGRAM = """
#include <stdlib.h>
int main(void)
{
    volatile char *a = malloc(1 << 22);
    for (int i = 0; i < 1 << 22; i += 4096)
#line 2 "%s"
        a[i] = 1;
#line 9 "named.c"
    return a[0] - 1;
}
"""
SECRET = "first\nsecret\nthird\n"


def kept(
    program: Path, folder: Path, named: str, owner: int | None = None, flags: tuple[str, ...] = ()
) -> list[tuple[str, int, str]]:
    (folder / "program.c").write_text(PROGRAM % named)
    subprocess.run(["gcc", "-g", "-O1", *flags, "program.c", "-o", "program"], check=True, cwd=folder)
    if owner is not None:
        os.chown(folder / "program", owner, owner)
    db: sqlite3.Connection = record(program, folder, folder / "program")
    assert db.execute(
        "SELECT count(*) FROM place WHERE file LIKE ? AND line = 2", ("%" + Path(named).name,)
    ).fetchone()[0]
    rows = db.execute("SELECT file, line, text FROM source_line ORDER BY file, line").fetchall()
    return [row for row in rows if "program.c" not in row[0]]


@pytest.mark.requires("gcc", "perf_event", "x86_64")
@pytest.mark.parametrize("absolute", [True, False])
def test_text_around_a_line_is_kept_where_the_compiler_ran(program: Path, tmp_path: Path, absolute: bool) -> None:
    file = tmp_path / "touch.h"
    file.write_text(SECRET)
    rows = kept(program, tmp_path, str(file) if absolute else "touch.h")
    assert rows == [(str(file), 1, "first"), (str(file), 2, "secret"), (str(file), 3, "third")]
    file.unlink()
    (recording,) = tmp_path.glob("*.numaprof")
    (line,) = [line for line in document(str(recording)).lines if line.place.file == str(file) and line.touched_bytes]
    assert [(row.number, row.text) for row in line.source] == [(1, "first"), (2, "secret"), (3, "third")]
    assert not line.source_changed


@pytest.mark.requires("gcc", "perf_event", "x86_64")
def test_no_text_of_a_relative_name_without_the_folder_of_the_compiler(program: Path, tmp_path: Path) -> None:
    """Reproducible builds leave the folder out. A file of that name where numaprof runs may be another one."""
    (tmp_path / "touch.h").write_text(SECRET)
    assert kept(program, tmp_path, "touch.h", flags=(f"-fdebug-prefix-map={tmp_path}=.",)) == []


@pytest.mark.requires("gcc", "perf_event", "x86_64")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "no source", "missing"])
def test_no_text_of_what_is_no_source_file(program: Path, tmp_path: Path, kind: str) -> None:
    """A pipe would keep the recorder waiting."""
    secret, named = tmp_path / "secret.txt", tmp_path / "named.c"
    secret.write_text(SECRET)
    make = {
        "link": lambda: named.symlink_to(secret),
        "pipe": lambda: os.mkfifo(named),
        "folder": named.mkdir,
        "no source": lambda: None,
        "missing": lambda: None,
    }
    make[kind]()
    assert kept(program, tmp_path, str(secret if kind == "no source" else named)) == []


@pytest.mark.requires("gcc", "perf_event", "x86_64", "root")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_another_users_program_names_only_what_that_user_may_read(
    program: Path, public_place: Path, tmp_path: Path, mode: int
) -> None:
    """Root records it: its debug information could name any source file, and the recording would show the text."""
    nobody, file = 65534, public_place / "secret.py"
    file.write_text(SECRET)
    file.chmod(mode)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "own").mkdir()
    theirs = kept(program, tmp_path / "theirs", str(file), owner=nobody)
    assert [text for _, _, text in theirs] == (SECRET.split() if mode & 0o004 else [])
    assert [text for _, _, text in kept(program, tmp_path / "own", str(file))] == SECRET.split()


def test_the_recorder_and_the_report_know_the_same_suffixes() -> None:
    text = (TREE / "profiler" / "symbols" / "source_lines.c").read_text()
    (array,) = re.findall(r"source_lines_suffixes\[\] = \{(.*?)\};", text, re.DOTALL)
    assert set(re.findall(r'"([^"]+)"', array)) == set(source_lines._SUFFIXES)
