# SPDX-License-Identifier: Apache-2.0
"""The source text around a line: as the recording keeps it, else where the file can still be read here."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from datetime import datetime
from functools import cache

from numaprof.text.format import clean
from numaprof.text.regular_file import open_regular

BEFORE, AFTER = 3, 4  # lines around the one meant: a loop and its head
MOST_BYTES = 4 << 20  # larger files are generated ones
WIDEST = 160
_KEPT_BYTES = 400  # of each line that the recording keeps

# A recording may come from anybody and names files of this machine. Shown is only what is source by its name, in a
# folder that the reader allows.
_SUFFIXES = (
    *(".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp", ".cu", ".s", ".asm"),
    *(".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08", ".ftn", ".rs", ".go", ".d", ".zig", ".nim", ".jl", ".py"),
    *(".pyx", ".java", ".kt", ".scala", ".cs", ".swift", ".m", ".mm", ".ads", ".adb", ".pas", ".ml", ".hs"),
)


_folders: list[str] = []  # that the reader allows (--source), beside the one of the project


def allow(folder: str) -> None:
    """Source text in this folder may be shown."""
    _folders.append(os.path.realpath(folder))


def found(file: str | None, cwd: str | None) -> str | None:
    """The real name of a source file in a folder that the reader allows.

    Compilers may record names relative to where they ran: that is tried in the folders of --source, which the reader
    chose, then here, then where the program was started.
    """
    if file is None or "\0" in file or os.path.splitext(file)[1].lower() not in _SUFFIXES:
        return None
    folders = [*_folders, "", *([cwd] if cwd and "\0" not in cwd else [])]
    names = (os.path.realpath(os.path.join(folder, file)) for folder in folders)
    return next((name for name in names if _allowed(name) and _readable(name)), None)


def _allowed(name: str) -> bool:
    """Also with its links followed: a link may lead out of the folder."""
    inside = any(name.startswith(os.path.join(folder, "")) for folder in (*_folders, _project()))
    return inside and os.path.splitext(name)[1].lower() in _SUFFIXES


@cache
def _project() -> str:
    """The folder in which the reader stands, or the git repository around it."""
    here = folder = os.path.realpath(".")
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return here
        folder = above
    return folder


def kept_around(lines: Mapping[int, str], line: int | None) -> tuple[tuple[int, str], ...]:
    """Numbers and texts of lines that a recording keeps; empty if not the line itself."""
    if line is None or line not in lines:
        return ()
    numbers = range(max(1, line - BEFORE), line + AFTER + 1)
    return tuple((at, clean(lines[at].expandtabs(), WIDEST)) for at in numbers if at in lines)


def around(file: str | None, line: int | None) -> tuple[tuple[int, str], ...]:
    """Numbers and texts of lines."""
    if file is None or line is None:
        return ()
    text = _lines(file)
    first, last = max(1, line - BEFORE), min(len(text), line + AFTER)
    return tuple((at, text[at - 1]) for at in range(first, last + 1)) if line <= len(text) else ()


def statement(file: str | None, line: int | None, cwd: str | None, started_at: str) -> str | None:
    """The text of one line, unless it may be another one by now."""
    name = found(file, cwd)
    if name is None or line is None or changed_since(name, started_at):
        return None
    text = _lines(name)
    return text[line - 1].strip() or None if line <= len(text) else None


def whole(file: str | None, cwd: str | None, started_at: str, kept: Mapping[int, str] | None = None) -> tuple[str, ...]:
    """All lines of a file, uncut; none unless it is what the program was made of. kept: lines of the recording."""
    name = found(file, cwd)
    return () if name is None or has_changed(name, started_at, kept or {}) else _uncut(name)


@cache
def _uncut(file: str) -> tuple[str, ...]:
    try:
        return tuple(clean(line.expandtabs()) for line in _text(file).split("\n"))
    except (OSError, ValueError):
        return ()


def _readable(name: str) -> bool:
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= MOST_BYTES


@cache
def _lines(file: str) -> tuple[str, ...]:
    try:
        return tuple(clean(line.expandtabs(), WIDEST) for line in _text(file).split("\n"))
    except (OSError, ValueError):
        return ()


def _text(file: str) -> str:
    """Of a regular file, without its last line end."""
    with open_regular(file, os.O_NOFOLLOW) as source:
        data = source.read(MOST_BYTES)
    return data.decode("utf-8", "backslashreplace").replace("\r\n", "\n").removesuffix("\n")


def has_changed(file: str, started_at: str, kept: Mapping[int, str]) -> bool:
    """The text is not what the program was made of. The lines that the recording keeps decide: a file may be written
    to and hold the same text. Without them, its time does."""
    if not kept:
        return changed_since(file, started_at)
    text = _uncut(file)
    return any(at > len(text) or not _is_same(text[at - 1], line) for at, line in kept.items())


def _is_same(line: str, kept: str) -> bool:
    """The recording cuts long lines, and may not keep bytes that are no UTF-8."""
    text, known = (each.encode("ascii", "ignore") for each in (line, clean(kept.expandtabs())))
    return text == known or (len(kept.encode()) >= _KEPT_BYTES and text.startswith(known))


def changed_since(file: str | None, started_at: str) -> bool:
    """The file was written to after the recording began: the text may be another one."""
    try:
        began = datetime.fromisoformat(started_at.replace("Z", "+00:00"))
        return file is not None and os.stat(file).st_mtime > began.timestamp()
    except (OSError, ValueError):
        return False
