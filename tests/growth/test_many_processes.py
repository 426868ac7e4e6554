# SPDX-License-Identifier: Apache-2.0
"""A program of 4 000 processes is recorded whole, and its recording is reported."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from conftest import BUILD, TREE
from numaprof.document.build_report import document

PROCESSES = 4000


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """What makes the processes, and what they run."""
    folder, sources = tmp_path_factory.mktemp("programs"), TREE / "tests" / "bench" / "programs"
    for name in ("processes", "nothing"):
        subprocess.run(["gcc", "-O2", "-g", "-o", folder / name, sources / f"{name}.c"], check=True)
    return folder / "processes", folder / "nothing"


@pytest.mark.timeout(600, func_only=True)
def test_all_are_recorded_and_reported(programs: tuple[Path, Path], in_memory: Path) -> None:
    many, nothing = programs
    recording = in_memory / "x.numaprof"
    command = [BUILD / "numaprof", "record", "-q", "-o", recording, many, str(PROCESSES), nothing]
    subprocess.run(command, check=True)
    with closing(sqlite3.connect(recording)) as connection, connection:
        by_program = dict(connection.execute("SELECT exe, count(*) FROM process GROUP BY exe").fetchall())
        (ended,) = connection.execute("SELECT count(*) FROM process WHERE end_ns IS NOT NULL").fetchone()
    assert by_program == {str(many): 1, str(nothing): PROCESSES}
    assert ended == PROCESSES + 1
    assert len(document(str(recording)).threads) == PROCESSES + 1
