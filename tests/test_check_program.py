# SPDX-License-Identifier: Apache-2.0
"""numaprof check PROGRAM: records, then checks, with the exit statuses of both. Judging: test_report_check."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

CANNOT_SAY = 122


def check(program: Path, folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [program, "check", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.requires("perf_event", "one_node")
def test_a_program_is_recorded_then_checked(program: Path, tmp_path: Path) -> None:
    done = check(program, tmp_path, "--max-remote", "10%", "-o", "x.numaprof", "true")
    assert done.returncode == CANNOT_SAY
    assert done.stdout == "cannot say: this machine has one node: nothing can be remote · x.numaprof\n"
    assert "recorded to x.numaprof" in done.stderr
    again = check(program, tmp_path, "x.numaprof", "--max-remote", "10%")
    assert (again.returncode, again.stdout) == (CANNOT_SAY, done.stdout)


@pytest.mark.requires("perf_event")
def test_a_program_that_fails_keeps_its_status(program: Path, tmp_path: Path) -> None:
    done = check(program, tmp_path, "--max-remote=10%", "--", "sh", "-c", "exit 3")
    assert done.returncode == 3


@pytest.mark.requires("perf_event")
def test_every_run_is_checked(program: Path, tmp_path: Path) -> None:
    done = check(program, tmp_path, "--max-remote", "10%", "-n", "2", "true")
    assert done.stdout.count("\n") == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["true"], "no --max-remote given"),
        (["--max-remote", "10%"], "FILE"),
        (["missing.numaprof", "--max-remote", "10%"], "missing.numaprof"),
        (["--max-remote", "much", "true"], "is not a percentage"),
    ],
)
def test_bad_input_gets_one_line_and_125(program: Path, tmp_path: Path, words: list[str], message: str) -> None:
    done = check(program, tmp_path, "-q", *words) if words[0] == "--max-remote" else check(program, tmp_path, *words)
    assert (done.returncode, done.stdout) == (125, "")
    assert message in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "words", [("--max-remote", "much"), ("--max-remote", "10%", "--sarif", "."), ("--max-remote", "")]
)
def test_bad_limits_are_refused_before_the_program_runs(program: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    done = check(program, tmp_path, *words, "--", "touch", "ran")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert words[-2] in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_limits_belong_to_check(program: Path, tmp_path: Path) -> None:
    words = [program, "record", "--max-remote", "10%", "true"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 125
    assert "belong to check" in done.stderr
