# SPDX-License-Identifier: Apache-2.0
"""make demo, as a user runs it: what the two recordings and the texts around them say."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import TREE

ROW = re.compile(r"^ *(\d+) +(\d) .* (\S+) %(?:  <-.*)?$")  # CPU, node, ..., remote share


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run([TREE / "mk" / "demo", folder], capture_output=True, text=True, check=False, cwd=TREE)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout


def remote_by_cpu(report: str) -> dict[int, float]:
    """Of the table by CPU, the one with the column `threads`."""
    table = report.split("threads ", 1)[1].split("DRAM requests, from", 1)[0]
    rows = [match for match in map(ROW.match, table.splitlines()) if match]
    return {int(row[1]): float(row[3].strip("<>")) for row in rows}


pytestmark = [pytest.mark.requires("lab", "one_node"), pytest.mark.timeout(600)]


def test_the_second_node_reads_remotely_before_the_cure(demo: tuple[Path, str]) -> None:
    before = remote_by_cpu(demo[1].split("==== ")[3])
    assert set(before) == set(range(8))
    assert all(before[cpu] >= 99 for cpu in (1, 3, 5, 7)), before
    assert all(before[cpu] <= 1 for cpu in (0, 2, 4, 6)), before


def test_the_advice_names_both_lines(demo: tuple[Path, str]) -> None:
    advice = demo[1].split("==== ")[3].split("WHAT TO DO", 1)[1]
    assert "sum.c:22 main first touches" in advice
    assert "as the loop at sum.c:28" in " ".join(advice.split())


def test_nobody_reads_remotely_after_it(demo: tuple[Path, str]) -> None:
    after = remote_by_cpu(demo[1].split("==== ")[4])
    assert set(after) == set(range(8))
    assert max(after.values()) <= 1, after


def test_the_diff_says_so_and_the_recordings_stay(demo: tuple[Path, str]) -> None:
    folder, said = demo
    diff = said.split("==== ")[5]
    assert re.search(r"VERDICT +Remote share fell from \d+\.\d % to <?0\.\d %", diff)
    assert sorted(file.name for file in folder.iterdir()) == ["after.numaprof", "before.numaprof"]
