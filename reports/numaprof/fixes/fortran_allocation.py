# SPDX-License-Identifier: Apache-2.0
"""ALLOCATE statements and variables of free-form Fortran."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from numaprof.fixes.c_text import matching, split
from numaprof.fixes.memory import Memory


def allocations(lines: Sequence[str], file: str, line: int) -> list[Memory]:
    """Arrays that the ALLOCATE statement on this line makes."""
    first, last = line, line
    while first > 1 and _code(lines[first - 2]).endswith("&"):
        first -= 1
    while last < len(lines) and _code(lines[last - 1]).endswith("&"):
        last += 1
    text = " ".join(_code(each).strip("&").strip() for each in lines[first - 1 : last])
    found = re.match(r"allocate\s*\(", text, re.I)
    if not found or ";" in text:
        return []
    inner = text[found.end() : matching(text, found.end() - 1)]
    source = re.search(r",\s*source\s*=\s*([^,]+)$", inner, re.I)
    if re.search(r"\b(source|mold)\s*=", inner, re.I) and not (source and _LITERAL.match(source.group(1).strip())):
        return []
    indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
    made = [memory for each in split(inner) if (memory := _memory(each, file, first, last, indent)) is not None]
    if source is None:
        return made
    zeros = [replace(memory, zero=memory.zero.removesuffix("0") + source.group(1).strip()) for memory in made]
    allocates = f"allocate({inner[: source.start()]})"
    return [replace(memory, instead="" if at else allocates) for at, memory in enumerate(zeros)]


def set_to_zero(lines: Sequence[str], memory: Memory) -> bool:
    """The procedure that allocates it sets it to zero later on: a compiler may make one calloc of both."""
    sets = re.compile(rf"\s*{re.escape(memory.pointer)}\s*(?:\([^()]*\)\s*)?=\s*0(?:\.0*)?(?:_\w+|[de]0+)?\s*$", re.I)
    for line in map(_code, lines[memory.last :]):
        if re.match(r"\s*end\s*(?:subroutine|function|program)\b", line, re.I):
            break
        if sets.match(line):
            return True
    return False


_PROGRAM = re.compile(r"program\s+\w+$", re.I)
_DECLARES = re.compile(
    r"(use|implicit|integer|real|double|complex|logical|character|type|class|parameter|data|common|save|external"
    r"|intrinsic|dimension|allocatable|pointer|procedure|end\s*type|contains\s*$)\b",
    re.I,
)


def variable(lines: Sequence[str], file: str, name: str, module: str | None) -> Memory | None:
    """An array of a module, or of the main program, without values; the main program has to be in the same file."""
    begin = next((at for at, line in enumerate(lines) if _PROGRAM.match(_code(line).strip())), None)
    rank = _rank(lines, name)
    if begin is None or not rank:
        return None
    first = begin + 1
    while first < len(lines) and _declares(lines, first):
        first += 1
    index = ":," * (rank - 1) + "{i}"
    bounds = f"lbound({name}, {rank}), ubound({name}, {rank})"
    uses = (f"use {module}, only: {name}",) if module else ()
    return Memory(file, first, first, name, bounds, "", f"{name}({index}) = 0", before=uses, fortran=True, indent="  ")


def _declares(lines: Sequence[str], at: int) -> bool:
    code = _code(lines[at]).strip()
    continued = _code(lines[at - 1]).endswith("&")
    return not code or continued or code.startswith("#") or "::" in code or _DECLARES.match(code) is not None


def _rank(lines: Sequence[str], name: str) -> int | None:
    """Dimensions of an array that one statement declares, without values."""
    found = []
    for line in lines:
        code = _code(line)
        declared = re.match(r"\s*(?:integer|real|double|complex|logical)\b(.*?)::(.*)$", code, re.I)
        if declared is None:
            if re.match(rf"\s*data\b.*\b{name}\b", code, re.I):
                return None
            continue
        common = re.search(r"\bdimension\s*\(", declared.group(1), re.I)
        for each in split(declared.group(2)):
            own = re.match(rf"{name}\s*(\(.*\))?\s*(=.*)?$", each, re.I)
            if own and not own.group(2) and (own.group(1) or common):
                at = common.end() - 1 if common else 0
                extents = own.group(1) or declared.group(1)[at : matching(declared.group(1), at) + 1]
                found.append(len(split(extents[1:-1])))
    return found[0] if len(found) == 1 else None


_LITERAL = re.compile(r"[-+]?[\d.]+(?:[de][-+]?\d+)?(?:_\w+)?$|\([\d.,\sde+-]+\)$|\.(?:true|false)\.$", re.I)


def _code(line: str) -> str:
    """Without a comment. Quotes in ALLOCATE statements stand in stat and errmsg only."""
    return line.split("!", maxsplit=1)[0].rstrip()


def _memory(text: str, file: str, first: int, last: int, indent: str) -> Memory | None:
    found = re.fullmatch(r"((?:\w+%)*\w+)\s*(\(.*\))", text.replace(" ", ""))
    if not found or matching(found.group(2), 0) != len(found.group(2)) - 1:
        return None
    name, rank = found.group(1), len(split(found.group(2)[1:-1]))
    index = ":," * (rank - 1) + "{i}"
    bounds = f"lbound({name}, {rank}), ubound({name}, {rank})"
    made = Memory(file, first, last, name, bounds, "", f"{name}({index}) = 0", fortran=True, indent=indent)
    levels = re.search(r",(\d)\)$", found.group(2))
    return replace(made, levels=int(levels.group(1))) if levels and rank > 1 else made


def each_level(memory: Memory) -> Memory:
    """All threads use each level, a part of it each: the dimension before the last is divided."""
    if not memory.levels:
        return memory
    start, _, value = memory.zero.partition(" = ")
    rank = start.count(",") + 1
    index = ":," * (rank - 2) + "{i},:"
    bounds = f"lbound({memory.pointer}, {rank - 1}), ubound({memory.pointer}, {rank - 1})"
    return replace(memory, count=bounds, zero=f"{memory.pointer}({index}) = {value}")
