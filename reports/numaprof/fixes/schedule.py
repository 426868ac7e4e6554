# SPDX-License-Identifier: Apache-2.0
"""The schedule that the program's text gives to the OpenMP loop around a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_FOR = re.compile(r"\s*for\s*\(")
_C_DIRECTIVE = re.compile(r"\s*#\s*pragma\s+omp\b.*\bfor\b")
_LABELLED = re.compile(r"\s*do\s+\d", re.I)  # ends at a line without END DO
_DO = re.compile(r"\s*(?:\w+\s*:)?\s*do\b", re.I)
_END_DO = re.compile(r"\s*end\s*do\b", re.I)
_UNIT = re.compile(r"\s*(?:end\b\s*)?(?:\w+\s+)*(?:program|module|subroutine|function)\b", re.I)
_FORTRAN_DIRECTIVE = re.compile(r"\s*!\$omp\b.*\bdo\b", re.I)
_CLAUSE = re.compile(r"\bschedule\s*\(([^)]*)\)", re.I)


def in_c(lines: Sequence[str], line: int) -> str | None:
    """What stands in schedule(): empty if nothing does. None: no such loop is seen around the line.

    The text is taken to be indented: a statement is within the nearest one above that is less indented.
    """
    return _innermost(lines, _around_in_c(lines, line - 1), _C_DIRECTIVE, "\\")


def in_fortran(lines: Sequence[str], line: int) -> str | None:
    """The same in free form."""
    return _innermost(lines, _around_in_fortran(lines, line - 1), _FORTRAN_DIRECTIVE, "&")


def _innermost(lines: Sequence[str], loops: Iterator[int], directive: re.Pattern[str], continued: str) -> str | None:
    for at in loops:
        first = at - 1
        while first > 0 and lines[first - 1].rstrip().endswith(continued):
            first -= 1
        above = " ".join(lines[max(0, first) : at])
        if directive.match(above):
            return _stated(above)
    return None


def _stated(directive: str) -> str | None:
    found = _CLAUSE.search(directive)
    if found is None:
        return None if "schedule" in directive.lower() else ""
    stated = found.group(1).rpartition(":")[2].strip().lower()
    plain = re.match(r"\w*(?:\s*,\s*\w+$)?", stated)  # a chunk that is more than a name or a number is left out
    return plain.group() if plain else ""


def _around_in_c(lines: Sequence[str], at: int) -> Iterator[int]:
    within = _indent(lines[at]) + 1
    for above in range(at, -1, -1):
        text = lines[above].strip()
        if not text or text == "{" or text.startswith(("#", "//")) or _indent(lines[above]) >= within:
            continue
        within = _indent(lines[above])
        if _FOR.match(lines[above]):
            yield above


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
