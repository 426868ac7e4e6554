# SPDX-License-Identifier: Apache-2.0
"""make truth joins the truth by page with the threads and objects of a recording, and judges counts by it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from conftest import TREE
from numaprof.evidence.counts import Amount
from numaprof.evidence.errors import Error, independent
from truth.judge import Cell, Part, Run, Share
from truth.lines import AMBIGUOUS, CLASSES, NOWHERE, join, read_table
from truth.table import text

HEAP, MAPPING, REUSED, TID = 1, 2, 3, 77
HEAD = "\t".join(
    [
        "tid",
        "exec",
        "cpu",
        "node",
        "page",
        "page_node",
        *(f"dram_{c}" for c in CLASSES),
        *(f"cache_{c}" for c in CLASSES),
    ]
)


def row(exec_count: int, page: int, page_node: int, *dram: int) -> str:
    numbers = [TID, exec_count, 4, 1, f"{page * 4096:#x}", page_node, *dram, *[0] * (8 - len(dram))]
    return "\t".join(map(str, numbers))


def table(folder: Path, lost: int, *rows: str) -> Path:
    path = folder / "lines"
    path.write_text("\n".join([f"# lines that found no row: {lost}", HEAD, *rows, ""]))
    return path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Thread 5 of process 1. Pages 16-31 are a mapping, of which 16-19 a heap block; page 24 had another one before."""
    path = tmp_path / "r.numaprof"
    with closing(sqlite3.connect(path)) as database:
        database.executescript((TREE / "core" / "recording" / "schema.sql").read_text())
        database.execute("INSERT INTO process (id, pid, start_ns, followed) VALUES (1, 70, 0, 'preload')")
        database.execute(
            "INSERT INTO thread (id, process, tid, start_ns, from_start, pin) VALUES (5, 1, ?, 0, 1, '')", [TID]
        )
        for ident, kind, stack in ((HEAP, "heap", 1), (MAPPING, "mapping", None), (REUSED, "heap", 1)):
            made = "INSERT INTO object (id, process, kind, alloc_stack) VALUES (?, 1, ?, ?)"
            database.execute(made, (ident, kind, stack))
        for ident, first, pages in ((HEAP, 16, 4), (MAPPING, 16, 16), (HEAP, 24, 1), (REUSED, 24, 1)):
            values = (ident, first * 4096, pages * 4096)
            database.execute("INSERT INTO block (object, address, bytes, start_ns) VALUES (?, ?, ?, 0)", values)
        database.commit()
    return path


def test_lines_go_to_the_object_of_their_page(tmp_path: Path, recording: Path) -> None:
    rows = [row(2, 17, 0, 5, 1, 3), row(2, 18, 1, 100), row(2, 24, 0, 7), row(2, 30, 0, 9), row(1, 17, 0, 1000)]
    lines = join(read_table(table(tmp_path, 0, *rows)), recording)
    # What the thread did before its last exec (1000 lines), and local lines (100), are not among them.
    assert lines.remote_by_object == {HEAP: 9, AMBIGUOUS: 7, NOWHERE: 9}
    assert [sum(found.dram) for found in lines.by_thread[5]] == [9, 100, 7, 9]


def test_lines_from_other_nodes_caches_may_be_in_or_out(tmp_path: Path, recording: Path) -> None:
    """Some processors count them with remote DRAM, to whichever page they are."""
    rows = [row(2, 17, 0, 30), row(2, 18, 1, 0, 0, 0, 0, 10), row(2, 30, 0, 10)]
    lines = join(read_table(table(tmp_path, 0, *rows)), recording)
    assert lines.parts_of([HEAP]) == (0.75, 0.8)
    assert lines.parts_of([NOWHERE]) == (0.0, 0.0)
    assert lines.parts_of([MAPPING]) == (0.0, 0.0)


def test_an_objects_share_holds_the_truth_within_its_interval() -> None:
    assert Part("a", (0.75, 0.8), 0.78, 0.0).held and Part("a", (0.75, 0.8), 0.78, None).held is None
    assert Part("a", (0.75, 0.8), 0.9, 0.1).held
    assert not Part("a", (0.75, 0.8), 0.9, 0.05).held
    assert Part("a", (0.75, 0.8), 0.9, 0.05).apart == pytest.approx(0.1)


def test_a_table_with_losses_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="found no row: 3"):
        read_table(table(tmp_path, 3))


def cell(estimate: float, variance: float | None, truth: int = 10_000, most: int = 10_000) -> Cell:
    return Cell(
        1,
        "demand",
        True,
        truth,
        most,
        Amount(estimate, 0.5, None if variance is None else independent(Error(variance))),
    )


def test_an_interval_holds_the_truth_or_not() -> None:
    assert cell(10_400, 200**2).held  # 1.96 x 200
    assert not cell(10_500, 200**2).held
    assert cell(10_500, None).held is None
    assert cell(10_050, 0.0).held  # begins and ends a little apart
    assert cell(12_000, 0.0, most=12_000).held  # the event includes other nodes' caches
    assert cell(9_000, 0.0).error == pytest.approx(0.1)


def share(reported: float, interval: tuple[float, float] | None) -> Share:
    return Share((0.30, 0.50), reported, interval)


def test_a_share_is_right_between_the_ways_to_count_caches() -> None:
    assert share(0.40, None).error == 0.0
    assert share(0.25, None).error == pytest.approx(0.05)
    assert share(0.60, None).error == pytest.approx(0.10)
    assert share(0.25, None).held is None
    assert share(0.25, (0.20, 0.31)).held
    assert not share(0.60, (0.55, 0.65)).held


def test_the_table_says_what_is_far_from_the_truth() -> None:
    cells = (cell(10_500, 200**2), cell(10_000, 1.0))
    run = Run("zen", "mixed", cells, (Part("a.c:1", (0.28, 0.28), 0.01, None),), share(0.60, (0.55, 0.65)), 0.0)
    unknown = Run("zen", "thin", (), (Part("/opt/x/liba.so", (0.28, 0.28), None, None),), None, 0.0)
    recycled = Run("zen", "random", (), (Part("a.c:1", (0.28, 0.28), 0.01, None),), None, 0.5)
    lines = text([run, unknown, recycled]).splitlines()
    assert "| zen | 3 | 2 | 100 % | 50 % | 50 % | 2.5 % | 5.0 % |" in lines
    assert "| zen | 1 | 100 % | 0 % | 10.0 | 10.0 | mixed |" in lines
    assert "| zen | mixed | a.c:1 **28/1** | 27 | 0 % |" in lines
    assert "| zen | thin | liba.so 28/n/a | n/a | 0 % |" in lines
    summary = "Patterns: every object within 10 points in 0 of 1 runs; of 1 the report says that it cannot tell."
    assert summary in lines
