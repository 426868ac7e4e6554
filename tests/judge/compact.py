# SPDX-License-Identifier: Apache-2.0
"""Compact recordings: what a decision about placement needs of a recording, and nothing else.

A compact recording is a dict: table name -> column name -> list of values. Samples are picked at random, by a fixed
seed, and their weights scaled up. First touches of neighbouring pages are one row. Paths of the recording machine are
cut.
`restore` makes a recording of it again, with the schema of the recorder.
"""

from __future__ import annotations

import json
import lzma
import random
import re
import sqlite3
from collections.abc import Iterator
from itertools import accumulate, groupby
from pathlib import Path, PurePath
from typing import Any

SCHEMA = Path(__file__).resolve().parents[2] / "core" / "recording" / "schema.sql"
MOST_SAMPLES = {1: 400, 2: 1500, 3: 1500}  # by sample.kind: overflow, load, store
FAULTS = range(10, 20)
MOST_SNAPSHOTS = 3  # of a process: the first ones and the last
MOST_SLICES = 8  # of time, of each count of a thread
TICK_NS = 10_000
LINE_BYTES = 64

# Tables that are taken whole. What they refer to is kept by `_references`.
WHOLE = [
    "run",
    "evidence",
    "window",
    "node",
    "cpu",
    "distance",
    "process",
    "thread",
    "event",
    "sample_sum",
    "object",
    "block",
    "note",
    "node_memory",
    "attached",
    "placed_before",
    "same_memory",
    "code_file",
    "code_maker",
    "openblas",
]

Table = dict[str, list[Any]]
Compact = dict[str, Table]


def compact(recording: Path, denser: int = 1) -> Compact:
    """Read a recording, and keep `denser` times MOST_SAMPLES. Raises sqlite3.Error if it is none."""
    database = sqlite3.connect(f"file:{recording}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    try:
        tables = {name: _rows(database, f"SELECT * FROM {name}") for name in WHOLE}
        tables["count"] = _counts(_rows(database, "SELECT * FROM count ORDER BY event, thread, cpu, t_ns"))
        tables["sample"] = _samples(database, recording.stem, tables["run"][0]["page_bytes"], denser)
        tables["snapshot"], tables["page_home"] = _snapshots(database)
        tables["stack"], tables["place"] = _stacks(database, tables)
    finally:
        database.close()
    _forget_machine(tables)
    return {name: _columns(rows) for name, rows in tables.items() if rows}


def restore(tables: Compact, path: Path) -> None:
    """Write the recording of these tables to a new file."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.executescript(f"PRAGMA synchronous = OFF; BEGIN; {SCHEMA.read_text()}")
        for name, columns in tables.items():
            names, marks = ", ".join(columns), ", ".join("?" * len(columns))
            database.executemany(f"INSERT INTO {name} ({names}) VALUES ({marks})", zip(*columns.values()))
        database.execute("COMMIT")
    finally:
        database.close()


def write_archive(path: Path, recordings: dict[str, Compact]) -> None:
    """Write one line of JSON for each recording, in the order of their names, compressed."""
    with lzma.open(path, "wt", preset=9 | lzma.PRESET_EXTREME, encoding="utf-8") as archive:
        for name in sorted(recordings):
            packed = {table: _deltas(columns) for table, columns in recordings[name].items()}
            archive.write(json.dumps([name, packed], separators=(",", ":")) + "\n")


def read_archive(path: Path) -> Iterator[tuple[str, Compact]]:
    with lzma.open(path, "rt", encoding="utf-8") as archive:
        for line in archive:
            name, packed = json.loads(line)
            yield name, {table: _sums(columns) for table, columns in packed.items()}


def _rows(database: sqlite3.Connection, query: str, *values: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in database.execute(query, values)]


def _columns(rows: list[dict[str, Any]]) -> Table:
    """Leave out columns that are NULL in all rows."""
    return {name: [row[name] for row in rows] for name in rows[0] if any(row[name] is not None for row in rows)}


def _counts(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add up neighbouring time slices of each count."""
    joined = []
    for _, group in groupby(rows, key=lambda row: (row["event"], row["thread"], row["cpu"])):
        slices = list(group)
        step = -(-len(slices) // MOST_SLICES)
        for part in (slices[at : at + step] for at in range(0, len(slices), step)):
            sums = {name: sum(row[name] or 0 for row in part) for name in ("value", "enabled_ns", "running_ns", "work")}
            for name in ("enabled_ns", "running_ns"):
                sums[name] -= sums[name] % TICK_NS
            end = part[-1]["t_ns"]
            known = any(row["work"] is not None for row in part)
            joined.append(part[-1] | sums | {"t_ns": end - end % TICK_NS, "work": sums["work"] if known else None})
    return joined


def _samples(database: sqlite3.Connection, seed: str, page_bytes: int, denser: int) -> list[dict[str, Any]]:
    rows = _rows(database, "SELECT * FROM sample ORDER BY t_ns, id")
    kept = [row for row in rows if row["kind"] not in MOST_SAMPLES and row["kind"] not in FAULTS]
    chance = random.Random(seed)
    for kind, most in MOST_SAMPLES.items():
        kept += _pick([row for row in rows if row["kind"] == kind], most * denser, chance)
    kept += _joined([row for row in rows if row["kind"] in FAULTS], page_bytes)
    for row in kept:
        row["t_ns"] -= row["t_ns"] % TICK_NS
        row["id"] = None
        if row["address"] is not None:
            row["address"] -= row["address"] % LINE_BYTES
    return sorted(kept, key=lambda row: (row["kind"], row["t_ns"], row["thread"], row["address"] or 0))


def _pick(rows: list[dict[str, Any]], most: int, chance: random.Random) -> list[dict[str, Any]]:
    if len(rows) <= most:
        return rows
    picked = chance.sample(rows, most)
    for row in picked:
        row["weight"] = round(row["weight"] * len(rows) / most)
    return picked


def _joined(faults: list[dict[str, Any]], page_bytes: int) -> list[dict[str, Any]]:
    """Make one row of faults of one thread at one source location on pages that follow each other."""
    last_of: dict[Any, dict[str, Any]] = {}
    joined = []
    same = ("kind", "thread", "cpu", "stack", "block", "page_node")
    for row in faults:
        key = tuple(row[name] for name in same)
        last = last_of.get(key)
        if (
            last
            and row["address"]
            and last["address"]
            and row["address"] // page_bytes == (last["address"] // page_bytes + last["weight"])
        ):
            last["weight"] += row["weight"]
        else:
            last_of[key] = row
            joined.append(row)
    return joined


def _snapshots(database: sqlite3.Connection) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    kept = []
    for (process,) in database.execute("SELECT DISTINCT process FROM snapshot ORDER BY process").fetchall():
        rows = _rows(database, "SELECT * FROM snapshot WHERE process = ? ORDER BY t_ns, id", process)
        kept += [*rows[: MOST_SNAPSHOTS - 1], *rows[MOST_SNAPSHOTS - 1 :][-1:]]
    query = "SELECT * FROM page_home WHERE snapshot = ? ORDER BY address"
    return kept, [row for snapshot in kept for row in _rows(database, query, snapshot["id"])]


def _stacks(
    database: sqlite3.Connection, tables: dict[str, list[dict[str, Any]]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    stacks = {row["id"]: row for row in _rows(database, "SELECT * FROM stack")}
    places = {row["id"]: row for row in _rows(database, "SELECT * FROM place")}
    used_stacks: dict[int, dict[str, Any]] = {}
    for innermost in [*(row["stack"] for row in tables["sample"]), *(row["alloc_stack"] for row in tables["object"])]:
        stack = innermost
        while stack is not None and stack not in used_stacks:
            used_stacks[stack] = stacks[stack]
            stack = stacks[stack]["caller"]
    used_places: dict[int, dict[str, Any]] = {}
    for row in used_stacks.values():
        place = row["place"]
        while place is not None and place not in used_places:
            used_places[place] = places[place]
            place = places[place]["inline_of"]
    return [used_stacks[key] for key in sorted(used_stacks)], [used_places[key] for key in sorted(used_places)]


def _forget_machine(tables: dict[str, list[dict[str, Any]]]) -> None:
    """Cut folders, host and build identity: they tell of the recording machine, and nothing of placement."""
    for row in tables["place"]:
        row["file"] = _cut(row["file"])
        row["module"] = _cut(row["module"])
        row |= {"build_id": None, "address": None, "offset": None}
    for row in tables["process"]:
        row["exe"] = _cut(row["exe"])
    for row in tables["code_file"]:
        row["path"] = _cut(row["path"])
    tables["code_file"] = list({row["path"]: row for row in tables["code_file"]}.values())
    for row in tables["object"]:
        row["name"] = _cut(row["name"])
    for row in tables["note"]:
        row["text"] = re.sub(r"/\S+/", "", row["text"])
        row["remedy"] = None
    (run,) = tables["run"]
    run |= {"command": '["./program"]', "cwd": None, "program": _cut(run["program"]), "host": None}


def _cut(path: str | None) -> str | None:
    """Return the name alone of a file that belongs to no package of the system."""
    if path is None or not path.startswith("/") or path.startswith(("/usr/", "/lib")):
        return path
    return PurePath(path).name


def _deltas(columns: Table) -> Table:
    """Put differences for integers: neighbours are alike, and compress well. A column of other values stays."""
    packed: Table = {}
    for name, values in columns.items():
        if all(type(value) is int for value in values):
            packed[f"+{name}"] = [value - before for before, value in zip([0, *values], values)]
        else:
            packed[name] = values
    return packed


def _sums(packed: Table) -> Table:
    return {
        name.removeprefix("+"): list(accumulate(values)) if name.startswith("+") else values
        for name, values in packed.items()
    }
