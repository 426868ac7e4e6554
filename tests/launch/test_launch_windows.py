# SPDX-License-Identifier: Apache-2.0
"""When counting goes on: --delay, --duration, --control, --paused and marks in the program; and names and repeats."""

from __future__ import annotations

import array
import contextlib
import fcntl
import os
import socket
import sqlite3
import stat
import subprocess
import termios
from pathlib import Path

import pytest
from conftest import BUILD, PROGRAM, TREE
from running import one, rows, run, run_command, target, until

WINDOWS = "SELECT cause, start_ns, end_ns FROM window ORDER BY start_ns"
MS = 1_000_000


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return tmp_path / "r.numaprof"


def windows(recording: Path, *words: object) -> list[tuple[str, int, int]]:
    done = run("record", "-q", "-o", recording, *words)
    assert (done.status, done.err) == (0, "")
    return rows(recording, WINDOWS)


def windows_of_cat(recording: Path, *options: object, closed: bool) -> list[tuple[str, int, int]]:
    """It runs until there is a window, which has its end if closed: the recorder may be late on a busy machine."""

    def has_come() -> bool:
        with contextlib.suppress(sqlite3.Error):  # it is being written
            return [end is not None for _, _, end in rows(recording, WINDOWS)] == [closed]
        return False

    command = [PROGRAM, "record", "-q", "-o", recording, *options, "cat"]
    with subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE) as recorder:
        until(has_come)
        recorder.communicate()
    assert recorder.returncode == 0
    return rows(recording, WINDOWS)


def test_the_whole_run(recording: Path) -> None:
    assert windows(recording, "true") == [("run", 0, None)]


def test_delay(recording: Path) -> None:
    [(cause, start, end)] = windows_of_cat(recording, "--delay", 100, closed=False)
    assert cause == "delay"
    assert start >= 100 * MS
    assert end is None


def test_delay_beyond_the_end(recording: Path) -> None:
    assert windows(recording, "--delay", 60000, "true") == []


def test_duration(recording: Path) -> None:
    [(cause, start, end)] = windows_of_cat(recording, "--duration", 100, closed=True)
    assert (cause, start) == ("run", 0)
    assert end >= 100 * MS


def test_delay_and_duration(recording: Path) -> None:
    [(cause, start, end)] = windows_of_cat(recording, "--delay", 100, "--duration", 100, closed=True)
    assert cause == "delay"
    assert end > start
    assert end >= 200 * MS


def unread(fifo: int) -> int:
    count = array.array("i", [0])
    fcntl.ioctl(fifo, termios.FIONREAD, count)
    return count[0]


@pytest.mark.parametrize("there_before", [True, False])
def test_control(there_before: bool, recording: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    if there_before:
        os.mkfifo(fifo)
    command = [PROGRAM, "record", "-q", "--paused", "--control", fifo, "-o", recording, target("reader")]
    with subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as recorder:
        assert recorder.stdin and recorder.stdout and recorder.stderr
        recorder.stdout.readline()
        for order in ("start", "stop", "stop", "start", "nonsense\nnonsense", "stop", "start"):
            with fifo.open("r+b", buffering=0) as end:
                end.write(f"{order}\n".encode())
                until(lambda end=end: unread(end.fileno()) == 0)
        recorder.stdin.close()
        recorder.stdout.read()
        assert recorder.stderr.read().count("nonsense") == 1
    assert recorder.returncode == 0
    assert [(cause, end is None) for cause, _, end in rows(recording, WINDOWS)] == [
        ("control", False),
        ("control", False),
        ("control", True),
    ]
    assert fifo.exists() == there_before


def test_control_leaves_a_file_that_the_program_put_there(recording: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    script = f"rm {fifo}; echo precious > {fifo}"
    assert run("record", "-q", "--control", fifo, "-o", recording, "sh", "-c", script) == (0, "", "")
    assert fifo.read_text() == "precious\n"


def test_control_is_no_fifo(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("precious")
    for path in (plain, tmp_path, tmp_path / "no" / "fifo"):
        done = run("record", "-q", "--control", path, "true", cwd=tmp_path)
        assert done.status == 125
        assert done.err.count("\n") == 1
    assert plain.read_text() == "precious"
    assert [file.name for file in tmp_path.iterdir()] == ["plain"]


def test_marks_in_the_program(recording: Path) -> None:
    program = target("region")
    assert run_command(program, 3).out == "3\n"
    assert [(cause, end is None) for cause, _, end in windows(recording, "--paused", program, 3)] == [
        ("mark", False)
    ] * 3
    recording.unlink()
    [(cause, start, end)] = windows(recording, program, 3)[:1]
    assert (cause, start, end is None) == ("run", 0, False)


@pytest.mark.parametrize("flags", [["-std=c99"], ["-std=c99", "-static"], ["-std=c99", "-DNUMAPROF_OFF"], ["-xc++"]])
@pytest.mark.requires("g++")
def test_the_header_suits_any_program(flags: list[str], tmp_path: Path) -> None:
    warnings = ["-Wall", "-Wextra", "-Werror"] if "-static" not in flags else []  # dlsym there warns, and does nothing
    source = TREE / "tests" / "targets" / "region.c"
    compiler = "g++" if "-xc++" in flags else "gcc"
    subprocess.run([compiler, *flags, *warnings, f"-I{TREE}", source, "-o", tmp_path / "region"], check=True)
    assert run("record", "-q", "-o", tmp_path / "r.numaprof", tmp_path / "region", 2).out == "2\n"


def test_repeats(tmp_path: Path) -> None:
    done = run("record", "-n", 3, "-o", "run.numaprof", "sh", "-c", "exit 4", cwd=tmp_path)
    assert done.status == 4
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["run.1.numaprof", "run.2.numaprof", "run.3.numaprof"]
    assert [one(tmp_path / name, "SELECT repeat, exit_status FROM run") for name in names] == [(1, 4), (2, 4), (3, 4)]
    assert all(name in done.err for name in names)


def test_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "7")
    done = run("record", "-q", "-o", "%q{RANK}-%h-%%-%p.x", "sh", "-c", "echo $$", cwd=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [f"7-{socket.gethostname()}-%-{int(done.out)}.x"]


def test_the_name_without_a_wish(tmp_path: Path) -> None:
    done = run("record", "-q", "/bin/sh", "-c", "echo $$", cwd=tmp_path)
    [file] = tmp_path.iterdir()
    assert file.name == f"sh.{int(done.out)}.numaprof"
    assert stat.S_IMODE(file.stat().st_mode) & 0o111 == 0


@pytest.mark.parametrize("pattern", ["%", "%x", "%q", "%q{", "%q{NOT_SET_ANYWHERE}", "n" * 5000])
def test_names_that_cannot_be_made(pattern: str, tmp_path: Path) -> None:
    done = run("record", "-q", "-o", pattern, "touch", "ran", cwd=tmp_path)
    assert done.status == 125
    assert done.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_header_is_installed_with_the_library() -> None:
    """What the header looks up is what the library offers."""
    symbols = run_command("nm", "-D", "--defined-only", BUILD / "libnumaprof-preload.so").out.split()
    header = (TREE / "include" / "numaprof.h").read_text()
    for name in ("numaprof_region_start", "numaprof_region_stop"):
        assert name in symbols
        assert f'("{name}")' in header
