# SPDX-License-Identifier: Apache-2.0
"""The rules that need addresses: each fires on the evidence it is for, and is silent on what looks like it."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from numaprof.analysis.placement import is_spread, node_order, one_pass, parts_order
from numaprof.analysis.relevant_objects import stored_beside, used_by_owner
from numaprof.evidence.access_patterns import Shape
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import MIN_MIXED
from numaprof.fixes.find import memories
from numaprof.fixes.snippets import interleaved, unplaced
from numaprof.recording.sql.sql_samples import UNKNOWN_FAULT
from numaprof.rules import RULES, advise
from numaprof.rules.advice import Advice, Kind
from numaprof.rules.change_program import huge_page, mismatched_init, recycled, serial_init, shared_by_all
from numaprof.rules.change_run import dirty_lines, disturbed, file_pages, one_controller, owner_moved, policy
from numaprof.rules.leave_alone import borders, handed_over, read_by_all
from reading import first_screen, read
from recording_builder import (
    FIRST_TOUCH,
    LOAD,
    LOCAL,
    OWN_CACHE,
    PAGE,
    RAN,
    REMOTE,
    REMOTE_DIRTY,
    STORE,
    Line,
    RecordingBuilder,
)
from scenarios import ARRAY, BLOCK, INIT, LOOP, PAGES, init_stack, levels

MIB = 1 << 20
ALLOC: Line = ("/home/u/src/sum.c", 14, "main")
WORK: Line = ("/home/u/src/sum.c", 22, "work")
OTHER = ARRAY + (1 << 32)

# Who touches the pages of thread t's block, and on which node that is.
SERIAL, PARALLEL, REVERSED = [0] * 8, list(range(8)), list(range(7, -1, -1))


def sampled(threads: int = 8) -> RecordingBuilder:
    """A machine whose CPU samples loads with addresses; no counters, so that the samples are the verdict's basis."""
    return sampled_on(2, threads)


def array(
    builder: RecordingBuilder, touchers: list[int], address: int = ARRAY, line: Line = ALLOC, homes: str = "touch"
) -> int:
    """An array of the heap; homes: by its touchers, or "0", or "interleaved", or "uneven": a quarter is on node 1."""
    block = builder.block(builder.object("heap", builder.stack(builder.place(line))), address, PAGES)
    stack = init_stack(builder)
    for part, toucher in enumerate(touchers):
        for page in range(0, BLOCK, 64):
            turn = page // 64 % 8
            home = {"touch": toucher // 4, "0": 0, "interleaved": turn % 2, "uneven": turn < 2}[homes]
            where = address + (part * BLOCK + page) * PAGE
            builder.sample(FIRST_TOUCH, toucher + 1, stack, 64, address=where, page_node=home, block=block)
    return block


def sampled_on(nodes: int, threads: int = 8) -> RecordingBuilder:
    """Eight CPUs in all."""
    builder = RecordingBuilder(nodes, 8 // nodes)
    builder.level(1, "counters", False, why_not="test").level(3, "samples", True, detail="load latency")
    return builder.level(4, "faults", True).level(5, "pages", True).threads(threads)


def homed(builder: RecordingBuilder, samples: list[int], address: int = ARRAY, line: Line = ALLOC) -> int:
    """An array of which so many sampled pages are on each node; a thread there fills them."""
    block = builder.block(builder.object("heap", builder.stack(builder.place(line))), address, PAGES)
    pages, homes = PAGES // sum(samples), [node for node, count in enumerate(samples) for _ in range(count)]
    for number, home in enumerate(homes):
        where = {"address": address + number * pages * PAGE, "page_node": home, "block": block}
        builder.sample(FIRST_TOUCH, home * 8 // len(samples) + 1, init_stack(builder), pages, **where)
    return block


def use_blocks(
    builder: RecordingBuilder,
    block: int | None,
    homes: list[int],
    address: int = ARRAY,
    line: Line = LOOP,
    *,
    every: int = 16,
) -> None:
    """Every thread its own part, a load of every so many pages; homes: the node of each part."""
    stack = builder.stack(builder.place(line))
    for thread in range(8):
        start = address + thread * BLOCK * PAGE
        builder.loads(stack, thread + 1, range(start, start + BLOCK * PAGE, every * PAGE), homes[thread], block=block)


def use_all(builder: RecordingBuilder, block: int, home: int | None, address: int = ARRAY, line: Line = LOOP) -> None:
    """Every thread everywhere; home None: on all nodes by turns."""
    stack, chance = builder.stack(builder.place(line)), random.Random(1)
    for thread in range(8):
        for _ in range(64):
            page = chance.randrange(PAGES)
            where = page // 64 % 2 if home is None else home
            builder.loads(stack, thread + 1, [address + page * PAGE], where, block=block)


def sweep_all(builder: RecordingBuilder, block: int, home: int | None, *, line: Line) -> None:
    """Every thread all over it, from its start to its end; home None: on the nodes of its halves."""
    stack = builder.stack(builder.place(line))
    for thread in range(8):
        pages = range(thread, PAGES - 8, 64)
        for half in range(2):
            mine = [ARRAY + page * PAGE for page in pages if page * 2 // PAGES == half]
            builder.loads(stack, thread + 1, mine, half if home is None else home, block=block)


def only(builder: RecordingBuilder, folder: Path, *expected: object) -> list[Advice]:
    """These rules speak, and no others."""
    evidence = read(builder, folder)
    answers = {rule: rule(evidence) for rule in RULES}
    assert {rule for rule, answer in answers.items() if answer is not None} == {module.rule for module in expected}
    with patch("numaprof.rules.RULES", [lambda _, answer=answer: answer for answer in answers.values()]):
        return advise(evidence)  # of the same answers: no rule is asked twice


# One thread initialises


def test_a_seldom_sampled_object_is_used_as_what_stands_beside_it(tmp_path: Path) -> None:
    """Two tables of one look-up: of the second there are too few samples to say who uses which part."""
    builder = sampled()
    use_all(builder, array(builder, SERIAL), 0)
    second = array(builder, SERIAL, OTHER, ("/home/u/src/sum.c", 15, "main"))
    for thread in range(8):
        builder.loads(
            builder.stack(builder.place(LOOP)), thread + 1, range(OTHER, OTHER + 8 * PAGE, PAGE), 0, block=second
        )
    (advice,) = only(builder, tmp_path, shared_by_all)
    assert "sum.c:15 main" in advice.finding


def test_a_seldom_sampled_object_of_other_code_is_not(tmp_path: Path) -> None:
    builder = sampled()
    use_all(builder, array(builder, SERIAL), 0)
    second = array(builder, SERIAL, OTHER, ("/home/u/src/sum.c", 15, "main"))
    stack = builder.stack(builder.place(("/home/u/src/sum.c", 40, "elsewhere")))
    for thread in range(8):
        builder.loads(stack, thread + 1, range(OTHER, OTHER + 8 * PAGE, PAGE), 0, block=second)
    first, then = only(builder, tmp_path, shared_by_all, serial_init)
    assert "sum.c:15 main" not in first.finding and "sum.c:15 main" in then.finding


def twins(builder: RecordingBuilder, folder: Path) -> list[Advice]:
    """Two arrays allocated at one line, the first used in blocks."""
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    return advise(read(builder, folder))


def twin(builder: RecordingBuilder) -> int:
    """The second call of the line, at an address of its own."""
    stack = builder.stack(builder.place(ALLOC, address=0x99))
    block = builder.block(builder.object("heap", stack), OTHER, PAGES)
    builder.touch(init_stack(builder), 1, OTHER, PAGES, page_node=0, block=block)
    return block


def test_allocations_at_one_line_that_are_used_alike_are_one(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, twin(builder), [0] * 8, OTHER)
    (advice,) = twins(builder, tmp_path)
    assert "64 MiB allocated at sum.c:14 main, all from" in advice.finding


def test_a_streamed_array_is_told_apart_from_a_table_by_a_few_samples(tmp_path: Path) -> None:
    """Prefetched, so that few of its loads reach DRAM: two of each thread."""
    builder = sampled()
    block, stack = twin(builder), builder.stack(builder.place(LOOP))
    for thread in range(8):
        start = OTHER + thread * BLOCK * PAGE
        builder.loads(stack, thread + 1, [start, start + 64 * PAGE], 0, block=block)
    use_all(builder, array(builder, SERIAL), 0)
    found = {
        advice.finding.partition(" on one node")[0].partition(", all")[0] for advice in advise(read(builder, tmp_path))
    }
    assert found == {
        "sum.c:17 main first touches 32 MiB allocated at sum.c:14 main #1",
        "sum.c:17 main first touched 32 MiB allocated at sum.c:14 main #2",
    }


def test_allocations_at_one_line_that_are_used_in_other_ways_are_told_apart(tmp_path: Path) -> None:
    builder = sampled()
    use_all(builder, twin(builder), 0, OTHER)
    found = {advice.finding.partition(" on one node")[0].partition(", all")[0] for advice in twins(builder, tmp_path)}
    assert found == {
        "sum.c:17 main first touches 32 MiB allocated at sum.c:14 main #2",
        "sum.c:17 main first touched 32 MiB allocated at sum.c:14 main #1",
    }


def test_the_few_uses_of_one_allocation_do_not_speak_for_another_at_its_line(tmp_path: Path) -> None:
    """All threads use the first, in places that tell no shape; one thread alone uses the second, a sixth as often."""
    builder, chance = sampled(), random.Random(1)
    stack, block = builder.stack(builder.place(LOOP)), array(builder, SERIAL)
    for thread in range(8):
        pages = [chance.randrange(PAGES) for _ in range(15)]
        builder.loads(stack, thread + 1, [ARRAY + page * PAGE for page in pages], 0, block=block)
    pages = [chance.randrange(PAGES) for _ in range(20)]
    builder.loads(stack, 8, [OTHER + page * PAGE for page in pages], 0, block=twin(builder))
    evidence = read(builder, tmp_path)
    (found, *_) = evidence.objects.found
    assert found.use_shape is Shape.UNKNOWN and sum(row.samples for row in found.used) == 140
    (advice,) = advise(evidence)
    assert advice.code == ("numactl --interleave=all ./sum",)
    assert advice.removes is None


@pytest.mark.parametrize(
    ("local", "expected"),
    [
        (0, "Without an edit, as much remote, but all nodes serve it: faster only if node 0's memory (100 %"),
        (1, "Without an edit, about 50 % remote (now 25 %), but all nodes serve it: faster only if node 0's"),
    ],
)
def test_an_array_that_grows_is_not_filled_in_parallel(local: int, expected: str, tmp_path: Path) -> None:
    """local: how often thread 0 sweeps memory of its own, in relation to what all use."""
    builder = sampled()
    own = builder.stack(builder.place(("/home/u/src/sum.c", 40, "own")))
    for _ in range(local):
        builder.loads(own, 1, range(OTHER, OTHER + PAGES * PAGE, 16 * PAGE), 0)
    block = builder.block(builder.object("heap", builder.stack(builder.place(ALLOC))), ARRAY, PAGES)
    libc = builder.place(("", 0, "__libc_realloc"), module="/usr/lib/libc.so.6", file=None, line=None)
    builder.touch(builder.stack(libc, builder.place(INIT)), 1, ARRAY, PAGES, page_node=0, block=block)
    use_blocks(builder, block, [0] * 8)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "It grows while one thread fills it at sum.c:17" in advice.change
    assert advice.code == ("numactl --interleave=all ./sum",)
    assert advice.expects is not None and advice.expects.startswith(expected)


def grown(folder: Path, *sizes: int) -> str:
    """Blocks of one line, one after the other, before the last."""
    builder = sampled()
    object = builder.object("heap", builder.stack(builder.place(ALLOC)))
    for number, pages in enumerate(sizes):
        builder.block(object, OTHER + (number << 32), pages, start_ns=number, end_ns=number + 1)
    block = builder.block(object, ARRAY, PAGES, start_ns=len(sizes))
    builder.touch(builder.stack(builder.place(INIT)), 1, ARRAY, PAGES, page_node=0, block=block)
    use_blocks(builder, block, [0] * 8)
    (advice,) = only(builder, folder, serial_init)
    return advice.change


PUSHED = """void fill() {
    std::vector<double> all;
    for (int i = 0; i < n; i++)
        all.push_back(i);
    work(all);
}"""


@pytest.mark.parametrize("known", [True, False])
def test_what_grew_is_moved_to_threads_that_are_known_to_use_it(
    known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: PUSHED.split("\n"))
    builder = levels(RecordingBuilder()).threads(8)
    line = builder.place(("/home/u/src/sum.cpp", 4, "fill"))
    header = {"module": "/home/u/sum", "file": "/usr/include/c++/12/bits/stl_vector.h", "line": 566, "inline_of": line}
    stack = builder.stack(builder.add("place", function="std::vector<double>::push_back(double&&)", **header))
    vector = builder.object("heap", builder.stack(line))
    for number, pages in enumerate((64, 128, 256, 512)):
        builder.block(vector, OTHER + (number << 32), pages, start_ns=number, end_ns=number + 1)
    block = builder.block(vector, ARRAY, PAGES, start_ns=4)
    builder.touch(stack, 1, ARRAY, PAGES, page_node=0, block=block)
    if known:
        use_blocks(builder, block, [0] * 8)
    advice = serial_init.rule(read(builder, tmp_path))
    assert advice is not None
    assert ("MPOL_MF_MOVE" in "".join(advice.code)) is known
    assert ("If each thread uses a part of its own, allocate it at its final size" in advice.change) is not known


@pytest.mark.parametrize(("near", "far"), [(3, 3), (7, 7), (5, 8), (12, 12)])
def test_few_samples_all_over_an_array_say_spread_however_few(near: int, far: int, tmp_path: Path) -> None:
    """More of them are needed to tell the place of use, and which objects are remote, than that nobody has a part."""
    builder = levels(RecordingBuilder()).level(3, "samples", True, detail="load latency").threads(8)
    builder.counters("demand_rd", [1_000_000] * 4 + [0] * 4, [0] * 4 + [1_000_000] * 4)
    block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
    for thread in range(8):
        for number in range(near if thread < 4 else far):
            page = (number * 8 + thread) * 0x9E37 % PAGES
            builder.loads(stack, thread + 1, [ARRAY + page * PAGE], 0, block=block)
    only(builder, tmp_path, shared_by_all)


def test_what_grew_may_have_been_touched_at_addresses_that_are_gone(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    object = builder.object("heap", builder.stack(builder.place(ALLOC)))
    stack = builder.stack(builder.place(INIT))
    for number, pages in enumerate((64, 96, 144, 1024)):
        at = OTHER + (number << 32)
        block = builder.block(object, at, pages, start_ns=number, end_ns=number + 1 if number < 3 else None)
        builder.sample(FIRST_TOUCH, 1, stack, address=at, page_node=0, block=block)
        for page in range(1, pages):
            builder.sample(UNKNOWN_FAULT, 1, stack, address=at + page * PAGE, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "5.2 MiB allocated at sum.c:14 main" in advice.finding
    assert "It grows" in advice.change


def test_what_was_given_back_before_others_began_is_nobodys(tmp_path: Path) -> None:
    for end, expected in ((500, ()), (RAN, (serial_init,))):
        builder = levels(RecordingBuilder(), counters=False).threads(8)
        block = builder.block(builder.object("heap", builder.stack(builder.place(ALLOC))), ARRAY, PAGES, end_ns=end)
        builder.touch(builder.stack(builder.place(INIT)), 1, ARRAY, PAGES, page_node=0, block=block)
        only(builder, tmp_path, *expected)


def test_what_each_thread_touches_for_itself_is_no_serial_initialisation(tmp_path: Path) -> None:
    """The first thread's part has a name of its own, the others' are allocated."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    stack = builder.stack(builder.place(WORK))
    mine = builder.block(builder.object("static", name="buffer"), ARRAY, BLOCK)
    builder.touch(stack, 1, ARRAY, BLOCK, page_node=0, block=mine)
    theirs = builder.object("heap", builder.stack(builder.place(ALLOC)))
    for thread in range(1, 8):
        at = OTHER + thread * BLOCK * PAGE
        builder.touch(stack, thread + 1, at, BLOCK, page_node=thread // 4, block=builder.block(theirs, at, BLOCK))
    only(builder, tmp_path)


def test_the_call_that_touches_a_few_words_beside_is_not_named(tmp_path: Path) -> None:
    """malloc writes before each block; the line that calls it fills them all."""
    for by_malloc, named in ((8, False), (BLOCK, True)):
        builder = levels(RecordingBuilder(), counters=False).threads(8)
        mine = builder.place(INIT)
        malloc = builder.place(("", 0, "malloc"), module="/usr/lib/libc.so.6", file=None, line=None)
        block = builder.block(builder.object("heap", builder.stack(builder.place(ALLOC))), ARRAY, BLOCK)
        builder.touch(builder.stack(malloc, mine), 1, ARRAY, by_malloc, page_node=0, block=block)
        if by_malloc < BLOCK:
            rest = ARRAY + by_malloc * PAGE
            builder.touch(builder.stack(mine), 1, rest, BLOCK - by_malloc, page_node=0, block=block)
        (advice,) = only(builder, tmp_path, serial_init)
        assert ("malloc writes all of it" in advice.change) is named


@pytest.mark.parametrize(("by_call", "said"), [(3, "memset writes most of it at"), (1, "")])
def test_a_call_that_touches_a_part_is_not_said_to_touch_all(by_call: int, said: str, tmp_path: Path) -> None:
    """Of four arrays a function of a library sets so many, on one line, and three other lines the others."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    memset = builder.place(("", 0, "memset"), module="/usr/lib/libc.so.6", file=None, line=None)
    made = builder.object("heap", builder.stack(builder.place(ALLOC)))
    for number in range(4):
        at = ARRAY + number * BLOCK * PAGE
        line = 12 if number < by_call else 12 + number
        mine = builder.place(("/home/u/src/sum.c", line, "main"))
        stack = builder.stack(memset, mine) if number < by_call else builder.stack(mine)
        builder.touch(stack, 1, at, BLOCK + by_call - number, page_node=0, block=builder.block(made, at, 2 * BLOCK))
    (advice,) = only(builder, tmp_path, serial_init)
    assert said in advice.change
    assert ("memset" in advice.change) is bool(said)


def test_several_calls_are_named_each_with_its_lines(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    resize, push = ("std::vector<double>::resize(unsigned long)", "std::vector<int>::push_back(int&&)")
    for number, function in enumerate((resize, push)):
        mine = builder.place(("/home/u/src/fill.cpp", 12 + number, "main"))
        header = "/usr/include/c++/12/bits/stl_vector.h"
        call = builder.add("place", module="/home/u/sum", file=header, line=9, function=function, inline_of=mine)
        at = ARRAY + number * BLOCK * PAGE
        block = builder.block(builder.object("heap", builder.stack(mine)), at, BLOCK)
        builder.touch(builder.stack(call), 1, at, BLOCK - number, page_node=0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "std::vector::resize and std::vector::push_back write all of it at fill.cpp:12 and 13" in advice.change


def test_a_thread_that_prepares_for_long_does_not_hide_those_that_work(tmp_path: Path) -> None:
    for worked, expected in ((RAN // 2, (serial_init,)), (RAN // 20, ())):
        builder = levels(RecordingBuilder(), counters=False).threads(8)
        builder.change("thread", cpu_ns=worked)
        builder.change("thread", where="id = 1", cpu_ns=30 * RAN)
        block = builder.block(builder.object("heap", builder.stack(builder.place(ALLOC))), ARRAY, PAGES)
        builder.touch(builder.stack(builder.place(INIT)), 1, ARRAY, PAGES, page_node=0, block=block)
        only(builder, tmp_path, *expected)


def test_an_array_grows_if_each_block_is_larger_than_the_one_before(tmp_path: Path) -> None:
    assert "It grows" in grown(tmp_path, 64, 96, 144)
    assert "It grows" not in grown(tmp_path, 64, 144, 96)
    assert "It grows" not in grown(tmp_path, 64, 96)


@pytest.mark.parametrize("divided", [False, True])
def test_no_other_division_is_named_where_the_same_code_divides_another_object(divided: bool, tmp_path: Path) -> None:
    builder, work = sampled(), ("/home/u/src/sum.c", 22, "work")
    block, stack = array(builder, SERIAL), builder.stack(builder.place(work))
    for thread in range(8):
        pages = range(ARRAY + thread * PAGE, ARRAY + (PAGES - 8) * PAGE, 64 * PAGE)
        builder.loads(stack, thread + 1, pages, 0, block=block)
    if divided:
        use_blocks(builder, array(builder, SERIAL, OTHER, INIT), [0] * 8, OTHER, work)
    advice = shared_by_all.rule(read(builder, tmp_path))
    assert advice is not None and ("a fixed division of it" in advice.change) is not divided


def test_a_queue_is_not_a_schedule(tmp_path: Path) -> None:
    """Threads that sweep pieces of it in turn; nothing is said of schedules where access has no order."""
    builder = sampled()
    block, stack = array(builder, SERIAL), builder.stack(builder.place(("/home/u/src/sum.c", 22, "work")))
    for thread in range(8):
        builder.loads(
            stack, thread + 1, range(ARRAY + thread * PAGE, ARRAY + (PAGES - 8) * PAGE, 64 * PAGE), 0, block=block
        )
    (advice,) = only(builder, tmp_path, shared_by_all)
    assert "If threads take their work from a queue, a fixed division of it would give each a part." in advice.change
    builder = sampled()
    use_all(builder, array(builder, SERIAL), 0)
    (advice,) = only(builder, tmp_path, shared_by_all)
    assert "schedule" not in advice.change and "queue" not in advice.change


def test_serial_init_names_object_and_both_lines(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    (advice,) = only(builder, tmp_path, serial_init)
    assert (
        "sum.c:17 main first touches 32 MiB allocated at sum.c:14 main, all from thread 0 (sum 4711)" in advice.finding
    )
    assert (
        "sum.c:22 main._omp_fn.0 uses it from 8 threads on nodes 0-1, each thread a block of its own" in advice.finding
    )
    assert advice.code[0].startswith(
        "// after the allocation at sum.c:14, add, with the program's names for POINTER and COUNT"
    )
    assert advice.code[1] == "#pragma omp parallel for schedule(static)"
    assert advice.removes == pytest.approx(1.0)
    assert advice.saves is not None
    # 4 of 8 threads: remote loads are half of all, at 400 cycles for 200: of 600 cycles 200 are saved.
    assert "up to 33.3 % of the latency of sampled loads (remote 400 cycles, local 200)" in advice.saves


@pytest.mark.parametrize("unseen", [0, 2, 5, 7])
def test_a_thread_that_no_sample_saw_has_its_part(unseen: int, tmp_path: Path) -> None:
    builder = sampled()
    block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
    for thread in range(8):
        pages = [] if thread == unseen else range(thread * BLOCK, (thread + 1) * BLOCK, 16)
        builder.loads(stack, thread + 1, [ARRAY + page * PAGE for page in pages], 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    assert len(advice.threads) == 8
    assert advice.removes == pytest.approx(1.0)


def test_threads_that_use_nothing_have_no_part(tmp_path: Path) -> None:
    """Of eight threads, the second and the sixth use half of it each."""
    builder = sampled()
    block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
    for half, thread in enumerate((1, 5)):
        pages = range(4 * half * BLOCK, 4 * (half + 1) * BLOCK, 16)
        builder.loads(stack, thread + 1, [ARRAY + page * PAGE for page in pages], 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    assert [thread.position for thread in advice.threads] == [1, 5]
    assert advice.removes == pytest.approx(1.0)


@pytest.mark.parametrize("arrays", [2, 3, 5])
def test_arrays_in_one_block_are_told_by_few_samples(arrays: int, tmp_path: Path) -> None:
    builder = sampled()
    block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
    size = PAGES // arrays
    for thread in range(8):
        pages = [n * size + (8 * thread + part) * size // 64 for n in range(arrays) for part in (1, 4, 6)]
        builder.loads(stack, thread + 1, [ARRAY + page * PAGE for page in pages], 0, block=block)
    evidence = read(builder, tmp_path)
    (found,) = (found for found in evidence.objects.found if found.allocated)
    assert parts_order(evidence, found, evidence.workers) == (0, 1) * arrays


def test_uses_by_chance_are_no_arrays(tmp_path: Path) -> None:
    chance = random.Random(11)
    for _ in range(20):
        builder = sampled()
        block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
        for thread in range(8):
            pages = [chance.randrange(PAGES) for _ in range(4)]
            builder.loads(stack, thread + 1, [ARRAY + page * PAGE for page in pages], 0, block=block)
        evidence = read(builder, tmp_path)
        (found,) = (found for found in evidence.objects.found if found.allocated)
        assert parts_order(evidence, found, evidence.workers) is None


def test_nothing_is_promised_of_emulated_time(tmp_path: Path) -> None:
    builder = sampled().change("run", emulated="article")
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    (advice,) = only(builder, tmp_path, serial_init)
    assert advice.saves is None


def test_threads_are_not_told_of_openmp(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, array(builder, SERIAL), [0] * 8, line=WORK)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "omp" not in f"{advice.finding}{advice.change}{advice.code}"
    assert "#include <numa.h>; build with -lnuma" in advice.code[0]
    assert any("part_node[] = {0, 1};" in line for line in advice.code)


def test_runtime_that_calls_the_program_is_openmp(tmp_path: Path) -> None:
    """Names of functions may be gone, or others: who calls the loop tells."""
    builder = sampled()
    block = array(builder, SERIAL)
    runtime = builder.place(("", 1, ""), module="/usr/lib/libgomp.so.1", file=None, line=None, function=None)
    loop = builder.place(("/home/u/src/sum.c", 22, "anything"))
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        builder.loads(
            builder.stack(loop, runtime), thread + 1, range(start, start + BLOCK * PAGE, 16 * PAGE), 0, block=block
        )
    (advice,) = only(builder, tmp_path, serial_init)
    assert advice.code[1].startswith("#pragma omp")


def test_no_parallel_loop_within_a_parallel_region(tmp_path: Path) -> None:
    """Where a single construct initialises, one thread would run all of it."""
    builder = sampled()
    region = builder.place(("/home/u/src/sum.c", 30, "main._omp_fn.0"))
    made = builder.stack(builder.place(("/home/u/src/sum.c", 14, "set_up")), region)
    block = builder.block(builder.object("heap", made), ARRAY, PAGES)
    builder.touch(
        builder.stack(builder.place(("/home/u/src/sum.c", 17, "set_up")), region), 2, ARRAY, PAGES, block=block
    )
    use_blocks(builder, block, [0] * 8)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "omp" not in "".join(advice.code)
    assert any("part_node[] = {0, 1};" in line for line in advice.code)
    assert advice.removes == pytest.approx(1.0)


PIECES = """void *my_alloc(size_t n)
{
    void *p = malloc(n);
    return p;
}
void make(void)
{
    for (int i = 0; i < n; i++) {
        all[i].id = i;
        for (int j = 0; j < m; j++)
            all[i].row[j] = my_alloc(m * sizeof(double));
    }
}"""


def advice_on_pieces(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allocator: str = "my_alloc") -> Advice:
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text.split("\n"))
    builder = sampled()
    made = builder.stack(
        builder.place(("/home/u/src/sum.c", 3, allocator)), builder.place(("/home/u/src/sum.c", 11, "make"))
    )
    builder.touch(made, 1, ARRAY, PAGES, page_node=0)
    use_blocks(builder, None, [0] * 8)
    (advice,) = only(builder, tmp_path, serial_init)
    return advice


FORTRAN_LOCAL = ["subroutine work", "real(8), save :: u1(4194304)", "end subroutine", "program p", "call work", "end"]
FORTRAN_MODULE = [
    "module fields",
    "real(8) :: u1(4194304)",
    "end module",
    "program p",
    "use fields",
    "call work",
    "end",
]
FORTRAN_OWN = ["program p", "real(8) :: u1(4194304)", "call work", "end program"]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("u.0", ["void work(void)", "{", "    static double u[1 << 22];", "}"], r"\bPOINTER\b"),
        ("u.1.lto_priv.0", ["static double u[1 << 22];"], r"\bu\b"),
        ("work.u", ["static double u[1 << 22];"], r"\bu\b"),  # of Clang
        ("work(int)::u", ["static double u[1 << 22];"], r"\bu\b"),
        ("u1.3", FORTRAN_OWN, r"\bu1\(\w+\) = 0"),
        ("__fields_MOD_u1", FORTRAN_MODULE, r"use fields, only: u1\n(?:.*\n)*.*\bu1\(\w+\) = 0"),
        ("u1.3", FORTRAN_LOCAL, r"numactl"),  # the main program does not see it
    ],
)
def test_variables_have_the_names_of_the_text_in_printed_code(
    name: str, text: list[str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GCC and gfortran number static variables of procedures: u1.3."""
    file = "sum.f90" if text[-1].startswith("end") else "sum.cpp"
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text)
    builder = sampled()
    line = next(number for number, each in enumerate(text, 1) if "static" in each or "real" in each)
    declared = builder.stack(builder.place((f"/home/u/src/{file}", line, None)))
    block = builder.block(builder.object("static", declared, name=name), ARRAY, PAGES)
    filled = builder.stack(builder.place((f"/home/u/src/{file}", 2, "work.constprop.0")))
    builder.touch(filled, 1, ARRAY, PAGES, page_node=0, block=block)
    use_blocks(builder, block, [0] * 8, line=(f"/home/u/src/{file}", 3, "work._omp_fn.0"))
    (advice,) = only(builder, tmp_path, serial_init)
    code = "\n".join(advice.code)
    assert re.search(expected, code)
    assert not re.search(r"\w\.(?:\d|u\b|lto|constprop|_omp_fn)", code)


@pytest.mark.parametrize("function", ["my_alloc.constprop.0", "my_alloc.isra.0", "my_alloc [clone .part.0]"])
def test_functions_have_the_names_of_the_text_in_printed_code(
    function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    advice = advice_on_pieces(PIECES, tmp_path, monkeypatch, function)
    assert "            all[i].row[j] = my_alloc(m * sizeof(double));" in advice.code


def test_code_without_lines_names_functions_as_the_text_does(tmp_path: Path) -> None:
    builder = sampled()
    program = {"module": "/home/u/sum", "file": None, "line": None, "address": 7}
    makes = builder.stack(builder.add("place", function="make.constprop.0", **program))
    block = builder.block(builder.object("heap", makes), ARRAY, PAGES)
    builder.touch(makes, 1, ARRAY, PAGES, page_node=0, block=block)
    use_blocks(builder, block, [0] * 8)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "after the allocation at make in sum" in advice.code[0]


def test_an_array_that_another_function_uses_keeps_the_line_of_that_one(tmp_path: Path) -> None:
    """One advice for both, as one thread filled both: neither line is said to use all of it."""
    builder = sampled()
    second = ARRAY + 2 * PAGES * PAGE
    use_blocks(builder, array(builder, SERIAL), [0] * 8, every=8)
    scale = ("/home/u/src/sum.c", 40, "scale")
    use_blocks(builder, array(builder, SERIAL, second, ("/home/u/src/sum.c", 15, "main")), [0] * 8, second, scale)
    (advice,) = only(builder, tmp_path, serial_init)
    assert advice.finding.endswith("block of its own. Of it, sum.c:40 scale uses 32 MiB allocated at sum.c:15 main.")


def test_many_arrays_of_one_function_are_counted(tmp_path: Path) -> None:
    builder, count = sampled(), 16
    use, fill = builder.stack(builder.place(LOOP)), init_stack(builder)
    for number in range(count):
        site, at = builder.stack(builder.place(("/home/u/src/sum.c", 50 + number, "make_fields"))), ARRAY + number * MIB
        block = builder.block(builder.object("heap", site), at, MIB // PAGE)
        builder.touch(fill, 1, at, MIB // PAGE, page_node=0, block=block)
        for thread in range(8):
            builder.loads(
                use, thread + 1, range(at + thread * MIB // 8, at + (thread + 1) * MIB // 8, PAGE), 0, block=block
            )
    (advice,) = only(builder, tmp_path, serial_init)
    assert "16 MiB allocated at 16 places in make_fields, all from thread 0" in advice.finding


def test_the_code_is_for_pages_of_the_recorded_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = ["int main(void)", "{", *[""] * 11, "    double *a = malloc(n * sizeof *a);", "}"]
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text)
    builder = sampled().change("run", page_bytes=65536)
    block = array(builder, SERIAL)
    evidence = read(builder, tmp_path)
    group = [found for found in evidence.objects.found if found.kind == "heap"]
    assert block and [memory.page_bytes for memory in memories(evidence, group) or ()] == [65536]


def test_small_blocks_of_a_wrapper_are_placed_where_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have no objects: malloc touched their pages in the function that hands them out."""
    advice = advice_on_pieces(PIECES, tmp_path, monkeypatch)
    assert advice.code[:2] == (
        "// sum.c: after line 7, add; #include <string.h>; build with -fopenmp",
        "#pragma omp parallel for schedule(static)",
    )
    assert "            all[i].row[j] = my_alloc(m * sizeof(double));" in advice.code


def test_small_blocks_that_their_wrapper_fills_are_not_zeroed_where_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the policy of the thread that makes them places them."""
    filled = PIECES.replace("    return p;", "    for (size_t k = 0; k < n; k++) ((char *)p)[k] = 1; return p;")
    code = "".join(advice_on_pieces(filled, tmp_path, monkeypatch).code)
    assert "memset" not in code and "omp" not in code
    assert code.index("numa_set_preferred") < code.index("my_alloc(m") < code.index("numa_set_localalloc")


@pytest.mark.parametrize(("filled", "after"), [("", "a = make"), ("    fill(p, n);\n", "p = malloc")])
def test_an_array_that_its_maker_has_filled_by_a_function_is_not_zeroed_at_the_caller(
    filled: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"""double *make(size_t n)
{{
    double *p = malloc(n * sizeof(double));
{filled}    return p;
}}
void fill(double *p, size_t n);
int main(void)
{{
    size_t n = 100;

    double *a = make(n);
}}""".split("\n")
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text)
    lines = {name: number for number, each in enumerate(text, 1) for name in ("a = make", "p = malloc") if name in each}
    builder = sampled()
    caller = builder.place(("/home/u/src/sum.c", lines["a = make"], "main"))
    block = builder.block(
        builder.object("heap", builder.stack(builder.place(("/home/u/src/sum.c", 3, "make")), caller)), ARRAY, PAGES
    )
    touched = builder.stack(builder.place(("/home/u/src/other.c", 5, "fill")), caller)
    builder.touch(touched, 1, ARRAY, PAGES, page_node=0, block=block)
    use_blocks(builder, block, [0] * 8)
    (advice,) = only(builder, tmp_path, serial_init)
    assert advice.code[0].startswith(f"// sum.c: after line {lines[after]}, add")


@pytest.mark.parametrize(("told", "other", "removes"), [(16, 32, 2 / 3), (32, 16, 1 / 3), (64, 16, 1.0)])
def test_code_is_printed_for_what_the_text_tells_of(
    told: int, other: int, removes: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two arrays the text tells where one is allocated: if most of the use is of that one, the other is named, and
    nothing is promised of it."""
    text = ["int main(void)", "{", "    double *a = malloc(n * sizeof *a);", "    b = pool(take)->here;"]
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: [*text, *["    ;"] * 20])
    builder = sampled()
    for address, line, every in ((ARRAY, 3, told), (OTHER, 4, other)):
        block = array(builder, SERIAL, address, ("/home/u/src/sum.c", line, "main"))
        use_blocks(builder, block, [0] * 8, address=address, every=every)
    (advice,) = only(builder, tmp_path, serial_init)
    assert advice.removes == pytest.approx(removes, abs=0.01)
    assert any(line.endswith("a[i] = 0;") for line in advice.code) == (removes < 1)
    assert ("Do the same for 32 MiB allocated at sum.c:4 main" in advice.change) == (removes < 1)


def test_fortran_gets_its_own_words(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    builder.change("place", where="line = 17", file="/home/u/src/heat.f90")
    (advice,) = only(builder, tmp_path, serial_init)
    assert advice.code == ("numactl --interleave=all ./sum",)  # no text to take names from


def filled_by(builder: RecordingBuilder, function: str) -> int:
    """A function of a header of the standard library touches, inlined at line 12."""
    mine = builder.place(("/home/u/src/fill.cpp", 12, "main"))
    header = "/usr/include/c++/12/bits/stl_vector.h"
    vector = builder.add("place", module="/home/u/sum", file=header, line=566, function=function, inline_of=mine)
    memset = builder.place(("", 0, "memset"), module="/usr/lib/libc.so.6", file=None, line=None)
    block = builder.block(builder.object("heap", builder.stack(mine)), ARRAY, PAGES)
    builder.touch(builder.stack(memset, vector), 1, ARRAY, PAGES, page_node=0, block=block)
    return block


def contained(function: str, line: Line = LOOP) -> RecordingBuilder:
    builder = sampled()
    use_blocks(builder, filled_by(builder, function), [0] * 8, line=line)
    return builder


@pytest.mark.parametrize("divided", [False, True])
def test_what_a_container_makes_and_fills_in_one_statement_has_no_place_for_code(divided: bool, tmp_path: Path) -> None:
    """All look it up. Another array is one thread's alone; or it has parts, which must not be spread as well."""
    builder = sampled()
    function = "std::unordered_map<int, int, std::hash<int> >::reserve(unsigned long)"
    use_all(builder, filled_by(builder, function), 0)
    other = array(builder, SERIAL, OTHER, ("/home/u/src/sum.c", 15, "main"))
    if divided:
        use_blocks(builder, other, [0] * 8, OTHER, WORK, every=128)
    else:
        stack = builder.stack(builder.place(WORK))
        builder.loads(stack, 8, range(OTHER, OTHER + PAGES * PAGE, 128 * PAGE), 0, block=other)
    advice = shared_by_all.rule(read(builder, tmp_path))
    assert advice is not None
    assert ("both at fill.cpp:12, add, with the program's names" in advice.code[0]) is divided
    assert (advice.code == ("numactl --interleave=all ./sum",)) is not divided


def test_containers_of_nodes_are_not_to_be_written_beforehand(tmp_path: Path) -> None:
    function = "std::unordered_map<int, int, std::hash<int> >::operator[](int const&)"
    (advice,) = only(contained(function), tmp_path, serial_init)
    assert "allocates its elements one by one at fill.cpp:12" in advice.change
    assert "in parallel" not in advice.change and "leaves elements unwritten" not in advice.change
    assert advice.removes is None


def test_container_that_fills_itself(tmp_path: Path) -> None:
    """The constructor was inlined: its lines are in the system's headers, the user's is where it was inlined."""
    builder = contained("std::vector<double, std::allocator<double> >::vector(unsigned long)")
    (advice,) = only(builder, tmp_path, serial_init)
    assert "fill.cpp:12 main first touches" in advice.finding
    assert "std::vector::vector writes all of it at fill.cpp:12" in advice.change
    assert "leaves elements unwritten" in advice.change
    assert advice.code == ("numactl --interleave=all ./sum",)


def test_what_a_constructor_of_elements_writes_is_in_no_container(tmp_path: Path) -> None:
    """new T[n] has no allocator to replace."""
    (advice,) = only(contained("std::complex<double>::complex(double, double)"), tmp_path, serial_init)
    assert "operator new[]" in advice.change and "allocator" not in advice.change


COPY = "std::vector<double, std::allocator<double> >::{}(std::vector<double, std::allocator<double> > const&)"


@pytest.mark.parametrize(("line", "how"), [(LOOP, "copy in parallel, divided as"), (WORK, "let each thread copy")])
@pytest.mark.parametrize("name", ["vector", "operator="])
def test_a_copy_of_a_container_writes_whatever_its_allocator(name: str, line: Line, how: str, tmp_path: Path) -> None:
    (advice,) = only(contained(COPY.format(name), line), tmp_path, serial_init)
    assert "Use an allocator" not in advice.change
    assert "which writes all elements whatever the allocator" in advice.change and how in advice.change


def test_what_a_copy_constructor_allocates_has_the_line_that_copies(tmp_path: Path) -> None:
    """Its own line may be that of the class, which a compiler gives it where the program has none."""
    builder = sampled()
    made, calls = builder.place(("/home/u/src/sum.c", 5, "field::field(field const&)")), builder.place(ALLOC)
    block = builder.block(builder.object("heap", builder.stack(made, calls)), ARRAY, PAGES)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0, block=block)
    use_blocks(builder, block, [0] * 8)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "allocated at sum.c:5 field::field < sum.c:14" in advice.finding


def test_vectors_of_a_thread_each_that_grew_are_copied_by_it(tmp_path: Path) -> None:
    """An allocator that leaves elements unwritten would not change who appends to them."""
    builder = sampled()
    mine, header = builder.place(("/home/u/src/fill.cpp", 12, "main")), "/usr/include/c++/12/bits/vector.tcc"
    appends = "std::vector<int, std::allocator<int> >::push_back(int const&)"
    inner = builder.add("place", module="/home/u/sum", file=header, line=114, function=appends, inline_of=mine)
    made, stack = builder.object("heap", builder.stack(mine)), builder.stack(builder.place(LOOP))
    for number in range(128):
        start, thread = ARRAY + number * 64 * PAGE, number * 37 % 8
        block = builder.block(made, start, 32, start_ns=number)
        builder.touch(builder.stack(inner), 1, start, 32, page_node=0, block=block)
        builder.loads(stack, thread + 1, range(start, start + 32 * PAGE, 8 * PAGE), 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "std::vector::push_back writes all of it at fill.cpp:12. Each thread uses containers" in advice.change
    assert "let it copy those that it uses" in advice.change and "unwritten" not in advice.change


def test_words_that_promise_parts_stand_above_code_that_has_them(tmp_path: Path) -> None:
    builder = contained("std::vector<double, std::allocator<double> >::vector(unsigned long)", WORK)
    (advice,) = only(builder, tmp_path, serial_init)
    assert advice.code == ("numactl --interleave=all ./sum",)
    assert "place the parts" not in advice.change
    assert advice.change.endswith("Without an edit, spread it over the nodes:")


@pytest.mark.parametrize("samples", [5, 3])
def test_few_samples_of_threads_are_read_in_the_order_of_the_threads(samples: int, tmp_path: Path) -> None:
    """The thread that fills the array has no part, one that no sample saw has; larger parts would mix the nodes."""
    builder = sampled().threads(1, cpus=[0])
    block, stack = array(builder, SERIAL), builder.stack(builder.place(WORK))
    for part in (0, 1, 2, 3, 5, 6, 7):
        start = ARRAY + part * BLOCK * PAGE
        step = BLOCK // (samples + 1) * PAGE
        builder.loads(stack, part + 2, range(start, start + samples * step, step), 0, block=block)
    evidence = read(builder, tmp_path)
    nodes = [thread.node for thread in evidence.workers[1:]]
    (advice,) = advise(evidence)
    assert any(f"part_node[] = {{{', '.join(map(str, nodes))}}};" in line for line in advice.code), (nodes, advice.code)


def test_library_without_names_is_named_itself(tmp_path: Path) -> None:
    """Stripped, a C library has no names for its variants of memcpy."""
    builder = sampled()
    mine = builder.place(("/home/u/src/fill.c", 12, "main"))
    libc = builder.add("place", module="/usr/lib/x86_64-linux-gnu/libc.so.6", address=0x1234)
    block = builder.block(builder.object("heap", builder.stack(mine)), ARRAY, PAGES)
    builder.touch(builder.stack(libc, mine), 1, ARRAY, PAGES, page_node=0, block=block)
    use_blocks(builder, block, [0] * 8)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "A function of libc.so.6 writes all of it at fill.c:12" in advice.change


def used_by_children(builder: RecordingBuilder, block: int) -> RecordingBuilder:
    """A process for each of eight parts, forked after the first touch."""
    for number in range(8):
        process = builder.add("process", pid=4800 + number, parent=1, start_ns=1000, followed="preload")
        thread = builder.thread(
            name="worker", tid=4800 + number, process=process, planned_cpu=number, start_ns=RAN // 2
        )
        start, stack = ARRAY + number * BLOCK * PAGE, builder.stack(builder.place(WORK))
        for address in range(start, start + BLOCK * PAGE, 16 * PAGE):
            source = {"source": LOCAL, "latency": 200} if number < 4 else {"source": REMOTE, "latency": 400}
            builder.sample(LOAD, thread, stack, 1009, address=address, cpu=number, page_node=0, block=block, **source)
    return builder


def test_processes_are_told_of_processes(tmp_path: Path) -> None:
    builder = sampled()
    (advice,) = only(used_by_children(builder, array(builder, SERIAL)), tmp_path, serial_init)
    assert "after fork" in advice.change
    assert "numactl --interleave=all" in advice.code[0] and advice.removes is None


SHARED_MAPPING = """char *map_shared(size_t bytes)
{
    void *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return area != MAP_FAILED ? area : (exit(1), NULL);
}
void open_journals(void)
{
    journals = map_shared(sizeof *journals * WORKERS);
}"""


def test_memory_that_processes_divide_is_placed_by_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a function of the program hands out the mapping by a conditional expression."""
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: SHARED_MAPPING.split("\n"))
    builder = sampled()
    places = (("/home/u/src/sum.c", 3, "map_shared"), ("/home/u/src/sum.c", 8, "open_journals"))
    made = builder.stack(*map(builder.place, places))
    block = builder.block(builder.object("shared", made), ARRAY, PAGES)
    builder.touch(builder.stack(builder.place(INIT)), 1, ARRAY, PAGES, page_node=0, block=block)
    (advice,) = only(used_by_children(builder, block), tmp_path, serial_init)
    assert "after fork" in advice.change and "processes must be pinned" in advice.change
    assert advice.code[0].startswith("// sum.c: after line 8, add;")
    assert any("(size_t)journals / 4096" in line for line in advice.code)
    assert any("part_node[] = {0, 1};" in line for line in advice.code)
    assert advice.removes == pytest.approx(1.0)


def test_one_user_alone_should_initialise(tmp_path: Path) -> None:
    builder = sampled()
    block = array(builder, SERIAL)
    builder.loads(builder.stack(builder.place(WORK)), 6, range(ARRAY, ARRAY + PAGES * PAGE, 16 * PAGE), 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "One thread alone uses it" in advice.change
    assert advice.code == ()


def test_objects_that_are_used_where_they_lie_are_left_out(tmp_path: Path) -> None:
    """Two arrays, both set by thread 0; only one of them is used by threads of the other node."""
    builder = sampled()
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    block = array(builder, SERIAL, OTHER, ("/home/u/src/sum.c", 15, "main"))
    stack = builder.stack(builder.place(LOOP))
    for thread in range(4):
        builder.loads(stack, thread + 1, range(OTHER, OTHER + PAGES * PAGE, 64 * PAGE), 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "sum.c:15" not in advice.finding


@pytest.mark.parametrize(
    ("order", "each", "said"),
    [
        ([0, 5, 2, 7, 4, 1, 6, 3], 15, False),
        (range(8), 2, True),
        (range(8), 1, False),
        ([0, 1, 2, 3, 5, 4, 7, 6], 2, False),
    ],
)
def test_few_samples_make_a_shape_if_parts_follow_the_threads(
    order: Iterable[int], each: int, said: bool, tmp_path: Path
) -> None:
    """Each thread a part, fewer than 16 samples of it: parts in the order of the threads' start are no chance."""
    builder = sampled()
    block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
    for thread, part in enumerate(order):
        builder.loads(stack, thread + 1, [ARRAY + (part * BLOCK + page) * PAGE for page in range(each)], 0, block=block)
    builder.loads(stack, 9, [OTHER] * 200, 0)  # so that the verdict has enough
    builder.threads(1)
    (found,) = (found for found in read(builder, tmp_path).objects.found if found.allocated)
    assert (found.use_shape is Shape.BLOCKS) is said


@pytest.mark.parametrize(("used", "names"), [("nowhere", ["a", "b"]), ("by all", ["b"])])
def test_what_is_allocated_beside_it_is_changed_too_unless_it_is_used_otherwise(
    used: str, names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = ["int main(void)", "{", "    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);", "}"]
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text)
    line: Line = ("/home/u/src/sum.c", 3, "main")
    builder = sampled()
    first = builder.block(
        builder.object("heap", builder.stack(builder.place(line, address=0x99))), OTHER, PAGES, start_ns=1
    )
    if used == "by all":
        builder.touch(init_stack(builder), 1, OTHER, PAGES, page_node=0, block=first)
        use_all(builder, first, 0, OTHER)
    else:  # first touched by those who store to it
        for thread in range(8):
            start = OTHER + thread * BLOCK * PAGE
            touch = builder.stack(builder.place(LOOP))
            builder.touch(touch, thread + 1, start, BLOCK, page_node=thread // 4, block=first)
    use_blocks(builder, array(builder, SERIAL, line=line), [0] * 8)
    builder.change("block", f"address = {ARRAY}", start_ns=2)
    advice = serial_init.rule(read(builder, tmp_path))
    assert advice is not None
    zeroed = re.findall(r"(\w+)\[i\] = 0;|memset\(&(\w+)", " ".join(advice.code))
    placed = re.findall(r"size_t page_first = \(\(size_t\)(\w+)", " ".join(advice.code))
    assert sorted({*placed, *(one or other for one, other in zeroed)}) == names


def test_blocks_follow_each_other_as_they_were_allocated(tmp_path: Path) -> None:
    """Large blocks have falling addresses."""
    builder = sampled()
    object = builder.object("heap", builder.stack(builder.place(ALLOC)))
    stack = builder.stack(builder.place(LOOP))
    for thread in range(8):
        address = ARRAY + (7 - thread) * BLOCK * PAGE
        block = builder.block(object, address, BLOCK, start_ns=100 + thread)
        builder.touch(init_stack(builder), 1, address, BLOCK, page_node=0, block=block)
        builder.loads(stack, thread + 1, range(address, address + BLOCK * PAGE, 16 * PAGE), 0, block=block)
    (found,) = (found for found in read(builder, tmp_path).objects.found if found.allocated)
    assert node_order(found) == (0, 1)


def test_an_array_that_its_toucher_alone_uses_is_left_out(tmp_path: Path) -> None:
    """Input that main reads by itself, beside an array that all use. A few unattributed lines make it no suspect."""
    builder = sampled()
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    block = array(builder, SERIAL, OTHER, ("/home/u/src/sum.c", 15, "main"))
    builder.loads(builder.stack(builder.place(WORK)), 1, range(OTHER, OTHER + 64 * PAGE, PAGE), 0, block=block)
    evidence = read(builder, tmp_path)
    (mine,) = (found for found in evidence.objects.found if found.allocated and found.allocated.line == 15)
    assert used_by_owner(evidence, mine)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "sum.c:15" not in advice.finding


@pytest.mark.parametrize(("others", "left_out"), [(1, True), (24, False)])
def test_an_array_that_its_toucher_uses_most_is_left_out(others: int, left_out: bool, tmp_path: Path) -> None:
    """Main counts in it for long before others look: divided, it would cost more than it gives. Nor does it speak for
    the array beside, of which each thread has a part."""
    builder = sampled()
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    block = array(builder, SERIAL, OTHER, ("/home/u/src/sum.c", 15, "main"))
    stack = builder.stack(builder.place(WORK))
    builder.loads(stack, 1, range(OTHER, OTHER + 1024 * PAGE, PAGE), 0, block=block)
    for thread in range(8):
        start = OTHER + thread * BLOCK * PAGE
        builder.loads(stack, thread + 1, range(start, start + others * PAGE, PAGE), 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    assert ("sum.c:15" not in advice.finding) is left_out
    assert "each thread a block of its own" in advice.finding


@pytest.mark.parametrize(("local", "remote", "told"), [(10, 30, True), (200, 29, False)])
def test_thirty_remote_accesses_tell_objects(local: int, remote: int, told: bool, tmp_path: Path) -> None:
    builder = sampled()
    block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
    builder.loads(stack, 1, [ARRAY] * local, 0, block=block)
    builder.loads(stack, 5, [ARRAY] * remote, 0, block=block)
    assert read(builder, tmp_path).samples.tell_objects is told


def few_remote_samples(apart: bool) -> RecordingBuilder:
    """Too few remote accesses to tell objects by; nodes use halves of the array, or all of it."""
    builder = levels(RecordingBuilder()).level(3, "samples", True, detail="load latency").threads(8)
    builder.counters("demand_rd", [2_000_000] * 4 + [0] * 4, [0] * 4 + [2_000_000] * 4)
    block, stack, chance = array(builder, SERIAL), builder.stack(builder.place(LOOP)), random.Random(1)
    for number in range(78):
        node = int(number % 3 == 0)  # 26 remote
        page = node * PAGES // 2 + chance.randrange(PAGES // 2) if apart else chance.randrange(PAGES)
        builder.loads(stack, 4 * node + number // 3 % 4 + 1, [ARRAY + page * PAGE], 0, block=block)
    return builder


def test_few_samples_that_mix_say_so_whatever_is_known_of_objects(tmp_path: Path) -> None:
    assert not read(few_remote_samples(True), tmp_path).samples.tell_objects
    only(few_remote_samples(True), tmp_path, serial_init)
    only(few_remote_samples(False), tmp_path, shared_by_all)


@pytest.mark.parametrize(("passes", "said"), [(1, False), (4, True)])
def test_results_that_are_written_once_are_not_to_be_initialised(passes: int, said: bool, tmp_path: Path) -> None:
    """A compute-bound program: half of its results are remote, and to write zeros first would ask for as many lines."""
    half = passes * PAGES * PAGE // 64 // 2 // 4
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand_rd", [1000] * 8, [0] * 4 + [1000] * 4)
    builder.counters("demand_rfo", [half] * 4 + [0] * 4, [0] * 4 + [half] * 4)
    builder.counters("pf_any", [1000] * 8, [0] * 4 + [1000] * 4)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0)
    assert (serial_init.rule(read(builder, tmp_path)) is not None) is said


def test_rows_of_an_allocator_of_the_program_are_placed_by_its_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks too small to be told apart. Their thread asks for a node before malloc writes their sizes."""
    text = ["static void *xmalloc(size_t n)", "{", "    void *block = malloc(n);", "    return block;", "}"]
    made = "rows[i] = xmalloc(n * sizeof *rows[i]);"
    text += ["void make(void)", "{", "    for (int i = 0; i < n; i++)", f"        {made}"]
    text += ["    for (int i = 0; i < n; i++)", "        rows[i][0] = i;", "}"]
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text)
    builder = sampled()
    stack = builder.stack(builder.place(WORK))
    for line, function, at in ((11, "make", ARRAY), (3, "xmalloc", OTHER)):
        builder.touch(builder.stack(builder.place(("/home/u/src/sum.c", line, function))), 1, at, PAGES, page_node=0)
        for thread in range(8):
            start = at + thread * BLOCK * PAGE
            builder.loads(stack, thread + 1, range(start, start + BLOCK * PAGE, 16 * PAGE), 0)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "// sum.c: instead of lines 8-9; #include <numa.h>; #include <string.h>; build with -lnuma" in advice.code
    code = [line.strip() for line in advice.code]
    asks = next(at for at, line in enumerate(code) if line.startswith("numa_set_preferred(part_node[(size_t)i * "))
    assert asks < code.index(made) < code.index("numa_set_localalloc();")
    assert "block" not in " ".join(code)
    assert advice.removes == pytest.approx(1.0, abs=0.01)


def test_small_blocks_that_a_function_makes_and_fills_are_placed_by_the_turns_that_call_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among them those that malloc touches, of an allocator that this function calls."""
    text = ["static void *xmalloc(size_t n)", "{", "    return malloc(n);", "}", "struct item *item(int id)", "{"]
    text += [
        "    struct item *made = xmalloc(sizeof *made);",
        "    made->data = xmalloc(1024);",
        "    made->data[0] = id;",
    ]
    text += ["    return made;", "}", "void make(void)", "{", "    for (int i = 0; i < n; i++)"]
    text += ["        items[i] = item(i);", "}"]
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text)
    builder = sampled()
    stack = builder.stack(builder.place(WORK))
    makes = builder.place(("/home/u/src/sum.c", 15, "make"))
    for inner, at in (((9, "item"),), ARRAY), (((3, "xmalloc"), (8, "item")), OTHER):
        frames = [builder.place(("/home/u/src/sum.c", *frame)) for frame in inner]
        builder.touch(builder.stack(*frames, makes), 1, at, PAGES, page_node=0)
        for thread in range(8):
            start = at + thread * BLOCK * PAGE
            builder.loads(stack, thread + 1, range(start, start + BLOCK * PAGE, 16 * PAGE), 0)
    (advice,) = only(builder, tmp_path, serial_init)
    code = [line.strip() for line in advice.code]
    assert code[0] == "// sum.c: instead of lines 14-15; #include <numa.h>; build with -lnuma"
    asks = next(at for at, line in enumerate(code) if line.startswith("numa_set_preferred(part_node[(size_t)i * "))
    assert asks < code.index("items[i] = item(i);") < code.index("numa_set_localalloc();")
    assert advice.removes == pytest.approx(1.0, abs=0.01)


def refilled(builder: RecordingBuilder, times: int, *, meanwhile: bool = True) -> RecordingBuilder:
    """Seven threads read all of an array; the thread that first touched it requests its lines so many times, meanwhile
    as well, or before only."""
    levels(builder).threads(8)
    lines = PAGES * PAGE // 64
    builder.counters("demand_rd", [lines] * 4 + [0] * 4, [0] * 4 + [lines] * 4)
    builder.counters("demand_rfo", [(times - 1) * lines] + [0] * 7, [0] * 8)
    block = array(builder, SERIAL)
    use_all(builder, block, 0)
    if meanwhile:
        builder.loads(builder.stack(builder.place(LOOP)), 1, [ARRAY], 0, block=block)
    return builder


def test_memory_that_one_thread_fills_again_and_again_is_not_spread(tmp_path: Path) -> None:
    evidence = read(refilled(RecordingBuilder(), 12), tmp_path)
    assert shared_by_all.rule(evidence) is None
    advice = handed_over.rule(evidence)
    assert advice is not None and advice.kind is Kind.LEAVE
    assert "thread 0" in advice.finding and "again and again" in advice.finding


def test_a_long_serial_set_up_is_told_as_such(tmp_path: Path) -> None:
    """Main sorts it, and no more; as many lines would be remote for it as for the others."""
    advice = handed_over.rule(read(refilled(RecordingBuilder(), 12, meanwhile=False), tmp_path))
    assert advice is not None and "again and again" not in advice.finding
    assert re.search(r"thread 0 \(.*\) goes over 32 MiB .* many times before 8 threads .* use it", advice.finding)
    assert "Divide what it does there" in advice.change


def test_memory_that_is_filled_once_is(tmp_path: Path) -> None:
    evidence = read(refilled(RecordingBuilder(), 2), tmp_path)
    assert handed_over.rule(evidence) is None
    assert shared_by_all.rule(evidence) is not None


@pytest.mark.parametrize(("times", "beside"), [(12, 0), (2, 0), (12, BLOCK), (12, 4)])
def test_memory_that_each_of_several_threads_fills_again_and_again_is_left(
    times: int, beside: int, tmp_path: Path
) -> None:
    """Each fills its part and one of the other node reads it. Beside other memory, of many pages or of few that are
    loaded often, the stores may all be to that."""
    builder = levels(RecordingBuilder()).threads(8)
    lines = PAGES * PAGE // 64 // 8
    builder.counters("demand_rd", [0] * 8, [lines] * 8).counters("demand_rfo", [times * lines] * 8, [0] * 8)
    use_blocks(builder, array(builder, REVERSED), [1] * 4 + [0] * 4)
    for thread in range(8 if beside else 0):
        start = OTHER + thread * BLOCK * PAGE
        builder.touch(init_stack(builder), thread + 1, start, beside, page_node=thread // 4)
        builder.loads(builder.stack(builder.place(WORK)), thread + 1, [start] * (beside % BLOCK), thread // 4)
    evidence = read(builder, tmp_path)
    advice = handed_over.rule(evidence)
    assert (advice is not None) is (times == 12 and beside == 0)
    if advice is not None:
        assert "12 times as many lines" in advice.evidence and "near its users" in advice.change
    else:
        assert mismatched_init.rule(evidence) is not None


@pytest.mark.parametrize(("remote_stores", "said"), [(400_000, True), (20_000, False), (0, False)])
def test_arrays_that_are_only_stored_to_are_initialised_with_those_beside(
    remote_stores: int, said: bool, tmp_path: Path
) -> None:
    """Load samples hardly see them; a prefetcher brings most of what is remote, which tells nothing of stores."""
    builder = levels(RecordingBuilder()).level(3, "samples", True, detail="load latency").threads(8)
    builder.counters("demand_rd", [700_000] * 4 + [0] * 4, [0] * 4 + [700_000] * 4)
    builder.counters("demand_rfo", [remote_stores] * 4 + [0] * 4, [0] * 4 + [remote_stores // 4] * 4)
    builder.counters("pf_any", [9_000_000] * 4 + [0] * 4, [0] * 4 + [9_000_000] * 4)
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    stored = array(builder, SERIAL, OTHER, ("/home/u/src/sum.c", 15, "main"))
    builder.loads(builder.stack(builder.place(WORK)), 1, [OTHER], 0, block=stored)
    evidence = read(builder, tmp_path)
    first, second = sorted(evidence.objects.found[:2], key=lambda found: -found.known)
    assert (first.known_samples, second.known_samples) == (512, 1)
    assert stored_beside(evidence, [first]) == ([second] if said else [])


def dealt_out(monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], RecordingBuilder, int]:
    """The text of a program that hands out rows by turns, and an array that main filled there."""
    text = [
        "int main(void)",
        "{",
        "    double *a = malloc(n * m * sizeof *a);",
        "#pragma omp parallel for schedule(static, 1)",
    ]
    text += ["    for (long i = 0; i < n; i++)", "        sum += a[i * m];", "}"]
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text)
    builder = sampled()
    return text, builder, array(builder, SERIAL, line=("/home/u/src/sum.c", 3, "main"))


def test_rows_that_are_dealt_out_get_the_schedule_of_their_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples say that all threads use all of it; the text, that OpenMP gives each every eighth row."""
    text, builder, block = dealt_out(monkeypatch)
    use_all(builder, block, 0, line=("/home/u/src/sum.c", 6, "main._omp_fn.0"))
    (advice,) = only(builder, tmp_path, serial_init)
    assert "#pragma omp parallel for schedule(static, 1)" in advice.code
    assert "for (size_t i = 0; i < (n * m) / m; i++)" in "".join(advice.code)
    assert "chunks of it by turns" in first_screen(builder, tmp_path)
    text[3] = text[3].replace("schedule(static, 1)", "schedule(static)")
    only(builder, tmp_path, shared_by_all)


@pytest.mark.parametrize(("mixed", "removes"), [(0, 1.0), (32, 0.467), (64, -0.067)])
def test_pages_of_rows_of_two_nodes_stay_half_remote(
    mixed: int, removes: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 64 pages, so many have rows of two nodes, eight samples of each; the others belong to the nodes by turns."""
    _, builder, block = dealt_out(monkeypatch)
    stack = builder.stack(builder.place(("/home/u/src/sum.c", 6, "main._omp_fn.0")))
    for page in range(64):
        for number in range(16):
            node = (number if page < mixed else page) % 2
            builder.loads(stack, 1 + 4 * node + number // 4, [ARRAY + page * 128 * PAGE], 0, block=block)
    advice = serial_init.rule(read(builder, tmp_path))
    assert advice is not None and advice.removes == pytest.approx(removes, abs=0.001)


@pytest.mark.parametrize("later", ["memset(b, 0, n * 8);", "for (long i = 0; i < n; i++) b[i] = 0.0;", "sum += b[0];"])
def test_code_between_malloc_and_memset_leaves_no_memory_to_one_thread(
    later: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compiler makes one calloc of both, so that the threads that use it touch it, until code stands between them."""
    made = [f"    double *{name} = malloc(n * 8);" for name in "ab"]
    text = ["int main(void)", "{", *made, f"    {later}", "}"]
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text)
    builder = sampled()
    use_blocks(builder, array(builder, SERIAL, line=("/home/u/src/sum.c", 3, "main")), [0] * 8)
    zeroed = array(builder, PARALLEL, OTHER, ("/home/u/src/sum.c", 4, "main"))
    use_blocks(builder, zeroed, [0] * 4 + [1] * 4, OTHER)
    (advice,) = only(builder, tmp_path, serial_init)
    too = not later.startswith("sum")
    assert ("// sum.c: after line 4, add; build with -fopenmp" in advice.code) == too
    assert ("has `b` allocated as zeros" in advice.change) == too
    assert "sum.c:4" not in advice.finding


def test_what_to_do_stands_before_why_the_code_is_for_more_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also for threads of POSIX, whose change introduces the code."""
    made = [f"    double *{name} = malloc(n * 8);" for name in "ab"]
    text = ["int main(void)", "{", *made, "    memset(b, 0, n * 8);", "}"]
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text)
    builder = sampled()
    use_blocks(builder, array(builder, SERIAL, line=("/home/u/src/sum.c", 3, "main")), [0] * 8, line=WORK)
    zeroed = array(builder, PARALLEL, OTHER, ("/home/u/src/sum.c", 4, "main"))
    use_blocks(builder, zeroed, [0] * 4 + [1] * 4, OTHER, line=WORK)
    (advice,) = only(builder, tmp_path, serial_init)
    why = advice.change.index("The compiler has `b` allocated as zeros")
    assert advice.change.index("Let each thread write to its part first") < why
    assert "(threads must be pinned as in this run). The compiler" in advice.change


def test_what_main_writes_again_is_not_promised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeroed by calloc, main did not write to it; after the fix it does, half of it on the other node."""
    made = [f"    double *{name} = malloc(n * 8);" for name in "ab"]
    text = ["int main(void)", "{", *made, "    sum += b[0];", "}"]
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text)
    builder = levels(RecordingBuilder()).level(3, "samples", True, detail="load latency").threads(8)
    builder.counters("demand_rd", [2_000_000] * 4 + [0] * 4, [0] * 4 + [2_000_000] * 4)
    use_blocks(builder, array(builder, SERIAL, line=("/home/u/src/sum.c", 3, "main")), [0] * 8)
    use_blocks(builder, array(builder, PARALLEL, OTHER, ("/home/u/src/sum.c", 4, "main")), [0] * 4 + [1] * 4, OTHER)
    evidence = read(builder, tmp_path)
    alone = serial_init.rule(evidence)
    text[4] = "    memset(b, 0, n * 8);"
    both = serial_init.rule(evidence)
    assert alone is not None and both is not None and alone.removes is not None and both.removes is not None
    half = PAGES * PAGE / 64 / 2
    assert alone.removes - both.removes == pytest.approx(half / 8_000_000)


# Divided otherwise than used


def test_mismatched_init(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, array(builder, REVERSED), [1] * 4 + [0] * 4)
    (advice,) = only(builder, tmp_path, mismatched_init)
    assert "in parallel, but divided among the threads differently from how sum.c:22 main._omp_fn.0" in advice.finding
    assert advice.removes == pytest.approx(1.0)


def test_matching_init_is_silent(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, array(builder, PARALLEL), [0] * 4 + [1] * 4)
    only(builder, tmp_path)


# All use all


def test_shared_by_all(tmp_path: Path) -> None:
    builder = sampled()
    use_all(builder, array(builder, SERIAL), 0)
    (advice,) = only(builder, tmp_path, shared_by_all)
    assert "are used whole by" in advice.finding or "is used whole by 8 threads on nodes 0-1" in advice.finding
    assert advice.code[0] == "numactl --interleave=all ./sum"
    assert "If it is only read, copy it to each node" in advice.change
    assert advice.removes is None
    assert "SPREADING MAY HELP" in first_screen(builder, tmp_path), "as much stays remote: nothing of that is fixed"


@pytest.mark.parametrize(("written", "said"), [(True, False), (False, True)])
def test_copies_are_for_what_nobody_writes(written: bool, said: bool, tmp_path: Path) -> None:
    builder = sampled()
    block = array(builder, SERIAL)
    use_all(builder, block, 0)
    where: dict[str, object] = {"address": ARRAY, "block": block} if written else {"address": OTHER}
    for _ in range(50):
        builder.sample(STORE, 5, builder.stack(builder.place(LOOP)), 1009, source=OWN_CACHE, **where)
    (advice,) = only(builder, tmp_path, shared_by_all)
    assert ("copy it to each node" in advice.change) is said


def test_two_causes_two_advices(tmp_path: Path) -> None:
    """A sparse matrix whose rows are divided, and a vector that all read."""
    builder = sampled()
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    use_all(builder, array(builder, SERIAL, OTHER, ("/home/u/src/sum.c", 15, "main")), 0, OTHER)
    first, second = only(builder, tmp_path, serial_init, shared_by_all)
    assert "sum.c:14" in first.finding
    assert "sum.c:15" in second.finding
    assert "after the allocation at sum.c:15" in second.code[0]
    assert any("numa_interleave_memory" in line for line in second.code)  # the matrix must not be spread
    assert not any("numactl" in line for line in second.code)
    assert first.removes == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("parts", [True, False])
def test_few_remote_samples_may_tell_who_uses_which_part(parts: bool, tmp_path: Path) -> None:
    """16 loads are remote: counters say that remote requests are many, not of what. All loads together show blocks."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand_rd", [1_000_000] * 4 + [0] * 4, [0] * 4 + [1_000_000] * 4)
    block, stack = array(builder, SERIAL), builder.stack(builder.place(WORK))
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        loads = range(start, start + BLOCK * PAGE, (32 if thread < 4 else 256) * PAGE)
        if parts:
            builder.loads(stack, thread + 1, loads, 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    end = "; who uses which part, from 144 samples." if parts else ", nor which part each."
    assert advice.evidence.endswith(f"The counters do not tell which array they read{end}")


@pytest.mark.parametrize(
    ("clause", "said"),
    [
        (" schedule(dynamic, 64)", "The loop has schedule(dynamic, 64): if its turns use parts, a static one would"),
        (" schedule(CHOSEN)", "If the loop has a dynamic schedule, a static one would"),
        (" schedule(runtime)", "If the loop has a dynamic schedule, a static one would"),
        (" schedule(static, 1)", ""),
        ("", ""),
    ],
)
def test_a_schedule_is_named_where_the_text_has_it(
    clause: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = [
        "int main(void)",
        "{",
        f"#pragma omp parallel for{clause}",
        "    for (long i = 0; i < n; i++)",
        "        f(a);",
    ]
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text)
    builder = sampled()
    block = array(builder, SERIAL)
    sweep_all(builder, block, 0, line=("/home/u/src/sum.c", 5, "main._omp_fn.0"))
    (advice,) = only(builder, tmp_path, shared_by_all)
    assert (said in advice.change) if said else ("schedule" not in advice.change)


@pytest.mark.parametrize(("clause", "said"), [("dynamic, 4", True), ("guided", True), ("static", False)])
@pytest.mark.parametrize("swept", [True, False])
def test_memory_that_a_schedule_takes_from_those_who_touched_it_first(
    swept: bool, clause: str, said: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Placed well, and used well but for the schedule. Of random access a static one changes nothing."""
    text = [f"#pragma omp parallel for schedule({clause})", "    for (long i = 0; i < n; i++)", "        s += a[i];"]
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: text)
    builder = sampled()
    block, line = array(builder, PARALLEL), ("/home/u/src/sum.c", 3, "main._omp_fn.0")
    (sweep_all if swept else use_all)(builder, block, None, line=line)
    advice = read_by_all.rule(read(builder, tmp_path))
    assert advice is not None and advice.kind is Kind.LEAVE
    assert (f"schedule(static) instead of schedule({clause})" in advice.change) is (said and swept)
    assert ("Only a copy for each node would help" in advice.change) is not (said and swept)


def use_mirrored(builder: RecordingBuilder, block: int, homes: list[int], line: Line, every: int = 16) -> None:
    """As use_blocks, but the last thread has the first part."""
    stack = builder.stack(builder.place(line))
    for thread in range(8):
        start = ARRAY + (7 - thread) * BLOCK * PAGE
        pages = range(start, start + BLOCK * PAGE, every * PAGE)
        builder.loads(stack, thread + 1, pages, homes[7 - thread], block=block)


DOWN = ("/home/u/src/sum.c", 31, "main._omp_fn.1")


@pytest.mark.parametrize("serial", [True, False])
def test_two_lines_that_divide_the_work_differently_are_named(serial: bool, tmp_path: Path) -> None:
    """No thread uses all of it, however far the two blocks of each are apart."""
    builder, homes = sampled(), [0] * 8 if serial else [0] * 4 + [1] * 4
    block = array(builder, SERIAL if serial else PARALLEL)
    use_blocks(builder, block, homes)
    use_mirrored(builder, block, homes, DOWN)
    evidence = read(builder, tmp_path)
    assert [found.use_shape for found in evidence.objects.found] == [Shape.BY_LINE]
    advice = (shared_by_all if serial else read_by_all).rule(evidence)
    assert advice is not None
    lines = "sum.c:22 main._omp_fn.0 and sum.c:31 main._omp_fn.1"
    assert f"divided among 8 threads on nodes 0-1 in blocks at {lines}, but differently at each" in advice.finding
    lines = "sum.c:22 and sum.c:31"
    assert (f"where {lines} divide the work alike" if serial else f"Divide the work alike at {lines},") in advice.change
    assert "span all of it" not in advice.evidence


def test_memory_is_divided_as_the_line_that_uses_it_far_more_divides_it(tmp_path: Path) -> None:
    """Of 5 accesses 4 are at that line. Half of all are remote; after the fix those at the other line are."""
    builder = sampled()
    block = array(builder, SERIAL)
    use_blocks(builder, block, [0] * 8, every=4)
    use_mirrored(builder, block, [0] * 8, DOWN)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "as the loop at sum.c:22 divides it" in advice.change
    assert advice.removes == pytest.approx(1 - 1 / 2.5)


def test_a_third_line_that_all_threads_use_whole_is_no_division_by_line(tmp_path: Path) -> None:
    builder, homes = sampled(), [0] * 4 + [1] * 4
    block = array(builder, PARALLEL)
    use_blocks(builder, block, homes)
    use_mirrored(builder, block, homes, DOWN)
    use_all(builder, block, None, line=("/home/u/src/sum.c", 40, "main._omp_fn.2"))
    assert not read(builder, tmp_path).objects.found[0].apart_at


@pytest.mark.parametrize("by_command", [True, False])
def test_spread_and_read_by_all(by_command: bool, tmp_path: Path) -> None:
    builder = sampled()
    if by_command:
        builder.change("run", command='["numactl", "--interleave=all", "./sum"]')
    use_all(builder, array(builder, PARALLEL, homes="interleaved"), None)
    evidence = read(builder, tmp_path)
    advice = read_by_all.rule(evidence)
    assert advice is not None
    assert shared_by_all.rule(evidence) is None
    assert "Leave it" in advice.change
    assert advice.cause == ("the numactl in the command spreads all memory" if by_command else None)


def test_few_samples_of_spread_memory_are_not_evenly_on_the_nodes(tmp_path: Path) -> None:
    evidence, chance = read(sampled_on(4), tmp_path), random.Random(3)
    homes = [Counter(chance.choices(range(4), k=64)) for _ in range(300)]
    exactly = sum(is_spread(evidence, each) for each in homes)
    assert exactly < 240 and sum(is_spread(evidence, each, 64) for each in homes) >= 297
    heavier = [Counter(chance.choices(range(4), [3, 1, 1, 1], k=64)) for _ in range(300)]
    assert sum(is_spread(evidence, each, 64) for each in heavier) < 60
    assert not is_spread(evidence, {0: 3.0, 1: 2.0}, 5)  # so few tell nothing


def test_memory_of_few_samples_that_is_spread_is_left_alone(tmp_path: Path) -> None:
    """26 of 64 sampled pages are on the first of four nodes."""
    builder = sampled_on(4)
    block = homed(builder, [26, 14, 12, 12])
    use_all(builder, block, None)
    evidence = read(builder, tmp_path)
    assert shared_by_all.rule(evidence) is None
    assert read_by_all.rule(evidence) is not None


def test_what_mostly_lies_on_one_node_is_not_spread(tmp_path: Path) -> None:
    """The thread that filled it was on another node for a quarter of the time."""
    builder = sampled()
    use_all(builder, array(builder, SERIAL, homes="uneven"), 0)
    evidence = read(builder, tmp_path)
    advice = shared_by_all.rule(evidence)
    assert advice is not None
    assert read_by_all.rule(evidence) is None
    assert "% of it on one node; it is used whole by 8 threads" in advice.finding
    assert "One node's memory serves most." in advice.finding


@pytest.mark.parametrize(
    ("samples", "said", "one"),
    [
        ([80, 80, 80, 80, 20, 20, 20, 20], ", 80.0 % of it on 4 of 8 nodes; it is used whole", False),
        ([120, 40, 40, 40, 40, 40, 40, 40], ", 30.0 % of it on 1 of 8 nodes; it is used whole", False),
        ([260, 20, 20, 20, 20, 20, 20, 20], ", 65.0 % of it on one node; it is used whole", True),
        ([400, 0, 0, 0, 0, 0, 0, 0], " on one node; it is used whole", True),
    ],
)
def test_no_node_serves_most_of_what_lies_on_several(samples: list[int], said: str, one: bool, tmp_path: Path) -> None:
    builder = sampled_on(8)
    use_all(builder, homed(builder, samples), 0)
    advice = shared_by_all.rule(read(builder, tmp_path))
    assert advice is not None
    assert said in advice.finding
    assert ("One node's memory serves" in advice.finding) is one
    assert ("if a node's memory is the limit" in advice.expects) is not one


def test_objects_on_one_node_each_are_not_on_one_node_together(tmp_path: Path) -> None:
    builder = sampled()
    use_all(builder, array(builder, SERIAL), 0)
    second = array(builder, [4] * 8, OTHER, ("/home/u/src/sum.c", 15, "main"))
    use_all(builder, second, 1, OTHER)
    advice = shared_by_all.rule(read(builder, tmp_path))
    assert advice is not None
    assert "on one node" not in advice.finding
    assert "Each of these is on some nodes more than on others." in advice.finding


def handed_out(builder: RecordingBuilder, block: int, kept: bool) -> None:
    """Threads use two thirds of an array each, from either end; kept: those of a node from the same end. The periods of
    some samples are fifty times those of others, so that the accesses tell as little as 20 samples."""
    stack, chance = builder.stack(builder.place(LOOP)), random.Random(2)
    for thread in range(8):
        high = thread // 4 if kept else thread % 2
        for number in range(24):
            page = (chance.randrange(PAGES * 2 // 3) if number else PAGES // 3) + high * PAGES // 3
            where = {"address": ARRAY + page * PAGE, "page_node": 0, "block": block}
            source = REMOTE if thread > 3 else LOCAL
            builder.sample(LOAD, thread + 1, stack, 101 if number else 5003, source=source, **where)


def test_work_that_is_handed_out_to_any_thread_is_spread(tmp_path: Path) -> None:
    builder = sampled()
    handed_out(builder, array(builder, SERIAL), kept=False)
    evidence = read(builder, tmp_path)
    (found, *_) = evidence.objects.found
    assert found.use_shape is Shape.OVERLAPPING and found.steady_samples < MIN_MIXED
    assert [advice.code[0] for advice in advise(evidence)] == ["numactl --interleave=all ./sum"]


def test_nodes_that_keep_to_their_end_are_not_all_users(tmp_path: Path) -> None:
    builder = sampled()
    handed_out(builder, array(builder, SERIAL), kept=True)
    assert shared_by_all.rule(read(builder, tmp_path)) is None


# Threads that are started anew for each pass


def waves(
    parts: list[list[int | None]], ended: bool = True, cpus: dict[int, list[int]] | None = None
) -> RecordingBuilder:
    """An array that thread 0 fills; in each pass new threads, each of which uses the part of its number here, or of
    None another array. They run on CPUs of their numbers, or on those of their pass."""
    builder = sampled(threads=1)
    block, stack = array(builder, SERIAL), builder.stack(builder.place(WORK))
    where = builder.stack(builder.place(("/home/u/src/sum.c", 9, "main")))
    other = builder.block(builder.object("heap", where), OTHER, PAGES)
    elsewhere = builder.stack(builder.place(("/home/u/src/sum.c", 40, "count")))
    thread = 1
    for turn, pass_parts in enumerate(parts):
        begin = RAN // 10 + turn * RAN // 10
        end = begin + RAN // 20 if ended else RAN
        for number, part in enumerate(pass_parts):
            thread, cpu = thread + 1, (cpus or {}).get(turn, list(range(8)))[number % 8]
            builder.threads(1, cpus=[cpu], start_ns=begin + number, end_ns=end)
            start = turn * PAGE + (OTHER if part is None else ARRAY + part * BLOCK * PAGE)
            columns = {"cpu": cpu, "source": REMOTE if cpu > 3 else LOCAL, "latency": 400 if cpu > 3 else 200}
            columns |= {"block": other if part is None else block}
            used = elsewhere if part is None else stack
            builder.loads(used, thread, range(start, start + 8 * PAGE, 4 * PAGE), 0, **columns)
    return builder


def part_nodes(builder: RecordingBuilder, folder: Path) -> str:
    """The nodes of parts in the code of the advice for the array that main fills."""
    advice = serial_init.rule(read(builder, folder))
    assert advice is not None
    found = re.search(r"part_node\[\] = \{(.*)\};", "\n".join(advice.code))
    assert found is not None
    return found[1]


def sharers(evidence: Evidence, working: Sequence[Thread]) -> list[int]:
    """Threads that have parts of the array, in one pass."""
    return [thread.row.id for thread in one_pass(evidence, working, evidence.objects.found[:1])]


def test_threads_of_each_pass_take_the_parts_of_those_before(tmp_path: Path) -> None:
    evidence = read(waves([list(range(8))] * 6), tmp_path)
    assert evidence.objects.found[0].use_shape is Shape.BLOCKS
    assert part_nodes(waves([list(range(8))] * 6), tmp_path) == "0, 1"


def test_parts_are_on_the_nodes_of_the_pass_that_uses_them(tmp_path: Path) -> None:
    """The threads of the first pass do something else, on other nodes than those that take their places."""
    builder = waves([[None] * 8, list(range(8))], cpus={0: [4, 5, 6, 7, 0, 1, 2, 3]})
    assert part_nodes(builder, tmp_path) == "0, 0, 0, 0, 1, 1, 1, 1"


def test_a_thread_of_another_role_in_each_pass_has_no_part(tmp_path: Path) -> None:
    """The first two of each pass use another array."""
    evidence = read(waves([[None, None, *range(6)]] * 6), tmp_path)
    assert sharers(evidence, evidence.workers[1:]) == [4, 5, 6, 7, 8, 9]


def test_a_thread_that_no_sample_of_any_pass_saw_has_its_part(tmp_path: Path) -> None:
    evidence = read(waves([list(range(8))] * 6), tmp_path)
    unseen = {each.row.id for each in evidence.threads[1:] if (each.row.id - 2) % 8 == 3}
    used = tuple(row for row in evidence.samples.used if row.thread not in unseen)
    evidence = replace(evidence, samples=replace(evidence.samples, used=used))
    seen = [each for each in evidence.threads[1:] if each.row.id not in unseen]
    assert sharers(evidence, seen) == [2, 3, 4, 5, 6, 7, 8, 9]


def test_threads_of_each_pass_that_take_other_parts(tmp_path: Path) -> None:
    parts = [[(number + 3 * turn) % 8 for number in range(8)] for turn in range(8)]
    evidence = read(waves(parts), tmp_path)
    assert evidence.stand_ins
    assert not evidence.objects.found[0].use_shape.divided
    assert not any("part_node" in line for advice in advise(evidence) for line in advice.code)


def test_threads_that_run_beside_each_other_are_no_waves(tmp_path: Path) -> None:
    assert not read(waves([list(range(8))] * 2, ended=False), tmp_path).stand_ins


def test_a_damaged_start_of_a_thread_ends_no_report(tmp_path: Path) -> None:
    assert not read(sampled().change("thread", start_ns=-1), tmp_path).stand_ins


# The owner moved


def test_owner_moved_by_addresses(tmp_path: Path) -> None:
    builder = sampled().change("thread", pin="none", planned_cpu=None, migrations=2)
    block = array(builder, [t // 2 for t in range(8)])  # threads 0 to 3 touch, on node 0 ...
    stack = builder.stack(builder.place(LOOP))
    for thread in range(4):  # ... and read on node 1
        start = ARRAY + thread * 2 * BLOCK * PAGE
        for address in range(start, start + 2 * BLOCK * PAGE, 16 * PAGE):
            columns = {"cpu": 4 + thread, "page_node": 0, "source": REMOTE, "block": block}
            builder.sample(LOAD, thread + 1, stack, 1009, address=address, **columns)
    evidence = read(builder, tmp_path)
    advice = owner_moved.rule(evidence)
    assert advice is not None
    assert "first touched 8 MiB on node 0, but uses it on node 1" in advice.finding
    assert advice.code == ("OMP_PROC_BIND=close OMP_PLACES=cores ./sum",)
    assert serial_init.rule(evidence) is None
    assert mismatched_init.rule(evidence) is None


def test_no_line_is_offered_against_a_move_of_the_program_itself(tmp_path: Path) -> None:
    builder = sampled().change("thread", pin="program", planned_cpu=None, migrations=2)
    block = array(builder, [t // 2 for t in range(8)])
    stack = builder.stack(builder.place(LOOP))
    for thread in range(4):
        start = ARRAY + thread * 2 * BLOCK * PAGE
        for address in range(start, start + 2 * BLOCK * PAGE, 16 * PAGE):
            columns = {"cpu": 4 + thread, "page_node": 0, "source": REMOTE, "block": block}
            builder.sample(LOAD, thread + 1, stack, 1009, address=address, **columns)
    advice = owner_moved.rule(read(builder, tmp_path))
    assert advice is not None
    assert "do that before the first touch, or not at all" in advice.change
    assert (advice.code, advice.remarked) == ((), ())


# Policies


def test_policy_that_binds(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, array(builder, PARALLEL, homes="0"), [0] * 8)
    (advice,) = only(builder, tmp_path, policy)
    assert "is on node 0: a memory policy" in advice.finding
    assert "numactl --show" in advice.change


def test_policy_of_the_command_itself(tmp_path: Path) -> None:
    builder = sampled().change("run", command='["/usr/bin/numactl", "--membind=0", "./sum"]')
    use_blocks(builder, array(builder, PARALLEL, homes="0"), [0] * 8)
    (advice,) = only(builder, tmp_path, policy)
    assert "the numactl in the command decides" in advice.finding
    assert advice.code == ()


@pytest.mark.parametrize(
    ("words", "spread"),
    [
        (["--interleave=all"], True),
        (["-i", "all"], True),
        (["--show", "./sum", "-i"], False),
        (["--membind=0,1"], False),
    ],
)
def test_numactl_that_spreads_is_not_advised_again(words: list[str], spread: bool, tmp_path: Path) -> None:
    """What grows has few pages whose first touch is known: the command tells."""
    builder = sampled().change("run", command=json.dumps(["/usr/bin/numactl", *words, "./sum"]))
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    assert policy.forces(read(builder, tmp_path)) is spread


@pytest.mark.parametrize("by_command", [True, False])
@pytest.mark.parametrize("touchers", [SERIAL, PARALLEL, PARALLEL[::-1]])
def test_memory_that_a_policy_spreads_though_threads_have_parts(
    touchers: list[int], by_command: bool, tmp_path: Path
) -> None:
    builder = sampled()
    if by_command:
        builder.change("run", command='["numactl", "-i", "all", "--physcpubind=0-7", "./sum", "-i"]')
    block = array(builder, touchers, homes="interleaved")
    for home in (0, 1):
        use_blocks(builder, block, [home] * 8)
    (advice,) = only(builder, tmp_path, policy)
    cause = "the numactl in the command" if by_command else "a memory policy"
    assert advice.cause == f"{cause} spreads all memory" and "each thread a block of its own" in advice.finding
    if touchers is not PARALLEL:  # others than the users
        assert advice.kind is Kind.FIX and not advice.code
        assert "Let the threads that use it write to it first" in advice.change
    else:
        assert advice.kind is Kind.SETTING
        assert advice.code == (("./sum -i",) if by_command else ())


@pytest.mark.parametrize("wrong", [1, 4])
def test_a_policy_that_places_most_parts_near_their_threads_does_not_spread(wrong: int, tmp_path: Path) -> None:
    """One thread touches first what mbind has placed. Of the parts one is on the wrong node, or each second one."""
    builder = sampled()
    block = array(builder, SERIAL, homes="interleaved")
    homes = [1 - node if thread % (8 // wrong) == 0 else node for thread, node in enumerate([0] * 4 + [1] * 4)]
    use_blocks(builder, block, homes)
    assert (policy.rule(read(builder, tmp_path)) is None) is (wrong == 1)


def test_cpuset_that_binds(tmp_path: Path) -> None:
    builder = sampled().change("run", allowed_nodes="0")
    use_blocks(builder, array(builder, PARALLEL, homes="0"), [0] * 8)
    (advice,) = only(builder, tmp_path, policy)
    assert "the cpuset of this run allows memory of node 0 only" in advice.finding


def test_full_node(tmp_path: Path) -> None:
    builder = sampled().change("node", where="id = 1", free_bytes=1 << 20)
    use_blocks(builder, array(builder, PARALLEL, homes="0"), [0] * 8)
    (advice,) = only(builder, tmp_path, policy)
    assert "node 1 had too little free memory" in advice.finding


def test_first_touch_by_one_thread_is_no_policy(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    assert policy.rule(read(builder, tmp_path)) is None


def test_pages_that_balancing_moved_are_no_policy(tmp_path: Path) -> None:
    builder = sampled().change("run", balancing=1, balancing_moved_pages=PAGES)
    use_blocks(builder, array(builder, PARALLEL, homes="0"), [0] * 8)
    evidence = read(builder, tmp_path)
    assert policy.rule(evidence) is None
    assert disturbed.rule(evidence) is not None


# Recycled memory


def recycle(builder: RecordingBuilder, pages: int = PAGES) -> int:
    """Touched in read_input, freed, allocated again."""
    old = builder.object("heap", builder.stack(builder.place(("/home/u/src/sum.c", 8, "read_input"))))
    first = builder.block(old, ARRAY, PAGES, end_ns=RAN // 2)
    builder.touch(
        builder.stack(builder.place(("/home/u/src/sum.c", 9, "read_input"))), 1, ARRAY, pages, page_node=0, block=first
    )
    return builder.block(builder.object("heap", builder.stack(builder.place(ALLOC))), ARRAY, PAGES, start_ns=RAN // 2)


def test_recycled_names_who_touched_first(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, recycle(builder), [0] * 8)
    (advice,) = only(builder, tmp_path, recycled)
    assert "the memory allocated at sum.c:14 main gets memory that was used before" in advice.finding
    assert "sum.c:9 read_input first touched it, 32 MiB, from thread 0 (sum 4711)" in advice.finding
    assert advice.code == ("MALLOC_MMAP_THRESHOLD_=1000000 ./sum",)
    assert advice.removes == pytest.approx(1.0)


def test_many_small_blocks_that_are_recycled(tmp_path: Path) -> None:
    """More than are looked at; glibc has to map each, so that the threshold is below their size."""
    builder, count = sampled(), 64
    old, new = (
        builder.object("heap", builder.stack(builder.place(("/home/u/src/sum.c", line, "main")))) for line in (8, 14)
    )
    stack, use = builder.stack(builder.place(INIT)), builder.stack(builder.place(LOOP))
    pages = PAGES // count
    for part in range(count):
        start = ARRAY + part * pages * PAGE
        first = builder.block(old, start, pages, end_ns=RAN // 2)
        builder.touch(stack, 1, start, pages, page_node=0, block=first)
        block = builder.block(new, start, pages, start_ns=RAN // 2)
        builder.loads(use, part // 8 + 1, range(start, start + pages * PAGE, 16 * PAGE), 0, block=block)
    (advice,) = only(builder, tmp_path, recycled)
    assert "first touched it, 32 MiB, from thread 0" in advice.finding
    assert advice.code == (f"MALLOC_MMAP_THRESHOLD_={pages * PAGE} ./sum",)


def test_recycled_from_faults_alone(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    recycle(builder)
    (advice,) = only(builder, tmp_path, recycled)
    assert "who uses it is not known here" in advice.evidence


def test_memory_that_is_partly_fresh_is_not_recycled(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    recycle(builder, PAGES // 4)
    assert recycled.rule(read(builder, tmp_path)) is None


# Huge pages


def halves(builder: RecordingBuilder, pages_a_fault: int) -> None:
    """Of each 2 MiB the left half is for a thread of node 0, which brings it all in, the right one for node 1."""
    block = builder.block(builder.object("heap", builder.stack(builder.place(ALLOC))), ARRAY, PAGES)
    stack, loop = init_stack(builder), builder.stack(builder.place(LOOP))
    for region in range(PAGES // 512):
        left, right = 1 + region % 4, 5 + region % 4
        start = ARRAY + region * 512 * PAGE
        for page in range(0, 512, pages_a_fault):
            toucher = left if pages_a_fault == 512 or page < 256 else right
            where = {"address": start + page * PAGE, "page_node": 0 if toucher == left else 1}
            builder.sample(FIRST_TOUCH, toucher, stack, pages_a_fault, block=block, **where)
    for region in range(PAGES // 512):
        left, right = 1 + region % 4, 5 + region % 4
        start = ARRAY + region * 512 * PAGE
        home = 0 if pages_a_fault == 512 else 1
        for _ in range(3):
            builder.loads(loop, left, range(start, start + 256 * PAGE, 32 * PAGE), 0, block=block)
            builder.loads(loop, right, range(start + 256 * PAGE, start + 512 * PAGE, 32 * PAGE), home, block=block)


def test_huge_pages_that_span_blocks(tmp_path: Path) -> None:
    builder = sampled()
    halves(builder, 512)
    (advice,) = only(builder, tmp_path, huge_page)
    assert "its huge pages span blocks of threads on several nodes" in advice.finding
    assert any("MADV_NOHUGEPAGE" in line for line in advice.code)


def few_uses(builder: RecordingBuilder, own_halves: bool) -> None:
    """Twelve stretches of 2 MiB came as huge pages, on both nodes by turns. In two places of each are five accesses.

    own_halves: left ones by a thread of node 0, right ones by one of node 1; else each place by both.
    """
    block = builder.block(builder.object("heap", builder.stack(builder.place(ALLOC))), ARRAY, 12 * 512)
    stack, loop = init_stack(builder), builder.stack(builder.place(LOOP))
    rows = [(ARRAY + row * 512 * PAGE, (1 + row % 4, 5 + row % 4), row % 2) for row in range(12)]
    for start, users, home in rows:
        builder.sample(FIRST_TOUCH, users[home], stack, 512, block=block, address=start, page_node=home)
    for start, users, home in rows:
        for half, step in itertools.product(range(2), range(5)):
            user = users[half if own_halves else (half + step) % 2]
            builder.loads(loop, user, [start + (100 + 300 * half + step) * PAGE], home, block=block)


@pytest.mark.parametrize("own_halves", [True, False])
def test_few_samples_that_mix_by_huge_page_do_not_refute_parts(own_halves: bool, tmp_path: Path) -> None:
    builder = sampled()
    few_uses(builder, own_halves)
    evidence = read(builder, tmp_path)
    (found,) = evidence.objects.found
    assert found.use_shape is Shape.UNKNOWN
    assert found.nodes_apart is own_halves
    (advice,) = advise(evidence)
    if own_halves:
        assert "its huge pages span blocks of threads on several nodes" in advice.finding
    else:
        assert "no thread has a part of its own" in advice.change


def test_small_pages_have_no_such_trouble(tmp_path: Path) -> None:
    builder = sampled()
    halves(builder, 64)
    only(builder, tmp_path)


# Files


def test_pages_of_a_file_are_not_the_programs_to_place(tmp_path: Path) -> None:
    builder = sampled()
    block = builder.block(builder.object("file", name="/data/input.bin"), ARRAY, PAGES)
    use_blocks(builder, block, [0] * 8)
    (advice,) = only(builder, tmp_path, file_pages)
    assert advice.kind is Kind.SETTING
    assert "The mapped file input.bin is in the page cache of other nodes" in advice.finding
    assert advice.cause is not None and "the page cache placed it" in advice.cause


def file_faults(homes: Iterable[int], name: str = "/data/input.bin") -> RecordingBuilder:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    block = builder.block(builder.object("file", name=name), ARRAY, PAGES)
    for thread, home in enumerate(homes):
        for page in range(0, BLOCK, 16):
            where = ARRAY + (thread * BLOCK + page) * PAGE
            builder.sample(
                15, thread + 1, builder.stack(builder.place(LOOP)), 16, address=where, page_node=home, block=block
            )
    return builder


def test_pages_of_a_file_by_faults_alone(tmp_path: Path) -> None:
    (advice,) = only(file_faults([0] * 8), tmp_path, file_pages)
    assert "16 MiB of mapped files (input.bin)" in advice.finding
    only(file_faults([0] * 4 + [1] * 4), tmp_path)
    only(file_faults([0] * 8, "/memfd:numaprof-blocks (deleted)"), tmp_path)  # numaprof's own


# Caches


@pytest.mark.parametrize(
    ("dirty", "near", "fires"),
    [
        (150, 0, True),
        (20, 0, False),
        (150, 1000, True),
        (150, 2000, False),  # of all loads few: more or fewer samples of them change nothing
    ],
)
def test_dirty_lines(dirty: int, near: int, fires: bool, tmp_path: Path) -> None:
    builder = sampled()
    block = builder.block(builder.object("static", name="counts"), ARRAY, 1)
    stack = builder.stack(builder.place(LOOP))
    builder.sample(LOAD, 1, stack, 1009 * near, address=ARRAY, source=LOCAL, page_node=0, block=block)
    for number in range(200):
        source = REMOTE_DIRTY if number < dirty else REMOTE
        builder.sample(
            LOAD, 1 + number % 8, stack, 1009, address=ARRAY + number, source=source, page_node=0, block=block
        )
    advice = dirty_lines.rule(read(builder, tmp_path))
    assert (advice is not None) is fires
    if advice is not None:
        assert "most of `counts`" in advice.finding
        assert "perf c2c record ./sum" in advice.code[0]
        assert not advice.can_be_tried


# Borders


def with_borders(foreign: int, touchers: list[int] = PARALLEL, apart: int = 1) -> RecordingBuilder:
    """A block for each thread on its node; of every hundred accesses so many go to the first pages of the other node's
    block beside it, or so many pages apart."""
    builder = sampled()
    block, stack = array(builder, touchers), builder.stack(builder.place(LOOP))
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        own = [start + n * BLOCK // 100 * PAGE for n in range(100 - foreign)]
        builder.loads(stack, thread + 1, own, thread // 4, block=block)
        beside = ARRAY + (4 * BLOCK if thread < 4 else 4 * BLOCK - 64) * PAGE
        away = [n * apart + thread % 4 * (apart // 5) for n in range(foreign)]
        far = [beside + (pages if thread < 4 else -pages) * PAGE for pages in away]
        builder.loads(stack, thread + 1, far, 1 - thread // 4, block=block)
    return builder.change("sample", where=f"kind = {FIRST_TOUCH}", weight=32)  # no huge pages


def test_borders_of_blocks_are_left_alone(tmp_path: Path) -> None:
    (advice,) = only(with_borders(7), tmp_path, borders)
    assert advice.kind is Kind.LEAVE
    assert "16 MiB allocated at sum.c:14 main is on the nodes that use it: 93.0 % of what 8 threads" in advice.finding
    assert "only the borders between the blocks of two nodes" in advice.change


def test_what_is_remote_all_over_the_blocks_is_no_border(tmp_path: Path) -> None:
    (advice,) = only(with_borders(7, apart=BLOCK // 2), tmp_path, borders)
    assert "border" not in advice.change and "all over the blocks" in advice.change


def test_what_is_more_than_a_border_is_none(tmp_path: Path) -> None:
    assert borders.rule(read(with_borders(20), tmp_path)) is None
    assert borders.rule(read(with_borders(7, SERIAL), tmp_path)) is None


# One controller


def lopsided(builder: RecordingBuilder, second: int) -> RecordingBuilder:
    return builder.counters("demand_rd", [100_000] * 4 + [second] * 4, [0] * 8)


def test_one_controller_serves_nearly_all(tmp_path: Path) -> None:
    (advice,) = only(lopsided(levels(RecordingBuilder()).threads(8), 100), tmp_path, one_controller)
    assert "node 0's memory answers 99.9 % of all requests (node 1 0.1 %)" in advice.finding
    assert "They do not tell whether the controller is saturated" in advice.evidence


def test_a_main_thread_that_began_elsewhere_does_not_hide_it(tmp_path: Path) -> None:
    """It is pinned with its first thread: a third of the requests is of a thread that ran on both nodes."""
    builder = levels(RecordingBuilder())
    main = builder.thread(name="sum", tid=4711, pin="planned", planned_cpu=0)
    for cpu in range(1, 8):
        builder.thread(name="sum", tid=4711 + cpu, pin="planned", planned_cpu=cpu)
    clock = builder.event("time", "")
    events = [builder.event("demand_rd", side) for side in ("local_dram", "remote_dram")]
    for cpu, thread, local in ((0, main, 100_000), (6, main, 500), *((cpu, cpu + 1, 100_000) for cpu in range(1, 3))):
        builder.count(clock, thread, RAN, cpu=cpu)
        for event, value in zip(events, (local, 0)):
            builder.count(event, thread, value, cpu=cpu)
    (advice,) = only(builder, tmp_path, one_controller)
    assert "node 0's memory answers 99.8 % of all requests" in advice.finding


def test_even_work_has_no_bottleneck(tmp_path: Path) -> None:
    only(lopsided(levels(RecordingBuilder()).threads(8), 90_000), tmp_path)


def test_code_for_memory_that_was_not_read_is_c() -> None:
    text = unplaced(interleaved, [Site("main", "sum.c", 7)], [Site("main", "sum.c", 9)])
    assert text[0].startswith("// after the allocation at sum.c:7, add")
    assert unplaced(interleaved, [], [Site("main", "sum.c", 9)])[0].startswith("// before sum.c:9, add")
    assert not unplaced(interleaved, [], [Site("main", "sum.f90", 9)])
    (at_once, *_) = unplaced(interleaved, [Site("main", "sum.c", 7)], [Site("main", "sum.c", 7)])  # by a macro
    assert at_once.startswith("// after the allocation and before the first write, both at sum.c:7, add")
