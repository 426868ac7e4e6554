# SPDX-License-Identifier: Apache-2.0
"""action.yml: what its step runs, with the environment that the service gives it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml
from conftest import TREE

CANNOT_SAY = 122


def steps() -> list[dict[str, str]]:
    text = (TREE / "action.yml").read_text(encoding="utf-8")
    found: list[dict[str, str]] = yaml.safe_load(text)["runs"]["steps"]
    return found


@pytest.mark.requires("perf_event", "one_node")
def test_the_check_of_the_action_runs_and_writes_its_files(tmp_path: Path) -> None:
    given = {"GITHUB_ACTION_PATH": str(TREE), "COMMAND": "echo 'a  b' > out", "MAX_REMOTE": "10%", "MACHINE": ""}
    command = ["bash", "-e", "-c", steps()[1]["run"]]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | given, capture_output=True, text=True, check=False)
    assert done.returncode == CANNOT_SAY, done.stderr
    assert (tmp_path / "out").read_text() == "a  b\n"
    assert {"numaprof.numaprof", "numaprof.sarif", "numaprof.xml"} <= {path.name for path in tmp_path.iterdir()}


def test_each_step_takes_its_inputs_from_the_environment_alone() -> None:
    """An input that is pasted into a script could end the script's own quotes."""
    assert all("${{" not in step["run"] for step in steps())
