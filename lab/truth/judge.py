# SPDX-License-Identifier: Apache-2.0
"""What the reports say of a recording, against the truth: counts by thread and class, shares by object."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from numaprof.analysis.relevant_objects import error_of_told_part, told_part_of_remote
from numaprof.evidence.counts import Amount
from numaprof.evidence.evidence import Evidence, load

from truth.lines import AMBIGUOUS, CLASSES, NOWHERE, Lines, Row

MIN_CELL = 1000  # lines: below, a few of the program's start and end matter
MIN_LINES = 100_000  # of a run: the share of fewer is that of the program's start and end
MIN_SHARE = 0.05  # of the remote lines: smaller objects are not judged
# A recorder begins and ends a little before or after the thread does.
EDGE_LINES, EDGE_SHARE = 50, 0.005


@dataclass(frozen=True)
class Cell:
    """One class of one thread, local or remote."""

    thread: int
    request: str
    remote: bool
    truth: int  # lines from DRAM
    most: int  # with those from other nodes' caches, which some events include
    amount: Amount

    @property
    def error(self) -> float | None:
        """Relative, of the estimate."""
        estimate = self.amount.estimate
        return None if estimate is None else self._beyond(estimate) / max(self.truth, 1)

    @property
    def held(self) -> bool | None:
        """The 95 % interval holds the truth; None: there is no interval."""
        estimate, error = self.amount.estimate, self.amount.error
        if estimate is None or error is None:
            return None
        return self._beyond(estimate) <= error.half_width + max(EDGE_LINES, EDGE_SHARE * self.truth)

    def _beyond(self, estimate: float) -> float:
        return max(self.truth - estimate, estimate - self.most, 0.0)


@dataclass(frozen=True)
class Part:
    """An object's share of the remote lines. Truth: least and most, as events count other nodes' caches."""

    name: str
    truth: tuple[float, float]
    reported: float | None
    half_width: float | None  # of its 95 % interval

    @property
    def apart(self) -> float | None:
        return None if self.reported is None else max(self.truth[0] - self.reported, self.reported - self.truth[1], 0.0)

    @property
    def held(self) -> bool | None:
        """The 95 % interval holds the truth; None: there is no interval."""
        if self.apart is None or self.half_width is None:
            return None
        return self.apart <= self.half_width + EDGE_SHARE


@dataclass(frozen=True)
class Share:
    """Remote share of what the verdict is about. Truth: least and most, as events count other nodes' caches."""

    truth: tuple[float, float]
    reported: float
    interval: tuple[float, float] | None

    @property
    def error(self) -> float:
        return max(self.truth[0] - self.reported, self.reported - self.truth[1], 0.0)

    @property
    def held(self) -> bool | None:
        """The 95 % interval holds the truth; None: there is no interval."""
        if self.interval is None:
            return None
        return self.interval[0] - EDGE_SHARE <= self.truth[1] and self.truth[0] <= self.interval[1] + EDGE_SHARE


@dataclass(frozen=True)
class Run:
    machine: str
    program: str
    cells: tuple[Cell, ...]
    parts: tuple[Part, ...]
    share: Share | None  # None: too few lines
    ambiguous: float  # share of the remote lines that two objects' pages had


def judge(machine: str, program: str, recording: Path, lines: Lines) -> Run:
    evidence = load(str(recording))
    ambiguous = lines.remote_by_object.get(AMBIGUOUS, 0) / lines.remote if lines.remote else 0.0
    return Run(
        machine,
        program,
        tuple(_cells(evidence, lines)),
        tuple(_parts(evidence, lines)),
        _share(evidence, lines),
        ambiguous,
    )


def _columns(key: str, both: bool) -> tuple[str, ...]:
    """Columns of the truth that a column of the report counts. both: its demand is loads and stores."""
    return {
        "any": CLASSES,
        "demand": CLASSES[:2] if both else CLASSES[:1],
        "rfo": CLASSES[1:2],
        "prefetch": CLASSES[2:],
        "retired": CLASSES[:1],
    }[key]


def _cells(evidence: Evidence, lines: Lines) -> list[Cell]:
    both = all(event.request != "demand_rd" for event in evidence.events)
    found = []
    for thread in (thread for thread in evidence.threads if thread.row.from_start):
        rows = lines.by_thread.get(thread.row.id, [])
        for key, traffic in thread.columns.items():
            for remote, amount in ((False, traffic.local), (True, traffic.remote)):
                truth, most = _sums(rows, _columns(key, both), remote)
                if max(truth, amount.estimate or 0.0) >= MIN_CELL:
                    found.append(Cell(thread.row.id, key, remote, truth, most, amount))
    return found


def _share(evidence: Evidence, lines: Lines) -> Share | None:
    both = all(event.request != "demand_rd" for event in evidence.events)
    population, reported = evidence.population, evidence.traffic.share
    names = {name for column in population.columns for name in _columns(column.key, both)} if population else set()
    rows = [row for mine in lines.by_thread.values() for row in mine]
    (local, most), (remote, _) = (_sums(rows, tuple(names), side) for side in (False, True))
    cached = most - local
    if reported is None or local + remote < MIN_LINES:
        return None
    least, whole = remote / (local + remote + cached), local + remote
    truths = (least, remote / whole, (remote + cached) / (whole + cached))
    return Share((min(truths), max(truths)), reported, evidence.traffic.interval)


def _sums(rows: list[Row], columns: tuple[str, ...], remote: bool) -> tuple[int, int]:
    wanted = [CLASSES.index(name) for name in columns]
    dram = sum(row.dram[i] for row in rows for i in wanted if row.remote == remote)
    # Wherever the page is: Westmere counts them with local DRAM.
    cache = sum(row.cache[i] for row in rows for i in wanted)
    return dram, dram + cache


def _parts(evidence: Evidence, lines: Lines) -> list[Part]:
    if lines.remote < MIN_CELL:
        return []
    known = {thing for found in evidence.objects.found for thing in found.things}
    parts = []
    for found in evidence.objects.found:
        truth = lines.parts_of(found.things)
        reported = told_part_of_remote(evidence, found)
        if max(truth[0], reported or 0.0) >= MIN_SHARE and found.named:
            name = found.name or (found.allocated.position if found.allocated else found.kind)
            parts.append(Part(name, truth, reported, error_of_told_part(evidence, found)))
    unreported = 0.0 if evidence.remote_lines.enough else None
    for thing, count in lines.remote_by_object.items():
        if thing not in known and thing not in (AMBIGUOUS, NOWHERE) and count >= MIN_SHARE * lines.remote:
            parts.append(Part("an object that is not reported", lines.parts_of([thing]), unreported, None))
    return parts
