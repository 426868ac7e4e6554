# SPDX-License-Identifier: Apache-2.0
"""Sampled loads and counters tell the same remote share of each thread, within the sampling's own error."""

from __future__ import annotations

import math
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parent.parent.parent
MACHINES = "tests/lab/machines/{}.machine"
STEADY = TREE / "build" / "tests" / "lab" / "steady"
DEVIATIONS = 4  # one test in 16 000 fails by chance
LOCAL, REMOTE = 1, 2  # ids of the table source


def recorded(tmp_path: Path, topic: str, rounds: str) -> sqlite3.Connection:
    """Two processes: the first reads two thirds from its own node, the other one third."""
    output = tmp_path / "r.numaprof"
    record = [TREE / "numaprof", "record", "-q", "--pin", "none", "-o", output, "--events", topic, "--"]
    program = ["sh", "-c", f"{STEADY} {rounds} 0 & {STEADY} {rounds} 4; wait"]
    subprocess.run([*record, *program], check=True, timeout=900)
    return sqlite3.connect(output)


def shares_of_counts(db: sqlite3.Connection, kind: str) -> dict[int, float]:
    rows = db.execute(
        "SELECT count.thread, sum(iif(placement = 'remote_dram', value, 0)) * 1.0 / sum(value)"
        " FROM count JOIN event ON event.id = count.event JOIN thread ON thread.id = count.thread"
        " WHERE thread.name = 'steady' AND collector = 'counters' AND class = ?"
        " AND placement IN ('local_dram', 'remote_dram') GROUP BY 1 HAVING sum(value) > 10000",
        (kind,),
    )
    return dict(rows.fetchall())


def samples(db: sqlite3.Connection) -> dict[int, tuple[float, float]]:
    """By thread: the remote share of loads that memory answered, and how many equal samples would tell as much."""
    rows = db.execute(
        "SELECT thread, sum(iif(source = ?, weight, 0)) * 1.0 / sum(weight),"
        " sum(weight) * 1.0 * sum(weight) / sum(weight * weight)"
        " FROM sample WHERE kind = 2 AND source IN (?, ?) GROUP BY 1",
        (REMOTE, LOCAL, REMOTE),
    )
    return {thread: (share, count) for thread, share, count in rows}


# No prefetcher, so that demand reads and retired loads are the same; on Westmere the sources disagree about the latter.
# Zen's prefetcher sees no stream in every third line; IBS samples all instructions, so many should be loads.
@pytest.mark.parametrize(
    ("topic", "kind", "rounds"),
    [
        pytest.param("demand_rd", "demand_rd", "12000", marks=pytest.mark.lab(MACHINES.format("small-westmere"))),
        pytest.param("retired", "retired_load", "12000", marks=pytest.mark.lab(MACHINES.format("steady-skylake"))),
        pytest.param("retired", "retired_load", "12000", marks=pytest.mark.lab(MACHINES.format("steady-sapphire"))),
        pytest.param("demand_rd", "demand", "40000,3,0", marks=pytest.mark.lab(MACHINES.format("small-zen"))),
    ],
    ids=["westmere", "skylake", "sapphire", "zen"],
)
def test_the_remote_share_of_each_thread(tmp_path: Path, topic: str, kind: str, rounds: str) -> None:
    with closing(recorded(tmp_path, topic, rounds)) as db:
        counted, sampled = shares_of_counts(db, kind), samples(db)
        assert len(counted) == 2, "the two programs were not counted"
        assert max(counted.values()) - min(counted.values()) > 0.2, "they must differ, or nothing is proved"
        for thread, share in counted.items():
            seen, count = sampled[thread]
            assert count >= 30, f"{count} samples prove nothing"
            assert seen == pytest.approx(share, abs=DEVIATIONS * math.sqrt(share * (1 - share) / count))
        # And where a sample's page is agrees with what the sample says of it, and every sample has its object.
        # A thread may move between a load and its interrupt: at its start, until it has pinned itself.
        (all_samples,) = db.execute("SELECT count(*) FROM sample WHERE kind = 2").fetchone()
        (contradicted,) = db.execute("SELECT coalesce(sum(value), 0) FROM note WHERE kind = 'contradicted'").fetchone()
        assert contradicted <= all_samples / 100
        unnamed = db.execute("SELECT count(*) FROM sample WHERE kind = 2 AND block IS NULL").fetchone()
        assert unnamed == (0,)
