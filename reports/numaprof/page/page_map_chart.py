# SPDX-License-Identifier: Apache-2.0
"""Page maps of objects: the chart, and the same in words."""

from __future__ import annotations

from dataclasses import dataclass

from numaprof.model import report_model as model
from numaprof.model.memory_model import HOME, TOUCHED, USED
from numaprof.page.charts import BAR, Chart, Row
from numaprof.text.format import NOT_KNOWN, percent, plural

# One colour for each node, the same in all maps of a page; neither blue nor orange, which are local and remote.
_PALETTE = ("#009e73", "#aa4499", "#b8a500", "#cc6677", "#44aa99", "#7b3294", "#8a6d3b", "#a6d854")
_UNKNOWN = "#8a8a8a"


def page_map(report: model.Report, number: int) -> Chart:
    found = report.objects.rows[number]
    names = _names(report)
    rows: list[Row] = [
        {
            "row": _row(stretch, names),
            "start": round(stretch.start, 4),
            "end": round(stretch.end, 4),
            "node": _node(stretch.node),
            "share": round(stretch.share, 2),
            "part": f"{percent(stretch.start)} to {percent(stretch.end)}",
            "who": names.get(stretch.thread, "") if stretch.thread is not None else "",
        }
        for stretch in found.map
    ]
    nodes = sorted({_node(node.id) for node in report.machine.nodes} | {str(row["node"]) for row in rows})
    colours = {node: _PALETTE[at % len(_PALETTE)] if node != NOT_KNOWN else _UNKNOWN for at, node in enumerate(nodes)}
    height = BAR * len({row["row"] for row in rows})
    return Chart("page-map", {"stretches": rows}, colours=colours, height=height)


def _names(report: model.Report) -> dict[int | None, str]:
    return {thread.id: thread.name for thread in report.threads}


def _node(node: int | None) -> str:
    return NOT_KNOWN if node is None else f"node {node}"


def _row(stretch: model.Stretch, names: dict[int | None, str]) -> str:
    if stretch.what == HOME:
        return "on node"
    if stretch.what == TOUCHED:
        return "first touched from"
    who = f"threads of {_node(stretch.node)}" if stretch.thread is None else names.get(stretch.thread, "?")
    return f"used by {who}"


@dataclass(frozen=True)
class Words:
    what: str
    node: str
    who: str
    parts: str


def in_words(report: model.Report, found: model.Object) -> list[Words]:
    """Stretches of one row and node on one line."""
    names = _names(report)
    parts: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for stretch in found.map:
        who = names.get(stretch.thread, "?") if stretch.thread is not None else ""
        ranges = parts.setdefault((_row(stretch, names), _node(stretch.node), who if stretch.what != USED else ""), [])
        if ranges and ranges[-1][1] == stretch.start:
            ranges[-1] = (ranges[-1][0], stretch.end)
        else:
            ranges.append((stretch.start, stretch.end))
    return [Words(*key, _ranges(ranges)) for key, ranges in parts.items()]


def _ranges(ranges: list[tuple[float, float]], most: int = 4) -> str:
    words = [f"{100 * start:.0f} to {100 * end:.0f} %" for start, end in ranges[:most]]
    return ", ".join(words) + (f" and {plural(len(ranges) - most, 'more part')}" if len(ranges) > most else "")
