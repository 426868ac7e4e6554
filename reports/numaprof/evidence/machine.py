# SPDX-License-Identifier: Apache-2.0
"""The nodes and CPUs of the machine that was recorded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from numaprof.evidence.nodes.controllers import Controllers
from numaprof.evidence.thresholds import REMOTE_EXTRA_NS
from numaprof.recording.sql.sql_machine import Cpu, Latency, Node, NodeMemory


@dataclass(frozen=True)
class Machine:
    nodes: tuple[Node, ...]
    cpus: tuple[Cpu, ...]
    latencies: tuple[Latency, ...] = ()
    memory: tuple[NodeMemory, ...] = ()  # empty: the recording does not tell
    controllers: Controllers = field(default_factory=Controllers)

    @cached_property
    def memory_nodes(self) -> tuple[int, ...]:
        """Nodes with memory; one whose size is unknown counts as such."""
        return tuple(node.id for node in self.nodes if node.mem_bytes != 0)

    @cached_property
    def cpu_nodes(self) -> tuple[int, ...]:
        """Nodes whose CPUs this run might have used."""
        return tuple(sorted({cpu.node for cpu in self.cpus if cpu.node is not None and cpu.online and cpu.allowed}))

    @cached_property
    def all_cpu_nodes(self) -> tuple[int, ...]:
        return tuple(sorted({cpu.node for cpu in self.cpus if cpu.node is not None and cpu.online}))

    @cached_property
    def slow_nodes(self) -> tuple[int, ...]:
        """The slow tier: memory of nodes without CPUs, other than high-bandwidth memory; local to no CPU."""
        if self.memory:
            return tuple(row.node for row in self.memory if row.memory not in ("none", "DRAM", "HBM"))
        cpus = self.all_cpu_nodes
        return tuple(node for node in self.memory_nodes if cpus and node not in cpus)

    @property
    def speed_unknown(self) -> bool:
        """Nothing tells what a node without CPUs holds: memory behind CXL is slower than DRAM, HBM may be faster."""
        return any(self.memory_of(node) in (None, "untold") for node in self.slow_nodes)

    def memory_of(self, node: int) -> str | None:
        return next((row.memory for row in self.memory if row.node == node), None)

    @property
    def online(self) -> int:
        return sum(1 for cpu in self.cpus if cpu.online)

    @property
    def single(self) -> bool:
        """Nothing can be remote here. False where the nodes are not known."""
        return bool(self.nodes) and len(self.memory_nodes) <= 1 and len(self.all_cpu_nodes) <= 1

    @cached_property
    def _node_of(self) -> dict[int, int]:
        return {cpu.id: cpu.node for cpu in self.cpus if cpu.node is not None}

    def node_of(self, cpu: int | None) -> int | None:
        return None if cpu is None else self._node_of.get(cpu)

    def nodes_of(self, cpus: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted({self._node_of[cpu] for cpu in cpus if cpu in self._node_of}))

    def cpus_of(self, node: int) -> tuple[int, ...]:
        return tuple(cpu.id for cpu in self.cpus if cpu.node == node and cpu.online)

    def package_of(self, node: int) -> tuple[int, ...]:
        """The nodes with CPUs of the node's packages; at least the node itself."""
        packages = {cpu.package for cpu in self.cpus if cpu.node == node and cpu.package is not None}
        return tuple({node, *(cpu.node for cpu in self.cpus if cpu.node is not None and cpu.package in packages)})

    @property
    def remote_extra_ns(self) -> float:
        """What a remote read costs more than a local one, on average over the pairs of nodes: measured, else assumed.
        What the slow tier costs is no matter of local and remote."""
        measured = [row for row in self.latencies if row.to_node not in self.slow_nodes]
        local = {row.from_node: row.latency_ns for row in measured if row.from_node == row.to_node}
        extra = [row.latency_ns - local[row.from_node] for row in measured if local.keys() >= {row.from_node}]
        remote = len(extra) - len(local)
        return sum(extra) / remote if remote and sum(extra) > 0 else REMOTE_EXTRA_NS


def parse_list(text: str | None) -> tuple[int, ...]:
    """The kernel's list format, 0-3,8. What cannot be read is left out: the text may come from anybody."""
    numbers: set[int] = set()
    for part in (text or "").split(","):
        first, _, last = part.strip().partition("-")
        last = last or first
        if (
            first.isascii()
            and first.isdigit()
            and last.isascii()
            and last.isdigit()
            and int(last) - int(first) < 1 << 16
        ):
            numbers.update(range(int(first), int(last) + 1))
    return tuple(sorted(numbers))
