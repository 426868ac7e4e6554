# SPDX-License-Identifier: Apache-2.0
"""Pages do not lie where they were first touched: a memory policy, a cpuset or a full node decides instead."""

from __future__ import annotations

import itertools
import os
import re
from collections import defaultdict
from collections.abc import Sequence

from numaprof.analysis.naming import command_to_copy
from numaprof.analysis.placement import is_spread
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.machine import parse_list
from numaprof.evidence.thresholds import BALANCING_MOVED, FORCED, MIN_OBJECT_BYTES, ONE_HOME
from numaprof.rules.advice import Advice, Kind, Remarked
from numaprof.text.format import nodes_in_text, percent, size


def rule(evidence: Evidence) -> Advice | None:
    homes = _forced_homes(evidence)
    if not homes or not judge(evidence).fixable or len(homes) > 1:
        return None
    (node,) = homes
    cause, change, code = _cause(evidence, node)
    return Advice(
        kind=Kind.SETTING,
        finding=f"{percent(_elsewhere(evidence))} of the memory that threads of other nodes first touched is on node "
        f"{node}: {cause}.",
        change=change,
        code=(code,) if isinstance(code, str) else (),
        remarked=(code,) if isinstance(code, Remarked) else (),
        evidence=f"the node of the CPU that first touched, beside the page's node, of "
        f"{size(evidence.bytes(sum(_by_touch(evidence).values())))}. Until that changes, it does not matter which "
        "thread initialises.",
    )


def forces(evidence: Evidence) -> bool:
    """True if first touch does not decide the node of memory in this run."""
    return bool(_forced_homes(evidence)) or _interleaves(evidence.command)


def _interleaves(command: Sequence[str]) -> bool:
    """True if the command is numactl with interleaved memory: then few first touches of growing memory are known."""
    if os.path.basename(command[0] if command else "") != "numactl":
        return False
    options = itertools.takewhile(lambda word: word.startswith("-"), command[1:])
    return any(re.match(r"--interleave(=|$)|-i", option) for option in options)


def _by_touch(evidence: Evidence) -> dict[tuple[int, int], float]:
    """Pages by (node of the toucher, home). A node without memory has nothing that a policy could take from it.

    Of pages on the slow tier slow_tier speaks.
    """
    sums: dict[tuple[int, int], float] = defaultdict(float)
    slow = evidence.machine.slow_nodes
    for row in evidence.samples.touched:
        bare = row.node not in evidence.machine.memory_nodes
        if row.node is not None and not bare and row.home is not None and row.home not in slow:
            sums[row.node, row.home] += row.pages
    return dict(sums)


def _elsewhere(evidence: Evidence) -> float:
    """Of what threads of nodes other than the main home touched: the part that does not lie on their node."""
    pages = _by_touch(evidence)
    main = _main_home(pages)
    mine = {key: count for key, count in pages.items() if key[0] != main}
    total = sum(mine.values())
    return sum(count for (node, home), count in mine.items() if node != home) / total if total else 0.0


def _main_home(pages: dict[tuple[int, int], float]) -> int | None:
    sums: dict[int, float] = defaultdict(float)
    for (_, home), count in pages.items():
        sums[home] += count
    return max(sums, key=lambda home: sums[home], default=None)


def _forced_homes(evidence: Evidence) -> tuple[int, ...]:
    """Nodes of memory that was touched from elsewhere; empty: first touch decided."""
    if evidence.machine.single or (evidence.run.balancing_moved_pages or 0) > BALANCING_MOVED * evidence.touched_pages:
        return ()
    pages = _by_touch(evidence)
    forced = sum(count for (node, home), count in pages.items() if node != home)
    foreign = sum(count for (node, _), count in pages.items() if node != _main_home(pages))
    if evidence.bytes(forced) < MIN_OBJECT_BYTES or not foreign or forced < FORCED * sum(pages.values()):
        return ()
    sums: dict[int, float] = defaultdict(float)
    for (node, home), count in pages.items():
        if node != home:
            sums[home] += count
    toucher = max(pages, key=lambda key: pages[key])[0]
    samples = sum(row.samples for row in evidence.samples.touched if row.node == toucher and row.home is not None)
    if is_spread(evidence, {home: count for (node, home), count in pages.items() if node == toucher}, samples):
        return tuple(evidence.machine.memory_nodes)  # interleaved
    main = max(sums, key=lambda home: sums[home])
    return (main,) if sums[main] >= ONE_HOME * forced else tuple(sorted(sums))


def _cause(evidence: Evidence, node: int) -> tuple[str, str, str | Remarked | None]:
    allowed = parse_list(evidence.run.allowed_nodes)
    command = command_to_copy(evidence)
    if allowed and len(allowed) < len(evidence.machine.memory_nodes):
        return (
            f"the cpuset of this run allows memory of {nodes_in_text(allowed)} only",
            "Give the run memory of all nodes where its threads run:",
            Remarked("grep Mems_allowed_list /proc/self/status", "shows it; cpuset.mems of the control group sets it"),
        )
    full = _full_nodes(evidence)
    if full:
        return (
            f"{nodes_in_text(full)} had too little free memory",
            "Free it before the run, or use less:",
            Remarked("numactl --hardware", "shows what is free"),
        )
    if os.path.basename(evidence.command[0] if evidence.command else "") == "numactl":
        return "the numactl in the command decides", "Run the program without it.", None
    return (
        "a memory policy (numactl --membind, --preferred, or mbind and set_mempolicy in the program) decides",
        "Run without it; what is in force is shown by numactl --show before the run, /proc/PID/numa_maps during it:",
        f"numactl --localalloc {command}",
    )


def _full_nodes(evidence: Evidence) -> list[int]:
    """Nodes whose free memory at the start was less than what their threads touched."""
    touched: dict[int, float] = defaultdict(float)
    for (node, _), count in _by_touch(evidence).items():
        touched[node] += evidence.bytes(count)
    free = {node.id: node.free_bytes for node in evidence.machine.nodes if node.free_bytes is not None}
    return sorted(node for node in touched if node in free and (free[node] or 0) < touched[node])
