# SPDX-License-Identifier: Apache-2.0
"""Remote lines of objects, prefetched ones included: a streamed array beside a table that is read at random."""

from __future__ import annotations

from pathlib import Path

import pytest
from numaprof.analysis.relevant_objects import part_of_remote, suspects
from numaprof.evidence.evidence import Evidence, load
from numaprof.rules import advise
from recording_builder import LOAD, OVERFLOW, OWN_CACHE, PAGE, Line, RecordingBuilder
from scenarios import init_stack, levels

STREAM: Line = ("/home/u/src/sum.c", 28, "stream")
LOOK_UP: Line = ("/home/u/src/sum.c", 43, "look_up")
ARRAY, TABLE, PAGES = 0x7F0000000000, 0x7F8000000000, 2048
DEMAND, PREFETCH = 2, 4  # ids of the remote events
REMOTE_THREADS = range(5, 9)


class Blend:
    """All on node 0. Four threads of node 1 make 80 demand reads of the table for 20 prefetches of the array."""

    def __init__(self, demand: int = 8_000_000, prefetched: int = 2_000_000) -> None:
        self.builder = levels(RecordingBuilder()).threads(8)
        self.builder.counters("demand_rd", [1000] * 8, [0] * 4 + [demand] * 4)
        self.builder.counters("pf_any", [1000] * 8, [0] * 4 + [prefetched] * 4)
        self.array = self.heap(ARRAY, 10)
        self.table = self.heap(TABLE, 11)
        self.stream, self.look_up = (self.builder.stack(self.builder.place(line)) for line in (STREAM, LOOK_UP))
        for thread in REMOTE_THREADS:
            self.builder.loads(self.look_up, thread, range(TABLE, TABLE + PAGES * PAGE, 8 * PAGE), 0, block=self.table)
            for _ in range(20):
                self.builder.sample(OVERFLOW, thread, self.look_up, 100_000, event=DEMAND)

    def heap(self, address: int, line: int) -> int:
        site = self.builder.stack(self.builder.place(("/home/u/src/sum.c", line, "main")))
        block = self.builder.block(self.builder.object("heap", site), address, PAGES)
        self.builder.touch(init_stack(self.builder), 1, address, PAGES, page_node=0, block=block)
        return block

    def prefetches(self, stack: int, samples: int = 10) -> Blend:
        for thread in REMOTE_THREADS:
            for _ in range(samples):
                self.builder.sample(OVERFLOW, thread, stack, 50_000, event=PREFETCH)
        return self

    def hits(self, stack: int, samples: int = 2) -> Blend:
        """Loads of prefetched lines: in the CPU's own cache."""
        for thread in REMOTE_THREADS:
            for i in range(samples):
                where = {"address": ARRAY + i * PAGE, "page_node": 0, "source": OWN_CACHE, "latency": 40}
                self.builder.sample(LOAD, thread, stack, 1009, block=self.array, **where)
        return self


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
    assert {o.allocated.line for o in suspects(evidence) if o.allocated} == {10, 11}


def test_load_samples_alone_would_have_missed_the_array(tmp_path: Path) -> None:
    blend = Blend()
    evidence = evidence_of(blend.prefetches(blend.stream).hits(blend.stream), tmp_path)
    (array,) = (o for o in evidence.objects.found if o.allocated and o.allocated.line == 10)
    assert array.remote == 0


def test_another_instruction_of_the_line_tells_as_well(tmp_path: Path) -> None:
    """Counters that are not precise point a little behind the instruction."""
    blend = Blend()
    behind = blend.builder.stack(blend.builder.place(STREAM, address=0x999))
    assert shares(evidence_of(blend.prefetches(behind).hits(blend.stream), tmp_path)) == {10: 0.2, 11: 0.8}


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
