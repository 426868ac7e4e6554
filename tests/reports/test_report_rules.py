# SPDX-License-Identifier: Apache-2.0
"""Each rule fires on the evidence it is for, says what it may say, and stays silent on everything else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from numaprof.analysis.slow_tier import slow_share
from numaprof.analysis.verdict import Judgement, judge
from numaprof.document.overview_text import pin_line
from numaprof.document.unexplained import unexplained
from numaprof.evidence.samples import Spells
from numaprof.evidence.spread import sampled_interval
from numaprof.rules import RULES, advise
from numaprof.rules.advice import Kind, Remarked
from numaprof.rules.change_program import serial_init, shared_by_all
from numaprof.rules.change_run import disturbed, owner_moved, placed_before, plan_leaves_node, slow_tier
from numaprof.rules.leave_alone import nothing_to_gain, prefetch_border, read_by_all
from reading import printed, read
from recording_builder import FIRST_TOUCH, LOAD, PAGE, RAN, RecordingBuilder
from scenarios import ARRAY, INIT, LOOP, PAGES, SCENARIOS, hinted, init_stack, levels, overflows, touched_serially

# The whole truth: which scenario makes which rule speak, first the advice that stands first. Everything else is silent.
EXPECTED = {
    "serial_init": [serial_init],
    "parallel_init": [prefetch_border],
    "faults_only": [serial_init],
    "hinted": [serial_init],
    "hinted_by_all": [shared_by_all],
    "named_objects": [serial_init, shared_by_all],
    "all_read_all": [read_by_all],
    "little_traffic": [nothing_to_gain],
    "one_node_plan": [plan_leaves_node],
    "multiplexed": [serial_init],
    "wandering": [owner_moved, plan_leaves_node],
    "many_threads": [],
    "hostile": [serial_init],
    "no_threads": [],
    "killed_recorder": [serial_init],
    "starved_recorder": [serial_init],
    "slow_tier": [slow_tier],
    "one_node_machine": [],
    "emulated": [serial_init],
    "attached_server": [placed_before],
}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_right_advice_and_no_other(scenario: str, tmp_path: Path) -> None:
    evidence = read(SCENARIOS[scenario](), tmp_path)
    expected = [(module.__name__.rpartition(".")[2], module.rule(evidence)) for module in EXPECTED[scenario]]
    assert advise(evidence) == [replace(advice, rule=name) for name, advice in expected]
    silent = [rule for rule in RULES if rule not in [module.rule for module in EXPECTED[scenario]]]
    assert [rule(evidence) for rule in silent] == [None] * len(silent)


WORKED = {"one": "cpu_ns / 1000 WHERE id > 1", "none": "0"}


@pytest.mark.parametrize("who", WORKED)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_whoever_worked_there_is_a_report(scenario: str, who: str, tmp_path: Path) -> None:
    """A thread that worked nearly alone has no other workers to be compared with."""
    builder = SCENARIOS[scenario]()
    builder.statements.append(f"UPDATE thread SET cpu_ns = {WORKED[who]};")
    assert printed(builder, tmp_path)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_advice_to_change_something_says_how(scenario: str, tmp_path: Path) -> None:
    changes = [advice for advice in advise(read(SCENARIOS[scenario](), tmp_path)) if advice.kind is not Kind.LEAVE]
    # Where spreading would make more remote.
    in_words = "If each thread uses a part of its own, let it write to that part first."
    assert all(advice.code or advice.remarked or advice.change == in_words for advice in changes), changes


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_rules_read_evidence_not_names(scenario: str, tmp_path: Path) -> None:
    """Renaming everything changes the names in the advice, and nothing else."""
    builder = SCENARIOS[scenario]()
    before = advise(read(builder, tmp_path))
    builder.change("thread", name="zz").change("place", function="zz", module="/opt/zz").change(
        "run", program="/opt/zz"
    )
    builder.change("place", where="module GLOB '/opt/*' AND file IS NULL", module="/usr/lib/zz.so")
    after = advise(read(builder, tmp_path))
    assert [(advice.kind, advice.removes) for advice in before] == [(advice.kind, advice.removes) for advice in after]


# Serial initialisation


def test_serial_init_names_both_lines(tmp_path: Path) -> None:
    advice = serial_init.rule(read(SCENARIOS["serial_init"](), tmp_path))
    assert advice is not None
    assert advice.kind is Kind.FIX
    assert "sum.c:17 main first touches 32 MiB, all from thread 0 (sum 4711)" in advice.finding
    assert "Most remote requests come from sum.c:22 main._omp_fn.0, in 4 threads on node 1" in advice.finding
    assert advice.code[1] == "#pragma omp parallel for schedule(static)"
    assert advice.remarked == (Remarked("numactl --interleave=all ./sum", "instead, if every thread uses all of it"),)
    assert "memset writes all of it at sum.c:17" in advice.change
    assert advice.removes is None
    assert advice.concerns == pytest.approx(1.0)
    assert "The counters do not tell" in advice.evidence


def test_few_samples_of_one_thread_do_not_make_it_the_only_user(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]()
    builder.loads(builder.stack(builder.place(LOOP)), 6, range(ARRAY, ARRAY + 20 * PAGE, PAGE), 0)
    advice = serial_init.rule(read(builder, tmp_path))
    assert advice is not None
    assert "One thread alone" not in advice.change
    assert "#pragma omp parallel for" in advice.code[1]


def test_serial_init_from_faults_alone_claims_no_use(tmp_path: Path) -> None:
    advice = serial_init.rule(read(SCENARIOS["faults_only"](), tmp_path))
    assert advice is not None
    assert "8 threads on nodes 0-1 could use it; who did is not known here" in advice.finding
    assert advice.removes is None
    assert "page faults only" in advice.evidence
    assert "sum.c:22" not in advice.finding + advice.change + advice.evidence


def test_serial_init_with_measured_use(tmp_path: Path) -> None:
    advice = serial_init.rule(read(SCENARIOS["hinted"](), tmp_path))
    assert advice is not None
    assert (
        "sum.c:22 main._omp_fn.0 uses it from 8 threads on nodes 0-1, each thread a block of its own" in advice.finding
    )
    assert advice.removes == pytest.approx(1.0)


def test_serial_init_counts_only_its_own_part(tmp_path: Path) -> None:
    """Half of the remote accesses reach memory that another line touched."""
    builder = hinted()
    other = builder.stack(builder.place(("/home/u/src/sum.c", 90, "tables")))
    builder.touch(other, 4, ARRAY + (1 << 32), PAGES, page_node=0)
    use = builder.stack(builder.place(LOOP))
    builder.hints(use, 5, range(ARRAY + (1 << 32), ARRAY + (1 << 32) + 128 * 64 * PAGE, 64 * PAGE), page_node=0)
    advice = serial_init.rule(read(builder, tmp_path))
    assert advice is not None
    assert advice.removes == pytest.approx(0.5)
    assert "sum.c:90" not in advice.finding


def test_serial_init_by_a_loop(tmp_path: Path) -> None:
    """The instruction that touches is the line's own: no talk of calls."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    builder.touch(builder.stack(builder.place(INIT)), 1, ARRAY, PAGES, page_node=0)
    advice = serial_init.rule(read(builder, tmp_path))
    assert advice is not None
    assert "What touches" not in advice.change


def test_serial_init_by_most_of_the_touches(tmp_path: Path) -> None:
    builder = SCENARIOS["faults_only"]()
    builder.touch(init_stack(builder), 2, ARRAY + (1 << 32), 640, page_node=0)
    advice = serial_init.rule(read(builder, tmp_path))
    assert advice is not None
    assert "92.8 % or more of it from thread 0" in advice.finding


def test_serial_init_counted_by_cpu(tmp_path: Path) -> None:
    """Threads are not told apart, but their CPUs are: what it is about is known all the same."""
    builder = levels(RecordingBuilder()).threads(8, from_start=0).threads(1, name="extra", cpus=(4,))
    clock = builder.event("time", "")
    local, remote = builder.event("demand_rd", "local_dram"), builder.event("demand_rd", "remote_dram")
    for cpu in range(8):
        builder.count(clock, None, RAN, cpu=cpu)
        builder.count(local, None, 100_000 if cpu < 4 else 0, cpu=cpu)
        builder.count(remote, None, 0 if cpu < 4 else 100_000, cpu=cpu)
    advice = serial_init.rule(read(touched_serially(builder), tmp_path))
    assert advice is not None
    assert advice.concerns == pytest.approx(1.0)


def test_serial_init_lists_several_lines(tmp_path: Path) -> None:
    builder = SCENARIOS["faults_only"]()
    for line in (18, 19, 20, 21):
        stack = builder.stack(builder.place(("/home/u/src/sum.c", line, "main")))
        builder.touch(stack, 1, ARRAY + line * (1 << 32), PAGES // 2, page_node=0)
    advice = serial_init.rule(read(builder, tmp_path))
    assert advice is not None
    assert "sum.c:17, 18, 19, 20 and 21 main first touch 96 MiB" in advice.finding
    assert advice.code == ("numactl --interleave=all ./sum",)


def test_serial_init_is_silent_for_one_thread(tmp_path: Path) -> None:
    builder = touched_serially(levels(RecordingBuilder(), counters=False).threads(1))
    assert serial_init.rule(read(builder, tmp_path)) is None


def test_serial_init_leaves_helper_threads_out(tmp_path: Path) -> None:
    """The second thread slept: there is nobody to initialise in parallel."""
    builder = touched_serially(levels(RecordingBuilder(), counters=False).threads(1))
    builder.threads(1, cpus=(4,), cpu_ns=RAN // 1000, pin="helper")
    assert serial_init.rule(read(builder, tmp_path)) is None


def test_serial_init_is_silent_for_small_memory(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, 64, page_node=0)
    assert serial_init.rule(read(builder, tmp_path)) is None


def test_serial_init_is_silent_for_unknown_places(tmp_path: Path) -> None:
    """No call stack, no line: there is nothing to point at."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    for page in range(0, PAGES, 64):
        builder.sample(10, 1, None, 64, address=ARRAY + page * PAGE)
    assert serial_init.rule(read(builder, tmp_path)) is None


def test_serial_init_without_remote_readers_is_silent(tmp_path: Path) -> None:
    """Touched by one thread, but all that read it sit on the same node, and nothing is remote."""
    builder = levels(RecordingBuilder()).threads(4).counters("demand_rd", [100_000] * 4, [0] * 4)
    assert serial_init.rule(read(touched_serially(builder), tmp_path)) is None


def test_line_of_the_use_is_not_the_line_of_the_init(tmp_path: Path) -> None:
    """Remote samples at the init line itself say nothing about the use."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand_rd", [100_000] * 4 + [0] * 4, [0] * 4 + [100_000] * 4)
    touched_serially(builder)
    for _ in range(40):
        builder.sample(1, 5, init_stack(builder), 3271, event=2)
    advice = serial_init.rule(read(builder, tmp_path))
    assert advice is not None
    assert "no sample tells at which line" in advice.finding


# All threads use all of it


def test_shared_by_all_says_why_parallel_init_does_not_help(tmp_path: Path) -> None:
    advice = shared_by_all.rule(read(SCENARIOS["hinted_by_all"](), tmp_path))
    assert advice is not None
    assert "A parallel initialisation would not help" in advice.change
    assert advice.code == ("numactl --interleave=all ./sum",)
    assert "sum.c:22" in advice.finding


def test_a_variable_beside_divided_memory_is_spread_alone(tmp_path: Path) -> None:
    """Where the text cannot be read, before its first touch: it is there before the program starts."""
    advice = shared_by_all.rule(read(SCENARIOS["named_objects"](), tmp_path))
    assert advice is not None
    assert advice.code[0].startswith("// before sum.c:17, add, with the program's names for POINTER and BYTES")
    assert any("numa_interleave_memory" in line for line in advice.code)


def test_shared_by_all_needs_more_than_a_few_accesses(tmp_path: Path) -> None:
    """Two accesses far apart span everything, and prove nothing."""
    builder = levels(RecordingBuilder(balancing=1), counters=False).threads(8)
    touched_serially(builder)
    stack = builder.stack(builder.place(LOOP))
    for thread in range(8):
        builder.hints(stack, thread + 1, [ARRAY, ARRAY + (PAGES - 1) * PAGE] * 7, page_node=0)
    assert shared_by_all.rule(read(builder, tmp_path)) is None


def test_read_by_all_is_silent_when_one_thread_is_local(tmp_path: Path) -> None:
    """Spread memory, but thread 0 reads only its own part: not everybody reads everything."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand_rd", [1_000_000] + [500_000] * 7, [0] + [500_000] * 7)
    builder.homes((ARRAY, PAGES, 0), (ARRAY + PAGES * PAGE, PAGES, 1))
    assert read_by_all.rule(read(builder, tmp_path)) is None


# The owner moved


def test_owner_moved_says_pin(tmp_path: Path) -> None:
    advice = owner_moved.rule(read(SCENARIOS["wandering"](), tmp_path))
    assert advice is not None
    assert "thread 0 (app 4711) first touched 16 MiB on node 0, but ran on node 1" in advice.finding
    assert "a new initialisation would not last" in advice.change
    assert advice.removes == pytest.approx(1.0)


def test_owner_moved_is_silent_for_pinned_threads(tmp_path: Path) -> None:
    builder = SCENARIOS["wandering"]().change("thread", pin="planned", migrations=0)
    assert owner_moved.rule(read(builder, tmp_path)) is None


def test_owner_moved_is_silent_without_remote_reads(tmp_path: Path) -> None:
    builder = SCENARIOS["wandering"]().change("count", where="event = 3", value=100)
    assert owner_moved.rule(read(builder, tmp_path)) is None


# Prefetches across a border


def test_prefetch_border_names_who(tmp_path: Path) -> None:
    advice = prefetch_border.rule(read(SCENARIOS["parallel_init"](), tmp_path))
    assert advice is not None
    assert advice.kind is Kind.LEAVE
    assert "across the borders" in advice.finding
    assert "2 threads with a neighbour on another node made 100.0 % of them" in advice.evidence


def test_prefetches_of_threads_within_a_node_are_not_at_a_border(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", [11] * 8, [0] * 8)
    builder.counters("pf_any", [131_072] * 8, [3_000, 0, 0, 0, 0, 0, 0, 3_000])
    advice = prefetch_border.rule(read(builder, tmp_path))
    assert advice is not None
    assert "border" not in advice.finding + advice.evidence


@pytest.mark.parametrize(
    ("demand", "prefetch"),
    [
        ([1_000] * 8, [5_000] * 8),  # demand reads are a sixth of it
        ([0] * 8, [60_000] * 8),  # prefetches only, but a third of all
        ([0] * 8, [0] * 8),  # nothing is remote
    ],
)
def test_prefetch_border_is_silent(demand: list[int], prefetch: list[int], tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", [100_000] * 8, demand)
    builder.counters("pf_any", [131_072] * 8, prefetch)
    assert prefetch_border.rule(read(builder, tmp_path)) is None


def test_prefetch_border_is_silent_where_prefetches_are_not_counted(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", [100_000] * 8, [100] * 8)
    assert prefetch_border.rule(read(builder, tmp_path)) is None


# Nothing to gain


def test_nothing_to_gain_gives_the_number(tmp_path: Path) -> None:
    advice = nothing_to_gain.rule(read(SCENARIOS["little_traffic"](), tmp_path))
    assert advice is not None
    # 2 000 remote requests x 100 ns = 200 us of 8 x 50 ms.
    assert "2 000 remote requests" in advice.finding
    assert "200 us, 0.1 % of the CPU time" in advice.evidence


def test_few_requests_are_few_whatever_their_share(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", [300] * 8, [1] * 8)
    builder.counters("pf_any", [300] * 8, [0] * 8)
    advice = nothing_to_gain.rule(read(builder, tmp_path))
    assert advice is not None
    assert "8 remote requests" in advice.finding
    # 8 x 30 000 local ones are 6 % of 8 x 50 ms, were they remote: not few.
    builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", [30_000] * 8, [100] * 8)
    builder.counters("pf_any", [300] * 8, [0] * 8)
    assert nothing_to_gain.rule(read(builder, tmp_path)) is None


def test_many_requests_of_which_few_are_remote_are_not_little_traffic(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", [30_000] * 8, [2_000] * 8)
    builder.counters("pf_any", [300] * 8, [0] * 8)
    shown = " ".join(printed(builder, tmp_path).split())
    assert "Remote requests cost next to nothing: 16 k remote requests in all." in shown
    assert "asks little of memory" not in shown and "Only" not in shown
    assert "of DRAM requests are remote" in shown


def test_threads_that_only_spin_do_not_make_the_others_waiting_little(tmp_path: Path) -> None:
    """One of 128 threads waits for 40 of its 50 ms."""
    builder = levels(RecordingBuilder(cpus_per_node=64)).threads(128)
    builder.counters("demand_rd", [0] * 128, [400_000, *[0] * 127])
    builder.counters("pf_any", [0] * 128, [0] * 128)
    assert nothing_to_gain.rule(read(builder, tmp_path)) is None


def test_nothing_to_gain_uses_measured_latencies(tmp_path: Path) -> None:
    """5 000 remote reads of 1 us more each are 1.25 % of the time: worth a look after all."""
    builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", [1_000] * 8, [625] * 8)
    for from_node, to_node, nanoseconds in ((0, 0, 100.0), (0, 1, 1100.0)):
        builder.row("distance", from_node=from_node, to_node=to_node, latency_ns=nanoseconds)
    assert nothing_to_gain.rule(read(builder, tmp_path)) is None


def test_nothing_to_gain_does_not_believe_emulated_time(tmp_path: Path) -> None:
    """Emulated CPU time is long, so any traffic looks small in it; counts decide."""
    builder = SCENARIOS["emulated"]().change("thread", cpu_ns=10**12)
    assert nothing_to_gain.rule(read(builder, tmp_path)) is None
    assert nothing_to_gain.rule(read(SCENARIOS["little_traffic"](emulated="two-nodes"), tmp_path)) is not None


# The plan leaves a node without work


def test_plan_leaves_node_says_scatter(tmp_path: Path) -> None:
    advice = plan_leaves_node.rule(read(SCENARIOS["one_node_plan"](), tmp_path))
    assert advice is not None
    assert "4 threads on node 0: node 1 had none" in advice.finding
    assert advice.code == ("numaprof --pin scatter ./sum",)


def test_plan_leaves_node_knows_the_affinity_mask(tmp_path: Path) -> None:
    builder = SCENARIOS["one_node_plan"]().change("cpu", where="node = 1", allowed=0)
    advice = plan_leaves_node.rule(read(builder, tmp_path))
    assert advice is not None
    assert "The affinity mask that the run inherited leaves out node 1" in advice.change
    assert advice.code == ("taskset -c 0-7 numaprof --pin scatter ./sum",)


def test_plan_leaves_node_respects_the_program(tmp_path: Path) -> None:
    builder = SCENARIOS["one_node_plan"]().change("thread", pin="program", planned_cpu=None, own_cpus="0-3")
    advice = plan_leaves_node.rule(read(builder, tmp_path))
    assert advice is not None
    assert advice.code == ("OMP_PLACES=cores OMP_PROC_BIND=spread ./sum",)


def test_plan_leaves_node_is_silent_about_nodes_without_cpus_or_memory(tmp_path: Path) -> None:
    """Memory behind CXL has no CPUs, a node may have no memory: nothing can run there, or nothing is won."""
    builder = SCENARIOS["one_node_plan"]().change("cpu", node=0)
    assert plan_leaves_node.rule(read(builder, tmp_path)) is None
    builder = SCENARIOS["one_node_plan"]().change("node", where="id = 1", mem_bytes=0)
    assert plan_leaves_node.rule(read(builder, tmp_path)) is None


def test_plan_leaves_node_is_silent_when_places_are_unknown(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(pin_policy="none"), counters=False).threads(4, pin="none", planned_cpu=None)
    assert plan_leaves_node.rule(read(builder, tmp_path)) is None


# Disturbed measurement


def test_balancing_that_moved_pages_is_told(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"](balancing=1, balancing_moved_pages=4096)
    advice = disturbed.rule(read(builder, tmp_path))
    assert advice is not None
    assert "automatic NUMA balancing moved 4 096 pages (50.0 % of those touched)" in advice.finding
    assert advice.code == ("sysctl kernel.numa_balancing=0",)


@pytest.mark.parametrize(("balancing", "moved"), [(0, 4096), (1, 0), (1, 10), (1, None), (None, None)])
def test_balancing_that_did_nothing_is_not(balancing: int | None, moved: int | None, tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"](balancing=balancing, balancing_moved_pages=moved)
    assert disturbed.rule(read(builder, tmp_path)) is None


def test_migrated_threads_are_named(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]().change("thread", where="id = 6", migrations=2)
    advice = disturbed.rule(read(builder, tmp_path))
    assert advice is not None
    assert "1 pinned thread left its CPU (sum 4716)" in advice.finding


def test_a_program_without_traffic_is_not_recorded_again(tmp_path: Path) -> None:
    builder = SCENARIOS["little_traffic"]().change("thread", where="id = 6", migrations=2)
    assert [advice.kind for advice in advise(read(builder, tmp_path))] == [Kind.LEAVE]


def roaming(**run: object) -> RecordingBuilder:
    """Thread 0 runs on both nodes, and reads remotely from each."""
    builder = SCENARIOS["wandering"](**run)
    for event, value in ((1, 1_000_000), (2, 1_000), (3, 50_000)):
        builder.count(event, 1, value, cpu=0)
    return builder


def test_threads_that_nobody_pinned_can_be(tmp_path: Path) -> None:
    advice = disturbed.rule(read(roaming(), tmp_path))
    assert advice is not None
    assert "1 unpinned thread ran on several nodes" in advice.finding
    assert advice.code == ("numaprof --pin compact ./sum",)
    assert advice.evidence == "the CPUs it ran on."


def test_a_plan_pins_no_process_of_one_thread(tmp_path: Path) -> None:
    """What was not pinned by the plan will not be next time."""
    evidence = read(roaming(pin_policy="compact"), tmp_path)
    (found,) = disturbed.rule(evidence).remarked  # type: ignore[union-attr]
    assert found.code.startswith("numa_run_on_node(numa_node_of_cpu(")
    moved = owner_moved.rule(evidence)
    assert moved is None or "--pin compact does it" not in moved.change


def test_who_has_no_source_gets_a_command(tmp_path: Path) -> None:
    builder = roaming(pin_policy="compact", program="/usr/bin/sqlite3").change("place", file=None, line=None)
    evidence = read(builder, tmp_path)
    found = disturbed.rule(evidence)
    assert found is not None
    assert found.code == ("numactl --cpunodebind=0 numaprof ./sum",)
    assert found.remarked == ()


def test_threads_that_moved_are_no_matter_where_little_is_remote(tmp_path: Path) -> None:
    builder = roaming(pin_policy="compact")
    assert disturbed.rule(read(builder, tmp_path)) is not None
    builder.change("count", where="event = 2", value=1_000_000_000)
    assert judge(read(builder, tmp_path)) is Judgement.LIGHT
    assert disturbed.rule(read(builder, tmp_path)) is None


def test_a_thread_that_reads_nothing_remotely_may_run_anywhere(tmp_path: Path) -> None:
    builder = roaming().change("count", where="event = 3 AND thread = 1", value=0)
    builder.change("count", where="event = 3 AND thread = 2", value=200_000)
    assert disturbed.rule(read(builder, tmp_path)) is None


def test_cure_stands_before_setting(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"](balancing=1, balancing_moved_pages=4096)
    assert [advice.kind for advice in advise(read(builder, tmp_path))] == [Kind.FIX, Kind.SETTING]


def test_overflow_samples_of_other_events_name_no_line(tmp_path: Path) -> None:
    """Samples of local accesses are not where remote reads come from."""
    builder = SCENARIOS["multiplexed"]()
    overflows(builder, range(5, 9))
    builder.change("sample", where="kind = 1", event=1)
    advice = serial_init.rule(read(builder, tmp_path))
    assert advice is not None
    assert "no sample tells" in advice.finding


@pytest.mark.parametrize(("weight", "said"), [(512, True), (1, False)])
def test_where_nothing_fits_huge_pages_that_blocks_share_are_named(weight: int, said: bool, tmp_path: Path) -> None:
    """Touched in parallel, remote all the same, and no address tells why."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand_rd", [900_000] * 8, [100_000, 300_000] * 4)
    stack = builder.stack(builder.place(INIT))
    for number in range(PAGES // 512):
        thread = number * 8 // (PAGES // 512)
        for page in range(0, 512, weight):
            at = ARRAY + (number * 512 + page) * PAGE
            builder.sample(FIRST_TOUCH, thread + 1, stack, weight, address=at, page_node=thread // 4)
    text = unexplained(read(builder, tmp_path), [])
    assert text is not None
    assert ("huge pages" in text) is said


# The slow tier


def test_memory_without_cpus_is_slow_not_remote(tmp_path: Path) -> None:
    evidence = read(SCENARIOS["slow_tier"](), tmp_path)
    advice = slow_tier.rule(evidence)
    assert advice is not None
    assert advice.kind is Kind.SETTING
    assert "Node 2 (memory behind CXL), slow for every CPU and local to none, holds 32 MiB." in advice.finding
    assert advice.code == ("numactl --membind=0-1 ./sum",)
    assert "the slow tier answered 100 % ± 1 of 256 sampled loads and stores that memory answered" in advice.evidence
    assert serial_init.rule(evidence) is None
    assert evidence.samples.remote_accesses == 0  # hint faults have no source: the page's node tells


def test_the_slow_tier_is_given_the_part_of_an_object_that_it_holds(tmp_path: Path) -> None:
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
    assert serial_init.rule(evidence) is not None


def _counted_tier(remote: int, placement: str = "cxl") -> RecordingBuilder:
    """Its events counted a fifth of the demand reads; half of what DRAM answered was remote."""
    builder = SCENARIOS["slow_tier"]().counters("demand_rd", [2000] * 8, [2000] * 8)
    for side, value in (("local", 1000 - remote), ("remote", remote)):
        event = builder.event("demand_rd", f"{side}_{placement}")
        for thread in range(1, 9):
            builder.count(event, thread, value)
    return builder


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
    found = slow_share(read(_counted_tier(600).change("node_memory", where="node = 2", memory=memory), tmp_path))
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
    counted, sampled = SCENARIOS["serial_init"](), levels(RecordingBuilder(), counters=False).threads(8)
    for builder in (counted, sampled):
        builder.loads(0, 3, range(ARRAY, ARRAY + 32 * PAGE, PAGE), 1)
    assert read(counted, tmp_path / "counted").spells == Spells()
    found = read(sampled, tmp_path / "sampled").spells
    assert list(found.remote_of) == [3] and sum(spell.having for spell in found.remote) == 32 * 1009
    assert not found.slow


def test_of_an_older_recording_nodes_without_cpus_are_the_slow_tier(tmp_path: Path) -> None:
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


def test_pages_that_moved_are_told_by_their_nodes_at_two_moments(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0).homes(
        (ARRAY, PAGES // 4, 1), (ARRAY + PAGES // 4 * PAGE, PAGES // 4 * 3, 0)
    )
    evidence = read(builder, tmp_path)
    (found,) = (each for each in evidence.objects.found if each.moves)
    assert found.moves == {(0, 1): PAGES / 4}
    assert "25.0 % of 8 192 pages moved to another node after their first touch" in "".join(pin_line(evidence))


def test_only_pages_that_were_asked_about_twice_are_called_moved(tmp_path: Path) -> None:
    """Of the look before the end, one page in five: what lies between them is not known to have moved."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    stack = init_stack(builder)
    for page in range(40):
        builder.touch(stack, 1, ARRAY + page * PAGE, 1, page_node=0)
    builder.homes((ARRAY, 40, 1)).change("page_home", pages=8)
    evidence = read(builder, tmp_path)
    assert sum(pages for found in evidence.objects.found for pages in found.moves.values()) == 8
