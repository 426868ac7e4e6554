# SPDX-License-Identifier: Apache-2.0
"""All runs of `sweep` or `policies`: round by round, so that a machine that warms up does so for all alike."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field

from numaprof.experiments.repeats import Series, wild_remark
from numaprof.experiments.run_once import Plan, Trial, run_trial
from numaprof.experiments.supervise import Interruption, interruptible, progress


@dataclass(frozen=True)
class Setting:
    label: str
    plan: Plan
    threads: int | None = None


@dataclass(frozen=True)
class Outcome:
    series: tuple[Series, ...]
    interruption: Interruption = field(default_factory=Interruption)

    @property
    def interrupted(self) -> bool:
        return self.interruption.number is not None

    @property
    def trials(self) -> tuple[Trial, ...]:
        return tuple(trial for one in self.series for trial in one.trials)

    def remarks(self) -> list[str]:
        found = [remark for one in self.series for remark in one.remarks()]
        wild = wild_remark(self.series)
        if wild is not None:
            found.append(wild)
        if any(trial.is_emulated for trial in self.trials):
            found.insert(0, "an emulated machine: times and rates mean nothing, shares do")
        if self.trials and not any(trial.is_recorded for trial in self.trials):
            found.append("not recorded: remote share, bandwidth and threads are not known (numaprof doctor says why)")
        elif any(trial.is_recorded and trial.failure is None for trial in self.trials) and not self._tells_remote:
            found.append("remote share and bandwidth are not known: nothing counts here (numaprof doctor says why)")
        if self.interrupted:
            found.append("interrupted: some settings have fewer runs")
        return found

    @property
    def _tells_remote(self) -> bool:
        return any(trial.remote is not None for trial in self.trials)

    @property
    def exit_status(self) -> int:
        """1 if nothing ended well, so that a script notices."""
        return self.interruption.exit_status or (0 if any(one.good for one in self.series) else 1)


def run_rounds(settings: list[Setting], repeats: int, trial: Callable[[Plan, str], Trial] = run_trial) -> Outcome:
    found: list[list[Trial]] = [[] for _ in settings]
    with tempfile.TemporaryDirectory(prefix="numaprof-runs-") as folder, interruptible() as interruption:
        for number in range(repeats):
            for index, setting in enumerate(settings):
                progress(f"{setting.label}, run {number * len(settings) + index + 1} of {repeats * len(settings)}")
                found[index].append(trial(setting.plan, os.path.join(folder, "run.numaprof")))
    series = tuple(Series(s.label, tuple(trials), s.threads) for s, trials in zip(settings, found))
    return Outcome(series, interruption)
