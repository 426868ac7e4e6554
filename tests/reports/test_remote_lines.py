# SPDX-License-Identifier: Apache-2.0
"""Remote lines of objects, prefetched ones included: a streamed array beside a table that is read at random."""

from __future__ import annotations

import io
import math
import random
from dataclasses import replace
from pathlib import Path

import pytest
from numaprof.analysis.relevant_objects import (
    error_of_told_part,
    of_remote,
    part_of_remote,
    told_part_of_remote,
)
from numaprof.document.build_report import document
from numaprof.document.object_remarks import attribution
from numaprof.evidence.errors import Error, independent
from numaprof.evidence.evidence import Evidence, load
from numaprof.evidence.lines.remote_lines import ClassLines, RemoteLines
from numaprof.evidence.spread import clustered_size
from numaprof.evidence.thresholds import MIN_REMOTE_SAMPLES
from numaprof.page.report_page import report_page
from numaprof.placement.explain import advise
from numaprof.terminal.layout import Layout
from numaprof.terminal.report_view import print_report
from numaprof.text.format import number, share_with_error
from reading import printed, read
from recording_builder import LOAD, OVERFLOW, OWN_CACHE, PAGE, Line, RecordingBuilder
from scenarios import init_stack, levels

STREAM: Line = ("/home/u/src/sum.c", 28, "stream")
LOOK_UP: Line = ("/home/u/src/sum.c", 43, "look_up")
ARRAY, TABLE, PAGES = 0x7F0000000000, 0x7F8000000000, 2048
DEMAND, PREFETCH = 2, 4  # ids of the remote events
REMOTE_THREADS = range(5, 9)


class Blend:
    """All on node 0. Four threads of node 1 make 80 demand reads of the table for 20 prefetches of the array."""

    def __init__(self, demand: int = 8_000_000, prefetched: int = 2_000_000, looks_up: bool = True) -> None:
        self.builder = levels(RecordingBuilder()).threads(8)
        self.builder.counters("demand_rd", [1000] * 8, [0] * 4 + [demand] * 4)
        self.builder.counters("pf_any", [1000] * 8, [0] * 4 + [prefetched] * 4)
        self.array = self.heap(ARRAY, 10)
        self.table = self.heap(TABLE, 11)
        self.stream, self.look_up = (self.builder.stack(self.builder.place(line)) for line in (STREAM, LOOK_UP))
        for thread in REMOTE_THREADS if looks_up else ():
            self.builder.loads(self.look_up, thread, range(TABLE, TABLE + PAGES * PAGE, 8 * PAGE), 0, block=self.table)
            for _ in range(20):
                self.builder.sample(OVERFLOW, thread, self.look_up, 100_000, event=DEMAND)

    def heap(self, address: int, line: int, pages: int = PAGES) -> int:
        site = self.builder.stack(self.builder.place(("/home/u/src/sum.c", line, "main")))
        block = self.builder.block(self.builder.object("heap", site), address, pages)
        self.builder.touch(init_stack(self.builder), 1, address, pages, page_node=0, block=block)
        return block

    def prefetches(self, stack: int, samples: int = 10) -> Blend:
        for thread in REMOTE_THREADS:
            for _ in range(samples):
                self.builder.sample(OVERFLOW, thread, stack, 50_000, event=PREFETCH)
        return self

    def answered(self, block: int, address: int, samples: int) -> Blend:
        """Loads that remote DRAM answered."""
        stack = self.stream if block == self.array else self.look_up
        for thread in REMOTE_THREADS:
            self.builder.loads(stack, thread, range(address, address + samples * PAGE, PAGE), 0, block=block)
        return self

    def hits(self, stack: int, samples: int = 2) -> Blend:
        """Loads of prefetched lines: in the CPU's own cache."""
        for thread in REMOTE_THREADS:
            for i in range(samples):
                where = {"address": ARRAY + i * PAGE, "page_node": 0, "source": OWN_CACHE, "latency": 40}
                self.builder.sample(LOAD, thread, stack, 1009, block=self.array, **where)
        return self


def pointers_at(blend: Blend, stack: int) -> None:
    """Thread 5 reads a pointer on a page of another node, again and again, out of its own cache."""
    block = blend.heap(TABLE + (1 << 36), 12, pages=1)
    where = {"address": TABLE + (1 << 36), "page_node": 0, "source": OWN_CACHE, "latency": 5}
    for _ in range(50):
        blend.builder.sample(LOAD, 5, stack, 1009, block=block, **where)


def shares(evidence: Evidence) -> dict[int, float]:
    """By the line of allocation."""
    found = {o.allocated.line: part_of_remote(evidence, o) for o in evidence.objects.found if o.allocated}
    return {line: round(share, 3) for line, share in found.items() if line and share is not None}


def evidence_of(blend: Blend, folder: Path) -> Evidence:
    return load(str(blend.builder.write(folder / "r.numaprof")))


def test_prefetches_belong_to_what_the_instruction_reads(tmp_path: Path) -> None:
    blend = Blend()
    evidence = evidence_of(blend.prefetches(blend.stream).hits(blend.stream), tmp_path)
    assert shares(evidence) == {10: 0.2, 11: 0.8}


def test_a_part_of_the_lines_is_told_with_what_it_rests_on(tmp_path: Path) -> None:
    """Load samples of one place or another divide the lines; eight of them would be too few."""
    blend = Blend()
    evidence = evidence_of(blend.prefetches(blend.stream).hits(blend.stream, 20), tmp_path)
    samples = number(evidence.remote_lines.samples)
    told = f"20.0 % of the remote lines (100.0 % of these have a known object, by {samples} sampled loads"
    assert of_remote(evidence, 0.2) == f"{told})"
    few = replace(evidence, remote_lines=replace(evidence.remote_lines, samples=8))
    assert of_remote(few, 0.2) == f"{told.replace(samples, '8', 1)}, too few to be sure)"


def test_lines_that_no_sample_tells_may_be_any_objects(tmp_path: Path) -> None:
    """No overflow sample is of prefetches: what is left of lines divided by pages is the array's, but nobody saw it."""
    lines = evidence_of(Blend(), tmp_path).remote_lines
    (unsampled,) = (each for each in lines.classes if not each.samples)
    array, table = lines.shares
    assert sorted(lines.shares.values()) == [pytest.approx(0.2), pytest.approx(0.8)]
    assert set(unsampled.by_pages.values()) == {0.5} and unsampled.part == pytest.approx(0.2)
    assert lines.error([array]) == pytest.approx(0.2, abs=0.01) and lines.error([array, table]) == pytest.approx(0.2)


def test_what_alone_has_pages_on_other_nodes_has_all_lines_or_less(tmp_path: Path) -> None:
    """No sample tells of any. The array is the only memory of 1 MiB, but code, stacks and smaller memory have lines."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand_rd", [1000] * 8, [0] * 4 + [2_000_000] * 4)
    for line, address, pages in ((10, ARRAY, PAGES), (11, TABLE, 100)):
        site = builder.stack(builder.place(("/home/u/src/sum.c", line, "main")))
        block = builder.block(builder.object("heap", site), address, pages)
        builder.touch(init_stack(builder), 1, address, pages, page_node=0, block=block)
        where = {"address": address, "page_node": 0, "source": OWN_CACHE, "latency": 5, "block": block}
        builder.sample(LOAD, 5, builder.stack(builder.place(STREAM)), 1009, **where)
    evidence = read(builder, tmp_path)
    told = {o.allocated.line: told_part_of_remote(evidence, o) for o in evidence.objects.found if o.allocated}
    errors = {o.allocated.line: error_of_told_part(evidence, o) for o in evidence.objects.found if o.allocated}
    assert told == {10: 1.0, 11: 0.0}
    assert errors == {10: 1.0, 11: 1.0}


def test_load_samples_do_not_divide_prefetches(tmp_path: Path) -> None:
    """Remote DRAM answered loads of the table alone, and no overflow sample is of prefetches. Other loads saw the array
    often enough that it does not pass for hardly seen."""
    blend = Blend()
    evidence = evidence_of(blend.hits(blend.stream, 20), tmp_path)
    assert shares(evidence) == {10: 0.2, 11: 0.8}
    (array,) = (found for found in evidence.objects.found if found.allocated and found.allocated.line == 10)
    assert evidence.remote_lines.error(array.things) == pytest.approx(0.2, abs=0.01)
    assert "; no sample tells of 20.0 %: guessed by pages on other nodes" in " ".join(attribution(evidence))


def test_of_two_arrays_alike_the_one_that_load_samples_hardly_see_has_not_all_prefetches(tmp_path: Path) -> None:
    """As many pages of each are on the other node, and a tenth of the lines are sampled demand reads of one."""
    evidence = evidence_of(Blend(1_000_000, 9_000_000), tmp_path)
    assert shares(evidence) == {10: 0.5, 11: 0.5}


def test_demand_reads_are_divided_by_the_samples_that_tell_most(tmp_path: Path) -> None:
    """There are 1024 load samples, all of the table, and 81 overflow samples, one of which stands for half of all."""
    blend = Blend()
    blend.builder.sample(OVERFLOW, 5, blend.stream, 8_000_000, event=DEMAND)
    evidence = evidence_of(blend.prefetches(blend.stream).hits(blend.stream, 20), tmp_path)
    assert shares(evidence) == {10: 0.2, 11: 0.8}


def test_overflow_samples_of_what_was_counted_are_preferred_to_loads_of_dram(tmp_path: Path) -> None:
    """The event counts lines from other nodes' caches as well, from which the array's come: half of all demand reads.
    Remote DRAM answered 1024 loads of the table and none of the array."""
    blend = Blend()
    for thread in REMOTE_THREADS:
        for _ in range(20):
            blend.builder.sample(OVERFLOW, thread, blend.stream, 100_000, event=DEMAND)
    blend.builder.statements.append(f"UPDATE sample SET t_ns = 5 WHERE kind = {OVERFLOW};")
    evidence = evidence_of(blend.prefetches(blend.stream).hits(blend.stream, 20), tmp_path)
    assert shares(evidence) == {10: 0.6, 11: 0.4}


def test_a_few_overflow_samples_of_prefetches_tell_more_than_none(tmp_path: Path) -> None:
    """They stand for a hundredth of what was counted."""
    blend = Blend(1_000_000, 9_000_000)
    for thread in REMOTE_THREADS:
        blend.builder.sample(OVERFLOW, thread, blend.stream, 90_000, event=PREFETCH)
    evidence = evidence_of(blend.hits(blend.stream, 20), tmp_path)
    assert shares(evidence) == {10: 0.9, 11: 0.1}
    (prefetches,) = (each for each in evidence.remote_lines.classes if each.part > 0.5)
    assert prefetches.samples == pytest.approx(1 / (1 / 4 + 1 / 80))  # and 80 loads that divide their lines


def test_all_samples_of_a_few_do_not_make_all_lines() -> None:
    """Wilson's interval of 1 of 1 begins at 0.21. Where no other object has pages on other nodes, all is all, but not
    where one has these all."""
    one = ClassLines(1.0, 0.0, {1: 1.0}, 1, {1: 0.5, 2: 0.5})
    lines = RemoteLines({1: 1.0}, 0.0, classes=(one,))
    assert lines.error([1]) == lines.error([2]) == pytest.approx(0.793, abs=1e-3)
    assert replace(lines, classes=(replace(one, by_pages={1: 1.0}),)).error([1]) == 0.0
    assert replace(lines, classes=(replace(one, by_pages={2: 1.0}),)).error([1]) == pytest.approx(0.793, abs=1e-3)


def test_classes_that_no_sample_tells_may_all_be_wrong_in_one_direction() -> None:
    untold = [ClassLines(part, 0.0, {1: 1.0}, 0, {1: 0.5, 2: 0.5}) for part in (0.1, 0.2)]
    told = ClassLines(0.7, 0.0, {2: 1.0}, 1e9, {1: 0.5, 2: 0.5})
    lines = RemoteLines({1: 0.3, 2: 0.7}, 0.0, classes=(told, *untold))
    assert lines.error([1]) == lines.error([2]) == pytest.approx(0.3)


def test_a_part_has_the_error_of_the_counts_that_weigh_it_and_of_the_samples_that_divide_it() -> None:
    """Of two classes, each of one object, the second is counted twice as well: the first object's part is wrong by half
    of each error. What one class divides has the error of its samples; all together are all, whatever was counted."""
    lines = RemoteLines(
        {1: 0.5, 2: 0.5}, 0.0, classes=(ClassLines(0.5, 0.2, {1: 1.0}, 1e9), ClassLines(0.5, 0.1, {2: 1.0}, 1e9))
    )
    assert lines.error([1]) == pytest.approx((0.1**2 + 0.05**2) ** 0.5)
    assert lines.error([1, 2]) == pytest.approx(0.0, abs=1e-6)
    divided = RemoteLines({1: 0.5, 2: 0.5}, 0.0, classes=(ClassLines(1.0, 0.2, {1: 0.5, 2: 0.5}, 100),))
    assert divided.error([1]) == pytest.approx(0.096, abs=1e-3)
    assert replace(lines, classes=(ClassLines(1.0, None, {1: 1.0}, 100),)).error([1]) is None


@pytest.mark.parametrize("in_turns", [False, True])
def test_what_a_thread_does_at_one_time_is_one_sample(in_turns: bool, tmp_path: Path) -> None:
    """Each of four threads reads the array in 16 spells and the table in as many, or both in each of the 32."""
    blend = Blend(prefetched=0, looks_up=False)
    blend.answered(blend.array, ARRAY, 256).answered(blend.table, TABLE, 256)
    spell = f"address / {PAGE} % 16 * 2 + (address >= {TABLE})" if in_turns else f"address / {PAGE} % 32"
    blend.builder.statements.append(f"UPDATE sample SET t_ns = 1000 + {spell} WHERE kind = {LOAD};")
    lines = evidence_of(blend, tmp_path).remote_lines
    (demand,) = (each for each in lines.classes if each.samples)
    assert sorted(demand.shares.values()) == [pytest.approx(0.5), pytest.approx(0.5)]
    clusters = [(thread, spell) for thread in range(4) for spell in range(32)]
    size = clustered_size({at: 16.0 * (at[1] % 2) for at in clusters}, dict.fromkeys(clusters, 16.0), 2048)
    assert demand.samples == pytest.approx(size if in_turns else 2048)
    assert demand.samples < 128 or not in_turns


@pytest.mark.parametrize(("loads", "part"), [(40, 0.5), (100, 0.2), (300, 0.3)])
def test_intervals_know_the_error_of_the_loads_that_divide_an_instruction(
    loads: int, part: float, tmp_path: Path
) -> None:
    """Many overflow samples of one instruction, which reads two arrays: only its loads tell how much of each."""
    held, runs = 0, 20
    for seed in range(runs):
        chance, builder = random.Random(f"{seed} {part}"), levels(RecordingBuilder()).threads(8)
        builder.counters("demand_rd", [100_000] * 8, [100_000] * 8)
        remote = 3  # the clock's, local and remote events in this order
        use, init = (builder.stack(builder.place(("/s/a.c", line, "f"))) for line in (10, 7))
        blocks = []
        for line in (5, 6):
            obj, at = builder.object("heap", builder.stack(builder.place(("/s/a.c", line, "main")))), line << 36
            blocks.append((at, builder.block(obj, at, 8192)))
            builder.touch(init, 1, at, 8192, block=blocks[-1][1], page_node=0)
        for at in range(1500):
            builder.sample(OVERFLOW, 5 + at % 4, use, 250, event=remote, t_ns=1000 + chance.randrange(10**7))
        for sample in range(loads):
            at, block = blocks[0 if chance.random() < part else 1]
            where = {"address": at + chance.randrange(8192) * PAGE, "block": block, "page_node": 0, "source": 2}
            builder.sample(LOAD, 5 + sample % 4, use, 1009, t_ns=10**6 + chance.randrange(10**7), **where)
        evidence = load(str(builder.write(tmp_path / "r.numaprof")))
        (array,) = (obj for obj in evidence.objects.found if obj.allocated and obj.allocated.line == 5)
        error = evidence.remote_lines.error(array.things)
        assert error is not None
        held += abs(evidence.remote_lines.of(array.things) - part) <= error
    assert held >= 0.8 * runs  # of 20, fewer than 16 are less than one of 1000 such sets has


def test_tables_show_the_error_of_a_part(tmp_path: Path) -> None:
    """Of 1536 loads that remote DRAM answered, 512 are the array's: of four fifths of the lines. Of 40 samples of
    prefetches, all are."""
    blend = Blend(looks_up=False)
    blend.prefetches(blend.stream).answered(blend.array, ARRAY, 128).answered(blend.table, TABLE, 256)
    blend.builder.statements.append(f"UPDATE sample SET t_ns = 5 WHERE kind = {LOAD};")
    path = str(blend.builder.write(tmp_path / "r.numaprof"))
    (array,) = (row for row in document(path).objects.rows if row.allocated_at and row.allocated_at.line == 10)
    size = 1 / (1 / 40 + 1 / 512)  # the loads that divide the lines of these prefetches err, too
    by_loads, by_overflows = 1.96 * (1 / 3 * 2 / 3 / 1536) ** 0.5, 1 - size / (size + 1.96**2)
    assert array.of_all_remote_error == pytest.approx(math.hypot(0.8 * by_loads, 0.2 * by_overflows), rel=0.02)
    assert share_with_error(array.of_all_remote, array.of_all_remote_error) == "47 % ± 3"
    out = io.StringIO()
    print_report(document(path), Layout(out, 120))
    assert "47 % ± 3" in out.getvalue() and "47 % ± 3" in report_page(document(path))


def test_load_samples_alone_would_have_missed_the_array(tmp_path: Path) -> None:
    blend = Blend()
    evidence = evidence_of(blend.prefetches(blend.stream).hits(blend.stream), tmp_path)
    (array,) = (o for o in evidence.objects.found if o.allocated and o.allocated.line == 10)
    assert array.remote == 0


def test_what_prefetchers_bring_most_of_stands_first_though_only_the_other_was_sampled(tmp_path: Path) -> None:
    blend = Blend(demand=2_000_000, prefetched=8_000_000)
    builder = blend.prefetches(blend.stream, 160).hits(blend.stream, 20).builder
    report = document(str(builder.write(tmp_path / "r.numaprof")))
    assert [row.allocated_at.line for row in report.objects.rows[:2] if row.allocated_at] == [10, 11]
    assert report.objects.rows[0].samples == 0
    text = printed(builder, tmp_path).partition("OBJECT ")[2]
    assert text.index("sum.c:10") < text.index("sum.c:11")


def test_the_page_does_not_call_the_accesses_that_dram_answered_all_of_the_sampled_ones(tmp_path: Path) -> None:
    """The map has those too that caches answered: one of eight threads and the number 1 beside it do not agree."""
    blend = Blend()
    blend.builder.loads(blend.stream, 5, [ARRAY], 0, block=blend.array)
    page = report_page(document(str(blend.hits(blend.stream, 20).builder.write(tmp_path / "r.numaprof"))))
    assert "1 sampled access reached DRAM, too few for shares" in page
    assert "the maps have accesses too that caches answered" in page


def test_another_instruction_of_the_line_tells_as_well(tmp_path: Path) -> None:
    """Counters that are not precise point a little behind the instruction."""
    blend = Blend()
    behind = blend.builder.stack(blend.builder.place(STREAM, address=0x999))
    assert shares(evidence_of(blend.prefetches(behind).hits(blend.stream), tmp_path)) == {10: 0.2, 11: 0.8}


def test_a_sample_of_another_object_at_the_instruction_is_no_measure(tmp_path: Path) -> None:
    """The only load sampled there is of a spilled variable, on a page of another node: the line has more."""
    blend = Blend()
    behind = blend.builder.stack(blend.builder.place(STREAM, address=0x999))
    spilled = blend.heap(TABLE + (1 << 36), 12)
    where = {"address": TABLE + (1 << 36), "page_node": 0, "source": OWN_CACHE, "latency": 5}
    blend.builder.sample(LOAD, 5, behind, 1009, block=spilled, **where)
    found = shares(evidence_of(blend.prefetches(behind).hits(blend.stream, 20), tmp_path))
    assert found[10] == pytest.approx(0.2, abs=0.01)


def test_what_stays_in_a_cache_has_no_part_of_lines_that_a_larger_object_can_have(tmp_path: Path) -> None:
    """Behind the instruction that streams, one reads the pointer."""
    blend = Blend()
    behind = blend.builder.stack(blend.builder.place(STREAM, address=0x999))
    pointers_at(blend, behind)
    found = shares(evidence_of(blend.prefetches(behind).hits(blend.stream, 20), tmp_path))
    assert found == {10: 0.2, 11: 0.8, 12: 0.0}


def test_what_is_read_on_the_readers_nodes_has_no_part_of_the_lines_of_stores(tmp_path: Path) -> None:
    """No load sample is of an instruction that stores. Elsewhere in its function few samples see either array."""
    blend = Blend()
    own = blend.heap(TABLE + PAGES * PAGE, 12)
    store, reads = (blend.builder.stack(blend.builder.place((*STREAM[:1], line, "stream"))) for line in (29, 30))
    blend.prefetches(store).hits(reads)
    for thread in REMOTE_THREADS:
        for page, node in enumerate([0] * 3 + [1] * 200):
            where = {"address": TABLE + (PAGES + page) * PAGE, "page_node": node, "source": OWN_CACHE}
            stack = blend.look_up if node else reads
            blend.builder.sample(LOAD, thread, stack, 1009, block=own, latency=40, **where)
    assert shares(evidence_of(blend, tmp_path)) == {10: 0.2, 11: 0.8, 12: 0.0}


def test_what_a_function_stores_to_is_not_what_it_reads_from_a_cache(tmp_path: Path) -> None:
    blend = Blend()
    pointers_at(blend, blend.stream)
    assert shares(evidence_of(blend.prefetches(blend.stream), tmp_path)) == {10: 0.2, 11: 0.8, 12: 0.0}


def test_what_stays_in_a_cache_has_the_lines_where_nothing_larger_is_read(tmp_path: Path) -> None:
    blend = Blend(demand=0, looks_up=False)
    pointers_at(blend, blend.stream)
    assert shares(evidence_of(blend.prefetches(blend.stream), tmp_path))[12] == 1.0


def test_few_of_the_remote_lines_give_no_advice_for_what_the_same_function_allocates(tmp_path: Path) -> None:
    """One thread writes both first and all use both whole: the array has 2 % of the lines, the table the rest."""
    blend = Blend(demand=98_000_000)
    builder = blend.prefetches(blend.stream).hits(blend.stream, 20).builder
    evidence = load(str(builder.write(tmp_path / "r.numaprof")))
    assert shares(evidence) == {10: 0.02, 11: 0.98}
    told = {o.allocated.line for advice in advise(evidence) for o in advice.objects if o.allocated}
    assert told == {11}


def test_an_array_that_no_load_sample_saw_is_known_by_its_pages(tmp_path: Path) -> None:
    blend = Blend()
    assert shares(evidence_of(blend.prefetches(blend.stream), tmp_path)) == {10: 0.2, 11: 0.8}


def test_without_overflow_samples_the_pages_tell(tmp_path: Path) -> None:
    assert shares(evidence_of(Blend(), tmp_path)) == {10: 0.2, 11: 0.8}


@pytest.mark.parametrize(("demand", "prefetched", "share"), [(5, 5, 0.5), (1, 9, 0.9), (10, 0, 0.0)])
def test_counts_weigh_the_classes(tmp_path: Path, demand: int, prefetched: int, share: float) -> None:
    blend = Blend(demand * 1_000_000, prefetched * 1_000_000)
    assert shares(evidence_of(blend.prefetches(blend.stream), tmp_path))[10] == pytest.approx(share)


def test_without_counters_the_sampled_accesses_are_what_there_is(tmp_path: Path) -> None:
    blend = Blend()
    blend.builder.change("event", "collector = 'counters'", collector="unused")
    evidence = evidence_of(blend, tmp_path)
    assert not evidence.remote_lines.known
    assert shares(evidence)[11] == 1.0


def test_the_advice_for_the_array_does_not_name_the_line_that_reads_the_table(tmp_path: Path) -> None:
    blend = Blend()
    found = advise(evidence_of(blend.prefetches(blend.stream).hits(blend.stream), tmp_path))
    (array,) = (advice.finding for advice in found if "sum.c:10" in advice.finding)
    assert "look_up" not in array


# --- what the report tells


def loads_only(number: int) -> RecordingBuilder:
    """Demand reads alone, without overflow samples, and so many sampled loads of the table."""
    builder = Blend(prefetched=0).builder
    loads = f"SELECT id FROM sample WHERE kind = {LOAD} ORDER BY id LIMIT {number}"
    builder.statements.append(f"DELETE FROM sample WHERE kind IN ({LOAD}, {OVERFLOW}) AND id NOT IN ({loads});")
    return builder


@pytest.mark.parametrize(("samples", "told"), [(2, None), (MIN_REMOTE_SAMPLES - 1, None), (MIN_REMOTE_SAMPLES, 1.0)])
def test_a_few_samples_tell_no_share_of_all_remote(samples: int, told: float | None, tmp_path: Path) -> None:
    evidence = read(loads_only(samples), tmp_path)
    (table,) = [found for found in evidence.objects.found if found.known_samples]
    assert part_of_remote(evidence, table) == 1.0
    assert evidence.remote_lines.samples == samples
    assert told_part_of_remote(evidence, table) == told


def test_the_report_says_why_shares_of_all_remote_are_not_known(tmp_path: Path) -> None:
    text = " ".join(printed(loads_only(2), tmp_path).split())
    assert "of all remote: n/a, 2 sampled loads are too few to divide the remote lines among objects" in text


def test_lines_without_an_object_are_not_nothing(tmp_path: Path) -> None:
    """Nothing that is large enough, and no sample: the object of all lines is unknown, which is not 0 %."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand_rd", [1000] * 8, [0] * 4 + [8_000_000] * 4)
    block = builder.block(builder.object("heap", builder.stack(builder.place(STREAM))), TABLE, 1)
    builder.touch(init_stack(builder), 1, TABLE, 1, page_node=0, block=block)
    where = {"address": TABLE, "page_node": 0, "source": OWN_CACHE, "latency": 5, "block": block}
    builder.sample(LOAD, 1, builder.stack(builder.place(STREAM)), 1009, **where)
    evidence = read(builder, tmp_path)
    assert evidence.remote_lines.unknown == 1.0
    assert [told_part_of_remote(evidence, found) for found in evidence.objects.found] == [None]
    sentence = "of all remote: n/a, too few samples tell the object of 100.0 % of the remote lines"
    assert sentence in attribution(evidence)


def test_pages_alone_tell_shares_of_all_remote(tmp_path: Path) -> None:
    evidence = evidence_of(Blend(), tmp_path)
    assert evidence.remote_lines.enough
    assert 0.0 < evidence.remote_lines.sampled < 1.0


@pytest.mark.parametrize(("sure", "told"), [((), False), (("remote",), True), (("share",), True)])
def test_lines_that_may_not_be_there_have_no_shares(
    sure: tuple[str, ...], told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are some where the remote count is known among unknown local ones, or unknown, but nearly all."""
    evidence = evidence_of(Blend(), tmp_path)
    assert all(told_part_of_remote(evidence, found) is not None for found in evidence.objects.found)
    unknown = independent(Error((evidence.traffic.remote.estimate or 0.0) ** 2, 30.0))
    remote = evidence.traffic.remote if "remote" in sure else replace(evidence.traffic.remote, strata=unknown)
    local = evidence.traffic.local if "share" in sure else replace(evidence.traffic.local, strata=unknown)
    traffic = replace(evidence.traffic, local=local, remote=remote)
    assert traffic.interval is not None and (traffic.interval[0] > 0.0) is told
    monkeypatch.setattr(Evidence, "traffic", property(lambda _: traffic))
    assert all((told_part_of_remote(evidence, found) is not None) is told for found in evidence.objects.found)
