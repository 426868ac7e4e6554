# SPDX-License-Identifier: Apache-2.0
"""numaprof sweep and policies where memory can be remote: placements are what they say, and the recorder sees it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lab_plugin import PROGRAMS

SHARED_READ = str(PROGRAMS / "shared_read")


def settings(program: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["remarks"][0].startswith("an emulated machine")
    return {setting["label"]: setting for setting in found["settings"]}


@pytest.mark.lab("article")
def test_policies_place_memory_and_cpus(program: Path) -> None:
    shares = {
        label: setting["remote_share"]
        for label, setting in settings(program, "policies", "--json", "-n", "1", "--", SHARED_READ, "4").items()
    }
    assert shares["CPUs and memory of node 0"] < 0.02
    assert shares["CPUs of node 0, memory of node 1"] > 0.95
    assert 0.45 < shares["interleaved over nodes 0-1"] < 0.55


@pytest.mark.lab("article")
def test_sweep_shows_where_threads_reach_the_second_node(program: Path) -> None:
    found = settings(program, "sweep", "--json", "-t", "2,8", "-n", "1", "--", SHARED_READ, "{threads}")
    assert found["2 threads"]["remote_share"] < 0.02
    assert 0.4 < found["8 threads"]["remote_share"] < 0.6
    assert not found["8 threads"]["ignored_threads"]
    assert found["8 threads"]["runs"][0]["threads"] in (8, 9)
