# SPDX-License-Identifier: Apache-2.0
"""A program to attach to, and `numaprof attach` beside it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from conftest import BUILD, PROGRAM, TREE, build_once
from running import state_of, target

PAGE = os.sysconf("SC_PAGESIZE")
# PostgreSQL refuses to run as root; its programs may be unpacked out of a stranger's reach.
SERVER_USER = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
SERVER_USER += ("--inh-caps=+dac_override", "--ambient-caps=+dac_override")
LATE_PAGES = (4 << 20) // PAGE  # what a thread, a child and "touch" of attachee.c fill


class Attachee:
    """tests/targets/attachee.c, which does what it is told."""

    def __init__(self, command: Sequence[object]) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(list(map(str, command)), text=True, **pipes)  # type: ignore[call-overload]
        self.pid: int = self.process.pid
        self.expect("ready")

    def expect(self, word: str) -> None:
        assert self.process.stdout.readline().strip() == word

    def do(self, word: str) -> None:
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        if word != "end":
            self.expect(f"{word} done")


@contextmanager
def attachee(*before: object) -> Iterator[Attachee]:
    """before: a command that starts it."""
    found = Attachee([*before, target("attachee", "-pthread")])
    try:
        yield found
    finally:
        found.process.kill()
        found.process.communicate()


@contextmanager
def attached(
    pid: object,
    recording: Path,
    *options: object,
    command: Sequence[object] = (PROGRAM,),
) -> Iterator[Attach]:
    """From when it records until Ctrl-C, unless it ended by itself. pid None: the options say what to attach to."""
    words = [*command, "attach", *(("-p", pid) if pid is not None else ()), "-o", recording, *options]
    with subprocess.Popen(list(map(str, words)), stderr=subprocess.PIPE, text=True) as recorder:
        try:
            begun = recorder.stderr.readline()
            assert begun == "numaprof: recording; Ctrl-C ends that\n", begun
            found = Attach(recorder)
            yield found
        except BaseException:
            recorder.kill()
            raise
        if recorder.poll() is None and not found.ends:
            recorder.send_signal(signal.SIGINT)
        found.said = recorder.stderr.read()
        found.status = recorder.wait()


class Attach:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.ends = False  # set: it is to end by itself
        self.said = ""
        self.status: int | None = None


# A PMU that counts nothing: its events can be opened. The task clock beside them is the kernel's own.
PMU = """
devices=/sys/bus/event_source/devices
mount -t tmpfs none $devices && mkdir $devices/cpu && echo 4 > $devices/cpu/type && exec "$@"
"""


def with_pmu() -> tuple[object, ...]:
    library = build_once(
        BUILD / "tests" / "fake_pmu.so", "-shared", "-fPIC", str(TREE / "tests" / "launchers" / "fake_pmu.c"), "-ldl"
    )
    return ("unshare", "-m", "sh", "-c", PMU, "sh", "env", f"LD_PRELOAD={library}")


def state(pid: int) -> dict[str, object]:
    """What attaching could change."""
    process = Path(f"/proc/{pid}")
    tasks = sorted((process / "task").iterdir())
    status = (
        "Cpus_allowed",
        "Mems_allowed",
        "TracerPid",
        "SigCgt",
        "SigBlk",
        "Threads",
    )
    return {
        "affinity": [os.sched_getaffinity(int(task.name)) for task in tasks],
        "nice": [(task / "stat").read_text().rsplit(")", 1)[1].split()[15:17] for task in tasks],
        "status": [line for line in (process / "status").read_text().splitlines() if line.startswith(status)],
        "stopped": state_of(pid) in ("T", "t"),
        "policies": [line.split()[:2] for line in (process / "numa_maps").read_text().splitlines()],
        "maps": (process / "maps").read_text(),
        "descriptors": sorted(os.readlink(link) for link in (process / "fd").iterdir()),
    }


def redis_server(folder: Path) -> Path:
    """Debian's redis-tools has it by the name of another tool: it does what its name says."""
    link = folder / "redis-server"
    link.symlink_to(str(shutil.which("redis-check-rdb")))
    return link


def waits(pid: int) -> bool:
    """For its input: the thread that starts another one blocks all signals meanwhile, and the new one speaks first."""
    status = Path(f"/proc/{pid}/status").read_text()
    return "State:\tS" in status and re.search(r"^SigBlk:\t0+$", status, re.MULTILINE) is not None


def refused(done: tuple[int, str, str], status: int, cause: str) -> None:
    """done: exit status, output and errors of a command. The refusal is one line: cause; remedy."""
    assert (done[0], done[1]) == (status, "")
    assert re.fullmatch(rf"numaprof: .*{cause}.*; .+\n", done[2]), done[2]


def gone() -> int:
    """A number that no process has."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid
