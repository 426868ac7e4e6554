# SPDX-License-Identifier: Apache-2.0
"""Reports as files: the page, JSON, tables. Loaded only when one is asked for."""

from __future__ import annotations

import sys
from pathlib import Path

from numaprof.diag import Failure
from numaprof.document import model
from numaprof.document.build import document
from numaprof.document.write_csv import write_tables
from numaprof.document.write_json import to_json
from numaprof.output import STDOUT, guarded, write_text
from numaprof.progress import Progress
from numaprof.text import clean, plural


def write_report(recording: str, html: str | None, json: str | None, csv: str | None, show: bool) -> None:
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
        if html is not None:
            say("writing the page")
            write_page(html, report, show)


def write_page(path: str, report: model.Report, show: bool) -> None:
    from numaprof.page.report import report_page  # noqa: PLC0415 (needs more packages than the rest)

    write_text(path, report_page(report))
    if show:
        open_in_browser(path)


def open_in_browser(path: str) -> None:
    import webbrowser  # noqa: PLC0415

    if path == STDOUT or not webbrowser.open(Path(path).resolve().as_uri()):
        raise Failure(f"cannot open {path} in a browser", "open the file by hand; $BROWSER names a browser")
