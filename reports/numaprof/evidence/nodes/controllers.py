# SPDX-License-Identifier: Apache-2.0
"""Which nodes of a package have memory controllers of their own.

Sub-NUMA clusters and AMD's NPS divide a package's controllers among its nodes. AMD's firmware can also make a node of
each L3 cache: such nodes share their controllers, and memory of one is as near as of the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import combinations
from math import hypot
from typing import Optional

from numaprof.evidence.thresholds import MOST_PAIRED_NODES, SAME_LATENCY
from numaprof.recording.sql.sql_machine import CacheOfCpu, Cpu, Distance, LatencyRange

LOCAL_DISTANCE = 10  # ACPI's SLIT: the own memory
DEFAULT_DISTANCE = 20  # the kernel's, of any other node, where the firmware has no SLIT
L3_DISTANCE = 11  # AMD's firmware, of nodes that differ by their L3 cache only; other nodes of the package are at 12
L3_NODE_VENDORS = ("AuthenticAMD", "HygonGenuine")  # whose firmware makes nodes of L3 caches


class Told(Enum):
    """By what."""

    MEASURED = "measured latencies"
    DISTANCES = "the firmware's distances"
    CACHES = "the L3 caches"
    VENDOR = "the processor"


@dataclass(frozen=True)
class MachineFacts:
    vendor: str | None
    cpus: tuple[Cpu, ...]
    distances: Mapping[tuple[int, int], int]
    latencies: Mapping[tuple[int, int], LatencyRange]  # measured, of random reads
    caches: Mapping[int, frozenset[int]]  # last-level caches of each node's CPUs; empty: not known

    @property
    def flat(self) -> bool:
        """All distances are those of the own memory: firmware that does not tell, or nodes that the kernel made up."""
        return all(distance == LOCAL_DISTANCE for distance in self.distances.values())


def machine_facts(
    vendor: str | None,
    cpus: Iterable[Cpu],
    distances: Iterable[Distance],
    latencies: Iterable[LatencyRange],
    caches: Iterable[CacheOfCpu],
) -> MachineFacts:
    cpus = tuple(cpus)
    node_of = {cpu.id: cpu.node for cpu in cpus if cpu.node is not None and cpu.online}
    by_node: dict[int, set[int]] = defaultdict(set)
    for row in caches:
        if row.cpu in node_of:
            by_node[node_of[row.cpu]].add(row.cache)
    return MachineFacts(
        vendor,
        cpus,
        {(row.from_node, row.to_node): row.firmware for row in distances if row.firmware is not None},
        {(row.from_node, row.to_node): row for row in latencies},
        {node: frozenset(found) for node, found in by_node.items()},
    )


Answer = tuple[Optional[bool], Optional[Told]]  # True: they share their controllers; None: nothing tells


def share_controllers(facts: MachineFacts, one: int, other: int) -> Answer:
    """Of two nodes of one package."""
    measured = [_equally_fast(facts, *pair) for pair in ((one, other), (other, one))]
    if None not in measured:
        return all(measured), Told.MEASURED
    caches = [facts.caches.get(node, frozenset()) for node in (one, other)]
    distance = facts.distances.get((one, other), DEFAULT_DISTANCE)
    told = None if facts.flat else _told_by_caches(facts, caches, distance)
    if told is not None:
        return False, told
    return (None, None) if facts.flat or distance >= DEFAULT_DISTANCE else (distance <= L3_DISTANCE, Told.DISTANCES)


def _told_by_caches(facts: MachineFacts, caches: Sequence[frozenset[int]], distance: int) -> Told | None:
    """What tells that the nodes are not L3 caches."""
    if distance == LOCAL_DISTANCE:
        return None
    if caches[0] & caches[1] or any(len(found) > 1 for found in caches):
        return Told.CACHES  # a node is a part of a cache, or more than one
    return Told.VENDOR if facts.vendor not in L3_NODE_VENDORS else None


def _equally_fast(facts: MachineFacts, reader: int, memory: int) -> bool | None:
    """By half the range of the repeats as error. None: not measured, or not well enough to tell clusters."""
    own, other = facts.latencies.get((reader, reader)), facts.latencies.get((reader, memory))
    if own is None or other is None:
        return None
    error = hypot(own.high - own.low, other.high - other.low) / 2
    if other.median - own.median > max(error, SAME_LATENCY * own.median):
        return False
    return True if error <= SAME_LATENCY * own.median else None


@dataclass(frozen=True)
class Package:
    """A package with several nodes."""

    nodes: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]  # nodes that share their controllers
    untold: bool  # nothing tells whether some of the groups share theirs
    told: Told | None = None  # by what nodes are known to share

    @property
    def told_by(self) -> str:
        return self.told.value if self.told is not None else "nothing"

    @property
    def shared(self) -> tuple[tuple[int, ...], ...]:
        return tuple(group for group in self.groups if len(group) > 1)

    @property
    def split(self) -> bool:
        """Memory of the package is not all equally near, as far as is known."""
        return len(self.groups) > 1


@dataclass(frozen=True)
class Controllers:
    packages: Mapping[int, Package] = field(default_factory=dict)  # those of several nodes

    @property
    def merged(self) -> dict[int, int]:
        """Nodes that count as another one."""
        groups = [group for package in self.packages.values() for group in package.shared]
        return {node: group[0] for group in groups for node in group[1:]}

    @property
    def split(self) -> tuple[Package, ...]:
        return tuple(package for package in self.packages.values() if package.split)

    @property
    def untold(self) -> tuple[Package, ...]:
        return tuple(package for package in self.split if package.untold)


def controllers(facts: MachineFacts) -> Controllers:
    nodes: dict[int, set[int]] = defaultdict(set)
    for cpu in facts.cpus:
        if cpu.online and cpu.node is not None and cpu.package is not None:
            nodes[cpu.package].add(cpu.node)
    several = {package: tuple(sorted(found)) for package, found in nodes.items() if len(found) > 1}
    return Controllers({package: _package(facts, found) for package, found in several.items()})


def _package(facts: MachineFacts, nodes: tuple[int, ...]) -> Package:
    if len(nodes) > MOST_PAIRED_NODES:
        return Package(nodes, tuple((node,) for node in nodes), untold=True)
    answers = {pair: share_controllers(facts, *pair) for pair in combinations(nodes, 2)}
    group = {node: node for node in nodes}
    for (one, other), (shared, _) in answers.items():
        if shared and group[one] != group[other]:
            kept, gone = sorted((group[one], group[other]))
            group = {node: kept if first == gone else first for node, first in group.items()}
    groups: dict[int, list[int]] = defaultdict(list)
    for node, first in group.items():
        groups[first].append(node)
    untold = any(shared is None and group[one] != group[other] for (one, other), (shared, _) in answers.items())
    told = next((told for shared, told in answers.values() if shared), None)
    return Package(nodes, tuple(map(tuple, groups.values())), untold, told)
