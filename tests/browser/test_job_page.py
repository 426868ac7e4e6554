# SPDX-License-Identifier: Apache-2.0
"""The page of a job in a real browser: the numbers of the document, links to ranks, names are text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from browser import Browser, browser
from jobs import job_directory, job_of
from numaprof.page.job_page import job_page
from numaprof.text.format import percent
from test_page import NASTY
from test_report_recording import reports

pytestmark = pytest.mark.requires("chromium")


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browser() as found:
        yield found


def test_ranks_hosts_and_links(window: Browser, tmp_path: Path) -> None:
    folder = job_directory(tmp_path / "job", [2], size=8)
    assert reports("report", "job", "--html", "j.html", cwd=tmp_path).returncode == 0
    job = job_of(folder)
    window.open(tmp_path / "j.html")
    assert window.complaints() == []
    assert window.requests() == []
    assert window.texts("h1") == [job.verdict.headline]
    assert window.texts(".big") == ["50.0 %\nremote, on 1 of 8 ranks"], "of the ranks that the headline is about"
    found = "[...document.querySelectorAll('#ranks ~ * tbody tr')]"
    rows = window.run(f"return {found}.map(row => [...row.cells].map(cell => cell.innerText))")
    shown = {int(row[0]): (row[1], row[2]) for row in rows}
    assert shown == {rank.number: (rank.host, percent(rank.remote_share)) for rank in job.ranks}
    copied = window.texts(".advice pre")
    assert [text.splitlines()[-1] for text in copied] == ["    POINTER[i] = 0;", "numactl --interleave=all ./sum"], (
        "each alone"
    )
    assert int(rows[0][0]) == 2, "the rank that stands apart comes first"
    assert window.axe() == []
    assert window.cut_on_paper() == []
    window.run("document.querySelector('#ranks ~ * tbody a').click()")
    assert window.texts("h1")[0].startswith("50.0 % of DRAM requests are remote")


def test_names_are_text(window: Browser, tmp_path: Path) -> None:
    job = job_of(job_directory(tmp_path / "job", [2], size=4))
    page = tmp_path / "page.html"
    changed = replace(
        job, command_line=NASTY, remarks=(NASTY,), hosts=tuple(replace(host, name=NASTY) for host in job.hosts)
    )
    page.write_text(job_page(changed, {}), encoding="utf-8")
    window.open(page)
    assert window.complaints() == []
    assert NASTY in window.text()
