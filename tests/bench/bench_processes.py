# SPDX-License-Identifier: Apache-2.0
"""Programs of thousands of processes, beside perf stat, strace and perf record of the same in one run; their report."""

from __future__ import annotations

import shutil
import sqlite3
import statistics
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from bench import BUILD, Cost, build, collectors, folder, line, perf, record, run

PROCESSES, ROUNDS = 5000, 5
REPORTED = (4000, 16_000)
NOTHING = [word for what in ("counters", "faults", "pages") for word in ("--without", what)]


def rounds(sides: dict[str, Callable[[], Cost]]) -> dict[str, list[Cost]]:
    """Each side once per round, in turn, after a round that is thrown away."""
    costs: dict[str, list[Cost]] = {name: [] for name in sides}
    for number in range(ROUNDS + 1):
        for name, side in sides.items():
            cost = side()
            if number > 0:
                costs[name].append(cost)
    return costs


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def print_sides(name: str, costs: dict[str, list[Cost]], goal: str, remark: str) -> None:
    """Ratios of each round to the bare program of the same round."""
    line(name, remark, goal)
    bare = costs.pop("bare")
    for side, with_it in costs.items():
        walls = [cost.wall / alone.wall for cost, alone in zip(with_it, bare)]
        cpus = [cost.cpu / alone.cpu for cost, alone in zip(with_it, bare)]
        more = statistics.median(cost.cpu - alone.cpu for cost, alone in zip(with_it, bare))
        line(f"  {side}", f"time {spread(walls)} x, CPU {spread(cpus)} x, {1e3 * more / PROCESSES:.2f} ms a process")


def compare(name: str, place: Path, words: list[object], goal: str) -> None:
    recording = place / "x.numaprof"
    sides: dict[str, Callable[[], Cost]] = {
        "bare": lambda: run(words),
        "recorded": lambda: record(recording, *words),
        "all collectors off": lambda: record(place / "off.numaprof", *NOTHING, *words),
    }
    if perf():
        sides["perf stat"] = lambda: run([perf(), "stat", "-o", place / "stat", *words])
        stacks = ["record", "-q", "-e", "page-faults", "--call-graph", "dwarf,2048", "-o", place / "perf.data"]
        sides["perf record, DWARF stacks"] = lambda: run([perf(), *stacks, *words])
    if shutil.which("strace"):
        sides["strace -f -c"] = lambda: run(["strace", "-f", "-c", "-o", place / "strace", *words])
    costs = rounds(sides)
    print_sides(name, costs, goal, collectors(recording))


def report(place: Path, words: list[object], processes: int) -> None:
    recording, reports = place / "many.numaprof", BUILD / "numaprof-reports"
    record(recording, *words)
    with closing(sqlite3.connect(recording)) as connection, connection:
        rows = connection.execute("SELECT count(*) FROM process").fetchone()[0]
    text, page = run([reports, "report", recording]), run([reports, "report", recording, "--html", place / "x.html"])
    size = recording.stat().st_size / 1e6
    goal = "<= 1.5 s" if processes == REPORTED[0] else "<= 3 s"
    line(f"report of {rows} processes", f"{text.wall:.2f} s, page {page.wall:.2f} s, {size:.0f} MB", goal)


def main() -> None:
    program, empty = build("processes"), build("nothing")
    with folder() as place:
        compare(f"{PROCESSES} forks", place, [program, PROCESSES], "time 2.5 x, CPU 3 x")
        compare(f"{PROCESSES} fork and exec", place, [program, PROCESSES, empty], "time 2.2 x, CPU 2.5 x")
        for processes in REPORTED:
            report(place, [program, processes, empty], processes)


if __name__ == "__main__":
    main()
