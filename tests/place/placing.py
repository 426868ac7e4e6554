# SPDX-License-Identifier: Apache-2.0
"""Placement files for the tests: every object of a recording on one node, or as the test says."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

STACK = """
WITH RECURSIVE walk (id, depth) AS (
    SELECT alloc_stack, 0 FROM object WHERE id = ?
     UNION ALL
    SELECT caller, depth + 1 FROM walk JOIN stack USING (id) WHERE caller IS NOT NULL
)
SELECT module, build_id, address, function FROM walk JOIN stack USING (id) JOIN place p ON p.id = place ORDER BY depth
"""
OURS = re.compile(r"libc\.so|ld-linux|libnumaprof")


class Report(NamedTuple):
    """The line that numaprof prints after a placed run."""

    placed: int
    asked: int
    found: int
    subjects: int
    right: float | None  # percent of the checked bytes

    @classmethod
    def of(cls, text: str) -> Report:
        match = re.search(
            r"placed (\d+) of (\d+) allocations \([^,]*, (\d+) of (\d+) subjects\); (?:([\d.]+) %|not)", text
        )
        assert match, text
        return cls(*map(int, match.groups()[:4]), float(match[5]) if match[5] else None)


def placement(recording: Path, place: str = "* node 0", kinds: tuple[str, ...] = ("heap", "mapping")) -> str:
    """All heap blocks and mappings whose call stack begins in the program itself."""
    lines = ["numaprof-placement 1"]
    with closing(sqlite3.connect(recording)) as database, database:
        objects = database.execute("SELECT id, kind FROM object WHERE alloc_stack IS NOT NULL").fetchall()
        for number, kind in objects:
            frames = database.execute(STACK, (number,)).fetchall()
            while frames and (frames[-1][3] == "_start" or not frames[-1][1] or OURS.search(frames[-1][0] or "")):
                frames.pop()
            if kind in kinds and frames and all(build_id for _, build_id, _, _ in frames):
                lines.append("allocation" if kind == "heap" else "mapping")
                lines += [f"  frame {build_id} {address}" for _, build_id, address, _ in frames]
                lines += [f"  place {place}", "end"]
    return "\n".join(lines) + "\n"
