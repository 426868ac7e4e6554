# SPDX-License-Identifier: Apache-2.0
"""Processes and threads are followed, whatever the program is and however it starts others; what cannot is a note."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest
from running import one, rows, run, run_as_nobody, target, touched_pages

THREADS = (
    "SELECT pin, from_start, end_ns IS NOT NULL, count(*) FROM thread WHERE process = {} GROUP BY 1, 2, 3 ORDER BY 1"
)
FOLLOWED = "SELECT followed, end_ns IS NOT NULL, count(*) FROM process GROUP BY 1, 2"
NOTES = "SELECT text FROM note WHERE kind = 'not_followed'"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return tmp_path / "r.numaprof"


def record(recording: Path, *words: object, **options: object) -> int:
    done = run("record", "-q", "-o", recording, *words, **options)
    assert done.err == "", done.err
    return done.status


def test_threads_from_their_start(recording: Path) -> None:
    assert record(recording, target("touch"), 3, 2048) == 0
    assert rows(recording, THREADS.format(1)) == [("planned", 1, 1, 4)]
    assert touched_pages(recording) >= 3 * 512
    assert rows(recording, NOTES) == []


def test_fork_server(recording: Path) -> None:
    assert record(recording, target("fork_server"), 12, 256) == 0
    assert rows(recording, FOLLOWED) == [("preload", 1, 13)]
    assert one(recording, "SELECT count(*) FROM process WHERE parent = 1") == 12
    for process in rows(recording, "SELECT id FROM process WHERE parent = 1"):
        assert rows(recording, THREADS.format(process)) == [("planned", 1, 1, 2)]
        assert touched_pages(recording, process) >= 64


def test_exec_chain(recording: Path) -> None:
    touch = target("touch")
    assert record(recording, "sh", "-c", f"exec env WORD=1 sh -c 'exec {touch} 2 1024'") == 0
    assert one(recording, "SELECT exe, followed FROM process") == (str(touch), "preload")
    assert rows(recording, THREADS.format(1)) == [("planned", 1, 1, 3)]
    assert touched_pages(recording) >= 2 * 256


def test_a_fresh_environment_does_not_shake_us_off(recording: Path) -> None:
    assert record(recording, "env", "-i", target("touch"), 2, 1024) == 0
    assert rows(recording, THREADS.format(1)) == [("planned", 1, 1, 3)]


def test_double_forked_daemon(recording: Path, tmp_path: Path) -> None:
    done = run("record", "-q", "-o", recording, target("daemon"), tmp_path / "made", 1024)
    assert done.status == 3
    assert (tmp_path / "made").exists()
    assert rows(recording, FOLLOWED) == [("preload", 1, 3)]
    assert touched_pages(recording, 3) >= 256
    assert one(recording, "SELECT count(*) FROM thread WHERE process = 3") == 2


@pytest.mark.requires("mounts")
def test_init_of_a_container(recording: Path) -> None:
    """Its threads call themselves 1, 2, 3 in their own pid namespace."""
    assert record(recording, "unshare", "-p", "-f", "--mount-proc", target("touch"), 3, 1024) == 0
    container = one(recording, "SELECT id FROM process WHERE exe LIKE '%/touch'")
    assert rows(recording, THREADS.format(container)) == [("planned", 1, 1, 4)]
    assert touched_pages(recording, container) >= 3 * 256
    assert one(recording, "SELECT count(*) FROM thread WHERE tid < 10") == 0


@pytest.mark.parametrize("interpreter", ["/bin/sh", "/usr/bin/env -S sh", sys.executable])
def test_scripts(interpreter: str, recording: Path, tmp_path: Path) -> None:
    script = tmp_path / "script"
    body = "import threading, sys\nt = threading.Thread(target=print)\nt.start()\nt.join()\nsys.exit(5)"
    script.write_text(f"#!{interpreter}\n{body if 'python' in interpreter else 'exit 5'}\n")
    script.chmod(0o755)
    assert record(recording, script) == 5
    assert one(recording, "SELECT followed FROM process") == "preload"


def assert_inherited(recording: Path, program: Path, process: int) -> None:
    """Seen by the events that children inherit; neither pinned nor seen at its start, and a note says so."""
    assert one(recording, f"SELECT followed, exe, end_ns IS NOT NULL FROM process WHERE id = {process}") == (
        "inherited",
        str(program),
        1,
    )
    assert touched_pages(recording, process) >= 3 * 256
    assert one(recording, NOTES).startswith(str(program))


def test_static_program(recording: Path) -> None:
    program = target("touch", "-static", output="touch-static")
    assert record(recording, program, 3, 1024) == 0
    assert_inherited(recording, program, 1)
    assert "static" in one(recording, NOTES)


def test_notes_of_execs_are_bounded(recording: Path) -> None:
    """A target may exec programs without end: the recording must not grow by a note for each."""
    program = target("touch", "-static", output="touch-static")
    loop = f"i=0; while [ $i -lt 70 ]; do {program} 1 1; i=$((i+1)); done"
    assert record(recording, "sh", "-c", loop) == 0
    assert one(recording, "SELECT count(*) FROM note WHERE kind = 'not_followed'") == 64
    assert one(recording, "SELECT value FROM note WHERE kind = 'not_noted'") == 6


@pytest.mark.requires("perf_event")
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs to tell a pin from none")
def test_cpu_time_of_a_static_programs_threads_reaches_to_their_end(recording: Path) -> None:
    """Each thread ends long before the next look in /proc; once pinned, it is known to the recorder."""
    done = run("record", "-q", "-o", recording, target("timed", "-static", output="timed-static"), 30, 60, 90, 120)
    assert done.status == 0
    truth = {int(tid): int(ns) for tid, ns in map(str.split, done.out.splitlines())}
    recorded = rows(recording, "SELECT tid, cpu_ns, end_ns - start_ns FROM thread ORDER BY id")[1:]
    assert [tid for tid, _, _ in recorded] == list(truth)
    for tid, cpu_ns, wall_ns in recorded:
        assert truth[tid] * 0.95 <= cpu_ns <= wall_ns, tid


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs to tell a pin from none")
def test_what_a_static_program_starts_sees_all_cpus(recording: Path) -> None:
    """A launcher such as go: from its first child on its threads are not pinned; none is said to have chosen that."""
    program = target("starts_others", "-static", output="starts_others-static")
    assert record(recording, program) == 0
    assert one(recording, "SELECT text FROM note WHERE kind = 'unpinned'").startswith(str(program))
    assert set(rows(recording, "SELECT pin FROM thread")) == {"none"}


@pytest.mark.requires("gcc-m32")
@pytest.mark.parametrize("start", ["{}", "sh -c '{}; exit $?'"])
def test_programs_of_32_bits(start: str, recording: Path) -> None:
    """Their loader would complain of our library."""
    program = target("touch", "-m32", output="touch-32")
    assert record(recording, *shlex.split(start.format(f"{program} 3 1024"))) == 0
    process = one(recording, "SELECT id FROM process WHERE exe LIKE '%/touch-32'")
    assert_inherited(recording, program, process)


@pytest.mark.requires("musl-gcc")
@pytest.mark.parametrize("kind", ["dynamic", "static"])
def test_musl_programs(kind: str, recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "musl-gcc")
    program = target("touch", *(["-static"] if kind == "static" else []), output=f"touch-musl-{kind}")
    assert record(recording, program, 3, 1024) == 0
    assert_inherited(recording, program, 1)


@pytest.mark.requires("musl-gcc")
@pytest.mark.parametrize("start", ["{} 3 1024", "exec {} 3 1024", "env {} 3 1024"])
def test_children_with_another_c_library(start: str, recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "musl-gcc")
    program = target("touch", output="touch-musl-dynamic")
    after = "" if start.startswith("exec") else "; exit $?"
    assert record(recording, "sh", "-c", start.format(program) + after) == 0
    process = one(recording, "SELECT id FROM process WHERE exe LIKE '%touch-musl-dynamic'")
    assert_inherited(recording, program, process)


@pytest.mark.requires("musl-gcc")
@pytest.mark.parametrize("before", [[], ["sh", "-c", 'exec "$@"', "sh"]], ids=["itself", "by a shell"])
def test_followed_again_behind_a_static_program(
    before: list[str], recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What such a program starts is followed, if it can load the library."""
    touch = target("touch")
    monkeypatch.setenv("CC", "musl-gcc")
    runner = target("run_then_exit", "-static", output="run-static")
    assert record(recording, *before, runner, touch, 2, 1024) == 0
    assert one(recording, "SELECT followed FROM process WHERE exe LIKE '%/touch'") == "preload"


@pytest.mark.requires("root")
@pytest.mark.parametrize(("mode", "word"), [(0o4755, "rights"), (0o711, "read")])
def test_children_that_nobody_may_measure(mode: int, word: str, public_place: Path) -> None:
    other = public_place / "other"
    other.write_bytes(Path("/bin/true").read_bytes())
    other.chmod(mode)
    done = run_as_nobody(public_place, "sh", "-c", f"{other}; exit 3")
    assert done.status == 3, done.err
    note = one(public_place / "r.numaprof", NOTES)
    assert note.startswith(str(other))
    assert word in note
