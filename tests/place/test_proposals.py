# SPDX-License-Identifier: Apache-2.0
"""From advice to placements: which part goes to which node, and what cannot be placed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from deciding import advised as to_place
from numaprof.commands.try_fix import choose
from numaprof.evidence.objects import UNNAMED, Object
from numaprof.experiments.same_subject import rebuilt
from numaprof.experiments.trials.kernel_weights import by_weight
from numaprof.experiments.trials.placement import (
    Frame,
    Piece,
    Subject,
    interleave,
    joined,
    size_class,
    whole,
    write,
)
from numaprof.experiments.trials.proposals import Proposal, merged, proposal, proposals, read
from numaprof.text.messages import Failure
from recording_builder import PAGE, RecordingBuilder
from scenarios import ARRAY, BLOCK, INIT, LOOP, PAGES, init_stack, levels, named_objects

BUILD_ID = "00112233445566778899aabbccddeeff00112233"
WHERE = ("/home/u/src/sum.c", 14, "main")


# --- pieces


def test_neighbours_on_one_node_are_one_piece() -> None:
    assert joined([Piece(0, 0.25), Piece(0, 0.5), Piece(1, 0.75), Piece(1, 1.0)]).text == "blocks 0:0.5 1:1"
    assert joined([Piece(1, 0.5), Piece(1, 1.0)]).text == "node 1"


def test_size_class_is_powers_of_two_around_what_was_seen() -> None:
    assert size_class(1 << 20, 1 << 20) == (1 << 20, (1 << 21) - 1)
    assert size_class(100_000, 3_000_000) == (65536, (1 << 22) - 1)


# --- whole recordings


def with_build_id(builder: RecordingBuilder) -> RecordingBuilder:
    return builder.change("place", where="module = '/home/u/sum'", build_id=BUILD_ID)


def sampled() -> RecordingBuilder:
    """Sampled loads with addresses, page faults and pages of eight threads, without counters."""
    builder = RecordingBuilder().level(1, "counters", False, why_not="test")
    builder.level(3, "samples", True, detail="load latency").level(4, "faults", True, detail="page-faults event")
    return builder.level(5, "pages", True, detail="move_pages").threads(8)


def first(builder: RecordingBuilder, folder: Path) -> Proposal:
    evidence, layouts = read(str(builder.write(folder / "x.numaprof")))
    return proposals(evidence, layouts)[0]


def test_each_block_goes_to_the_node_of_its_thread(tmp_path: Path) -> None:
    proposal = first(with_build_id(named_objects()), tmp_path)
    (subject,) = [each for each in proposal.subjects if each.kind == "allocation"]
    assert [place.text for place in subject.places] == ["blocks 0:0.5 1:1"]
    assert subject.frames == (Frame(BUILD_ID, 0x1000 + 14, "main at sum.c:14"),)
    assert subject.bytes_range == (PAGES * PAGE, 2 * PAGES * PAGE - 1)
    assert "sampled accesses" in subject.basis


def test_a_shared_table_is_interleaved_where_its_address_is_known(tmp_path: Path) -> None:
    builder = with_build_id(named_objects())
    builder.change("object", where="kind = 'static'", address=0x4060, alloc_stack=1)
    evidence, layouts = read(str(builder.write(tmp_path / "x.numaprof")))
    found = [subject for proposal in proposals(evidence, layouts) for subject in proposal.subjects]
    (table,) = [subject for subject in found if subject.kind == "static"]
    assert (table.places[0].text, table.variable) == ("interleave 0,1", (BUILD_ID, 0x4060, BLOCK * PAGE))


def test_a_recording_without_addresses_of_variables_says_so(tmp_path: Path) -> None:
    evidence, layouts = read(str(with_build_id(named_objects()).write(tmp_path / "x.numaprof")))
    reasons = [why for proposal in proposals(evidence, layouts) for why in proposal.left_out]
    assert any("has no address of the variable" in why for why in reasons), reasons


def test_a_module_without_build_id_is_refused_with_the_remedy(tmp_path: Path) -> None:
    proposal = first(named_objects(), tmp_path)
    assert not proposal.subjects
    assert "-Wl,--build-id" in proposal.left_out[0]


@pytest.mark.parametrize(
    ("faults", "pages", "border"),
    [(PAGES, PAGES, "0.5"), (PAGES * 3 // 4, PAGES, "0.5")],
    ids=["all", "lost"],
)
def test_where_counters_alone_speak_the_blocks_are_assumed(
    faults: int, pages: int, border: str, tmp_path: Path
) -> None:
    """Over the pages that the block has: page faults that were lost move no border."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand_rd", [99_000] * 4 + [0] * 4, [0] * 4 + [99_000] * 4)
    array = builder.block(builder.object("heap", builder.stack(builder.place(WHERE))), ARRAY, PAGES, thread=1)
    builder.touch(init_stack(builder), 1, ARRAY, faults, page_node=0, block=array)
    builder.homes((ARRAY, pages, 0), (ARRAY + pages * PAGE, PAGES - pages, None))
    (subject,) = first(with_build_id(builder), tmp_path).subjects
    assert subject.places[0].text == f"blocks 0:{border} 1:1"


def test_each_thread_its_own_allocation_goes_by_ordinal(tmp_path: Path) -> None:
    """Eight blocks that main allocates in a loop, each used by one thread."""
    builder = sampled()
    rows = builder.object("heap", builder.stack(builder.place(WHERE)))
    loop = builder.stack(builder.place(LOOP))
    for number in range(8):
        start, user = ARRAY + number * BLOCK * PAGE, 8 - number
        block = builder.block(rows, start, BLOCK, start_ns=number, thread=1)
        builder.touch(builder.stack(builder.place(INIT)), 1, start, BLOCK, page_node=0, block=block)
        builder.loads(loop, user, range(start, start + BLOCK * PAGE, 16 * PAGE), 0, block=block)
    (subject,) = first(with_build_id(builder), tmp_path).subjects
    places = [(place.ordinal, place.text) for place in subject.places]
    assert places == [(number, f"node {int(number < 4)}") for number in range(8)]


@pytest.mark.parametrize("sizes", [(PAGES,), (PAGES, PAGES)], ids=["one", "two"])
def test_each_page_of_rows_that_the_threads_divide_goes_to_its_node(sizes: tuple[int, ...], tmp_path: Path) -> None:
    """64 rows in each block: a thread has a part of each row, and all of none. Where blocks have several sizes, the
    place of a page in its block tells nothing."""
    builder = sampled()
    array, loop = builder.object("heap", builder.stack(builder.place(WHERE))), builder.stack(builder.place(LOOP))
    row = PAGES // 64
    for number, pages in enumerate(sizes):
        start = ARRAY + number * 2 * PAGES * PAGE
        block = builder.block(array, start, pages, start_ns=number, thread=1)
        builder.touch(init_stack(builder), 1, start, pages, page_node=0, block=block)
        for part in range(8 * 64):
            first_page = start + part * row // 8 * PAGE
            pages_of_part = range(first_page, first_page + row // 8 * PAGE, 4 * PAGE)
            for line in (0, 64):  # that a page has one user takes two samples to tell
                builder.loads(loop, part % 8 + 1, [page + line for page in pages_of_part], 0, block=block)
    (subject,) = first(with_build_id(builder), tmp_path).subjects
    (place,) = subject.places
    assert place.text.startswith("blocks 0:0.007812 1:0.015625 0:0.023438 1:0.03125 ")
    assert place.short.endswith(" ... (128 pieces)") and len(place.short) < 120


def test_of_an_array_that_grew_the_use_of_the_last_block_counts(tmp_path: Path) -> None:
    """While it is small, thread 5 alone uses it; at its full size each thread has a block of its own."""
    builder = sampled()
    array, loop = builder.object("heap", builder.stack(builder.place(WHERE))), builder.stack(builder.place(LOOP))
    for step in range(6):
        start, pages = ARRAY + step * (PAGES << 16), PAGES >> (5 - step)
        end = {} if step == 5 else {"end_ns": step + 1}
        block = builder.block(array, start, pages, start_ns=step, thread=1, **end)
        builder.touch(builder.stack(builder.place(INIT)), 1, start, pages, page_node=0, block=block)
        for thread in range(8 if step == 5 else 0):
            begin = start + thread * pages // 8 * PAGE
            builder.loads(loop, thread + 1, range(begin, begin + pages // 8 * PAGE, 16 * PAGE), 0, block=block)
        if step < 5:
            builder.loads(loop, 5, range(start, start + pages * PAGE, 4 * PAGE), 0, block=block)
    (subject,) = first(with_build_id(builder), tmp_path).subjects
    assert [place.text for place in subject.places] == ["blocks 0:0.5 1:1"], subject.basis


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("file", "the pages of files"),
        ("huge", "memory of hugetlbfs"),
        ("shared", "memory that processes share"),
        ("stack", "the stacks of threads"),
        ("tls", "thread-local variables"),
    ],
)
def test_what_cannot_be_placed_is_named(kind: str, words: str, tmp_path: Path) -> None:
    (reason,) = reasons_of(replace(largest(tmp_path), kind=kind), tmp_path)
    assert reason.endswith(f": {words} cannot be placed from outside")


def test_memory_without_an_allocation_is_no_kind_of_memory(tmp_path: Path) -> None:
    (reason,) = reasons_of(replace(largest(tmp_path), kind=UNNAMED, things=(-1,)), tmp_path)
    assert "only the line of its first touch is known, not its allocation" in reason


def test_memory_of_before_attaching_needs_a_new_recording(tmp_path: Path) -> None:
    (reason,) = reasons_of(replace(largest(tmp_path), mapped_before=True, touched=()), tmp_path)
    assert reason.endswith("it was allocated before numaprof attached: record the program from its start")


def largest(folder: Path) -> Object:
    evidence, _ = read(str(with_build_id(named_objects()).write(folder / "x.numaprof")))
    return max((each for each in evidence.objects.found if each.kind == "heap"), key=lambda each: each.bytes or 0)


def reasons_of(found: Object, folder: Path) -> list[str]:
    """Why this object of that recording cannot be placed."""
    evidence, layouts = read(str(folder / "x.numaprof"))
    made = proposal(
        1,
        to_place(found),
        evidence,
        layouts,
    )
    assert not made.subjects
    return list(made.left_out)


# --- files and choices


def subject(label: str = "sum.c:14 main", frames: int = 1, size: int = 1 << 20) -> Subject:
    stack = tuple(Frame(BUILD_ID, 16 + number, f"f{number} at sum.c:{number}") for number in range(frames))
    return Subject("allocation", label, (whole(0),), "test", stack, (size, 2 * size), None, 1, size)


def test_names_from_the_target_stay_in_their_comment(tmp_path: Path) -> None:
    text = write([subject("evil\nend\nmapping\x1b[2J")], "a\nb")
    assert [line.split()[0] for line in text.splitlines() if line.strip()] == [
        "numaprof-placement", "#", "allocation", "bytes", "frame", "place", "end",
    ]  # fmt: skip


def test_one_call_stack_of_several_processes_is_one_subject() -> None:
    kept = merged([subject(size=1 << 20), subject(size=1 << 22)])
    assert len(kept) == 1 and kept[0].bytes_range == (1 << 20, 2 << 22)


def test_advice_that_is_not_there_is_refused(tmp_path: Path) -> None:
    found = [first(with_build_id(named_objects()), tmp_path)]
    with pytest.raises(Failure, match="there is no advice 9"):
        choose(found, [9])
    assert [arm.name for arm in choose(found, [1]).arms] == ["advice-1", "interleave"]


def test_a_rebuilt_program_is_matched_by_source_or_refused(tmp_path: Path) -> None:
    _, layouts = read(str(with_build_id(named_objects()).write(tmp_path / "new.numaprof")))
    old = Subject("allocation", "array", (whole(0),), "", (Frame("ff", 1, "main at sum.c:14"),), (1, 9), None, 1, 9)
    kept, lost = rebuilt([old], layouts)
    assert kept[0].frames[0] == Frame(BUILD_ID, 0x1000 + 14, "main at sum.c:14") and not lost
    moved = Subject("allocation", "array", (whole(0),), "", (Frame("ff", 1, "main at sum.c:99"),), (1, 9), None, 1, 9)
    assert rebuilt([moved], layouts)[0]
    gone = Subject("allocation", "array", (whole(0),), "", (Frame("ff", 1, "fill at sum.c:14"),), (1, 9), None, 1, 9)
    kept, lost = rebuilt([gone], layouts)
    assert not kept and lost[0].startswith("array: no allocation of the rebuilt program")


@pytest.mark.parametrize(
    ("weights", "text"),
    [("5 3", "weighted 0,1"), ("4 4", "interleave 0,1"), ("5", "interleave 0,1"), ("", "interleave 0,1")],
)
def test_nodes_of_unequal_weight_are_interleaved_by_weight(weights: str, text: str, tmp_path: Path) -> None:
    for node, weight in enumerate(weights.split()):
        (tmp_path / f"node{node}").write_text(f"{weight}\n")
    shared = Subject("allocation", "table", (interleave([0, 1]), joined([Piece(0, 0.5), Piece(1, 1.0)])), "")
    (found,) = by_weight([shared], str(tmp_path))
    assert [place.text for place in found.places] == [text, "blocks 0:0.5 1:1"]
