# SPDX-License-Identifier: Apache-2.0
"""The loops for Arm, on any machine that has a compiler for it and an emulator: the same tests as of the others."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import TREE

SUITE = TREE / "tests" / "c" / "test_kernels.c"
CASES = re.findall(r"^TEST\((\w+)\)", SUITE.read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("arm") / "kernels"
    sources = [
        SUITE,
        SUITE.parent / "check_main.c",
        *sorted((TREE / "profiler" / "measure" / "kernels").glob("kernels*.c")),
    ]
    command = ["aarch64-linux-gnu-gcc", "-std=c17", "-D_GNU_SOURCE", "-O2", "-static", f"-I{TREE}", "-o", output]
    subprocess.run(list(map(str, [*command, *sources])), check=True)
    return output


@pytest.mark.requires("arm")
@pytest.mark.parametrize("case", CASES)
def test_neon(built: Path, case: str) -> None:
    done = subprocess.run(
        ["qemu-aarch64-static", built, f"{SUITE.stem}.{case}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
