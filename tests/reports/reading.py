# SPDX-License-Identifier: Apache-2.0
"""From a builder to what the reports make of it."""

from __future__ import annotations

import io
import itertools
from dataclasses import replace
from pathlib import Path

from numaprof.document.build_report import document
from numaprof.evidence.evidence import Evidence, load
from numaprof.terminal.first_screen import print_first_screen
from numaprof.terminal.layout import Layout
from numaprof.terminal.report_view import print_report
from recording_builder import RecordingBuilder

_number = itertools.count()


def read(builder: RecordingBuilder, folder: Path) -> Evidence:
    return load(str(builder.write(folder / f"{next(_number)}.numaprof")))


def first_screen(builder: RecordingBuilder, folder: Path, width: int = 80) -> str:
    """As if the recording lay in the folder one stands in."""
    path = builder.write(folder / f"{next(_number)}.numaprof")
    out = io.StringIO()
    print_first_screen(replace(document(str(path)), recording="sum.4711.numaprof"), Layout(out, width))
    return out.getvalue()


def printed(builder: RecordingBuilder, folder: Path, width: int = 80) -> str:
    """The report, as if the recording lay in the folder one stands in."""
    path = builder.write(folder / f"{next(_number)}.numaprof")
    out = io.StringIO()
    print_report(document(str(path)), Layout(out, width))
    return out.getvalue().replace(str(path), "sum.4711.numaprof")
