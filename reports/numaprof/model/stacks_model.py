# SPDX-License-Identifier: Apache-2.0
"""Remote accesses by call stack. report_model.py says what holds of all fields."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StackFrame:
    """One function in a call stack, below its callers.

    Fields:
        caller: Position in `frames` of the frame that called this one, which stands before it; null: outermost known.
    """

    name: str
    caller: int | None


@dataclass(frozen=True)
class StackWeight:
    """Remote accesses of one thread from one call stack to one object in one step of time.

    Fields:
        frame: Position in `frames` of the innermost; null: the sample has no call stack.
        thread: Thread.id.
        object: Position in `objects.rows`; null: not known, as for samples without an address.
        line: Position in `lines`; null: none of them.
        step: From 0; steps are as long as `step_ns`.
        weight: What the samples stand for.
    """

    frame: int | None
    thread: int
    object: int | None
    line: int | None
    step: int
    weight: float
    samples: int


@dataclass(frozen=True)
class RemoteStacks:
    """Where in the program remote accesses happen: a flame graph, which thread, object and time can filter.

    Fields:
        population: What the weights count: remote requests sampled, else sampled remote accesses; null: neither.
        frames: Functions, outermost first; callers stand before those they call.
        rows: Those with most weight.
        not_listed: Weight of what comes after the last of `rows`.
    """

    population: str | None
    step_ns: int
    frames: tuple[StackFrame, ...]
    rows: tuple[StackWeight, ...]
    not_listed: float
