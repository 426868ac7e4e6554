# SPDX-License-Identifier: Apache-2.0
"""The picture at the top: nodes with the requests of their CPUs, and the flows from each node to the memories.

Geometry only, in units of the picture's view box; templates/overview.html draws it. Widths of flows are proportional
to requests, on one scale. What is not known has no width of its own: it is hatched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from numaprof.model import report_model as model
from numaprof.text.format import NOT_KNOWN, number, number_list, percent, plural, size

WIDTH, NODE_WIDTH, MEMORY_WIDTH = 960, 330, 190
FLOWS_START, FLOWS_END = NODE_WIDTH, WIDTH - MEMORY_WIDTH
TOP, GAP = 26.0, 14.0  # room for the headings; between nodes
FEW_NODES = 4
ROOMY, DENSE = 92, 78  # height of a node
BAND_PART = 0.86  # of a node's height: the widest sum of flows
BARS_TOP, BARS_BOTTOM = 42, 18  # room for a node's text above, for CPU numbers below
NUMBERED = 16  # CPUs of one node that fit with their numbers
UNKNOWN_WIDTH = 12.0  # of a flow of unknown size
LABELLED = 13.0  # width of a flow that has room for text
MIN_LEFT_OUT = 0.01


@dataclass(frozen=True)
class Bar:
    """One CPU: local below remote. `known` is false where nothing was counted: the bar is hatched."""

    cpu: model.Cpu
    x: float
    width: float
    local: float
    remote: float
    known: bool
    numbered: bool

    @property
    def title(self) -> str:
        who = self.cpu.first_thread if self.cpu.threads == 1 else plural(self.cpu.threads, "thread")
        if not self.known:
            return f"CPU {self.cpu.id}: not counted"
        counts = f"local {_amount(self.cpu.local)}, remote {_amount(self.cpu.remote)}"
        return f"CPU {self.cpu.id}, {who}: {counts}" if self.cpu.threads else f"CPU {self.cpu.id}: {counts}"


@dataclass(frozen=True)
class Box:
    """A node's CPUs, or a node's memory."""

    node: int | None
    y: float
    title: str
    texts: tuple[str, ...]
    bars: tuple[Bar, ...] = ()


@dataclass(frozen=True)
class Flow:
    """Requests from the CPUs of a node to a memory. `to_node` None: not known which; of `own` it may be the own one."""

    from_node: int | None
    to_node: int | None
    requests: float | None
    width: float
    start: float  # upper edge at the node
    end: float  # upper edge at the memory
    own: bool = False

    @property
    def kind(self) -> str:
        if self.requests is None or self.to_node is None:
            return "hatched"
        return "local" if self.from_node == self.to_node else "remote"

    @property
    def path(self) -> str:
        x1, x2 = FLOWS_START, FLOWS_END if self.to_node is not None else (FLOWS_START + FLOWS_END) / 2
        middle = (x1 + x2) / 2
        low, high = self.start + self.width, self.end + self.width
        return (
            f"M{x1},{self.start:.1f} C{middle},{self.start:.1f} {middle},{self.end:.1f} {x2},{self.end:.1f} "
            f"V{high:.1f} C{middle},{high:.1f} {middle},{low:.1f} {x1},{low:.1f} Z"
        )

    @property
    def label(self) -> str:
        if self.from_node is None:
            return f"{_amount(self.requests)} by threads of several nodes"
        if self.to_node is None:
            known = f"{'' if self.own else 'remote '}{_amount(self.requests)}, from which node is not known"
            return "not known" if self.requests is None else known
        return f"{'local' if self.from_node == self.to_node else 'remote'} {_amount(self.requests)}"

    @property
    def title(self) -> str:
        if self.from_node is None:
            return self.label
        if self.to_node is None:
            return f"node {self.from_node}: {self.label}"
        return f"node {self.from_node} to memory of node {self.to_node}: {self.label}"

    @property
    def labelled(self) -> bool:
        return self.width >= LABELLED or self.requests is None


@dataclass(frozen=True)
class Picture:
    height: float
    row: float
    scale: float  # units of width per request; 0: no request is known
    nodes: tuple[Box, ...]
    memories: tuple[Box, ...]
    flows: tuple[Flow, ...]

    @property
    def words(self) -> str:
        """For those who do not see it."""
        return "; ".join(flow.title for flow in self.flows) or "no flow is known"

    @property
    def bars_height(self) -> float:
        return self.row - BARS_TOP - BARS_BOTTOM


def overview_picture(report: model.Report) -> Picture | None:
    """None on a machine with one node: there is nothing between nodes."""
    machine = report.machine
    if len(machine.nodes) < 2:
        return None
    row = ROOMY if len(machine.nodes) <= FEW_NODES else DENSE
    rows = {node.id: TOP + at * (row + GAP) for at, node in enumerate(machine.nodes)}
    flows = _placed(_flows(report), rows, row)
    last = TOP + len(machine.nodes) * (row + GAP)
    rest = [flow for flow in flows[0] if flow.from_node is None]
    return Picture(
        height=max([last, *(flow.start + flow.width + GAP for flow in rest)]),
        row=row,
        scale=flows[1],
        nodes=_nodes(report, rows, row),
        memories=_memories(report, rows),
        flows=flows[0],
    )


class Amount(NamedTuple):
    """Requests of a flow that has no place yet; the fields are those of Flow."""

    from_node: int | None
    to_node: int | None
    requests: float | None
    own: bool = False


def _flows(report: model.Report) -> list[Amount]:
    """What went from node to node; for each node one flow of what is not known of it."""
    machine = report.machine
    found = [Amount(pair.from_node, pair.to_node, pair.requests) for pair in machine.pairs if pair.requests]
    idle = _idle(report)
    for node in dict.fromkeys(pair.from_node for pair in machine.pairs if pair.from_node not in idle):
        unknown = [pair.to_node for pair in machine.pairs if pair.from_node == node and pair.requests is None]
        if unknown:
            found.append(Amount(node, None, _rest_of(machine, node, node in unknown), node in unknown))
    counted = report.verdict.requests
    if machine.left_out > MIN_LEFT_OUT and counted:
        found.append(Amount(None, None, machine.left_out * counted))
    return [flow for flow in found if flow.requests != 0]


def _idle(report: model.Report) -> set[int]:
    """Nodes on which no thread was seen; none where the node of a thread is not known."""
    rows = report.summary.nodes
    if not rows or not all(row.nodes for row in rows):
        return set()
    return {node.id for node in report.machine.nodes} - {node for row in rows for node in row.nodes}


def _rest_of(machine: model.Machine, node: int, own: bool) -> float | None:
    """Remote requests of a node's CPUs, with `own` all of them, less what is known of single flows; in the unit of
    the flows, or not known."""
    known = [
        cpu.remote + (cpu.local or 0.0) * own
        for cpu in machine.cpus
        if cpu.node == node and cpu.remote is not None and not (own and cpu.local is None)
    ]
    if not known or machine.population != machine.pairs_population:
        return None
    told = sum(pair.requests or 0.0 for pair in machine.pairs if pair.from_node == node != pair.to_node)
    return max(0.0, sum(known) - told)


def _placed(found: list[Amount], rows: dict[int, float], row: float) -> tuple[tuple[Flow, ...], float]:
    """Flows beside each other at both ends, centred at the node and the memory."""
    out: dict[int | None, float] = defaultdict(float)
    into: dict[int | None, float] = defaultdict(float)
    for source, target, requests, _ in found:
        out[source] += requests or 0.0
        if target is not None:
            into[target] += requests or 0.0
    most = max([*out.values(), *into.values()], default=0.0)
    scale = BAND_PART * row / most if most else 0.0
    widths = [UNKNOWN_WIDTH if requests is None else requests * scale for _, _, requests, _ in found]
    below = max(rows.values(), default=0.0) + row + GAP
    start = {source: y + (row - _sum(widths, found, 0, source)) / 2 for source, y in rows.items()}
    end = {target: y + (row - _sum(widths, found, 1, target)) / 2 for target, y in rows.items()}
    flows = []
    for (source, target, requests, own), width in zip(found, widths):
        begin = start.get(source, below) if source is not None else below
        finish = end[target] if target is not None else begin
        flows.append(Flow(source, target, requests, width, begin, finish, own))
        if source is not None:
            start[source] = begin + width
        if target is not None:
            end[target] = finish + width
    return tuple(flows), scale


def _sum(widths: list[float], found: list[Amount], side: int, node: int) -> float:
    return sum(width for width, flow in zip(widths, found) if flow[side] == node)


def _nodes(report: model.Report, rows: dict[int, float], row: float) -> tuple[Box, ...]:
    cpus: dict[int | None, list[model.Cpu]] = defaultdict(list)
    for cpu in sorted(report.machine.cpus, key=lambda cpu: cpu.id):
        cpus[cpu.node].append(cpu)
    most = max(((cpu.local or 0.0) + (cpu.remote or 0.0) for cpu in report.machine.cpus), default=0.0)
    height = (row - BARS_TOP - BARS_BOTTOM) / most if most else 0.0
    idle = _idle(report)
    texts = {node: "no thread seen" if node in idle and cpus[node] else _requests(cpus[node]) for node in rows}
    return tuple(
        Box(node, y, f"node {node}: {_cpus(cpus[node])}", (texts[node],), tuple(_bars(cpus[node], height)))
        for node, y in rows.items()
    )


def _bars(cpus: list[model.Cpu], height: float) -> Iterable[Bar]:
    step = (NODE_WIDTH - 20) / max(len(cpus), 8)
    for at, cpu in enumerate(cpus):
        known = cpu.local is not None and cpu.remote is not None
        yield Bar(
            cpu=cpu,
            x=10 + at * step,
            width=step * (0.8 if len(cpus) <= NUMBERED else 0.9),
            local=(cpu.local or 0.0) * height,
            remote=(cpu.remote or 0.0) * height,
            known=known,
            numbered=len(cpus) <= NUMBERED,
        )


def _cpus(cpus: list[model.Cpu]) -> str:
    if not cpus:
        return "no CPUs"
    numbers = number_list([cpu.id for cpu in cpus])
    return f"CPU {numbers}" if len(cpus) == 1 else f"CPUs {numbers}" if len(numbers) < 24 else f"{len(cpus)} CPUs"


def _requests(cpus: list[model.Cpu]) -> str:
    known = [(cpu.local, cpu.remote) for cpu in cpus if cpu.local is not None and cpu.remote is not None]
    if not known:
        return "not counted" if cpus else ""
    remote = sum(away for _, away in known)
    total = remote + sum(near for near, _ in known)
    some = "" if len(known) == len(cpus) else f"; {len(known)} of {plural(len(cpus), 'CPU')} counted"
    return (f"{percent(remote / total)} of {number(total)} remote" if total else "no requests") + some


def _memories(report: model.Report, rows: dict[int, float]) -> tuple[Box, ...]:
    into: dict[int, float] = defaultdict(float)
    for pair in report.machine.pairs:
        into[pair.to_node] += pair.requests or 0.0
    total = sum(into.values())
    told = all(pair.requests is not None for pair in report.machine.pairs)
    return tuple(
        Box(
            node.id,
            rows[node.id],
            f"memory of node {node.id}" if node.mem_bytes != 0 else f"node {node.id}: no memory",
            tuple(filter(None, (_program(node, report), _answers(into[node.id], total, told)))),
        )
        for node in report.machine.nodes
    )


def _program(node: model.Node, report: model.Report) -> str:
    return "" if node.homed_pages is None else f"holds {size(node.homed_pages * report.run.page_bytes)}"


def _answers(requests: float, total: float, told: bool) -> str:
    return f"answers {percent(requests / total)}" if told and total else ""


def _amount(value: float | None) -> str:
    return NOT_KNOWN if value is None else number(value)
