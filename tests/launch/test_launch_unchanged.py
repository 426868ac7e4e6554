# SPDX-License-Identifier: Apache-2.0
"""A program behaves as without numaprof: each prints and returns the same alone and recorded, by root and by others."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, NOBODY
from running import run, run_as_nobody, run_command, target

LIBRARY = BUILD / "libnumaprof-preload.so"
PROGRAMS = ("everywhere", "all_keys")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_behaves_as_alone(name: str, tmp_path: Path) -> None:
    alone = run_command(target(name))
    assert run("record", "-q", "-o", tmp_path / "r.numaprof", target(name)) == alone


@pytest.mark.requires("root")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_behaves_as_alone_for_an_ordinary_user(name: str, public_place: Path) -> None:
    program = shutil.copy(target(name), public_place / name)
    alone = run_command(*NOBODY, program, cwd=public_place)
    assert run_as_nobody(public_place, program) == alone


def exported() -> set[str]:
    """The functions that the preload library stands before."""
    command = ["readelf", "--wide", "--dyn-syms", str(LIBRARY)]
    rows = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    words = [row.split() for row in rows]
    return {word[7] for word in words if len(word) == 8 and word[3] == "FUNC" and word[6] != "UND"}


def test_every_function_that_the_library_stands_before_is_called_everywhere() -> None:
    """With a cancellation pending, in a signal handler, in children of fork, clone and vfork, and in a destructor."""
    names = set(run_command(target("everywhere"), "names").out.split())
    assert exported() - names == set()
