# SPDX-License-Identifier: Apache-2.0
"""Of memory that was placed before the recorder came no line is named, whatever it saw of it since."""

from __future__ import annotations

from pathlib import Path

import pytest
from numaprof.document.object_remarks import remarks
from numaprof.document.overview_text import banner
from numaprof.placement.advice import Kind
from numaprof.placement.decide import scored
from numaprof.placement.explain import ALL, advise, use_in_words
from reading import first_screen, printed, read
from recording_builder import PAGE, SECOND, RecordingBuilder
from scenarios import ARRAY, LOOP, PAGES, PARALLEL, SERIAL, array, levels, sampled, use_blocks

OWN = [thread // 4 for thread in range(8)]


def attached(builder: RecordingBuilder, *objects: int) -> RecordingBuilder:
    builder.row("attached", process=1, age_ns=90 * SECOND)
    for found in objects:
        builder.row("placed_before", object=found)
    return builder


def used(homes: list[int], touchers: list[int] | None = None) -> RecordingBuilder:
    """An array that every thread uses its part of; touchers: of the part that was touched since."""
    builder = sampled()
    if touchers is None:
        block = builder.block(builder.object("mapping", None), ARRAY, PAGES)
    else:
        block = array(builder, touchers)
    use_blocks(builder, block, homes)
    return builder


def test_no_first_touch_and_no_line(tmp_path: Path) -> None:
    evidence = read(attached(used([0] * 8), 1), tmp_path)
    (advice,) = advise(evidence)
    assert advice.decision == "interleave"
    assert advice.kind is Kind.SETTING
    assert advice.touched_at == () and advice.touched_by is None and len(advice.objects) == 1
    assert "was placed before numaprof attached, on node 0" in advice.finding
    assert "uses it from 8 threads on nodes 0-1" in advice.finding
    assert advice.code[0] == "numactl --interleave=all ./sum"
    assert advice.removes is None and advice.concerns == pytest.approx(1.0)
    assert remarks(evidence, evidence.objects.found[0], None)[0] == "placed before attaching: first touch not seen"
    assert list(banner(evidence)) == [
        "ATTACHED to process 4711, 90.0 s after it started: which thread and line placed its memory before is not "
        "known."
    ]


def test_no_command_starts_the_program_again(tmp_path: Path) -> None:
    """A server is not started by numaprof, and its threads are late by nature."""
    builder = attached(levels(RecordingBuilder(nodes=1), counters=False).threads(8, from_start=0))
    shown = printed(builder, tmp_path)
    assert "\n  numaprof attach -p PID\n  numaprof diff " in shown
    assert "numaprof lab" not in shown and "found late" not in shown


def test_first_touches_of_a_part_are_not_those_of_the_object(tmp_path: Path) -> None:
    """The same touches would blame a line if the program had been launched."""
    part = SERIAL[:4]
    evidence = read(used([0] * 8, part), tmp_path)
    assert any(advice.touched_at for advice in advise(evidence))
    (tmp_path / "attached").mkdir()
    (advice,) = advise(read(attached(used([0] * 8, part), 1), tmp_path / "attached"))
    assert advice.touched_at == () and "32 MiB allocated at sum.c:14 main was placed before numaprof" in advice.finding
    assert "\nWHY     placed before numaprof attached\n" in first_screen(attached(used([0] * 8, part), 1), tmp_path)


@pytest.mark.parametrize("was_there", [True, False])
def test_a_page_touched_late_makes_no_initialisation_of_the_uses_before(tmp_path: Path, was_there: bool) -> None:
    """The line of a server's first late page is asked for after all its uses."""
    builder = sampled()
    block = builder.block(builder.object("mapping", None), ARRAY, PAGES)
    use_blocks(builder, block, [0] * 8)
    builder.touch(builder.stack(builder.place(LOOP)), 1, ARRAY, 1, block=block, page_node=0)
    (found,) = read(attached(builder, *([1] if was_there else [])), tmp_path).objects.found
    assert bool(found.later) == was_there


def test_an_object_that_was_touched_whole_since_has_its_line(tmp_path: Path) -> None:
    """Its memory was mapped before, and nothing was in it."""
    evidence = read(attached(used([0] * 8, SERIAL), 1), tmp_path)
    assert any(advice.touched_at for advice in advise(evidence))


def test_one_node_that_uses_all_can_have_it_now(tmp_path: Path) -> None:
    builder = sampled()
    block = builder.block(builder.object("mapping", None), ARRAY, PAGES)
    stack = builder.stack(builder.place(LOOP))
    for thread in range(1, 5):
        builder.loads(stack, thread, range(ARRAY, ARRAY + PAGES * PAGE, 16 * PAGE), 1, block=block)
    evidence = read(attached(builder, 1), tmp_path)
    (advice,) = advise(evidence)
    assert advice.code[0] == "migratepages 4711 all 0"


def test_nothing_remote_needs_no_advice(tmp_path: Path) -> None:
    assert all(advice.kind is Kind.LEAVE for advice in advise(read(attached(used(OWN), 1), tmp_path)))


def test_a_launched_program_has_no_such_origin(tmp_path: Path) -> None:
    evidence = read(used([0] * 8), tmp_path)
    assert evidence.objects.found == ()


@pytest.mark.parametrize("table", ["attached", "placed_before"])
def test_recordings_without_the_tables_are_read(tmp_path: Path, table: str) -> None:
    builder = used([0] * 8, PARALLEL)
    builder.statements.append(f"DROP TABLE {table};")
    assert read(builder, tmp_path).attached == ()


def backends(users: int) -> tuple[RecordingBuilder, int]:
    """A server's workers, a thread each, that read its buffers on both nodes: each of the first page of every 16."""
    builder = sampled(users)
    buffers = builder.block(builder.object("shared", "/dev/zero (deleted)"), ARRAY, PAGES)
    for worker in range(users):
        builder.add("process", pid=4800 + worker, exe="/usr/bin/postgres", start_ns=0, end_ns=1, followed="attached")
        builder.change("thread", f"id = {worker + 1}", process=worker + 2, tid=4800 + worker, name="postgres")
    return builder, buffers


def test_which_process_uses_the_pages_of_which_node(tmp_path: Path) -> None:
    """Threads 1 to 4 run on node 0. Some processes have too few samples to tell; of two alike the shares are summed."""
    builder, buffers = backends(8)
    stack = builder.stack(builder.place(LOOP))
    spans = {1: (0, 64), 2: (0, 32), 3: (8, 40), 5: (0, 48), 6: (32, 40)}  # parts of 64; the second half is on node 1
    for thread, (start, end) in spans.items():
        for part in range(start, end):
            pages = range(ARRAY + part * PAGES // 64 * PAGE, ARRAY + (part + 1) * PAGES // 64 * PAGE, 16 * PAGE)
            builder.loads(stack, thread, pages, int(part >= 32), block=buffers)
    evidence = read(builder, tmp_path)
    (told,) = (text for text in remarks(evidence, evidence.objects.found[0]) if text.startswith("by process: "))
    assert told == (
        "by process: postgres 4800, 4802 on node 0 use node 0 58 %, node 1 42 %; "
        "postgres 4804 on node 1 uses node 0 67 %, node 1 33 %; "
        "postgres 4801 on node 0 uses node 0; postgres 4805 on node 1 uses node 1"
    )


@pytest.mark.parametrize("kind", ["shared", "mapping"])
def test_many_processes_are_counted_and_memory_that_is_not_shared_has_none(tmp_path: Path, kind: str) -> None:
    """Of the machine's eight CPUs four are on each node; where the other twelve processes ran is not known."""
    builder, buffers = backends(20)
    for thread in range(1, 21):
        pages = range(ARRAY, ARRAY + PAGES * PAGE, 16 * PAGE)
        builder.loads(builder.stack(builder.place(LOOP)), thread, pages, 0, block=buffers)
    evidence = read(builder.change("object", kind=kind), tmp_path)
    told = [text for text in remarks(evidence, evidence.objects.found[0]) if text.startswith("by process: ")]
    shared = (
        "by process: postgres 4800, 4801, 4802, 4803 on node 0 use node 0; postgres 4804, 4805, 4806, 4807 on node 1 "
        "use node 0; postgres 4808, 4809, 4810, 4811, 4812, 4813, 4814, 4815, 4 more use node 0"
    )
    assert told == ([shared] if kind == "shared" else [])


def test_shared_memory_at_another_address_is_the_same_object(tmp_path: Path) -> None:
    """Half of the threads read it where another process maps it; its size counts once, and its parts fall together."""
    builder, away = sampled(), 1 << 40
    shared = builder.object("shared", "/dev/shm/x")
    block, elsewhere = (builder.block(shared, start, PAGES) for start in (ARRAY, ARRAY + away))
    builder.row("same_memory", block=elsewhere, as_block=block)
    stack = builder.stack(builder.place(LOOP))
    for thread in range(1, 9):
        start, seen = (ARRAY, block) if thread <= 4 else (ARRAY + away, elsewhere)
        builder.loads(stack, thread, range(start, start + PAGES * PAGE, 16 * PAGE), 1, block=seen)
    evidence = read(builder, tmp_path)
    (found,) = evidence.objects.found
    assert (found.blocks, found.bytes) == (1, PAGES * PAGE)
    assert len({use.thread for use in found.used}) == 8
    (row,) = scored(evidence)
    assert use_in_words(row) == ALL
