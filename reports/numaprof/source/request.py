# SPDX-License-Identifier: Apache-2.0
"""What a caller asks of the program's source, and the fix that it gets: the interface of this folder.

sources = Sources(cwd, started_at, kept_lines)          # files.py
fix = fix_for(Request(...), sources)                    # fix.py
merged([fix, other]).code / .patch(root) / .files       # patch.py
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Line(NamedTuple):
    """A line of a source file, both as the recording names them."""

    file: str
    line: int


class Wanted(Enum):
    """A placement of memory."""

    TEAM = "team"  # parts in the order of an OpenMP team; the loop of use tells the schedule
    PIECES = "pieces"  # each allocation of a loop is one part, the parts are in the order of the team
    THREADS = "threads"  # the part that each of the program's own threads uses, to the node of that thread
    INTERLEAVED = "interleaved"
    SMALL_PAGES = "small pages"  # where the parts of threads meet in huge ones


class Form(Enum):
    """A form of a fix, the better first."""

    LOOP = "a"  # the initialising loop gets the schedule of the loop of use
    FIRST_TOUCH = "b"  # a parallel loop touches the pages before anything is written
    THREAD = "c"  # each thread moves its part to its node before it uses it
    POLICY = "d"  # pages are moved or interleaved after the allocation, by the nodes of the run
    WORDS = "e"


@dataclass(frozen=True)
class Request:
    """Memory of the program, and where it should be."""

    wanted: Wanted
    allocated: tuple[Line, ...] = ()  # of the allocation, then of the callers of the function that allocates
    numbers: tuple[int, ...] = ()  # of the allocations of that line, from 1; empty: all
    wrapper: str = ""  # name of the function that allocates for its caller; empty: none
    touched: tuple[Line, ...] = ()  # that first touch it, the one with most pages first
    used: Line | None = None  # in the loop that uses it most
    name: str = ""  # of the variable in the program's text, where it was not allocated


class Edit(NamedTuple):
    """A replacement of bytes in one file."""

    file: str  # as the recording names it
    path: str  # where it can be read
    start: int  # offset of the first byte
    old: bytes  # empty: an insertion
    new: bytes


@dataclass(frozen=True)
class Fix:
    form: Form
    edits: tuple[Edit, ...] = ()
    flags: tuple[str, ...] = ()  # of the compiler and the linker, that the edits need
    reason: str = ""  # why the next better form was not safe, in a few words; of WORDS: why there is no code

    @property
    def moves(self) -> bool:
        """True if the memory was written to before its pages get their nodes."""
        return self.form in (Form.THREAD, Form.POLICY)


def suffix(file: str) -> str:
    return os.path.splitext(file)[1].lower()


def words(reasons: Iterable[str]) -> Fix:
    return Fix(Form.WORDS, reason="; ".join(dict.fromkeys(filter(None, reasons))))
