# SPDX-License-Identifier: Apache-2.0
"""The source text around a line, where the file can still be read here."""

from __future__ import annotations

import os
import stat
from datetime import datetime
from functools import cache

from numaprof.text.format import clean

BEFORE, AFTER = 3, 4  # lines around the one meant: a loop and its head
MOST_BYTES = 4 << 20  # larger files are generated ones
WIDEST = 160

# A recording may come from anybody and names files of this machine: only what is source by its name is shown.
_SUFFIXES = (
    *(".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp", ".cu", ".s", ".asm"),
    *(".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08", ".ftn", ".rs", ".go", ".d", ".zig", ".nim", ".jl", ".py"),
    *(".pyx", ".java", ".kt", ".scala", ".cs", ".swift", ".m", ".mm", ".ads", ".adb", ".pas", ".ml", ".hs"),
)


def found(file: str | None, cwd: str | None) -> str | None:
    """Compilers may record names relative to where they ran: that is tried here and where the program was started."""
    if file is None or os.path.splitext(file)[1].lower() not in _SUFFIXES:
        return None
    names = [file, *([os.path.join(cwd, file)] if cwd else [])]
    return next((name for name in names if _readable(name)), None)


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


def whole(file: str | None, cwd: str | None, started_at: str) -> tuple[str, ...]:
    """All lines of a file, uncut; none unless it is what the program was made of."""
    name = found(file, cwd)
    return () if name is None or changed_since(name, started_at) else _uncut(name)


@cache
def _uncut(file: str) -> tuple[str, ...]:
    try:
        with open(file, encoding="utf-8", errors="backslashreplace") as source:
            return tuple(clean(line.rstrip("\r\n").expandtabs()) for line in source)
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
        with open(file, encoding="utf-8", errors="backslashreplace") as source:
            return tuple(clean(line.rstrip("\r\n").expandtabs(), WIDEST) for line in source)
    except (OSError, ValueError):
        return ()


def changed_since(file: str | None, started_at: str) -> bool:
    """The file was written to after the recording began: the text may be another one."""
    try:
        began = datetime.fromisoformat(started_at.replace("Z", "+00:00"))
        return file is not None and os.stat(file).st_mtime > began.timestamp()
    except (OSError, ValueError):
        return False
