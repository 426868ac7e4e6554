# SPDX-License-Identifier: Apache-2.0
"""The shape of a report's data. report.schema.json beside this file says what fields mean; a test keeps them alike.

Texts are cleaned (numaprof.text.clean). None means "not known". Times are nanoseconds from the start of the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

VERSION = 1  # raised when a field changes its meaning or goes; new fields do not raise it

Series = tuple[Optional[float], ...]


@dataclass(frozen=True)
class Run:
    command: tuple[str, ...]
    command_line: str
    cwd: str | None
    program: str | None
    pid: int | None
    started_at: str
    wall_ns: int | None
    cpu_ns: int
    exit_status: int | None
    term_signal: int | None
    complete: bool
    host: str | None
    kernel: str | None
    cpu_name: str | None
    uarch: str | None
    emulated: str | None
    page_bytes: int
    balancing: int | None
    balancing_moved_pages: int | None
    pin_policy: str
    pin_plan: str | None
    tool_cpu_ns: int | None
    repeat: int


@dataclass(frozen=True)
class Verdict:
    judgement: str
    headline: str
    details: tuple[str, ...]
    basis: str | None
    population: str | None
    remote_share: float | None
    lowest: float | None
    highest: float | None
    requests: float | None
    samples: int | None
    coverage: float | None


@dataclass(frozen=True)
class Level:
    level: int
    collector: str
    used: bool
    detail: str | None
    why_not: str | None
    remedy: str | None


@dataclass(frozen=True)
class Taken:
    kind: str
    samples: int
    weight: int


@dataclass(frozen=True)
class Note:
    kind: str
    text: str
    remedy: str | None
    times: int
    value: int | None


@dataclass(frozen=True)
class Overview:
    banner: tuple[str, ...]
    measured: tuple[str, ...]
    pinning: tuple[str, ...]
    qualifying: tuple[str, ...]
    unexplained: str | None


@dataclass(frozen=True)
class Node:
    id: int
    mem_bytes: int | None
    allowed: bool
    homed_pages: int | None


@dataclass(frozen=True)
class Cpu:
    id: int
    node: int | None
    package: int | None
    core: int | None
    smt: int | None
    online: bool
    allowed: bool
    threads: int
    first_thread: str | None
    remote_share: float | None


@dataclass(frozen=True)
class Pair:
    from_node: int
    to_node: int
    requests: float | None
    distance: int | None
    latency_ns: float | None
    read_bytes_per_s: float | None


@dataclass(frozen=True)
class Measured:
    metric: str
    unit: str
    from_node: int
    to_node: int | None
    median: float
    low: float
    high: float
    noisy: bool


@dataclass(frozen=True)
class Machine:
    nodes: tuple[Node, ...]
    cpus: tuple[Cpu, ...]
    pairs: tuple[Pair, ...]
    pairs_population: str | None
    population: str | None
    left_out: float
    measured: tuple[Measured, ...]


@dataclass(frozen=True)
class Requests:
    request: str
    local: float | None
    remote: float | None
    coverage: float | None


@dataclass(frozen=True)
class Thread:
    id: int
    position: int
    name: str
    pid: int
    tid: int
    cpu: int | None
    cpus: tuple[int, ...]
    nodes: tuple[int, ...]
    pin: str
    strayed: bool
    from_start: bool
    migrations: int | None
    cpu_ns: int | None
    start_ns: int
    end_ns: int | None
    remote_share: float | None
    requests: float | None
    samples: int | None
    coverage: float | None
    remote_heavy: bool
    classes: tuple[Requests, ...]


@dataclass(frozen=True)
class Phase:
    start_ns: int
    end_ns: int | None
    cause: str


@dataclass(frozen=True)
class Moment:
    """One step of the time line."""

    start_ns: int
    local: float | None
    remote: float | None
    coverage: float | None
    touched_pages: int


@dataclass(frozen=True)
class ThreadLine:
    thread: int
    local: Series
    remote: Series


@dataclass(frozen=True)
class Timeline:
    step_ns: int
    thread_step_ns: int
    population: str | None
    phases: tuple[Phase, ...]
    moments: tuple[Moment, ...]
    threads: tuple[ThreadLine, ...]


@dataclass(frozen=True)
class SourceLine:
    number: int
    text: str


@dataclass(frozen=True)
class Place:
    label: str
    function: str | None
    file: str | None
    line: int | None
    module: str | None


@dataclass(frozen=True)
class Line:
    """A source line, or the best place there is, with all that is known to happen there."""

    place: Place
    allocated_bytes: float
    touched_bytes: float
    touched_by: tuple[str, ...]
    homes: tuple[int, ...]
    library_call: str | None
    remote_events: float
    accesses: float
    remote_accesses: float | None
    samples: int
    source: tuple[SourceLine, ...]
    source_changed: bool


@dataclass(frozen=True)
class Stretch:
    """A part of an object in which one thing holds. Positions are shares of the object, from 0 to 1."""

    what: str
    start: float
    end: float
    node: int | None
    thread: int | None
    share: float


@dataclass(frozen=True)
class Object:
    name: str
    kind: str
    blocks: int | None
    bytes: float
    remote_share: float | None
    of_all_remote: float | None
    samples: int
    home: str
    allocated_at: Place | None
    first_touched_at: Place | None
    used_at: Place | None
    touched_by: int
    used_by: int
    touch_shape: str
    use_shape: str
    remarks: tuple[str, ...]
    map: tuple[Stretch, ...]


@dataclass(frozen=True)
class Objects:
    population: str | None
    attribution: tuple[str, ...]
    not_listed: int
    rows: tuple[Object, ...]


@dataclass(frozen=True)
class Module:
    name: str
    share: float


@dataclass(frozen=True)
class Modules:
    rests_on: str
    rows: tuple[Module, ...]


@dataclass(frozen=True)
class Advice:
    kind: str
    finding: str
    change: str
    code: tuple[str, ...]
    evidence: str
    removes: float | None
    concerns: float | None
    saves: str | None
    objects: tuple[int, ...]
    touched_at: tuple[Place, ...]
    touched_by: int | None
    used_at: Place | None
    threads: tuple[int, ...]
    shown_in: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    format: str
    version: int
    tool_version: str
    recording: str
    run: Run
    verdict: Verdict
    overview: Overview
    advice: tuple[Advice, ...]
    levels: tuple[Level, ...]
    taken: tuple[Taken, ...]
    notes: tuple[Note, ...]
    machine: Machine
    threads: tuple[Thread, ...]
    timeline: Timeline
    objects: Objects
    modules: Modules
    lines: tuple[Line, ...]
    lines_not_listed: int
