# SPDX-License-Identifier: Apache-2.0
"""Pages do not lie where they were first touched: a memory policy, a cpuset or a full node decides instead."""

from __future__ import annotations

from collections import defaultdict

from numaprof.analysis.naming import command_to_copy
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.machine import parse_list
from numaprof.placement.advice import Advice, Kind, Remarked
from numaprof.placement.policies import forced_homes, is_numactl, pages_by_touch, placed_elsewhere
from numaprof.text.format import nodes_in_text, percent, size


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).fixable:
        return None
    homes = forced_homes(evidence)
    if len(homes) != 1:
        return None
    (node,) = homes
    cause, change, code = _cause(evidence, node)
    return Advice(
        kind=Kind.SETTING,
        decision="setting",
        finding=f"{percent(placed_elsewhere(evidence))} of the memory that threads of other nodes first touched is on "
        f"node {node}: {cause}.",
        change=change,
        code=(code,) if isinstance(code, str) else (),
        remarked=(code,) if isinstance(code, Remarked) else (),
        evidence=f"the node of the CPU that first touched, beside the page's node, of "
        f"{size(evidence.bytes(sum(pages_by_touch(evidence).values())))}. Until that changes, it does not matter which "
        "thread initialises.",
    )


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
    if is_numactl(evidence.command):
        return "the numactl in the command decides", "Run the program without it.", None
    return (
        "a memory policy (numactl --membind, --preferred, or mbind and set_mempolicy in the program) decides",
        "Run without it; what is in force is shown by numactl --show before the run, /proc/PID/numa_maps during it:",
        f"numactl --localalloc {command}",
    )


def _full_nodes(evidence: Evidence) -> list[int]:
    """Nodes whose free memory at the start was less than what their threads touched."""
    touched: dict[int, float] = defaultdict(float)
    for (node, _), count in pages_by_touch(evidence).items():
        touched[node] += evidence.bytes(count)
    free = {node.id: node.free_bytes for node in evidence.machine.nodes if node.free_bytes is not None}
    return sorted(node for node in touched if node in free and (free[node] or 0) < touched[node])
