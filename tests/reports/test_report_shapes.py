# SPDX-License-Identifier: Apache-2.0
"""The shape of a use from sampled accesses: what was built that way is called so; few samples have no shape."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numaprof.evidence.access_patterns import Layout, Parts, Shape, Uses, divided_differently, kept_apart, shape
from numaprof.evidence.thresholds import BINS
from numaprof.recording.sql.sql_accesses import Order, RegionCell, Sharing

Draw = Callable[[random.Random, int, int], float]  # thread, threads -> position, 0 to 1


def of_samples(parts: Parts) -> Uses:
    """Each sample stands for one access."""
    return Uses(parts, parts)


def sampled(draw: Draw, threads: int, samples: int, seed: int = 1) -> Uses:
    chance = random.Random(seed)
    parts: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for thread in range(threads):
        for _ in range(samples):
            parts[thread][min(BINS - 1, int(BINS * draw(chance, thread, threads)))] += 1
    return of_samples(parts)


def block(chance: random.Random, thread: int, threads: int) -> float:
    return (thread + chance.random()) / threads


def halo(chance: random.Random, thread: int, threads: int) -> float:
    """A tenth of the accesses go a tenth of a block into the neighbours' blocks."""
    if chance.random() > 0.1:
        return block(chance, thread, threads)
    beyond = 0.1 * chance.random()
    position = thread - beyond if chance.random() < 0.5 else thread + 1 + beyond
    return min(0.999, max(0.0, position / threads))


def anywhere(chance: random.Random, thread: int, threads: int) -> float:
    return chance.random()


def half(chance: random.Random, thread: int, threads: int) -> float:
    """Blocks that overlap by half."""
    return min(0.999, (thread + 2 * chance.random()) / (threads + 1))


@pytest.mark.parametrize("threads", [2, 3, 8, 16, 64])
@pytest.mark.parametrize("samples", [16, 64, 1000])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_blocks(threads: int, samples: int, seed: int) -> None:
    assert shape(Layout(sampled(block, threads, samples, seed))) in (Shape.BLOCKS, Shape.HALO)


@pytest.mark.parametrize("threads", [2, 8, 16])
def test_blocks_have_no_halo(threads: int) -> None:
    assert shape(Layout(sampled(block, threads, 1000))) is Shape.BLOCKS


@pytest.mark.parametrize("threads", [2, 8, 16])
def test_halo(threads: int) -> None:
    assert shape(Layout(sampled(halo, threads, 1000))) is Shape.HALO


@pytest.mark.parametrize("threads", [2, 3, 8, 64])
@pytest.mark.parametrize("samples", [32, 64, 1000])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all(threads: int, samples: int, seed: int) -> None:
    found = shape(Layout(sampled(anywhere, threads, samples, seed)))
    assert found is Shape.ALL or (found is Shape.UNKNOWN and threads * samples < 100)


def test_overlapping_is_neither() -> None:
    assert shape(Layout(sampled(half, 4, 1000))) is Shape.OVERLAPPING
    assert shape(Layout(sampled(half, 4, 1000), pages=Sharing(1, 100, 40, 60))) is Shape.OVERLAPPING


def test_pages_of_their_own_in_parts_that_overlap() -> None:
    """Blocks of rows and columns: each range of rows has several threads, each page one."""
    assert shape(Layout(sampled(half, 4, 1000), pages=Sharing(1, 235, 207, 211))) is Shape.INTERLEAVED


@pytest.mark.parametrize(
    ("draw", "threads", "samples"), [(block, 4, 15), (block, 8, 1), (anywhere, 8, 15), (half, 8, 15)]
)
def test_few_samples_are_no_shape(draw: Draw, threads: int, samples: int) -> None:
    assert shape(Layout(sampled(draw, threads, samples))) is Shape.UNKNOWN


@pytest.mark.parametrize(("draw", "samples"), [(block, 2), (block, 3), (block, 15), (halo, 15)])
def test_few_samples_are_blocks_if_they_follow_the_threads(draw: Draw, samples: int) -> None:
    assert shape(Layout(sampled(draw, 8, samples))) is Shape.BLOCKS


def test_samples_follow_the_threads_by_chance_in_less_than_one_of_a_thousand_cases() -> None:
    found = [shape(Layout(sampled(anywhere, 5, 2, seed))) for seed in range(1000)]
    assert found.count(Shape.BLOCKS) <= 1


def of_few(draw: Draw, samples: int, seed: int = 1) -> Layout:
    """A team of which two threads are sampled often enough for a range, beside one that reads all of it at the end."""
    few, often = sampled(draw, 8, samples, seed).seen, sampled(draw, 8, 40, seed + 1).seen
    parts = {who: often[who] if who in (0, 6) else few[who] for who in few}
    return Layout(of_samples({**parts, 99: sampled(anywhere, 1, 200, seed + 2).seen[0]}))


def test_few_samples_follow_the_threads_beside_one_that_is_sampled_often() -> None:
    assert shape(of_few(block, 1)) is Shape.BLOCKS
    assert shape(of_few(block, 3)) is Shape.BLOCKS
    found = [shape(of_few(anywhere, 2, seed)) for seed in range(300)]
    assert not any(each.divided for each in found)
    assert not shape(of_few(half, 15)).divided


def test_one_thread() -> None:
    assert shape(Layout(sampled(anywhere, 1, 100))) is Shape.ONE


def test_blocks_beside_one_thread_that_fills_it_all() -> None:
    parts = {**sampled(block, 8, 200).seen, 99: sampled(anywhere, 1, 1000).seen[0]}
    assert shape(Layout(of_samples(parts))) is Shape.BLOCKS


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("part", [0.2, 0.5, 0.8])
def test_one_thread_sums_up_all_and_has_a_block_as_well(part: float, seed: int) -> None:
    """It spans more than its block, and less than all of it: some of its samples are elsewhere."""
    blocks, everywhere = sampled(block, 8, 1000, seed).seen, sampled(anywhere, 1, round(1000 * part), seed).seen[0]
    first = {bin: blocks[0].get(bin, 0.0) + everywhere.get(bin, 0.0) for bin in {*blocks[0], *everywhere}}
    assert shape(Layout(of_samples({**blocks, 0: first}))) is Shape.BLOCKS
    second = {bin: blocks[1].get(bin, 0.0) + everywhere.get(bin, 0.0) for bin in {*blocks[1], *everywhere}}
    assert shape(Layout(of_samples({**blocks, 0: first, 1: second}))) not in (Shape.BLOCKS, Shape.HALO), "two of them"


def test_pages_of_their_own_are_interleaved() -> None:
    parts = sampled(anywhere, 8, 200)
    assert shape(Layout(parts, pages=Sharing(1, 100, 95, 98))) is Shape.INTERLEAVED
    assert shape(Layout(parts, pages=Sharing(1, 100, 20, 50))) is Shape.ALL
    assert shape(Layout(parts, pages=Sharing(1, 10, 10, 10))) is Shape.ALL  # ten pages: chance


def test_no_order_is_random() -> None:
    parts = sampled(anywhere, 8, 200)
    assert shape(Layout(parts, order=Order(1, 1000, 510))) is Shape.RANDOM
    assert shape(Layout(parts, order=Order(1, 1000, 950))) is Shape.ALL
    assert shape(Layout(parts, order=Order(1, 40, 20))) is Shape.ALL
    in_turn, rows = Order(1, 1000, 380, 130, 64), Order(1, 1000, 950, 8, 4)
    assert shape(Layout(parts, order=in_turn)) is Shape.RANDOM  # tables in turn, each at random
    assert shape(Layout(parts, order=rows)) is Shape.ALL  # blocks so small that a step leaves them


def test_blocks_within_each_allocation() -> None:
    """Every sweep allocates anew: over all of them each thread is everywhere, in each it has its part."""
    assert shape(Layout(sampled(anywhere, 8, 200), folded=sampled(block, 8, 200))) is Shape.BLOCKS


def test_blocks_within_each_part_of_an_arena() -> None:
    regions = (sampled(block, 8, 100, 1), sampled(block, 8, 100, 2))
    assert shape(Layout(sampled(anywhere, 8, 200), regions=regions)) is Shape.PIECES
    assert shape(Layout(sampled(anywhere, 8, 200), regions=regions[:1])) is Shape.BLOCKS
    bordered = (sampled(halo, 8, 1000, 1), sampled(block, 8, 1000, 2))
    assert shape(Layout(sampled(anywhere, 8, 200), regions=bordered)) is Shape.PIECES
    mixed = (sampled(block, 8, 100, 1), sampled(anywhere, 8, 100, 2))
    assert shape(Layout(sampled(anywhere, 8, 200), regions=mixed)) is Shape.ALL


def cells(draw: Draw, samples: int, line: int) -> list[RegionCell]:
    parts = sampled(draw, 8, samples).seen
    return [RegionCell(1, 1, 1, who, None, bin, n, n, line) for who, bins in parts.items() for bin, n in bins.items()]


def mirrored(chance: random.Random, thread: int, threads: int) -> float:
    return block(chance, threads - 1 - thread, threads)


def test_lines_that_divide_it_differently_are_those_used_most() -> None:
    lines = {1: cells(block, 40, 1), 2: cells(mirrored, 60, 2), 3: cells(mirrored, 50, 3)}
    assert divided_differently(lines) == (2, 1)
    assert divided_differently({2: lines[2], 3: lines[3]}) is None, "alike"
    assert divided_differently({1: lines[1], 4: cells(anywhere, 60, 4)}) is None
    assert divided_differently({**lines, 4: cells(anywhere, 10, 4)}) == (2, 1), "too few samples for a shape"
    assert divided_differently({**lines, 4: cells(anywhere, 15, 4), 5: cells(anywhere, 15, 5)}) == (2, 1)
    few = {line: cells(anywhere, 15, line) for line in range(4, 15)}
    assert divided_differently({**lines, **few}) is None, "more than half of it is of lines without a shape"
    assert divided_differently({}) is None


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("arrays", [2, 5])
def test_several_arrays_in_one_block(arrays: int, seed: int) -> None:
    """Each divided among the threads: row pointers, a buffer that is cut by hand."""

    def piece(chance: random.Random, thread: int, threads: int) -> float:
        return (chance.randrange(arrays) + block(chance, thread, threads)) / arrays

    assert shape(Layout(sampled(piece, 8, 64, seed))) is Shape.PIECES
    # Of a few samples nobody can tell it from what all use.
    assert shape(Layout(sampled(piece, 8, 16, seed))) in (Shape.UNKNOWN, Shape.OVERLAPPING)


def test_what_is_handed_out_piece_by_piece_is_no_piece() -> None:
    chance = random.Random(1)
    owner = [chance.randrange(8) for _ in range(BINS)]
    parts = {thread: {bin: 3.0 for bin in range(BINS) if owner[bin] == thread} for thread in range(8)}
    assert not shape(Layout(of_samples(parts))).divided


def test_allocations_of_their_own() -> None:
    everywhere = sampled(anywhere, 8, 200)
    assert shape(Layout(everywhere, folded=everywhere, blocks=Sharing(1, 64, 64, 64))) is Shape.OWN


def test_blocks_of_nodes() -> None:
    """Within a node the threads share, between nodes they do not."""

    def of_node(chance: random.Random, thread: int, threads: int) -> float:
        return (thread // (threads // 2) + chance.random()) / 2

    parts = sampled(of_node, 8, 200)
    by_node = {
        node: {bin: sum(parts.seen[4 * node + t].get(bin, 0) for t in range(4)) for bin in range(BINS)}
        for node in (0, 1)
    }
    assert shape(Layout(parts, by_node=of_samples(by_node))) is Shape.NODE_BLOCKS


bins = st.dictionaries(st.integers(0, BINS - 1), st.floats(0.5, 1e6), max_size=20)


@given(st.dictionaries(st.integers(1, 70), bins, max_size=12), st.dictionaries(st.integers(1, 70), bins, max_size=5))
def test_anything_has_a_shape(parts: Parts, folded: Parts) -> None:
    assert isinstance(shape(Layout(of_samples(parts), of_samples(folded))), Shape)


@given(st.dictionaries(st.integers(1, 70), bins, max_size=12))
def test_who_is_who_does_not_matter(parts: Parts) -> None:
    """Only their order does: of few samples it tells that threads have blocks."""
    renamed = {3 * who + 100: mine for who, mine in parts.items()}
    assert shape(Layout(of_samples(parts))) is shape(Layout(of_samples(renamed)))


def weighed(uses: Uses, periods: dict[int, float]) -> Uses:
    """The same samples, taken with a period of each thread's own."""
    accesses = {who: {bin: n * periods.get(who, 1.0) for bin, n in bins.items()} for who, bins in uses.seen.items()}
    return Uses(uses.seen, accesses)


def test_one_thread_is_the_only_one_by_its_accesses() -> None:
    """Twenty samples of one thread, ten of another: two thirds, or nearly all if a sample of the first is of more."""
    uses = of_samples({**sampled(anywhere, 1, 20).seen, 1: sampled(anywhere, 1, 10, 2).seen[0]})
    assert shape(Layout(uses)) is Shape.UNKNOWN
    assert shape(Layout(weighed(uses, {0: 1000.0}))) is Shape.ONE
    alone = of_samples({**sampled(anywhere, 1, 400).seen, 1: {7: 1.0}})
    assert shape(Layout(alone)) is Shape.ONE
    assert shape(Layout(weighed(alone, {1: 1000.0}))) is Shape.UNKNOWN


def test_a_part_that_two_were_seen_at_is_shared_whatever_their_periods() -> None:
    """A column of a matrix, read once by each: periods that differ by fifty do not give it to one of them."""
    uses = of_samples({who: dict.fromkeys(range(40), 1.0) for who in (0, 1)})
    assert kept_apart(uses) is False
    assert kept_apart(weighed(uses, {1: 50.0})) is False


def test_a_halo_is_a_part_of_the_accesses() -> None:
    """Of a thread that is sampled rarely, each sample in the neighbour's block stands for many accesses."""
    own = sampled(block, 8, 1000).seen
    strays = of_samples(
        {**own, 0: {**own[0], **dict.fromkeys(range(40, 46), 5.0)}, 1: {**own[1], **dict.fromkeys(range(70, 72), 1.0)}}
    )
    assert shape(Layout(strays)) is Shape.BLOCKS
    assert shape(Layout(weighed(strays, {0: 4.0}))) is Shape.HALO


def test_one_thread_that_looks_at_all_of_it_uses_no_borders() -> None:
    """It checks the result, beside its own block; two threads in the blocks beside theirs use borders."""
    own = sampled(block, 8, 1000).seen
    checks = {**own, 0: {**own[0], **dict.fromkeys(range(40, 256, 4), 1.0)}}
    assert shape(Layout(of_samples(checks))) is Shape.BLOCKS
    borders = {
        who: {**bins, **dict.fromkeys(range(32 * who + 34, min(32 * who + 40, 254)), 2.0)} for who, bins in own.items()
    }
    assert shape(Layout(of_samples(borders))) is Shape.HALO
