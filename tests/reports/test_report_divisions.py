# SPDX-License-Identifier: Apache-2.0
"""Advice for memory of which each object, or each block, is divided in its own way."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from numaprof.analysis.placement import parts_order
from numaprof.evidence.access_patterns import Shape
from numaprof.rules.change_program import mismatched_init, serial_init, shared_by_all
from numaprof.rules.leave_alone import serial_phase
from reading import read
from recording_builder import FIRST_TOUCH, PAGE, Line, RecordingBuilder
from scenarios import ARRAY, BLOCK, INIT, LOOP, PAGES, init_stack
from test_report_object_rules import OTHER, SERIAL, WORK, array, only, sampled, use_blocks


def text_of(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """The program's text, whatever file is asked for."""
    monkeypatch.setattr("numaprof.fixes.find.whole", lambda *_: list(lines))


def made_by_turns(
    builder: RecordingBuilder,
    homes: Sequence[int],
    line: Line = ("/home/u/src/sum.c", 3, "part::part(unsigned long)"),
    work: Line = WORK,
) -> None:
    """Eight blocks of one line, filled by thread 0; thread t uses the t-th of them."""
    made = builder.object("heap", builder.stack(builder.place(line)))
    for number, home in enumerate(homes):
        start = ARRAY + 2 * number * BLOCK * PAGE
        block = builder.block(made, start, BLOCK, start_ns=number)
        builder.touch(init_stack(builder), 1, start, BLOCK, page_node=home, block=block)
        stack = builder.stack(builder.place(work))
        builder.loads(stack, number + 1, range(start, start + BLOCK * PAGE, 16 * PAGE), home, block=block)


def test_each_block_of_a_constructor_goes_to_the_node_of_its_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No loop in the text numbers them: they are counted."""
    text_of(monkeypatch, "part::part(unsigned long n)", "{", "    data = new double[n];", "}")
    builder = sampled()
    made_by_turns(builder, [0] * 8)
    (advice,) = only(builder, tmp_path, serial_init)
    code = "\n".join(advice.code)
    assert "static size_t made; // of 8 blocks, each of which is one part" in code
    assert "part_node[] = {0, 1}; // the node that uses each part" in code
    assert "numa_tonode_memory((void *)page_first, page_end - page_first, part_node[made++ % 8 * 2 / 8]);" in code
    assert "size_t part_first" not in code
    assert advice.removes == pytest.approx(1.0)


def test_each_block_that_a_method_of_fortran_makes_is_written_first_by_its_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A smaller array is made beside each, too small for an object."""
    text_of(monkeypatch, "subroutine make(self)", "class(part) :: self", "allocate (self%a(n, m), self%b(n))")
    builder = sampled()
    made_by_turns(builder, [0] * 8, ("/home/u/src/sum.f90", 3, "make"), ("/home/u/src/sum.f90", 22, "f._omp_fn.0"))
    (advice,) = only(builder, tmp_path, serial_init)
    code = [line.strip() for line in advice.code]
    assert "do first_touch = 0, 7" in code
    assert "if (first_touch == mod(blocks_made, 8)) self%a = 0" in code
    assert "if (first_touch == mod(blocks_made, 8)) self%b = 0" in code
    assert advice.removes == pytest.approx(1.0)
    assert "gives that block" in advice.change


def test_code_of_a_constructor_is_for_what_nobody_saw_touched_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two fields of one base class: the page faults of the second were lost."""
    text_of(monkeypatch, "field::field(unsigned long n)", "{", "    data = new double[n];", "}")
    builder = sampled()
    made = builder.place(("/home/u/src/sum.c", 3, "field::field(unsigned long)"))
    for address, line in ((ARRAY, 15), (OTHER, 16)):
        calls = builder.place(("/home/u/src/sum.c", line, "main"))
        block = builder.block(builder.object("heap", builder.stack(made, calls)), address, PAGES)
        if address == ARRAY:
            builder.touch(init_stack(builder), 1, address, PAGES, page_node=0, block=block)
        use_blocks(builder, block, [0] * 8, address, line=WORK)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "The code is also for 32 MiB allocated at" in advice.change
    assert advice.removes == pytest.approx(1.0)


def test_blocks_that_are_dealt_out_are_not_divided_for_the_halves_that_samples_saw_more_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads take every eighth of 32 blocks. Those of node 0 were seen a little more in the first half of theirs."""
    text_of(monkeypatch, "part::part(unsigned long n)", "{", "    data = new double[n];", "}")
    builder = sampled()
    made = builder.object("heap", builder.stack(builder.place(("/home/u/src/sum.c", 3, "part::part(unsigned long)"))))
    stack, pages = builder.stack(builder.place(WORK)), BLOCK // 4
    for number in range(32):
        start, thread = ARRAY + number * BLOCK * PAGE, number % 8
        block = builder.block(made, start, pages, start_ns=number)
        builder.touch(init_stack(builder), 1, start, pages, page_node=0, block=block)
        for half in range(2):
            first = start + half * pages // 2 * PAGE
            count = 24 if half == thread // 4 else 16
            builder.loads(stack, thread + 1, range(first, first + count * PAGE, PAGE), 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    assert "static size_t made; // of 32 blocks, each of which is one part" in "".join(advice.code)
    assert advice.removes == pytest.approx(1.0)


FILL = ("int main(void) {", "    double *a = malloc(n);", "    fill(a, n);")


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_parts_of_memory_that_is_larger_than_what_is_used_of_it(
    share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block with room for more: each thread has an eighth of what is there, and too few samples to tell more."""
    text_of(monkeypatch, *FILL)
    builder = sampled()
    made = builder.object("heap", builder.stack(builder.place(("/home/u/src/sum.c", 2, "main"))))
    block = builder.block(made, ARRAY, round(PAGES / share))
    for page in range(0, PAGES, 16):
        builder.touch(init_stack(builder), 1, ARRAY + page * PAGE, 16, page_node=0, block=block)
    use_blocks(builder, block, [0] * 8, line=WORK, every=64)
    (advice,) = only(builder, tmp_path, serial_init)
    code = "\n".join(advice.code)
    assert ("part_node[] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1" in code) is (share < 1)
    assert (f"part < {round(8 / share)};" in code) is (share < 1)
    assert advice.removes == pytest.approx(1.0, abs=0.01)


def columns(builder: RecordingBuilder, owner: Callable[[int, int], int]) -> None:
    """Rows of eight pages, of which each thread has the one that the owner of row and column is."""
    made = builder.object("heap", builder.stack(builder.place(("/home/u/src/sum.c", 2, "main"))))
    block, chance = builder.block(made, ARRAY, PAGES), random.Random(1)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0, block=block)
    stack = builder.stack(builder.place(LOOP))
    for row in sorted(chance.sample(range(PAGES // 8), 120)):
        for column in range(8):
            start = ARRAY + (8 * row + column) * PAGE
            builder.loads(stack, owner(row, column) + 1, [start, start + 2048], 0, block=block)


def test_columns_of_whole_pages_are_placed_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text_of(monkeypatch, *FILL)
    builder = sampled()
    columns(builder, lambda _, column: column)
    (advice,) = only(builder, tmp_path, serial_init)
    code = "\n".join(advice.code)
    assert "part_node[] = {0, 0, 0, 0, 1, 1, 1, 1};" in code and f"part < {PAGES};" in code
    assert "part_node[part % 8]" in code
    assert advice.removes == pytest.approx(1.0)


@pytest.mark.parametrize("regular", [True, False])
def test_pages_of_their_own_without_a_place_for_each_are_told_in_words(
    regular: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regular, but more pieces than the kernel gives a node each; else in no order at all."""
    text_of(monkeypatch, *FILL)
    monkeypatch.setattr("numaprof.analysis.placement.MOST_RANGES", PAGES // 8 if regular else PAGES)
    builder, chance = sampled(), random.Random(2)
    columns(builder, lambda _, column: column if regular else chance.randrange(8))
    (advice,) = only(builder, tmp_path, serial_init)
    assert "write to it in parallel, divided as the loop at sum.c:22 divides it" in advice.change
    assert advice.code == ("numactl --interleave=all ./sum",)
    assert advice.removes is None


def half_touched(toucher: int, own: Line, foreign: Line) -> RecordingBuilder:
    """Threads 0 to 3 touch what they use, at one place; at the other, one thread touches what 4 to 7 use."""
    builder = sampled()
    made = builder.object("heap", builder.stack(builder.place(("/home/u/src/sum.c", 14, "main"))))
    block = builder.block(made, ARRAY, PAGES)
    for part in range(8):
        line, thread = (own, part) if part < 4 else (foreign, toucher)
        stack = builder.stack(builder.place(line))
        for page in range(part * BLOCK, (part + 1) * BLOCK, 64):
            where = ARRAY + page * PAGE
            builder.sample(FIRST_TOUCH, thread + 1, stack, 64, address=where, page_node=0, block=block)
    use_blocks(builder, block, [0] * 8, line=WORK)
    return builder


def test_a_part_that_one_thread_touches_for_others(tmp_path: Path) -> None:
    """Those who touch their own part do so in the loop that uses it."""
    (advice,) = only(half_touched(0, WORK, INIT), tmp_path, mismatched_init)
    assert advice.finding.startswith("sum.c:17 main first touches the part of 32 MiB")
    assert "that is remote, all from thread 0" in advice.finding
    assert "sum.c:22 work uses it from 8 threads on nodes 0-1" in advice.finding
    assert [site.line for site in advice.touched_at] == [17]
    assert advice.touched_by is not None and advice.touched_by.row.id == 1
    assert advice.removes == pytest.approx(1.0)


def test_a_part_that_one_thread_touches_in_the_loop_of_its_use_is_left_alone(tmp_path: Path) -> None:
    """The loop hands out its parts otherwise each time: no initialisation is at fault."""
    assert mismatched_init.rule(read(half_touched(0, INIT, WORK), tmp_path)) is None


def test_parts_that_hardly_explain_the_accesses_are_none(tmp_path: Path) -> None:
    """Two threads of each node use much of two arrays: of few samples of each, both together tell."""
    builder = sampled()
    for address in (ARRAY, OTHER):
        block = array(builder, SERIAL, address, ("/home/u/src/sum.c", 14 + (address != ARRAY), "main"))
        for thread, start in ((0, 0.0), (1, 0.3), (4, 0.1), (5, 0.3)):
            pages = [int(PAGES * (start + 0.7 * (2 * number + thread % 2) / 48)) for number in range(24)]
            stack = builder.stack(builder.place(LOOP))
            builder.loads(stack, thread + 1, [address + page * PAGE for page in pages], 0, block=block)
    (advice,) = only(builder, tmp_path, shared_by_all)
    assert len(advice.objects) == 2


def use_four_pieces(builder: RecordingBuilder, block: int) -> None:
    """Each quarter of the block is divided among the threads."""
    stack = builder.stack(builder.place(("/home/u/src/sum.f90", 22, "f._omp_fn.0")))
    for thread in range(8):
        for piece in range(4):
            start = ARRAY + (piece * 2 * BLOCK + thread * BLOCK // 4) * PAGE
            builder.loads(stack, thread + 1, range(start, start + BLOCK // 4 * PAGE, 8 * PAGE), 0, block=block)


def test_levels_of_one_array_and_another_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four levels, each divided among the threads, beside an array that is divided as one: each as it is used."""
    lines = ("subroutine f", "allocate(a(n, m, 4))", "allocate(b(n, m))", "end subroutine")
    text_of(monkeypatch, *lines)
    builder = sampled()
    levels = array(builder, SERIAL, line=("/home/u/src/sum.f90", 2, "f"))
    use_four_pieces(builder, levels)
    whole = array(builder, SERIAL, OTHER, ("/home/u/src/sum.f90", 3, "f"))
    use_blocks(builder, whole, [0] * 8, OTHER, ("/home/u/src/sum.f90", 22, "f._omp_fn.0"), every=8)
    (advice,) = only(builder, tmp_path, serial_init)
    code = [line.strip() for line in advice.code]
    assert "do first_touch = lbound(a, 2), ubound(a, 2)" in code and "a(:,first_touch,:) = 0" in code
    assert "do first_touch = lbound(b, 2), ubound(b, 2)" in code and "b(:,first_touch) = 0" in code
    assert advice.removes == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(
    ("allocate", "code"),
    [
        ("allocate(work(n))", "work(lbound(work, 1) + first_touch::size(work) / 4) = 0"),
        ("allocate(work(n, m))", ""),  # nothing says along which dimension it is cut
    ],
)
def test_arrays_that_the_program_cuts_one_into(
    allocate: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four behind each other, each divided among the threads."""
    text_of(monkeypatch, "program f", allocate, "end program")
    builder = sampled()
    whole = array(builder, SERIAL, line=("/home/u/src/sum.f90", 2, "f"))
    use_four_pieces(builder, whole)
    (advice,) = only(builder, tmp_path, serial_init)
    assert (code in [line.strip() for line in advice.code]) is bool(code)
    assert ("By its samples it holds 4 arrays of one size: each is divided." in advice.change) is bool(code)
    assert advice.removes == (pytest.approx(1.0, abs=0.02) if code else None)


def test_parts_that_two_threads_of_a_node_share_are_known_by_node(tmp_path: Path) -> None:
    """Tiles of half a row: the two threads beside each other use the same quarter of it."""
    builder = sampled()
    block, stack = array(builder, SERIAL), builder.stack(builder.place(WORK))
    for quarter, threads in enumerate(((0, 1), (4, 5), (2, 3), (6, 7))):
        start = ARRAY + 2 * quarter * BLOCK * PAGE
        for thread in threads:
            builder.loads(stack, thread + 1, range(start, start + 2 * BLOCK * PAGE, 16 * PAGE), 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    assert advice.objects[0].use_shape is Shape.OVERLAPPING
    assert "which node uses which part, from 1 024 samples" in " ".join(advice.evidence.split())


@pytest.mark.parametrize("room", [1, 7])
def test_an_uneven_part_of_one_thread_is_not_serial(room: int, tmp_path: Path) -> None:
    """Thread 3 has two of eight parts, the second of them on the other node, and nobody else uses that one. The memory
    may be larger than what is used of it."""
    builder = sampled()
    block = array(builder, list(range(8)))
    builder.change("block", bytes=room * PAGES * PAGE)
    stack = builder.stack(builder.place(LOOP))
    for part, thread in enumerate((0, 1, 2, 3, 3, 4, 5, 6)):
        start = ARRAY + part * BLOCK * PAGE
        builder.loads(stack, thread + 1, range(start, start + BLOCK * PAGE, 16 * PAGE), part // 4, block=block)
    assert serial_phase.rule(read(builder, tmp_path)) is None


def test_each_of_many_rows_is_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """64 rows in one block: a thread has a part of each, and all of none."""
    text_of(monkeypatch, "int main(void)", "{", "    double *a = malloc(n * 8);", "}")
    builder = sampled()
    block = array(builder, SERIAL, line=("/home/u/src/sum.c", 3, "main"))
    rows, stack = 64, builder.stack(builder.place(WORK))
    for row in range(rows):
        for thread in range(8):
            start = ARRAY + (row * PAGES // rows + thread * PAGES // rows // 8) * PAGE
            builder.loads(stack, thread + 1, range(start, start + 16 * PAGE, 8 * PAGE), 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    code = "\n".join(advice.code)
    assert "part_node[] = {0, 1}; // the node that uses each part" in code
    assert "part < 128" in code and "part_node[part % 2]" in code
    assert advice.removes == pytest.approx(1.0)


def test_few_samples_tell_the_number_of_arrays_rather_than_an_order_of_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five arrays; node 1 is sampled more often, and once in a while where node 0 has its part."""
    builder = sampled()
    block = array(builder, SERIAL)
    stack = builder.stack(builder.place(WORK))
    for part in range(10):
        first, node = part * PAGES // 10, part % 2
        for number in range(12 if node else 4):
            where = ARRAY + (first + (2 * number + 1) * PAGES // 10 // 24) * PAGE
            builder.loads(stack, 4 * node + number % 4 + 1, [where], 0, block=block)
    for part in (0, 4, 8):
        builder.loads(stack, 6, [ARRAY + (part * PAGES // 10 + 400) * PAGE], 0, block=block)
    evidence = read(builder, tmp_path)
    (found,) = [each for each in evidence.objects.found if each.used]
    assert parts_order(evidence, found, evidence.workers) is None  # alone, too few tell even that
    monkeypatch.setattr("numaprof.analysis.placement.node_order", lambda _: (0, 1, 0, 0, 1, 0, 0, 1))
    assert parts_order(evidence, found, evidence.workers) == (0, 1) * 5


def test_an_order_that_repeats_with_each_block_is_that_of_a_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two fields that one call makes; main fills both, and each of eight threads has a band of both."""
    text_of(monkeypatch, "struct field *make(size_t n)", "{", "    double *f = calloc(n, sizeof *f);", "}")
    builder = sampled(0).threads(1, cpus=[0]).threads(8, cpus=[1, 2, 3, 4, 5, 6, 7, 0])
    made = builder.object("heap", builder.stack(builder.place(("/home/u/src/sum.c", 3, "make"))))
    stack = builder.stack(builder.place(WORK))
    for number in range(2):
        start = ARRAY + 2 * number * PAGES * PAGE
        block = builder.block(made, start, PAGES, start_ns=number)
        builder.touch(init_stack(builder), 1, start, PAGES, page_node=0, block=block)
        for band in range(8):
            first = start + band * BLOCK * PAGE
            builder.loads(stack, band + 2, range(first, first + BLOCK * PAGE, 32 * PAGE), 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    code = "\n".join(advice.code)
    assert "part_node[] = {0, 0, 0, 1, 1, 1, 1, 0};" in code and "part < 8" in code
    assert advice.removes == pytest.approx(1.0)


@pytest.mark.parametrize("sorted_by_main", [True, False])
def test_what_one_thread_works_on_alone_is_copied_afterwards(sorted_by_main: bool, tmp_path: Path) -> None:
    """Main reads records and sorts them; then each thread has a part. Without the sorting, parts are placed at once."""
    builder = sampled()
    block = array(builder, SERIAL)
    sort, use = (builder.stack(builder.place(line)) for line in (("/home/u/src/sum.c", 40, "by_key"), WORK))
    if sorted_by_main:
        for _ in range(4):
            builder.loads(sort, 1, range(ARRAY, ARRAY + PAGES * PAGE, 16 * PAGE), 0, block=block)
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        builder.loads(use, thread + 1, range(start, start + BLOCK * PAGE, 16 * PAGE), 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    assert advice.can_be_tried != sorted_by_main
    assert ("copy it in parallel, divided as the loop at" in advice.change) == sorted_by_main
    assert (advice.code == ()) == sorted_by_main
    assert advice.used_at is not None and advice.used_at.line == WORK[1]


@pytest.mark.parametrize("main_works", [False, True])
def test_the_thread_that_fills_it_has_a_part_only_where_it_works_with_the_others(
    main_works: bool, tmp_path: Path
) -> None:
    """Main fills what eight threads divide, and reads all of it at the end; or it is the first of nine in the loop."""
    builder = sampled(0).threads(1, cpus=[0]).threads(8, cpus=[1, 2, 3, 4, 5, 6, 7, 0])
    block, use = array(builder, SERIAL), builder.stack(builder.place(WORK))
    team = range(1, 10) if main_works else range(2, 10)
    for part, thread in enumerate(team):
        first = ARRAY + part * PAGES // len(team) * PAGE
        builder.loads(use, thread, range(first, first + PAGES // len(team) * PAGE, 64 * PAGE), 0, block=block)
    check = builder.stack(builder.place(("/home/u/src/sum.c", 60, "check")))
    builder.loads(check, 1, range(ARRAY, ARRAY + PAGES * PAGE, 256 * PAGE), 0, block=block)
    evidence = read(builder, tmp_path)
    advice = serial_init.rule(evidence)
    assert advice is not None
    assert [thread.position for thread in advice.threads] == [number - 1 for number in team]


def test_what_its_filler_uses_most_is_not_divided_among_others(tmp_path: Path) -> None:
    """Main fills frames again and again, and reads them itself; each of eight threads takes its frame over once."""
    builder = sampled()
    made = builder.object("heap", builder.stack(builder.place(("/home/u/src/sum.c", 14, "main"))))
    fill = builder.stack(builder.place(("/home/u/src/sum.c", 30, "make")))
    take = builder.stack(builder.place(("/home/u/src/sum.c", 40, "take")))
    for frame in range(8):
        start = ARRAY + 2 * frame * BLOCK * PAGE
        block = builder.block(made, start, BLOCK, start_ns=frame)
        builder.touch(init_stack(builder), 1, start, BLOCK, page_node=0, block=block)
        pages = range(start, start + BLOCK * PAGE, 16 * PAGE)
        builder.loads(take, frame + 1, pages, 0, block=block)
        for _ in range(3):
            builder.loads(fill, 1, pages, 0, block=block)
    assert serial_init.rule(read(builder, tmp_path)) is None


def test_each_of_many_blocks_is_divided_though_no_text_is_at_hand(tmp_path: Path) -> None:
    """Twelve blocks of one line, all filled by main: the code stands after the allocation, so it divides each block."""
    builder = sampled()
    made = builder.object("heap", builder.stack(builder.place(("/home/u/src/sum.c", 3, "make"))))
    stack = builder.stack(builder.place(WORK))
    pages = PAGES // 8
    for number in range(12):
        start = ARRAY + 2 * number * pages * PAGE
        block = builder.block(made, start, pages, start_ns=number)
        builder.touch(init_stack(builder), 1, start, pages, page_node=0, block=block)
        for thread in range(8):
            first = start + thread * pages // 8 * PAGE
            builder.loads(stack, thread + 1, range(first, first + pages // 8 * PAGE, 8 * PAGE), 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    assert advice.removes == pytest.approx(1.0)
    assert "// after the allocation at sum.c:3, add" in advice.code[0]


def test_what_one_code_cannot_divide_in_two_ways_is_not_promised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A constructor makes two objects: of the second, which is used half as much, the threads have the parts of the
    first in reverse."""
    text_of(monkeypatch, "part::part(unsigned long n)", "{", "    data = new double[n];", "}", "int main()", "")
    builder = sampled()
    line, stack = (
        builder.place(("/home/u/src/sum.c", 3, "part::part(unsigned long)")),
        builder.stack(builder.place(WORK)),
    )
    for caller, start, step, reverse in ((6, ARRAY, 8, False), (7, OTHER, 16, True)):
        main = builder.stack(builder.place(("/home/u/src/sum.c", caller, "main")))
        made = builder.object("heap", builder.stack(line, main))
        block = builder.block(made, start, PAGES)
        builder.touch(init_stack(builder), 1, start, PAGES, page_node=0, block=block)
        for thread in range(8):
            first = start + (7 - thread if reverse else thread) * BLOCK * PAGE
            builder.loads(stack, thread + 1, range(first, first + BLOCK * PAGE, step * PAGE), 0, block=block)
    (advice,) = only(builder, tmp_path, serial_init)
    code = "\n".join(advice.code)
    assert "part_node[] = {0, 1}; // the node that uses each part" in code
    assert advice.removes == pytest.approx(2 / 3 - 1 / 3)
    assert "divide in different ways" in advice.change
