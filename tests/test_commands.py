# SPDX-License-Identifier: Apache-2.0
"""The command line as a whole: the list of commands, help, and mistyped words."""

from __future__ import annotations

import re
import subprocess

import pytest
from conftest import PROGRAM


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


def commands() -> list[str]:
    listed = run("--help").stdout.split("\n\n")[1]
    return [line.split()[0] for line in listed.splitlines()]


def test_help_lists_the_commands_and_how_to_go_on() -> None:
    assert {"run", "record", "report", "diff", "check", "doctor", "lab", "help"} <= set(commands())
    assert run("help").stdout == run("-h").stdout == run("--help").stdout
    assert run("help").returncode == 0
    assert max(len(line) for line in run("--help").stdout.splitlines()) <= 110


@pytest.mark.parametrize("command", ["run", "report", "doctor", "topology", "events", "help"])
def test_help_of_a_command_is_what_the_command_says(command: str) -> None:
    asked = run("help", command)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout == run(command, "--help").stdout


@pytest.mark.parametrize(
    ("word", "meant"),
    [("reprot", "report"), ("dif", "diff"), ("docter", "doctor"), ("topolgy", "topology"), ("polices", "policies")],
)
def test_a_mistyped_command_is_suggested(word: str, meant: str) -> None:
    done = run(word, "x.numaprof")
    assert done.returncode == 127
    assert done.stderr == f"numaprof: {word}: no such program; did you mean numaprof {meant}?\n"
    asked = run("help", word)
    assert asked.returncode == 125
    assert asked.stderr == f"numaprof: no such command: {word}; did you mean numaprof help {meant}?\n"


@pytest.mark.parametrize("word", ["x", "nosuchprogram", "./reprot", "a" * 300, ""])
def test_other_words_are_programs(word: str) -> None:
    done = run(word)
    assert done.returncode == 127
    assert "did you mean" not in done.stderr


@pytest.mark.parametrize("command", ["run", "check", "doctor", "topology", "events", "verify", "report", "diff", "try"])
def test_what_the_options_mean_stands_in_one_column(command: str) -> None:
    options = [re.match(r" +-.*?\S {2,}(?=\S)", line) for line in run(command, "--help").stdout.splitlines()]
    assert len({option.end() for option in options if option}) == 1
