# SPDX-License-Identifier: Apache-2.0
"""A thread touched its memory on one node and ran on another later: pin it. The initialisation is right as it is."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from numaprof.analysis.naming import command_to_copy, thread_in_text, without_source
from numaprof.analysis.relevant_objects import measured
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.thresholds import MIN_OBJECT_BYTES, MIN_OBJECT_SHARE, REMOTE_HEAVY
from numaprof.placement.advice import Advice, Kind, Remarked
from numaprof.placement.settings.stay_on_node import NEEDS, bound_by_openmp, stay
from numaprof.text.format import nodes_in_text, plural, size


@dataclass(frozen=True)
class Moved:
    thread: Thread
    node: int  # where it touched most
    pages: float
    remote: float  # its remote accesses: to its own memory where these have addresses, else all
    ran_on: tuple[int, ...]


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).fixable or evidence.machine.single:
        return None
    moved = _by_addresses(evidence) if measured(evidence) else _by_counts(evidence)
    if not moved:
        return None
    worst = max(moved, key=lambda found: found.remote)
    remote = evidence.samples.remote_accesses if measured(evidence) else evidence.traffic.remote.estimate
    if remote and sum(found.remote for found in moved) < MIN_OBJECT_SHARE * remote:
        return None
    return Advice(
        kind=Kind.SETTING,
        finding=f"{thread_in_text(worst.thread)} first touched {size(evidence.bytes(worst.pages))} on node "
        f"{worst.node}, but {'uses it' if measured(evidence) else 'ran'} on {nodes_in_text(worst.ran_on)}"
        + (f"; {plural(len(moved), 'thread')} moved like that." if moved[1:] else "."),
        change=_change(evidence, worst.thread),
        code=_command(evidence, worst.thread),
        remarked=_code(evidence, worst.thread),
        evidence="the CPUs on which the thread was when it touched, and those on which it was "
        + ("when it used the same memory." if measured(evidence) else "counted later."),
        removes=min(1.0, sum(found.remote for found in moved) / remote) if remote else None,
        touched_by=worst.thread,
        threads=tuple(found.thread for found in moved),
    )


def _command(evidence: Evidence, thread: Thread) -> tuple[str, ...]:
    """Empty: an edit of the source is the way."""
    if thread.row.pin == "program":
        return ()
    if evidence.samples.openmp:
        return (bound_by_openmp(evidence),)
    if without_source(evidence):
        node = evidence.machine.all_cpu_nodes[0]
        return (f"numactl --cpunodebind={node} --membind={node} {command_to_copy(evidence)}",)
    return ()


def _code(evidence: Evidence, thread: Thread) -> tuple[Remarked, ...]:
    if _command(evidence, thread) or thread.row.pin == "program":
        return ()
    return (stay("in each thread, before it touches its memory"),)


def _change(evidence: Evidence, thread: Thread) -> str:
    if thread.row.pin == "program":
        return (
            "The program binds its threads to other CPUs after they first touched their memory: do that before the "
            "first touch, or not at all (pthread_setaffinity_np, sched_setaffinity, numa_run_on_node)."
        )
    if without_source(evidence) and not evidence.samples.openmp:
        return "Keep the program on one node, with its memory:"
    if evidence.run.pin_policy != "none":  # the plan is for threads: a process of one keeps the mask that it inherited
        return f"Pin it in the program; a new initialisation would not last{_needs(evidence, thread)}"
    return (
        "Pin the threads; a new initialisation would not last. With numaprof, --pin compact does it; without it"
        + _needs(evidence, thread)
    )


def _needs(evidence: Evidence, thread: Thread) -> str:
    return f" ({NEEDS}):" if _code(evidence, thread) else ":"


def _touched_by_node(evidence: Evidence) -> dict[int, dict[int, float]]:
    sums: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for row in evidence.samples.touched:
        if row.node is not None:
            sums[row.thread][row.node] += row.pages
    return sums


def _by_addresses(evidence: Evidence) -> list[Moved]:
    """Threads that use memory they touched themselves from another node."""
    own: dict[int, float] = defaultdict(float)
    nodes: dict[int, set[int]] = defaultdict(set)
    stayed = {t.row.id for t in evidence.threads if t.row.pin == "planned" and not t.row.migrations}
    for row in evidence.samples.used:
        if row.thread not in stayed and row.remote and row.init_thread == row.thread and row.node is not None:
            own[row.thread] += row.accesses
            nodes[row.thread].add(row.node)
    if sum(own.values()) < MIN_OBJECT_SHARE * evidence.samples.remote_accesses:
        return []
    least = MIN_OBJECT_SHARE * sum(own.values()) / max(1, len(own))
    touched = _touched_by_node(evidence)
    found = []
    for thread, remote in own.items():
        node = max(touched[thread], key=lambda where: touched[thread][where], default=None)
        big = node is not None and evidence.bytes(touched[thread][node]) >= MIN_OBJECT_BYTES
        if thread in evidence.by_id and node is not None and big and remote >= least and nodes[thread] - {node}:
            ran_on = tuple(sorted(nodes[thread] - {node}))
            found.append(Moved(evidence.by_id[thread], node, touched[thread][node], remote, ran_on))
    return found


def _by_counts(evidence: Evidence) -> list[Moved]:
    touched = _touched_by_node(evidence)
    found = []
    for thread in evidence.threads:
        nodes = touched.get(thread.row.id, {})
        if _moved(evidence, thread, nodes):
            node = max(nodes, key=lambda where: nodes[where])
            found.append(Moved(thread, node, nodes[node], thread.traffic.remote.estimate or 0.0, thread.nodes))
    return found


def _moved(evidence: Evidence, thread: Thread, nodes: dict[int, float]) -> bool:
    """True if the thread left the node on which it touched most of its memory, and now reads remotely."""
    if not nodes or (thread.row.pin == "planned" and not thread.row.migrations):
        return False
    node = max(nodes, key=lambda where: nodes[where])
    away = bool(thread.nodes) and thread.nodes != (node,)
    heavy = (thread.traffic.share or 0.0) >= REMOTE_HEAVY
    return away and heavy and evidence.bytes(nodes[node]) >= MIN_OBJECT_BYTES
