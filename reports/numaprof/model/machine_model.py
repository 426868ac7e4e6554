# SPDX-License-Identifier: Apache-2.0
"""Nodes and CPUs of a report, and the requests between nodes. report_model.py says what holds of all fields."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """One memory node.

    Fields:
        mem_bytes: 0: a node without memory.
        allowed: The run may allocate here.
        homed_pages: Base pages of the program there when last looked at.
        memory: DRAM, HBM, CXL, persistent, GPU, untold (no CPUs, and nothing tells the kind), none; null: not recorded.
    """

    id: int
    mem_bytes: int | None
    allowed: bool
    homed_pages: int | None
    memory: str | None


@dataclass(frozen=True)
class Requests:
    """Requests of one class.

    Fields:
        request: demand, RFO (read for ownership), prefetch; else what the CPU counts.
        local: Answered by memory of the thread's node.
        remote: Answered by memory of another node.
        local_error: Half of the 95 % interval of local; null: not known.
        remote_error: Half of the 95 % interval of remote; null: not known.
    """

    request: str
    local: float | None
    remote: float | None
    local_error: float | None
    remote_error: float | None
    coverage: float | None


@dataclass(frozen=True)
class Cpu:
    """One logical CPU.

    Fields:
        smt: Rank among the hyperthreads of its core.
        allowed: In the inherited affinity mask.
        threads: How many threads ran on this CPU only.
        first_thread: One of these.
        remote_share: Of the requests made from this CPU.
        lowest: Lower end of its 95 % interval; null: not known.
        highest: Upper end of it.
        local: Requests from this CPU to memory of its node, counted, else sampled accesses; null: not known.
        remote: Likewise, to memory of other nodes.
        remote_heavy: At least a tenth is remote, and there is enough traffic to matter.
        classes: Kinds of requests that do not overlap; empty: not counted.
    """

    id: int
    node: int | None
    package: int | None
    core: int | None
    smt: int | None
    online: bool
    allowed: bool
    threads: int
    first_thread: str | None
    remote_share: float | None
    lowest: float | None
    highest: float | None
    local: float | None
    remote: float | None
    remote_heavy: bool
    classes: tuple[Requests, ...]


@dataclass(frozen=True)
class Pair:
    """Requests from the CPUs of one node to the memory of another.

    Fields:
        from_node: Node of the CPU.
        to_node: Node of the memory.
        requests: null: not known. Counters only tell remote, so with more than two nodes who answered is known from
            samples alone.
        distance: As the firmware tells it: 10 is local.
        latency_ns: Measured, where numaprof topology --measure has been run.
        read_bytes_per_s: Measured, likewise.
    """

    from_node: int
    to_node: int
    requests: float | None
    distance: int | None
    latency_ns: float | None
    read_bytes_per_s: float | None


@dataclass(frozen=True)
class Measured:
    """One number of topology --measure.

    Fields:
        metric: latency_random, read_all, ...
        from_node: Whose CPUs.
        to_node: Whose memory; null: interleaved over all nodes.
        noisy: The middle half of the repeats spans more than 10 %.
    """

    metric: str
    unit: str
    from_node: int
    to_node: int | None
    median: float
    low: float
    high: float
    noisy: bool


@dataclass(frozen=True)
class SlowTier:
    """How much the slow tier answers: nodes without CPUs, other than high-bandwidth memory.

    Fields:
        share: Its part of the population.
        lowest: Lower end of the 95 % interval.
        highest: Upper end of the 95 % interval.
        samples: Number of samples behind the share; null: it was counted.
        population: What the share is a share of.
        speed_unknown: Nothing tells the kind of memory of some of these nodes. It may be fast: HBM without HMAT looks
            like this.
    """

    share: float
    lowest: float | None
    highest: float | None
    samples: int | None
    population: str
    speed_unknown: bool


@dataclass(frozen=True)
class Mover:
    """One of the kernel's counters of moved pages.

    Fields:
        scope: machine, node or cgroup (the recorder's control group).
        node: Of scope node, else null.
        counter: As in /proc/vmstat.
        pages: Counted while the program ran; for every program of the scope.
    """

    scope: str
    node: int | None
    counter: str
    pages: int


@dataclass(frozen=True)
class Machine:
    """Nodes, CPUs, and what went between them.

    Fields:
        pairs: From every node with CPUs to every node with memory.
        pairs_population: What the requests of pairs are: where counters cannot tell which of several nodes answered,
            sampled accesses.
        population: What the requests are.
        left_out: Part of the requests that belongs to no pair: of threads that ran on several or unknown nodes.
        slow_tier: How much it answers; null: there is none, or no access was sampled.
        movers: Pages that the kernel moved meanwhile, where it moved any: balancing, promotion, demotion, migration.
        measured: The last numaprof topology --measure of this machine, if there was one: docs/measuring.md.
    """

    nodes: tuple[Node, ...]
    cpus: tuple[Cpu, ...]
    pairs: tuple[Pair, ...]
    pairs_population: str | None
    population: str | None
    left_out: float
    slow_tier: SlowTier | None
    movers: tuple[Mover, ...]
    measured: tuple[Measured, ...]
