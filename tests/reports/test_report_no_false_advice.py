# SPDX-License-Identifier: Apache-2.0
"""What looks like a fault of placement and is none; and promises that count what becomes remote."""

from __future__ import annotations

from pathlib import Path

import pytest
from numaprof.analysis.placement import gained, node_order, team_order
from numaprof.rules import advise
from numaprof.rules.advice import Kind
from numaprof.rules.change_program import huge_page, mismatched_init, serial_init
from numaprof.rules.change_run import disturbed, one_controller
from numaprof.rules.leave_alone import serial_phase
from reading import read
from recording_builder import FIRST_TOUCH, PAGE, Line, RecordingBuilder
from scenarios import ARRAY, BLOCK, INIT, LOOP, PAGES, levels
from test_report_object_rules import OTHER, PARALLEL, REVERSED, SERIAL, array, sampled, use_blocks

CHECK: Line = ("/home/u/src/sum.c", 60, "check")
OWN = [thread // 4 for thread in range(8)]


def checked(builder: RecordingBuilder, block: int, homes: list[int], sweeps: int = 4) -> RecordingBuilder:
    """The first thread reads all of it."""
    stack = builder.stack(builder.place(CHECK))
    for part, home in enumerate(homes):
        start = ARRAY + part * BLOCK * PAGE
        for _ in range(sweeps):
            builder.loads(stack, 1, range(start, start + BLOCK * PAGE, 64 * PAGE), home, block=block)
    return builder


def test_a_serial_check_of_what_lies_right_is_serial(tmp_path: Path) -> None:
    builder = sampled()
    block = array(builder, PARALLEL)
    use_blocks(builder, block, OWN)
    evidence = read(checked(builder, block, OWN), tmp_path)
    (advice,) = advise(evidence)
    assert advice == serial_phase.rule(evidence)
    assert advice.kind is Kind.LEAVE
    assert "100.0 % of the remote accesses with a known address are those of thread 0" in advice.finding
    assert "at sum.c:60 check" in advice.finding and "serial" in advice.finding
    assert "Placement cannot help" in advice.change
    assert mismatched_init.rule(evidence) is None and huge_page.rule(evidence) is None


def test_what_is_used_by_nodes_that_do_not_have_it_is_not_serial(tmp_path: Path) -> None:
    builder = sampled()
    block = array(builder, SERIAL)
    use_blocks(builder, block, [0] * 8)
    assert serial_phase.rule(read(builder, tmp_path)) is None


def test_the_promise_counts_what_becomes_remote(tmp_path: Path) -> None:
    """Half of what the first thread reads alone, near it today, would be remote."""
    promises = []
    for sweeps in (0, 2):
        builder = sampled()
        block = array(builder, SERIAL)
        use_blocks(builder, block, [0] * 8)
        (advice,) = advise(read(checked(builder, block, [0] * 8, sweeps), tmp_path))
        promises.append(advice.removes)
    assert promises[0] == pytest.approx(1.0)
    # 8 x 64 loads by the team, half of them remote; 2 x 128 by thread 0, half of them remote afterwards
    assert promises[1] == pytest.approx(0.5)


def test_a_fix_that_makes_as_much_remote_is_not_advised(tmp_path: Path) -> None:
    builder = sampled()
    block = array(builder, SERIAL)
    use_blocks(builder, block, [0] * 8)
    assert advise(read(checked(builder, block, [0] * 8, 12), tmp_path)) == []


def test_parts_and_the_order_of_their_nodes(tmp_path: Path) -> None:
    for homes, touchers, expected in ((OWN, PARALLEL, (0, 1)), ([0] * 8, SERIAL, (0, 1))):
        builder = sampled()
        use_blocks(builder, array(builder, touchers), homes)
        evidence = read(builder, tmp_path)
        (found,) = [each for each in evidence.objects.found if each.used]
        assert node_order(found) == expected
        assert team_order(evidence, evidence.workers, 2) == (0, 1)
        assert team_order(evidence, evidence.workers, 8) == tuple(OWN)
    assert gained(evidence, [found], (0, 1), False) == pytest.approx(1.0)
    assert gained(evidence, [found], (1, 0), False) == pytest.approx(-1.0)
    assert gained(evidence, [found], None, False) == pytest.approx(0.0)


def test_one_loop_that_touches_and_uses_is_divided_as_it_is(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, array(builder, REVERSED), [1] * 4 + [0] * 4)
    assert mismatched_init.rule(read(builder, tmp_path)) is not None
    builder = sampled()
    use_blocks(builder, array(builder, REVERSED), [1] * 4 + [0] * 4, line=INIT)
    assert mismatched_init.rule(read(builder, tmp_path)) is None


def test_one_thread_is_no_bottleneck_of_a_controller(tmp_path: Path) -> None:
    for local, speaks in (([900_000] + [1_000] * 7, False), ([900_000] * 4 + [1_000] * 4, True)):
        builder = levels(RecordingBuilder()).threads(8)
        builder.counters("demand_rd", local, [0] * 8)
        assert (one_controller.rule(read(builder, tmp_path)) is not None) is speaks


def test_small_arrays_of_one_function_matter_together(tmp_path: Path) -> None:
    """Forty of them, 2.5 % of the remote accesses each."""
    builder = sampled()
    for number in range(40):
        line = ("/home/u/src/fields.c", 10 + number, "make_fields")
        at = OTHER + number * BLOCK * PAGE
        block = builder.block(builder.object("heap", builder.stack(builder.place(line))), at, BLOCK)
        builder.touch(builder.stack(builder.place(INIT)), 1, at, BLOCK, page_node=0, block=block)
        for thread in range(8):
            start = at + thread * BLOCK // 8 * PAGE
            builder.loads(
                builder.stack(builder.place(LOOP)),
                thread + 1,
                range(start, start + BLOCK // 8 * PAGE, 8 * PAGE),
                0,
                block=block,
            )
    advice = serial_init.rule(read(builder, tmp_path))
    assert advice is not None
    assert advice.removes == pytest.approx(1.0)
    assert len(advice.objects) == 40


def test_a_first_thread_that_wandered_is_said(tmp_path: Path) -> None:
    for share, speaks in ((0.5, True), (0.01, False)):
        builder = sampled()
        block = builder.block(builder.object("heap", builder.stack(builder.place(INIT))), ARRAY, PAGES)
        for page in range(0, PAGES, 16):
            away = page < share * PAGES
            where = {"address": ARRAY + page * PAGE, "block": block, "page_node": int(away), "cpu": 4 if away else 0}
            builder.sample(FIRST_TOUCH, 1, builder.stack(builder.place(INIT)), 16, **where)
        advice = disturbed.rule(read(builder, tmp_path))
        assert (advice is not None) is speaks
        if advice is not None:
            assert (
                "wandered before there were other threads and first touched 16 MiB from node 0 and 16 MiB"
                in advice.finding
            )


def test_the_line_of_use_is_the_loop_that_calls_an_accessor(tmp_path: Path) -> None:
    builder = sampled()
    block = array(builder, SERIAL)
    loop = builder.place(LOOP)
    accessor = builder.add(
        "place",
        module="/home/u/sum",
        address=None,
        function="Field::at",
        file="/home/u/src/f.h",
        line=3,
        inline_of=loop,
    )
    runtime = builder.place(("", 1, ""), module="/usr/lib/libgomp.so.1", file=None, line=None, function=None)
    main = builder.place(("/home/u/src/sum.c", 20, "main"))
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        stack = builder.stack(accessor, runtime, main)
        builder.loads(stack, thread + 1, range(start, start + BLOCK * PAGE, 16 * PAGE), 0, block=block)
    (advice,) = advise(read(builder, tmp_path))
    assert "sum.c:22 main._omp_fn.0 (through f.h:3 Field::at) uses it from 8 threads" in advice.finding
    assert advice.used_at is not None and advice.used_at.line == 22
