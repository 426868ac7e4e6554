# SPDX-License-Identifier: Apache-2.0
"""Gauges of one recording in the OpenMetrics text format, for the textfile collector of Prometheus' node exporter.

What is not known has no line: a monitoring system would take 0 for a measurement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.openmetrics.exposition import generate_latest

from numaprof.model.report_model import Report, Thread

BILLION = 1e9


def openmetrics(report: Report) -> bytes:
    registry = CollectorRegistry()
    about = {
        "program": report.run.program or "",
        "host": report.run.host or "",
        "cpu": report.run.uarch or "",
        "emulated": report.run.emulated or "",
        "judgement": report.verdict.judgement,
    }
    Gauge("numaprof_recording", "The recorded run; always 1", list(about), registry=registry).labels(**about).set(1)
    for name, text, value in _plain(report):
        if value is not None:
            Gauge(f"numaprof_{name}", text, registry=registry).set(value)
    requests = Gauge(
        "numaprof_requests",
        "Requests that DRAM answered, by node of the thread, class and placement",
        ["node", "class", "placement"],
        registry=registry,
    )
    for labels, value in sorted(_requests(report).items()):
        requests.labels(*labels).set(value)
    made: bytes = generate_latest(registry)  # type: ignore[no-untyped-call]
    return made


def _plain(report: Report) -> Iterator[tuple[str, str, float | None]]:
    verdict, run = report.verdict, report.run
    yield "run_seconds", "Time from exec to the end", run.wall_ns / BILLION if run.wall_ns is not None else None
    yield "threads", "Threads that were seen", len(report.threads)
    yield "remote_ratio", "Remote part of the verdict's population", verdict.remote_share
    yield "remote_ratio_lowest", "Lower end of the 95 % interval of the remote part", verdict.lowest
    yield "remote_ratio_highest", "Upper end of the 95 % interval of the remote part", verdict.highest
    yield "coverage_ratio", "Part of the CPU time in which the events had a counter", verdict.coverage
    yield "dram_bytes_per_second", "Bytes from DRAM per second of run time", report.summary.bytes_per_s
    yield "advices", "Changes that the report proposes", sum(1 for advice in report.advice if advice.kind != "leave")


def _requests(report: Report) -> dict[tuple[str, str, str], float]:
    """A thread that ran on several nodes counts as node "several". A sum that lacks a thread's count is not known."""
    sums: dict[tuple[str, str, str], float] = defaultdict(float)
    unknown = set()
    for thread in report.threads:
        for each in thread.classes:
            for placement, value in (("local", each.local), ("remote", each.remote)):
                labels = (_node(thread), each.request, placement)
                if value is None:
                    unknown.add(labels)
                else:
                    sums[labels] += value
    return {labels: value for labels, value in sums.items() if labels not in unknown}


def _node(thread: Thread) -> str:
    if not thread.nodes:
        return "unknown"
    return str(thread.nodes[0]) if len(thread.nodes) == 1 else "several"
