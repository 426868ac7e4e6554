# SPDX-License-Identifier: Apache-2.0
"""Reports and comparisons as files: the page, JSON, tables. Loaded only when one is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from numaprof.commands.writing.output_files import STDOUT, guarded, replace, write_text
from numaprof.commands.writing.progress import Progress
from numaprof.compare.sides import Side
from numaprof.document.build_comparison import comparison
from numaprof.document.build_report import document
from numaprof.evidence.evidence import load
from numaprof.export.csv_tables import write_tables
from numaprof.export.json_document import to_json
from numaprof.job.read_job import read_job
from numaprof.model.experiment_model import Experiment
from numaprof.model.trial_model import TrialText
from numaprof.text.format import clean, plural
from numaprof.text.messages import Failure


@dataclass(frozen=True)
class Outputs:
    """Names of what is to be written; None: not wanted."""

    html: str | None
    json: str | None
    csv: str | None
    open: bool = False


def write_report(recording: str, wanted: Outputs) -> None:
    def page() -> str:
        from numaprof.page.report_page import report_page  # noqa: PLC0415 (needs more packages than the rest)

        return report_page(report)

    with Progress() as say:
        say(f"reading {clean(recording)}")
        report = document(recording)
        _write(report, page, wanted, say)


def write_job(sources: list[str], wanted: Outputs) -> None:
    """With a page, the pages of the ranks it names lie in a folder beside it."""
    with Progress() as say:
        say("reading summaries")
        job = read_job(sources)

        def page() -> str:
            from numaprof.commands.writing.rank_pages import write_rank_pages  # noqa: PLC0415
            from numaprof.page.job_page import job_page  # noqa: PLC0415

            return job_page(job, write_rank_pages(job, sources, wanted.html or STDOUT, say))

        _write(job, page, wanted, say)


def write_diff(before: list[str], after: list[str], wanted: Outputs) -> None:
    def page() -> str:
        from numaprof.page.comparison_page import diff_page  # noqa: PLC0415

        return diff_page(found, pages_of([*found.before.recordings, *found.after.recordings], wanted.html or STDOUT))

    with Progress() as say:
        say(f"reading {plural(len(before) + len(after), 'recording')}")
        found = comparison(Side(tuple(map(load, before))), Side(tuple(map(load, after))))
        _write(found, page, wanted, say)


def write_trial(before: list[str], after: list[str], trial: TrialText, path: str) -> None:
    """The page of `try`: the trial in words, and its plain runs beside those of its last placement."""
    from numaprof.page.comparison_page import trial_page  # noqa: PLC0415

    found = comparison(Side(tuple(map(load, before))), Side(tuple(map(load, after))))
    write_text(path, trial_page(found, trial))


def pages_of(recordings: Sequence[str], page: str) -> dict[str, str]:
    """Links to reports that lie beside their recordings (x.html beside x.numaprof), relative to the page."""
    if page == STDOUT:
        return {}
    here = os.path.dirname(os.path.abspath(page))
    beside = {each: os.path.abspath(os.path.splitext(each)[0] + ".html") for each in recordings}
    return {
        each: quote(os.path.relpath(path, here))
        for each, path in beside.items()
        if os.path.isfile(path) and path != os.path.abspath(page)
    }


def write_experiment(found: Experiment, path: str) -> None:
    from numaprof.page.experiment_page import experiment_page  # noqa: PLC0415

    write_text(path, experiment_page(found))


def _write(document: object, page: Callable[[], str], wanted: Outputs, say: Progress) -> None:
    if wanted.json is not None:
        say("writing JSON")
        write_text(wanted.json, to_json(document))
    if wanted.csv is not None:
        say("writing tables")
        folder = wanted.csv
        written: list[str] = []
        guarded(folder, lambda: written.extend(write_tables(document, folder, replace)))
        print(f"numaprof: wrote {plural(len(written), 'table')} to {clean(folder)}", file=sys.stderr)
    if wanted.html is not None:
        say("writing the page")
        write_text(wanted.html, page())
        if wanted.open:
            open_in_browser(wanted.html)


def open_in_browser(path: str) -> None:
    import webbrowser  # noqa: PLC0415

    if path == STDOUT or not webbrowser.open(Path(path).resolve().as_uri()):
        raise Failure(f"cannot open {path} in a browser", "open the file by hand; $BROWSER names a browser")
