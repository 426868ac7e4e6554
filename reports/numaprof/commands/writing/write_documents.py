# SPDX-License-Identifier: Apache-2.0
"""Reports and comparisons as files: the page, JSON, tables. Loaded only when one is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from numaprof.commands.writing.outputs import Output, write, write_all
from numaprof.commands.writing.progress import Progress
from numaprof.compare.sides import Side
from numaprof.document.build_comparison import comparison
from numaprof.document.build_report import document
from numaprof.document.open_recording import reading
from numaprof.evidence.evidence import load
from numaprof.export.csv_tables import csv_files
from numaprof.export.json_document import to_json
from numaprof.job.read_job import read_job
from numaprof.model.experiment_model import Experiment
from numaprof.model.trial_model import TrialText
from numaprof.placement.explain import advise
from numaprof.source.objects import root_of
from numaprof.source.patch import agreeing, unified
from numaprof.text.format import clean, plural
from numaprof.text.messages import Failure


@dataclass(frozen=True)
class Outputs:
    """Names of what is to be written; None: not wanted."""

    html: Output | None
    json: Output | None
    csv: Output | None
    open: bool = False


def write_report(recording: str, wanted: Outputs) -> None:
    def page() -> str:
        from numaprof.page.report_page import report_page  # noqa: PLC0415 (needs more packages than the rest)

        return report_page(report)

    with Progress() as say:
        say(f"reading {clean(recording)}")
        report = document(recording)
        _write(report, page, wanted, say)


def write_patch(recording: str, output: Output) -> None:
    """Failure: no advice has edits; says why."""
    with reading(recording) as source:
        advices = advise(source.evidence)
    fixes = agreeing(fix for advice in advices for fix in advice.fixes)
    edits = [fix for fix in fixes if fix.edits]
    if not edits:
        reasons = dict.fromkeys(fix.reason for fix in fixes)
        cause = (
            f"no edit is safe: {clean('; '.join(reasons))}" if reasons else "no advice asks for an edit of the source"
        )
        raise Failure(cause, "the report says in words what to change: numaprof report")
    write(output, unified(edits, root_of(edits)))


def write_job(sources: list[str], wanted: Outputs) -> None:
    """With a page, the pages of the ranks it names lie in a folder beside it."""
    with Progress() as say:
        say("reading summaries")
        job = read_job(sources)

        def page() -> str:
            from numaprof.commands.writing.rank_pages import write_rank_pages  # noqa: PLC0415
            from numaprof.page.job_page import job_page  # noqa: PLC0415

            return job_page(job, write_rank_pages(job, sources, wanted.html, say) if wanted.html else {})

        _write(job, page, wanted, say)


def write_diff(before: list[str], after: list[str], wanted: Outputs) -> None:
    def page() -> str:
        from numaprof.page.comparison_page import diff_page  # noqa: PLC0415

        recordings = [*found.before.recordings, *found.after.recordings]
        return diff_page(found, pages_of(recordings, wanted.html) if wanted.html else {})

    with Progress() as say:
        say(f"reading {plural(len(before) + len(after), 'recording')}")
        found = comparison(Side(tuple(map(load, before))), Side(tuple(map(load, after))))
        _write(found, page, wanted, say)


def write_trial(before: list[str], after: list[str], trial: TrialText, output: Output) -> None:
    """The page of `try`: the trial in words, and its plain runs beside those of its last placement."""
    from numaprof.page.comparison_page import trial_page  # noqa: PLC0415

    found = comparison(Side(tuple(map(load, before))), Side(tuple(map(load, after))))
    write(output, trial_page(found, trial))


def pages_of(recordings: Sequence[str], page: Output) -> dict[str, str]:
    """Links to reports that lie beside their recordings (x.html beside x.numaprof), relative to the page."""
    if page.is_stdout:
        return {}
    here = os.path.dirname(os.path.abspath(page.path))
    beside = {each: os.path.abspath(os.path.splitext(each)[0] + ".html") for each in recordings}
    return {
        each: quote(os.path.relpath(path, here))
        for each, path in beside.items()
        if os.path.isfile(path) and path != os.path.abspath(page.path)
    }


def write_experiment(found: Experiment, output: Output) -> None:
    from numaprof.page.experiment_page import experiment_page  # noqa: PLC0415

    write(output, experiment_page(found))


def _write(document: object, page: Callable[[], str], wanted: Outputs, say: Progress) -> None:
    if wanted.json is not None:
        say("writing JSON")
        write(wanted.json, to_json(document))
    if wanted.csv is not None:
        say("writing tables")
        written = write_all(wanted.csv, csv_files(document))
        print(f"numaprof: wrote {plural(written, 'table')} to {clean(wanted.csv.path)}", file=sys.stderr)
    if wanted.html is not None:
        say("writing the page")
        write(wanted.html, page())
        if wanted.open:
            open_in_browser(wanted.html)


def open_in_browser(page: Output) -> None:
    import webbrowser  # noqa: PLC0415

    if page.is_stdout or not webbrowser.open(Path(page.path).resolve().as_uri()):
        raise Failure(f"cannot open {page.path} in a browser", "open the file by hand; $BROWSER names a browser")
