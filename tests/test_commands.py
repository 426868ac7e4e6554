# SPDX-License-Identifier: Apache-2.0
"""The command line as a whole: the list of commands, help, and mistyped words."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from conftest import PROGRAM


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


def commands() -> list[str]:
    """Of all groups of the list."""
    return re.findall(r"^  ([a-z]+) +\w", run("--help").stdout, re.MULTILINE)


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


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("--pni", "none", "true"), "--pni is not an option; did you mean --pin?"),
        (("--ouptut=x", "true"), "--ouptut=x is not an option; did you mean --output?"),
        (("--html", "x", "true"), "--html is not an option; numaprof report has it; see numaprof help report"),
        (("-p", "1"), "-p is not an option; numaprof attach has it; see numaprof help attach"),
        (("--nothing", "true"), "--nothing is not an option; see numaprof help run; options stand before the program"),
        (("--" + "x" * 300, "true"), None),
        (("report", "--htlm", "x", "y"), "unrecognized arguments: --htlm; did you mean --html?"),
        (("diff", "--zzz", "x", "y"), "unrecognized arguments: --zzz; see numaprof diff --help"),
    ],
)
def test_a_mistyped_option_is_suggested(words: tuple[str, ...], remedy: str | None) -> None:
    done = run(*words)
    assert done.returncode == 125
    assert done.stderr == f"numaprof: {remedy}\n" if remedy else "did you mean" not in done.stderr


@pytest.mark.parametrize("word", ["x", "nosuchprogram", "./reprot", "a" * 300, ""])
def test_other_words_are_programs(word: str) -> None:
    done = run(word)
    assert done.returncode == 127
    assert "did you mean" not in done.stderr


def test_a_program_of_this_folder_is_suggested(tmp_path: Path) -> None:
    program, text = tmp_path / "serial", tmp_path / "notes"
    program.touch(0o755)
    text.touch(0o644)
    done = subprocess.run([PROGRAM, "serial"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (127, "numaprof: serial: no such program; did you mean ./serial?\n")
    done = subprocess.run([PROGRAM, "notes"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 126
    assert done.stderr.startswith("numaprof: ./notes cannot be executed: permission denied; chmod +x it")


def test_a_recording_is_no_program(tmp_path: Path) -> None:
    file = tmp_path / "x.numaprof"
    for mode in (0o644, 0o755):
        file.touch(mode)
        done = run(str(file))
        expected = f"numaprof: {file} is a recording, not a program; put report, diff, check or try before it\n"
        assert (done.returncode, done.stderr) == (126, expected)
    assert "no such program" in run("missing.numaprof").stderr


def test_a_bad_value_is_named() -> None:
    for command in (("record",), ("top",)):
        done = run(*command, "--events", "bogus", *(("true",) if command == ("record",) else ()))
        assert "--events bogus: not a list of classes such as demand_rd,demand_rfo," in done.stderr
    assert 'cannot make a name from ""' in run("record", "-o", "", "true").stderr


@cache
def help_of(command: str) -> str:
    return run(command, "--help").stdout


@pytest.mark.parametrize("command", ["run", "check", "doctor", "topology", "events", "verify", "report", "diff", "try"])
def test_what_the_options_mean_stands_in_one_column(command: str) -> None:
    options = [re.match(r" +-.*?\S {2,}(?=\S)", line) for line in help_of(command).splitlines()]
    assert len({option.end() for option in options if option}) == 1


@pytest.mark.parametrize("command", ["run", "import", "attach", "top", "topology"])
def test_defaults_of_the_options_stand_in_one_column(command: str) -> None:
    options = help_of(command).split("\n\n", 1)[1].splitlines()
    assert len({line.rindex("[") for line in options if line.endswith("]")}) == 1


@pytest.mark.parametrize("command", commands())
def test_every_help_begins_with_its_usage(command: str) -> None:
    assert help_of(command).startswith("usage: numaprof ")


WORDS = ("", "-1", "9" * 30, "nan", "1e400", os.fsdecode(b"\xff{}%s"), "5x", " ", "1,,2", "4-2")
NO_FOLDERS = ("", "file", "missing")
RUN = ("--", "touch", "ran")
MEASURE = ("--measure", "--plan")

# Options of the C program, the values that are refused, what stands behind them. Of the reports: test_odd_arguments.py.
ODD = [
    *((command, option, WORDS, RUN) for command in ("run", "record")
      for option in ("--interval", "--delay", "--duration", "--pin", "--events", "--without", "-n")),
    *((command, "--place", (*NO_FOLDERS[::2], "folder", "/dev/null"), RUN) for command in ("run", "record")),
    *((command, "-o", ("", "folder", "missing/x", "/dev/full", "%z", "%q{"), RUN) for command in ("run", "record")),
    ("run", "--control", ("folder", "file", "missing/x", "/dev/null"), RUN),
    *(("attach", option, WORDS, ("-p", "1")) for option in ("--duration", "--interval", "--without")),
    ("attach", "-p", WORDS, ()),
    *((command, "--sysroot", NO_FOLDERS, ()) for command in ("doctor", "topology", "events")),
    *(("topology", option, WORDS, MEASURE) for option in ("--from", "--to", "--only", "--size")),
    ("topology", "--cached", ("missing", "folder", "file", "/dev/null"), ()),
    ("events", "--cpu", WORDS, ()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "option", "value", "rest"),
    [(command, option, value, rest) for command, option, values, rest in ODD for value in values],
    ids=ascii,
)
def test_a_bad_value_is_refused_before_anything_runs(
    tmp_path: Path, command: str, option: str, value: str, rest: tuple[str, ...]
) -> None:
    """In one line that names the option or the value."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    words = [f"{option}={value}"] if option.startswith("--") else [option, value]
    done = subprocess.run([PROGRAM, command, *words, *rest], capture_output=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (125, b"")
    assert done.stderr.startswith(b"numaprof: ") and done.stderr.count(b"\n") == 1
    long = {"-n": "--repeats"}.get(option, option)
    assert long.encode() in done.stderr or value.encode("ascii", "ignore") in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]
