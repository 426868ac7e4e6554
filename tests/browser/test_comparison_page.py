# SPDX-License-Identifier: Apache-2.0
"""The page of a comparison of repeats in a real browser: all runs, how far they lie apart, links to their reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, browser
from recording_builder import SECOND
from scenarios import parallel_init, serial_init
from test_report_recording import reports

pytestmark = pytest.mark.requires("chromium")

BEFORE, AFTER = (2.1, 2.0, 2.2, 2.15), (1.0, 1.1, 1.05, 1.2)  # run times in seconds


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Of four runs on each side; only the second before and the third after have pages of their own."""
    for name, build, times in (("before", serial_init, BEFORE), ("after", parallel_init, AFTER)):
        for number, seconds in enumerate(times, 1):
            builder = build(wall_ns=round(seconds * SECOND), repeat=number)
            builder.write(tmp_path / f"{name}.{number}.numaprof")
    for name in ("before.2", "after.3"):
        assert reports("report", f"{name}.numaprof", "--html", f"{name}.html", cwd=tmp_path).returncode == 0
    sides = [[f"{name}.{number}.numaprof" for number in range(1, 5)] for name in ("before", "after")]
    done = reports("diff", *sides[0], "--", *sides[1], "--html", "diff.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path / "diff.html"


def test_names_of_runs_lead_to_their_reports(page: Path, window: Browser) -> None:
    window.resize(1400)
    window.open(page)
    assert (window.complaints(), window.requests(), window.axe()) == ([], [], [])
    names = [f"{name}.{number}.numaprof" for name in ("before", "after") for number in range(1, 5)]
    assert window.texts("#runs ~ ul code") == names
    assert [text.split()[1] for text in window.texts("#runs ~ ul li") if "median" in text] == [
        "before.1.numaprof",
        "after.3.numaprof",
    ]
    assert window.texts("#runs ~ ul a") == ["before.2.numaprof", "after.3.numaprof"]
    window.run("document.querySelector('#runs ~ ul a').click()")
    window.wait("location.pathname.endsWith('/before.2.html')")
    assert window.texts("h1")[0].startswith("50.0 % of DRAM requests are remote")


def test_spread_of_the_runs_is_drawn(page: Path, window: Browser) -> None:
    """On one line from 0 to the slowest run: 192 units of the drawing, from 4 on."""
    window.open(page)
    row = "[...document.querySelectorAll('#measures ~ * tbody tr')].find(row => row.cells[0].innerText == 'run time')"
    for side, times in (("before", BEFORE), ("after", AFTER)):
        line = window.run(f"return {row}.querySelector('.runs .{side} path').getBBox()")
        scale = 192 / max(BEFORE)
        assert line["x"] == pytest.approx(4 + scale * min(times), abs=0.1)
        assert line["width"] == pytest.approx(scale * (max(times) - min(times)), abs=0.2)
        stroke = f"return getComputedStyle({row}.querySelector('.runs .{side} path')).strokeWidth"
        assert float(window.run(stroke).removesuffix("px")) > 0


def test_print_cuts_nothing(page: Path, window: Browser) -> None:
    window.open(page)
    assert window.cut_on_paper() == []
