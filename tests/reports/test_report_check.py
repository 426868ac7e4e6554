# SPDX-License-Identifier: Apache-2.0
"""numaprof check: its exit codes, its one line, and when it refuses to say."""

from __future__ import annotations

from pathlib import Path

import pytest
from book import Book
from numaprof.commands.arguments import percentage
from numaprof.text.messages import EXIT_CANNOT_SAY, EXIT_FAILED, EXIT_LIMIT_EXCEEDED
from stories import STORIES
from test_report_recording import reports


def check(book: Book, folder: Path, *arguments: str) -> tuple[int, str]:
    path = book.write(folder / "sum.numaprof")
    done = reports("check", path, *arguments)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert str(path) in done.stdout
    return done.returncode, done.stdout


def test_within_the_limit(tmp_path: Path) -> None:
    status, line = check(STORIES["parallel_init"](), tmp_path, "--max-remote", "10%")
    assert status == 0
    assert line.startswith(
        "ok: 0.6 % of DRAM requests are remote (demand reads + prefetches), limit 10.0 %, 100 % of CPU"
    )


def test_limit_exceeded(tmp_path: Path) -> None:
    status, line = check(STORIES["serial_init"](), tmp_path, "--max-remote", "10%")
    assert status == EXIT_LIMIT_EXCEEDED
    assert line.startswith("exceeded: 50.0 %")


def test_the_limit_itself_is_within(tmp_path: Path) -> None:
    assert check(STORIES["serial_init"](), tmp_path, "--max-remote", "50")[0] == 0


@pytest.mark.parametrize(
    ("book", "why"),
    [
        (STORIES["multiplexed"](), "33 % of CPU time counted, 50.0 % needed"),
        (STORIES["faults_only"](), "no counters told local from remote"),
        (STORIES["hinted"](), "no counters told local from remote"),
        (STORIES["one_node_plan"](), "all threads sat on node 0"),
        (STORIES["one_node_machine"](), "one node: nothing can be remote"),
        (STORIES["killed_recorder"](), "cut short"),
        (STORIES["serial_init"]().change("thread", cpu_ns=None), "an unknown part of CPU time counted"),
        (STORIES["no_threads"](), "no counters"),
    ],
)
def test_cannot_say(book: Book, why: str, tmp_path: Path) -> None:
    status, line = check(book, tmp_path, "--max-remote", "10%")
    assert status == EXIT_CANNOT_SAY
    assert line.startswith("cannot say: ")
    assert why in line


def test_less_coverage_can_be_accepted(tmp_path: Path) -> None:
    book = STORIES["multiplexed"]()
    assert check(book, tmp_path, "--max-remote", "60%", "--min-coverage", "30%")[0] == 0


def test_least_coverage_of_all_is_never_accepted(tmp_path: Path) -> None:
    book = STORIES["multiplexed"](share=0.05)
    assert check(book, tmp_path, "--max-remote", "60%", "--min-coverage", "0%")[0] == EXIT_CANNOT_SAY


def test_no_requests_are_within_any_limit(tmp_path: Path) -> None:
    book = STORIES["little_traffic"]().change("count", value=0)
    status, line = check(book, tmp_path, "--max-remote", "0%")
    assert status == 0
    assert "no request reached DRAM" in line


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        ((), "required: --max-remote"),
        (("--max-remote",), "expected one argument"),
        (("--max-remote", "much"), "'much' is not a percentage"),
        (("--max-remote", "nan"), "not between"),
        (("--max-remote", "101%"), "not between"),
        (("--max-remote", "-1%"), "expected one argument"),
        (("--max-remote", "0.1"), "write 0.1% or 10%"),
        (("--max-remote", "1%", "--frob"), "unrecognized arguments: --frob"),
        (("--max-remote", "1%", "two.numaprof"), "unrecognized arguments"),
    ],
)
def test_bad_arguments(arguments: tuple[str, ...], cause: str, tmp_path: Path) -> None:
    done = reports("check", STORIES["serial_init"]().write(tmp_path / "sum.numaprof"), *arguments)
    assert done.returncode == EXIT_FAILED
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert cause in done.stderr
    assert "see numaprof check --help" in done.stderr


def test_percentage() -> None:
    assert percentage("10%") == percentage("10") == 0.1
    assert percentage("0.5%") == 0.005
    assert percentage("0") == 0


def test_help_names_the_codes() -> None:
    done = reports("check", "--help")
    assert done.returncode == 0
    assert str(EXIT_LIMIT_EXCEEDED) in done.stdout
    assert str(EXIT_CANNOT_SAY) in done.stdout
