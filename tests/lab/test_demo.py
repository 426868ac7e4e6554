# SPDX-License-Identifier: Apache-2.0
"""make demo, as a user runs it: what the two recordings and the texts around them say."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import TREE

WHO = re.compile(r"node (\d+): \d+ threads(?: on CPUs \S+)? +(\S+) % remote")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run([TREE / "mk" / "demo", folder], capture_output=True, text=True, check=False, cwd=TREE)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout


def remote_by_node(screen: str) -> dict[int, float]:
    """Of the lines WHO of the first screen; each node has threads on its CPUs only."""
    return {int(row[1]): float(row[2].strip("<>")) for row in map(WHO.search, screen.splitlines()) if row}


pytestmark = [pytest.mark.requires("lab", "one_node"), pytest.mark.timeout(600)]


def test_the_second_node_reads_remotely_before_the_fix(demo: tuple[Path, str]) -> None:
    before = remote_by_node(demo[1].split("==== ")[3])
    assert before.keys() == {0, 1}
    assert before[1] >= 99
    assert before[0] <= 1


def test_the_first_screen_names_all_lines(demo: tuple[Path, str]) -> None:
    screen = demo[1].split("==== ")[3]
    assert re.search(r"^WHAT .*all of it on node 0 +sum.c:13  ", screen, re.M)
    assert re.search(r"^WHY .*one thread first touches .* of it +sum.c:22  ", screen, re.M)
    assert "as the loop at sum.c:28" in " ".join(screen.split())


def test_nobody_reads_remotely_after_it(demo: tuple[Path, str]) -> None:
    after = remote_by_node(demo[1].split("==== ")[4])
    assert after.keys() == {0, 1}
    assert max(after.values()) <= 1, after


def test_the_diff_says_so_and_the_recordings_stay(demo: tuple[Path, str]) -> None:
    folder, said = demo
    diff = said.split("==== ")[5]
    assert re.search(r"VERDICT +Remote share fell from \d+(\.\d+)? %( ± \d+(\.\d+)?)? to <?\d(\.\d+)? %", diff)
    assert sorted(file.name for file in folder.iterdir()) == ["after.numaprof", "before.numaprof"]
