# SPDX-License-Identifier: Apache-2.0
"""Exit statuses: the program's own, or 125, 126, 127 with one line of cause and remedy."""

from __future__ import annotations

import os
import platform
import re
import signal
from pathlib import Path

import pytest
from conftest import PROGRAM, TREE, build_c
from running import Ended, one, run, run_as_nobody, target, touched_pages


def record(tmp_path: Path, *words: object) -> Ended:
    return run("record", "-q", "-o", tmp_path / "r.numaprof", *words, cwd=tmp_path)


def assert_explained(done: Ended, status: int, *words: str) -> None:
    assert done.status == status, done
    assert done.err.count("\n") == 1, done.err
    assert done.err.startswith("numaprof: ")
    assert ";" in done.err, "a cause and a remedy"
    for word in words:
        assert word in done.err


@pytest.mark.parametrize("status", [0, 1, 125, 126, 127, 255])
def test_the_programs_own(status: int, tmp_path: Path) -> None:
    assert record(tmp_path, "sh", "-c", f"exit {status}") == (status, "", "")
    assert one(tmp_path / "r.numaprof", "SELECT exit_status, complete FROM run") == (status, 1)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT, signal.SIGPIPE, signal.SIGUSR1])
def test_death_by_signal(number: signal.Signals, tmp_path: Path) -> None:
    assert record(tmp_path, "sh", "-c", f"kill -{number} $$").status == -number
    assert one(tmp_path / "r.numaprof", "SELECT term_signal, complete FROM run") == (number, 1)


def test_a_crash_leaves_threads_and_homes(tmp_path: Path) -> None:
    assert record(tmp_path, target("crash")).status == -signal.SIGSEGV
    recording = tmp_path / "r.numaprof"
    assert one(recording, "SELECT count(*) FROM thread") == 3
    assert touched_pages(recording) >= 2 * 1024


def test_pipes_are_the_programs(tmp_path: Path) -> None:
    assert record(
        tmp_path,
        "sh",
        "-c",
        "cat; echo err >&2",
    ) == (0, "", "err\n")
    done = run("record", "-q", "-o", tmp_path / "pipe.numaprof", "tr", "a-z", "A-Z", input="loud\n", cwd=tmp_path)
    assert done == (0, "LOUD\n", "")


def test_not_found(tmp_path: Path) -> None:
    assert_explained(record(tmp_path, "no-such-program"), 127, "no-such-program")
    assert_explained(record(tmp_path, "./no/such"), 127, "no such program")
    assert_explained(record(tmp_path, ""), 127)
    assert list(tmp_path.iterdir()) == []


def test_cannot_be_run(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("#!/bin/sh\n")
    plain.chmod(0o644)
    assert_explained(record(tmp_path, plain), 126, "permission", "chmod")
    assert_explained(record(tmp_path, tmp_path), 126, "directory")
    plain.chmod(0o755)
    plain.write_text("#!/no/such/interpreter\n")
    assert_explained(record(tmp_path, plain), 126)
    plain.write_bytes(b"\x7fELF" + bytes(100))
    assert_explained(record(tmp_path, plain), 126)
    assert [file.name for file in tmp_path.iterdir()] == ["plain"]


def test_a_missing_interpreter_is_named(tmp_path: Path) -> None:
    """execve says that the program itself is missing."""
    script, program = tmp_path / "script", tmp_path / "program"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    build_c(program, str(TREE / "tests" / "targets" / "touch.c"), "-Wl,--dynamic-linker=/no/such/loader.so")
    for file, interpreter in ((script, "/no/such/interpreter"), (program, "/no/such/loader.so")):
        done = run("record", "-q", "-o", tmp_path / "r", file)
        assert done.status == 126
        assert done.err.startswith(f"numaprof: {file} cannot be run: its interpreter {interpreter} is missing; ")
        assert done.err.count("\n") == 1


def test_a_script_without_its_first_line(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("exit 6\n")
    script.chmod(0o755)
    assert record(tmp_path, script).status == 6


@pytest.mark.requires("root")
@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o711])
def test_programs_that_nobody_may_measure(mode: int, public_place: Path) -> None:
    other = public_place / "other"
    other.write_bytes(Path("/bin/true").read_bytes())
    other.chmod(mode)
    assert_explained(run_as_nobody(public_place, other), 126, "kernel", "root")
    assert not (public_place / "r.numaprof").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["--no-such-option", "true"],
        ["--pin", "9999", "true"],
        ["--pin", "fast", "true"],
        ["--interval", "0", "true"],
        ["--interval", "1x", "true"],
        ["-n", "-1", "true"],
        ["--without", "luck", "true"],
        ["--events", "nonsense", "true"],
        ["-o"],
        [],
    ],
)
def test_mistakes_in_options(words: list[str], tmp_path: Path) -> None:
    assert_explained(run("record", *words, cwd=tmp_path), 125)
    assert list(tmp_path.iterdir()) == []


def test_it_says_what_it_is() -> None:
    version = re.search(r'^version = "(.*)"', (TREE / "reports" / "pyproject.toml").read_text(), re.MULTILINE)
    assert version
    status, said, complaint = run("--version")
    first, built = said.splitlines()
    assert (status, first, complaint) == (0, f"numaprof {version[1]}", "")
    assert built.startswith("built by ")
    assert platform.machine() in built


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "r.numaprof").write_text("precious")
    assert_explained(record(tmp_path, "touch", tmp_path / "ran"), 125, "exists", "overwritten")
    assert (tmp_path / "r.numaprof").read_text() == "precious"
    assert not (tmp_path / "ran").exists()


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    assert_explained(run("record", "-o", tmp_path / "no" / "r", "true"), 125, "-o")
    assert_explained(run("record", "-o", "/proc/r", "true"), 125, "-o")


def test_it_works_where_descriptors_0_to_2_are_closed(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    pid = os.fork()
    if pid == 0:
        os.closerange(0, 3)
        os.execv(PROGRAM, [str(PROGRAM), "record", "-q", "-o", str(recording), "sh", "-c", "exit 4"])
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 4
    assert one(recording, "SELECT exit_status, complete FROM run") == (4, 1)
