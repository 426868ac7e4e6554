# SPDX-License-Identifier: Apache-2.0
"""Known patterns of accesses, with the counts computed on paper. The array has 64 pages of 64 lines, by turns local and
remote; the prefetcher confirms a stream at its third line and stops at the page's end."""

from __future__ import annotations

from typing import Callable

import pytest

PAGES, LINES = 64, 64 * 64
SMALL_JUNK, JUNK = 8, 32  # MiB to read until nothing else is left in any cache
TRAINING = 3  # demand misses until a stream is known

Paper = dict[str, int]


def counted(  # noqa: PLR0917
    lab_program: Callable[..., str], prefix: str, pattern: str, paper: Paper, cpus: tuple[int, int], junk: int
) -> Paper:
    names = [f"{prefix}{event}" for event in paper]
    counts = map(int, lab_program("patterns", pattern, *cpus, junk, *names).split())
    return dict(zip(paper, counts))


def both(event: str, each: int) -> Paper:
    """Half of the pages are local, half remote."""
    return {f"{event}:LOCAL_DRAM": each, f"{event}:REMOTE_DRAM": each}


FIFTHS = (LINES + 4) // 5  # 820 lines: 0, 5 ... 4095
HALF = PAGES // 2
NEHALEM: dict[str, Paper] = {
    # Each page: lines 0, 1, 2 are missed, 3 ... 63 prefetched.
    "ascending": {**both("DMND_DATA_RD", 3 * HALF), **both("PF_DATA_RD", 61 * HALF), **both("DMND_RFO", 0)},
    "descending": {**both("DMND_DATA_RD", 3 * HALF), **both("PF_DATA_RD", 61 * HALF)},
    # Lines 0, 2, 4 are missed; the prefetcher fetches whole stretches: 5, 6 ... 63.
    "every-second": {**both("DMND_DATA_RD", 3 * HALF), **both("PF_DATA_RD", 59 * HALF)},
    # Too wide a step for a stream. Lines 0, 5 ... 60 of page 0 (13), 1 ... 61 of page 1 (13), 2 ... 62 (13), 3 ... 63
    # (13), 4 ... 59 (12): 64 of five pages, 32 of 2.5; 820 in all, of which the even pages have 410.
    "every-fifth": {**both("DMND_DATA_RD", FIFTHS // 2), **both("PF_DATA_RD", 0)},
    "chase": {**both("DMND_DATA_RD", LINES // 2), **both("PF_DATA_RD", 0)},
    "random": {**both("DMND_DATA_RD", PAGES // 2), **both("PF_DATA_RD", 0)},
    # As ascending, but the lines are wanted for writing.
    "write": {**both("DMND_RFO", 3 * HALF), **both("PF_RFO", 61 * HALF), **both("DMND_DATA_RD", 0)},
    # 819 lines just written by another node's CPU, whose private cache holds 2048.
    "handover": {"DMND_DATA_RD:REMOTE_CACHE_HITM": LINES // 5, **both("DMND_DATA_RD", 0)},
    # 819 lines that the private cache of 2048 lines holds.
    "own-cache": {**both("DMND_DATA_RD", 0), **both("PF_DATA_RD", 0)},
    # The local half only: nothing reaches over the border, since streams end with their pages.
    "border-ascending": {"PF_DATA_RD:LOCAL_DRAM": 61 * HALF, "PF_DATA_RD:REMOTE_DRAM": 0},
}


@pytest.mark.lab("tests/lab/machines/small-nehalem.machine")
@pytest.mark.parametrize("pattern", NEHALEM)
def test_a_pattern_counts_what_paper_says(lab_program: Callable[..., str], pattern: str) -> None:
    paper = NEHALEM[pattern]
    assert counted(lab_program, "nhm::OFFCORE_RESPONSE_0:", pattern, paper, (1, 5), SMALL_JUNK) == paper


@pytest.mark.lab("tests/lab/machines/small-nehalem.machine")
def test_retired_loads_are_the_loops(lab_program: Callable[..., str]) -> None:
    """And one that fetches the loop's step from the stack."""
    paper = {"MEM_INST_RETIRED:LOADS": LINES + 1, "MEM_LOAD_RETIRED:L3_MISS": 3 * PAGES}
    assert counted(lab_program, "nhm::", "ascending", paper, (1, 5), SMALL_JUNK) == paper


@pytest.mark.lab("tests/lab/machines/small-nehalem.machine")
def test_instructions_are_fetched_line_by_line(lab_program: Callable[..., str]) -> None:
    """4096 functions of one instruction, a line each; what ends the measurement has a line of its own, or two."""
    paper = {**both("DMND_IFETCH", LINES // 2), **both("DMND_DATA_RD", 0)}
    counts = counted(lab_program, "nhm::OFFCORE_RESPONSE_0:", "execute", paper, (1, 5), SMALL_JUNK)
    assert all(0 <= counts[event] - paper[event] <= 2 for event in both("DMND_IFETCH", 0))
    assert all(counts[event] == 0 for event in both("DMND_DATA_RD", 0))


@pytest.mark.lab("tests/lab/machines/small-nehalem.machine")
def test_written_lines_are_written_back_once(lab_program: Callable[..., str]) -> None:
    """819 modified lines leave the private cache as 8192 others are read, and the shared one as 81920 are: more than
    it holds, since pages fall on its sets unevenly. With the lines go others that the kernel had modified before: at
    most half of what the private cache holds more than where nothing is written."""
    others = 2048 // 2
    (left,) = write_backs(lab_program, "write-back", {"WB:UNCORE_HIT": LINES // 5}, SMALL_JUNK)
    assert LINES // 5 * 0.95 <= left <= LINES // 5 + others
    for written in write_backs(lab_program, "write-memory", both("WB", LINES // 10), 2 * SMALL_JUNK):
        assert LINES // 10 * 0.95 <= written <= LINES // 10 + others


def write_backs(lab_program: Callable[..., str], pattern: str, paper: Paper, junk: int) -> list[int]:
    """By event."""
    return list(counted(lab_program, "nhm::OFFCORE_RESPONSE_0:", pattern, paper, (1, 5), junk).values())


@pytest.mark.lab("tests/lab/machines/small-westmere.machine")
def test_without_a_prefetcher_every_line_is_missed(lab_program: Callable[..., str]) -> None:
    paper = {"DMND_DATA_RD:REMOTE_DRAM": LINES // 2, "PF_DATA_RD:ANY_RESPONSE": 0}
    assert counted(lab_program, "wsm_dp::OFFCORE_RESPONSE_1:", "ascending", paper, (1, 5), SMALL_JUNK) == paper


@pytest.mark.lab("westmere")
def test_late_prefetches_are_demand_misses(lab_program: Callable[..., str]) -> None:
    """Of 61 x 64 = 3904 prefetches every eighth, 488, is not made, and the line missed; by turns local and remote: the
    eighth ones fall on even pages as often as on odd ones (61 is odd), to within a page's share of 8; which of them
    depends on what was prefetched before, and each event has a run of its own."""
    paper = {"DMND_DATA_RD:LOCAL_DRAM": 96 + 244, "DMND_DATA_RD:REMOTE_DRAM": 96 + 244, "PF_DATA_RD:ANY_RESPONSE": 3416}
    events = {name.replace("LOCAL_DRAM", "LOCAL_DRAM_AND_REMOTE_CACHE_HIT"): count for name, count in paper.items()}
    counts = counted(lab_program, "wsm_dp::OFFCORE_RESPONSE_0:", "ascending", events, (1, 5), JUNK)
    assert counts.pop("PF_DATA_RD:ANY_RESPONSE") == 3416
    assert all(abs(count - 96 - 244) <= 8 for count in counts.values())


@pytest.mark.lab("tests/lab/machines/small-skylake.machine")
def test_prefetches_into_the_shared_cache(lab_program: Callable[..., str]) -> None:
    """The same streams; a prefetched line is a demand read that the shared cache answers."""
    paper = {
        "DMND_DATA_RD:L3_MISS_LOCAL:SNP_ANY": 3 * HALF,
        "DMND_DATA_RD:L3_MISS_REMOTE_HOP1_DRAM:SNP_ANY": 3 * HALF,
        "DMND_DATA_RD:L3_HIT:SNP_NOT_NEEDED": 61 * PAGES,
        "PF_L3_DATA_RD:L3_MISS_LOCAL:SNP_ANY": 61 * HALF,
        "PF_L3_DATA_RD:L3_MISS_REMOTE_HOP1_DRAM:SNP_ANY": 61 * HALF,
    }
    assert counted(lab_program, "skx::OFFCORE_RESPONSE_0:", "ascending", paper, (1, 5), SMALL_JUNK) == paper


@pytest.mark.lab("article")
@pytest.mark.parametrize("direction", ["ascending", "descending"])
def test_the_prefetcher_reaches_over_the_border(lab_program: Callable[..., str], direction: str) -> None:
    """32 pages of one's own, the other node's behind them, one stream, 8 lines ahead: 3 misses, 2045 prefetches up to
    the border, 8 beyond."""
    paper = {
        **both("DMND_DATA_RD", 0),
        "DMND_DATA_RD:LOCAL_DRAM": TRAINING,
        "PF_DATA_RD:LOCAL_DRAM": HALF * 64 - TRAINING,
        "PF_DATA_RD:REMOTE_DRAM": 8,
    }
    counts = counted(lab_program, "nhm::OFFCORE_RESPONSE_0:", f"border-{direction}", paper, (6, 1), JUNK)
    assert counts == paper
