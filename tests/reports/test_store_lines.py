# SPDX-License-Identifier: Apache-2.0
"""Remote lines of stores, which load samples do not see: a log is written while a table is looked up."""

from __future__ import annotations

from pathlib import Path

import pytest
from numaprof.analysis.relevant_objects import error_of_told_part, part_of_remote
from numaprof.evidence.evidence import Evidence, load
from numaprof.placement.explain import advise
from recording_builder import LOAD, OVERFLOW, OWN_CACHE, PAGE, Line, RecordingBuilder
from scenarios import init_stack, levels

LOOK_UP: Line = ("/home/u/src/log.c", 27, "write_log")
STORE: Line = ("/home/u/src/log.c", 29, "write_log")
ELSEWHERE: Line = ("/home/u/src/log.c", 43, "check")
LOG, TABLE, OTHER, PAGES = 0x7F0000000000, 0x7F8000000000, 0x7F9000000000, 2048
DEMAND, RFO, PREFETCH = 2, 4, 6  # ids of the remote events
REMOTE_THREADS = range(5, 9)


class Stores:
    """All on node 0. Of node 1's remote lines half are demand reads of the table; RFO and prefetches are stores'."""

    def __init__(self, asking: Line = STORE) -> None:
        self.builder = levels(RecordingBuilder()).threads(8)
        for request, lines in (("demand_rd", 5_000_000), ("demand_rfo", 1_000_000), ("pf_any", 4_000_000)):
            self.builder.counters(request, [1000] * 8, [0] * 4 + [lines] * 4)
        self.blocks = {address: self.heap(address, line) for line, address in ((10, LOG), (11, TABLE))}
        self.stacks = {line: self.builder.stack(self.builder.place(line)) for line in (LOOK_UP, STORE, ELSEWHERE)}
        self.reads(TABLE)
        for thread in REMOTE_THREADS:
            for event, at, weight in ((DEMAND, LOOK_UP, 50_000), (RFO, asking, 10_000), (PREFETCH, asking, 40_000)):
                for _ in range(50):
                    self.builder.sample(OVERFLOW, thread, self.stacks[at], weight, event=event)

    def heap(self, address: int, line: int) -> int:
        site = self.builder.stack(self.builder.place(("/home/u/src/log.c", line, "main")))
        block = self.builder.block(self.builder.object("heap", site), address, PAGES)
        self.builder.touch(init_stack(self.builder), 1, address, PAGES, page_node=0, block=block)
        return block

    def reads(self, address: int, at: Line = LOOK_UP) -> Stores:
        for thread in REMOTE_THREADS:
            pages = range(address, address + PAGES * PAGE, 8 * PAGE)
            self.builder.loads(self.stacks[at], thread, pages, 0, block=self.blocks[address])
        return self

    def shares(self, folder: Path) -> tuple[Evidence, dict[int, float]]:
        """By the line of allocation."""
        evidence = load(str(self.builder.write(folder / "r.numaprof")))
        found = {o.allocated.line: part_of_remote(evidence, o) for o in evidence.objects.found if o.allocated}
        return evidence, {line: round(share, 2) for line, share in found.items() if line and share is not None}


def errors(evidence: Evidence) -> dict[int | None, float | None]:
    return {o.allocated.line: error_of_told_part(evidence, o) for o in evidence.objects.found if o.allocated}


def test_stores_write_what_no_load_sees(tmp_path: Path) -> None:
    evidence, shares = Stores().shares(tmp_path)
    assert shares == {10: 0.5, 11: 0.5}
    assert evidence.remote_lines.untold == 0.0
    assert all(error is not None and error < 0.05 for error in errors(evidence).values())
    assert any("Most remote requests come from log.c:29 write_log" in advice.finding for advice in advise(evidence))


def test_what_only_other_functions_read_is_a_guess(tmp_path: Path) -> None:
    """The log is read as often as the table: nothing says that the stores write it and not other memory."""
    evidence, shares = Stores().reads(LOG, ELSEWHERE).shares(tmp_path)
    assert shares == {10: 0.5, 11: 0.5}
    assert evidence.remote_lines.untold == pytest.approx(0.5)
    assert all(error is not None and error >= 0.5 for error in errors(evidence).values())


def test_objects_that_one_instruction_reads_by_turns_are_written_by_turns(tmp_path: Path) -> None:
    """As in a stencil, beside a third object, which no load sees."""
    stores = Stores().reads(LOG)
    stores.heap(OTHER, 12)
    _, shares = stores.shares(tmp_path)
    assert shares == {10: 0.5, 11: 0.5, 12: 0.0}


def test_an_atomic_instruction_owns_what_it_loads(tmp_path: Path) -> None:
    """It makes no demand reads. The table has loads at that instruction too."""
    _, shares = Stores().reads(TABLE, STORE).shares(tmp_path)
    assert shares == {10: 0.0, 11: 1.0}


def test_ownership_that_a_load_seems_to_ask_for_is_of_a_store_before_it(tmp_path: Path) -> None:
    """An overflow sample may be of a later instruction. Whose the prefetches are nothing tells: it is the load."""
    _, shares = Stores(asking=LOOK_UP).shares(tmp_path)
    assert shares == {10: 0.1, 11: 0.9}


def test_prefetches_without_ownership_are_the_functions_by_a_guess(tmp_path: Path) -> None:
    """No sample says that the instruction is a store. It may also be a load whose lines were all prefetched in time."""
    stores = Stores()
    stores.builder.statements.append(f"DELETE FROM sample WHERE event = {RFO} AND kind = {OVERFLOW};")
    evidence, shares = stores.shares(tmp_path)
    assert shares == {10: 0.1, 11: 0.9}
    assert evidence.remote_lines.untold == pytest.approx(0.5)


def test_a_stray_read_is_no_reader(tmp_path: Path) -> None:
    """Once in a while the function reads a line of its log again."""
    stores = Stores()
    where = {"address": LOG, "page_node": 0, "source": OWN_CACHE, "latency": 5}
    stores.builder.sample(LOAD, 5, stores.stacks[LOOK_UP], 1009, block=stores.blocks[LOG], **where)
    _, shares = stores.shares(tmp_path)
    assert shares == {10: 0.5, 11: 0.5}
