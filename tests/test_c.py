# SPDX-License-Identifier: Apache-2.0
"""Every TEST of tests/c/test_*.c is one item. All of them are one program, which make builds (mk/tests.mk)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, TREE

CASE = re.compile(r"^TEST\((\w+)\)", re.MULTILINE)
SKIPPED = 77  # check.h
UNITS = BUILD / "tests" / "units"


def cases() -> list[tuple[str, str]]:
    files = sorted((TREE / "tests" / "c").glob("test_*.c"))
    return [(file.stem, name) for file in files for name in CASE.findall(file.read_text())]


@pytest.mark.parametrize(("suite", "case"), cases(), ids=lambda value: value)
def test_c(suite: str, case: str, tmp_path: Path) -> None:
    done = subprocess.run([UNITS, f"{suite}.{case}"], capture_output=True, text=True, cwd=tmp_path, check=False)
    if done.returncode == SKIPPED:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
