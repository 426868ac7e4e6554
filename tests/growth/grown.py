# SPDX-License-Identifier: Apache-2.0
"""Recordings of a chosen size, written row by row: a program of many processes, threads, objects, blocks or lines."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from recording_builder import (
    FAULT,
    FIRST_TOUCH,
    LOAD,
    LOCAL,
    OVERFLOW,
    PAGE,
    RAN,
    REMOTE,
    SECOND,
    RecordingBuilder,
)

BASE, BLOCK = 0x7F0000000000, 64 * PAGE
START = SECOND // 1000  # from the start of a process to that of the next
CPUS_PER_NODE = 4
CPUS = 2 * CPUS_PER_NODE
KINDS = ("heap", "static", "stack", "mapping", "file")
DEPTH = 10  # frames of a call stack


@dataclass(frozen=True)
class Size:
    """How many of each; threads, objects and snapshots are those of one process, blocks those of one object."""

    processes: int = 1
    threads: int = 8
    objects: int = 5
    blocks: int = 1
    places: int = 20
    snapshots: int = 1

    def thread(self, process: int, number: int) -> int:
        return process * self.threads + number % self.threads + 1

    def object(self, process: int, number: int) -> int:
        return process * self.objects + number % self.objects + 1

    def block(self, process: int, number: int) -> int:
        """The blocks of a process in the order in which each object has its first, then its second, and so on."""
        return process * self.objects * self.blocks + number % (self.objects * self.blocks) + 1

    def address(self, number: int) -> int:
        return BASE + number % (self.objects * self.blocks) * 2 * BLOCK


def write(path: Path, size: Size) -> Path:
    """Objects are first touched by one thread of their process, every second block by faults of unknown kind."""
    builder = RecordingBuilder(nodes=2, cpus_per_node=CPUS_PER_NODE, wall_ns=(size.processes + 1) * START)
    for level, collector in (
        (1, "counters"),
        (3, "samples"),
        (4, "faults"),
        (5, "pages"),
    ):
        builder.level(level, collector, True, detail="by hand")
    events = [
        builder.event("demand_rd", "local_dram"),
        builder.event("demand_rd", "remote_dram"),
    ]
    builder.write(path)
    with closing(sqlite3.connect(path)) as connection, connection:

        def fill(table: str, columns: str, rows: Iterable[tuple[object, ...]]) -> None:
            marks = ", ".join("?" * len(columns.split(",")))
            connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)

        fill(
            "process",
            "id, pid, parent, exe, start_ns, end_ns, followed",
            _processes(size),
        )
        columns = "id, process, tid, name, start_ns, end_ns, from_start, pin, planned_cpu, cpu_ns, migrations"
        fill("thread", columns, _threads(size))
        fill(
            "count",
            "event, thread, cpu, t_ns, value, enabled_ns, running_ns",
            _counts(size, events),
        )
        fill("place", "id, module, address, function, offset, file, line", _places(size))
        fill("stack", "id, place, caller, truncated", _stacks(size))
        fill("object", "id, process, kind, name, alloc_stack", _objects(size))
        fill(
            "block",
            "id, object, address, bytes, start_ns, end_ns, thread",
            _blocks(size),
        )
        columns = "kind, event, t_ns, thread, cpu, weight, stack, address, block, page_node, source, latency"
        fill("sample", columns, _samples(size, events[1]))
        fill(
            "snapshot",
            "id, process, t_ns, cause, method, asked, known",
            _snapshots(size),
        )
        fill("page_home", "snapshot, address, pages, span, node", _homes(size))
        connection.execute("INSERT INTO sample_sum SELECT kind, count(*), sum(weight) FROM sample GROUP BY kind")
    return path


Rows = Iterator[tuple[object, ...]]


def _processes(size: Size) -> Rows:
    for process in range(1, size.processes):
        yield (
            process + 1,
            4711 + process,
            1,
            "/usr/bin/true",
            process * START,
            process * START + RAN,
            "preload",
        )


def _threads(size: Size) -> Rows:
    for process in range(size.processes):
        for number in range(size.threads):
            thread, start = size.thread(process, number), process * START + number
            yield (
                thread,
                process + 1,
                4711 + thread,
                "true",
                start,
                start + RAN,
                1,
                "planned",
                number % CPUS,
                RAN,
                0,
            )


def _counts(size: Size, events: list[int]) -> Rows:
    for process in range(size.processes):
        for number in range(size.threads):
            where = (size.thread(process, number), number % CPUS, process * START + RAN)
            for event in events:
                yield event, *where, 1000 * event + number % 7, RAN, RAN


def _places(size: Size) -> Rows:
    for place in range(1, size.places + 1):
        yield (
            place,
            "/home/u/sum",
            0x1000 + place,
            f"work_{place // 5}",
            0,
            f"/home/u/{place // 500}.c",
            place % 500 + 1,
        )


def _stacks(size: Size) -> Rows:
    """One for each place, innermost first."""
    for stack in range(1, size.places + 1):
        yield stack, stack, stack - 1 if stack % DEPTH != 1 else None, 0


def _stack(size: Size, number: int) -> int:
    return number % size.places + 1


def _objects(size: Size) -> Rows:
    for process in range(size.processes):
        for number in range(size.objects):
            kind = KINDS[number % len(KINDS)]
            name = f"name_{number}" if kind in ("static", "file") else None
            stack = None if kind == "stack" else _stack(size, number)
            yield size.object(process, number), process + 1, kind, name, stack


def _blocks(size: Size) -> Rows:
    for process in range(size.processes):
        for number in range(size.objects * size.blocks):
            lives = (process * START, process * START + RAN)
            block, obj, thread = (of(process, number) for of in (size.block, size.object, size.thread))
            yield block, obj, size.address(number), BLOCK, *lives, thread


def _samples(size: Size, event: int) -> Rows:
    for process in range(size.processes):
        for number in range(max(size.threads, size.objects * size.blocks, size.places)):
            time, stack, block = (
                process * START + number,
                _stack(size, number),
                size.block(process, number),
            )
            thread, cpu, node = (
                size.thread(process, number),
                number % size.threads % CPUS,
                number % 2,
            )
            if number < size.objects * size.blocks:
                toucher, kind = (
                    size.thread(process, number % size.objects),
                    FIRST_TOUCH if block % 2 else FAULT,
                )
                for half in (0, BLOCK // 2):
                    address = size.address(number) + half
                    yield (
                        kind,
                        None,
                        time,
                        toucher,
                        0,
                        BLOCK // 2 // PAGE,
                        stack,
                        address,
                        block,
                        node,
                        None,
                        None,
                    )
            for step in range(3):
                source = LOCAL if cpu // CPUS_PER_NODE == node else REMOTE
                address = size.address(number) + (number * 7919 + step * 104729) % BLOCK
                yield (
                    LOAD,
                    None,
                    time + RAN // 2,
                    thread,
                    cpu,
                    101,
                    stack,
                    address,
                    block,
                    node,
                    source,
                    200 * source,
                )
            yield (
                OVERFLOW,
                event,
                time + RAN // 2,
                thread,
                cpu,
                997,
                stack,
                None,
                None,
                None,
                None,
                None,
            )


def _snapshots(size: Size) -> Rows:
    asked = size.objects * size.blocks * BLOCK // PAGE
    for process in range(size.processes):
        for number in range(size.snapshots):
            snapshot, time = (
                process * size.snapshots + number + 1,
                process * START + number,
            )
            yield snapshot, process + 1, time, "interval", "move_pages", asked, asked


def _homes(size: Size) -> Rows:
    for snapshot in range(size.processes * size.snapshots):
        for number in range(size.objects * size.blocks):
            yield (
                snapshot + 1,
                size.address(number),
                BLOCK // PAGE,
                BLOCK // PAGE,
                number % 2,
            )
