# SPDX-License-Identifier: Apache-2.0
"""The command line as the program numaprof hands it over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from numaprof.commands import report
from numaprof.recording import reader
from numaprof.text.messages import EXIT_FAILED
from scenarios import SCENARIOS
from test_report_recording import REPORTS, reports


@pytest.mark.parametrize(
    "arguments", [(), ("frobnicate",), ("--help",), ("report", "--frob"), ("diff", "one"), ("diff",)]
)
def test_bad_arguments(arguments: tuple[str, ...]) -> None:
    done = reports(*arguments)
    assert done.returncode == EXIT_FAILED
    assert done.stdout == ""
    assert done.stderr.startswith("numaprof: ")
    assert done.stderr.count("\n") == 1


def test_a_comparison_has_two_sides() -> None:
    done = reports("diff", "a", "--", "b", "--", "c")
    assert done.stderr == (
        "numaprof: -- is given more than once: there are only two sides; numaprof diff BEFORE... -- AFTER...\n"
    )


@pytest.mark.parametrize("command", ["report", "diff", "check"])
def test_help(command: str) -> None:
    done = reports(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: numaprof {command}")


def test_newest_recording_of_the_folder(tmp_path: Path) -> None:
    for name, age, signal_ in (("old", 2000, 6), ("new", 1000, 11)):
        path = SCENARIOS["serial_init"](exit_status=None, term_signal=signal_).write(tmp_path / f"{name}.numaprof")
        os.utime(path, (path.stat().st_mtime - age,) * 2)
    assert "ended by signal 11" in reports("report", cwd=tmp_path).stdout


def test_no_recording_in_the_folder(tmp_path: Path) -> None:
    done = reports("report", cwd=tmp_path)
    assert done.returncode == EXIT_FAILED
    assert "no *.numaprof in this folder" in done.stderr


def test_several_recordings(tmp_path: Path) -> None:
    paths = [SCENARIOS[scenario]().write(tmp_path / scenario) for scenario in ("serial_init", "parallel_init")]
    done = reports("report", *paths)
    assert done.returncode == 0
    assert done.stdout.count("REMOTE") == 2
    assert all(f"== {path} ==" in done.stdout for path in paths)


@pytest.mark.parametrize("repeat", [0, 1])
def test_each_recording_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repeat: int) -> None:
    """Also where one of several repeats is shown."""
    opened: list[str] = []
    check = reader._check_file
    monkeypatch.setattr(reader, "_check_file", lambda path: (opened.append(path), check(path)))
    paths = [
        str(SCENARIOS["serial_init"](repeat=1 + repeat * number).write(tmp_path / f"{number}.numaprof"))
        for number in range(3)
    ]
    assert report.main(paths) == 0
    assert opened == paths


def test_reader_that_goes_away(tmp_path: Path) -> None:
    """numaprof report | head -1: no traceback."""
    path = SCENARIOS["many_threads"](count=2000).write(tmp_path / "sum.numaprof")
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [str(REPORTS), "report", str(path)]
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, check=False)
    os.close(write_end)
    assert done.stderr == b""
    assert done.returncode == -signal.SIGPIPE


def test_terminal_that_knows_no_signs(tmp_path: Path) -> None:
    path = SCENARIOS["serial_init"]().write(tmp_path / "sum.numaprof")
    code = "import sys; from numaprof.commands.cli import main; sys.exit(main())"  # the launcher ignores PYTHON*
    command = [sys.executable, "-c", code, "report", "--full", str(path)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0
    assert "\\xb7" in done.stdout


@pytest.mark.parametrize("columns", ["1", "40", "1000"])
def test_odd_widths(columns: str, tmp_path: Path) -> None:
    path = SCENARIOS["serial_init"]().write(tmp_path / "sum.numaprof")
    done = reports("report", path, env={**os.environ, "COLUMNS": columns})
    assert done.returncode == 0
    assert "sum.c:17" in done.stdout


def test_names_of_files_are_cleaned(tmp_path: Path) -> None:
    path = SCENARIOS["serial_init"]().write(tmp_path / "\x1b[31m.numaprof")
    assert "\x1b" not in reports("report", path).stdout
    assert "\x1b" not in reports("report", tmp_path / "\x1b[31mnone").stderr


def test_start_up_loads_what_it_needs(tmp_path: Path) -> None:
    """Each of these costs tens of milliseconds at every start."""
    path = SCENARIOS["serial_init"]().write(tmp_path / "sum.numaprof")
    script = "import sys; from numaprof.commands import cli; cli.run(['report', sys.argv[1]])"
    script += "; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert not loaded & {
        "asyncio",
        "decimal",
        "email",
        "multiprocessing",
        "statistics",
        "numaprof.terminal.comparison_view",
    }


def test_repeats_are_one_report(tmp_path: Path) -> None:
    """numaprof -n 3: the spread of all, and the page of the run of median time."""
    seconds = (2.0, 2.4, 2.1)
    paths = [
        SCENARIOS["serial_init"](wall_ns=round(time * 1e9), repeat=number).write(tmp_path / f"{number}.numaprof")
        for number, time in enumerate(seconds, 1)
    ]
    done = reports("report", *paths)
    text = " ".join(done.stdout.split())
    assert text.startswith("3 runs: run time 2.10 s (2.00 s..2.40 s) · remote share 50.0 %")
    assert f"the run of median time, {paths[2]}." in text
    assert done.stdout.count("REMOTE") == 1
    full = reports("report", "--full", *paths)
    assert full.stdout.count("VERDICT") == 1
    assert f"numaprof diff {paths[0]} {paths[1]} {paths[2]} -- AFTER..." in " ".join(full.stdout.split())
    chosen = reports("report", "--thread", "4713", *paths).stdout
    assert "sum 4713" in full.stdout and "sum 4715" in full.stdout
    assert "sum 4713" in chosen and "sum 4715" not in chosen
    refused = reports("report", "--thread", "nobody", *paths)
    assert (refused.returncode, refused.stdout) == (EXIT_FAILED, "")
