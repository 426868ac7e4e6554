# SPDX-License-Identifier: Apache-2.0
"""What the charts draw. How they look stands in charts/NAME.vl.json; docs/dev/adding-a-chart.md."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numaprof.model import report_model as model
from numaprof.text.format import NOT_KNOWN, cpu_order, number

MOST_BARS = 48  # threads in one chart: what a screen holds
BAR = 15  # pixels
AROUND = 48  # pixels of axis and legend

Row = dict[str, object]


@dataclass(frozen=True)
class Chart:
    name: str  # of the specification
    data: dict[str, list[Row]]
    params: dict[str, object] = field(default_factory=dict)
    colours: dict[str, str] = field(default_factory=dict)  # by value, where the data decides which there are
    height: int | None = None  # where the data decides it
    filled: tuple[str, ...] = ()  # data that the filter of the page may bring

    @property
    def least_height(self) -> int:
        """Kept free until the chart is drawn, so that a link into the page still leads there afterwards."""
        height = self.spec.get("height")
        return AROUND + (height if isinstance(height, int) else 0)

    @property
    def spec(self) -> dict[str, Any]:
        """The specification with parameters, colours and data in place, without layers that have no data."""
        spec: dict[str, Any] = json.loads((Path(__file__).parent / "charts" / f"{self.name}.vl.json").read_text())
        for param in spec.get("params", ()):
            param["value"] = self.params.get(param["name"], param["value"])
        if "layer" in spec:
            named = [(layer, layer.get("data", {}).get("name")) for layer in spec["layer"]]
            spec["layer"] = [layer for layer, name in named if not name or self.data[name] or name in self.filled]
        if self.height is not None:
            spec["height"] = self.height
        if self.colours:
            spec["encoding"]["color"]["scale"] = {"domain": [*self.colours], "range": [*self.colours.values()]}
        return {**spec, "datasets": self.data}


def charts(report: model.Report) -> dict[str, Chart]:
    """Those that have something to show."""
    found = (
        matrix(report.machine),
        latency(report.machine.measured),
        threads(report.threads),
        timeline(report.timeline),
        touches(report),
    )
    return {chart.name: chart for chart in found if all(chart.data[name] for name in list(chart.data)[:1])}


def matrix(machine: model.Machine) -> Chart:
    total = sum(pair.requests or 0 for pair in machine.pairs)
    rows: list[Row] = [
        {
            "from": str(pair.from_node),
            "to": str(pair.to_node),
            "share": None if pair.requests is None else pair.requests / total,
            "text": NOT_KNOWN if pair.requests is None else number(pair.requests),
            "far": _far(pair),
            "distance": pair.distance,
        }
        for pair in machine.pairs
        if total
    ]
    return Chart("matrix", {"pairs": rows})


def _far(pair: model.Pair) -> str:
    """Measured, where it was; else what the firmware says."""
    if pair.latency_ns is not None:
        return f"{pair.latency_ns:.0f} ns"
    return "" if pair.distance is None else f"distance {pair.distance}"


def latency(measured: Sequence[model.Measured]) -> Chart:
    """As `topology --measure` found it, of one load that waits for the one before: the random walk's, on huge pages
    where there were any."""
    names = [row.metric for row in measured]
    metric = "latency_random" if "latency_random" in names else "latency_random_4k"
    return Chart("latency", {"latencies": _beside_local(measured, metric, lambda value: f"{value:.0f} ns")})


def bandwidth(measured: Sequence[model.Measured]) -> Chart:
    """Of all cores of a node that read."""
    return Chart(
        "bandwidth", {"bandwidths": _beside_local(measured, "read_all", lambda value: f"{value / 1e9:.1f} GB/s")}
    )


def _beside_local(measured: Sequence[model.Measured], metric: str, text: Callable[[float], str]) -> list[Row]:
    """Nothing where one memory was measured: then there is nothing to compare."""
    mine = (row for row in measured if row.metric == metric)
    found = sorted(mine, key=lambda row: (row.from_node, row.to_node is None, row.to_node))
    own = {row.from_node: row.median for row in found if row.to_node == row.from_node}
    rows: list[Row] = [
        {
            "from": str(row.from_node),
            "to": "all" if row.to_node is None else str(row.to_node),
            "times": row.median / own[row.from_node] if row.from_node in own else None,
            "text": text(row.median),
            "relative": f"{row.median / own[row.from_node]:.2f}x" if row.from_node in own else "",
        }
        for row in found
    ]
    return rows if len({row.to_node for row in found}) > 1 else []


def shown(threads: tuple[model.Thread, ...]) -> list[model.Thread]:
    """The threads with most remote accesses, in the order of their CPUs."""
    most = sorted(threads, key=lambda thread: (-remote(thread), thread.position))[:MOST_BARS]
    return sorted(most, key=lambda thread: cpu_order(thread.cpus, thread.position))


def remote(thread: model.Thread) -> float:
    total = thread.samples if thread.requests is None else thread.requests
    return (thread.remote_share or 0.0) * (total or 0.0)


def threads(rows: tuple[model.Thread, ...]) -> Chart:
    """Kinds of requests one behind the other, local before remote."""
    bars: list[Row] = []
    names: dict[str, list[str]] = {"local": [], "remote": []}
    unknown: dict[model.Thread, list[str]] = defaultdict(list)
    for thread in shown(rows):
        for placement, kinds in names.items():
            for request in thread.classes or _sampled(thread):
                kind = f"{request.request}, {placement}"
                if kind not in kinds:
                    kinds.append(kind)
                amount = request.local if placement == "local" else request.remote
                if amount is not None:
                    bars.append(_bar(thread, kind, amount, len(bars)))
                else:
                    unknown[thread].append(kind)
    colours = {kind: colour for side, kinds in names.items() for kind, colour in _shades(kinds, bars, _SHADES[side])}
    gaps = list(_not_counted(unknown, bars))
    if gaps:
        colours[NOT_COUNTED] = "url(#hatch)"
    params: dict[str, object] = {"kinds": len(names["local"])}
    return Chart("threads", {"requests": [*bars, *gaps]}, params, colours, height=BAR * min(MOST_BARS, len(rows)))


NOT_COUNTED = "not counted"
_UNKNOWN_PART = 0.03  # of the longest bar: what is not counted has no length of its own


def _not_counted(unknown: dict[model.Thread, list[str]], bars: list[Row]) -> Iterator[Row]:
    """Behind the bars of threads that lack what others have."""
    counted = {bar["kind"] for bar in bars}
    lengths: dict[object, float] = defaultdict(float)
    for bar in bars:
        lengths[bar["thread"]] += float(str(bar["amount"]))
    length = _UNKNOWN_PART * max(lengths.values(), default=0.0) or 1.0
    for thread, kinds in unknown.items():
        lacking = [kind for kind in kinds if kind in counted]
        if not lacking:
            continue
        text = f"{NOT_KNOWN}: {'; '.join(lacking)}"
        yield {**_bar(thread, NOT_COUNTED, length, len(bars)), "text": text}


# Blue and orange are told apart whatever one's colour vision; within a side, the largest kind is the darkest.
_SHADES = {"local": ("#2b6cb0", "#7fb0dd", "#c5dcf0"), "remote": ("#c2410c", "#f08a4b", "#f9c9a5")}


def _shades(kinds: list[str], bars: list[Row], shades: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    totals: dict[object, float] = defaultdict(float)
    for bar in bars:
        totals[bar["kind"]] += float(str(bar["amount"]))
    order = sorted(kinds, key=lambda kind: -totals[kind])
    return ((kind, shades[min(order.index(kind), len(shades) - 1)]) for kind in kinds)


def _bar(thread: model.Thread, kind: str, amount: float, order: int) -> Row:
    text = number(amount)
    return {
        "thread": _label(thread),
        "id": thread.id,
        "kind": kind,
        "amount": round(amount),
        "text": text,
        "order": order,
    }


def _label(thread: model.Thread) -> str:
    where = "" if thread.cpu is None else f"CPU {thread.cpu} · "
    return where + thread.name + (" (migrated)" if thread.migrated else "")


def _sampled(thread: model.Thread) -> tuple[model.Requests, ...]:
    if thread.samples is None or thread.remote_share is None:
        return ()
    away = thread.samples * thread.remote_share
    return (model.Requests("sampled accesses", thread.samples - away, away, None, None, None),)


def timeline(line: model.Timeline) -> Chart:
    """Nothing where nothing told local from remote: an empty chart would look like no traffic."""
    rows = rates(line.moments, line.step_ns) if line.population else []
    gaps: list[Row] = (
        [{"start": start, "end": end} for start, end in uncounted(line.moments, line.step_ns)] if rows else []
    )
    end = len(line.moments) * line.step_ns / 1e9
    phases: list[Row] = [
        {"start": _seconds(phase.start_ns), "end": _seconds(phase.end_ns) or end, "cause": phase.cause}
        for phase in line.phases
        if phase.cause != "run"
    ]
    return Chart("timeline", {"rates": rows, "phases": phases, "gaps": gaps}, {"end": end}, filled=("gaps",))


def rates(moments: tuple[model.Moment, ...], step_ns: int) -> list[Row]:
    """Per second, remote on top of local; only steps in which both are known."""
    rows: list[Row] = []
    for moment in moments:
        if moment.local is not None and moment.remote is not None:
            local, remote = (round(value * 1e9 / step_ns, 1) for value in (moment.local, moment.remote))
            step: Row = {"t": _seconds(moment.start_ns), "until": _seconds(moment.start_ns + step_ns)}
            rows.append({**step, "placement": "local", "low": 0, "high": local, "rate": local})
            rows.append({**step, "placement": "remote", "low": local, "high": local + remote, "rate": remote})
    return rows


def uncounted(moments: tuple[model.Moment, ...], step_ns: int) -> Iterator[tuple[float, float]]:
    """Times, in seconds, in which local or remote requests are not known."""
    start: int | None = None
    for moment in moments:
        known = moment.local is not None and moment.remote is not None
        if known and start is not None:
            yield start / 1e9, moment.start_ns / 1e9
            start = None
        elif not known and start is None:
            start = moment.start_ns
    if start is not None:
        yield start / 1e9, (moments[-1].start_ns + step_ns) / 1e9


def _seconds(time_ns: int | None) -> float | None:
    return None if time_ns is None else time_ns / 1e9


def touches(report: model.Report) -> Chart:
    line = report.timeline
    rows: list[Row] = [
        {
            "t": _seconds(moment.start_ns),
            "until": _seconds(moment.start_ns + line.step_ns),
            "mib": moment.touched_pages * report.run.page_bytes / (1 << 20),
        }
        for moment in line.moments
        if moment.touched_pages
    ]
    return Chart("touches", {"touches": rows}, {"end": len(line.moments) * line.step_ns / 1e9})
