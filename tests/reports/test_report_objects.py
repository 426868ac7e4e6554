# SPDX-License-Identifier: Apache-2.0
"""Objects: samples find theirs, parts that nobody can tell apart are one, and what is not known is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from numaprof.analysis.naming import objects_in_text
from numaprof.document.object_remarks import remarks, touch_coverage
from numaprof.evidence.objects import UNNAMED, Object
from numaprof.placement.decide import scored
from numaprof.placement.explain import ALL, advise, use_in_words
from reading import printed, read
from recording_builder import (
    FAULT,
    FIRST_TOUCH,
    HINT,
    LOAD,
    LOCAL,
    OVERFLOW,
    OWN_CACHE,
    PAGE,
    RAN,
    STORE,
    Line,
    RecordingBuilder,
)
from scenarios import ARRAY, BLOCK, INIT, LOOP, PAGES, SCENARIOS, init_stack, levels

ALLOC: Line = ("/home/u/src/sum.c", 14, "main")


def with_array(builder: RecordingBuilder) -> int:
    """The array as an object of the recording, allocated in main; all samples so far are its."""
    malloc = builder.place(("", 0, "malloc"), module="/usr/lib/x86_64-linux-gnu/libc.so.6", file=None, line=None)
    block = builder.block(builder.object("heap", builder.stack(malloc, builder.place(ALLOC))), ARRAY, PAGES)
    builder.change("sample", where="address IS NOT NULL", block=block)
    return block


BLOCKS = "each thread a block of its own"


def words(builder: RecordingBuilder, folder: Path) -> str:
    """How the threads share the one object."""
    (row,) = scored(read(builder, folder))
    return use_in_words(row)


def objects(builder: RecordingBuilder, folder: Path) -> tuple[Object, ...]:
    return read(builder, folder).objects.found


def test_heap_object(tmp_path: Path) -> None:
    builder = SCENARIOS["hinted"]()
    with_array(builder)
    (found,) = objects(builder, tmp_path)
    assert (found.kind, found.name, found.blocks, found.bytes) == ("heap", None, 1, PAGES * PAGE)
    assert found.allocated is not None
    assert found.allocated.label == "sum.c:14 main"
    assert found.site is not None
    assert found.site.label == "sum.c:17 main"
    assert found.pages == PAGES
    assert found.pages_by_home == {0: PAGES}
    assert found.remote / found.known == pytest.approx(0.5)
    assert {row.thread for row in found.later} == set(range(1, 9))


def test_a_parallel_region_is_no_wrapper(tmp_path: Path) -> None:
    """Thread 0 comes to its line from the line of the region, the others from the runtime."""
    builder = levels(RecordingBuilder()).threads(8)
    region = builder.place(LOOP)
    for number, stack in enumerate((builder.stack(region), builder.stack(region, builder.place(INIT)))):
        address = ARRAY + number * PAGES * PAGE
        block = builder.block(builder.object("heap", stack), address, PAGES)
        builder.touch(builder.stack(region), 5 - 4 * number, address, PAGES, page_node=1 - number, block=block)
    (found,) = objects(builder, tmp_path)
    assert found.blocks == 2 and not found.is_wrapped


def test_memory_without_a_name_goes_by_its_line(tmp_path: Path) -> None:
    builder = SCENARIOS["hinted"]()
    (found,) = objects(builder, tmp_path)
    assert (found.kind, found.allocated, found.blocks) == (UNNAMED, None, None)
    assert found.site is not None
    assert found.site.label == "sum.c:17 main"
    assert words(builder, tmp_path) == BLOCKS


def test_shared_by_all(tmp_path: Path) -> None:
    builder = SCENARIOS["hinted_by_all"]()
    with_array(builder)
    (_,) = objects(builder, tmp_path)
    assert words(builder, tmp_path) == ALL


def test_one_user_among_few_samples_is_not_called_the_only_one(tmp_path: Path) -> None:
    """Of eight threads that read it, a sample or two met one."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0)
    with_array(builder)
    builder.loads(builder.stack(builder.place(LOOP)), 3, range(ARRAY, ARRAY + 3 * PAGE, PAGE), 0, source=LOCAL)
    text = printed(builder, tmp_path)
    assert "too few samples to tell by which threads" in " ".join(text.split())
    assert "alone" not in text


def test_who_uses_what_another_touched_is_not_the_only_user(tmp_path: Path) -> None:
    """Each thread uses its own part; a sample or two met one at another's part."""
    builder = levels(RecordingBuilder()).threads(8)
    stack = builder.stack(builder.place(LOOP))
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        builder.touch(init_stack(builder), thread + 1, start, BLOCK, page_node=thread // 4)
        builder.loads(stack, thread + 1, range(start, start + 2 * PAGE, PAGE), thread // 4, source=LOCAL)
    with_array(builder)
    builder.loads(stack, 3, [ARRAY], 0, source=LOCAL)
    text = printed(builder, tmp_path)
    assert "too few samples to tell by which threads" in " ".join(text.split())
    assert "alone" not in text


def test_of_several_users_one_may_make_nearly_all_of_the_uses(tmp_path: Path) -> None:
    asked = [9_000_000, 0, 0, 0, 470_000, 0, 0, 0]
    builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", asked, [0] * 8)
    stack = builder.stack(builder.place(LOOP))
    for thread, pages in ((1, 290), (5, 15)):
        builder.loads(stack, thread, range(ARRAY, ARRAY + 16 * pages * PAGE, 16 * PAGE), 0)
    with_array(builder)
    evidence = read(builder, tmp_path)
    used = next(
        text
        for text in remarks(evidence, evidence.objects.found[0], next(iter(scored(evidence)), None))
        if text.startswith("used at")
    )
    assert used.endswith("by 2 threads on nodes 0-1: nearly all by one of them")


@pytest.mark.parametrize(("every", "told"), [(80, "by at least 7 threads"), (8, "by 7 threads")])
def test_users_among_few_samples_are_not_called_all(every: int, told: str, tmp_path: Path) -> None:
    """Eight threads work; so few samples may have missed one."""
    builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", [9_000_000] * 8, [0] * 8)
    stack = builder.stack(builder.place(LOOP))
    for thread in range(7):
        start = ARRAY + thread * BLOCK * PAGE
        builder.loads(stack, thread + 1, range(start, start + BLOCK * PAGE, every * PAGE), thread // 4)
    with_array(builder)
    evidence = read(builder, tmp_path)
    used = next(
        text
        for text in remarks(evidence, evidence.objects.found[0], next(iter(scored(evidence)), None))
        if text.startswith("used at")
    )
    assert f"{told} on nodes 0-1" in used


def test_variables_are_named(tmp_path: Path) -> None:
    builder = SCENARIOS["hinted"]()
    builder.change(
        "sample", where="address IS NOT NULL", block=builder.block(builder.object("static", name="table"), ARRAY, PAGES)
    )
    (found,) = objects(builder, tmp_path)
    assert (found.kind, found.name) == ("static", "table")


def test_two_arrays_of_one_line_are_told_apart(tmp_path: Path) -> None:
    """One loop touches both; they are allocated at two lines."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    for number in range(2):
        stack = builder.stack(builder.place(("/home/u/src/sum.c", 14 + number, "main")))
        block = builder.block(builder.object("heap", stack), ARRAY + (number << 32), PAGES)
        builder.touch(init_stack(builder), 1, ARRAY + (number << 32), PAGES // (number + 1), page_node=0, block=block)
    found = objects(builder, tmp_path)
    assert [each.allocated.line for each in found if each.allocated] == [14, 15]
    assert [each.pages for each in found] == [PAGES, PAGES // 2]


def test_wrapper_of_malloc_is_told_apart_by_its_caller(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    wrapper = builder.place(("/home/u/src/util.c", 5, "xmalloc"))
    for number, line in enumerate((30, 40)):
        stack = builder.stack(wrapper, builder.place(("/home/u/src/sum.c", line, "setup")))
        block = builder.block(builder.object("heap", stack), ARRAY + (number << 32), PAGES)
        builder.touch(init_stack(builder), 1, ARRAY + (number << 32), PAGES, page_node=0, block=block)
    found = objects(builder, tmp_path)
    assert {(str(each.allocated and each.allocated.line), each.caller and each.caller.line) for each in found} == {
        ("5", 30),
        ("5", 40),
    }


def test_instances_and_the_most_that_lived_at_once(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    object = builder.object("heap", builder.stack(builder.place(ALLOC)))
    for number in range(4):  # the first two overlap, the others come one after the other
        start, end = (0, 500) if number < 2 else (1000 * number, 1000 * (number + 1))
        builder.block(object, ARRAY + (number << 32), PAGES, start_ns=start, end_ns=end)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, block=1)
    (found,) = objects(builder, tmp_path)
    assert (found.blocks, found.bytes) == (4, 2 * PAGES * PAGE)


def test_processes_with_one_call_path_share_an_object(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    builder.add("process", pid=4800, start_ns=0, followed="preload")
    for process in (1, 2):
        object = builder.object("heap", builder.stack(builder.place(ALLOC)))
        builder.change("object", where=f"id = {object}", process=process)
        block = builder.block(object, ARRAY, PAGES)
        builder.touch(init_stack(builder), process, ARRAY, PAGES, page_node=0, block=block)
    (found,) = objects(builder, tmp_path)
    assert (found.blocks, found.pages) == (2, 2 * PAGES)


def test_absurd_sizes_are_survived(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    object = builder.object("heap", builder.stack(builder.place(ALLOC)))
    for number in range(3):
        builder.block(object, ARRAY, 1, bytes=2**63 - 1, start_ns=number)
    builder.block(object, -(2**63), 1, bytes=-5)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, block=1)
    (found,) = objects(builder, tmp_path)
    assert found.pages == PAGES


def test_recycled_memory_knows_who_touched_it(tmp_path: Path) -> None:
    """Its pages were touched when they belonged to a block that was freed since."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    old = builder.object("heap", builder.stack(builder.place(("/home/u/src/sum.c", 8, "read_input"))))
    builder.block(old, ARRAY, PAGES, end_ns=RAN // 2)
    builder.touch(
        builder.stack(builder.place(("/home/u/src/sum.c", 9, "read_input"))), 1, ARRAY, PAGES, page_node=0, block=1
    )
    builder.block(builder.object("heap", builder.stack(builder.place(ALLOC))), ARRAY, PAGES, start_ns=RAN // 2)
    first, second = objects(builder, tmp_path)
    assert first.before == ()
    assert second.pages == 0
    assert [(each.site.label, each.thread, each.pages) for each in second.before] == [("sum.c:9 read_input", 1, PAGES)]


def test_a_page_is_first_touched_once(tmp_path: Path) -> None:
    """By a first touch or a copy on write; a page that comes back is a number of its own."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    stack = builder.stack(builder.place(INIT))
    for page, kind in enumerate((FIRST_TOUCH, 12, 13, 11, 15, 19)):
        builder.sample(kind, 1, stack, address=ARRAY + page * PAGE, page_node=0)
    evidence = read(builder, tmp_path)
    (found,) = evidence.init_sites
    assert found.pages == 2
    assert any("4 KiB that came back after MADV_DONTNEED" in line for line in touch_coverage(evidence))


def test_reads_and_writes(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]()
    stack = builder.stack(builder.place(LOOP))
    builder.loads(stack, 5, range(ARRAY, ARRAY + 100 * PAGE, PAGE), 0)
    builder.sample(STORE, 5, stack, 1009, address=ARRAY, source=OWN_CACHE)
    (found,) = objects(builder, tmp_path)
    assert found.loads == 100 * 1009
    assert found.stores == 1009
    assert found.remote == 100 * 1009


def test_phases(tmp_path: Path) -> None:
    """The first thread writes all of it while it initialises; later it has its block, as the others."""
    builder = levels(RecordingBuilder()).threads(8)
    stack = builder.stack(builder.place(LOOP))
    for page in range(0, PAGES, 64):
        builder.sample(FIRST_TOUCH, 1, stack, 64, address=ARRAY + page * PAGE, page_node=0)
        builder.loads(stack, 1, [ARRAY + page * PAGE] * 4, 0)
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        builder.loads(stack, thread + 1, range(start, start + BLOCK * PAGE, 16 * PAGE), 0)
    with_array(builder)
    (found,) = objects(builder, tmp_path)
    assert words(builder, tmp_path) == BLOCKS
    assert sum(row.samples for row in found.later) == pytest.approx(
        8 * 64, abs=0.02 * 4 * PAGES // 64 + 4
    )  # the last 2 %


def test_forked_processes_share_their_parents_blocks(tmp_path: Path) -> None:
    """Each in a process of its own, and all use all of it: not a block for each."""
    builder = SCENARIOS["hinted_by_all"]()
    with_array(builder)
    for thread in range(2, 9):
        process = builder.add("process", pid=4800 + thread, parent=1, start_ns=0, followed="preload")
        builder.change("thread", where=f"id = {thread}", process=process)
    (_,) = objects(builder, tmp_path)
    assert words(builder, tmp_path) == ALL


def test_threads_out_of_step(tmp_path: Path) -> None:
    """Each fills and uses a block of its own, one thread after the other: the first ones' use is no initialisation."""
    builder = levels(RecordingBuilder()).threads(4)
    object, stack = builder.object("heap", builder.stack(builder.place(ALLOC))), builder.stack(builder.place(LOOP))
    for thread in range(4):
        start = ARRAY + (thread << 32)
        block = builder.block(object, start, PAGES)
        builder.touch(init_stack(builder), thread + 1, start, PAGES, page_node=0, block=block)
        builder.loads(stack, thread + 1, range(start, start + PAGES * PAGE, 128 * PAGE), 0, block=block)
    (found,) = objects(builder, tmp_path)
    assert {row.thread for row in found.later} == {1, 2, 3, 4}
    assert words(builder, tmp_path) == BLOCKS


def test_share_of_samples_in_objects(tmp_path: Path) -> None:
    builder = SCENARIOS["hinted"]()
    with_array(builder)
    builder.hints(builder.stack(builder.place(LOOP)), 3, range(PAGE, 65 * PAGE, PAGE), 1)  # of nothing that is known
    attributed = {row.kind: (row.named, row.by_line, row.total) for row in read(builder, tmp_path).objects.attributed}
    assert attributed == {FIRST_TOUCH: (PAGES, 0, PAGES), HINT: (256, 0, 320)}


def test_homes_do_not_come_from_numa_maps_addresses(tmp_path: Path) -> None:
    """numa_maps tells how many pages of a mapping are where: an address in it has no home by that."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES).homes((ARRAY, PAGES // 2, 0), (ARRAY + PAGE, PAGES // 2, 1))
    builder.change("snapshot", method="numa_maps")
    evidence = read(builder, tmp_path)
    assert evidence.objects.found[0].pages_by_home == {None: PAGES}
    assert evidence.samples.homed_pages == {0: PAGES // 2, 1: PAGES // 2}


def test_cache_hits_are_uses_but_not_memory_traffic(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]()
    for page in range(100):
        builder.sample(
            LOAD, 5, builder.stack(builder.place(LOOP)), 1, address=ARRAY + page * PAGE, source=OWN_CACHE, latency=30
        )
    (found,) = objects(builder, tmp_path)
    assert (found.known, found.loads) == (0, 100)


# What the page says of them


def test_modules_that_read_remotely(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]()
    kernel = builder.stack(builder.place(("", 0, "copy_to_user"), module="[kernel]", file=None, line=None))
    for _ in range(40):
        builder.sample(OVERFLOW, 5, kernel, 3271, event=4)
    assert "REMOTE READS BY  sum 80.0 % · [kernel] 20.0 % (200 overflow samples; kernel not" in printed(
        builder, tmp_path
    )
    builder.change("event", exclude_kernel=0)
    assert "kernel not counted" not in printed(builder, tmp_path)


def test_coverage_stands_beside_the_sizes(tmp_path: Path) -> None:
    builder = SCENARIOS["faults_only"]().note("faults", "many", value=2 * PAGES)
    shown = " ".join(printed(builder, tmp_path).split())
    assert "first touches: from 50.0 % of the page faults, the others were lost" in shown
    assert "100.0 % of all memory touched (from 50.0 % of the page faults)" in shown
    assert "of the page faults, the others" not in printed(SCENARIOS["faults_only"](), tmp_path)


def test_faults_of_unknown_kind_are_no_ones(tmp_path: Path) -> None:
    """Thread 0's first touches were seen, those of the others were not told from other faults: nobody is the one."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    block = builder.block(builder.object("heap", builder.stack(builder.place(ALLOC))), ARRAY, PAGES)
    for thread in range(8):
        for page in range(0, BLOCK, 64):
            where = ARRAY + (thread * BLOCK + page) * PAGE
            kind = FIRST_TOUCH if thread == 0 else FAULT
            builder.sample(kind, thread + 1, init_stack(builder), 64, address=where, block=block)
    evidence = read(builder, tmp_path)
    assert evidence.objects.found[0].main_share == pytest.approx(1 / 8)
    assert advise(evidence) == []
    assert "not counted as first touches: 28 MiB of page faults of unknown kind" in printed(builder, tmp_path)


@pytest.mark.parametrize(("times", "was_there", "pages"), [(1, False, PAGES), (2, False, 0), (1, True, 0)])
def test_the_only_thread_with_page_faults_touches_first(
    times: int, was_there: bool, pages: int, tmp_path: Path
) -> None:
    """Of whatever kind they are; not if pages must have come back, nor if the memory is older than the recording."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    object = builder.object("heap", builder.stack(builder.place(ALLOC)))
    block = builder.block(object, ARRAY, PAGES)
    for page in range(0, PAGES, 64):
        where = ARRAY + page * PAGE
        for _ in range(times):
            builder.sample(FAULT, 1, init_stack(builder), 64, address=where, page_node=0, block=block)
    if was_there:
        builder.row("placed_before", object=object)
    evidence = read(builder, tmp_path)
    (found,) = evidence.objects.found
    assert (found.pages, found.pages_at_most) == (pages, pages or times * PAGES)
    assert evidence.touched_pages == pages
    assert [row.kind for row in evidence.samples.kinds] == [FIRST_TOUCH if pages else FAULT]


def test_a_block_has_no_more_memory_than_its_size(tmp_path: Path) -> None:
    """Its threads read half of its pages, of calloc, before they write to them: two page faults each."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    block = builder.block(builder.object("heap", builder.stack(builder.place(ALLOC))), ARRAY, PAGES)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0, block=block)
    for page in range(0, PAGES // 2, 64):
        builder.sample(FAULT, 5, init_stack(builder), 64, address=ARRAY + page * PAGE, block=block)
    evidence = read(builder, tmp_path)
    found = evidence.objects.found[0]
    assert evidence.bytes(found.pages_at_most) > (found.bytes or 0)
    assert objects_in_text(evidence, [found]).startswith("32 MiB allocated at")


def test_our_own_memory_is_not_the_programs(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    block = builder.block(builder.object("static", name="/usr/lib/libnumaprof-preload.so"), ARRAY, PAGES)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0, block=block)
    assert advise(read(builder, tmp_path)) == []
    assert "OBJECT" not in printed(builder, tmp_path)


def test_the_statement_that_allocates_is_shown_while_it_is_the_same(tmp_path: Path) -> None:
    source = tmp_path / "sum.c"
    source.write_text("int main(void)\n{\n    double *a = malloc(bytes);\n}\n")
    builder = SCENARIOS["named_objects"]().change("place", "line = 14", file=str(source), line=3)
    os.utime(source, (0, 0))
    assert "allocated by: double *a = malloc(bytes);" in printed(builder, tmp_path)
    os.utime(source)  # written after the recording began: the text may be another one
    assert "allocated by" not in printed(builder, tmp_path)


def test_a_block_that_realloc_leaves_in_its_place_is_one(tmp_path: Path) -> None:
    """The end of what it was is told after the start of what it becomes."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    object = builder.object("heap", builder.stack(builder.place(INIT)))
    builder.block(object, ARRAY, PAGES // 2, start_ns=10, end_ns=30)
    block = builder.block(object, ARRAY, PAGES, start_ns=20)
    builder.touch(builder.stack(builder.place(INIT)), 1, ARRAY, PAGES, page_node=0, block=block)
    (found,) = (found for found in read(builder, tmp_path).objects.found if found.kind == "heap")
    assert found.bytes == PAGES * PAGE


def test_objects_with_and_without_names_are_both_told(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    stack = builder.stack(builder.place(INIT))
    heap = builder.block(builder.object("heap", builder.stack(builder.place(ALLOC))), ARRAY, PAGES)
    module = builder.block(builder.object("static", name="__grids_MOD_field"), ARRAY + (1 << 32), PAGES)
    for block, at in ((heap, ARRAY), (module, ARRAY + (1 << 32))):
        builder.touch(stack, 1, at, PAGES, page_node=0, block=block)
    (advice,) = advise(read(builder, tmp_path))
    assert "`field` and what is allocated at sum.c:14 (64 MiB)" in advice.finding


def test_first_touches_of_a_part_do_not_place_the_whole(tmp_path: Path) -> None:
    """Threads raced for most of its huge pages: only the page fault of the first one is known."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES // 4, page_node=0)
    stack = builder.stack(builder.place(LOOP))
    for thread in range(8):
        start, node = ARRAY + thread * BLOCK * PAGE, 0 if thread < 6 else 1
        builder.loads(stack, thread + 1, range(start, start + BLOCK * PAGE, BLOCK * PAGE // 16), node)
    with_array(builder)
    assert "node 0 75 %, node 1 25 %" in printed(builder, tmp_path)


def test_one_touched_page_does_not_speak_for_what_the_kernel_filled(tmp_path: Path) -> None:
    """mlock() and read() fill the rest, on another node: no touch of the program's."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, 1, page_node=0)
    stack = builder.stack(builder.place(LOOP))
    builder.loads(stack, 1, range(ARRAY + PAGE, ARRAY + PAGES * PAGE, 16 * PAGE), 1)
    with_array(builder)
    (found,) = objects(builder, tmp_path)
    assert list(found.homes) == [1] and found.known_homes == {0: 1}
