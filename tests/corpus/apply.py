# SPDX-License-Identifier: Apache-2.0
"""Carries out printed advice to the letter: lines into the files that it names, or a command instead of the program's.

Knows only what is printed; nothing of numaprof.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_PLACE = re.compile(r"^(?://|!) (\S+): (?:after line (\d+), add|instead of lines? (\d+)(?:-(\d+))?)(?:; (.*))?$")
_COMMAND = re.compile(r"^(?:echo 1 > \S+; )?((?:numactl|[A-Z_]+=\S+) .*?)(?: {6}(instead.*))?$")


@dataclass
class Change:
    file: str
    first: int
    last: int
    headers: list[str]
    lines: list[str] = field(default_factory=list)


@dataclass
class Applied:
    """What building and running need after the edits."""

    flags: list[str] = field(default_factory=list)
    command: str | None = None  # instead of the program's own
    edited: int = 0


def apply(code: Sequence[str], folder: Path) -> Applied:
    """Edits the files in this folder. ValueError: code that neither says where it belongs nor is a command."""
    done, changes = Applied(), []
    for line in code:
        place = _PLACE.match(line)
        if place:
            changes.append(_change(place, done.flags))
        elif command := _COMMAND.match(line):
            # What may be done instead of an edit is not done beside it.
            done.command = done.command or (None if changes and command.group(2) else command.group(1))
        elif changes:
            changes[-1].lines.append(line)
        else:
            raise ValueError(f"not usable as printed: {line}")
    # Two recommendations say the same of a line that both change: it is changed once.
    changes = [change for number, change in enumerate(changes) if change not in changes[:number]]
    for name in {change.file for change in changes}:
        _edit(folder / name, [change for change in changes if change.file == name])
    done.edited = len(changes)
    return done


def _change(place: re.Match[str], flags: list[str]) -> Change:
    file, after, first, last, needs = place.groups()
    parts = needs.split("; ") if needs else []
    for part in parts:
        flags += part.removeprefix("build with ").split() if part.startswith("build with ") else []
    headers = [part for part in parts if part.startswith("#include")]
    if after:
        return Change(file, int(after) + 1, int(after), headers)
    return Change(file, int(first), int(last or first), headers)


def _edit(path: Path, changes: list[Change]) -> None:
    lines = path.read_text().split("\n")
    # From the end on; of two at one line, what replaces it before what is added above it.
    for change in sorted(changes, key=lambda change: (-change.first, -change.last)):
        lines[change.first - 1 : change.last] = change.lines
    # Beside the program's own: what defines _GNU_SOURCE stands before the first of these.
    first = next((number for number, line in enumerate(lines) if line.startswith("#include")), 0)
    lines[first:first] = dict.fromkeys(header for change in changes for header in change.headers)
    path.write_text("\n".join(lines))
