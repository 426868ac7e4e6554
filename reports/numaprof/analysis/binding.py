# SPDX-License-Identifier: Apache-2.0
"""To which CPUs and memory the launcher of a parallel job bound this rank, and what is wrong with that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from numaprof.evidence.evidence import Evidence
from numaprof.evidence.machine import parse_list
from numaprof.evidence.thresholds import BALANCING_MOVED, CROWDED, MIN_OBJECT_BYTES, NEARLY_ALL
from numaprof.text.format import number_list, plural

LAUNCHER: Literal["launcher"] = "launcher"
SHARED: Literal["shared"] = "shared"
NONE: Literal["none"] = "none"
BOUND_BY = {LAUNCHER: "bound", SHARED: "not bound, shared out by numaprof", NONE: "not bound"}

Options = tuple[str, ...]

# Options as the launchers document them: mpirun(1) of Open MPI 4 and 5, mpiexec -bind-to -help of MPICH's Hydra, Intel
# MPI's reference ("Environment Variables for Process Pinning"), srun(1), flux-run(1), mpiexec(1) of PALS.
# Argument: threads.
_CPUS: dict[str, Callable[[int], Options]] = {
    "Open MPI": lambda n: (f"mpirun --map-by slot:PE={n} --bind-to core",),
    "MPICH": lambda n: (f"mpiexec -bind-to core:{n}", f"I_MPI_PIN_DOMAIN={n}:compact mpiexec   # Intel MPI"),
    "MVAPICH": lambda n: (f"MV2_CPU_BINDING_POLICY=hybrid MV2_THREADS_PER_PROCESS={n} mpiexec",),
    "PALS": lambda n: (f"mpiexec --depth {n} --cpu-bind depth",),
    "Flux": lambda n: (f"flux run --cores-per-task={n} -o cpu-affinity=per-task",),
    "Slurm": lambda n: (f"srun --cpus-per-task={n} --cpu-bind=cores",),
    "PMIx": lambda n: (f"mpirun --map-by slot:PE={n} --bind-to core", f"srun --cpus-per-task={n} --cpu-bind=cores"),
    "torchrun": lambda _: ("torchrun --numa-binding=node",),
}
_MEMORY: dict[str, Options] = {
    "Open MPI": ("mpirun --map-by numa --bind-to numa",),
    "MPICH": ("mpiexec -bind-to numa", "I_MPI_PIN_DOMAIN=numa mpiexec   # Intel MPI"),
    "Slurm": ("srun --cpu-bind=ldoms --mem-bind=local",),
    "PMIx": ("mpirun --map-by numa --bind-to numa", "srun --cpu-bind=ldoms --mem-bind=local"),
    "PALS": ("mpiexec --cpu-bind numa --mem-bind local",),
    "torchrun": ("torchrun --numa-binding=node",),
}


@dataclass(frozen=True)
class Binding:
    """threads: most worker threads at one time. fault: a piece of a sentence; None: nothing is wrong, or unknown."""

    by: Literal["launcher", "shared", "none"]
    threads: int
    fault: str | None = None
    fixes: Options = ()


def binding(evidence: Evidence) -> Binding:
    rank, cpus = evidence.rank, parse_list(evidence.run.allowed_cpus)
    if rank is None:
        return Binding(NONE, 0)  # asked for each thread of a report: quick where it does not matter
    threads = most_at_once(evidence)
    if not cpus:
        return Binding(NONE, threads)
    if rank.shares or len(cpus) >= evidence.machine.online:
        return Binding(SHARED if rank.shares else NONE, threads)
    if threads >= CROWDED * len(cpus):
        may_use = "1 CPU" if len(cpus) == 1 else plural(len(cpus), "CPU")
        fault = f"this rank may use {may_use} ({number_list(list(cpus))}) and runs {plural(threads, 'thread')}"
        return Binding(LAUNCHER, threads, fault, cpu_options(rank.launcher, threads))
    apart = memory_apart(evidence, cpus)
    if apart is None:
        return Binding(LAUNCHER, threads)
    fault = (
        f"its CPUs are on {_nodes(evidence.machine.nodes_of(cpus))}, its memory is on {_nodes(apart)}, by a binding "
        "and not by first touch"
    )
    return Binding(LAUNCHER, threads, fault, _MEMORY.get(rank.launcher, ("numactl --localalloc",)))


def cpu_options(launcher: str, threads: int) -> Options:
    """What gives each rank as many CPUs as it has threads; empty: not known."""
    options = _CPUS.get(launcher)
    return options(threads) if options else ()


def most_at_once(evidence: Evidence) -> int:
    """Worker threads that lived at one time; a thread whose end is not known lived to the end."""
    events = [(thread.row.start_ns, 1) for thread in evidence.workers]
    events += [(thread.row.end_ns, -1) for thread in evidence.workers if thread.row.end_ns is not None]
    most = now = 0
    for _, change in sorted(events):
        now += change
        most = max(most, now)
    return most


def memory_apart(evidence: Evidence, cpus: tuple[int, ...]) -> tuple[int, ...] | None:
    """Nodes of the rank's memory, if none of them is a node of its CPUs and that was ordered; None: all is well.

    Memory of nodes without CPUs (high-bandwidth, CXL) is a choice, not a fault.
    """
    machine = evidence.machine
    own, with_cpus = set(machine.nodes_of(cpus)), set(machine.all_cpu_nodes)
    allowed = tuple(node for node in parse_list(evidence.run.allowed_nodes) if node in machine.memory_nodes)
    if not own & set(machine.memory_nodes):
        return None
    if allowed and not own & set(allowed):
        return allowed if set(allowed) <= with_cpus else None
    return _policy_apart(evidence, own, with_cpus)


def _policy_apart(evidence: Evidence, own: set[int], with_cpus: set[int]) -> tuple[int, ...] | None:
    """A memory policy leaves no trace but where the pages are."""
    if (evidence.run.balancing_moved_pages or 0) > BALANCING_MOVED * evidence.touched_pages:
        return None
    homes: dict[int, float] = defaultdict(float)
    for row in evidence.samples.touched:
        if row.node in own and row.home is not None:
            homes[row.home] += row.pages
    total, apart = sum(homes.values()), {home: pages for home, pages in homes.items() if home not in own}
    if (
        evidence.bytes(total) < MIN_OBJECT_BYTES
        or sum(apart.values()) < NEARLY_ALL * total
        or not set(apart) <= with_cpus
    ):
        return None
    free = {node.id: node.free_bytes for node in evidence.machine.nodes}
    full = any(node in free and (free[node] or 0) < evidence.bytes(total) for node in own)
    return None if full else tuple(sorted(apart))


def _nodes(nodes: tuple[int, ...]) -> str:
    return f"node {nodes[0]}" if len(nodes) == 1 else f"nodes {number_list(list(nodes))}"
