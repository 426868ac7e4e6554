# SPDX-License-Identifier: Apache-2.0
"""The shape of a comparison's data. report_model.py says what holds of all fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from numaprof.model.report_model import Moment

VERSION = 1


@dataclass(frozen=True)
class Range:
    """The runs of one side: the middle one, and how far they lie apart.

    Fields:
        lowest: Of the runs; of shares with their 95 % intervals, where these are known.
        certain: false: the error of a run's share is not known.
    """

    middle: float
    lowest: float
    highest: float
    certain: bool


@dataclass(frozen=True)
class Side:
    """One side of the comparison.

    Fields:
        recordings: All runs of the side.
        emulated: Times mean nothing.
        median_run: The run of median time, from which time line, objects and pairs are.
        step_ns: Length of a moment.
    """

    recordings: tuple[str, ...]
    command_line: str
    emulated: bool
    median_run: str
    step_ns: int
    moments: tuple[Moment, ...]


@dataclass(frozen=True)
class Measure:
    """One number of both sides.

    Fields:
        unit: nanoseconds, share or requests.
        change: better, worse, no difference seen, not known; empty: neither is better by itself.
    """

    name: str
    unit: str
    before: Range | None
    after: Range | None
    change: str


@dataclass(frozen=True)
class Thread:
    """One thread of both sides.

    Fields:
        position: In the order of start, from 0.
        name: Name and thread id.
        change: better, worse or no difference seen: none is proved, or too small a one, or chance alone makes one as
            large. not known: next to no requests.
        remote_heavy: After: at least a tenth is remote, and it is not a handful of requests.
    """

    position: int
    name: str
    before: Range
    after: Range
    change: str
    remote_heavy: bool


@dataclass(frozen=True)
class Place:
    """One source location of both sides.

    Fields:
        what: first touches or remote requests sampled.
        label: As the report names it.
        before: Mean of the runs; null: not there.
    """

    what: str
    unit: str
    label: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Object:
    """One object of both sides.

    Fields:
        name: Variable, allocation site, or the line that first touched it.
        home_before: Nodes of its pages, in words; null: not there.
        share_before: Remote share of its sampled accesses.
        samples_before: Accesses sampled that the share is of.
        samples_after: Accesses sampled that the share is of.
        moved_bytes: Of its memory, what is on another node after than before.
        changed: Another remote share of enough samples, or memory on other nodes, but for the few pages of libraries.
    """

    name: str
    home_before: str | None
    home_after: str | None
    share_before: float | None
    share_after: float | None
    samples_before: int
    samples_after: int
    moved_bytes: float
    changed: bool


@dataclass(frozen=True)
class Pair:
    """Traffic between two nodes, of both sides.

    Fields:
        from_node: Node of the CPU.
        to_node: Node of the memory.
        before: Requests, else sampled accesses, from node to node.
    """

    from_node: int
    to_node: int
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Comparison:
    """Two sides, each of one or several runs, and what the spread of the runs allows to say. null means not known.

    Fields:
        format: What this file is.
        version: Raised when a field changes its meaning or goes. New fields do not raise it.
        headline: What happened to the remote share.
        change: better, worse, no difference seen, or not known: the remote share.
        time: What happened to the run time, with the probability that mere chance would separate the runs as clearly.
        time_is_known: A difference in time, or none, was established.
        noise: What these runs cannot tell, and what would.
        population: What the remote shares are shares of; null: not known, or not the same on both sides.
        differences: What else is not the same on both sides and could be the cause.
        enough_samples: Remote shares of objects that have fewer are chance.
        objects_not_listed: Objects that come after the last of `objects`.
        places_not_listed: Places with less than the last of their kind in `places`.
        touches_not_listed: Those of them that are places of first touches.
    """

    format: Literal["numaprof.diff"]
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
    enough_samples: int
    objects_not_listed: int
    places: tuple[Place, ...]
    places_not_listed: int
    touches_not_listed: int
    pairs: tuple[Pair, ...]
