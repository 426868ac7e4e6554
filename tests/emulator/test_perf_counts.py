# SPDX-License-Identifier: Apache-2.0
"""`numaprof import` of files of perf stat record: the counts that perf prints, and the verdict of `numaprof record`."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from lab_plugin import PROGRAMS
from test_perf import ask

MACHINE = "tests/lab/machines/small-{}.machine"
PROGRAM = Path(__file__).resolve().parent.parent.parent / "numaprof"
# Retired loads that local and remote DRAM answered, in one group; and three pairs of offcore events.
PAIR = "{cpu/config=0x1d3,name=near/u,cpu/config=0x2d3,name=far/u}"
OTHERS = [
    f"{{cpu/config=0x1b7,config1={near:#x}/u,cpu/config=0x1b7,config1={far:#x}/u}}"
    for near, far in ((0x784000001, 0x7B8000001), (0x784000002, 0x7B8000002), (0x7840005B0, 0x7B80005B0))
]
ZEN = "{cpu/config=0x843,name=near/u,cpu/config=0x4043,name=far/u}"

pytestmark = pytest.mark.requires("perf")

Printed = Counter[tuple[str, str]]  # whose, near or far


def counted(data: Path, options: list[object], *program: object) -> tuple[Printed, float | None]:
    """perf's file and what perf prints; the least part of the time in which near and far were counted."""
    command = ["perf", "stat", "record", "-o", data, *options, "--", *program]
    done = subprocess.run([*map(str, command)], input="\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return printed(done.stderr)


def printed(text: str) -> tuple[Printed, float | None]:
    found: Printed = Counter()
    parts = []
    for line in text.splitlines():
        match = re.match(r"\s*([\d.]+(?=\s+\S+\s+\S+))?\s*(CPU\d+|\S+-\d+)?\s+(\d+)\s+(near|far)\b(.*)", line)
        if match:
            found[match[2] or "", match[4]] += int(match[3])
            parts += [float(part) for part in re.findall(r"\(([\d.]+)%\)", match[5])]
    assert found, text
    return found, min(parts, default=None)


def imported(data: Path) -> Path:
    recording = data.with_suffix(".numaprof")
    subprocess.run([PROGRAM, "import", "-q", "-o", recording, data], check=True)
    return recording


def stored(recording: Path, whose: str) -> Printed:
    names = {"local_dram": "near", "remote_dram": "far"}
    query = (
        f"SELECT {whose}, placement, sum(value) FROM count JOIN event e ON e.id = event"
        " LEFT JOIN thread t ON t.id = thread WHERE class IN ('retired_load', 'demand') GROUP BY 1, 2"
    )
    with closing(sqlite3.connect(recording)) as db:
        return Counter({(who, names[placement]): value for who, placement, value in db.execute(query)})


def verdict(recording: Path) -> dict[str, Any]:
    # Two machines that wrote the same compiled modules into the host's folders would read each other's halves.
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [PROGRAM, "report", recording, "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["verdict"]
    return found


def recorded(tmp_path: Path, request: str, *program: object) -> dict[str, Any]:
    """numaprof record of the same program, of the same class."""
    recording = tmp_path / "own.numaprof"
    command = [PROGRAM, "record", "-q", "--pin", "none", "--events", request, "-o", recording, "--", *program]
    subprocess.run([*map(str, command)], input="\n", text=True, stdout=subprocess.DEVNULL, check=True)
    return verdict(recording)


def check(tmp_path: Path, pair: str, request: str) -> None:
    """A program whose loads are half remote, in all and by interval: the numbers of perf, and the same verdict."""
    program = [PROGRAMS / "by_turns", 1, 5, 2]
    own = recorded(tmp_path, request, *program)
    for number, interval in enumerate(([], ["-I", 20])):
        data = tmp_path / f"{number}.data"
        shown, _ = counted(data, [*interval, "-e", pair], *program)
        recording = imported(data)
        assert stored(recording, "''") == shown
        with closing(sqlite3.connect(recording)) as db, db:
            db.execute("UPDATE run SET emulated = 'the same'")  # perf does not know: its times would count as real
        found = verdict(recording)
        assert found["coverage"] == 1
        assert found["lowest"] == found["highest"] == found["remote_share"]
        assert found["remote_share"] == pytest.approx(0.5, abs=0.01)
        assert (found["judgement"], found["population"]) == (own["judgement"], own["population"])
        assert found["remote_share"] == pytest.approx(own["remote_share"], abs=0.01)


@pytest.mark.lab(MACHINE.format("skylake"))
def test_counts_of_perf_stat_on_skylake(tmp_path: Path) -> None:
    check(tmp_path, PAIR, "retired")


@pytest.mark.lab(MACHINE.format("zen"))
def test_counts_of_perf_stat_on_zen(tmp_path: Path) -> None:
    check(tmp_path, ZEN, "demand_rd")


@pytest.mark.lab(MACHINE.format("skylake"))
def test_the_error_of_counts_that_take_turns(tmp_path: Path) -> None:
    """With intervals it is known, and holds the truth; without, it is not known, and not 0."""
    program = [PROGRAMS / "by_turns", 1, 5, 6]
    for number, (interval, known) in enumerate((([], False), (["-I", 20], True))):
        data = tmp_path / f"{number}.data"
        shown, part = counted(data, [*interval, "-e", ",".join([PAIR, *OTHERS])], *program)
        recording = imported(data)
        assert part is not None and part < 90
        assert sum(stored(recording, "''").values()) < sum(shown.values())  # perf prints scaled numbers
        found = verdict(recording)
        assert found["coverage"] < 0.95
        assert (found["lowest"] is not None) == (found["highest"] is not None) == known
        assert found["remote_share"] == pytest.approx(0.5, abs=0.05)
        if known:
            assert found["lowest"] < found["highest"] < 1
            assert found["lowest"] - 0.01 <= 0.5 <= found["highest"] + 0.01


@pytest.mark.lab(MACHINE.format("skylake"))
def test_counts_by_thread_and_by_cpu(tmp_path: Path) -> None:
    """Of a process that runs already (-p), and of all programs on all CPUs (-a)."""
    fifos = [tmp_path / name for name in ("control", "acknowledged")]
    for fifo in fifos:
        os.mkfifo(fifo)
    chase = [PROGRAMS / "by_turns", "1", "5", "2"]
    data = tmp_path / "threads.data"
    with subprocess.Popen(chase, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin and program.stdout
        program.stdout.readline()
        command = ["perf", "stat", "record", "-o", data, "--per-thread", "--no-inherit", "-e", PAIR, "-D", "-1"]
        command += ["--control", f"fifo:{fifos[0]},{fifos[1]}", "-p", str(program.pid)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as perf:
            ask(fifos, "enable")
            program.communicate("\n")
            assert perf.stderr
            shown, _ = printed(perf.stderr.read())
        tid = f"by_turns-{program.pid}"
    recording = imported(data)
    assert stored(recording, "t.name || '-' || t.tid") == shown
    assert {who for who, _ in shown} == {tid}
    data = tmp_path / "cpus.data"
    shown, _ = counted(data, ["-a", "-A", "-e", PAIR], *chase)
    recording = imported(data)
    assert +stored(recording, "'CPU' || count.cpu") == +shown
    found = verdict(recording)
    assert found["remote_share"] == pytest.approx(0.5, abs=0.05)
    assert max(shown, key=lambda key: shown[key])[0] == "CPU1"
