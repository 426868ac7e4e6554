# SPDX-License-Identifier: Apache-2.0
"""Reads the machine from a recording, and prepares its samples: which of them are remote, sql_remote.py defines."""

from __future__ import annotations

import json
from collections.abc import Iterator

from numaprof.evidence.machine import Machine
from numaprof.evidence.nodes.controllers import Controllers, MachineFacts, controllers, machine_facts
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_machine, sql_remote


def read_machine(recording: Recording) -> Machine:
    """Nodes that share their memory controllers are one node from here on, for all queries of the recording."""
    facts = _facts(recording)
    found = controllers(facts)
    if found.merged:
        views = [*sql_remote.MERGED_VIEWS]
        if recording.has_table("node_memory"):
            views.append(sql_remote.MERGED_MEMORY)
        recording.run(*sql_remote.MERGED_NODES, *views, merged=json.dumps(found.merged))
    machine = Machine(
        tuple(recording.rows(sql_machine.Node, sql_machine.NODES)),
        tuple(recording.rows(sql_machine.Cpu, sql_machine.CPUS)),
        tuple(recording.rows(sql_machine.Latency, sql_machine.LATENCIES)),
        tuple(recording.rows_if("node_memory", sql_machine.NodeMemory, sql_machine.NODE_MEMORY)),
        found,
    )
    recording.run(
        *sql_remote.NODE_PLACES,
        sql_remote.ANSWERED,
        places=json.dumps(list(_places(machine, found, facts))),
        slow_nodes=json.dumps(machine.slow_nodes),
    )
    return machine


def _facts(recording: Recording) -> MachineFacts:
    return machine_facts(
        recording.one(sql_machine.Vendor, sql_machine.VENDOR).vendor,
        recording.rows(sql_machine.Cpu, sql_machine.CPUS),
        recording.rows(sql_machine.Distance, sql_machine.DISTANCES),
        recording.rows_if("measured", sql_machine.LatencyRange, sql_machine.LATENCY_RANGES),
        recording.rows_if("last_cache", sql_machine.CacheOfCpu, sql_machine.LAST_CACHES),
    )


def _places(machine: Machine, found: Controllers, facts: MachineFacts) -> Iterator[tuple[int, int, int, bool]]:
    """Node, package, the node whose CPUs it is near, and whether that is told."""
    packages = {node: number for number, package in found.packages.items() for node in package.nodes}
    for number, package in found.packages.items():
        for group in package.groups if package.split else ():
            yield group[0], number, group[0], not package.untold
    for node in machine.memory_nodes:
        near = _nearest(machine, facts, node)
        if near in packages and found.packages[packages[near]].split:
            yield node, packages[near], found.merged.get(near, near), not found.packages[packages[near]].untold


def _nearest(machine: Machine, facts: MachineFacts, node: int) -> int | None:
    """The nearest node with CPUs, of fast memory without CPUs; None: the firmware names none."""
    if node in machine.all_cpu_nodes or node in machine.slow_nodes:
        return None
    known = {other: facts.distances.get((other, node)) for other in machine.all_cpu_nodes}
    distances = {other: distance for other, distance in known.items() if distance is not None}
    nearest = [other for other, distance in distances.items() if distance == min(distances.values())]
    return nearest[0] if len(nearest) == 1 else None
