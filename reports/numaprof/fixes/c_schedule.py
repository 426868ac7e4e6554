# SPDX-License-Identifier: Apache-2.0
"""Loops of C and C++ that OpenMP hands out in chunks, one thread after the other, and what of an array a turn uses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from numaprof.fixes.memory import Memory

_PRAGMA = re.compile(r"^\s*#\s*pragma\s+omp\b.*\bfor\b(?:.*\bschedule\s*\(\s*static\s*,\s*(\w+)\s*\))?")
_HEAD = re.compile(r"^\s*for\s*\(\s*(?:[\w:]+\s+)*(\w+)\s*=")
_BEYOND = 10  # lines below the line of use where the loop may still name the array


def dealt(lines: Sequence[str], line: int, memory: Memory) -> Memory | None:
    """The memory, with the schedule of the loop around a line; None: that is another one, or its turns use no rows."""
    found = _loop(lines, line)
    if found is None:
        return None
    chunk, index, body = found
    name = re.escape(re.split(r"\.|->|::", memory.pointer.split("[", maxsplit=1)[0])[-1].removesuffix("()"))
    schedule = f"static, {chunk}"
    if re.search(rf"\b{name}\s*\[\s*{index}\s*\]", body):
        return replace(memory, schedule=schedule)
    row = re.search(rf"\b{name}\s*\[\s*(?:\([\w\s]+\)\s*)?{index}\s*\*\s*(\w+)\s*[\]+]", body)
    if row and memory.nest is None and re.search(rf"\b{row.group(1)}\b", memory.count):
        return replace(memory, schedule=schedule, row=row.group(1))
    return None


def _loop(lines: Sequence[str], line: int) -> tuple[str, str, str] | None:
    """Chunk of the schedule, index and text of the innermost parallel loop around a line."""
    for at in range(min(line, len(lines)) - 1, -1, -1):
        if lines[at].startswith("}"):
            return None
        pragma = _PRAGMA.match(lines[at])
        if pragma is None:
            continue
        head = next((each for each in lines[at + 1 : line] if _HEAD.match(each)), "")
        index = _HEAD.match(head)
        if pragma.group(1) is None or index is None:
            return None
        return pragma.group(1), index.group(1), "\n".join(lines[at : line + _BEYOND])
    return None
