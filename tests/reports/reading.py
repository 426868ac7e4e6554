# SPDX-License-Identifier: Apache-2.0
"""From a book to what the reports make of it."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

from book import Book
from numaprof.document.build_report import document
from numaprof.evidence.evidence import Evidence, load
from numaprof.terminal.first_screen import print_first_screen
from numaprof.terminal.layout import Paper
from numaprof.terminal.report_view import print_report

_number = itertools.count()


def read(book: Book, folder: Path) -> Evidence:
    return load(str(book.write(folder / f"{next(_number)}.numaprof")))


def first_screen(book: Book, folder: Path, width: int = 80) -> str:
    path = book.write(folder / f"{next(_number)}.numaprof")
    out = io.StringIO()
    print_first_screen(document(str(path)), Paper(out, width))
    return out.getvalue().replace(str(path), "sum.4711.numaprof")


def printed(book: Book, folder: Path, width: int = 80) -> str:
    """The report, as if the recording lay in the folder one stands in."""
    path = book.write(folder / f"{next(_number)}.numaprof")
    out = io.StringIO()
    print_report(load(str(path)), Paper(out, width))
    return out.getvalue().replace(str(path), "sum.4711.numaprof")
