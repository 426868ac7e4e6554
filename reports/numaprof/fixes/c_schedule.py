# SPDX-License-Identifier: Apache-2.0
"""Loops of C and C++ that OpenMP hands out in chunks, one thread after the other, and what of an array a turn uses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from numaprof.fixes import schedule
from numaprof.fixes.memory import Memory

_HEAD = re.compile(r"^\s*for\s*\(\s*(?:[\w:]+\s+)*(\w+)\s*=")
_BEYOND = 10  # lines below the line of use where the loop may still name the array


def dealt(lines: Sequence[str], line: int, memory: Memory) -> Memory | None:
    """The memory, with the schedule of the loop around a line; None: that is another one, or its turns use no rows."""
    loop = schedule.in_c(lines, line)
    head = _HEAD.match(lines[loop.head]) if loop and loop.schedule.startswith("static,") else None
    if loop is None or head is None:
        return None
    index, body = head.group(1), "\n".join(lines[loop.head : line + _BEYOND])
    name = re.escape(re.split(r"\.|->|::", memory.pointer.split("[", maxsplit=1)[0])[-1].removesuffix("()"))
    if re.search(rf"\b{name}\s*\[\s*{index}\s*\]", body):
        return replace(memory, schedule=loop.schedule)
    row = re.search(rf"\b{name}\s*\[\s*(?:\([\w\s]+\)\s*)?{index}\s*\*\s*(\w+)\s*[\]+]", body)
    if row and memory.nest is None and re.search(rf"\b{row.group(1)}\b", memory.count):
        return replace(memory, schedule=loop.schedule, row=row.group(1))
    return None
