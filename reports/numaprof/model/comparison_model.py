# SPDX-License-Identifier: Apache-2.0
"""The shape of a comparison's data; diff.schema.json says what fields mean. See model.py for what holds of all."""

from __future__ import annotations

from dataclasses import dataclass

from numaprof.model.report_model import Moment

VERSION = 1


@dataclass(frozen=True)
class Range:
    """The runs of one side: the middle one, and how far they lie apart."""

    middle: float
    lowest: float
    highest: float


@dataclass(frozen=True)
class Side:
    recordings: tuple[str, ...]
    command_line: str
    emulated: bool
    median_run: str
    step_ns: int
    moments: tuple[Moment, ...]


@dataclass(frozen=True)
class Measure:
    name: str
    unit: str
    before: Range | None
    after: Range | None
    change: str


@dataclass(frozen=True)
class Thread:
    position: int
    name: str
    before: Range
    after: Range
    change: str


@dataclass(frozen=True)
class Place:
    what: str
    unit: str
    label: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Object:
    name: str
    home_before: str | None
    home_after: str | None
    share_before: float | None
    share_after: float | None
    samples_before: int
    samples_after: int


@dataclass(frozen=True)
class Pair:
    from_node: int
    to_node: int
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Comparison:
    format: str
    version: int
    headline: str
    change: str
    time: str
    time_is_known: bool
    noise: tuple[str, ...]
    population: str | None
    differences: tuple[str, ...]
    before: Side
    after: Side
    measures: tuple[Measure, ...]
    threads: tuple[Thread, ...]
    objects: tuple[Object, ...]
    objects_not_listed: int
    places: tuple[Place, ...]
    places_not_listed: int
    pairs: tuple[Pair, ...]
