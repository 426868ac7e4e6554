# SPDX-License-Identifier: Apache-2.0
"""Pages do not lie where they were first touched: a memory policy, a cpuset or a full node decides instead."""

from __future__ import annotations

import os
import re
import shlex
from collections import defaultdict
from collections.abc import Sequence

from numaprof.analysis.naming import command_to_copy, most_at, objects_in_text, site_label, threads_on_nodes
from numaprof.analysis.object_users import by_others, later_uses, leading, main_use, users
from numaprof.analysis.placement import is_spread
from numaprof.analysis.relevant_objects import (
    init_sites,
    measured,
    of_remote,
    remote_part,
    remote_share_of,
    suspects,
)
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.machine import parse_list
from numaprof.evidence.samples import Used
from numaprof.evidence.thresholds import BALANCING_MOVED, FORCED, MAINLY, MIN_OBJECT_BYTES, ONE_HOME, SERIAL_TOUCH
from numaprof.rules.advice import Advice, Kind, Remarked
from numaprof.text.format import nodes_in_text, percent, size

# Options of numactl that take no argument (its manual page).
_BARE = ("-l", "--localalloc", "-a", "--all", "-b", "--balancing", "-s", "--show", "-H", "--hardware")

BY_NUMACTL = "the numactl in the command spreads all memory"


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).fixable:
        return None
    homes = _forced_homes(evidence)
    if interleaves(evidence.command) or homes == tuple(evidence.machine.memory_nodes):
        return _spread_though_divided(evidence)
    if len(homes) != 1:
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
    return bool(_forced_homes(evidence)) or interleaves(evidence.command)


def _spread_though_divided(evidence: Evidence) -> Advice | None:
    """Threads have parts of their own, which first touch would place near them; spread, each part is on all nodes."""
    group = [found for found in suspects(evidence) if found.use_shape.divided] if measured(evidence) else []
    part, uses = remote_part(evidence, group), later_uses(group)
    use = main_use(uses)
    nodes, by_numactl = len(evidence.machine.memory_nodes), _numactl(evidence.command)
    if part < MAINLY or use is None or (remote_share_of(group) or 0.0) < MAINLY * (1 - 1 / nodes):
        return None  # the last: a policy of the program's own may place each part near its thread
    cause = BY_NUMACTL if by_numactl else "a memory policy spreads all memory"
    named = "numactl" if by_numactl else "that policy (inherited, or set by the program with mbind or set_mempolicy)"
    own = all(found.main_share < SERIAL_TOUCH for found in group) and _by_their_users(uses)
    return Advice(
        kind=Kind.SETTING if own else Kind.FIX,
        finding=f"{cause.capitalize().removesuffix(' all memory')} memory over {nodes} nodes, so that "
        f"{percent(1 - 1 / nodes)} of it is remote to each thread. But {objects_in_text(evidence, group)} is used by "
        f"{threads_on_nodes(users(evidence, uses))}{most_at(use)}: {leading(group).use_shape.value}.",
        change=f"Run without {named}: the threads that use it touch it first, which puts it on their nodes."
        if own
        else f"Let the threads that use it write to it first, divided as {site_label(use)} divides it, and run without "
        f"{named}: then each part is on the node of its thread.",
        code=(shlex.join(by_numactl),) if own and by_numactl else (),
        evidence=f"{of_remote(evidence, part)} reach this memory.",
        cause=cause,
        concerns=part,
        objects=tuple(group),
        untriable="a policy of the command decides",
        touched_at=tuple(init_sites(group)),
        used_at=use,
        threads=tuple(users(evidence, uses)),
    )


def _by_their_users(uses: Sequence[Used]) -> bool:
    """False: most is used by other threads than those that first touched it."""
    return 2 * by_others(uses) <= sum(row.accesses for row in uses)


def _numactl(command: Sequence[str]) -> list[str]:
    """The command that numactl is to run; empty: it is not numactl."""
    return list(command[1 + len(_options(command)) :]) if _is_numactl(command) else []


def _is_numactl(command: Sequence[str]) -> bool:
    return os.path.basename(command[0] if command else "") == "numactl"


def _options(command: Sequence[str]) -> Sequence[str]:
    """Options of numactl with their arguments."""
    end = 1
    while end < len(command) and command[end].startswith("-"):
        word = command[end]
        joined = "=" in word or word in _BARE or (not word.startswith("--") and len(word) > 2)
        end += 1 if joined else 2
    return command[1:end]


def interleaves(command: Sequence[str]) -> bool:
    """True if the command is numactl with interleaved memory: then few first touches of growing memory are known."""
    return _is_numactl(command) and any(re.match(r"--interleave(=|$)|-i", word) for word in _options(command))


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
    if evidence.bytes(forced) < MIN_OBJECT_BYTES or forced < FORCED * sum(pages.values()):
        return ()
    sums: dict[int, float] = defaultdict(float)
    for (node, home), count in pages.items():
        if node != home:
            sums[home] += count
    toucher = max(pages, key=lambda key: pages[key])[0]
    samples = sum(row.samples for row in evidence.samples.touched if row.node == toucher and row.home is not None)
    if is_spread(evidence, {home: count for (node, home), count in pages.items() if node == toucher}, samples):
        return tuple(evidence.machine.memory_nodes)  # interleaved
    if not foreign:
        return ()
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
    if _is_numactl(evidence.command):
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
