# SPDX-License-Identifier: Apache-2.0
"""Writes a big recording to time the reports on: `big_recording.py FILE [SAMPLES [OBJECTS]]`.

64 threads pinned to 64 CPUs on two nodes, stacks of 16 frames, 100 000 distinct code addresses spread evenly (the worst
case: real programs have some hundred hot ones), 100 000 first touches of as many pages, the rest overflow samples and
hint faults; ten seconds of counts of eight events; objects of the heap that share the pages, each with a call stack of
its own. The same seed gives the same file.
"""

from __future__ import annotations

import random
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reports"))

from recording_builder import FIRST_TOUCH, HINT, OVERFLOW, PAGE, SECOND, RecordingBuilder

THREADS, ADDRESSES, DEPTH, CHAINS, INTERVALS = 64, 100_000, 16, 200, 100
BASE = 0x7F0000000000


def write(path: Path, samples: int, objects: int = 0) -> None:
    builder = RecordingBuilder(nodes=2, cpus_per_node=THREADS // 2).threads(THREADS)
    builder.level(1, "counters", True, detail="offcore-response").level(4, "faults", True, detail="page-faults event")
    events = [
        builder.event(name, side)
        for name in ("demand_rd", "demand_rfo", "pf_any")
        for side in ("local_dram", "remote_dram")
    ]
    clock = builder.event("time", "", collector="counters")
    builder.homes((BASE, ADDRESSES, 0))
    builder.write(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany("INSERT INTO place VALUES (?, '/home/u/sum', NULL, ?, ?, 0, ?, ?, NULL)", _places())
        stacks = list(_stacks())
        connection.executemany("INSERT INTO stack VALUES (?, ?, ?, 0)", stacks)
        connection.executemany("INSERT INTO count VALUES (?, ?, ?, ?, ?, ?, ?, NULL)", _counts(events, clock))
        leaves = [stack for stack, _, _ in stacks[-ADDRESSES:]]
        columns = "kind, event, t_ns, thread, cpu, weight, stack, address, page_node, block"
        insert = f"INSERT INTO sample ({columns}) VALUES (?,?,?,?,?,?,?,?,?,?)"
        connection.executemany(insert, _samples(samples, events[1], leaves, objects))
        connection.executemany("INSERT INTO object VALUES (?, 1, 'heap', NULL, ?, NULL)", _objects(objects, leaves))
        connection.executemany("INSERT INTO block VALUES (?, ?, ?, ?, 0, NULL, 1)", _blocks(objects))
        connection.execute("INSERT INTO sample_sum SELECT kind, count(*), sum(weight) FROM sample GROUP BY kind")


def _places() -> Iterator[tuple[int, int, str, str, int]]:
    for place in range(1, ADDRESSES + CHAINS * (DEPTH - 1) + 1):
        yield place, 0x1000 + place, f"work_{place // 50}", f"/home/u/src/part_{place // 5000}.c", place % 5000 + 1


def _stacks() -> Iterator[tuple[int, int, int | None]]:
    """Callers are shared, as the recorder shares them: 200 chains of 15 callers, then the innermost frames."""
    number = 0
    ends = []
    for chain in range(CHAINS):
        caller = None
        for depth in range(DEPTH - 1):
            number += 1
            yield number, ADDRESSES + chain * (DEPTH - 1) + depth + 1, caller
            caller = number
        ends.append(number)
    for address in range(ADDRESSES):
        number += 1
        yield number, address + 1, ends[address % CHAINS]


def _counts(events: list[int], clock: int) -> Iterator[tuple[int, ...]]:
    interval = SECOND // 10
    for number in range(1, INTERVALS + 1):
        for thread in range(1, THREADS + 1):
            for event in events:
                yield event, thread, thread - 1, number * interval, 1000 * event, interval, interval // 3
            yield clock, thread, thread - 1, number * interval, interval, interval, interval


def _objects(objects: int, leaves: list[int]) -> Iterator[tuple[int, int]]:
    for number in range(1, objects + 1):
        yield number, leaves[number % len(leaves)]


def _blocks(objects: int) -> Iterator[tuple[int, int, int, int]]:
    pages = PAGE * ADDRESSES // max(1, objects)
    for number in range(1, objects + 1):
        yield number, number, BASE + pages * (number - 1), pages


def _samples(samples: int, event: int, leaves: list[int], objects: int) -> Iterator[tuple[int | None, ...]]:
    chance = random.Random(1)
    for number in range(samples):
        thread, stack = chance.randrange(THREADS) + 1, chance.choice(leaves)
        page = BASE + PAGE * (number % ADDRESSES)
        block = number % ADDRESSES * objects // ADDRESSES + 1 if objects else None
        if number < ADDRESSES:
            yield FIRST_TOUCH, None, number, thread, thread - 1, 1, stack, page, 0, block
        elif number % 3 == 0:
            yield HINT, None, number, thread, thread - 1, 1, stack, page, 0, block
        else:
            yield OVERFLOW, event, number, thread, thread - 1, 997, stack, None, None, None


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[2:4]]
    write(Path(sys.argv[1]), *(numbers or [1_000_000]))
