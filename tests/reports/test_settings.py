# SPDX-License-Identifier: Apache-2.0
"""Findings that no placement of an object answers: each speaks on the evidence it is for, and is silent on the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from numaprof.analysis.slow_tier import slow_share
from numaprof.analysis.verdict import Judgement, judge
from numaprof.document.overview_text import notes, pin_line
from numaprof.evidence.samples import Spells
from numaprof.evidence.spread import sampled_interval
from numaprof.placement.advice import Kind
from numaprof.placement.explain import advise
from numaprof.placement.settings import (
    dirty_lines,
    migrated_threads,
    moved_pages,
    policy,
    slow_tier,
)
from reading import read
from recording_builder import (
    FIRST_TOUCH,
    LOAD,
    LOCAL,
    PAGE,
    REMOTE,
    REMOTE_DIRTY,
    RecordingBuilder,
)
from scenarios import (
    ARRAY,
    BLOCK,
    INIT,
    LOOP,
    PAGES,
    PARALLEL,
    SCENARIOS,
    SERIAL,
    array,
    init_stack,
    levels,
    sampled,
    use_blocks,
)


def roaming(**run: object) -> RecordingBuilder:
    """Thread 0 runs on both nodes, and reads remotely from each."""
    builder = SCENARIOS["wandering"](**run)
    for event, value in ((1, 1_000_000), (2, 1_000), (3, 50_000)):
        builder.count(event, 1, value, cpu=0)
    return builder


def _counted_tier(remote: int, placement: str = "cxl") -> RecordingBuilder:
    """Its events counted a fifth of the demand reads; half of what DRAM answered was remote."""
    builder = SCENARIOS["slow_tier"]().counters("demand_rd", [2000] * 8, [2000] * 8)
    for side, value in (("local", 1000 - remote), ("remote", remote)):
        event = builder.event("demand_rd", f"{side}_{placement}")
        for thread in range(1, 9):
            builder.count(event, thread, value)
    return builder


def test_owner_moved_says_pin(tmp_path: Path) -> None:
    advice = migrated_threads.rule(read(SCENARIOS["wandering"](), tmp_path))
    assert advice is not None
    assert "thread 0 (app 4711) first touched 16 MiB on node 0, but ran on node 1" in advice.finding
    assert "a new initialisation would not last" in advice.change
    assert advice.removes == pytest.approx(1.0)


def test_owner_moved_is_silent_for_pinned_threads(tmp_path: Path) -> None:
    builder = SCENARIOS["wandering"]().change("thread", pin="planned", migrations=0)
    assert migrated_threads.rule(read(builder, tmp_path)) is None


def test_owner_moved_is_silent_without_remote_reads(tmp_path: Path) -> None:
    builder = SCENARIOS["wandering"]().change("count", where="event = 3", value=100)
    assert migrated_threads.rule(read(builder, tmp_path)) is None


def test_balancing_that_moved_pages_is_told(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"](balancing=1, balancing_moved_pages=4096)
    advice = moved_pages.rule(read(builder, tmp_path))
    assert advice is not None
    assert "automatic NUMA balancing moved 4 096 pages (50.0 % of those touched)" in advice.finding
    assert advice.code == ("sysctl kernel.numa_balancing=0",)


@pytest.mark.parametrize(("balancing", "moved"), [(0, 4096), (1, 0), (1, 10), (1, None), (None, None)])
def test_balancing_that_did_nothing_is_not(balancing: int | None, moved: int | None, tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"](balancing=balancing, balancing_moved_pages=moved)
    assert moved_pages.rule(read(builder, tmp_path)) is None


def test_migrated_threads_are_named(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]().change("thread", where="id = 6", migrations=2)
    advice = moved_pages.rule(read(builder, tmp_path))
    assert advice is not None
    assert "1 pinned thread left its CPU (sum 4716)" in advice.finding


def test_a_program_without_traffic_is_not_recorded_again(tmp_path: Path) -> None:
    builder = SCENARIOS["little_traffic"]().change("thread", where="id = 6", migrations=2)
    assert advise(read(builder, tmp_path)) == []


def test_threads_that_nobody_pinned_can_be(tmp_path: Path) -> None:
    advice = moved_pages.rule(read(roaming(), tmp_path))
    assert advice is not None
    assert "1 unpinned thread ran on several nodes" in advice.finding
    assert advice.code == ("numaprof --pin compact ./sum",)
    assert advice.evidence == "the CPUs it ran on."


def test_a_plan_pins_no_process_of_one_thread(tmp_path: Path) -> None:
    """What was not pinned by the plan will not be next time."""
    evidence = read(roaming(pin_policy="compact"), tmp_path)
    (found,) = moved_pages.rule(evidence).remarked  # type: ignore[union-attr]
    assert found.code.startswith("numa_run_on_node(numa_node_of_cpu(")
    moved = migrated_threads.rule(evidence)
    assert moved is None or "--pin compact does it" not in moved.change


def test_who_has_no_source_gets_a_command(tmp_path: Path) -> None:
    builder = roaming(pin_policy="compact", program="/usr/bin/sqlite3").change("place", file=None, line=None)
    evidence = read(builder, tmp_path)
    found = moved_pages.rule(evidence)
    assert found is not None
    assert found.code == ("numactl --cpunodebind=0 numaprof ./sum",)
    assert found.remarked == ()


def test_threads_that_moved_are_no_matter_where_little_is_remote(
    tmp_path: Path,
) -> None:
    builder = roaming(pin_policy="compact")
    assert moved_pages.rule(read(builder, tmp_path)) is not None
    builder.change("count", where="event = 2", value=1_000_000_000)
    assert judge(read(builder, tmp_path)) is Judgement.LIGHT
    assert moved_pages.rule(read(builder, tmp_path)) is None


def test_a_thread_that_reads_nothing_remotely_may_run_anywhere(tmp_path: Path) -> None:
    builder = roaming().change("count", where="event = 3 AND thread = 1", value=0)
    builder.change("count", where="event = 3 AND thread = 2", value=200_000)
    assert moved_pages.rule(read(builder, tmp_path)) is None


def test_memory_without_cpus_is_slow_not_remote(tmp_path: Path) -> None:
    evidence = read(SCENARIOS["slow_tier"](), tmp_path)
    advice = slow_tier.rule(evidence)
    assert advice is not None
    assert advice.kind is Kind.SETTING
    assert "Node 2 (memory behind CXL), slow for every CPU and local to none, holds 32 MiB." in advice.finding
    assert advice.code == ("numactl --membind=0-1 ./sum",)
    assert "the slow tier answered 100 % ± 1 of 256 sampled loads and stores that memory answered" in advice.evidence
    assert evidence.samples.remote_accesses == 0  # hint faults have no source: the page's node tells


def test_the_slow_tier_is_given_the_part_of_an_object_that_it_holds(
    tmp_path: Path,
) -> None:
    """The rest is remote to half of the threads: two pieces of advice for two parts, which do not contradict."""
    builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", [50_000] * 8, [50_000] * 8)
    builder.row("node", id=2, mem_bytes=64 << 30, free_bytes=60 << 30, allowed=1)
    builder.row("node_memory", node=2, memory="CXL")
    slow = PAGES * 3 // 8
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0)
    builder.homes((ARRAY, slow, 2), (ARRAY + slow * PAGE, PAGES - slow, 0))
    evidence = read(builder, tmp_path)
    held = slow_tier.rule(evidence)
    assert held is not None and "holds 12 MiB of 32 MiB." in held.finding
    assert "parallel" not in held.change


def test_the_slow_tiers_share_is_counted_where_the_cpu_can(tmp_path: Path) -> None:
    evidence = read(_counted_tier(600), tmp_path)
    found = slow_share(evidence)
    assert found is not None and found.samples is None
    assert found.share == pytest.approx(0.2)
    advice = slow_tier.rule(evidence)
    assert advice is not None
    assert "the slow tier answered 20.0 % of the demand reads that memory answered" in advice.evidence
    assert evidence.traffic.share == 0.5  # the tier is neither local nor remote


@pytest.mark.parametrize(("memory", "counted"), [("CXL", True), ("untold", True), ("persistent", False)])
def test_counts_of_another_kind_of_memory_are_not_the_tiers(memory: str, counted: bool, tmp_path: Path) -> None:
    found = slow_share(
        read(
            _counted_tier(600).change("node_memory", where="node = 2", memory=memory),
            tmp_path,
        )
    )
    assert found is not None and (found.samples is None) == counted


@pytest.mark.parametrize(("memory", "counted"), [("CXL", True), ("untold", False)])
def test_no_count_tells_only_of_a_tier_of_the_same_kind(memory: str, counted: bool, tmp_path: Path) -> None:
    builder = _counted_tier(1000, placement="cxl").change("node_memory", where="node = 2", memory=memory)
    builder.change("count", where="value = 1000", value=0)
    found = slow_share(read(builder, tmp_path))
    assert found is not None and (found.samples is None) == counted


def test_the_slow_tiers_share_has_the_error_of_its_weights(tmp_path: Path) -> None:
    """A load that stands for as much as all others leaves the share open, however many these are."""
    builder = SCENARIOS["slow_tier"]()
    found = slow_share(read(builder, tmp_path))
    assert found is not None and found.share == 1 and found.interval is not None and found.interval[0] > 0.98
    builder.sample(LOAD, 1, None, 256 * 1009, address=ARRAY, page_node=0, source=1)
    wide = slow_share(read(builder, tmp_path))
    assert wide is not None and wide.share == 0.5 and wide.interval is not None
    assert wide.interval[1] - wide.interval[0] > 0.6
    assert slow_share(read(SCENARIOS["serial_init"](), tmp_path)) is None


def test_the_slow_tiers_share_has_the_error_of_its_phases(tmp_path: Path) -> None:
    """First all answers are the slow tier's, then none: what a thread does at one time is much the same."""
    builder = SCENARIOS["slow_tier"]()
    for thread in range(8):
        builder.loads(0, thread + 1, range(ARRAY, ARRAY + 32 * PAGE, PAGE), thread // 4)
    found = slow_share(read(builder, tmp_path))
    assert found is not None and found.interval is not None
    assert (found.share, found.samples) == (0.5, 512)
    low, high = sampled_interval(found.share, 512)  # if samples were independent
    assert found.interval[1] - found.interval[0] > 2 * (high - low)


def test_samples_are_not_asked_for_a_share_that_counters_tell(tmp_path: Path) -> None:
    (tmp_path / "counted").mkdir()
    (tmp_path / "sampled").mkdir()
    counted, sampled = (
        SCENARIOS["serial_init"](),
        levels(RecordingBuilder(), counters=False).threads(8),
    )
    for builder in (counted, sampled):
        builder.loads(0, 3, range(ARRAY, ARRAY + 32 * PAGE, PAGE), 1)
    assert read(counted, tmp_path / "counted").spells == Spells()
    found = read(sampled, tmp_path / "sampled").spells
    assert list(found.remote_of) == [3] and sum(spell.having for spell in found.remote) == 32 * 1009
    assert not found.slow


def test_of_an_older_recording_nodes_without_cpus_are_the_slow_tier(
    tmp_path: Path,
) -> None:
    builder = SCENARIOS["slow_tier"]()
    builder.statements.append("DROP TABLE node_memory;")
    advice = slow_tier.rule(read(builder, tmp_path))
    assert advice is not None
    assert "Node 2 (memory without CPUs), of unknown speed and local to none" in advice.finding


def test_memory_of_which_nothing_is_told_is_not_called_slow(tmp_path: Path) -> None:
    """High-bandwidth memory without HMAT looks like this."""
    builder = SCENARIOS["slow_tier"]().change("node_memory", where="node = 2", memory="untold")
    advice = slow_tier.rule(read(builder, tmp_path))
    assert advice is not None
    assert "Node 2 (memory without CPUs), of unknown speed and local to none" in advice.finding
    assert "numaprof topology --measure" in advice.change
    assert "memory without CPUs, of unknown speed, answered 100 % ± 1 of 256" in advice.evidence
    assert "slow tier" not in advice.finding + advice.change + advice.evidence


def test_high_bandwidth_memory_is_no_slow_tier(tmp_path: Path) -> None:
    builder = SCENARIOS["slow_tier"]().change("node_memory", where="node = 2", memory="HBM")
    evidence = read(builder, tmp_path)
    assert slow_tier.rule(evidence) is None
    assert evidence.machine.slow_nodes == ()


def test_pages_that_moved_are_told_by_their_nodes_at_two_moments(
    tmp_path: Path,
) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0).homes(
        (ARRAY, PAGES // 4, 1), (ARRAY + PAGES // 4 * PAGE, PAGES // 4 * 3, 0)
    )
    evidence = read(builder, tmp_path)
    (found,) = (each for each in evidence.objects.found if each.moves)
    assert found.moves == {(0, 1): PAGES / 4}
    assert "25.0 % of 8 192 pages moved to another node after their first touch" in "".join(pin_line(evidence))


def test_only_pages_that_were_asked_about_twice_are_called_moved(
    tmp_path: Path,
) -> None:
    """Of the look before the end, one page in five: what lies between them is not known to have moved."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    stack = init_stack(builder)
    for page in range(40):
        builder.touch(stack, 1, ARRAY + page * PAGE, 1, page_node=0)
    builder.homes((ARRAY, 40, 1)).change("page_home", pages=8)
    evidence = read(builder, tmp_path)
    assert sum(pages for found in evidence.objects.found for pages in found.moves.values()) == 8


def test_owner_moved_by_addresses(tmp_path: Path) -> None:
    builder = sampled().change("thread", pin="none", planned_cpu=None, migrations=2)
    block = array(builder, [t // 2 for t in range(8)])  # threads 0 to 3 touch, on node 0 ...
    stack = builder.stack(builder.place(LOOP))
    for thread in range(4):  # ... and read on node 1
        start = ARRAY + thread * 2 * BLOCK * PAGE
        for address in range(start, start + 2 * BLOCK * PAGE, 16 * PAGE):
            columns = {
                "cpu": 4 + thread,
                "page_node": 0,
                "source": REMOTE,
                "block": block,
            }
            builder.sample(LOAD, thread + 1, stack, 1009, address=address, **columns)
    evidence = read(builder, tmp_path)
    advice = migrated_threads.rule(evidence)
    assert advice is not None
    assert "first touched 8 MiB on node 0, but uses it on node 1" in advice.finding
    assert advice.code == ("OMP_PROC_BIND=close OMP_PLACES=cores ./sum",)


def test_no_line_is_offered_against_a_move_of_the_program_itself(
    tmp_path: Path,
) -> None:
    builder = sampled().change("thread", pin="program", planned_cpu=None, migrations=2)
    block = array(builder, [t // 2 for t in range(8)])
    stack = builder.stack(builder.place(LOOP))
    for thread in range(4):
        start = ARRAY + thread * 2 * BLOCK * PAGE
        for address in range(start, start + 2 * BLOCK * PAGE, 16 * PAGE):
            columns = {
                "cpu": 4 + thread,
                "page_node": 0,
                "source": REMOTE,
                "block": block,
            }
            builder.sample(LOAD, thread + 1, stack, 1009, address=address, **columns)
    advice = migrated_threads.rule(read(builder, tmp_path))
    assert advice is not None
    assert "do that before the first touch, or not at all" in advice.change
    assert (advice.code, advice.remarked) == ((), ())


def test_policy_that_binds(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, array(builder, PARALLEL, homes="0"), [0] * 8)
    advice = policy.rule(read(builder, tmp_path))
    assert advice is not None
    assert "is on node 0: a memory policy" in advice.finding
    assert "numactl --show" in advice.change


def test_policy_of_the_command_itself(tmp_path: Path) -> None:
    builder = sampled().change("run", command='["/usr/bin/numactl", "--membind=0", "./sum"]')
    use_blocks(builder, array(builder, PARALLEL, homes="0"), [0] * 8)
    advice = policy.rule(read(builder, tmp_path))
    assert advice is not None
    assert "the numactl in the command decides" in advice.finding
    assert advice.code == ()


def test_cpuset_that_binds(tmp_path: Path) -> None:
    builder = sampled().change("run", allowed_nodes="0")
    use_blocks(builder, array(builder, PARALLEL, homes="0"), [0] * 8)
    advice = policy.rule(read(builder, tmp_path))
    assert advice is not None
    assert "the cpuset of this run allows memory of node 0 only" in advice.finding


def test_full_node(tmp_path: Path) -> None:
    builder = sampled().change("node", where="id = 1", free_bytes=1 << 20)
    use_blocks(builder, array(builder, PARALLEL, homes="0"), [0] * 8)
    advice = policy.rule(read(builder, tmp_path))
    assert advice is not None
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
    assert moved_pages.rule(evidence) is not None


@pytest.mark.parametrize(
    ("dirty", "near", "fires"),
    [
        (150, 0, True),
        (20, 0, False),
        (150, 1000, True),
        (
            150,
            2000,
            False,
        ),  # of all loads few: more or fewer samples of them change nothing
    ],
)
def test_dirty_lines(dirty: int, near: int, fires: bool, tmp_path: Path) -> None:
    builder = sampled()
    block = builder.block(builder.object("static", name="counts"), ARRAY, 1)
    stack = builder.stack(builder.place(LOOP))
    builder.sample(
        LOAD,
        1,
        stack,
        1009 * near,
        address=ARRAY,
        source=LOCAL,
        page_node=0,
        block=block,
    )
    for number in range(200):
        source = REMOTE_DIRTY if number < dirty else REMOTE
        builder.sample(
            LOAD,
            1 + number % 8,
            stack,
            1009,
            address=ARRAY + number,
            source=source,
            page_node=0,
            block=block,
        )
    advice = dirty_lines.rule(read(builder, tmp_path))
    assert (advice is not None) is fires
    if advice is not None:
        assert "most of `counts`" in advice.finding
        assert "perf c2c record ./sum" in advice.code[0]
        assert not advice.can_be_tried


def test_a_first_thread_that_wandered_is_said(tmp_path: Path) -> None:
    python = "/usr/bin/python3.12"  # no line of C to change
    for share, file, speaks in (
        (0.5, "/lib/libc.so.6", True),
        (0.01, "/lib/libc.so.6", False),
        (0.5, python, False),
    ):
        builder = sampled()
        builder.row("code_file", path=file)
        block = builder.block(builder.object("heap", builder.stack(builder.place(INIT))), ARRAY, PAGES)
        for page in range(0, PAGES, 16):
            away = page < share * PAGES
            where = {
                "address": ARRAY + page * PAGE,
                "block": block,
                "page_node": int(away),
                "cpu": 4 if away else 0,
            }
            builder.sample(FIRST_TOUCH, 1, builder.stack(builder.place(INIT)), 16, **where)
        evidence = read(builder, tmp_path)
        advice = moved_pages.rule(evidence)
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
            assert leaves == (
                "numa_run_on_node(-1);",
                "in main, before it starts threads",
            )


def test_a_first_thread_that_wandered_unpinned_can_be_pinned(tmp_path: Path) -> None:
    """Also that of a runtime: pinning keeps it on its node from the start, and needs no change of the program."""
    for file in ("/lib/libc.so.6", "/usr/bin/python3.12"):
        builder = sampled().change("thread", pin="none").change("run", pin_policy="none")
        builder.row("code_file", path=file)
        block = builder.block(builder.object("heap", builder.stack(builder.place(INIT))), ARRAY, PAGES)
        for page in range(0, PAGES, 16):
            node = 2 * page // PAGES
            where = {
                "address": ARRAY + page * PAGE,
                "block": block,
                "page_node": node,
                "cpu": 4 * node,
            }
            builder.sample(FIRST_TOUCH, 1, builder.stack(builder.place(INIT)), 16, **where)
        evidence = read(builder, tmp_path)
        advice = moved_pages.rule(evidence)
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
        where = {
            "block": block,
            "page_node": turn % 2 if policy else node,
            "cpu": 4 * node,
        }
        builder.sample(
            FIRST_TOUCH,
            1,
            builder.stack(builder.place(INIT)),
            16,
            address=ARRAY + page * PAGE,
            **where,
        )
    evidence = read(builder, tmp_path)
    assert (moved_pages.rule(evidence) is None) is policy
    assert any("The nodes of that memory are chance" in note for note in notes(evidence)) is not policy
