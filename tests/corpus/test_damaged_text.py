# SPDX-License-Identifier: Apache-2.0
"""Programs whose text was damaged: whatever it says, code is found in it or none, and nothing fails."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from numaprof.fixes import c_allocation, c_schedule, fortran_allocation, schedule
from numaprof.fixes.memory import Memory
from numaprof.fixes.snippets import by_node, huge_pages, interleaved, zeros_in_parallel

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.*"))
PIECES = [
    *"(){}[]<>*&%+?\\|^$.,;:'\"=#!/ \t\0é",
    *(
        "{1, 2}",
        "{0!r}",
        "%s",
        "\\d",
        "(?P<x",
        "[a-",
        "\n#define NEW(b [, c) malloc(b)\n",
        " " * 200,
        "(" * 60,
        "a." * 100,
    ),
]
NAMES = ["make", "grid", "a(", "x[", "std::vector<int>::x", "b*", "*", ""]  # of symbols, which may hold anything
ALLOCATES = ("alloc", "new ", "vector", "mmap", "static", "make_", "resize", "common")


def damaged(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice([0, 1, 1, 2, 4, 10])):
        at, length = chance.randrange(len(text) + 1), chance.choice([0, 0, 1, 2, 20])
        text = text[:at] + chance.choice(["", chance.choice(PIECES)]) + text[at + length :]
    return text


def in_fortran(lines: Sequence[str], line: int, name: str) -> Iterator[Memory]:
    yield from fortran_allocation.allocations(lines, "x.f90", line)
    yield from fortran_allocation.common(lines, "x.f90", name)
    for module in (None, "m", name):
        if there := fortran_allocation.variable(lines, "x.f90", name, module):
            yield there


def in_c(lines: Sequence[str], line: int, name: str) -> Iterator[Memory]:
    yield from c_allocation.allocations(lines, "x.cpp", line, name or None, [])
    if there := c_allocation.variable(lines, "x.cpp", line, name):
        yield there
    c_allocation.is_handed_out(lines, line)
    c_allocation.is_handed_out_unwritten(lines, line, name)
    c_allocation.rows_beside(lines, line, name)


def use(memory: Memory, lines: Sequence[str], line: int) -> None:
    """All that is asked of it, and all code that is made of it."""
    if memory.fortran:
        fortran_allocation.set_to_zero(lines, memory)
    else:
        c_allocation.set_to_zero(lines, memory)
        c_schedule.dealt(lines, line, memory)
        by_node(memory, [0, 1])
        huge_pages(memory, True)
        interleaved(memory)
    zeros_in_parallel(memory)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_damaged_text_gives_code_or_none(program: Path) -> None:
    chance = random.Random(program.name)
    text = program.read_text()
    find = in_fortran if program.suffix == ".f90" else in_c
    lines = damaged(text, chance).split("\n")
    allocating = [number for number, line in enumerate(lines, 1) if any(word in line for word in ALLOCATES)]
    for number in chance.sample(range(1, len(lines) + 1), min(4, len(lines))):
        schedule.in_c(lines, number)
        schedule.in_fortran(lines, number)
    for number in chance.sample(allocating, min(4, len(allocating))):
        for memory in find(lines, number, chance.choice(NAMES)):
            use(memory, lines, chance.randrange(1, len(lines) + 1))
