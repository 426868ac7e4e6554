# SPDX-License-Identifier: Apache-2.0
"""Manual pages: one for each command, with every option of its --help and no other; man shows them without warnings."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from conftest import TREE

COMMANDS = re.findall(r'\{"([a-z]+)", cmd_\w+,', (TREE / "profiler" / "commands" / "commands.c").read_text())
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]+|-[a-zA-Z])(?![\w-])")
pytestmark = pytest.mark.requires("man")


@pytest.fixture(scope="session")
def pages(built_man: Path) -> Path:
    return built_man / "man"


def name_of(command: str) -> str:
    return "numaprof" if command == "run" else f"numaprof-{command}"


@cache
def shown(pages: Path, name: str) -> str:
    """What man prints, in lines wide enough for no word to be divided. Aliases are looked up below a man1."""
    aliases = re.match(r"\.so man1/(\S+)", (pages / f"{name}.1").read_text())
    page = pages / aliases[1] if aliases else pages / f"{name}.1"
    environment = {**os.environ, "MANWIDTH": "1000", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
    words = ["man", "--warnings", "-l", page]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert done.stderr == ""
    return re.sub(r".\x08", "", done.stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_has_the_options_of_the_help(program: Path, pages: Path, command: str) -> None:
    told = subprocess.run([program, command, "--help"], capture_output=True, text=True, check=True).stdout
    manual = shown(pages, name_of(command))
    options = manual.split("OPTIONS", 1)[1].split("COMMANDS", 1)[0]
    assert set(OPTION.findall(told)) - {"-h"} <= set(OPTION.findall(manual))
    explained = {
        option for line in told.splitlines() if line.lstrip().startswith("-") for option in OPTION.findall(line)
    }
    assert set(OPTION.findall(options.split("EXIT STATUS")[0])) <= set(OPTION.findall(told))
    assert explained <= set(OPTION.findall(options))


def test_every_command_is_told_on_the_first_page(pages: Path) -> None:
    manual = shown(pages, "numaprof")
    for command in set(COMMANDS) - {"run", "record"}:
        assert f"numaprof-{command}(1)" in manual, command


@pytest.mark.parametrize("command", COMMANDS)
def test_every_page_says_what_the_command_does_and_how_it_exits(pages: Path, command: str) -> None:
    manual = shown(pages, name_of(command))
    assert f"the command {command} of numaprof" not in manual, f"docs/man/{command}.txt is missing"
    assert "EXIT STATUS" in manual


def test_no_page_is_of_a_command_that_is_gone() -> None:
    assert {path.stem for path in (TREE / "docs" / "man").glob("*.txt")} <= set(COMMANDS)
