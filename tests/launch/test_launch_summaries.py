# SPDX-License-Identifier: Apache-2.0
"""Ranks of a host that end together have one Python write their summaries; whoever it leaves alone helps itself."""

from __future__ import annotations

import os
import select
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from conftest import BUILD, NOBODY, PROGRAM
from running import one, run_command

RANKS = 6
# In the place of numaprof-reports. The first waits until as many sockets have its socket's name as there are ranks: one
# listens, of the others each has asked.
REPORTS = """#!{python} -I
import os, select, sys
def names():
    return [(words[6], words[7:]) for words in map(str.split, open("/proc/net/unix"))]
if not os.path.exists({log!r}):
    socket = str(os.fstat(int(sys.argv[-1])).st_ino)
    (name,) = [name for number, name in names() if number == socket]
    while [other for _, other in names()].count(name) < {ranks}:
        select.select([], [], [], 0.01)
    {then}
with open({log!r}, "a") as log:
    log.write("started\\n")
os.execv({reports!r}, sys.argv)
"""
DIES = 'open({log!r}, "a").close(); os._exit(1)'
TELLS = 'open({file!r}, "w").write(name[0])'
HOLDER = """
import socket
holds = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
holds.bind({name!r})
holds.listen()
print("holds", flush=True)
input()
holds.setblocking(False)
peers = []
try:
    while True:
        peers.append(holds.accept()[0])
except BlockingIOError:
    print(len(peers), "came,", sum(len(peer.recv(100)) for peer in peers), "bytes")
"""
STRANGER = """
import socket
asks = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
asks.connect({name!r})
try:
    asks.send({file!r})
    print(asks.recv(1) or "no answer")
except ConnectionError:
    print("no answer")
"""


def place(folder: Path, ranks: int, then: str = "pass") -> Path:
    """A folder with numaprof in it, and reports that wait for all ranks."""
    (folder / "bin").mkdir()
    for file in (PROGRAM.resolve(), BUILD / "libnumaprof-preload.so"):
        shutil.copy(file, folder / "bin")
    reports = folder / "bin" / "numaprof-reports"
    named = {"python": BUILD / "venv" / "bin" / "python3", "reports": str(BUILD / reports.name)}
    log = str(folder / "log")
    reports.write_text(REPORTS.format(**named, log=log, ranks=ranks, then=then.format(log=log)))
    reports.chmod(0o755)
    return folder / "bin" / PROGRAM.name


def recorded(program: Path, folder: Path, ranks: int = RANKS) -> list[Path]:
    """Each second rank is bound to one CPU."""
    cpu = str(min(os.sched_getaffinity(0)))
    running = []
    for rank in range(ranks):
        words = [*(("taskset", "-c", cpu) if rank % 2 else ()), program, "record", "-q", "-o", "job", "true"]
        environment = {**os.environ, "PMI_RANK": str(rank), "PMI_SIZE": str(max(2, ranks))}
        running.append(subprocess.Popen(list(map(str, words)), env=environment, cwd=folder))
    assert [each.wait() for each in running] == [0] * ranks
    return sorted((folder / "job").iterdir())


def summaries(files: list[Path]) -> list[int]:
    return [one(file, "SELECT count(*) FROM summary") for file in files]


def forget_summary(file: Path) -> None:
    with closing(sqlite3.connect(file)) as recording, recording:
        recording.execute("DELETE FROM summary")


def summarize(file: Path, listener: socket.socket) -> None:
    """And the recordings of those who ask at the listener."""
    words = [BUILD / "numaprof-reports", "summarize", file, "--listener", str(listener.fileno())]
    subprocess.run(list(map(str, words)), check=True, pass_fds=[listener.fileno()])


def test_one_python_writes_the_summaries_of_ranks_that_end_together(tmp_path: Path) -> None:
    files = recorded(place(tmp_path, RANKS), tmp_path)
    assert summaries(files) == [1] * RANKS
    assert (tmp_path / "log").read_text() == "started\n"
    for file in files:  # it is the rank's own
        assert one(file, "SELECT json_extract(text, '$.number') = number FROM summary, rank") == 1
    # And what a Python of its own would have written.
    texts = [one(file, "SELECT text FROM summary") for file in files]
    for file in files:
        assert run_command(BUILD / "numaprof-reports", "summarize", file).status == 0
    assert [one(file, "SELECT text FROM summary") for file in files] == texts


def test_ranks_whose_python_dies_help_themselves(tmp_path: Path) -> None:
    assert sorted(summaries(recorded(place(tmp_path, 3, DIES), tmp_path, 3))) == [0, 1, 1]


@pytest.mark.requires("root")
def test_another_user_is_not_served(tmp_path: Path) -> None:
    """Root's Python would write into any file that is named."""
    file, theirs = recorded(PROGRAM, tmp_path, 2)
    forget_summary(file)
    name = f"\0of {tmp_path}"
    script = STRANGER.format(name=name, file=os.fsencode(file))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(name)
        listener.listen()
        command = [*NOBODY, os.path.realpath(sys.executable), "-c", script]
        stranger = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        select.select([listener], [], [])
        summarize(theirs, listener)
    assert stranger.communicate()[0] == "no answer\n"
    assert summaries([file, theirs]) == [0, 1]


def test_who_connects_and_asks_nothing_keeps_nobody_waiting(tmp_path: Path) -> None:
    """As a rank that was stopped in between."""
    file, _ = recorded(PROGRAM, tmp_path, 2)
    forget_summary(file)
    name = f"\0of {tmp_path}"
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as silent,
    ):
        listener.bind(name)
        listener.listen()
        silent.connect(name)
        summarize(file, listener)
        assert silent.recv(1) == b""
    assert summaries([file]) == [1]


@pytest.mark.requires("root")
def test_another_user_is_not_asked(tmp_path: Path) -> None:
    """Who holds the name learns no file, and keeps no rank waiting."""
    program = place(tmp_path, 1, TELLS.format(file=str(tmp_path / "name")))
    recorded(program, tmp_path, 1)
    script = HOLDER.format(name="\0" + (tmp_path / "name").read_text().removeprefix("@"))
    command = [*NOBODY, os.path.realpath(sys.executable), "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout and holder.stdout.readline() == "holds\n"
        files = recorded(program, tmp_path, 1)
        assert holder.communicate("end\n")[0] == "4 came, 0 bytes\n"
    assert summaries(files) == [1, 1]
