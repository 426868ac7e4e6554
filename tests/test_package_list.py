# SPDX-License-Identifier: Apache-2.0
"""mk/packages: without a terminal it installs nothing unless PACKAGES=yes says so."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from conftest import TREE


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """Return a folder of tools for which every package is missing; apt-get writes its arguments to a file."""
    for name, body in (
        ("dpkg-query", "exit 1"),
        ("apt-get", f'echo "$@" >>{tmp_path}/installed'),
        ("sudo", 'exec "$@"'),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def packages(tools: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if key != "PACKAGES"}
    env |= {"PATH": f"{tools}:{env['PATH']}", **variables}
    command = [TREE / "mk/packages", "bench"]
    return subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("variables", [{}, {"PACKAGES": "no"}])
def test_without_consent_it_names_the_command_and_ends(tools: Path, variables: dict[str, str]) -> None:
    done = packages(tools, **variables)
    assert done.returncode == 2
    assert "apt-get install -y --no-install-recommends heaptrack" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tools / "installed").exists()


def test_with_consent_it_installs_what_is_missing(tools: Path) -> None:
    done = packages(tools, PACKAGES="yes")
    assert done.returncode == 0, done.stderr
    assert (tools / "installed").read_text() == "install -y -q --no-install-recommends heaptrack\n"
