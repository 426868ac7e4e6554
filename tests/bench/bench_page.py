# SPDX-License-Identifier: Apache-2.0
"""The page of a big recording, and of a small one, from the start of the process to its end.

512 CPUs on 8 nodes, 2 000 threads, 5 000 objects, 1 M samples: overflows, loads and first touches; as many rows of
counts as a recorder lets a time line have.
"""

from __future__ import annotations

import random
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from bench import BUILD, Cost, folder, line, medians, run

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reports"))

from recording_builder import FIRST_TOUCH, LOAD, OVERFLOW, PAGE, SECOND, RecordingBuilder
from scenarios import SCENARIOS

SAMPLES = 1_000_000
NODES, CPUS, THREADS, OBJECTS, BLOCK_PAGES = 8, 512, 2000, 5000, 256
COUNT_ROWS = 500_000  # profiler/recorder/evidence/counter_sets.c
LINES, DEPTH = 2000, 12
BASE, GAP = 0x7F0000000000, 1 << 24


def write(path: Path, samples: int) -> None:
    builder = RecordingBuilder(nodes=NODES, cpus_per_node=CPUS // NODES, wall_ns=20 * SECOND)
    builder.threads(THREADS, name="worker", cpus=[thread % CPUS for thread in range(THREADS)])
    builder.level(1, "counters", True, detail="offcore-response").level(3, "samples", True, detail="load latency")
    events = [
        builder.event(name, f"{side}_dram")
        for name in ("demand_rd", "demand_rfo", "pf_any")
        for side in ("local", "remote")
    ]
    clock = builder.event("time", "")
    builder.homes(*((_address(number), BLOCK_PAGES, number % NODES) for number in range(OBJECTS)))
    builder.write(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany("INSERT INTO place VALUES (?, '/home/u/app', NULL, ?, ?, 0, ?, ?, NULL)", _places())
        connection.executemany("INSERT INTO stack VALUES (?, ?, ?, 0)", _stacks())
        connection.executemany("INSERT INTO object VALUES (?, 1, 'heap', NULL, ?, NULL)", _objects())
        connection.executemany("INSERT INTO block VALUES (?, ?, ?, ?, 0, NULL, 1)", _blocks())
        connection.executemany("INSERT INTO count VALUES (?, ?, ?, ?, ?, ?, ?, NULL)", _counts(events, clock))
        columns = "kind, event, t_ns, thread, cpu, weight, stack, address, block, page_node, source, latency"
        insert = f"INSERT INTO sample ({columns}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"
        connection.executemany(insert, _samples(samples, events[1]))
        connection.execute("INSERT INTO sample_sum SELECT kind, count(*), sum(weight) FROM sample GROUP BY kind")


def _address(number: int) -> int:
    return BASE + number * GAP


def _places() -> Iterator[tuple[int, int, str, str, int]]:
    for place in range(1, LINES + 1):
        yield place, 0x1000 + place, f"work_{place // 20}", f"/home/u/src/part_{place // 200}.c", place % 200 + 1


def _stacks() -> Iterator[tuple[int, int, int | None]]:
    """One call stack of some frames, and every line called from its end."""
    for depth in range(1, DEPTH + 1):
        yield depth, depth, depth - 1 or None
    for place in range(1, LINES + 1):
        yield DEPTH + place, place, DEPTH


def _objects() -> Iterator[tuple[int, int]]:
    for number in range(OBJECTS):
        yield number + 1, DEPTH + 1 + number % LINES


def _blocks() -> Iterator[tuple[int, int, int, int]]:
    for number in range(OBJECTS):
        yield number + 1, number + 1, _address(number), BLOCK_PAGES * PAGE


def _counts(events: list[int], clock: int) -> Iterator[tuple[int, ...]]:
    intervals = COUNT_ROWS // (THREADS * (len(events) + 1))
    step = 20 * SECOND // intervals
    for number in range(1, intervals + 1):
        for thread in range(1, THREADS + 1):
            cpu = (thread - 1) % CPUS
            for event in events:
                yield event, thread, cpu, number * step, 1000 * event, step // 4, step // 12
            yield clock, thread, cpu, number * step, step // 4, step // 4, step // 4


def _samples(samples: int, event: int) -> Iterator[tuple[int | None, ...]]:
    chance = random.Random(1)
    for number in range(samples):
        thread, line, time = chance.randrange(THREADS), DEPTH + 1 + chance.randrange(LINES), number * 20_000
        cpu, block = thread % CPUS, min(int(chance.expovariate(1 / 400)), OBJECTS - 1)
        where = (thread + 1, cpu)
        address, home = _address(block) + chance.randrange(BLOCK_PAGES * PAGE), block % NODES
        if number % 4 == 0:
            yield FIRST_TOUCH, None, time, *where, 1, line, address, block + 1, home, None, None
        elif number % 4 == 1:
            yield OVERFLOW, event, time, *where, 997, line, None, None, None, None, None
        else:
            source = 1 if cpu // (CPUS // NODES) == home else 2
            yield LOAD, None, time, *where, 101, line, address, block + 1, home, source, 200 * source


def main() -> None:
    reports = BUILD / "numaprof-reports"
    with folder() as place:
        big, small, page = place / "big.numaprof", place / "small.numaprof", place / "page.html"
        write(big, SAMPLES)
        SCENARIOS["serial_init"]().write(small)
        sizes = {}

        def made(recording: Path) -> Cost:
            cost = run([reports, "report", recording, "--html", page])
            sizes[recording] = page.stat().st_size / 1e6
            return cost

        costs = medians(3, big=lambda: made(big), small=lambda: made(small))
        for name, recording, goal in (("big", big, "<= 5 s, 6 MB"), ("small", small, "<= 2 MB")):
            cost = costs[name]
            text = f"{sizes[recording]:.2f} MB in {cost.wall:.2f} s, CPU time {cost.cpu:.2f} s"
            line(f"page of a {name} recording", text, goal)


if __name__ == "__main__":
    main()
