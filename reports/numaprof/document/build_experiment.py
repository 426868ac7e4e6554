# SPDX-License-Identifier: Apache-2.0
"""The document of a sweep or of policies, from their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numaprof.experiments.repeats import Series, ranked, speed_up
from numaprof.experiments.rounds import Outcome
from numaprof.model import experiment_model as model
from numaprof.text.format import clean


def sweep(outcome: Outcome, command: Sequence[str]) -> model.Experiment:
    return _experiment("sweep", outcome, command, {})


def policies(outcome: Outcome, command: Sequence[str], under: Mapping[str, str]) -> model.Experiment:
    """under: by label, the text that `policies --under` takes."""
    return _experiment("policies", outcome, command, under)


def _experiment(made_by: str, outcome: Outcome, command: Sequence[str], under: Mapping[str, str]) -> model.Experiment:
    base, fastest = outcome.series[0], ranked(outcome.series)[0]
    return model.Experiment(
        format=f"numaprof.{made_by}",
        version=model.VERSION,
        command=tuple(map(clean, command)),
        interrupted=outcome.interrupted,
        emulated=any(trial.is_emulated for trial in outcome.trials),
        base=clean(base.label),
        fastest=None if fastest.times is None else clean(fastest.label),
        settings=tuple(
            _setting(series, base, series.is_like(fastest, len(outcome.series)), under.get(series.label))
            for series in outcome.series
        ),
        remarks=tuple(map(clean, outcome.remarks())),
    )


def _setting(series: Series, base: Series, is_like: bool, under: str | None) -> model.Setting:
    times = series.times
    return model.Setting(
        label=clean(series.label),
        threads=series.threads,
        under=under,
        median_ns=times.middle if times else None,
        fastest_ns=min(times.values) if times else None,
        slowest_ns=max(times.values) if times else None,
        speed_up=speed_up(series, base),
        overlaps=is_like,
        remote_share=series.remote,
        dram_bytes_per_s=series.dram_bytes_per_s,
        wild=series.is_wild,
        ignored_threads=series.ignored,
        runs=tuple(
            model.Run(trial.wall_ns, clean(trial.failure) if trial.failure else None, trial.threads, trial.is_recorded)
            for trial in series.trials
        ),
    )
