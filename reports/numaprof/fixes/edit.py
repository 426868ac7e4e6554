# SPDX-License-Identifier: Apache-2.0
"""A change of one source file, and how it is printed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from numaprof.text.format import words

_NAMES = ("POINTER", "COUNT", "BYTES")  # of memory.ANY


@dataclass(frozen=True)
class Edit:
    """Lines to add after a line of a file, or in the place of some of its lines. Line numbers are the recorded ones."""

    file: str
    first: int  # replaced are the lines from first to last; nothing is replaced if first > last
    last: int  # new lines stand after this one
    lines: tuple[str, ...]
    headers: tuple[str, ...] = ()  # needed by the new lines
    flags: tuple[str, ...] = ()  # of the compiler or linker
    fortran: bool = False
    ordinal: int = 0  # of the allocations that its line makes
    kept: bool = False  # only gives way to what stands beside it in its line, and is as it was

    @property
    def place(self) -> tuple[str, int, int]:
        return self.file, self.first, self.last

    @property
    def position(self) -> str:
        return f"{os.path.basename(self.file)}:{self.last}"

    def printed(self) -> tuple[str, ...]:
        """A comment that says where the lines belong, then the lines."""
        name, mark = os.path.basename(self.file), "!" if self.fortran else "//"
        if self.first > self.last:
            where = f"after line {self.last}, add"
        elif self.first == self.last:
            where = f"instead of line {self.last}"
        else:
            where = f"instead of lines {self.first}-{self.last}"
        return (f"{mark} {name}: {where}{self._needs()}", *self.lines)

    def unplaced(self, where: str) -> tuple[str, ...]:
        """Where the program's text was not read: the lines are in names that stand for others."""
        used = [name for name in _NAMES if re.search(rf"\b{name}\b", "\n".join(self.lines))]
        names = f", with the program's names for {words(used)}" if used else ""
        return (f"// {where}, add{names}{self._needs()}", *self.lines)

    def _needs(self) -> str:
        needs = [f"#include <{header}>" for header in self.headers]
        needs += [f"build with {' '.join(self.flags)}"] if self.flags else []
        return "".join(f"; {need}" for need in needs)


def printed(edits: Iterable[Edit]) -> tuple[str, ...]:
    """Edits of one position are printed as one."""
    groups: dict[tuple[str, int, int], list[Edit]] = {}
    for edit in dict.fromkeys(edits):
        groups.setdefault(edit.place, []).append(edit)
    return tuple(line for group in groups.values() for line in _joined(group).printed())


def _joined(group: Sequence[Edit]) -> Edit:
    return replace(
        group[0],
        lines=tuple(line for edit in group for line in edit.lines),
        headers=tuple(dict.fromkeys(header for edit in group for header in edit.headers)),
        flags=tuple(dict.fromkeys(flag for edit in group for flag in edit.flags)),
    )


def agreed(changes: Sequence[Sequence[Edit]]) -> list[tuple[Edit, ...]]:
    """The same changes, with one text for a line that several replace: what one keeps, another may change."""
    changed = {(edit.place, edit.ordinal): edit for edits in changes for edit in edits if not edit.kept}
    return [
        tuple(changed.get((edit.place, edit.ordinal), edit) if edit.kept else edit for edit in edits)
        for edits in changes
    ]
