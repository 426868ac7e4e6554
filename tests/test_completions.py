# SPDX-License-Identifier: Apache-2.0
"""Completions in real shells: commands, and the options that each command's --help names."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from conftest import PROGRAM


@pytest.fixture(scope="session")
def folder(built_man: Path) -> Path:
    return built_man / "completions"


def words(*command: object) -> list[str]:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=True, cwd="/")
    assert done.stderr == ""
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


def bash(folder: Path, *typed: str) -> list[str]:
    script = (
        f'source {folder}/numaprof; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _numaprof; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return words("bash", "-c", script, "bash", *typed)


def zsh(folder: Path, *typed: str) -> list[str]:
    """The functions of the completion system are replaced by ones that print what they are given."""
    stubs = (
        "compadd() { print -l -- ${(P)2} }; _describe() { print -l -- ${${(P)2}%%:*} }; _files() { print FILES }; "
        'words=("$@"); CURRENT=$#; PREFIX=${words[-1]}; '
    )
    return words("zsh", "-f", "-c", f"{stubs} source {folder}/_numaprof", "zsh", *typed)


def fish(folder: Path, *typed: str) -> list[str]:
    return words("fish", "--no-config", "-c", f"source {folder}/numaprof.fish; complete -C '{' '.join(typed)}'")


SHELLS = [
    bash,
    pytest.param(zsh, marks=pytest.mark.requires("zsh")),
    pytest.param(fish, marks=pytest.mark.requires("fish")),
]


@cache
def options_of(command: str) -> set[str]:
    told = subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True, check=True).stdout
    lines = [line for line in told.splitlines() if re.match(r" +-", line)]
    return {option for line in lines for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", line[:26])}


@pytest.mark.requires("man")
@pytest.mark.parametrize("shell", SHELLS)
def test_commands(shell: object, folder: Path) -> None:
    assert callable(shell)
    found = set(shell(folder, "numaprof", ""))
    assert {"run", "record", "report", "diff", "check", "doctor", "lab"} <= found
    assert {"report", "diff"} <= set(shell(folder, "numaprof", "help", ""))


@pytest.mark.requires("man")
@pytest.mark.parametrize("command", ["run", "report", "diff", "check", "topology"])
@pytest.mark.parametrize("shell", SHELLS)
def test_options_of_each_command(shell: object, command: str, folder: Path) -> None:
    assert callable(shell)
    expected = options_of(command)
    assert expected
    assert expected <= set(shell(folder, "numaprof", command, "--"))
