# SPDX-License-Identifier: Apache-2.0
"""Programs that never connect: the recording says so and what would help. What is no such program is not called one."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import BUILD, NOBODY, PROGRAM
from running import one, rows, run, run_as_nobody, run_command, state_of, target, until

NOTE = "SELECT value, remedy FROM note WHERE kind = 'not_followed'"
NEVER = "SELECT text FROM note WHERE kind = 'not_followed'"


def _installed(folder: Path) -> Path:
    """numaprof and its library, in that folder."""
    folder.mkdir(exist_ok=True)
    for file in (PROGRAM, BUILD / "libnumaprof-preload.so"):
        shutil.copy(file, folder)
    return folder / "numaprof"


@pytest.mark.requires("mounts", "perf_event")
def test_another_network_namespace(tmp_path: Path) -> None:
    done = run("record", "-q", "-o", tmp_path / "r", "unshare", "-n", target("touch"), 2, 64)
    assert done == (0, "", "")
    value, remedy = one(tmp_path / "r", NOTE)
    assert value == 1
    assert remedy.endswith("in a sandbox or network namespace of its own, start numaprof inside")
    assert one(tmp_path / "r", NEVER).startswith(f"{target('touch')} never connected to numaprof")


SANDBOX = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]


@pytest.mark.requires("bubblewrap", "perf_event")
def test_a_program_in_bubblewrap_is_followed(tmp_path: Path) -> None:
    touch = target("touch")
    assert run("record", "-q", "-o", tmp_path / "r", *SANDBOX, touch, 2, 64) == (0, "", "")
    assert rows(tmp_path / "r", NOTE) == []
    places = "SELECT followed, pin FROM thread JOIN process ON process.id = process WHERE exe = "
    assert rows(tmp_path / "r", f"{places} '{touch}'") == [("preload", "planned")] * 3


@pytest.mark.requires("bubblewrap", "perf_event")
def test_a_program_that_bubblewrap_keeps_apart_is_told_and_recorded_from_inside(tmp_path: Path) -> None:
    touch, apart = target("touch"), [*SANDBOX, "--bind", tmp_path, tmp_path, "--unshare-all"]
    assert run("record", "-q", "-o", tmp_path / "r", *apart, touch, 2, 64) == (0, "", "")
    assert one(tmp_path / "r", NEVER).startswith(f"{touch} never connected to numaprof")
    assert one(tmp_path / "r", NOTE)[1].endswith("in a sandbox or network namespace of its own, start numaprof inside")
    inside = run_command(*apart, PROGRAM, "record", "-q", "-o", tmp_path / "inside", touch, 2, 64)
    assert inside == (0, "", "")
    assert rows(tmp_path / "inside", NOTE) == []
    assert rows(tmp_path / "inside", "SELECT pin FROM thread") == ["planned"] * 3


@pytest.mark.requires("bubblewrap", "perf_event")
def test_a_sandbox_without_the_library(tmp_path: Path) -> None:
    """Its loader says so; the program is recorded all the same, from outside."""
    touch, library = tmp_path / "touch", BUILD / "libnumaprof-preload.so"
    shutil.copy(target("touch"), touch)
    hidden = ["--tmpfs", BUILD, "--unshare-pid", "--unshare-user"]
    done = run("record", "-q", "-o", tmp_path / "r", *SANDBOX, *hidden, touch, 2, 64)
    assert done.status == 0 and f"{library}' from LD_PRELOAD cannot be preloaded" in done.err
    assert one(tmp_path / "r", NEVER).startswith(f"{touch} never connected to numaprof")
    assert f"let LD_PRELOAD reach the program and its user read {library}; " in one(tmp_path / "r", NOTE)[1]
    places = "SELECT followed, pin FROM thread JOIN process ON process.id = process WHERE exe = "
    assert rows(tmp_path / "r", f"{places} '{touch}'") == [("inherited", "none")] * 3


@pytest.mark.requires("root", "perf_event")
def test_a_library_that_the_programs_user_cannot_read(public_place: Path) -> None:
    numaprof, library = public_place / "numaprof", public_place / "libnumaprof-preload.so"
    library.chmod(0o700)
    shutil.copy(target("touch"), public_place)
    done = run_command(numaprof, "record", "-q", "-o", public_place / "r", *NOBODY, public_place / "touch", 2, 64)
    assert done.status == 0
    assert one(public_place / "r", NOTE)[1].startswith(
        f"let LD_PRELOAD reach the program and its user read {library}; "
    )


@pytest.mark.requires("perf_event")
@pytest.mark.parametrize("name", ["a b", "a:b"])
def test_a_library_whose_path_no_list_can_hold(name: str, tmp_path: Path) -> None:
    done = run_command(_installed(tmp_path / name), "record", "-q", "-o", tmp_path / "r", target("touch"), 2, 64)
    assert done == (0, "", "")
    assert one(tmp_path / "r", NOTE)[1].startswith(
        "install numaprof in a folder whose path has neither a space nor a colon"
    )


@pytest.mark.requires("perf_event")
def test_numaprof_in_numaprof(tmp_path: Path) -> None:
    inner = [PROGRAM, "record", "-q", "-o", tmp_path / "inner", target("touch"), 2, 64]
    assert run("record", "-q", "-o", tmp_path / "outer", *inner) == (0, "", "")
    assert rows(tmp_path / "outer", NOTE) == []
    assert rows(tmp_path / "outer", "SELECT followed FROM process") == ["preload", "preload"]
    assert one(tmp_path / "inner", NOTE) == (1, "record with one numaprof: another one records this one")


@pytest.mark.requires("root")
def test_a_folder_of_path_that_nobody_may_search_is_no_program(
    public_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell tries exec in each folder of PATH in turn."""
    closed = public_place / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setenv("PATH", f"{closed}:{os.environ['PATH']}")
    assert (
        run_as_nobody(
            public_place, "sh", "-c", "ls / >/dev/null; env true; bash -c 'env ls >/dev/null; nice true'"
        ).status
        == 0
    )
    assert rows(public_place / "r.numaprof", NOTE) == []


def test_a_program_linked_to_fixed_addresses_has_no_malloc_of_its_own(tmp_path: Path) -> None:
    """The address of malloc is then in the program's procedure linkage table, as in Debian's Python."""
    program = target("takes_malloc", "-no-pie", "-fno-pie")
    assert run("record", "-q", "-o", tmp_path / "r", program).status == 0
    assert rows(tmp_path / "r", "SELECT text FROM note WHERE kind = 'objects'") == []
    assert run("record", "-q", "-o", tmp_path / "p", "python3", "-c", "0").status == 0
    assert rows(tmp_path / "p", "SELECT text FROM note WHERE kind = 'objects'") == []


@pytest.mark.requires("perf_event")
def test_a_program_that_is_stopped_while_it_waits_for_its_answer(tmp_path: Path) -> None:
    """By Ctrl-Z or a freezer: the kernel then ends its wait, not its patience of 2 s."""
    touch = target("touch")
    script = f"echo $$; read word; exec {touch} 2 64"
    command = [str(PROGRAM), "record", "-q", "-o", str(tmp_path / "r"), "sh", "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdin and recorder.stdout
        pid = int(recorder.stdout.readline())
        recorder.send_signal(signal.SIGSTOP)
        os.waitpid(recorder.pid, os.WUNTRACED)

        def waits() -> bool:
            with contextlib.suppress(FileNotFoundError):  # it has ended: this machine is very busy
                return os.readlink(f"/proc/{pid}/exe") == str(touch) and state_of(pid) in ("S", "Z")
            return True

        try:
            begun = time.monotonic()
            recorder.stdin.write("go\n")
            recorder.stdin.flush()
            until(waits)
            os.kill(pid, signal.SIGSTOP)
            until(lambda: state_of(pid) in ("T", "Z"))
            os.kill(pid, signal.SIGCONT)
            until(lambda: state_of(pid) == "Z")
            waited = time.monotonic() - begun
        finally:
            recorder.send_signal(signal.SIGCONT)
    assert recorder.returncode == 0
    assert waited >= 2


@pytest.mark.requires("gcc", "perf_event")
def test_a_program_that_waited_too_long_for_its_answer(tmp_path: Path) -> None:
    """On crowded CPUs the recorder may answer after the program's patience."""
    done = run("record", "-q", "-o", tmp_path / "r", target("impatient"))
    assert done == (0, "", "")
    went_on = "waited 2 s for numaprof, and went on alone: threads are not pinned, allocations have no names"
    assert one(tmp_path / "r", NEVER) == f"{target('impatient')} {went_on}"
