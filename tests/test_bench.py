# SPDX-License-Identifier: Apache-2.0
"""The benches' programs keep up with the code they call."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import BUILD, TREE, build_c

PROGRAMS = sorted((TREE / "tests" / "bench" / "programs").glob("*.c"))


@pytest.mark.requires("gcc")
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_it_compiles(source: Path, tmp_path: Path) -> None:
    libraries = ["-fopenmp", str(BUILD / "libnumaprof.a"), "-lm", "-lpfm", "-ldw", "-lelf", "-lsqlite3"]
    build_c(tmp_path / source.stem, str(source), *libraries)
