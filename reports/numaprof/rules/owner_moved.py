# SPDX-License-Identifier: Apache-2.0
"""A thread touched its memory on one node and ran on another later: pin it. The initialisation is right as it is."""

from __future__ import annotations

from collections import defaultdict

from numaprof.evidence import Evidence, Thread
from numaprof.judgement import judge
from numaprof.naming import nodes_in_text, thread_in_text
from numaprof.rules.advice import Advice, Kind
from numaprof.text import plural, size
from numaprof.thresholds import MIN_OBJECT_BYTES, REMOTE_HEAVY


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).curable or evidence.machine.single:
        return None
    touched = _touched_by_node(evidence)
    moved = [thread for thread in evidence.threads if _moved(evidence, thread, touched.get(thread.row.id, {}))]
    if not moved:
        return None
    worst = max(moved, key=lambda thread: thread.traffic.remote.estimate or 0.0)
    nodes = touched[worst.row.id]
    node = max(nodes, key=lambda where: nodes[where])
    remote = evidence.traffic.remote.estimate
    theirs = sum(thread.traffic.remote.estimate or 0.0 for thread in moved)
    return Advice(
        kind=Kind.SETTING,
        finding=f"{thread_in_text(worst)} first touched {size(evidence.bytes(nodes[node]))} on node {node}, but ran on "
        f"{nodes_in_text(worst.nodes)}" + (f"; {plural(len(moved), 'thread')} moved like that." if moved[1:] else "."),
        change="Pin the threads; initialising anew would not last. With numaprof, --pin compact does it; without it:",
        code=("OMP_PROC_BIND=close OMP_PLACES=cores   (OpenMP), or pthread_setaffinity_np",),
        evidence="the CPUs on which the thread was when it touched, and those on which it was counted later.",
        removes=min(1.0, theirs / remote) if remote else None,
    )


def _touched_by_node(evidence: Evidence) -> dict[int, dict[int, float]]:
    sums: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for row in evidence.samples.touched:
        if row.node is not None:
            sums[row.thread][row.node] += row.pages
    return sums


def _moved(evidence: Evidence, thread: Thread, nodes: dict[int, float]) -> bool:
    """Most of what it touched, it touched on a node that it then left, and now it reads remotely."""
    if not nodes or (thread.row.pin == "planned" and not thread.row.migrations):
        return False
    node = max(nodes, key=lambda where: nodes[where])
    away = bool(thread.nodes) and thread.nodes != (node,)
    heavy = (thread.traffic.share or 0.0) >= REMOTE_HEAVY
    return away and heavy and evidence.bytes(nodes[node]) >= MIN_OBJECT_BYTES
