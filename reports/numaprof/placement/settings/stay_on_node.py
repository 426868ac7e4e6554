# SPDX-License-Identifier: Apache-2.0
"""What keeps a thread on one node: a line for the source, or the command of an OpenMP program."""

from __future__ import annotations

from numaprof.analysis.naming import command_to_copy
from numaprof.evidence.evidence import Evidence
from numaprof.placement.advice import Remarked

NEEDS = "numa.h, sched.h, -D_GNU_SOURCE, -lnuma"  # what the line below needs


def stay(where: str) -> Remarked:
    """The thread stays on the node on which it is: all CPUs of the node, so that two threads never share one for it."""
    return Remarked("numa_run_on_node(numa_node_of_cpu(sched_getcpu()));", where)


def leave(where: str) -> Remarked:
    """New threads inherit the CPUs of their creator (pthread_create(3)), which must be all again by then."""
    return Remarked("numa_run_on_node(-1);", where)


def bound_by_openmp(evidence: Evidence, *launcher: str) -> str:
    """The runtime binds the first thread too, before main."""
    return " ".join(("OMP_PROC_BIND=close OMP_PLACES=cores", *launcher, command_to_copy(evidence)))
