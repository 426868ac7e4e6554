# SPDX-License-Identifier: Apache-2.0
"""Samples as a profile: values by call stack and labels, which pprof and folded stacks are written from. Texts are
cleaned: what is not printable stands as \\xNN."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

DEEPEST = 512  # frames; only a damaged recording has a circle, which ends there


@dataclass(frozen=True)
class Value:
    """A quantity that a profile sums by call stack."""

    name: str
    unit: str


VALUES = (
    Value("remote_requests", "requests"),
    Value("remote_accesses", "accesses"),
    Value("accesses", "accesses"),
    Value("first_touches", "bytes"),
)


@dataclass(frozen=True)
class Row:
    """All samples of one call stack, thread, kind and placement."""

    stack: int | None
    thread: str
    node: int | None  # of the thread
    kind: str
    placement: str
    values: tuple[int, ...]  # one for each of VALUES


@dataclass(frozen=True)
class Step:
    """One frame of a call stack."""

    place: int
    caller: int | None  # id of the next outer step


@dataclass(frozen=True)
class Frame:
    """A place in the program."""

    name: str  # the function, else module+offset
    module: str | None
    build_id: str | None
    address: int | None  # offset in the module's file
    file: str | None
    line: int | None
    inline_of: int | None  # id of the place that this one was inlined into


@dataclass(frozen=True)
class Stacks:
    """Call stacks of a recording: steps and frames by id."""

    steps: dict[int, Step]
    frames: dict[int, Frame]

    def path(self, stack: int | None) -> list[int]:
        """Ids of places, innermost first. Places that were inlined are not among them: see inlined."""
        found: list[int] = []
        while stack is not None and stack in self.steps and len(found) < DEEPEST:
            step = self.steps[stack]
            found.append(step.place)
            stack = step.caller
        return found

    def inlined(self, place: int) -> list[Frame]:
        """The place, then each function it was inlined into, outwards."""
        return list(self._inlined(place))

    def _inlined(self, place: int | None) -> Iterator[Frame]:
        for _ in range(DEEPEST):
            if place is None or place not in self.frames:
                return
            yield self.frames[place]
            place = self.frames[place].inline_of


@dataclass(frozen=True)
class Profile:
    """Values of one recording."""

    started_at: str  # UTC, ISO 8601
    wall_ns: int | None
    main_module: str | None  # the program's own file
    rows: tuple[Row, ...]
    stacks: Stacks

    @cached_property
    def totals(self) -> tuple[int, ...]:
        return tuple(sum(row.values[at] for row in self.rows) for at in range(len(VALUES)))

    @property
    def main_value(self) -> Value:
        """The first of VALUES that is not 0."""
        return next((value for value, total in zip(VALUES, self.totals) if total), VALUES[0])
