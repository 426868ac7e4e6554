# SPDX-License-Identifier: Apache-2.0
"""ALLOCATE statements of free-form Fortran."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    if re.search(r"\b(source|mold)\s*=", inner, re.I):
        return []
    indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
    return [memory for each in split(inner) if (memory := _memory(each, file, first, last, indent)) is not None]


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
    return Memory(file, first, last, name, bounds, "", f"{name}({index}) = 0", fortran=True, indent=indent)
