# SPDX-License-Identifier: Apache-2.0
"""What profiler/live writes, as plain values: first a Header, then Samples with totals."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from numaprof.evidence.request_classes import EventMap, sort_events
from numaprof.recording.sql.sql_counts import Event

CLOCK = 0  # id of the task clock among the events; those of the catalogue are above
END = b"\n}\n"  # of a document: no other line is a brace alone


@dataclass(frozen=True)
class Node:
    id: int
    mem_bytes: int | None
    cpus: tuple[int, ...]


@dataclass(frozen=True)
class Header:
    nodes: tuple[Node, ...]
    page_bytes: int
    emulated: bool
    groups: tuple[tuple[int, ...], ...]  # ids of the events that are counted together
    events: EventMap
    cause: str | None  # why nothing is counted
    remedy: str | None
    with_kernel: bool

    @property
    def node_of_cpu(self) -> dict[int, int]:
        return {cpu: node.id for node in self.nodes for cpu in node.cpus}


@dataclass(frozen=True)
class Thread:
    tid: int
    started: int
    name: str
    cpu_ns: int
    cpu: int  # where it ran last
    faults: int
    migrated: int | None  # pages
    counts: tuple[int, ...] | None  # task clock, and of each group its running time and the values of its events


@dataclass(frozen=True)
class Range:
    """A mapping of the process, from pages that were looked up."""

    start: int
    pages: int
    kind: str
    path: str
    seen: int  # pages that were found
    nodes: tuple[float, ...]  # estimate in pages, in the order of Header.nodes


@dataclass(frozen=True)
class Look:
    seen: int
    nodes: tuple[float, ...]
    ranges: tuple[Range, ...]  # the largest


@dataclass(frozen=True)
class Process:
    pid: int
    name: str
    rss_pages: int | None
    threads: Mapping[int, Thread]
    look: Look | None  # the latest


@dataclass(frozen=True)
class Sample:
    t_ns: int
    own_ns: int
    balancing: int | None
    free_bytes: tuple[int | None, ...]  # of each node
    migrated: int | None  # pages, by balancing, of the whole machine
    processes: Mapping[int, Process]
    foreign: int  # processes that cannot be looked into
    left_out: int  # classes
    uncounted: int  # threads
    uncounted_cause: str | None


def documents(buffer: bytearray) -> Iterator[dict[str, Any]]:
    """Takes the complete documents out of the buffer."""
    while (end := buffer.find(END)) >= 0:
        text = bytes(buffer[: end + len(END)])
        del buffer[: end + len(END)]
        yield json.loads(text)


def read_header(found: Mapping[str, Any]) -> Header:
    events = [Event(CLOCK, "counters", "task-clock", "time", "", 1, None)]
    for group in found["groups"]:
        events += [Event(e["id"], "counters", e["name"], e["class"], e["placement"], 1, None) for e in group]
    return Header(
        nodes=tuple(Node(node["id"], node["mem_bytes"], tuple(node["cpus"])) for node in found["nodes"]),
        page_bytes=found["page_bytes"],
        emulated=found["emulated"],
        groups=tuple(tuple(event["id"] for event in group) for group in found["groups"]),
        events=sort_events(events),
        cause=found["cause"],
        remedy=found["remedy"],
        with_kernel=found["with_kernel"],
    )


def read_sample(found: Mapping[str, Any], before: Sample | None) -> Sample:
    """Where a process was not looked at this time, its latest look stays."""
    processes = {process["pid"]: _process(process) for process in found["processes"]}
    for pid, process in processes.items():
        earlier = before.processes.get(pid) if before else None
        if process.look is None and earlier is not None and _is_same(process, earlier):
            processes[pid] = replace(process, look=earlier.look)
    return Sample(
        t_ns=found["t_ns"],
        own_ns=found["own_ns"],
        balancing=found["balancing"],
        free_bytes=tuple(found["free_bytes"]),
        migrated=found["migrated"],
        processes=processes,
        foreign=found["foreign"],
        left_out=found["left_out"],
        uncounted=found["uncounted"],
        uncounted_cause=found["uncounted_cause"],
    )


def _is_same(process: Process, earlier: Process) -> bool:
    """Not another one of that number."""
    main, other = process.threads.get(process.pid), earlier.threads.get(process.pid)
    return main is None or other is None or main.started == other.started


def _process(found: Mapping[str, Any]) -> Process:
    threads = (
        Thread(**{**thread, "counts": tuple(thread["counts"]) if thread["counts"] is not None else None})
        for thread in found["threads"]
    )
    pages = found["pages"]
    return Process(
        pid=found["pid"],
        name=found["name"],
        rss_pages=found["rss_pages"],
        threads={thread.tid: thread for thread in threads},
        look=_look(pages) if pages else None,
    )


def _look(found: Mapping[str, Any]) -> Look:
    return Look(found["seen"], tuple(found["nodes"]), tuple(map(_range, found["ranges"])))


def _range(found: Mapping[str, Any]) -> Range:
    numbers = {"start": int(found["start"], 16), "nodes": tuple(found["nodes"])}
    return Range(**{**found, **numbers})
