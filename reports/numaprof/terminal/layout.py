# SPDX-License-Identifier: Apache-2.0
"""The terminal as layout: lines, paragraphs and tables, to its width. Whoever writes on it has cleaned foreign text."""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Sequence
from typing import TextIO

from numaprof.text.format import clean

GAP = "  "
PROCESS_NAME = 16  # cells of a process's name
WIDEST = 120  # longer lines of running text are hard to read
BOLD, ALARM = "1", "31"


class Layout:
    def __init__(self, file: TextIO | None = None, width: int | None = None, colour_of: TextIO | None = None) -> None:
        """colour_of: the terminal on which the text is shown later."""
        self._file = file or sys.stdout
        self.width = min(WIDEST, width or shutil.get_terminal_size().columns)
        # https://no-color.org: present and not empty, whatever the value.
        wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._colour = (colour_of or self._file).isatty() and wanted

    def line(self, text: str = "", style: str = "") -> None:
        print(f"\x1b[{style}m{text}\x1b[0m" if style and self._colour else text, file=self._file)

    def paragraph(
        self, text: str, first: str = "", indent: str | None = None, style: str = "", most: int | None = None
    ) -> None:
        """Wrapped text; `first` stands before it, later lines are indented to its width. most: lines, see shortened."""
        indent = " " * cells(first) if indent is None else indent
        room = max(20, self.width - cells(indent))
        for number, part in enumerate(wrapped(text, room) if most is None else shortened(text, room, most)):
            self.line((first if number == 0 else indent) + part, style)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> None:
        """right: which columns are numbers. Heads may have two lines. Rows whose last cell is an arrow stand out."""
        heads = [name.rpartition("\n")[::2] for name in head]
        above, below = [first for first, _ in heads], [second for _, second in heads]
        widths = [max(map(cells, column)) for column in zip(above, below, *rows)]
        if any(above):
            self._row(above, widths, right, BOLD)
        self._row(below, widths, right, BOLD)
        for row in rows:
            self._row(row, widths, right, ALARM if row[-1].startswith("<-") else "")

    def table_with_remarks(
        self,
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
        right: Sequence[bool],
        remarks: Sequence[Sequence[str]],
    ) -> None:
        """Below each row its remarks, each a paragraph."""
        widths = [max(map(cells, column)) for column in zip(head, *rows)]
        self._row(head, widths, right, BOLD)
        for row, texts in zip(rows, remarks):
            self._row(row, widths, right, "")
            for text in texts:
                self.paragraph(text, first="    ", indent="      ")

    def _row(self, row: Sequence[str], widths: list[int], right: Sequence[bool], style: str) -> None:
        padded = []
        for text, width, number in zip(row, widths, right):
            space = " " * (width - cells(text))
            padded.append(space + text if number else text + space)
        self.line(GAP.join(padded).rstrip(), style)


def cells(text: str) -> int:
    """Columns that a terminal takes for it: East Asian letters take two, accents that combine none."""
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


_SENTENCES = re.compile(r"(?<=[.:;]) (?=[A-Z])")
_CLAUSES = re.compile(r".*(?=[,:;] )", re.DOTALL)
# Not the spaces of "9 412", "1.5 MiB" and "0.3 %".
BREAK = re.compile(r"(?<!\d) | (?!\d{3}(?:\D|$)|%|[kMGTPE](?:i?B)?\b)")


def wrapped(text: str, width: int) -> list[str]:
    """Broken at spaces, but not within a number; a word longer than a line stays whole, so that it can be copied."""
    lines: list[str] = []
    for word in BREAK.split(text):
        if lines and cells(lines[-1]) + 1 + cells(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def shortened(text: str, width: int, most: int) -> list[str]:
    """Whole sentences, in so many lines: half of one misleads. Of a first sentence that is too long, whole clauses."""
    lines, sentences = wrapped(text, width), _SENTENCES.split(text)
    while len(lines) > most and len(sentences) > 1:
        sentences.pop()
        lines = wrapped(" ".join([*sentences, "(More: --full.)"]), width)
    if len(lines) > most:
        beginning = " ".join([*lines[: most - 1], lines[most - 1][: width - 4]])
        clauses, words = _CLAUSES.match(beginning), BREAK.split(beginning)
        last = len(words[-1]) + 1 if words[1:] else 0
        kept = clauses[0] if clauses and 2 * len(clauses[0]) > len(beginning) else beginning[: len(beginning) - last]
        lines = wrapped(f"{kept} ...", width)
    return [fitted(line, width) for line in lines]


def fitted(text: str, width: int) -> str:
    """In so many columns: of a longer text, the middle is left out."""
    limit = width
    while cells(text) > width:
        text, limit = clean(text, limit), limit - 1
    return text


def rows(text: str, width: int) -> int:
    """How many a terminal takes, which breaks longer lines."""
    return sum(max(1, -(-cells(line) // width)) for line in text.splitlines())
