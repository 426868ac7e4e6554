# SPDX-License-Identifier: Apache-2.0
"""Samples as a profile: values by call stack and labels, which pprof and folded stacks are written from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property

from numaprof.analysis.naming import thread_name
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.source_location import place_in
from numaprof.recording import sql_profile, sql_samples
from numaprof.recording.reader import Recording
from numaprof.text.format import clean

DEEPEST = 512  # frames; a circle, which only damage makes, ends there


@dataclass(frozen=True)
class Value:
    """What a profile can be a profile of."""

    name: str
    unit: str
    kinds: tuple[int, ...]
    remote_only: bool = False


VALUES = (
    Value("remote_requests", "requests", (sql_samples.OVERFLOW,), remote_only=True),
    Value("remote_accesses", "accesses", (sql_samples.LOAD, sql_samples.STORE, sql_samples.HINT), remote_only=True),
    Value("accesses", "accesses", (sql_samples.LOAD, sql_samples.STORE, sql_samples.HINT)),
    Value("first_touches", "bytes", (sql_samples.FIRST_TOUCH,)),
)
_REMOTE = ("remote", "other_cluster")


@dataclass(frozen=True)
class Row:
    stack: int | None
    thread: str
    node: int | None
    kind: str
    placement: str
    values: tuple[int, ...]  # as VALUES


@dataclass(frozen=True)
class Profile:
    program: str | None
    started_at: str
    wall_ns: int | None
    rows: tuple[Row, ...]
    steps: dict[int, sql_profile.Step]
    frames: dict[int, sql_profile.Frame]

    @cached_property
    def totals(self) -> tuple[int, ...]:
        return tuple(sum(row.values[at] for row in self.rows) for at in range(len(VALUES)))

    @property
    def main_value(self) -> Value:
        """The first of which there is anything: remote accesses before all."""
        return next((value for value, total in zip(VALUES, self.totals) if total), VALUES[0])

    @property
    def main_module(self) -> str | None:
        """The program's own file, as the places name it."""
        name = os.path.basename(self.program or "")
        modules = (frame.module for frame in self.frames.values() if frame.module)
        return next((module for module in modules if os.path.basename(module) == name), None)

    def path(self, stack: int | None) -> list[int]:
        """Places from the innermost outwards; those that were inlined hang on their own place."""
        found: list[int] = []
        while stack is not None and stack in self.steps and len(found) < DEEPEST:
            step = self.steps[stack]
            found.append(step.place)
            stack = step.caller
        return found

    def inlined(self, place: int) -> list[sql_profile.Frame]:
        """The place, then what it was inlined into, outwards."""
        found: list[sql_profile.Frame] = []
        at: int | None = place
        while at is not None and at in self.frames and len(found) < DEEPEST:
            found.append(self.frames[at])
            at = found[-1].inline_of
        return found


def profile(recording: Recording, evidence: Evidence) -> Profile:
    names = {thread.row.id: thread_name(thread) for thread in evidence.threads}
    kinds = {row.kind: row.name for row in evidence.samples.kinds}
    return Profile(
        program=evidence.run.program,
        started_at=evidence.run.started_at,
        wall_ns=evidence.run.wall_ns,
        rows=tuple(
            Row(
                stack=row.stack,
                thread=names.get(row.thread, "?"),
                node=row.node,
                kind=clean(kinds.get(row.kind, "?")),
                placement=clean(row.placement or "unknown"),
                values=tuple(_value(value, row, evidence.run.page_bytes) for value in VALUES),
            )
            for row in recording.rows(sql_profile.Weight, sql_profile.WEIGHTS)
        ),
        steps={row.id: row for row in recording.rows(sql_profile.Step, sql_profile.STEPS)},
        frames={row.id: row for row in recording.rows(sql_profile.Frame, sql_profile.FRAMES)},
    )


def _value(value: Value, row: sql_profile.Weight, page_bytes: int) -> int:
    remote = (row.placement or "").startswith(_REMOTE)
    if row.kind not in value.kinds or (value.remote_only and not remote):
        return 0
    return row.weight * page_bytes if value.unit == "bytes" else row.weight


def frame_name(frame: sql_profile.Frame) -> str:
    """The function, else where in which module."""
    if frame.function is not None:
        return clean(frame.function)
    module = clean(frame.module or "unknown").rpartition("/")[2]
    return module if frame.address is None else place_in(module, frame.address)
