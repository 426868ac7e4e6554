# SPDX-License-Identifier: Apache-2.0
"""What all benches share: programs built once, runs that alternate, medians. In one session: what disturbs one side
disturbs the other, and the ratio counts. A bench is a file bench_NAME.py that prints its own lines (`make bench`)."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

TREE = Path(__file__).resolve().parents[2]
BUILD = TREE / "build"
NUMAPROF = BUILD / "numaprof"
PROGRAMS = Path(__file__).resolve().parent / "programs"


def build(name: str, *arguments: object) -> Path:
    """tests/bench/programs/NAME.c, compiled."""
    output = BUILD / "bench" / name
    output.parent.mkdir(parents=True, exist_ok=True)
    command = [os.environ.get("CC", "gcc"), "-O2", "-g", "-std=gnu17", "-D_GNU_SOURCE", "-fno-omit-frame-pointer"]
    command += ["-pthread", f"-I{TREE}", "-o", str(output), str(PROGRAMS / f"{name}.c"), *map(str, arguments)]
    subprocess.run(command, check=True)
    return output


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="numaprof-bench-") as made:
        yield Path(made)


class Cost(NamedTuple):
    """In seconds. cpu: of the program and, where there is one, its recorder; another's load does not enter it."""

    wall: float
    cpu: float


def run(command: Sequence[object]) -> Cost:
    """A failure ends the bench with what the command said."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return Cost(wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def record(recording: Path, *program: object, before: Sequence[object] = ()) -> Cost:
    """before: words to put before the command."""
    recording.unlink(missing_ok=True)
    return run([*before, NUMAPROF, "record", "-q", "-o", recording, *program])


def medians(runs: int, **sides: Callable[[], Cost]) -> dict[str, Cost]:
    """Each side once per round, in turn, after a round that is thrown away."""
    costs: dict[str, list[Cost]] = {name: [] for name in sides}
    for number in range(runs + 1):
        for name, side in sides.items():
            cost = side()
            if number > 0:
                costs[name].append(cost)
    return {name: Cost(*map(statistics.median, zip(*values))) for name, values in costs.items()}


def collectors(recording: Path) -> str:
    """Which collectors ran, for the line."""
    with closing(sqlite3.connect(f"file:{recording}?mode=ro", uri=True)) as connection, connection:
        used = {row[0] for row in connection.execute("SELECT collector FROM evidence WHERE used")}
    others = ", ".join(name for name in ("samples", "faults", "pages") if name in used)
    return f"counters, {others}" if "counters" in used else f"{others}; counters not measured: none here"


def line(name: str, text: str, goal: str = "") -> None:
    print(f"{name:<28} {text}{f'   [goal {goal}]' if goal else ''}", flush=True)


def ratio(name: str, with_it: Cost, without: Cost, goal: str, remark: str = "") -> None:
    wall = f"{with_it.wall / without.wall:5.2f} x   {1e3 * without.wall:.4g} -> {1e3 * with_it.wall:.4g} ms"
    cpu = f"CPU time of both {with_it.cpu / without.cpu:.2f} x"
    line(name, f"{wall}, {cpu}{f'   ({remark})' if remark else ''}", goal)


def perf() -> str | None:
    return shutil.which("perf")


def raise_file_limit() -> None:
    """As the recorder does for itself: to the hard limit."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
