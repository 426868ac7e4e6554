# SPDX-License-Identifier: Apache-2.0
"""The decision where memory should go: what is decided, by which lever, about which objects."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from numaprof.evidence.evidence import evidence_of
from numaprof.experiments.trials.proposals import layouts_of, place_of, proposals
from numaprof.placement.advice import Advice
from numaprof.placement.decide import Decision, decide, scored
from numaprof.placement.explain import advise
from numaprof.placement.levers import Lever
from numaprof.placement.placements import Form, Placement
from numaprof.recording.reader import Recording
from reading import read
from recording_builder import (
    FIRST_TOUCH,
    LOCAL,
    PAGE,
    RAN,
    REMOTE,
    Line,
    RecordingBuilder,
)
from scenarios import (
    ALLOC,
    ARRAY,
    BLOCK,
    INIT,
    LOOP,
    OTHER,
    PAGES,
    PARALLEL,
    REVERSED,
    SCENARIOS,
    SERIAL,
    WORK,
    array,
    init_stack,
    levels,
    sampled,
    use_all,
    use_blocks,
)

NEAR, FAR = [0] * 4 + [1] * 4, [1] * 4 + [0] * 4
SECOND: Line = ("/home/u/src/sum.c", 15, "other")
Situation = Callable[[], RecordingBuilder]


def decisions(builder: RecordingBuilder, folder: Path) -> list[Decision]:
    return [decision for decision in decide(read(builder, folder)) if decision.kind != "leave"]


# One situation each: what is recorded, and the kind and lever of each decision


def serial_blocks() -> RecordingBuilder:
    builder = sampled()
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    return builder


def mismatched() -> RecordingBuilder:
    builder = sampled()
    use_blocks(builder, array(builder, REVERSED), FAR)
    return builder


def used_whole() -> RecordingBuilder:
    builder = sampled()
    use_all(builder, array(builder, SERIAL), 0)
    return builder


def lies_right() -> RecordingBuilder:
    """What is remote is a border: the last thread of node 0 also reads the first block of node 1."""
    builder = sampled()
    block, stack = array(builder, PARALLEL), builder.stack(builder.place(LOOP))
    use_blocks(builder, block, NEAR)
    border = range(ARRAY + 4 * BLOCK * PAGE, ARRAY + 5 * BLOCK * PAGE, 16 * PAGE)
    builder.loads(stack, 4, border, 1, block=block)
    return builder


def interleaved_and_used_whole() -> RecordingBuilder:
    builder = sampled()
    use_all(builder, array(builder, SERIAL, homes="interleaved"), None)
    return builder


def two_objects() -> RecordingBuilder:
    builder = serial_blocks()
    use_all(builder, array(builder, SERIAL, OTHER, SECOND), 0, OTHER)
    return builder


def used_by_one_thread_of_the_other_node() -> RecordingBuilder:
    builder = sampled()
    block = array(builder, SERIAL)
    builder.loads(
        builder.stack(builder.place(WORK)),
        6,
        range(ARRAY, ARRAY + PAGES * PAGE, 16 * PAGE),
        0,
        block=block,
    )
    return builder


def used_by_its_toucher() -> RecordingBuilder:
    """Main counts in it for long before others look: divided, it would cost more than it gives."""
    builder = sampled()
    block, stack = array(builder, SERIAL), builder.stack(builder.place(WORK))
    builder.loads(stack, 1, range(ARRAY, ARRAY + PAGES * PAGE, 2 * PAGE), 0, block=block)
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        builder.loads(stack, thread + 1, range(start, start + 100 * PAGE, PAGE), 0, block=block)
    return builder


def grown() -> RecordingBuilder:
    builder = sampled()
    obj = builder.object("heap", builder.stack(builder.place(ALLOC)))
    for number, pages in enumerate((64, 96, 144)):
        builder.block(obj, OTHER + (number << 32), pages, start_ns=number, end_ns=number + 1)
    block = builder.block(obj, ARRAY, PAGES, start_ns=3)
    builder.touch(builder.stack(builder.place(INIT)), 1, ARRAY, PAGES, page_node=0, block=block)
    use_blocks(builder, block, [0] * 8)
    return builder


def recycled() -> RecordingBuilder:
    """Touched in read_input, freed, allocated again."""
    builder = sampled()
    where: Line = ("/home/u/src/sum.c", 8, "read_input")
    old = builder.object("heap", builder.stack(builder.place(where)))
    first = builder.block(old, ARRAY, PAGES, end_ns=RAN // 2)
    builder.touch(builder.stack(builder.place(where)), 1, ARRAY, PAGES, page_node=0, block=first)
    new = builder.object("heap", builder.stack(builder.place(ALLOC)))
    use_blocks(builder, builder.block(new, ARRAY, PAGES, start_ns=RAN // 2), [0] * 8)
    return builder


def halves_of_huge_pages() -> RecordingBuilder:
    """Of each 2 MiB the left half is for a thread of node 0, which brings all of it in, the right one for node 1."""
    builder = sampled()
    block = builder.block(builder.object("heap", builder.stack(builder.place(ALLOC))), ARRAY, PAGES)
    stack, loop = init_stack(builder), builder.stack(builder.place(LOOP))
    for region in range(PAGES // 512):
        start = ARRAY + region * 512 * PAGE
        builder.sample(
            FIRST_TOUCH,
            1 + region % 4,
            stack,
            512,
            block=block,
            address=start,
            page_node=0,
        )
    for region in range(PAGES // 512):
        start = ARRAY + region * 512 * PAGE
        for _ in range(3):
            builder.loads(
                loop,
                1 + region % 4,
                range(start, start + 256 * PAGE, 32 * PAGE),
                0,
                block=block,
            )
            right = range(start + 256 * PAGE, start + 512 * PAGE, 32 * PAGE)
            builder.loads(loop, 5 + region % 4, right, 0, block=block)
    return builder


def mapped_file() -> RecordingBuilder:
    builder = sampled()
    block = builder.block(builder.object("file", name="/data/input.bin"), ARRAY, PAGES)
    use_all(builder, block, 0)
    return builder


def allocations_of_their_own() -> RecordingBuilder:
    """Main fills 32 blocks; two thirds of a block's users are of one node, in no order."""
    builder, chance = sampled(), random.Random(3)
    obj, stack = (
        builder.object("heap", builder.stack(builder.place(ALLOC))),
        builder.stack(builder.place(LOOP)),
    )
    pages = PAGES // 32
    for number in range(32):
        start = ARRAY + number * pages * PAGE
        block = builder.block(obj, start, pages, start_ns=number)
        builder.touch(init_stack(builder), 1, start, pages, page_node=0, block=block)
        builder.loads(
            stack,
            1 + chance.randrange(8),
            range(start, start + pages * PAGE, 8 * PAGE),
            0,
            block=block,
        )
    return builder


def bound_by_a_policy() -> RecordingBuilder:
    builder = sampled()
    use_blocks(builder, array(builder, PARALLEL, homes="0"), [0] * 8)
    return builder


def interleaved_by_a_policy() -> RecordingBuilder:
    builder = sampled().change("run", command='["numactl", "-i", "all", "./sum"]')
    block = array(builder, PARALLEL, homes="interleaved")
    for home in (0, 1):
        use_blocks(builder, block, [home] * 8)
    return builder


def owner_moved() -> RecordingBuilder:
    builder = sampled().change("thread", pin="none", planned_cpu=None, migrations=2)
    block, stack = (
        array(builder, [t // 2 for t in range(8)]),
        builder.stack(builder.place(LOOP)),
    )
    for thread in range(4):
        start = ARRAY + thread * 2 * BLOCK * PAGE
        columns = {"cpu": 4 + thread, "source": REMOTE, "block": block}
        builder.loads(
            stack,
            thread + 1,
            range(start, start + 2 * BLOCK * PAGE, 16 * PAGE),
            0,
            **columns,
        )
    return builder


def freed_before_others_began() -> RecordingBuilder:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    block = builder.block(
        builder.object("heap", builder.stack(builder.place(ALLOC))),
        ARRAY,
        PAGES,
        end_ns=500,
    )
    builder.touch(builder.stack(builder.place(INIT)), 1, ARRAY, PAGES, page_node=0, block=block)
    return builder


def new_threads_in_each_pass() -> RecordingBuilder:
    builder = sampled(threads=1)
    block, stack = array(builder, SERIAL), builder.stack(builder.place(WORK))
    for turn in range(6):
        begin = RAN // 10 + turn * RAN // 10
        for part in range(8):
            builder.threads(1, cpus=[part], start_ns=begin + part, end_ns=begin + RAN // 20)
            start = ARRAY + part * BLOCK * PAGE + turn * PAGE
            columns = {
                "cpu": part,
                "source": REMOTE if part > 3 else LOCAL,
                "block": block,
            }
            builder.loads(
                stack,
                2 + turn * 8 + part,
                range(start, start + 8 * PAGE, 4 * PAGE),
                0,
                **columns,
            )
    return builder


SITUATIONS: dict[Situation, list[tuple[str, Lever]]] = {
    serial_blocks: [("parts", Lever.FIRST_TOUCH)],
    mismatched: [("parts", Lever.FIRST_TOUCH)],
    used_whole: [("interleave", Lever.INTERLEAVE)],
    lies_right: [],
    interleaved_and_used_whole: [],
    two_objects: [("parts", Lever.FIRST_TOUCH), ("interleave", Lever.INTERLEAVE)],
    used_by_one_thread_of_the_other_node: [("one node", Lever.FIRST_TOUCH)],
    used_by_its_toucher: [],
    grown: [("parts", Lever.MOVE)],
    recycled: [("threshold", Lever.FRESH_PAGES)],
    halves_of_huge_pages: [("pages", Lever.SMALL_PAGES)],
    mapped_file: [("interleave", Lever.SPREAD_FILE)],
    allocations_of_their_own: [("per allocation", Lever.POLICY)],
    bound_by_a_policy: [],
    interleaved_by_a_policy: [("parts", Lever.NO_POLICY)],
    owner_moved: [],
    freed_before_others_began: [],
    new_threads_in_each_pass: [("parts", Lever.FIRST_TOUCH)],
}


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_situations(situation: Situation, tmp_path: Path) -> None:
    found = decisions(situation(), tmp_path)
    assert [(decision.kind, decision.lever) for decision in found] == SITUATIONS[situation]


# What the recordings of scenarios.py lead to: some have counts and first touches only
SCENARIO_KINDS = {
    "serial_init": ["parts"],
    "parallel_init": [],
    "faults_only": ["parts"],
    "hinted": ["parts"],
    "hinted_by_all": ["interleave"],
    "named_objects": ["parts", "interleave"],
    "all_read_all": [],
    "little_traffic": [],
    "one_node_plan": [],
    "multiplexed": ["parts"],
    "wandering": [],
    "many_threads": [],
    "hostile": ["parts"],
    "no_threads": [],
    "killed_recorder": ["parts"],
    "starved_recorder": ["parts"],
    "slow_tier": [],
    "one_node_machine": [],
    "emulated": ["parts"],
    "attached_server": ["interleave"],
}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenarios(scenario: str, tmp_path: Path) -> None:
    assert [decision.kind for decision in decisions(SCENARIOS[scenario](), tmp_path)] == SCENARIO_KINDS[scenario]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_names_decide_nothing(scenario: str, tmp_path: Path) -> None:
    builder = SCENARIOS[scenario]()
    before = decisions(builder, tmp_path)
    builder.change("thread", name="zz").change("place", function="zz", module="/opt/zz").change(
        "run", program="/opt/zz"
    )
    builder.change("place", where="module GLOB '/opt/*' AND file IS NULL", module="/usr/lib/zz.so")
    after = decisions(builder, tmp_path)
    assert [(row.kind, row.gain) for row in before] == [(row.kind, row.gain) for row in after]


# Parts


def placement_of(builder: RecordingBuilder, folder: Path) -> Placement:
    (decision,) = decisions(builder, folder)
    return decision.placement


def test_parts_are_in_the_order_of_the_team(tmp_path: Path) -> None:
    placement = placement_of(serial_blocks(), tmp_path)
    assert placement.team is not None and placement.team.nodes == (
        0,
        0,
        0,
        0,
        1,
        1,
        1,
        1,
    )
    assert (placement.form, placement.periods, placement.folded) == (
        Form.PARTS,
        1,
        False,
    )


@pytest.mark.parametrize("unseen", [0, 2, 5, 7])
def test_a_thread_that_no_sample_saw_has_its_part(unseen: int, tmp_path: Path) -> None:
    builder = sampled()
    block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
    for thread in range(8):
        pages = [] if thread == unseen else range(thread * BLOCK, (thread + 1) * BLOCK, 16)
        builder.loads(stack, thread + 1, [ARRAY + page * PAGE for page in pages], 0, block=block)
    team = placement_of(builder, tmp_path).team
    assert team is not None and len(team.threads) == 8


def test_threads_that_use_nothing_have_no_part(tmp_path: Path) -> None:
    """Of eight threads, the second and the sixth use half of it each."""
    builder = sampled()
    block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
    for half, thread in enumerate((1, 5)):
        pages = range(4 * half * BLOCK, 4 * (half + 1) * BLOCK, 16)
        builder.loads(stack, thread + 1, [ARRAY + page * PAGE for page in pages], 0, block=block)
    team = placement_of(builder, tmp_path).team
    assert team is not None and team.threads == (2, 6)


@pytest.mark.parametrize("arrays", [2, 3, 5])
def test_arrays_in_one_block_are_told_by_few_samples(arrays: int, tmp_path: Path) -> None:
    builder = sampled()
    block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
    size = PAGES // arrays
    for thread in range(8):
        pages = [n * size + (8 * thread + part) * size // 64 for n in range(arrays) for part in range(1, 8)]
        builder.loads(stack, thread + 1, [ARRAY + page * PAGE for page in pages], 0, block=block)
    assert placement_of(builder, tmp_path).periods == arrays


def test_rows_that_are_dealt_out(tmp_path: Path) -> None:
    """64 rows, of which each thread has every eighth."""
    builder, row = sampled(), PAGES // 64
    block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
    for number in range(64):
        start = ARRAY + number * row * PAGE
        builder.loads(
            stack,
            1 + number % 8,
            range(start, start + row * PAGE, 16 * PAGE),
            0,
            block=block,
        )
    assert placement_of(builder, tmp_path).periods == 8


def test_uses_by_chance_are_no_parts(tmp_path: Path) -> None:
    chance, kinds = random.Random(11), []
    for _ in range(20):
        builder = sampled()
        block, stack = array(builder, SERIAL), builder.stack(builder.place(LOOP))
        for thread in range(8):
            pages = [chance.randrange(PAGES) for _ in range(16)]
            builder.loads(
                stack,
                thread + 1,
                [ARRAY + page * PAGE for page in pages],
                0,
                block=block,
            )
        kinds += [decision.kind for decision in decisions(builder, tmp_path)]
    assert kinds == ["interleave"] * 20


def test_blocks_that_lie_right_are_left(tmp_path: Path) -> None:
    builder = lies_right()
    use_blocks(builder, array(builder, SERIAL, address=OTHER), [0] * 8, address=OTHER)
    (decision,) = decisions(builder, tmp_path)
    assert [obj.main_share for obj in decision.objects] == [1.0]


# Properties


@pytest.mark.parametrize("situation", [serial_blocks, mismatched, used_whole], ids=lambda each: each.__name__)
def test_the_score_of_as_it_is_is_the_measured_remote_share(situation: Situation, tmp_path: Path) -> None:
    evidence = read(situation(), tmp_path)
    (row,) = scored(evidence)
    assert row.now.remote == pytest.approx(row.obj.remote / row.obj.known)


@pytest.mark.parametrize("situation", [serial_blocks, used_whole, mismatched], ids=lambda each: each.__name__)
def test_which_number_a_node_has_does_not_matter(situation: Situation, tmp_path: Path) -> None:
    before = decisions(situation(), tmp_path)
    builder = situation()
    builder.statements += [
        "UPDATE cpu SET node = 1 - node;",
        "UPDATE sample SET page_node = 1 - page_node WHERE page_node IS NOT NULL;",
    ]
    after = decisions(builder, tmp_path)
    assert [(row.kind, row.lever) for row in before] == [(row.kind, row.lever) for row in after]
    assert [row.gain for row in before] == pytest.approx([row.gain for row in after])


@pytest.mark.parametrize("situation", [serial_blocks, used_whole], ids=lambda each: each.__name__)
def test_the_scale_of_weights_does_not_matter(situation: Situation, tmp_path: Path) -> None:
    evidence = read(situation(), tmp_path)
    uses = {
        thing: [row._replace(weight=1000 * row.weight) for row in of] for thing, of in evidence.use_rows.uses.items()
    }
    after = decide(replace(evidence, use_rows=replace(evidence.use_rows, uses=uses)))
    assert [(row.kind, pytest.approx(row.gain)) for row in decide(evidence)] == [(row.kind, row.gain) for row in after]


@pytest.mark.parametrize("situation", [serial_blocks, used_whole, mismatched], ids=lambda each: each.__name__)
def test_half_of_the_samples_decide_the_same(situation: Situation, tmp_path: Path) -> None:
    evidence = read(situation(), tmp_path)
    kinds = [row.kind for row in decide(evidence)]
    for half in (0, 1):
        uses = {thing: of[half::2] for thing, of in evidence.use_rows.uses.items()}
        assert [row.kind for row in decide(replace(evidence, use_rows=replace(evidence.use_rows, uses=uses)))] == kinds


def test_a_placement_costs_what_it_leaves_remote(tmp_path: Path) -> None:
    evidence = read(serial_blocks(), tmp_path)
    (row,) = scored(evidence)
    low, high = row.interval
    assert row.after.remote == 0.0 and low <= row.removes <= high
    assert row.removes == pytest.approx(row.now.remote * row.now.mass)


# What is rendered


@pytest.mark.parametrize(
    "situation",
    [serial_blocks, used_whole, mismatched, two_objects],
    ids=lambda e: e.__name__,
)
def test_try_places_what_was_decided(situation: Situation, tmp_path: Path) -> None:
    path = situation().change("place", build_id="ab" * 20).write(tmp_path / "r.numaprof")
    with Recording(str(path)) as recording:
        evidence, layouts = evidence_of(recording), layouts_of(recording)
    tried = [subject.places[0] for found in proposals(evidence, layouts) for subject in found.subjects]
    wanted = [row for advice in advise(evidence) for decision in advice.decisions for row in decision.scored]
    assert len(tried) == len(wanted)
    for place, row in zip(tried, wanted):
        if row.placement.form.divided:
            assert place == place_of(row.placement, 0.0, 1.0)
        else:
            assert place.mode == "interleave"


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_each_change_is_an_advice_with_a_way_to_make_it(situation: Situation, tmp_path: Path) -> None:
    evidence = read(situation(), tmp_path)
    kinds = {decision.kind for decision in decide(evidence)} - {"leave"}
    advices = [advice for advice in advise(evidence) if advice.decisions]
    assert {advice.decision for advice in advices} - {"leave"} == kinds
    assert all(advice.code or advice.remarked or advice.change.endswith(".") for advice in advices)


# What the advice says


def advice_on(builder: RecordingBuilder, folder: Path) -> Advice:
    return advise(read(builder, folder))[0]


def test_code_gives_each_block_of_one_line_to_one_node(tmp_path: Path) -> None:
    """Parts of all blocks together are whole blocks: to cut each of them into these parts would be wrong."""
    advice = advice_on(allocations_of_their_own(), tmp_path)
    text = "\n".join(advice.code)
    assert "part_node[made++ % 32]" in text and "of 32 blocks, each of which is one part" in text
    assert "part_first" not in text
    assert advice.change.endswith(":")


def test_code_for_an_array_that_grows_moves_it_once_it_is_full(tmp_path: Path) -> None:
    advice = advice_on(grown(), tmp_path)
    assert advice.code[0].startswith("// after the last write to it at sum.c:17")
    assert "MPOL_MF_MOVE" in "\n".join(advice.code) and "numa_tonode_memory" not in "\n".join(advice.code)
    assert advice.change.endswith("Or, once it is full, move its parts to the nodes that use them:")


def test_code_names_every_line_that_allocates(tmp_path: Path) -> None:
    builder = sampled()
    for number in range(9):
        address, line = ARRAY + (number << 32), (ALLOC[0], 30 + number, ALLOC[2])
        use_blocks(builder, array(builder, SERIAL, address, line), [0] * 8, address)
    assert "sum.c:30, 31, 32, 33, 34, 35, 36, 37 and 38" in advice_on(builder, tmp_path).code[0]


def test_memory_that_lies_right_is_not_called_used_by_all(tmp_path: Path) -> None:
    evidence = read(lies_right(), tmp_path)
    (advice,) = advise(evidence)
    assert advice.decision == "leave"
    assert advice.finding.endswith("each thread a block of its own.")
    assert "copy" not in advice.change and "static schedule" not in advice.change


def test_memory_that_all_use_is_left_with_what_helps_instead(tmp_path: Path) -> None:
    (advice,) = advise(read(interleaved_and_used_whole(), tmp_path))
    assert advice.decision == "leave"
    assert advice.finding.endswith("every thread all of it.")
    assert "the same part each time" in advice.change


def test_too_few_samples_of_what_several_threads_touched_decide_nothing(tmp_path: Path) -> None:
    builder = sampled()
    block, stack = array(builder, PARALLEL), builder.stack(builder.place(LOOP))
    for thread in range(5):
        builder.loads(stack, thread + 1, [ARRAY + (7 - thread) * BLOCK * PAGE], 1 - thread // 4, block=block)
    assert decisions(builder, tmp_path) == []
