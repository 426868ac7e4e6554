# SPDX-License-Identifier: Apache-2.0
"""What looks like a fault of placement and is none; and promises that count what becomes remote."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from numaprof.analysis.placement import gained, node_order, team_order
from numaprof.document.overview_text import notes, pin_line
from numaprof.rules import advise
from numaprof.rules.advice import Kind
from numaprof.rules.change_program import huge_page, mismatched_init, recycled, serial_init, shared_by_all
from numaprof.rules.change_run import disturbed, file_pages, one_controller, plan_leaves_node
from numaprof.rules.leave_alone import read_by_all, serial_phase
from reading import read
from recording_builder import FIRST_TOUCH, PAGE, RAN, Line, RecordingBuilder
from scenarios import ARRAY, BLOCK, INIT, LOOP, PAGES, levels
from test_report_object_rules import (
    ALLOC,
    OTHER,
    PARALLEL,
    REVERSED,
    SERIAL,
    array,
    sampled,
    use_all,
    use_blocks,
)

CHECK: Line = ("/home/u/src/sum.c", 60, "check")
MILLION = 1_000_000
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
    assert advice.rule == "serial_phase"
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
    python = "/usr/bin/python3.12"  # no line of C to change
    for share, file, speaks in ((0.5, "/lib/libc.so.6", True), (0.01, "/lib/libc.so.6", False), (0.5, python, False)):
        builder = sampled()
        builder.row("code_file", path=file)
        block = builder.block(builder.object("heap", builder.stack(builder.place(INIT))), ARRAY, PAGES)
        for page in range(0, PAGES, 16):
            away = page < share * PAGES
            where = {"address": ARRAY + page * PAGE, "block": block, "page_node": int(away), "cpu": 4 if away else 0}
            builder.sample(FIRST_TOUCH, 1, builder.stack(builder.place(INIT)), 16, **where)
        evidence = read(builder, tmp_path)
        advice = disturbed.rule(evidence)
        assert (advice is not None) is speaks
        said = [
            note for note in notes(evidence) if "it first touched 16 MiB from node 0 and 16 MiB from node 1" in note
        ]
        assert len(said) == int(share == 0.5)  # whatever can be done about it
        assert (
            "0 migrated, thread 0 ran on several nodes while it initialised" in "".join(pin_line(evidence))
        ) is bool(said)
        if advice is not None:
            told = "ran on several nodes while it initialised, and first touched 16 MiB from node 0 and 16 MiB"
            assert told in advice.finding
            stays, leaves = advice.remarked
            assert stays.remark == "in main, before it touches its memory"
            assert leaves == ("numa_run_on_node(-1);", "in main, before it starts threads")


def test_a_first_thread_that_wandered_unpinned_can_be_pinned(tmp_path: Path) -> None:
    """Also that of a runtime: pinning keeps it on its node from the start, and needs no change of the program."""
    for file in ("/lib/libc.so.6", "/usr/bin/python3.12"):
        builder = sampled().change("thread", pin="none").change("run", pin_policy="none")
        builder.row("code_file", path=file)
        block = builder.block(builder.object("heap", builder.stack(builder.place(INIT))), ARRAY, PAGES)
        for page in range(0, PAGES, 16):
            node = 2 * page // PAGES
            where = {"address": ARRAY + page * PAGE, "block": block, "page_node": node, "cpu": 4 * node}
            builder.sample(FIRST_TOUCH, 1, builder.stack(builder.place(INIT)), 16, **where)
        evidence = read(builder, tmp_path)
        advice = disturbed.rule(evidence)
        assert advice is not None
        assert "ran on several nodes while it initialised, and first touched 16 MiB from node 0" in advice.finding
        assert advice.code == ("numaprof --pin compact ./sum",)
        assert advice.remarked == ()
        assert any("initialised (nothing kept it on one)" in note for note in notes(evidence))


@pytest.mark.parametrize("policy", [True, False])
def test_where_a_policy_places_pages_the_first_thread_may_wander(policy: bool, tmp_path: Path) -> None:
    builder = sampled()
    block = builder.block(builder.object("heap", builder.stack(builder.place(INIT))), ARRAY, PAGES)
    for turn, page in enumerate(range(0, PAGES, 16)):
        node = 2 * page // PAGES
        where = {"block": block, "page_node": turn % 2 if policy else node, "cpu": 4 * node}
        builder.sample(FIRST_TOUCH, 1, builder.stack(builder.place(INIT)), 16, address=ARRAY + page * PAGE, **where)
    evidence = read(builder, tmp_path)
    assert (disturbed.rule(evidence) is None) is policy
    assert any("The nodes of that memory are chance" in note for note in notes(evidence)) is not policy


@pytest.mark.parametrize("in_header", [False, True])
def test_the_line_of_use_is_the_loop_that_calls_an_accessor(in_header: bool, tmp_path: Path) -> None:
    """Also where the accessor uses what a header of the system defines."""
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
    if in_header:
        header = ("/usr/include/c++/12/complex", 1257, "std::complex<double>::real() const")
        accessor = builder.place(header, inline_of=accessor)
    runtime = builder.place(("", 1, ""), module="/usr/lib/libgomp.so.1", file=None, line=None, function=None)
    main = builder.place(("/home/u/src/sum.c", 20, "main"))
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        stack = builder.stack(accessor, runtime, main)
        builder.loads(stack, thread + 1, range(start, start + BLOCK * PAGE, 16 * PAGE), 0, block=block)
    (advice,) = advise(read(builder, tmp_path))
    assert "sum.c:22 main._omp_fn.0 (through f.h:3 Field::at) uses it from 8 threads" in advice.finding
    assert advice.used_at is not None and advice.used_at.line == 22


def test_a_controller_near_all_the_work_is_no_bottleneck(tmp_path: Path) -> None:
    """Threads of the other node wait: interleaved, half of what is local now would be remote."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand_rd", [900_000] * 4 + [1_000] * 4, [0] * 8)
    builder.change("thread", where="id > 4", cpu_ns=RAN // 20)
    assert one_controller.rule(read(builder, tmp_path)) is None


@pytest.mark.parametrize(("common", "kind"), [(True, Kind.LEAVE), (False, Kind.SETTING)])
def test_threads_that_share_memory_on_one_node_stay_together(common: bool, kind: Kind, tmp_path: Path) -> None:
    builder = RecordingBuilder()
    builder.level(1, "counters", False, why_not="test").level(3, "samples", True, detail="load latency")
    builder.level(4, "faults", True).level(5, "pages", True).threads(4)
    block, stack = array(builder, [0] * 4), builder.stack(builder.place(LOOP))
    for thread in range(4):
        pages = range(0, 4 * BLOCK, 64) if common else range(thread * BLOCK, (thread + 1) * BLOCK, 16)
        builder.loads(stack, thread + 1, [ARRAY + page * PAGE for page in pages], 0, block=block)
    advice = plan_leaves_node.rule(read(builder, tmp_path))
    assert advice is not None and advice.kind is kind
    assert any("scatter" in line for line in advice.code) is not common


@pytest.mark.parametrize("name", ["/usr/lib/libstdc++.so.6.0.30", "/lib64/ld-linux-x86-64.so.2", "/home/u/sum"])
def test_pages_of_programs_and_libraries_are_left_in_the_page_cache(name: str, tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, builder.block(builder.object("file", name=name), ARRAY, PAGES), [0] * 8)
    assert file_pages.rule(read(builder, tmp_path)) is None


def test_a_file_of_few_remote_accesses_is_left_in_the_page_cache(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    block, stack = builder.block(builder.object("file", name="/data/x"), OTHER, 16), builder.stack(builder.place(LOOP))
    builder.loads(stack, 6, [OTHER], 0, block=block)
    assert file_pages.rule(read(builder, tmp_path)) is None


def test_a_line_that_touches_all_its_blocks_is_to_blame_for_those_at_used_addresses(tmp_path: Path) -> None:
    """Temporaries: fresh from the kernel, they would be touched by the same thread."""
    builder = sampled()
    made = builder.object("heap", builder.stack(builder.place(ALLOC)))
    first = builder.block(made, ARRAY, PAGES, end_ns=RAN // 2)
    stack = builder.stack(builder.place(ALLOC))
    builder.touch(stack, 1, ARRAY, PAGES, page_node=0, block=first)
    use_blocks(builder, builder.block(made, ARRAY, PAGES, start_ns=RAN // 2), [0] * 8)
    evidence = read(builder, tmp_path)
    assert recycled.rule(evidence) is None
    assert serial_init.rule(evidence) is not None


def few_loads(builder: RecordingBuilder, part: int | None, homes: str = "touch") -> RecordingBuilder:
    """Eight of each thread: all over the memory, or in an eighth of it."""
    block, stack, chance = array(builder, SERIAL, homes=homes), builder.stack(builder.place(LOOP)), random.Random(3)
    for thread in range(8):
        pages = [chance.randrange(PAGES if part is None else BLOCK) for _ in range(8)]
        first = 0 if part is None else (thread + part) % 8 * BLOCK
        builder.loads(stack, thread + 1, [ARRAY + (first + page) * PAGE for page in pages], 0, block=block)
    builder.loads(stack, 9, [OTHER] * 200, 0)  # so that the verdict has enough
    return builder.threads(1)


@pytest.mark.parametrize(("part", "rules"), [(None, "shared_by_all"), (0, "serial_init"), (2, "serial_init")])
def test_few_samples_all_over_the_memory_refute_parts(part: int | None, rules: str, tmp_path: Path) -> None:
    evidence = read(few_loads(sampled(), part), tmp_path)
    speaking = [module for module in (serial_init, shared_by_all) if module.rule(evidence) is not None]
    assert [module.__name__.split(".")[-1] for module in speaking] == [rules]


@pytest.mark.parametrize("parts", [True, False])
def test_a_thread_that_reads_all_of_it_does_not_refute_the_parts_of_others(parts: bool, tmp_path: Path) -> None:
    """A few loads of each of eight threads, in its eighth or anywhere, and those of one that reads all of it."""
    builder, chance = sampled(), random.Random(3)
    block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
    for thread in range(8):
        first, pages = ((7 - thread) * BLOCK, BLOCK) if parts else (0, PAGES)
        of_thread = [ARRAY + (first + chance.randrange(pages)) * PAGE for _ in range(5)]
        builder.loads(stack, thread + 1, of_thread, 0, block=block)
    builder.loads(stack, 1, [ARRAY + chance.randrange(PAGES) * PAGE for _ in range(60)], 0, block=block)
    builder.loads(stack, 9, [OTHER] * 200, 0)
    assert (shared_by_all.rule(read(builder, tmp_path)) is None) is parts


@pytest.mark.parametrize(("homes", "speaks"), [("interleaved", False), ("touch", True)])
def test_what_is_spread_already_is_not_to_be_initialised_by_parts_that_nobody_knows(
    homes: str, speaks: bool, tmp_path: Path
) -> None:
    evidence = read(few_loads(sampled(), 2, homes), tmp_path)
    assert (serial_init.rule(evidence) is not None) is speaks


@pytest.mark.parametrize(
    ("local", "said"), [(0, "Spread, as much remote, but"), (MILLION, "Spread, about 50 % remote (now ")]
)
def test_interleaving_is_said_to_add_what_it_adds(local: int, said: str, tmp_path: Path) -> None:
    """A thread that also works near its memory has less remote today than an even spread would give it."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand_rd", [MILLION + local] + [MILLION] * 3 + [0] * 4, [0] * 4 + [MILLION] * 4)
    use_all(builder, array(builder, SERIAL), 0)
    advice = shared_by_all.rule(read(builder, tmp_path))
    assert advice is not None and said in (advice.expects or "")
    assert "faster only if node 0's memory (100 % of all requests) is the limit now" in (advice.expects or "")


@pytest.mark.parametrize(("beside", "speaks"), [(0, True), (2 * MILLION, False)])
def test_memory_is_not_spread_where_more_would_be_remote_and_both_controllers_work(
    beside: int, speaks: bool, tmp_path: Path
) -> None:
    """Threads of the other node have memory of their own as well: a third is remote."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand_rd", [MILLION] * 4 + [beside] * 4, [0] * 4 + [MILLION] * 4)
    use_all(builder, array(builder, SERIAL), 0)
    evidence = read(builder, tmp_path)
    assert (shared_by_all.rule(evidence) is not None) is speaks
    left = read_by_all.rule(evidence)
    assert (left is not None and left.kind is Kind.LEAVE and "to interleave memory would" in left.change) != speaks
