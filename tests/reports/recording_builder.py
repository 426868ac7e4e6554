# SPDX-License-Identifier: Apache-2.0
"""Recordings written by hand: a RecordingBuilder collects INSERT statements for schema.sql and writes the file.

Nothing here knows the reports; it knows the schema and what a recorder would write.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

SCHEMA = (Path(__file__).resolve().parents[2] / "core" / "recording" / "schema.sql").read_text()
SECOND = 1_000_000_000
RAN = SECOND // 20  # CPU time of a thread, unless told otherwise
PAGE = 4096

Line = tuple[str, int, str]  # file, line, function
FIRST_TOUCH, HINT, FAULT, OVERFLOW, LOAD, STORE = 10, 14, 19, 1, 2, 3
LOCAL, REMOTE, OWN_CACHE, REMOTE_DIRTY = 1, 2, 6, 5  # source


def literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"CAST(X'{value.hex()}' AS TEXT)"  # text that is not UTF-8, as the target may name itself
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


@cache
def empty_recording() -> bytes:
    """A file of the schema: to make its tables takes longer than to fill most of them."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(SCHEMA)
        return path.read_bytes()


class RecordingBuilder:
    """Two nodes with four CPUs each, CPUs numbered node by node, unless told otherwise."""

    def __init__(self, nodes: int = 2, cpus_per_node: int = 4, **run: object) -> None:
        self.statements: list[str] = []
        self._ids: dict[str, int] = {}
        self._places: dict[tuple[object, ...], int] = {}
        self._stacks: dict[tuple[object, ...], int] = {}
        self._time = 0
        self._threads: list[int] = []
        self.add("run", id=1, **{**self._run(), **run})
        for node in range(nodes):
            self.row("node", id=node, mem_bytes=16 << 30, free_bytes=12 << 30, allowed=1)
        for cpu in range(nodes * cpus_per_node):
            node = cpu // cpus_per_node
            self.row("cpu", id=cpu, node=node, package=node, core=cpu, thread=0, online=1, allowed=1)
        self.add("process", pid=4711, exe="/home/u/sum", start_ns=0, end_ns=RAN, followed="preload")
        self.row("window", start_ns=0, cause="run")

    @staticmethod
    def _run() -> dict[str, object]:
        return {
            "command": json.dumps(["./sum"]),
            "program": "/home/u/sum",
            "pid": 4711,
            "started_at": "2026-11-20T20:00:00.000Z",
            "wall_ns": 6 * SECOND // 100,
            "exit_status": 0,
            "complete": 1,
            "host": "box",
            "kernel": "6.1.0",
            "cpu_name": "Test CPU",
            "tool_version": "0.1.0",
            "page_bytes": PAGE,
            "huge_pages": "never",
            "balancing": 0,
            "balancing_moved_pages": 0,
            "pin_policy": "compact",
            "interval_ns": SECOND // 10,
            "tool_cpu_ns": SECOND // 1000,
        }

    # Rows

    def row(self, table: str, **columns: object) -> None:
        names, values = ", ".join(columns), ", ".join(map(literal, columns.values()))
        self.statements.append(f"INSERT INTO {table} ({names}) VALUES ({values});")

    def add(self, table: str, **columns: object) -> int:
        """A row with the next id of its table."""
        self._ids[table] = self._ids.get(table, 0) + 1
        self.row(table, **{"id": self._ids[table], **columns})
        return self._ids[table]

    def change(self, table: str, where: str = "true", **columns: object) -> RecordingBuilder:
        settings = ", ".join(f"{name} = {literal(value)}" for name, value in columns.items())
        self.statements.append(f"UPDATE {table} SET {settings} WHERE {where};")
        return self

    def sql(self) -> str:
        """What makes a recording of an empty one."""
        sums = "INSERT INTO sample_sum SELECT kind, count(*), sum(weight) FROM sample GROUP BY kind;"
        return "\n".join(["BEGIN;", *self.statements, sums, "COMMIT;"])

    def write(self, path: Path) -> Path:
        path.write_bytes(empty_recording())
        connection = sqlite3.connect(path)
        # Nobody needs it after a power failure: ten times as fast.
        connection.executescript("PRAGMA synchronous = off; PRAGMA journal_mode = memory;")
        connection.executescript(self.sql())
        connection.close()
        return path

    def write_without(self, table: str, path: Path) -> Path:
        """The same file with one table empty."""
        self.statements.append(f"DELETE FROM {table};")
        return self.write(path)

    # What a recorder sees

    def level(self, level: int, collector: str, used: bool, **columns: object) -> RecordingBuilder:
        self.row("evidence", level=level, collector=collector, used=int(used), **columns)
        return self

    def threads(
        self, count: int, name: str | bytes = "sum", cpus: Sequence[int] = (), **columns: object
    ) -> RecordingBuilder:
        """Threads pinned one to a CPU."""
        first = len(self._threads)
        for number in range(count):
            cpu = cpus[number] if cpus else first + number
            self._threads.append(self.thread(name=name, tid=4711 + first + number, **{"planned_cpu": cpu, **columns}))
        return self

    def thread(self, **columns: object) -> int:
        standard: dict[str, object] = {
            "process": 1,
            "start_ns": 1000 * self._ids.get("thread", 0),
            "end_ns": RAN,
            "from_start": 1,
            "pin": "planned",
            "cpu_ns": RAN,
            "migrations": 0,
        }
        return self.add("thread", **{**standard, **columns})

    def event(self, request: str, placement: str, **columns: object) -> int:
        standard: dict[str, object] = {
            "collector": "counters",
            "name": f"TEST.{request}.{placement}".upper(),
            "class": request,
            "placement": placement,
            "exclude_kernel": 1,
        }
        return self.add("event", **{**standard, **columns})

    def count(
        self, event: int, thread: int | None, value: int, share: float = 1.0, **columns: object
    ) -> RecordingBuilder:
        """One interval, the whole run; share: how much of it the event had a counter."""
        standard: dict[str, object] = {
            "t_ns": RAN,
            "value": value,
            "enabled_ns": RAN,
            "running_ns": round(RAN * share),
        }
        self.row("count", event=event, thread=thread, **{**standard, **columns})
        return self

    def counters(
        self, request: str, local: Sequence[int], remote: Sequence[int], share: float = 1.0
    ) -> RecordingBuilder:
        """One value for each thread."""
        for placement, values in (("local_dram", local), ("remote_dram", remote)):
            event = self.event(request, placement)
            for thread, value in enumerate(values, 1):
                self.count(event, thread, value, share)
        return self

    def place(self, where: Line, /, module: str = "/home/u/sum", **columns: object) -> int:
        key = (*where, module, *columns.items())
        if key not in self._places:
            file, number, function = where
            known: dict[str, object] = {"file": file, "line": number, "function": function, "address": 0x1000 + number}
            self._places[key] = self.add("place", **{"module": module, **known, **columns})
        return self._places[key]

    def stack(self, *places: int) -> int:
        """Innermost first."""
        caller = None
        for place in reversed(places):
            key = (place, caller)
            if key not in self._stacks:
                self._stacks[key] = self.add("stack", place=place, caller=caller)
            caller = self._stacks[key]
        assert caller is not None
        return caller

    def sample(self, kind: int, thread: int, stack: int | None, weight: int = 1, **columns: object) -> RecordingBuilder:
        self._time += 1000
        standard: dict[str, object] = {"t_ns": self._time, "cpu": thread - 1}
        self.row("sample", kind=kind, thread=thread, stack=stack, weight=weight, **{**standard, **columns})
        return self

    def touch(self, stack: int, thread: int, address: int, pages: int, **columns: object) -> RecordingBuilder:
        """First touches of consecutive pages, one sample for 64 of them."""
        for page in range(0, pages, 64):
            self.sample(FIRST_TOUCH, thread, stack, min(64, pages - page), address=address + page * PAGE, **columns)
        return self

    def hints(
        self, stack: int, thread: int, pages: Sequence[int], page_node: int, **columns: object
    ) -> RecordingBuilder:
        """Hint faults at these addresses."""
        for address in pages:
            self.sample(HINT, thread, stack, address=address, page_node=page_node, **columns)
        return self

    def object(self, kind: str, stack: int | None = None, name: str | None = None, **columns: object) -> int:
        return self.add("object", process=1, kind=kind, name=name, alloc_stack=stack, **columns)

    def block(self, object: int, address: int, pages: int, **columns: object) -> int:
        standard: dict[str, object] = {"object": object, "address": address, "bytes": pages * PAGE, "start_ns": 0}
        return self.add("block", **{**standard, **columns})

    def loads(
        self, stack: int, thread: int, addresses: Sequence[int], page_node: int, local: int = 200, **columns: object
    ) -> RecordingBuilder:
        """Sampled loads that DRAM answered; from another node it takes twice as long."""
        node = (thread - 1) // 4
        answer = {"source": LOCAL, "latency": local} if node == page_node else {"source": REMOTE, "latency": 2 * local}
        for address in addresses:
            self.sample(LOAD, thread, stack, 1009, address=address, page_node=page_node, **{**answer, **columns})
        return self

    def homes(self, *ranges: tuple[int, int, int | None]) -> RecordingBuilder:
        """The snapshot before exit: address, pages, node."""
        pages = sum(count for _, count, _ in ranges)
        known = sum(count for _, count, node in ranges if node is not None)
        answers = {"method": "move_pages", "asked": pages, "known": known}
        snapshot = self.add("snapshot", process=1, t_ns=RAN, cause="exit", **answers)
        for address, count, node in ranges:
            self.row("page_home", snapshot=snapshot, address=address, pages=count, span=count, node=node)
        return self

    def verified(self, local: str) -> RecordingBuilder:
        """What numaprof verify found that local means."""
        self.row("verification", id=1, at="2026-11-22T17:16:54Z", partial=0, local=local)
        return self

    def note(self, kind: str, text: str, **columns: object) -> RecordingBuilder:
        self.add("note", kind=kind, text=text, **columns)
        return self
