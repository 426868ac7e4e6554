# SPDX-License-Identifier: Apache-2.0
"""`numaprof attach` and `numaprof top` count what `perf stat -p` and a running program itself count."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from numaprof.live.sample import documents, read_sample

TREE = Path(__file__).resolve().parent.parent.parent
PROGRAM = TREE / "build" / "tests" / "lab" / "by_turns"
LAPS = 2
SLACK = 200  # loads that are not the chain's: reading the command, printing the answer
PLACEMENTS = ("local_dram", "remote_dram")
# The kernel's own words for these fills: AMD's PPR for family 19h, event 43h.
PERF_EVENTS = ("cpu/event=0x43,umask=0x08/u", "cpu/event=0x43,umask=0x40/u")
EVENTS = ("--events", "demand_rd")


class Top:
    """The reader of `numaprof top`: what it hands to the screen."""

    def __init__(self, folder: Path, pid: int) -> None:
        shutil.copy(TREE / "build" / "numaprof", folder / "numaprof")
        screen = folder / "numaprof-reports"
        screen.write_text('#!/bin/sh\nexec cat "/dev/fd/$3"\n')
        screen.chmod(0o755)
        command = [folder / "numaprof", "top", "-p", str(pid), "--interval", "0.3", *EVENTS]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.buffer = bytearray()
        self.documents = self.read()
        header: Any = next(self.documents)
        self.placements = [event["placement"] for event in header["groups"][0]]
        self.pid = pid

    def read(self) -> Iterator[dict[str, Any]]:
        assert self.process.stdout
        while True:
            self.buffer += os.read(self.process.stdout.fileno(), 1 << 16)
            yield from documents(self.buffer)

    def counts(self) -> dict[str, int]:
        """By placement, of the first reading that begins after the call."""
        now = time.monotonic_ns()
        sample = next(sample for document in self.documents if (sample := read_sample(document, None)).t_ns >= now)
        (thread,) = sample.processes[self.pid].threads.values()
        assert thread.counts is not None
        _, _, *values = thread.counts  # the task clock and the group's running time come first
        return dict(zip(self.placements, values))

    def end(self) -> None:
        self.process.terminate()
        self.process.communicate()


@contextmanager
def attached(
    recording: Path, *options: str, before: tuple[str, ...] = (), without: tuple[str, ...] = ("--without", "pages")
) -> Iterator[None]:
    """options: what to attach to. before: a command that starts the recorder."""
    command = [*before, TREE / "numaprof", "attach", *options, "-o", recording, *without, *EVENTS]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as recorder:
        assert recorder.stderr
        assert recorder.stderr.readline() == "numaprof: recording; Ctrl-C ends that\n"
        try:
            yield
        finally:  # a failure is not to wait for its end
            recorder.send_signal(signal.SIGINT)
        recorder.stderr.read()
    assert recorder.returncode == 0


class Perf:
    """`perf stat -p`, switched on and off through its control files."""

    def __init__(self, folder: Path, pid: int) -> None:
        self.fifos = [folder / name for name in ("control", "acknowledged")]
        for fifo in self.fifos:
            os.mkfifo(fifo)
        command = ["perf", "stat", "-x", ";", "-D", "-1", "--control", f"fifo:{self.fifos[0]},{self.fifos[1]}"]
        command += [word for event in PERF_EVENTS for word in ("-e", event)]
        self.process = subprocess.Popen([*command, "-p", str(pid)], stderr=subprocess.PIPE, text=True)

    def ask(self, command: str) -> None:
        with self.fifos[0].open("w") as control:
            control.write(f"{command}\n")
        with self.fifos[1].open() as acknowledged:
            assert acknowledged.readline().startswith("ack")

    def counts(self) -> dict[str, int]:
        self.process.send_signal(signal.SIGINT)
        assert self.process.stderr
        lines = [line.split(";") for line in self.process.stderr.read().splitlines() if ";" in line]
        self.process.wait()
        return {placement: int(line[0]) for placement, line in zip(PLACEMENTS, lines)}


def recorded(recording: Path) -> dict[str, int]:
    query = """SELECT placement, sum(value) FROM count JOIN event ON event.id = count.event
                WHERE class LIKE 'demand%' GROUP BY 1"""
    with closing(sqlite3.connect(recording)) as database:
        return dict(database.execute(query).fetchall())


@pytest.mark.lab("tests/lab/machines/small-zen.machine")
@pytest.mark.requires("perf")
def test_counts_of_a_running_program(tmp_path: Path) -> None:
    """The program waits, does a known number of loads of two nodes' memory by turns, and waits again."""
    recording = tmp_path / "r.numaprof"
    with subprocess.Popen(
        [PROGRAM, "1", "5", str(LAPS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdin and program.stdout
        program.stdout.readline()
        top, perf = Top(tmp_path, program.pid), Perf(tmp_path, program.pid)
        before = top.counts()
        perf.ask("enable")
        with attached(recording, "-p", str(program.pid)):
            program.stdin.write("\n")
            program.stdin.flush()
            half = int(program.stdout.readline()) // 2
        perf.ask("disable")
        after = top.counts()
        theirs = perf.counts()
        top.end()
        program.stdin.close()
    ours, live = recorded(recording), {placement: after[placement] - before[placement] for placement in PLACEMENTS}
    print("perf:", theirs, "attach:", ours, "top:", live, "loads:", half)
    for placement in PLACEMENTS:
        for counted in (theirs, ours, live):
            assert half <= counted[placement] <= half + SLACK, placement


# --- a control group

SLEEPERS = 60
FEW_FILES = ("prlimit", "--nofile=400:400", "setpriv", "--bounding-set", "-sys_resource")


@contextmanager
def by_turns(cpu: int, other: int, laps: int = LAPS) -> Iterator[subprocess.Popen[str]]:
    with placed_by_turns(cpu, other, laps) as (program, _):
        yield program


@contextmanager
def placed_by_turns(cpu: int, other: int, laps: int) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Also what it says of its halves: of each where it begins and ends, and its node."""
    with subprocess.Popen(
        [PROGRAM, str(cpu), str(other), str(laps)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdin and program.stdout
        yield program, program.stdout.readline().split()
        program.stdin.close()


def chase(program: subprocess.Popen[str]) -> int:
    """Loads of each of its nodes."""
    assert program.stdin and program.stdout
    program.stdin.write("\n")
    program.stdin.flush()
    return int(program.stdout.readline()) // 2


@contextmanager
def sleepers(count: int) -> Iterator[list[int]]:
    started = [subprocess.Popen(["sleep", "600"]) for _ in range(count)]
    yield [sleeper.pid for sleeper in started]
    for sleeper in started:
        sleeper.kill()
        sleeper.wait()


@pytest.fixture
def group() -> Iterator[Path]:
    """All that is put into it ends before the test does."""
    made = Path("/sys/fs/cgroup/numaprof-test")
    (made / "within").mkdir(parents=True)
    yield made
    (made / "within").rmdir()
    made.rmdir()


@pytest.mark.lab("tests/lab/machines/small-zen.machine")
def test_a_control_group_with_more_threads_than_files(tmp_path: Path, group: Path) -> None:
    """It is counted by CPU: all of it, whichever group within it is, and nothing of a program outside it."""
    recording = tmp_path / "r.numaprof"
    with by_turns(1, 5) as inside, by_turns(2, 6) as outside, sleepers(SLEEPERS) as others:
        for pid in (inside.pid, *others):
            (group / "within" / "cgroup.procs").write_text(str(pid))
        with attached(recording, "--cgroup", str(group), before=FEW_FILES):
            chase(outside)
            half = chase(inside)
            chase(outside)
    ours = recorded(recording)
    print("attach:", ours, "loads:", half)
    for placement in PLACEMENTS:
        assert half <= ours[placement] <= half + SLACK, placement
    with closing(sqlite3.connect(recording)) as database:
        assert database.execute("SELECT DISTINCT thread FROM count").fetchall() == [(None,)]
        assert database.execute("SELECT count(*) FROM thread").fetchall() == [(SLEEPERS + 1,)]
        assert database.execute("SELECT * FROM note WHERE kind = 'refused'").fetchall() == []
        details = [row[0] for row in database.execute("SELECT detail FROM evidence")]
    assert any("of the control group by CPU" in str(detail) for detail in details), details


# --- sampled loads

OF_HALF = """SELECT page_node, source.name, block IS NULL, count(*) FROM sample JOIN source ON source.id = source
              WHERE kind = 2 AND address >= ? AND address < ? AND source.name LIKE '%_dram' GROUP BY 1, 2, 3"""


@pytest.mark.lab("tests/lab/machines/small-zen.machine")
def test_sampled_loads_of_a_program_that_runs(tmp_path: Path) -> None:
    """Attached in the middle of its loads: each sample's source agrees with the node of the page at its address."""
    recording = tmp_path / "r.numaprof"
    with placed_by_turns(1, 5, laps=20) as (program, halves):
        chase(program)
        with attached(recording, "-p", str(program.pid), without=()):
            for _ in range(3):
                chase(program)
        chase(program)
    with closing(sqlite3.connect(recording)) as database:
        for (start, end, node), source in zip((halves[:3], halves[3:]), PLACEMENTS):
            found = database.execute(OF_HALF, (int(start, 16), int(end, 16))).fetchall()
            print(source, found)
            assert sum(count for *_, count in found) >= 30, "too few prove nothing"
            assert {row[:3] for row in found} == {(int(node), source, False)}
