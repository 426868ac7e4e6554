# SPDX-License-Identifier: Apache-2.0
"""What `sweep` and `policies` found: one document for terminal, page and JSON. Texts are cleaned."""

from __future__ import annotations

from dataclasses import dataclass

VERSION = 1  # raised when a field changes its meaning or goes; new fields do not raise it


@dataclass(frozen=True)
class Run:
    """One run.

    Fields:
        failure: How it ended; null: well.
        threads: Most that were alive at once; null: not seen.
    """

    wall_ns: int
    failure: str | None
    threads: int | None
    recorded: bool


@dataclass(frozen=True)
class Setting:
    """Runs in one setting. What is null is not known.

    Fields:
        threads: As asked for.
        under: Placement, as `policies --under` takes it.
        median_ns: Of the runs that ended well.
        speed_up: Over `base`.
        overlaps: Its run times differ from those of the fastest setting by no more than chance may.
        wild: The runs differ too much for the median to say much.
        ignored_threads: The program did not follow the number of threads.
    """

    label: str
    threads: int | None
    under: str | None
    median_ns: float | None
    fastest_ns: float | None
    slowest_ns: float | None
    speed_up: float | None
    overlaps: bool
    remote_share: float | None
    dram_bytes_per_s: float | None
    wild: bool
    ignored_threads: bool
    runs: tuple[Run, ...]

    @property
    def good(self) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if run.failure is None)

    @property
    def threads_seen(self) -> tuple[int, ...]:
        return tuple(sorted({run.threads for run in self.runs if run.threads is not None}))


@dataclass(frozen=True)
class Experiment:
    """A sweep or policies; the settings in the order in which they ran.

    Fields:
        base: Label of the setting that ran first, over which speed-ups are.
        fastest: Label of the setting with the shortest median; null: no run ended well.
        emulated: Run times mean nothing, remote shares do.
    """

    format: str
    version: int
    command: tuple[str, ...]
    interrupted: bool
    emulated: bool
    base: str
    fastest: str | None
    settings: tuple[Setting, ...]
    remarks: tuple[str, ...]

    @property
    def ranked(self) -> tuple[Setting, ...]:
        """Fastest first; those without a time last."""
        return tuple(sorted(self.settings, key=lambda each: float("inf") if each.median_ns is None else each.median_ns))

    @property
    def shown(self) -> tuple[Setting, ...]:
        """As a table has them: a sweep by its threads, policies by their time."""
        return self.ranked if self.format == "numaprof.policies" else self.settings
