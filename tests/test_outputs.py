# SPDX-License-Identifier: Apache-2.0
"""Options of the C program and of the lab that name files: none replaces a file. Of reports: test_output_files.py."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from conftest import PROGRAM
from importing.perf_data import PerfData
from numaprof.commands import cli
from test_commands import commands, help_of

RECORDERS = ("run", "record", "attach", "import")
# Option -> what it is for. A name that is written to is an output.
OUTPUT, INPUT = "output", "input"
NAMES = {
    **{(command, "-o"): OUTPUT for command in RECORDERS},
    ("lab", "--console"): OUTPUT,
    ("lab", "--scratch"): INPUT,  # a folder that the guest writes to as the command wishes
    **{(command, option): INPUT for command in ("run", "record") for option in ("--control", "--place")},
    **{(command, "--cgroup"): INPUT for command in ("attach", "top")},
    **{(command, "--sysroot"): INPUT for command in ("import", "doctor", "topology", "events")},
    ("import", "--symfs"): INPUT,
    ("doctor", "-o"): INPUT,
}
OF_REPORTS = {("topology", "--html")}  # handed on


def named_options(command: str) -> Iterator[str]:
    """Options whose value the help calls a file, a folder, or a pattern of names."""
    for line in help_of(command).splitlines():
        if found := re.match(r" +(--?\w[\w-]*)(?:, --[\w-]+)? (FILE|OUT|DIR|PATH|PATTERN|FIFO)\b", line):
            yield found.group(1)


@cache
def c_commands() -> list[str]:
    return [command for command in commands() if command not in cli.COMMANDS or command in ("top", "topology")]


def test_every_option_that_names_a_file_is_known_to_write_or_not() -> None:
    found = {(command, option) for command in c_commands() for option in named_options(command)}
    assert found - OF_REPORTS == set(NAMES)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "old.numaprof").write_bytes(b"SQLite format 3\0 and the rest")
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    (tmp_path / "perf.data").write_bytes(PerfData().data())
    return tmp_path


def command_line(command: str, option: str, value: str) -> list[str | Path]:
    behind = {"attach": ["-p", str(os.getpid())], "import": ["perf.data"], "lab": ["--", "true"]}
    return [PROGRAM, command, option, value, *behind.get(command, ["touch", "ran"])]


@pytest.mark.parametrize("victim", ["old.numaprof", "main.c", "perf.data"])
@pytest.mark.parametrize(("command", "option"), [name for name, kind in NAMES.items() if kind == OUTPUT])
def test_an_output_replaces_no_file(place: Path, command: str, option: str, victim: str) -> None:
    """Nor is anything run."""
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    done = subprocess.run(command_line(command, option, victim), cwd=place, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert done.stderr.startswith("numaprof: ") and victim in done.stderr
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before
