# SPDX-License-Identifier: Apache-2.0
"""What a job needs of one rank: the summary that is written into its recording, a few kB. docs/clusters.md.

Texts are cleaned. None means "not known". Lists are cut to what a reader of a whole job can use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FORMAT = "numaprof.rank"
VERSION = 2  # raised when a field changes its meaning or goes


@dataclass(frozen=True)
class RankNode:
    """One memory node of the rank's host.

    Fields:
        cpus: Online CPUs of the node, as a list such as 0-3,8.
    """

    id: int
    mem_bytes: int | None
    cpus: str


@dataclass(frozen=True)
class RankHost:
    """The machine the rank ran on.

    Fields:
        name: Host name.
        huge_pages: Transparent huge pages: always, madvise, never.
        balancing: kernel.numa_balancing: 0 off, 1 on, 2 tiering.
        emulated: Name of the emulated machine; null on real hardware.
    """

    name: str | None
    cpu_name: str | None
    kernel: str | None
    huge_pages: str | None
    balancing: int | None
    emulated: str | None
    page_bytes: int
    nodes: tuple[RankNode, ...]


@dataclass(frozen=True)
class RankBinding:
    """Where the rank was allowed to run and to take memory from.

    Fields:
        cpus: Inherited affinity mask, as a list.
        cpu_nodes: Nodes of these CPUs.
        memory_nodes: Nodes the rank may take memory from; null: not known.
        by: launcher: bound to a part of the host's CPUs; shared: not bound, and numaprof gave the rank its share; none.
        threads: Most worker threads that lived at one time.
        fault: What is wrong with the binding, as a sentence; null: nothing.
        fixes: Options of launchers that fix it.
    """

    cpus: str | None
    cpu_nodes: tuple[int, ...]
    memory_nodes: tuple[int, ...] | None
    by: Literal["launcher", "shared", "none"]
    threads: int
    fault: str | None
    fixes: tuple[str, ...]


@dataclass(frozen=True)
class RankShare:
    """The verdict of the rank, with its error.

    Fields:
        judgement: As in the report of one recording.
        basis: counters, loads, hint faults; null: no evidence distinguished local from remote.
        between_packages: Remote is another package: requests between nodes of one package count as local.
        population: What the remote share is a share of.
        remote: Remote part of total: requests of counters, else what samples stand for.
        lowest: Lower end of what the true share may be (95 %); null: not known.
        highest: Upper end of it.
        samples: Samples the share rests on; null if it is counted.
        coverage: Part of the CPU time in which the events had a counter.
        cost_least: Least part of the CPU time that remote reads cost.
        cost_most: Most of it.
    """

    judgement: str
    headline: str
    basis: str | None
    between_packages: bool
    population: str | None
    remote: float | None
    total: float | None
    lowest: float | None
    highest: float | None
    samples: int | None
    coverage: float | None
    cost_least: float | None
    cost_most: float | None

    @property
    def share(self) -> float | None:
        return None if self.remote is None or not self.total else self.remote / self.total


@dataclass(frozen=True)
class RankAdvice:
    """One advice of the rank.

    Fields:
        code: The change as code or command; a remark stands behind its line.
        place: The source line it is about; null: it is about no line.
        removes: Part of the rank's remote accesses that would be gone.
    """

    kind: Literal["fix", "setting", "leave"]
    finding: str
    change: str
    code: tuple[str, ...]
    place: str | None
    removes: float | None


@dataclass(frozen=True)
class RankObject:
    """One object of the rank.

    Fields:
        site: Where it is allocated, else first touched.
        of_all_remote: Its part of the rank's remote accesses.
        samples: Sampled accesses its remote share rests on.
    """

    name: str
    kind: str
    site: str | None
    bytes: float
    remote_share: float | None
    of_all_remote: float | None
    samples: int


@dataclass(frozen=True)
class RankSummary:
    """One rank of a job.

    Fields:
        recording: File name, without its folder.
        job: The launcher's name of the job; null: not told.
        number: Rank in the job; null: the recording is of no rank.
        size: Ranks of the job; null: not told.
        complete: false: the recorder was killed.
        losses: Kinds of notes that qualify numbers.
    """

    format: str
    version: int
    tool_version: str
    recording: str
    pid: int | None
    started_at: str
    command_line: str
    wall_ns: int | None
    cpu_ns: int
    exit_status: int | None
    term_signal: int | None
    complete: bool
    launcher: str | None
    job: str | None
    number: int | None
    size: int | None
    local_number: int | None
    host: RankHost
    binding: RankBinding
    share: RankShare
    losses: tuple[str, ...]
    advice: tuple[RankAdvice, ...]
    objects: tuple[RankObject, ...]
