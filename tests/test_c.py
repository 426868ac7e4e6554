# SPDX-License-Identifier: Apache-2.0
"""Every TEST of tests/c/test_*.c, built against the archive, is one item."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, TREE, build_c

CASE = re.compile(r"^TEST\((\w+)\)", re.MULTILINE)
LIBRARIES = ["-lm", "-lpfm", "-ldw", "-lelf", "-lsqlite3"]


def cases() -> list[tuple[str, str]]:
    files = sorted((TREE / "tests" / "c").glob("test_*.c"))
    return [(file.stem, name) for file in files for name in CASE.findall(file.read_text())]


@pytest.fixture(scope="session")
def built() -> dict[str, Path]:
    return {}


@pytest.mark.requires("gcc")
@pytest.mark.parametrize(("suite", "case"), cases(), ids=lambda value: value)
def test_c(suite: str, case: str, built: dict[str, Path], tmp_path: Path) -> None:
    if suite not in built:
        here = TREE / "tests" / "c"
        built[suite] = build_c(
            BUILD / "tests" / suite,
            f"{here / suite}.c",
            str(here / "check_main.c"),
            str(BUILD / "libnumaprof.a"),
            *LIBRARIES,
        )
    done = subprocess.run([built[suite], case], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
