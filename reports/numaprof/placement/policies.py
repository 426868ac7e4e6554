# SPDX-License-Identifier: Apache-2.0
"""Whether first touch decided the nodes of memory in a run, or a memory policy, a cpuset or a full node."""

from __future__ import annotations

import os
import re
import shlex
from collections import defaultdict
from collections.abc import Sequence

from numaprof.evidence.evidence import Evidence
from numaprof.evidence.thresholds import BALANCING_MOVED, FORCED, MIN_OBJECT_BYTES, NEARLY_ALL
from numaprof.placement.use_matrix import is_interleaved

# Options of numactl that take no argument (its manual page).
_BARE = ("-l", "--localalloc", "-a", "--all", "-b", "--balancing", "-s", "--show", "-H", "--hardware")


def interleaves_all(evidence: Evidence) -> bool:
    """True if a policy interleaves memory that first touch would place."""
    nodes = tuple(evidence.machine.memory_nodes)
    return interleaves(evidence.command) or (len(nodes) > 1 and forced_homes(evidence) == nodes)


def without_policy(evidence: Evidence) -> tuple[str, ...]:
    """The command without the numactl before it; empty: the policy is not numactl's."""
    by_numactl = _numactl(evidence.command)
    return (shlex.join(by_numactl),) if by_numactl else ()


def _numactl(command: Sequence[str]) -> list[str]:
    """The command that numactl is to run; empty: it is not numactl."""
    return list(command[1 + len(_options(command)) :]) if is_numactl(command) else []


def is_numactl(command: Sequence[str]) -> bool:
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
    return is_numactl(command) and any(re.match(r"--interleave(=|$)|-i", word) for word in _options(command))


def pages_by_touch(evidence: Evidence) -> dict[tuple[int, int], float]:
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


def placed_elsewhere(evidence: Evidence) -> float:
    """Of what threads of nodes other than the main home touched: the part that does not lie on their node."""
    pages = pages_by_touch(evidence)
    main = _main_home(pages)
    mine = {key: count for key, count in pages.items() if key[0] != main}
    total = sum(mine.values())
    return sum(count for (node, home), count in mine.items() if node != home) / total if total else 0.0


def _main_home(pages: dict[tuple[int, int], float]) -> int | None:
    sums: dict[int, float] = defaultdict(float)
    for (_, home), count in pages.items():
        sums[home] += count
    return max(sums, key=lambda home: sums[home], default=None)


def forced_homes(evidence: Evidence) -> tuple[int, ...]:
    """Nodes of memory that was touched from elsewhere; empty: first touch decided."""
    if evidence.machine.single or (evidence.run.balancing_moved_pages or 0) > BALANCING_MOVED * evidence.touched_pages:
        return ()
    pages = pages_by_touch(evidence)
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
    if is_interleaved(
        evidence.machine.memory_nodes,
        {home: count for (node, home), count in pages.items() if node == toucher},
        samples,
    ):
        return tuple(evidence.machine.memory_nodes)  # interleaved
    if not foreign:
        return ()
    main = max(sums, key=lambda home: sums[home])
    return (main,) if sums[main] >= NEARLY_ALL * forced else tuple(sorted(sums))
