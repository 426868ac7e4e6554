# SPDX-License-Identifier: Apache-2.0
"""A program behaves as without numaprof: each prints and returns the same alone and recorded, by root and by others."""

from __future__ import annotations

import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, NOBODY, PROGRAM
from running import one, rows, run, run_as_nobody, run_command, target, until

LIBRARY = BUILD / "libnumaprof-preload.so"
PROGRAMS = {
    "everywhere": ("everywhere",),
    "all_keys": ("all_keys",),
    "sandboxed by prctl": ("sandboxed", "prctl"),
    "sandboxed by seccomp": ("sandboxed", "seccomp"),
    "sandboxed strictly": ("sandboxed", "strict"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_behaves_as_alone(name: str, tmp_path: Path) -> None:
    program, *arguments = PROGRAMS[name]
    alone = run_command(target(program), *arguments)
    assert run("record", "-q", "-o", tmp_path / "r.numaprof", target(program), *arguments) == alone


@pytest.mark.requires("root")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_behaves_as_alone_for_an_ordinary_user(name: str, public_place: Path) -> None:
    program, *arguments = PROGRAMS[name]
    copied = shutil.copy(target(program), public_place / program)
    alone = run_command(*NOBODY, copied, *arguments, cwd=public_place)
    assert run_as_nobody(public_place, copied, *arguments) == alone


@pytest.mark.parametrize("way", ["prctl", "seccomp", "strict"])
def test_what_a_sandbox_hides_is_noted(way: str, tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    assert run("record", "-q", "-o", recording, target("sandboxed"), way).status == 3
    assert one(recording, "SELECT value FROM note WHERE kind = 'sandbox'") == 1
    assert one(recording, "SELECT pin FROM thread ORDER BY id LIMIT 1") == "none"
    recording.unlink()
    assert run("record", "-q", "-o", recording, target("outlives"), input="x\n").status == 0
    assert rows(recording, "SELECT value FROM note WHERE kind = 'sandbox'") == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_program_that_outlives_numaprof_has_all_its_cpus(number: signal.Signals, tmp_path: Path) -> None:
    command = [str(PROGRAM), "record", "-q", "-o", str(tmp_path / "r.numaprof"), str(target("outlives"))]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    question = "s\n" if number == signal.SIGTERM else "x\n"
    alone = run_command(target("outlives"), input=question).out
    with subprocess.Popen(command, **pipes) as recorder:  # type: ignore[call-overload]
        assert recorder.stdout.readline() == "ready\n"

        def is_gone() -> bool:
            recorder.send_signal(number)  # the program ignores TERM; at the second one numaprof leaves it
            return recorder.poll() is not None

        until(is_gone)
        recorder.stdin.write(question)
        recorder.stdin.flush()
        assert "ready\n" + recorder.stdout.read() == alone


def exported() -> set[str]:
    """The functions that the preload library stands before."""
    command = ["readelf", "--wide", "--dyn-syms", str(LIBRARY)]
    rows = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    words = [row.split() for row in rows]
    return {word[7] for word in words if len(word) == 8 and word[3] == "FUNC" and word[6] != "UND"}


def test_every_function_that_the_library_stands_before_is_called_everywhere() -> None:
    """With a cancellation pending, in a signal handler, in children of fork, clone and vfork, and in a destructor."""
    names = set(run_command(target("everywhere"), "names").out.split())
    assert exported() - names == set()
