# SPDX-License-Identifier: Apache-2.0
"""Pages that a program gives back, or that were in swap, and touches again are first touched once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from conftest import BUILD, TREE, build_once
from running import lost_faults, one, run, run_command

SWAPPED_KIB = 16 << 10
MIB = 256  # base pages of 4 KiB
FIRST, AGAIN, UNKNOWN = 10, 13, 19


def _pages(recording: Path, kind: int) -> int:
    return int(one(recording, f"SELECT ifnull(sum(weight), 0) FROM sample WHERE kind = {kind}"))


def _free_swap_kib() -> int:
    areas = [line.split() for line in Path("/proc/swaps").read_text().splitlines()[1:]]
    return sum(int(size) - int(used) for *_, size, used, _ in areas)


@pytest.fixture
def swap(tmp_path: Path) -> Iterator[None]:
    """The machine's own, or a small file of ours for as long as the test runs."""
    if _free_swap_kib() >= 2 * SWAPPED_KIB:
        yield
        return
    if os.geteuid() != 0:
        pytest.skip("needs swap, or root to add some")
    file = tmp_path / "swap"
    file.write_bytes(bytes(2 * SWAPPED_KIB << 10))
    file.chmod(0o600)
    made = [run_command(command, file) for command in ("mkswap", "swapon")]
    if made[-1].status != 0:
        pytest.skip(f"needs a file system that may hold swap: {made[-1].err.strip()}")
    yield
    run_command("swapoff", file)


@pytest.mark.requires("perf_event", "x86_64")
@pytest.mark.parametrize(("mib", "times"), [(1, 4), (96, 1), (96, 5)])
def test_first_touches_are_at_most_the_memory(mib: int, times: int, tmp_path: Path) -> None:
    program = build_once(BUILD / "tests" / "targets" / "retouch", str(TREE / "tests" / "targets" / "retouch.c"))
    assert run("record", "-q", "-o", tmp_path / "r", program, mib << 10, times) == (0, "", "")

    pages = partial(_pages, tmp_path / "r")
    lost = lost_faults(tmp_path / "r")
    others = 2 * MIB  # the program's own, and those of its C library
    assert pages(FIRST) <= 1.15 * mib * MIB + others + lost  # samples after a gap stand for faults in it
    assert pages(FIRST) + pages(UNKNOWN) + lost >= 0.85 * mib * MIB
    assert pages(FIRST) + pages(AGAIN) + pages(UNKNOWN) + lost >= 0.85 * mib * times * MIB


@pytest.mark.requires("perf_event", "x86_64")
def test_pages_that_come_back_from_swap_are_no_first_touches(swap: None, tmp_path: Path) -> None:
    program = build_once(BUILD / "tests" / "targets" / "retouch", str(TREE / "tests" / "targets" / "retouch.c"))
    done = run("record", "-q", "-o", tmp_path / "r", program, SWAPPED_KIB, 3, "swap")
    if done.status == 3:
        pytest.skip("needs a kernel that writes memory to swap on request (MADV_PAGEOUT)")
    assert done == (0, "", "")
    pages, lost = SWAPPED_KIB // 4, lost_faults(tmp_path / "r")
    first, again = (_pages(tmp_path / "r", kind) for kind in (FIRST, AGAIN))
    assert 0.85 * pages - lost <= first <= 1.15 * pages + 2 * MIB + lost
    assert 0.85 * 2 * pages - lost <= again <= 1.15 * 2 * pages + 2 * MIB + lost


@pytest.mark.requires("perf_event", "x86_64", "huge_pages")
def test_a_huge_page_that_several_threads_wait_for_is_touched_once(tmp_path: Path) -> None:
    """Each of them has a fault; only one brings the page. Which one the others wait for, if any does, is chance."""
    source = TREE / "tests" / "targets" / "raced_pages.c"
    program = build_once(BUILD / "tests" / "targets" / "raced_pages", str(source), "-pthread")
    assert run("record", "-q", "-o", tmp_path / "r", program) == (0, "", "")
    by_work = (
        f"SELECT sum(weight) FROM sample JOIN stack ON stack.id = sample.stack JOIN place ON place.id = stack.place"
        f" WHERE kind = {FIRST} AND function = 'work'"
    )
    assert one(tmp_path / "r", by_work) == 16 * 512
