# SPDX-License-Identifier: Apache-2.0
"""All threads read all of it: no initialisation makes that local. Spread it, or keep a copy on each node."""

from __future__ import annotations

from numaprof.evidence import Evidence
from numaprof.judgement import COUNTERS, basis, judge
from numaprof.naming import command_line, list_of_sites, site_label, threads_on_nodes
from numaprof.rules.advice import Advice, Kind
from numaprof.text import percent, size, words
from numaprof.thresholds import ALL_TO_ALL, EVEN_SPREAD
from numaprof.uses import main_use, serial_sites, shape_of, uses_of


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).curable or evidence.machine.single:
        return None
    return _on_one_node(evidence) or _spread_already(evidence)


def _on_one_node(evidence: Evidence) -> Advice | None:
    """Addresses show that every thread reaches all of what one thread first touched."""
    sites = serial_sites(evidence)
    uses = uses_of(evidence, sites)
    if not sites or not shape_of(evidence, sites).shared:
        return None
    use = main_use(uses)
    users = [thread for thread in evidence.threads if thread.row.id in {row.thread for row in uses}]
    where = f", most at {site_label(use)}" if use is not None else ""
    return Advice(
        kind=Kind.CURE,
        finding=f"{list_of_sites([site.site for site in sites])}: "
        f"{size(evidence.bytes(sum(site.pages for site in sites)))} first touched by one thread are used whole by "
        f"{threads_on_nodes(users)}{where}. One node's memory serves all.",
        change="Spread it over the nodes; if it is only read, a copy for each node makes all reads local. "
        "A parallel initialisation would not help: no thread has a part of its own.",
        code=(f"numactl --interleave=all {command_line(evidence)}",),
        evidence=f"addresses of {sum(row.samples for row in uses)} accesses: each thread's span all of it. "
        "The remote share stays; the load on the one memory controller goes.",
    )


def _spread_already(evidence: Evidence) -> Advice | None:
    """Memory lies evenly on all nodes, and every thread's remote share is that of memory elsewhere."""
    nodes, homed = evidence.machine.memory_nodes, evidence.samples.homed_pages
    total = sum(homed.values())
    if basis(evidence) != COUNTERS or not total or len(nodes) < 2 or len(evidence.worker_nodes) < 2:
        return None
    shares = {node: homed.get(node, 0) / total for node in nodes}
    if min(shares.values()) < EVEN_SPREAD / len(nodes):
        return None
    for thread in evidence.workers:
        expected = 1 - shares.get(thread.node, 0.0) if thread.node is not None else None
        if expected is None or thread.traffic.share is None or abs(thread.traffic.share - expected) > ALL_TO_ALL:
            return None
    spread = words([f"{percent(share)} on node {node}" for node, share in shares.items()])
    return Advice(
        kind=Kind.CURE,
        finding=f"Memory is spread over the nodes ({spread}), and each of {threads_on_nodes(evidence.workers)} reads "
        "remotely about as much as lies elsewhere: every thread reads everything.",
        change="If what is read does not change, give each node a copy of its own. Otherwise leave it: neither a "
        "parallel initialisation nor interleaving would help, no thread has a part of its own.",
        evidence="each thread's remote share, beside where the pages are; the addresses were not seen.",
    )
