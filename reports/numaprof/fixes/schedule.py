# SPDX-License-Identifier: Apache-2.0
"""The OpenMP loop around a line of the program's text, and the schedule that it states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_FOR = re.compile(r"\s*for\s*\(")
_C_DIRECTIVE = re.compile(r"\s*#\s*pragma\s+omp\b.*\bfor\b")
_LABELLED = re.compile(r"\s*do\s+\d", re.I)  # ends at a line without END DO
_DO = re.compile(r"\s*(?:\w+\s*:)?\s*do\b", re.I)
_END_DO = re.compile(r"\s*end\s*do\b", re.I)
_UNIT = re.compile(r"\s*(?:end\b\s*)?(?:\w+\s+)*(?:program|module|subroutine|function)\b", re.I)
_COMMENT = re.compile(r"\s*(?://.*|/\*.*\*/\s*|!(?!\$).*)?$")  # or an empty line
_FORTRAN_DIRECTIVE = re.compile(r"\s*!\$omp\b.*\bdo\b", re.I)
# Without its modifiers, and without a chunk that is more than a name or a number.
_CLAUSE = re.compile(r"\bschedule\s*\((?:[^():]*:)?\s*(\w*)\s*(?:,\s*(\w+)\s*\))?", re.I)


class Loop(NamedTuple):
    head: int  # index of its first line
    schedule: str  # what stands in schedule(), as "dynamic, 4"; empty if nothing does


def in_c(lines: Sequence[str], line: int) -> Loop | None:
    """The innermost one. None: no such loop is seen around the line, or its schedule is not understood.

    The text is taken to be indented: a statement is within the nearest one above that is less indented.
    """
    return _innermost(lines, _around_in_c(lines, line - 1), _C_DIRECTIVE, "\\")


def in_fortran(lines: Sequence[str], line: int) -> Loop | None:
    """The same in free form."""
    found = _innermost(lines, _around_in_fortran(lines, line - 1), _FORTRAN_DIRECTIVE, "&")
    return found and Loop(found.head, found.schedule.lower())


def _innermost(lines: Sequence[str], loops: Iterator[int], directive: re.Pattern[str], continued: str) -> Loop | None:
    for at in loops:
        first = at - 1
        while first > 0 and _COMMENT.match(lines[first]):
            first -= 1
        while first > 0 and lines[first - 1].rstrip().endswith(continued):
            first -= 1
        above = " ".join(lines[max(0, first) : at])
        if directive.match(above):
            schedule = _stated(above)
            return None if schedule is None else Loop(at, schedule)
    return None


def _stated(directive: str) -> str | None:
    found = _CLAUSE.search(directive)
    if found is None:
        return None if "schedule" in directive.lower() else ""
    return ", ".join(filter(None, found.groups()))


def _around_in_c(lines: Sequence[str], at: int) -> Iterator[int]:
    within, loop_below = _indent(lines[at]) + 1, False
    for above in range(at, -1, -1):
        text = lines[above].strip()
        if text == "{" or text.startswith("#") or _COMMENT.match(text):
            continue
        indent, is_loop = _indent(lines[above]), bool(_FOR.match(text))
        # Loops of one nest may stand one below the other.
        heads_it = loop_below and is_loop and not text.endswith((";", "}"))
        if indent < within + heads_it:
            within, loop_below = indent, is_loop
            if is_loop:
                yield above
        else:
            loop_below = False


def _around_in_fortran(lines: Sequence[str], at: int) -> Iterator[int]:
    ended = 0
    for above in range(at - 1, -1, -1):
        if _UNIT.match(lines[above]) or _LABELLED.match(lines[above]):
            return
        if _END_DO.match(lines[above]):
            ended += 1
        elif _DO.match(lines[above]):
            if not ended:
                yield above
            ended = max(0, ended - 1)


def _indent(line: str) -> int:
    return len(line.expandtabs()) - len(line.expandtabs().lstrip())
