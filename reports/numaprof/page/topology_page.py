# SPDX-License-Identifier: Apache-2.0
"""The page of a machine: nodes, distances, and what `topology --measure` found."""

from __future__ import annotations

from typing import Any

from numaprof.model.machine_model import Measured
from numaprof.page.charts import bandwidth, latency
from numaprof.page.render import page
from numaprof.text.format import clean, plural

MOST_DISTANCES = 32  # nodes whose distances fit a page


def topology_page(found: dict[str, Any]) -> str:
    """found: the JSON of `numaprof topology` (docs/topology.md)."""
    measured = found.get("measured") or {}
    rows = [_measured(value) for value in measured.get("values", ())]
    drawn = {chart.name: chart for chart in (latency(rows), bandwidth(rows)) if chart.data[next(iter(chart.data))]}
    return page(
        "topology.html",
        {"charts": {name: chart.spec for name, chart in drawn.items()}},
        headline=_headline(found),
        remarks=[clean(text) for text in (*found["remarks"], *measured.get("remarks", ()))],
        nodes=found["nodes"],
        distances=found["distances"] if 1 < len(found["nodes"]) <= MOST_DISTANCES else (),
        measured=measured,
        values=rows,
        charts=drawn,
    )


def _measured(value: dict[str, Any]) -> Measured:
    return Measured(
        metric=clean(value["metric"]),
        unit=clean(value["unit"]),
        from_node=value["from"],
        to_node=value["to"],
        median=value["median"],
        low=value["low"],
        high=value["high"],
        noisy=value["noisy"],
    )


def _headline(found: dict[str, Any]) -> str:
    """The largest latency beside the own memory's, where that was measured and means something."""
    cpus = sum(1 for cpu in found["cpus"] if cpu["online"])
    machine = f"{plural(len(found['nodes']), 'node')}, {plural(cpus, 'CPU')}"
    measured = found.get("measured")
    if not measured:
        return f"{machine}."
    if measured["meaningless"]:
        return f"{machine}. Emulated machine: measured times mean nothing."
    if measured["too_noisy"]:
        return f"{machine}. Too noisy for a verdict on its memory."
    times = [
        value["relative"]
        for value in measured["values"]
        if value["metric"] == "latency_random" and value["to"] not in (None, value["from"]) and value["relative"]
    ]
    return f"{machine}. Remote memory takes {_range(times)} as long as local memory." if times else f"{machine}."


def _range(times: list[float]) -> str:
    low, high = f"{min(times):.2f}", f"{max(times):.2f}"
    return f"{high} times" if low == high else f"{low} to {high} times"
