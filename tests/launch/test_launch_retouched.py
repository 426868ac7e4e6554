# SPDX-License-Identifier: Apache-2.0
"""Pages that a program gives back and touches again are first touched once."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import BUILD, TREE, build_once
from running import lost_faults, one, run

MIB = 256  # base pages of 4 KiB
FIRST, AGAIN, UNKNOWN = 10, 13, 19


@pytest.mark.requires("perf_event", "x86_64")
@pytest.mark.parametrize(("mib", "times"), [(1, 4), (96, 1), (96, 5)])
def test_first_touches_are_at_most_the_memory(mib: int, times: int, tmp_path: Path) -> None:
    program = build_once(BUILD / "tests" / "targets" / "retouch", str(TREE / "tests" / "targets" / "retouch.c"))
    assert run("record", "-q", "-o", tmp_path / "r", program, mib << 10, times) == (0, "", "")

    def pages(kind: int) -> int:
        return int(one(tmp_path / "r", f"SELECT ifnull(sum(weight), 0) FROM sample WHERE kind = {kind}"))

    lost = lost_faults(tmp_path / "r")
    others = 2 * MIB  # the program's own, and those of its C library
    assert pages(FIRST) <= 1.15 * mib * MIB + others + lost  # samples after a gap stand for faults in it
    assert pages(FIRST) + pages(UNKNOWN) + lost >= 0.85 * mib * MIB
    assert pages(FIRST) + pages(AGAIN) + pages(UNKNOWN) + lost >= 0.85 * mib * times * MIB


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
