# SPDX-License-Identifier: Apache-2.0
"""Edits of files as changes of whole lines, of which printed code, unified diffs, SARIF and JSON are made."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from numaprof.source.request import Edit, Fix, suffix

_CONTEXT = 3  # lines around a change, as git and patch want them


@dataclass(frozen=True)
class Change:
    """Lines of a file that give way to others, each with its end. Nothing is replaced if last < first."""

    file: str  # as the recording names it
    path: str
    first: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]

    @property
    def last(self) -> int:
        return self.first + len(self.old) - 1

    @property
    def text(self) -> tuple[str, ...]:
        """The new lines without their ends."""
        return tuple(line.rstrip(b"\r\n").decode("utf-8", "backslashreplace") for line in self.new)


def agreeing(fixes: Iterable[Fix]) -> list[Fix]:
    """The fixes whose edits do not overlap with those of one before."""
    found: list[Fix] = []
    for fix in fixes:
        others = {edit for other in found for edit in other.edits} - set(fix.edits)
        if not any(_overlap(edit, other) for edit in fix.edits for other in others):
            found.append(fix)
    return found


def _overlap(one: Edit, other: Edit) -> bool:
    ends = one.start + len(one.old), other.start + len(other.old)
    return one.path == other.path and one.start < ends[1] and other.start < ends[0]


def changes(edits: Iterable[Edit]) -> list[Change]:
    """By file and line."""
    found: list[Change] = []
    ordered = sorted(dict.fromkeys(edits), key=lambda edit: (edit.path, edit.start))
    for _, those in groupby(ordered, key=lambda edit: edit.path):
        found += _of_file(list(those))
    return found


def _of_file(edits: Sequence[Edit]) -> Iterator[Change]:
    with open(edits[0].path, "rb") as file:
        data = file.read()
    groups: list[tuple[int, int, list[Edit]]] = []  # edits of common lines, and the offsets of these
    for edit in edits:
        if data[edit.start : edit.start + len(edit.old)] != edit.old:
            raise ValueError(f"{edit.path} has changed since it was read")
        begin, end = _lines(data, edit)
        if groups and begin < groups[-1][1]:
            begin, last, those = groups.pop()
            groups.append((begin, max(last, end), [*those, edit]))
        else:
            groups.append((begin, end, [edit]))
    for begin, end, those in groups:
        new, at = b"", begin
        for edit in those:
            new += data[at : edit.start] + edit.new
            at = edit.start + len(edit.old)
        yield _trimmed(edits[0], data, begin, end, new + data[at:end])


def _lines(data: bytes, edit: Edit) -> tuple[int, int]:
    """Offsets of the whole lines that an edit touches; none where it adds lines between two others."""
    begin, end = data.rfind(b"\n", 0, edit.start) + 1, edit.start + len(edit.old)
    whole = edit.new.endswith(b"\n") or (not edit.new and begin == edit.start)
    if whole and (end == 0 or data[end - 1 : end] == b"\n"):
        return begin, end
    following = data.find(b"\n", end)
    return begin, len(data) if following < 0 else following + 1


def _trimmed(edit: Edit, data: bytes, begin: int, end: int, text: bytes) -> Change:
    """Without the lines that stay."""
    old, new = data[begin:end].splitlines(keepends=True), text.splitlines(keepends=True)
    first = data.count(b"\n", 0, begin) + 1
    while old and new and old[0] == new[0]:
        old, new, first = old[1:], new[1:], first + 1
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return Change(edit.file, edit.path, first, tuple(old), tuple(new))


def printed(fixes: Sequence[Fix]) -> tuple[str, ...]:
    """The lines, each change below a comment that says where it belongs, the first with the flags of the build."""
    lines: list[str] = []
    flags = flags_of(fixes)
    for number, change in enumerate(changes(edit for fix in fixes for edit in fix.edits)):
        name, mark = os.path.basename(change.file), "!" if suffix(change.file).startswith(".f") else "//"
        if not change.old:
            where = f"after line {change.last}, add"
        elif len(change.old) == 1:
            where = f"instead of line {change.first}"
        else:
            where = f"instead of lines {change.first}-{change.last}"
        needs = f"; build with {' '.join(flags)}" if flags and not number else ""
        lines += [f"{mark} {name}: {where}{needs}", *change.text]
    return tuple(lines)


def flags_of(fixes: Iterable[Fix]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(flag for fix in fixes for flag in fix.flags))


def unified(fixes: Sequence[Fix], root: str) -> bytes:
    """A diff of all fixes, with names relative to a folder, as git apply and patch -p1 take it."""
    flags = flags_of(fixes)
    parts = [f"# build with {' '.join(flags)}\n".encode()] if flags else []
    those = changes(edit for fix in fixes for edit in fix.edits)
    for path, of_file in groupby(those, key=lambda change: change.path):
        name = os.path.relpath(path, root).encode("utf-8", "surrogateescape")
        parts.append(b"--- a/" + name + b"\n+++ b/" + name + b"\n")
        with open(path, "rb") as file:
            lines = file.read().splitlines(keepends=True)
        shift = 0
        for hunk in _hunks(list(of_file)):
            text, added = _hunk(lines, hunk, shift)
            shift += added
            parts.append(text)
    return b"".join(parts)


def _hunks(found: Sequence[Change]) -> Iterator[list[Change]]:
    """Changes whose lines of context meet."""
    group: list[Change] = []
    for change in found:
        if group and change.first - group[-1].last > 2 * _CONTEXT + 1:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(lines: Sequence[bytes], group: Sequence[Change], shift: int) -> tuple[bytes, int]:
    """The text of a hunk, and how many lines it adds; shift: lines that the hunks before it add."""
    at = first = max(1, group[0].first - _CONTEXT)
    last = min(len(lines), group[-1].last + _CONTEXT)
    marked: list[tuple[bytes, bytes]] = []
    for change in group:
        marked += [(b" ", line) for line in lines[at - 1 : change.first - 1]]
        marked += [(b"-", line) for line in change.old] + [(b"+", line) for line in change.new]
        at = change.last + 1
    marked += [(b" ", line) for line in lines[at - 1 : last]]
    old, new = (sum(mark in marks for mark, _ in marked) for marks in (b" -", b" +"))
    head = b"@@ -%d,%d +%d,%d @@\n" % (first if old else first - 1, old, first + shift if new else 0, new)
    body = b"".join(
        mark + (line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n") for mark, line in marked
    )
    return head + body, new - old
