# SPDX-License-Identifier: Apache-2.0
"""The document of a job: all its ranks together. What terminal, page and JSON render. `merge` and `report DIRECTORY`.

report_model.py says what holds of all fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

VERSION = 1


@dataclass(frozen=True)
class LeftOut:
    """Files or recordings that are in no number of this document.

    Fields:
        why: One reason.
        count: How many.
        files: The first of them.
    """

    why: str
    count: int
    files: tuple[str, ...]


@dataclass(frozen=True)
class JobVerdict:
    """Whether remote memory, or the binding, matters in this job.

    Fields:
        judgement: binding or heavy if that is the judgement of any rank; else that of most ranks.
        between_packages: Remote is another package: requests between nodes of one package count as local.
        remote_share: Remote part of the population, over the ranks it was measured on.
        lowest: Lower end of what the true share may be (95 %); null: not known.
        highest: Upper end of it.
        ranks: Ranks in the share.
        without_error: Of these, ranks whose error is not known: the interval takes all or nothing for them.
    """

    judgement: str
    headline: str
    details: tuple[str, ...]
    between_packages: bool
    population: str | None
    remote_share: float | None
    lowest: float | None
    highest: float | None
    ranks: int
    without_error: int


@dataclass(frozen=True)
class Judged:
    """Ranks with one judgement.

    Fields:
        ranks: Their numbers, as a list.
        remote_share: Of these ranks together; null: not known.
    """

    judgement: str
    count: int
    ranks: str
    remote_share: float | None


@dataclass(frozen=True)
class JobHost:
    """One host of the job.

    Fields:
        ranks: Numbers of its ranks, as a list.
        topology: Nodes and CPUs, in words.
        bindings: How its ranks are bound, in words.
        differs: What is different from most hosts, in words.
    """

    name: str
    count: int
    ranks: str
    topology: str
    cpu_name: str | None
    kernel: str | None
    balancing: int | None
    huge_pages: str | None
    bindings: str
    remote_share: float | None
    differs: tuple[str, ...]


@dataclass(frozen=True)
class Bin:
    """Ranks whose remote share lies from low (included) to high."""

    low: float
    high: float
    ranks: int


@dataclass(frozen=True)
class Spread:
    """The remote shares of the ranks that have memory traffic that matters.

    Fields:
        ranks: How many they are.
    """

    ranks: int
    least: float
    quarter: float
    median: float
    three_quarters: float
    most: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class JobRank:
    """One rank.

    Fields:
        binding: CPUs, nodes, and who bound it, in words.
        between_packages: Remote is another package: requests between nodes of one package count as local.
        population: What its remote share is a share of.
        outlier: Its remote share stands apart from that of the other ranks, beyond its error.
        recording: Name of its file.
    """

    number: int
    host: str
    binding: str
    judgement: str
    between_packages: bool
    population: str | None
    remote_share: float | None
    lowest: float | None
    highest: float | None
    coverage: float | None
    wall_ns: int | None
    exit_status: int | None
    term_signal: int | None
    complete: bool
    outlier: bool
    recording: str


@dataclass(frozen=True)
class JobAdvice:
    """The same advice on several ranks.

    Fields:
        place: The source line it is about; null: none.
        finding: On the representative rank.
        count: Ranks that have it.
        ranks: Their numbers, as a list.
        representative: The rank of most remote requests among them; the first where none were counted.
        recording: Its recording.
        removes: Part of the remote accesses of these ranks that would be gone, at least and at most; null: not known.
    """

    kind: Literal["fix", "setting", "leave"]
    place: str | None
    finding: str
    change: str
    code: tuple[str, ...]
    count: int
    ranks: str
    representative: int
    recording: str
    removes_least: float | None
    removes_most: float | None


@dataclass(frozen=True)
class JobObject:
    """Objects of one name and site, over the ranks that have them among their first; large ones, and those with remote
    accesses.

    Fields:
        site: Where they are allocated, else first touched.
        bytes: Of all ranks together.
        bytes_most: Of the rank that has most.
        remote_least: Least remote share of any of these ranks; null: known of none.
        of_all_remote: Part of the remote accesses of all ranks; null: not known.
    """

    name: str
    kind: str
    site: str | None
    count: int
    ranks: str
    bytes: float
    bytes_most: float
    remote_least: float | None
    remote_median: float | None
    remote_most: float | None
    of_all_remote: float | None


@dataclass(frozen=True)
class Job:
    """All that the ranks of a job tell together.

    Fields:
        source: Directories and files that were read.
        command_line: Of most ranks.
        size: Ranks of the job, as the launcher told; null: not told.
        found: Ranks in this document.
        missing: Numbers of ranks without a recording, as a list; empty: none, or the size is not told.
        missing_count: How many they are; null: not known.
        pattern: What the outliers have in common, in words.
        without_comparison: Ranks whose error is not known, so that they were not looked at for outliers.
    """

    format: Literal["numaprof.job"]
    version: int
    source: tuple[str, ...]
    launcher: str | None
    job: str | None
    command_line: str
    size: int | None
    found: int
    missing: str
    missing_count: int | None
    left_out: tuple[LeftOut, ...]
    remarks: tuple[str, ...]
    verdict: JobVerdict
    judged: tuple[Judged, ...]
    hosts: tuple[JobHost, ...]
    spread: Spread | None
    pattern: str | None
    without_comparison: int
    advice: tuple[JobAdvice, ...]
    objects: tuple[JobObject, ...]
    ranks: tuple[JobRank, ...]
