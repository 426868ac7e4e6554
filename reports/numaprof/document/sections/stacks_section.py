# SPDX-License-Identifier: Apache-2.0
"""Remote accesses by call stack, thread, object and time: what the flame graph draws."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from numaprof.document.build_profile import stacks
from numaprof.document.open_recording import Reading
from numaprof.document.sections.lines_section import place
from numaprof.document.sections.objects_section import listed
from numaprof.evidence.evidence import Evidence
from numaprof.model import report_model as model
from numaprof.model.profile_model import Stacks
from numaprof.recording.sql import sql_stacks

STEPS = 40  # of time: as fine as a filter needs
MOST_ROWS = 3000  # a page of a large recording stays small
DEEPEST = 64  # frames; those further out are left out


def remote_stacks(source: Reading, lines: tuple[model.Line, ...]) -> model.RemoteStacks:
    step_ns = source.last_moment_ns // STEPS + 1
    asked: dict[str, object] = {"steps": STEPS, "step": step_ns, "most": MOST_ROWS}
    samples = source.evidence.samples
    population: str | None = "remote requests sampled"
    requests = source.evidence.counts_dropped is None  # else samples that counters sent are of other requests
    rows = source.recording.rows(sql_stacks.Remote, sql_stacks.REQUESTS, **asked) if requests else []
    total = sum(row.events for row in samples.caused)
    if not rows:
        population = "sampled remote accesses"
        rows = source.recording.rows(sql_stacks.Remote, sql_stacks.ACCESSES, **asked)
        total = sum(row.accesses for row in samples.used if row.remote)
    tree = _Tree(_stacks(source, rows))
    weights = tuple(_weights(source.evidence, rows, tree, lines))
    return model.RemoteStacks(
        population=population if weights else None,
        step_ns=step_ns,
        frames=tuple(tree.frames),
        rows=weights,
        not_listed=max(0.0, total - sum(row.weight for row in rows)),
    )


def _weights(
    evidence: Evidence, rows: Iterable[sql_stacks.Remote], tree: _Tree, lines: tuple[model.Line, ...]
) -> Iterator[model.StackWeight]:
    objects = {thing: at for at, found in enumerate(listed(evidence)) for thing in found.things}
    places = {line.place: at for at, line in enumerate(lines)}
    for row in rows:
        site = evidence.samples.sites.get(row.site)
        yield model.StackWeight(
            frame=tree.frame(row.stack),
            thread=row.thread,
            object=None if row.thing is None else objects.get(row.thing),
            line=None if site is None else places.get(place(site)),
            step=row.step,
            weight=row.weight,
            samples=row.samples,
        )


def _stacks(source: Reading, rows: Iterable[sql_stacks.Remote]) -> Stacks:
    used = json.dumps(sorted({row.stack for row in rows if row.stack is not None}))
    steps = source.recording.rows(sql_stacks.Step, sql_stacks.STEPS_OF, stacks=used)
    frames = source.recording.rows(sql_stacks.Frame, sql_stacks.FRAMES)
    return stacks(steps, frames)


class _Tree:
    """Call stacks as a tree of functions, callers first."""

    def __init__(self, stacks: Stacks) -> None:
        self.frames: list[model.StackFrame] = []
        self._stacks = stacks
        self._known: dict[tuple[int | None, str], int] = {}
        self._innermost: dict[int | None, int | None] = {}

    def frame(self, stack: int | None) -> int | None:
        if stack not in self._innermost:
            at: int | None = None
            for name in self._names(stack):
                at = self._child(at, name)
            self._innermost[stack] = at
        return self._innermost[stack]

    def _names(self, stack: int | None) -> list[str]:
        frames = [frame for step in self._stacks.path(stack) for frame in self._stacks.inlined(step)]
        return [frame.name for frame in reversed(frames[:DEEPEST])]

    def _child(self, caller: int | None, name: str) -> int:
        key = (caller, name)
        if key not in self._known:
            self._known[key] = len(self.frames)
            self.frames.append(model.StackFrame(name, caller))
        return self._known[key]
