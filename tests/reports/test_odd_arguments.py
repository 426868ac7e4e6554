# SPDX-License-Identifier: Apache-2.0
"""Odd values of all options of the reports: refused before anything is read or run, with the value and the choices."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import PROGRAM
from numaprof.commands import cli
from numaprof.text.messages import EXIT_FAILED
from scenarios import SCENARIOS

BLANK, NEGATIVE, HUGE, NAN, INFINITE, BYTES = "", "-1", "9" * 30, "nan", "1e400", os.fsdecode(b"\xff{}%s")
WORDS = (BLANK, NEGATIVE, HUGE, NAN, INFINITE, BYTES)
RUN = ("--", "touch", "ran")

# Options, what stands behind them, and the values that are refused.
NUMBERS = [
    ("report", "--top", (), (*WORDS, "0")),
    ("report", "--node", (), WORDS),
    ("check", "--max-remote", (), WORDS),
    ("check", "--min-coverage", ("--max-remote", "10%"), WORDS),
    ("sweep", "-n", RUN, (*WORDS, "0")),
    ("sweep", "-t", RUN, (*WORDS, "0", "4-2", "1,,2", "1-99999")),
    ("policies", "-n", RUN, (*WORDS, "0")),
    ("try", "-n", RUN, (*WORDS, "0")),
    ("try", "--advice", RUN, (*WORDS, "0")),
]
CHOICES = [
    ("report", "--sort", (), WORDS),
    ("report", "--thread", (), WORDS),
    ("report", "--object", (), WORDS),
    ("export", "--format", (), WORDS),
    ("export", "--value", ("--format", "folded"), WORDS),
    ("sweep", "--pin", RUN, (*WORDS[:2], *WORDS[3:], "compact,1", "0-")),
    ("policies", "--pin", RUN, (*WORDS[:2], *WORDS[3:])),
]
_FILES = (BLANK, "folder", "missing/file")
FILES = [
    *(("report", option, (), _FILES) for option in ("--html", "--json", "--schema")),
    *(("check", option, ("--max-remote", "10%"), _FILES) for option in ("--sarif", "--junit")),
    ("export", "-o", ("--format", "folded"), _FILES),
    ("try", "--html", RUN, _FILES),
    *((command, option, rest, (BLANK, "file", "/dev/full", "pipe"))
      for command, option, rest in (("report", "--csv", ()), ("try", "--keep", RUN))),
    ("report", "--source", (), (BLANK, "file", "/dev/full", "pipe", "missing")),
]  # fmt: skip
CASES = [
    pytest.param(command, option, value, rest, id=f"{command} {option}={value!a}")
    for command, option, rest, values in (*NUMBERS, *CHOICES, *FILES)
    for value in values
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recording, and with things that are no files."""
    folder = tmp_path_factory.mktemp("odd")
    SCENARIOS["serial_init"]().write(folder / "x.numaprof")
    (folder / "folder").mkdir()
    (folder / "file").touch()
    os.mkfifo(folder / "pipe")
    return folder


@pytest.mark.parametrize(("command", "option", "value", "rest"), CASES)
def test_a_bad_value_is_refused_before_anything_happens(  # noqa: PLR0917 (one is the case's)
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    option: str,
    value: str,
    rest: tuple[str, ...],
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setenv("NUMAPROF_PROGRAM", str(PROGRAM))
    before = sorted(os.listdir(place))
    file = () if command in ("sweep", "policies") else ("x.numaprof",)
    assert cli.run([command, *file, f"{option}={value}" if option.startswith("--") else f"{option}{value}", *rest]
                   if value else [command, *file, option, value, *rest]) == EXIT_FAILED  # fmt: skip
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("numaprof: ") and err.count("\n") == 1
    assert option in err
    assert sorted(os.listdir(place)) == before


@pytest.mark.parametrize("file", ["", "folder", "file", "pipe", "/dev/full", "missing", os.fsdecode(b"\xff")])
@pytest.mark.parametrize("command", ["report", "check --max-remote=10%", "export --format=pprof", "try"])
def test_what_is_no_recording_is_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, file: str
) -> None:
    """A pipe would keep the reader waiting."""
    monkeypatch.chdir(place)
    assert cli.run([*command.split(), file]) == EXIT_FAILED
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("numaprof: ") and err.count("\n") == 1
