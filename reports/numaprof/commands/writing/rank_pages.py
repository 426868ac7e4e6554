# SPDX-License-Identifier: Apache-2.0
"""Pages of single ranks beside the page of their job: those that its advice and its outliers name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import quote

from numaprof.commands.writing.outputs import Output, make_folder, write
from numaprof.commands.writing.progress import Progress
from numaprof.document.build_report import document
from numaprof.job.paths import recording_path
from numaprof.model.job_model import Job
from numaprof.page.report_page import report_page
from numaprof.text.messages import Failure

MOST_PAGES = 16


def write_rank_pages(job: Job, sources: Sequence[str], page: Output, say: Progress) -> dict[int, str]:
    """Links by rank, relative to the page. A recording that is not here, only its summary, has none."""
    if page.is_stdout:
        return {}
    named = [advice.representative for advice in job.advice] + [rank.number for rank in job.ranks if rank.outlier]
    recordings = {rank.number: recording_path(sources, rank.recording) for rank in job.ranks}
    wanted = [number for number in dict.fromkeys(named) if recordings.get(number) is not None][:MOST_PAGES]
    folder = page.beside(f"{os.path.splitext(os.path.basename(page.path))[0]}_ranks")
    if wanted:
        make_folder(folder)
    links: dict[int, str] = {}
    for number in wanted:
        say(f"writing the page of rank {number}")
        try:
            text = report_page(document(recordings[number] or ""))
        except Failure:
            continue  # its summary could be read, and the page of the job shows that
        write(folder.inside(f"rank-{number}.html"), text)
        links[number] = quote(f"{os.path.basename(folder.path)}/rank-{number}.html")
    return links
