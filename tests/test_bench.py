# SPDX-License-Identifier: Apache-2.0
"""The benches' programs keep up with the code they call."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, TREE, build_c

LIBRARIES = ["-fopenmp", str(BUILD / "libnumaprof.a"), "-lm", "-lpfm", "-ldw", "-lelf", "-lsqlite3"]
PROGRAMS = sorted((TREE / "tests" / "bench" / "programs").glob("*.c"))


@pytest.mark.requires("gcc")
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_it_compiles(source: Path, tmp_path: Path) -> None:
    build_c(tmp_path / source.stem, str(source), *LIBRARIES)


@pytest.mark.requires("gcc")
def test_others_take_turns_with_a_survey(tmp_path: Path) -> None:
    """As bench_measure.py has it, in little memory: pairs of numbers, ours and theirs."""
    folder = TREE / "tests" / "bench"
    program = tmp_path / "measure_pairs"
    build_c(
        program,
        str(folder / "measure_pairs.c"),
        str(folder / "stream_like.c"),
        "-Wl,--wrap=memory_bound_map",
        *LIBRARIES,
    )
    command = [program, "64", "1", "read,latency_random", "read=echo 2.5", "latency_random=echo 100"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert {(survey, metric, theirs) for survey, metric, _, theirs in rows} == {
        ("0", "read", "2.5"),
        ("0", "latency_random", "100"),
    }
    assert all(float(ours) > 0 for _, _, ours, _ in rows)
