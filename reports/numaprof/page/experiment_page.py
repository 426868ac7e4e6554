# SPDX-License-Identifier: Apache-2.0
"""The page of `sweep` and of `policies`: every run as a point, medians as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numaprof.experiments.repeats import Series, speed_up
from numaprof.experiments.rounds import Outcome
from numaprof.page.charts import BAR, Chart, Row
from numaprof.page.render import page
from numaprof.text.format import clean, duration


@dataclass(frozen=True)
class Setting:
    """One row of the table; None: not known."""

    label: str
    middle: float | None
    fastest: float | None
    slowest: float | None
    runs: int
    speed_up: float | None
    remote: float | None
    dram_bytes_per_s: float | None


def experiment_page(title: str, command: str, outcome: Outcome, order: Sequence[Series]) -> str:
    """order: the series as rows; speed-ups are over the first that ran, as in the terminal."""
    chart, base = _runs(order), outcome.series[0]
    drawn = {} if chart is None else {chart.name: chart}
    return page(
        "experiment.html",
        {"charts": {name: chart.spec for name, chart in drawn.items()}},
        title=title,
        command=clean(command),
        headline=_headline(order, any(trial.is_emulated for trial in outcome.trials)),
        remarks=[clean(remark) for remark in outcome.remarks()],
        charts=drawn,
        rows=[_setting(series, base) for series in order],
        base=clean(base.label),
    )


def _headline(order: Sequence[Series], emulated: bool) -> str:
    known = [(series.times.middle, series) for series in order if series.times is not None]
    if not known:
        return "No run ended well."
    if emulated:
        return "Emulated machine: run times mean nothing, remote shares do."
    time, best = min(known, key=lambda pair: pair[0])
    alike = [clean(series.label) for _, series in known if series is not best and series.overlaps(best)]
    rest = f"; the runs of {', '.join(alike)} overlap with its runs" if alike else ""
    return f"Fastest: {clean(best.label)}, {duration(time)}{rest}."


def _runs(order: Sequence[Series]) -> Chart | None:
    rows: list[Row] = [
        {"setting": clean(series.label), "seconds": trial.wall_ns / 1e9} for series in order for trial in series.good
    ]
    return Chart("runs", {"runs": rows}, height=2 * BAR * len(order)) if rows else None


def _setting(series: Series, base: Series) -> Setting:
    times = series.times
    return Setting(
        label=clean(series.label),
        middle=times.middle if times else None,
        fastest=min(times.values) if times else None,
        slowest=max(times.values) if times else None,
        runs=len(series.good),
        speed_up=speed_up(series, base),
        remote=series.remote,
        dram_bytes_per_s=series.dram_bytes_per_s,
    )
