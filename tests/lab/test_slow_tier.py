# SPDX-License-Identifier: Apache-2.0
"""Sampled loads of a program whose data lie partly on a slow tier (node 2, CXL): source and page's node agree."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parent.parent.parent
STEADY = TREE / "build" / "tests" / "lab" / "steady"
LOCAL, REMOTE, CACHES, SLOW = 1, 2, (3, 4, 5, 6), 8  # ids of the table source
LEAST = 20  # samples of a kind, which prove something


@pytest.mark.lab("tests/lab/machines/small-granite.machine")
def test_loads_from_a_slow_tier_are_neither_local_nor_remote(tmp_path: Path) -> None:
    """Two processes, one on each package, read two thirds from node 0 and one third from node 2."""
    recording = tmp_path / "r.numaprof"
    program = f"{STEADY} 6000,3,0,2 0 & {STEADY} 6000,3,0,2 4; wait"
    record = [TREE / "numaprof", "record", "-q", "--pin", "none", "-o", recording, "--", "sh", "-c", program]
    subprocess.run(record, check=True)
    with closing(sqlite3.connect(recording)) as database:
        rows = database.execute(
            "SELECT page_node, cpu >= 4, source, count(*) FROM sample"
            " WHERE kind = 2 AND page_node IS NOT NULL GROUP BY 1, 2, 3"
        ).fetchall()
    memory = {(node, away, source): count for node, away, source, count in rows if source not in CACHES}
    for key in ((0, 0, LOCAL), (0, 1, REMOTE), (2, 0, SLOW), (2, 1, SLOW)):
        assert memory.pop(key, 0) >= LEAST, (key, rows)
    wrong = {key: count for key, count in memory.items() if key[0] in (0, 2)}
    assert not wrong, rows
