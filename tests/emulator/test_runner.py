# SPDX-License-Identifier: Apache-2.0
"""The runner of the emulated machine on its host: bad input gets one line; nothing is left behind, however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import BUILD, TREE
from lab_plugin import missing

RUN = TREE / "lab" / "run"
FAILED = 125
NODE = "node 0 cpus 0-1 memory 512M\n"

needs_lab = pytest.mark.skipif(missing() is not None, reason=f"needs {missing()}")


def lab(
    *arguments: object, environment: dict[str, str] | None = None, run: Path = RUN, cwd: str | Path = "/tmp"
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(run), *map(str, arguments)]
    environment = os.environ | (environment or {})
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=cwd)


def check_one_line(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("numaprof: ")
    assert all(part in done.stderr for part in parts), done.stderr


def emulators(scratch: Path) -> list[int]:
    """QEMU processes that share this scratch folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(b"qemu-system" in word for word in words[:2]) and any(os.fsencode(scratch) in word for word in words):
            found.append(int(process.name))
    return found


@contextmanager
def leaves_nothing(scratch: Path) -> Iterator[None]:
    """No emulator runs on, no file of shared memory stays."""
    before = set(Path("/dev/shm").iterdir())
    yield
    deadline = time.monotonic() + 60
    while emulators(scratch) and time.monotonic() < deadline:
        os.sched_yield()
    assert emulators(scratch) == []
    assert not [file for file in set(Path("/dev/shm").iterdir()) - before if "lab" in file.name]


# --- before anything runs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{NODE}nodes 3\n", ":2: 'nodes' is none of: "),
        (f"# a comment\n\n{NODE}private 256K ways\n", ":4: say SIZE WAYS ways"),
        (f"{NODE}private 300K 8 ways\n", ":2: 300K in 8 ways does not give a power of two of sets"),
        (f"{NODE}shared 8M 32 ways\n", ":2: '32' is not a number from 1 to 16"),
        (f"{NODE}prefetch into private\n", ":2: say how far"),
        (f"{NODE}prefetch lines 8 lines 9\n", ":2: 'lines' stands twice"),
        (f"{NODE}distance 0 1\n", ":2: say NODE NODE DISTANCE"),
        (f"{NODE}distance 0 0 10\n", ":2: the distance of a node to itself is 10"),
        (f"{NODE}distance 0 1 20\n", ": a distance names a node that is not there"),
        (f"{NODE}{NODE}", ":2: node 0 is there already"),
        ("node 0 cpus 0-99 memory 1G\n", ":1: '99' is not a number from 0 to 63"),
        ("node 0 cpus 0,0 memory 1G\n", ":1: '0,0' names a CPU twice"),
        ("node 0 cpus 0 memory many\n", ":1: 'many' is not a size"),
        ("node 0 cpus 0 memory 64M\n", ": node 0 needs 512M of memory or more"),
        ("node 0 cpus 0 memory 1G\nnode 1 cpus 2 memory 1G\n", ": the nodes' CPUs must be 0, 1, 2"),
        ("node 0 cpus 0-19 memory 1G\n", ": node 0 has 20 CPUs; 16 is the most"),
        ("node 0 cpus 0 memory 999G\n", ": 999G of memory"),
        ("node 1 cpus 0 memory 1G\n", ": the nodes must be 0, 1, 2"),
        ("", ": the nodes' CPUs must be 0, 1, 2"),
        (f"{NODE}processor 486\n", ": processor '486' is none of: "),
        (f"{NODE}defect requests remote\n", ":2: say EVENTS PLACEMENT KIND"),
        (f"{NODE}defect stores remote double\n", ":2: 'stores' is none of: requests, demand, rfo, prefetch, loads"),
        (f"{NODE}defect loads remote half\n", ":2: 'half' is none of: nothing, double,"),
        (f"{NODE}defect loads remote sibling\n", ": the defect sibling needs cores with two threads"),
        ("node 0 cpus 0-2 memory 1G\nthreads 2\n", ": node 0 has an odd number of CPUs"),
        ("node 0 cpus 0 memory 1G tier slow\n", ": node 0 has CPUs: memory of a slow tier has none"),
        (f"{NODE}paranoid 9\n", ":2: '9' is not a number from 0 to 4"),
        ("\0\0\0", "'\\x00\\x00\\x00' is none of"),
    ],
)
def test_a_malformed_description(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.machine"
    path.write_text(text)
    check_one_line(lab("--machine", path, "--", "true"), "bad", said)


def test_descriptions_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "bytes.machine").write_bytes(b"\xff\xfe node")
    check_one_line(lab("--machine", tmp_path / "bytes.machine", "--", "true"), "cannot read")
    check_one_line(lab("--machine", tmp_path / "none.machine", "--", "true"), "there is no machine")
    check_one_line(lab("--machine", "unheard-of", "--", "true"), "there is no machine 'unheard-of'; there are: article")
    (tmp_path / "folder.machine").mkdir()
    check_one_line(lab("--machine", tmp_path / "folder.machine", "--", "true"), "cannot read")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--frobnicate", "--", "true"], "--frobnicate"),
        (["--time-limit", "soon", "--", "true"], "soon"),
        (["--time-limit", "-1", "--", "true"], "-1"),
        (["--machine"], "--machine"),
        ([], "no command given"),
        (["--"], "no command given"),
    ],
)
def test_bad_options(arguments: list[str], said: str) -> None:
    check_one_line(lab(*arguments), said)


def test_every_machine_is_listed() -> None:
    names = [line.split()[0] for line in lab("--list").stdout.splitlines()]
    assert names == sorted(path.stem for path in (TREE / "lab" / "machines").glob("*.machine"))


def test_a_missing_emulator(tmp_path: Path) -> None:
    said = ("qemu-system-x86_64 is missing", "apt-get install qemu-system-x86")
    check_one_line(lab("--", "true", environment={"PATH": str(tmp_path)}), *said)


def test_a_missing_kernel(tmp_path: Path) -> None:
    """The tree without what `make lab` builds."""
    shutil.copytree(TREE / "lab", tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "qemu-system-x86_64").touch(mode=0o755)
    done = lab("--", "true", run=tmp_path / "lab" / "run", environment={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    check_one_line(done, "vmlinuz, initrd, hardware.so missing", "make lab")


def fetch(tmp_path: Path, *before: str, **fakes: str) -> subprocess.CompletedProcess[str]:
    """lab/fetch-kernel with some commands replaced by scripts."""
    for name, script in fakes.items():
        path = tmp_path / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = [*before, TREE / "lab" / "fetch-kernel", tmp_path / "cache"]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_another_architecture(tmp_path: Path) -> None:
    done = fetch(tmp_path, uname="echo aarch64")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "needs an x86-64 host, this is aarch64" in done.stderr


@pytest.mark.requires("mounts")
def test_another_distribution(tmp_path: Path) -> None:
    (tmp_path / "release").write_text("ID=gentoo\nVERSION_ID=2.15\n")
    mount = f'mount --bind {tmp_path}/release /etc/os-release && exec "$@"'
    done = fetch(tmp_path, "unshare", "-m", "sh", "-c", mount, "sh")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "Debian 12's kernel and QEMU, this is gentoo 2.15" in done.stderr


@pytest.mark.parametrize("without", ["apt_cache", "apt_get"])
def test_headers_that_cannot_be_fetched(tmp_path: Path, without: str) -> None:
    knows = "echo '  Depends: linux-image-6.1.0-0-amd64'"
    done = fetch(
        tmp_path, apt_cache=knows if without == "apt_get" else "exit 100", apt_get="echo E: no network; exit 100"
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("make lab: ")
    assert "apt-get update" in done.stderr


# --- while it runs ----------------------------------------------------------------------------------------------------


@needs_lab
def test_a_command_that_hangs(tmp_path: Path) -> None:
    with leaves_nothing(tmp_path):
        done = lab("--machine", "plain", "--time-limit", "1", "--scratch", tmp_path, "--", "sleep", "1000")
    check_one_line(done, "the command did not end within 1 s", "--time-limit")


@needs_lab
def test_a_guest_that_panics(tmp_path: Path) -> None:
    with leaves_nothing(tmp_path):
        crash = "echo c >/proc/sysrq-trigger; sleep 1000"
        done = lab("--machine", "plain", "--scratch", tmp_path, "--", "sh", "-c", crash)
    check_one_line(done, "the guest's kernel panicked: sysrq triggered crash")


@needs_lab
@pytest.mark.requires("mounts")
def test_a_full_scratch_folder(tmp_path: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", tmp_path], check=True)
    try:
        with leaves_nothing(tmp_path):
            write = f"head -c 1000000 /dev/zero >{tmp_path}/file"
            done = lab("--machine", "plain", "--scratch", tmp_path, "--", "sh", "-c", write)
        check_one_line(done, "files could not be brought back", "No space left", "--scratch")
    finally:
        subprocess.run(["umount", tmp_path], check=True)


@needs_lab
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_runner_that_is_ended_while_booting(tmp_path: Path, number: signal.Signals) -> None:
    with leaves_nothing(tmp_path):
        command = [sys.executable, RUN, "--machine", "plain", "--scratch", tmp_path, "--", "sleep", "1000"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as runner:
            while not emulators(tmp_path):
                assert runner.poll() is None
            runner.send_signal(number)
            _, said = runner.communicate()
    assert (runner.returncode, said) == (-9 if number == signal.SIGKILL else 128 + number, "")


@needs_lab
def test_interruption_of_a_command(tmp_path: Path) -> None:
    with leaves_nothing(tmp_path):
        command = [
            sys.executable,
            RUN,
            "--machine",
            "plain",
            "--scratch",
            tmp_path,
            "--",
            "sh",
            "-c",
            "echo here; sleep 1000",
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as runner:
            assert runner.stdout
            assert runner.stdout.readline() == "here\n"
            runner.send_signal(signal.SIGINT)
            _, said = runner.communicate()
    assert (runner.returncode, said) == (128 + signal.SIGINT, "")


@needs_lab
def test_files_come_back_to_the_working_folder(tmp_path: Path) -> None:
    """As docs/getting-started.md says: the next command reads them there. The system's files are thrown away."""
    (tmp_path / "old").write_text("old\n")
    script = "echo new >>old; mkdir sub; echo made >sub/file; echo out >/etc/numaprof-lab-test; cat old"
    command = [sys.executable, RUN, "--machine", "plain", "--", "sh", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "old\nnew\n", "")
    assert (tmp_path / "old").read_text() == "old\nnew\n"
    assert (tmp_path / "sub" / "file").read_text() == "made\n"
    assert not Path("/etc/numaprof-lab-test").exists()
    assert sorted(os.listdir(tmp_path)) == ["old", "sub"]


@needs_lab
def test_new_files_elsewhere_come_back(tmp_path: Path) -> None:
    """What a recorder inside says it has recorded is there; a file of the host is not replaced, but named."""
    work, other = tmp_path / "work", tmp_path / "other"
    work.mkdir()
    other.mkdir()
    (other / "old").write_text("old\n")
    script = f"cd {other}; echo new >old; mkdir sub .hidden; echo made >sub/file; echo x >.hidden/file; ln -s sub link"
    done = lab("--machine", "plain", "--", "sh", "-c", script, cwd=work)
    assert (done.returncode, done.stdout) == (0, "")
    lost, remedy = f"{other}/old (it is there already)", "let the command write into the working folder"
    assert done.stderr == f"numaprof: not brought back: {lost}; {remedy}\n"
    assert (other / "sub" / "file").read_text() == "made\n"
    assert (other / "old").read_text() == "old\n"
    assert (sorted(os.listdir(other)), os.listdir(work)) == (["old", "sub"], [])


@needs_lab
def test_files_come_back_when_the_time_is_up(tmp_path: Path) -> None:
    """Also of a command that does not end when it is asked to."""
    work, other = tmp_path / "work", tmp_path / "other"
    work.mkdir()
    other.mkdir()
    script = f"trap '' TERM; echo 1 >$NUMAPROF_SCRATCH/file; echo 2 >{other}/file; while :; do sleep 1000; done"
    done = lab("--machine", "plain", "--time-limit", "20", "--", "sh", "-c", script, cwd=work)
    check_one_line(done, "the command did not end within 20 s", "--time-limit")
    assert (work / "file").read_text() + (other / "file").read_text() == "1\n2\n"


@needs_lab
@pytest.mark.requires("root")
def test_an_ordinary_user_needs_no_privilege(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What is built, in a folder that nobody owns; exit status, output, errors and files come back."""
    folder = tmp_path_factory.mktemp("nobody")
    for parent in [folder, *folder.parents]:
        if parent != Path("/tmp") and "pytest" in str(parent):
            parent.chmod(0o755)
    shutil.copytree(TREE / "lab", folder / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "build" / "lab").mkdir(parents=True)
    for name in ("vmlinuz", "initrd", "hardware.so"):
        shutil.copy(BUILD / "lab" / name, folder / "build" / "lab")
    scratch = folder / "scratch"
    scratch.mkdir(mode=0o777)
    scratch.chmod(0o777)
    command = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "/usr/bin/python3",
        folder / "lab" / "run",
    ]
    script = 'echo out; echo err >&2; echo "$(nproc) CPUs" >"$NUMAPROF_SCRATCH/file"; exit 7'
    with leaves_nothing(scratch):
        command += ["--machine", "plain", "--scratch", scratch, "--", "sh", "-c", script]
        path = {"PATH": "/usr/bin:/bin"}  # root's own may hold what others cannot read
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", env=path)
    assert (done.returncode, done.stdout, done.stderr) == (7, "out\n", "err\n")
    assert (scratch / "file").read_text() == "8 CPUs\n"
    assert (scratch / "file").stat().st_uid == 65534
