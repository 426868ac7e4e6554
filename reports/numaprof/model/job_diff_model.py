# SPDX-License-Identifier: Apache-2.0
"""The document of `numaprof diff` of two jobs. report_model.py says what holds of all fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

VERSION = 1


@dataclass(frozen=True)
class JobSide:
    """One of the two jobs.

    Fields:
        wall_ns: Of the rank that ran longest; null: not known, or emulated time.
        judged: Ranks by judgement, in words.
        remarks: What qualifies its numbers.
    """

    source: tuple[str, ...]
    command_line: str
    found: int
    size: int | None
    remote_share: float | None
    lowest: float | None
    highest: float | None
    population: str | None
    wall_ns: int | None
    judged: tuple[str, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class RankChange:
    """A rank whose remote share changed beyond its errors."""

    number: int
    before: float
    after: float


@dataclass(frozen=True)
class AdviceChange:
    """One advice in either job.

    Fields:
        ranks_before: Ranks that had it.
        ranks_after: Ranks that have it.
    """

    kind: Literal["fix", "setting", "leave"]
    place: str | None
    change: str
    ranks_before: int
    ranks_after: int


@dataclass(frozen=True)
class JobComparison:
    """Two jobs, one run each.

    Fields:
        change: Of the remote share of all ranks, after less before; null: not known.
        error: Half the 95 % interval of the change, by the errors of both runs and 2 points of variation
            between runs; null: not known.
        differs: What makes the jobs hard to compare.
        compared: Ranks with a known share and error in both.
        better: Of these, those whose share fell beyond the errors.
        worse: Those whose share rose.
    """

    format: Literal["numaprof.job-diff"]
    version: int
    headline: str
    before: JobSide
    after: JobSide
    change: float | None
    error: float | None
    differs: tuple[str, ...]
    compared: int
    better: tuple[RankChange, ...]
    worse: tuple[RankChange, ...]
    advice: tuple[AdviceChange, ...]
