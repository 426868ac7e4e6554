# SPDX-License-Identifier: Apache-2.0
"""Samples of the live view by hand: two nodes with two CPUs each; demand reads and prefetches, local and remote."""

from __future__ import annotations

import json
from typing import Any

from numaprof.live.model import View, make_view
from numaprof.live.sample import Header, Sample, read_header, read_sample

MS = 1_000_000
PAGE = 4096


def header_document(**other: Any) -> dict[str, Any]:
    def group(first: int, request: str) -> list[dict[str, Any]]:
        return [
            {"id": first + number, "name": f"{request}.{number}", "class": request, "placement": placement}
            for number, placement in enumerate(("local_dram", "remote_dram"))
        ]

    return {
        "nodes": [
            {"id": 0, "mem_bytes": 64 << 30, "cpus": [0, 1]},
            {"id": 1, "mem_bytes": 64 << 30, "cpus": [2, 3]},
        ],
        "page_bytes": PAGE,
        "emulated": False,
        "groups": [group(1, "demand_rd"), group(3, "pf_any")],
        "cause": None,
        "remedy": None,
        "with_kernel": False,
        **other,
    }


NO_PMU = {
    "groups": [],
    "cause": "this virtual machine has no PMU",
    "remedy": "let the hypervisor offer one: QEMU -cpu host,pmu=on",
}


def header(**other: Any) -> Header:
    return read_header(header_document(**other))


def counts(ms: float, demand: tuple[int, int], prefetch: tuple[int, int], part: float = 1.0) -> list[int]:
    """Of a thread that ran so long, whose groups had counters for a part of that: what the counters show."""
    running = int(ms * MS * part)
    return [int(ms * MS), running, *demand, running, *prefetch]


def later(early: list[int] | None, more: list[int] | None) -> list[int] | None:
    return [a + b for a, b in zip(early, more)] if early and more else None


def thread(tid: int, name: str, ms: float, cpu: int = 0, **other: Any) -> dict[str, Any]:
    found = {"tid": tid, "started": tid, "name": name, "cpu_ns": int(ms * MS), "cpu": cpu, "faults": 0}
    return {**found, "migrated": None, "counts": None, **other}


def pages(*nodes: float, ranges: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {"asked": 2000, "seen": 1000, "nodes": list(nodes), "ranges": list(ranges)}


def memory_range(start: int, size: int, kind: str, path: str, *nodes: float) -> dict[str, Any]:
    found = {"start": hex(start), "pages": size // PAGE, "kind": kind, "path": path}
    return {**found, "seen": 400, "nodes": list(nodes)}


def process(pid: int, name: str, *threads: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {"pid": pid, "name": name, "threads": list(threads), "rss_pages": 1000, "pages": None, **other}


def sample_document(seconds: float, *processes: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {
        "t_ns": int(seconds * 1000 * MS),
        "own_ns": int(seconds * 4 * MS),
        "balancing": 0,
        "free_bytes": [10 << 30, 20 << 30],
        "migrated": 0,
        "processes": list(processes),
        "foreign": 0,
        "left_out": 0,
        "uncounted": 0,
        "uncounted_cause": None,
        **other,
    }


def sample(seconds: float, *processes: dict[str, Any], before: Sample | None = None, **other: Any) -> Sample:
    return read_sample(sample_document(seconds, *processes, **other), before)


def view(before: Sample, now: Sample, head: Header | None = None, own_ns: int = 0) -> View:
    return make_view(head or header(), before, now, own_ns)


def text(document: dict[str, Any]) -> bytes:
    """As the reader writes it."""
    return (json.dumps(document, indent=1) + "\n").encode()


def busy_machine(**head: Any) -> View:
    """A database that reads the memory of the other node, a web server at rest, and a helper that has just begun."""
    no_counters = head.get("groups") == []

    def counted(*arguments: Any) -> list[int] | None:
        return None if no_counters else counts(*arguments)

    early = sample(
        0,
        process(
            4711,
            "postgres",
            thread(4711, "postgres", 1000, 2, counts=counted(1000, (0, 0), (0, 0)), migrated=0),
            thread(4712, "reader", 500, 3, counts=counted(500, (10, 10), (0, 0)), migrated=4, faults=10),
            pages=pages(
                3000.0,
                1000.0,
                ranges=(
                    memory_range(0x7F0000000000, 64 << 20, "shared", "/dev/shm/PostgreSQL.1", 2900.0, 900.0),
                    memory_range(0x560000000000, 8 << 20, "heap", "[heap]", 100.0, 100.0),
                ),
            ),
        ),
        process(80, "nginx", thread(80, "nginx", 70, 0, counts=counted(70, (5, 5), (5, 5)), migrated=0)),
        balancing=1,
        migrated=100,
    )
    late = sample(
        2,
        process(
            4711,
            "postgres",
            thread(
                4711,
                "postgres",
                2800,
                2,
                migrated=600,
                faults=500,
                counts=later(
                    counted(1000, (0, 0), (0, 0)), counted(1800, (30_000_000, 90_000_000), (20_000_000, 20_000_000))
                ),
            ),
            thread(
                4712,
                "reader",
                900,
                1,
                migrated=4,
                faults=10,
                counts=later(counted(500, (10, 10), (0, 0)), counted(400, (2_000_000, 0), (1_000_000, 0), 0.5)),
            ),
            rss_pages=65536,
        ),
        process(
            80,
            "nginx",
            thread(80, "nginx", 70, 0, counts=counted(70, (5, 5), (5, 5)), migrated=0),
            pages=pages(800.0, 0.0),
        ),
        process(90, "helper", thread(90, "helper", 10, 3, counts=counted(0, (0, 0), (0, 0)))),
        before=early,
        balancing=1,
        migrated=700,
        foreign=3,
    )
    return view(early, late, header(**head), own_ns=4 * MS)
