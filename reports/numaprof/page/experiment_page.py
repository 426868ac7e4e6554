# SPDX-License-Identifier: Apache-2.0
"""The page of `sweep` and of `policies`: every run as a point, medians as a table."""

from __future__ import annotations

import shlex

from numaprof.model.experiment_model import Experiment
from numaprof.page.charts import BAR, Chart, Row
from numaprof.page.render import page
from numaprof.text.format import duration


def experiment_page(found: Experiment) -> str:
    chart = _runs(found)
    drawn = {} if chart is None else {chart.name: chart}
    return page(
        "experiment.html",
        {"charts": {name: chart.spec for name, chart in drawn.items()}},
        title=found.format.partition(".")[2],
        command=shlex.join(found.command),
        headline=_headline(found),
        charts=drawn,
        found=found,
    )


def _headline(found: Experiment) -> str:
    best = next((setting for setting in found.shown if setting.label == found.fastest), None)
    if best is None or best.median_ns is None:
        return "No run ended well."
    if found.emulated:
        return "Emulated machine: run times mean nothing, remote shares do."
    if len(found.settings) == 1:
        return f"Only one setting: {best.label}, {duration(best.median_ns)}."
    alike = [setting.label for setting in found.shown if setting is not best and setting.overlaps]
    rest = f" Not distinguishable from it, as runs of one setting differ as much: {', '.join(alike)}." if alike else ""
    return f"Fastest: {best.label}, {duration(best.median_ns)}.{rest}"


def _runs(found: Experiment) -> Chart | None:
    rows: list[Row] = [
        {"setting": setting.label, "seconds": run.wall_ns / 1e9} for setting in found.shown for run in setting.good
    ]
    medians: list[Row] = [
        {"setting": setting.label, "seconds": setting.median_ns / 1e9}
        for setting in found.shown
        if setting.median_ns is not None
    ]
    return Chart("runs", {"runs": rows, "medians": medians}, height=2 * BAR * len(found.settings)) if rows else None
