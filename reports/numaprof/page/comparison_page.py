# SPDX-License-Identifier: Apache-2.0
"""The page of a comparison: both sides on the same scales."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from numaprof.model import comparison_model as model
from numaprof.model.trial_model import HEAD, NOT_IMITATED, TrialText
from numaprof.page.charts import BAR, Chart, Row, rates, uncounted
from numaprof.page.render import page
from numaprof.text.format import NOT_KNOWN, number

MOST_BARS = 48
LEAST_BAR = 0.005  # of the longest
SIDES = ("before", "after")


def diff_page(found: model.Comparison, links: Mapping[str, str] = MappingProxyType({})) -> str:
    """links: pages of runs by recording, relative to this one."""
    return _page("diff.html", found, links=links, runs_are_kept=True)


def trial_page(found: model.Comparison, trial: TrialText) -> str:
    """The verdicts, then the plain runs beside those of the last placement: their recordings are mostly gone."""
    return _page("trial.html", found, trial=trial, head=HEAD, not_imitated=NOT_IMITATED, runs_are_kept=False)


def _page(template: str, found: model.Comparison, **context: object) -> str:
    drawn = {
        chart.name: chart for chart in (_threads(found), _pairs(found), _time_lines(found), _places(found)) if chart
    }
    data: dict[str, object] = {"charts": {name: chart.spec for name, chart in drawn.items()}}
    return page(
        template,
        data,
        found=found,
        charts=drawn,
        few=found.enough_samples,
        spans=spans,
        most_bars=MOST_BARS,
        **context,
    )


@dataclass(frozen=True)
class Span:
    """The runs of one side on a line from 0 to 1: the middle one, and the outermost."""

    side: str
    low: float
    middle: float
    high: float


def spans(measure: model.Measure) -> list[Span]:
    known = [(side, values) for side, values in zip(SIDES, (measure.before, measure.after)) if values is not None]
    most = max((values.highest for _, values in known), default=0.0)
    return [
        Span(side, values.lowest / most, values.middle / most, values.highest / most) for side, values in known if most
    ]


def _threads(found: model.Comparison) -> Chart | None:
    """Those that changed most, if there are many."""
    most = sorted(found.threads, key=lambda thread: -abs(thread.after.middle - thread.before.middle))[:MOST_BARS]
    rows: list[Row] = [
        {
            "thread": f"{thread.position} · {thread.name}",
            "side": side,
            "share": values.middle,
            "low": values.lowest,
            "high": values.highest,
        }
        for thread in sorted(most, key=lambda thread: thread.position)
        for side, values in zip(SIDES, (thread.before, thread.after))
    ]
    return Chart("diff-threads", {"threads": rows}, height=(BAR + 4) * len(most)) if rows else None


def _pairs(found: model.Comparison) -> Chart | None:
    """The colour is the share of the side that made more requests."""
    totals = [sum(getattr(pair, side) or 0 for pair in found.pairs) for side in SIDES]
    if not max(totals, default=0):
        return None
    rows: list[Row] = [
        {
            "from": str(pair.from_node),
            "to": str(pair.to_node),
            "side": side,
            "share": None if getattr(pair, side) is None else getattr(pair, side) / max(totals),
            "text": NOT_KNOWN if getattr(pair, side) is None else number(getattr(pair, side)),
        }
        for pair in found.pairs
        for side in SIDES
    ]
    return Chart("diff-pairs", {"pairs": rows})


def _time_lines(found: model.Comparison) -> Chart | None:
    rows: list[Row] = [
        {"side": name, **rate}
        for name, side in zip(SIDES, (found.before, found.after))
        for rate in rates(side.moments, side.step_ns)
    ]
    most = max((float(str(row["high"])) for row in rows), default=0.0)
    gaps: list[Row] = [
        {"side": name, "t": start, "until": end, "placement": "not counted", "low": 0, "high": most}
        for name, side in zip(SIDES, (found.before, found.after))
        for start, end in uncounted(side.moments, side.step_ns)
    ]
    return Chart("diff-timeline", {"rates": [*rows, *gaps]}) if most else None


def _places(found: model.Comparison) -> Chart | None:
    rows: list[Row] = [
        {"place": place.label, "side": side, "requests": getattr(place, side)}
        for place in _main(place for place in found.places if place.unit == "requests")
        for side in SIDES
    ]
    return Chart("diff-places", {"places": rows}, height=(BAR + 12) * len(rows) // 2) if rows else None


def _main(places: Iterable[model.Place], most: int = 12) -> list[model.Place]:
    """Those whose bars can be seen beside the longest; the table has all."""
    larger = [(max(place.before or 0, place.after or 0), place) for place in places]
    least = LEAST_BAR * max((amount for amount, _ in larger), default=0)
    return [place for amount, place in larger if amount >= least][:most]
