# SPDX-License-Identifier: Apache-2.0
"""Signals to numaprof try, sweep and policies: what was measured is printed, and nothing is left running."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BUILD, PROGRAM
from running import run

# The first run ends at once. The second tells its process id and waits for an end that never comes.
SCRIPT = """#!/bin/sh
if mkdir "$1/first" 2>/dev/null; then exit 0; fi
echo $$ > "$1/started"
read forever < "$1/never"
"""
# numaprof try as the command line starts it. One node gives no advice: here it is to place the largest heap block.
TRY = """
import sys
from test_trial import Trial
from numaprof.commands import cli, try_fix
try_fix.proposals = Trial.proposals
sys.argv[1:1] = ["try"]
sys.exit(cli.main())
"""
SUM = BUILD / "examples" / "sum_serial"


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """Of the program that waits in its second run."""
    script = tmp_path / "waits"
    script.write_text(SCRIPT)
    script.chmod(0o755)
    for name in ("started", "never"):
        os.mkfifo(tmp_path / name)
    return [str(script), str(tmp_path)]


def interrupted(command: list[str], folder: Path, number: signal.Signals) -> tuple[int, str]:
    """Exit status and stdout of the command, which gets the signal in the second run of its program."""
    paths = os.pathsep.join([*sys.path, str(Path(__file__).parent)])
    environment = {**os.environ, "NUMAPROF_PROGRAM": str(PROGRAM), "PYTHONPATH": paths}
    with subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        waiting = int((folder / "started").read_text())
        process.send_signal(number)
        out, _ = process.communicate()
    assert not is_running(waiting)
    return process.returncode, out


def is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.requires("one_node", "gcc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_trial_keeps_its_runs(tmp_path: Path, command: list[str], number: signal.Signals) -> None:
    recording, kept = tmp_path / "sum.numaprof", tmp_path / "kept"
    assert run("record", "-q", "-o", recording, SUM, 2, 16).status == 0
    trial = [sys.executable, "-c", TRY, str(recording), "-n", "2", "--keep", str(kept), "--", *command]
    status, out = interrupted(trial, tmp_path, number)
    assert status == 128 + number
    assert "interrupted: some sides have fewer runs" in out
    assert (kept / "plain.1.numaprof").exists()


@pytest.mark.requires("one_node", "gcc")
@pytest.mark.parametrize(
    ("program", "status", "said"),
    [
        ("kill -STOP $$", 125, "the first run, unchanged, failed: stopped itself (SIGSTOP)"),
        ('rm -r "$TMPDIR"/numaprof-try-*', 125, "the folder of the runs was removed: "),
    ],
    ids=["stops itself", "removes the folder"],
)
def test_a_trial_ends_in_one_line(tmp_path: Path, program: str, status: int, said: str) -> None:
    recording, temporary = tmp_path / "sum.numaprof", tmp_path / "temporary"
    temporary.mkdir()
    assert run("record", "-q", "-o", recording, SUM, 2, 16).status == 0
    words = [sys.executable, "-c", TRY, recording, "-n", "2", "--", "sh", "-c", f"{program}; : {tmp_path}"]
    paths = os.pathsep.join([*sys.path, str(Path(__file__).parent)])
    own = {"NUMAPROF_PROGRAM": str(PROGRAM), "PYTHONPATH": paths, "TMPDIR": str(temporary)}
    done = subprocess.run(
        list(map(str, words)), env={**os.environ, **own}, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == status and said in done.stderr and "Traceback" not in done.stderr
    assert os.listdir(temporary) == []
    assert str(tmp_path) not in commands_running()


def commands_running() -> str:
    """Command lines of all other processes."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) != os.getpid():
            with contextlib.suppress(OSError):
                found.append(Path(f"/proc/{pid}/cmdline").read_text(errors="replace"))
    return "\n".join(found)


@pytest.mark.parametrize("words", [["sweep", "-t", "1", "-n", "2"], ["policies", "-n", "2"]])
def test_interrupted_rounds_print_their_table(tmp_path: Path, command: list[str], words: list[str]) -> None:
    status, out = interrupted([str(PROGRAM), *words, "--no-record", "--", *command], tmp_path, signal.SIGINT)
    assert status == 130
    assert "interrupted: some settings have fewer runs" in out
