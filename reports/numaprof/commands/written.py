# SPDX-License-Identifier: Apache-2.0
"""Reports as files: JSON, tables. Loaded only when one is asked for."""

from __future__ import annotations

import sys

from numaprof.document.build import document
from numaprof.document.write_csv import write_tables
from numaprof.document.write_json import to_json
from numaprof.output import guarded, write_text
from numaprof.progress import Progress
from numaprof.text import clean, plural


def write_report(recording: str, json: str | None, csv: str | None) -> None:
    with Progress() as say:
        say(f"reading {clean(recording)}")
        report = document(recording)
        if json is not None:
            say("writing JSON")
            write_text(json, to_json(report))
        if csv is not None:
            say("writing tables")
            written: list[str] = []
            guarded(csv, lambda: written.extend(write_tables(report, csv)))
            print(f"numaprof: wrote {plural(len(written), 'table')} to {clean(csv)}", file=sys.stderr)
