# SPDX-License-Identifier: Apache-2.0
"""From a recording to its samples as a profile."""

from __future__ import annotations

import os
from collections.abc import Iterable

from numaprof.analysis.naming import thread_name
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.source_location import place_in
from numaprof.model.profile_model import VALUES, Frame, Profile, Row, Stacks, Step, Value
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_samples, sql_stacks
from numaprof.text.format import clean

_ACCESSES = (sql_samples.LOAD, sql_samples.STORE, sql_samples.HINT)
_KINDS = {
    "remote_requests": (sql_samples.OVERFLOW,),
    "remote_accesses": _ACCESSES,
    "accesses": _ACCESSES,
    "first_touches": (sql_samples.FIRST_TOUCH,),
}
_REMOTE = ("remote", "other_cluster")


def profile(recording: Recording, evidence: Evidence) -> Profile:
    names = {thread.row.id: thread_name(thread) for thread in evidence.threads}
    kinds = {row.kind: row.name for row in evidence.samples.kinds}
    frames = recording.rows(sql_stacks.Frame, sql_stacks.FRAMES)
    return Profile(
        started_at=evidence.run.started_at,
        wall_ns=evidence.run.wall_ns,
        main_module=_main_module(evidence.run.program, frames),
        rows=tuple(
            Row(
                stack=row.stack,
                thread=names.get(row.thread, "?"),
                node=row.node,
                kind=clean(kinds.get(row.kind, "?")),
                placement=clean(row.placement or "unknown"),
                values=tuple(_value(value, row, evidence.run.page_bytes) for value in VALUES),
            )
            for row in recording.rows(sql_stacks.Weight, sql_stacks.WEIGHTS)
        ),
        stacks=stacks(recording.rows(sql_stacks.Step, sql_stacks.STEPS), frames),
    )


def stacks(steps: Iterable[sql_stacks.Step], frames: Iterable[sql_stacks.Frame]) -> Stacks:
    return Stacks({row.id: Step(row.place, row.caller) for row in steps}, {row.id: _frame(row) for row in frames})


def _main_module(program: str | None, frames: Iterable[sql_stacks.Frame]) -> str | None:
    """The program's own file, as the places name it."""
    name = os.path.basename(program or "")
    modules = (frame.module for frame in frames if frame.module)
    return next((clean(module) for module in modules if os.path.basename(module) == name), None)


def _value(value: Value, row: sql_stacks.Weight, page_bytes: int) -> int:
    remote = (row.placement or "").startswith(_REMOTE)
    if row.kind not in _KINDS[value.name] or (value.name.startswith("remote") and not remote):
        return 0
    return row.weight * page_bytes if value.unit == "bytes" else row.weight


def _frame(row: sql_stacks.Frame) -> Frame:
    return Frame(
        name=_name(row),
        module=clean(row.module) if row.module else None,
        build_id=clean(row.build_id) if row.build_id else None,
        address=row.address,
        file=clean(row.file) if row.file else None,
        line=row.line,
        inline_of=row.inline_of,
    )


def _name(frame: sql_stacks.Frame) -> str:
    """The function, else where in which module."""
    if frame.function is not None:
        return clean(frame.function)
    module = clean(frame.module or "unknown").rpartition("/")[2]
    return module if frame.address is None else place_in(module, frame.address)
