# SPDX-License-Identifier: Apache-2.0
"""The time line as trace events (JSON), for ui.perfetto.dev: threads as slices, local and remote rates as counters."""

from __future__ import annotations

import json
from collections.abc import Iterator

from numaprof.model import report_model as model

Event = dict[str, object]


def perfetto(report: model.Report) -> str:
    line, rows = report.timeline, report.threads
    end = report.run.wall_ns or len(line.moments) * line.step_ns
    pid = report.run.pid or 0
    events = [*_names(report, pid), *_slices(rows, end), *_phases(line, end, pid), *_counters(line, rows, pid)]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms", "otherData": _about(report)}) + "\n"


def _about(report: model.Report) -> dict[str, str]:
    """What a reader must know of the numbers; trace viewers show it as information about the trace."""
    return {
        "recording": report.recording,
        "local and remote": report.timeline.population or "not measured",
        "emulated": report.run.emulated or "no",
    }


def _names(report: model.Report, pid: int) -> Iterator[Event]:
    program = report.run.program or "program"
    for process in sorted({pid, *(row.pid for row in report.threads)}):
        yield {"ph": "M", "name": "process_name", "pid": process, "tid": process, "args": {"name": program}}
    for row in report.threads:
        where = "" if row.cpu is None else f" on CPU {row.cpu}"
        yield {"ph": "M", "name": "thread_name", "pid": row.pid, "tid": row.tid, "args": {"name": row.name + where}}


def _slices(rows: tuple[model.Thread, ...], end: int) -> Iterator[Event]:
    for row in rows:
        until = end if row.end_ns is None else row.end_ns
        arguments = {"remote share": row.remote_share, "coverage": row.coverage, "nodes": list(row.nodes)}
        yield {
            **{"ph": "X", "cat": "thread", "name": row.name, "pid": row.pid, "tid": row.tid},
            **{"ts": _us(row.start_ns), "dur": _us(max(0, until - row.start_ns)), "args": arguments},
        }


def _phases(line: model.Timeline, end: int, pid: int) -> Iterator[Event]:
    """Of the process, so a pair of asynchronous events: slices of one thread may not overlap but for nesting."""
    for number, phase in enumerate(line.phases, 1):
        until = end if phase.end_ns is None else phase.end_ns
        event = {"cat": "recorded", "id": number, "name": f"recorded: {phase.cause}", "pid": pid, "tid": pid}
        yield {"ph": "b", **event, "ts": _us(phase.start_ns), "args": {}}
        yield {"ph": "e", **event, "ts": _us(max(phase.start_ns, until)), "args": {}}


def _counters(line: model.Timeline, rows: tuple[model.Thread, ...], pid: int) -> Iterator[Event]:
    """Per second. A step that is not known has no event: the viewer keeps the value before it."""
    for moment in line.moments:
        rate = _rates(moment.local, moment.remote, line.step_ns)
        if rate is not None:
            yield _counter("requests per second", pid, moment.start_ns, rate)
        yield _counter("pages first touched", pid, moment.start_ns, {"pages": moment.touched_pages})
    of = {row.id: row for row in rows}
    for thread in line.threads:
        row = of.get(thread.thread)
        for at, (local, remote) in enumerate(zip(thread.local, thread.remote)):
            rate = _rates(local, remote, line.thread_step_ns)
            if row is not None and rate is not None:
                yield _counter(f"requests per second of {row.name}", row.pid, at * line.thread_step_ns, rate)


def _rates(local: float | None, remote: float | None, step_ns: int) -> dict[str, float] | None:
    if local is None or remote is None:
        return None
    return {"local": round(local * 1e9 / step_ns, 1), "remote": round(remote * 1e9 / step_ns, 1)}


def _counter(name: str, pid: int, t_ns: int, values: dict[str, float]) -> Event:
    return {"ph": "C", "name": name, "pid": pid, "tid": pid, "ts": _us(t_ns), "args": values}


def _us(nanoseconds: int) -> float:
    return nanoseconds / 1000
