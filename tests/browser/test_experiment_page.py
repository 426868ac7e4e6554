# SPDX-License-Identifier: Apache-2.0
"""The pages of `sweep`, `policies` and `try` in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, browser
from conftest import BUILD
from numaprof.compare.sides import Side
from numaprof.document import build_experiment
from numaprof.document.build_comparison import comparison
from numaprof.evidence.evidence import load
from numaprof.experiments.repeats import Series
from numaprof.experiments.rounds import Outcome
from numaprof.experiments.run_once import Trial
from numaprof.model.trial_model import PlacedText, TrialText
from numaprof.page.comparison_page import trial_page
from numaprof.page.experiment_page import experiment_page
from scenarios import parallel_init, serial_init
from test_page import NASTY
from test_report_recording import reports

pytestmark = pytest.mark.requires("chromium")

SECOND = 1_000_000_000


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browser() as found:
        yield found


def series(label: str, *seconds: float, failure: str | None = None) -> Series:
    return Series(label, tuple(Trial(int(second * SECOND), failure) for second in seconds))


def written(outcome: Outcome, folder: Path) -> Path:
    page = folder / "page.html"
    page.write_text(experiment_page(build_experiment.policies(outcome, ["./sum"], {})), encoding="utf-8")
    return page


def test_every_run_is_drawn_and_the_fastest_named(window: Browser, tmp_path: Path) -> None:
    outcome = Outcome(
        (series("1 thread", 8.0, 8.1, 7.9), series("4 threads", 4.0, 4.2, 4.1), series("8 threads", 4.15))
    )
    window.open(written(outcome, tmp_path))
    assert window.complaints() == []
    assert window.requests() == []
    assert window.cut_on_paper() == []
    assert window.texts("h1") == [
        "Fastest: 4 threads, 4.10 s. Not distinguishable from it, as runs of one setting differ as much: 8 threads."
    ]
    runs = "document.querySelector('[data-chart=runs]').view.data('runs').map(row => [row.setting, row.seconds])"
    assert sorted(window.run(f"return {runs}")) == sorted(
        [one.label, trial.wall_ns / SECOND] for one in outcome.series for trial in one.trials
    )
    cells = "return [...document.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.innerText))"
    assert window.run(cells)[0] == ["4 threads", "4.10 s", "4.00 s", "4.20 s", "3", "1.95x"], (
        "no column without a number"
    )
    medians = "document.querySelector('[data-chart=runs]').view.data('medians').map(row => row.seconds)"
    assert window.run(f"return {medians}") == pytest.approx([4.1, 4.15, 8.0])
    assert window.axe() == []


def test_the_page_of_a_trial(window: Browser, tmp_path: Path) -> None:
    """The verdict of the last placement, all sides, and both sides of that placement; no name of a run that is gone."""
    sides = [
        Side((load(str(build().write(tmp_path / f"{build.__name__}.numaprof"))),))
        for build in (serial_init, parallel_init)
    ]
    placed = PlacedText("advice 1", "worth the edit", "the run is 1.62 times as fast", "1 of 1 call stack", (NASTY,))
    rows = (("plain", *["n/a"] * 5), ("advice 1", *["n/a"] * 5))
    trial = TrialText(
        "./sum", rows, "remote: share", (placed,), (), (), ("all",), (), "numaprof run --place x -- ./sum"
    )
    page = tmp_path / "page.html"
    page.write_text(trial_page(comparison(*sides), trial), encoding="utf-8")
    window.open(page)
    assert (window.complaints(), window.requests(), window.axe()) == ([], [], [])
    assert window.texts("h1") == ["The run is 1.62 times as fast."]
    assert window.texts(".big") == ["Worth the edit\nadvice 1"]
    assert window.texts("#sides ~ * tbody th") == ["plain", "advice 1"]
    assert NASTY in window.text() and ".numaprof" not in window.text()


def test_no_run_ended_well(window: Browser, tmp_path: Path) -> None:
    window.open(written(Outcome((series("1 thread", 1.0, failure="killed by SIGSEGV"),)), tmp_path))
    assert window.texts("h1") == ["No run ended well."]
    assert "killed by SIGSEGV" in window.text()
    assert not window.all("[data-chart]")


def test_emulated_times_are_no_verdict(window: Browser, tmp_path: Path) -> None:
    one = Series("1 thread", (Trial(SECOND, is_emulated=True),))
    window.open(written(Outcome((one,)), tmp_path))
    assert window.texts("h1") == ["Emulated machine: run times mean nothing, remote shares do."]


def test_hostile_names_stay_text(window: Browser, tmp_path: Path) -> None:
    outcome = Outcome((series(NASTY, 1.0, 2.0), series("other", 1.0, failure=NASTY)))
    page = tmp_path / "page.html"
    page.write_text(experiment_page(build_experiment.sweep(outcome, [NASTY])), encoding="utf-8")
    window.open(page)
    assert window.complaints() == []
    assert window.run("return window.owned") is None
    assert not window.all("body img")


def test_page_by_command(tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    words = ("sweep", "-t", "1", "-n", "1", "--no-record", "--html", page, "--", BUILD / "examples" / "in_cache", "1")
    done = reports(*words)
    assert done.returncode == 0
    assert "1 thread" in page.read_text(encoding="utf-8")
