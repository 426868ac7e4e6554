# SPDX-License-Identifier: Apache-2.0
"""SQL for the machine: nodes, CPUs, distances."""

from __future__ import annotations

from typing import NamedTuple


class Vendor(NamedTuple):
    vendor: str | None


VENDOR = "SELECT cpu_vendor FROM run"


class Node(NamedTuple):
    id: int
    mem_bytes: int | None
    allowed: int
    free_bytes: int | None


NODES = "SELECT id, mem_bytes, allowed, free_bytes FROM node ORDER BY id"


class Cpu(NamedTuple):
    id: int
    node: int | None
    package: int | None
    online: int
    allowed: int


CPUS = "SELECT id, node, package, online, allowed FROM cpu ORDER BY id"


class Latency(NamedTuple):
    from_node: int
    to_node: int
    latency_ns: float


LATENCIES = "SELECT from_node, to_node, latency_ns FROM distance WHERE latency_ns IS NOT NULL"


class LatencyRange(NamedTuple):
    from_node: int
    to_node: int
    median: float
    low: float
    high: float


LATENCY_RANGES = """
SELECT from_node, to_node, median, low, high FROM measured WHERE metric = 'latency_random' AND to_node IS NOT NULL
"""


class CacheOfCpu(NamedTuple):
    cpu: int
    cache: int


LAST_CACHES = "SELECT cpu, cache FROM last_cache"


class NodeMemory(NamedTuple):
    node: int
    memory: str  # DRAM, HBM, CXL, persistent, GPU, untold, none


NODE_MEMORY = "SELECT node, memory FROM node_memory ORDER BY node"


class CpuPlace(NamedTuple):
    id: int
    node: int | None
    package: int | None
    core: int | None
    thread: int | None
    online: int
    allowed: int


CPU_PLACES = "SELECT id, node, package, core, thread, online, allowed FROM cpu ORDER BY node, package, core, thread, id"


class Distance(NamedTuple):
    from_node: int
    to_node: int
    firmware: int | None
    latency_ns: float | None
    read_bytes_per_s: float | None


DISTANCES = "SELECT from_node, to_node, firmware, latency_ns, read_bytes_per_s FROM distance"


class Measured(NamedTuple):
    metric: str
    unit: str
    from_node: int
    to_node: int | None
    median: float
    low: float
    high: float
    noisy: int


MEASURED = """
SELECT metric, unit, from_node, to_node, median, low, high, noisy FROM measured ORDER BY metric, from_node, to_node
"""


class Mover(NamedTuple):
    scope: str
    node: int | None
    counter: str
    pages: int


MOVERS = """
SELECT scope, node, counter, after - before AS pages
  FROM mover WHERE scope <> 'setting' AND after > before ORDER BY scope = 'node', scope, node, counter
"""
