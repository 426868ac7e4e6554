# SPDX-License-Identifier: Apache-2.0
"""What the program's text says of memory that it allocates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from numaprof.fixes.c_loops import Nest


@dataclass(frozen=True)
class Moved:
    """What a loop of Fortran allocates in each of its turns, in a parallel loop of its own before it."""

    after: int  # the line above the loop
    indent: str  # of the loop
    lines: tuple[str, ...]
    pieces: tuple[Memory, ...] = ()  # the same where they stand: what each turn allocates, one by one


@dataclass(frozen=True)
class Memory:
    """Memory whose allocation was found in the text. Expressions are the program's own, valid after `last`."""

    file: str
    first: int  # lines of the allocating statement
    last: int  # after this line the memory is there, and nothing wrote to it yet
    pointer: str  # expression of the first element's address
    count: str  # expression: elements that `pointer` can index
    size: str  # expression: bytes
    zero: str  # statement that writes zeros to element {i} of `pointer`
    start: str = "0"  # expression: first element that nothing was written to
    headers: tuple[str, ...] = ()  # needed by these expressions
    nest: Nest | None = None  # the loops that allocate one piece after the other; then `pointer` uses their indices
    divide_each: bool = False  # all threads use each piece, a part of it each
    unnumbered: bool = False  # a loop over containers makes it, whose turns have no number: only each can be divided
    in_loop: bool = False  # a loop makes it, in each turn another
    small: bool = False  # blocks of less than a page: their pages have others in them
    filled: bool = False  # the function that makes it writes to it: only its thread's policy decides
    grown: bool = False  # all its pages have been written to by then: they have to move
    schedule: str = "static"  # of OpenMP, that hands out its elements, or its rows
    row: str = ""  # expression: elements of a row, where rows are handed out
    writes: bool = False  # the statement itself writes to all of it: a container's
    zeroed: bool = False  # the statement writes zeros, and `before` does not
    cleared: str = ""  # writes these zeros where bytes may not be set, as the type of the elements is a parameter
    before: tuple[str, ...] = ()  # instead of the allocating statement: allocates, writes nothing
    after: tuple[str, ...] = ()  # what the statement did beside that
    around: tuple[tuple[str, ...], tuple[str, ...]] | None = None  # before and behind loops that only our code has
    instead: str | None = None  # of the statement in Fortran: it allocates without writing; "": as for the one before
    moved: Moved | None = None
    static: bool = False  # a variable: there before the program starts
    fortran: bool = False
    derived: bool = False  # of a derived type of Fortran, to which no zero can be assigned
    levels: int = 0  # extent of the last dimension in Fortran, where that is a small number and others come before
    arrays: int = 0  # of one size that the program cuts it into, as samples tell: the code is for these
    indent: str = ""
    page_bytes: int = 4096  # of the machine that was recorded
    nodes: tuple[int, ...] = ()  # of equal parts of it, where these are not those of the memory beside it
    ordinal: int = 0  # of the allocations that its line makes
    kept: bool = False  # only its line gives way to others, for memory beside it: it stays as it was
    blocks: int = 0  # so many are made here, by no loop that the text shows, and each is one part

    def between(self, before: Iterable[str], after: Iterable[str]) -> Memory:
        """With more statements before and behind all that is in place of its own."""
        if self.around is None:
            return replace(self, before=(*before, *self.before), after=(*self.after, *after))
        return replace(self, around=((*before, *self.around[0]), (*self.around[1], *after)))

    def zero_at(self, index: str) -> str:
        """The statement that writes zeros to this element. No format: braces of the program's text stay."""
        return self.zero.replace("{i}", index)


# Where the text cannot be read: names that the user has to replace, and that no program has by chance.
ANY = Memory("", 0, 0, "POINTER", "COUNT", "BYTES", "POINTER[{i}] = 0;")
