# SPDX-License-Identifier: Apache-2.0
"""Memory that is freed, and mapped again at the same address: each block has its own first touches and nodes."""

from __future__ import annotations

from pathlib import Path

import pytest
from numaprof.document.build_report import document
from numaprof.evidence.evidence import Evidence, load
from numaprof.evidence.objects import Object
from recording_builder import FIRST_TOUCH, LOAD, LOCAL, PAGE, REMOTE, RecordingBuilder

AT, PAGES = 0x7F0000000000, 1024
FREED, MAPPED_AGAIN = 10_000_000, 11_000_000


def two_lives(ended: int | None = FREED) -> RecordingBuilder:
    """`a` is touched by thread 1 on node 0, and used by node 1; then `b` there, by threads of node 1 themselves."""
    builder = RecordingBuilder().threads(8)
    init = [builder.stack(builder.place(("/s/a.c", line, name))) for line, name in ((10, "init_a"), (20, "init_b"))]
    use = builder.stack(builder.place(("/s/a.c", 30, "use")))
    objects = [builder.object("heap", builder.stack(builder.place(("/s/a.c", line, "main")))) for line in (5, 6)]
    first = builder.block(objects[0], AT, PAGES, start_ns=0, end_ns=ended)
    second = builder.block(objects[1], AT, PAGES, start_ns=MAPPED_AGAIN)
    for block, at, node, source in ((first, 1000, 0, REMOTE), (second, 12_000_000, 1, LOCAL)):
        for page in range(PAGES):
            thread = 1 if block == first else 5 + page * 4 // PAGES
            where = {"address": AT + page * PAGE, "block": block, "page_node": node}
            builder.sample(FIRST_TOUCH, thread, init[block == second], 1, t_ns=at + page, **where)
        for number in range(400):
            where = {"address": AT + number * 37 % PAGES * PAGE + 64, "block": block, "page_node": node}
            builder.sample(LOAD, 5 + number % 4, use, 1009, source=source, t_ns=at + 5_000_000 + number, **where)
    return builder.homes((AT, PAGES, 1))


def of_line(evidence: Evidence, line: int) -> Object:
    return next(obj for obj in evidence.objects.found if obj.allocated and obj.allocated.line == line)


def test_each_block_has_its_own_nodes_and_first_touches(tmp_path: Path) -> None:
    path = str(two_lives().write(tmp_path / "r.numaprof"))
    evidence = load(path)
    a, b = of_line(evidence, 5), of_line(evidence, 6)
    assert set(a.homes) == {0} and set(b.homes) == {1}
    assert not a.moves and not b.moves
    assert {row.init_thread for row in a.used} == {1}
    assert {row.init_thread for row in b.used} == {5, 6, 7, 8}


def test_nothing_moved_and_no_policy_decided(tmp_path: Path) -> None:
    report = document(str(two_lives().write(tmp_path / "r.numaprof")))
    said = " ".join(f"{advice.finding} {advice.change}" for advice in report.advice).lower()
    assert "policy" not in said
    assert all(not row.moved for row in report.objects.rows)


def test_memory_without_blocks_that_is_touched_again(tmp_path: Path) -> None:
    """The later touch tells the node of the page in the snapshot; the first has that of its own moment."""
    builder = RecordingBuilder().threads(8)
    stacks = [builder.stack(builder.place(("/s/a.c", line, "fill"))) for line in (10, 20)]
    for page in range(PAGES):
        for number, (thread, node) in enumerate(((1, 0), (5, 1))):
            at = {"address": AT + page * PAGE, "page_node": node, "t_ns": 1000 + number * FREED + page}
            builder.sample(FIRST_TOUCH, thread, stacks[number], 1, **at)
    evidence = load(str(builder.homes((AT, PAGES, 1)).write(tmp_path / "r.numaprof")))
    assert {(row.site.line, row.home) for row in evidence.samples.touched} == {(10, 0), (20, 1)}
    assert all(row.first == row.last for row in evidence.samples.looked_at_twice)


@pytest.mark.parametrize("page_bytes", [4096, 65536])
def test_a_huge_page_has_one_touch_for_all_its_memory(page_bytes: int, tmp_path: Path) -> None:
    """2 MiB, and 512 MiB where a base page has 64 KiB."""
    builder = RecordingBuilder(page_bytes=page_bytes).threads(8)
    use, init = (builder.stack(builder.place(("/s/a.c", line, "f"))) for line in (30, 10))
    base_pages = page_bytes // 8
    builder.sample(FIRST_TOUCH, 1, init, base_pages, address=AT, page_node=0)
    for number in range(400):
        at = AT + number * 37 % 400 * (base_pages * page_bytes // 400)
        builder.sample(LOAD, 5 + number % 4, use, 1009, address=at, page_node=0, source=REMOTE)
    evidence = load(str(builder.write(tmp_path / "r.numaprof")))
    assert all(row.init_thread == 1 for row in evidence.samples.used)
