# SPDX-License-Identifier: Apache-2.0
"""Reports with too little memory, stack, or room for files: the cause in a line, never a traceback."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAM
from numaprof.text.messages import EXIT_FAILED
from scenarios import SCENARIOS

NOT_STARTED = 127  # of the dynamic linker
MIB, KIB = 1 << 20, 1 << 10
COMMANDS = ("report", "report --full", "report --html page.html", "report --json -", "export --format pprof",
            "check --max-remote 99%")  # fmt: skip


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path: Path = SCENARIOS["serial_init"]().write(tmp_path / "x.numaprof")
    return path


def limited(recording: Path, words: str, *limits: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["prlimit", *limits, str(PROGRAM), *words.split(), recording.name]
    return subprocess.run(
        command, cwd=recording.parent, capture_output=True, text=True, check=False, env=os.environ | environment
    )


@pytest.mark.parametrize("words", COMMANDS)
def test_a_limit_of_memory_is_named(recording: Path, words: str) -> None:
    for mib in range(24, 240, 12):
        done = limited(recording, words, f"--as={mib * MIB}")
        assert done.returncode in (0, EXIT_FAILED, NOT_STARTED), done.stderr
        if done.returncode == EXIT_FAILED:
            assert done.stderr == "numaprof: out of memory; ulimit -v unlimited, or free memory\n"


@pytest.mark.parametrize("words", COMMANDS)
def test_a_small_stack_is_enough(recording: Path, words: str) -> None:
    assert limited(recording, words, f"--stack={128 * KIB}").returncode == 0


def test_a_limit_of_files_is_named_and_breaks_no_later_report(recording: Path, tmp_path: Path) -> None:
    """Python would keep the bytecode that the limit cut off."""
    cache = {"PYTHONPYCACHEPREFIX": str(tmp_path / "cache")}
    done = limited(recording, "report --html page.html", f"--fsize={2 * KIB}", **cache)
    assert (done.returncode, done.stdout) == (EXIT_FAILED, "")
    assert done.stderr.splitlines()[-1] == (
        "numaprof: --html: cannot write page.html: File too large; ulimit -f unlimited"
    )
    assert sorted(path.name for path in recording.parent.glob("*.html")) == []
    assert limited(recording, "report --html page.html", **cache).returncode == 0


def test_a_report_that_cannot_be_written_fails(recording: Path) -> None:
    """Nor can the message, in a file on the same disk."""
    with (recording.parent / "out").open("wb") as out:
        command = ["prlimit", "--fsize=0", PROGRAM, "report", recording]
        assert subprocess.run(command, stdout=out, stderr=out, check=False).returncode == EXIT_FAILED
