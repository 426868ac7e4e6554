# SPDX-License-Identifier: Apache-2.0
"""The truth by page (docs/lab.md), joined with the threads and objects of a recording."""

from __future__ import annotations

import csv
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

CLASSES = ("read", "rfo", "prefetch_read", "prefetch_rfo")
PAGE = 4096
AMBIGUOUS, NOWHERE = -1, 0  # in place of an object's id


@dataclass(frozen=True)
class Row:
    page: int
    remote: bool
    dram: tuple[int, ...]  # by CLASSES
    cache: tuple[int, ...]  # answered by another node's cache


@dataclass
class Lines:
    """Of one recording."""

    by_thread: dict[int, list[Row]] = field(default_factory=dict)  # by the recording's id of the thread
    remote_by_object: dict[int, int] = field(default_factory=dict)  # DRAM lines from other nodes, all classes
    cached_by_object: dict[int, int] = field(default_factory=dict)  # from other nodes' caches, to any page

    @property
    def remote(self) -> int:
        return sum(self.remote_by_object.values())

    def parts_of(self, things: Iterable[int]) -> tuple[float, float]:
        """Of the remote lines, without those from other nodes' caches and with them: some events count these as remote.
        Least first."""
        remote = sum(self.remote_by_object.get(thing, 0) for thing in things if thing > 0)
        cached = sum(self.cached_by_object.get(thing, 0) for thing in things if thing > 0)
        parts = (remote / self.remote, (remote + cached) / (self.remote + sum(self.cached_by_object.values())))
        return min(parts), max(parts)


def read_table(path: Path) -> dict[int, list[Row]]:
    """By thread: what it did after its last exec. Raises ValueError if lines found no row."""
    rows: dict[tuple[int, int], list[Row]] = defaultdict(list)
    with path.open() as file:
        if not (first := next(file)).endswith(": 0\n"):
            raise ValueError(f"{path}: {first.strip('# ').rstrip()}")
        for row in csv.DictReader(file, delimiter="\t"):
            dram, cache = (tuple(int(row[f"{source}_{name}"]) for name in CLASSES) for source in ("dram", "cache"))
            remote = row["page_node"] != row["node"]
            rows[int(row["tid"]), int(row["exec"])].append(Row(int(row["page"], 16), remote, dram, cache))
    last: dict[int, int] = {}
    for tid, exec_count in rows:
        last[tid] = max(exec_count, last.get(tid, 0))
    return {tid: rows[tid, exec_count] for tid, exec_count in last.items()}


def join(table: dict[int, list[Row]], recording: Path) -> Lines:
    with closing(sqlite3.connect(f"file:{recording}?mode=ro", uri=True)) as database:
        threads = database.execute("SELECT id, tid, process FROM thread").fetchall()
        parents = dict(database.execute("SELECT id, parent FROM process"))
        owners = {process: _owners(database, process, parents) for process in {row[2] for row in threads}}
    lines = Lines()
    sums: dict[int, int] = defaultdict(int)
    cached: dict[int, int] = defaultdict(int)
    for ident, tid, process in threads:
        lines.by_thread[ident] = table.get(tid, [])
        for row in lines.by_thread[ident]:
            thing = owners[process].get(row.page, NOWHERE)
            sums[thing] += sum(row.dram) * row.remote
            cached[thing] += sum(row.cache)
    lines.remote_by_object, lines.cached_by_object = dict(sums), dict(cached)
    return lines


def _owners(database: sqlite3.Connection, process: int, parents: dict[int, int | None]) -> dict[int, int]:
    """Object of each page of the process's memory; blocks of its parents are its own as well. A page of which two
    objects have had more than the half, one after the other, is ambiguous."""
    family = {process}
    while (parent := parents.get(process)) is not None and parent not in family:
        family.add(parent)
        process = parent
    shares: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for ident, owner, address, size in database.execute(_BLOCKS):
        if owner not in family or size > 1 << 36:
            continue
        for page in range(address - address % PAGE, address + size, PAGE):
            overlap = min(address + size, page + PAGE) - max(address, page)
            shares[page][ident] = max(overlap, shares[page][ident])
    return {page: _owner(found) for page, found in shares.items()}


# Mappings that allocations are cut from, or that lie under a stack, are not what a page is known as.
_BLOCKS = """
SELECT b.object, o.process, b.address, b.bytes FROM block b JOIN object o ON o.id = b.object
 WHERE o.alloc_stack IS NOT NULL OR (o.name IS NOT NULL AND o.name <> '[heap]')
"""


def _owner(overlaps: dict[int, int]) -> int:
    large = [ident for ident, overlap in overlaps.items() if overlap > PAGE // 2]
    return AMBIGUOUS if len(large) > 1 else max(overlaps, key=lambda ident: overlaps[ident])
