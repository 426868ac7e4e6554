# SPDX-License-Identifier: Apache-2.0
"""What `sweep` and `policies` print: a table, a chart, and what the reader should know about single rows."""

from __future__ import annotations

import json
from typing import Any

from numaprof.experiments.repeats import Series, ranked, speed_up
from numaprof.experiments.rounds import Outcome
from numaprof.terminal.layout import BOLD, Layout
from numaprof.text.format import NOT_KNOWN, clean, duration, percent

CHART_CELLS = 50
EIGHTHS = " ▏▎▍▌▋▊▉"


def _time(series: Series) -> str:
    return NOT_KNOWN if series.times is None else series.times.in_words(duration)


def _rate(bytes_per_s: float | None) -> str:
    return NOT_KNOWN if bytes_per_s is None else f"{bytes_per_s / 1e9:.2f}"


def _seen(series: Series) -> str:
    return ",".join(map(str, series.threads_seen)) or NOT_KNOWN


def _ratio(value: float | None) -> str:
    return NOT_KNOWN if value is None else f"{value:.2f}x"


# --- sweep


def print_sweep(outcome: Outcome, command: str, layout: Layout) -> None:
    layout.line(clean(command), BOLD)
    base = outcome.series[0]
    rows = [
        (
            str(series.threads),
            _time(series),
            _ratio(speed_up(series, base)),
            _share_of_ideal(series, base),
            percent(series.remote),
            _rate(series.dram_bytes_per_s),
            _seen(series),
        )
        for series in outcome.series
    ]
    head = ("threads", "time (fastest..slowest)", "speed-up", "of ideal", "remote", "DRAM GB/s", "seen")
    layout.table(head, rows, (True, False, True, True, True, True, True))
    for number, line in enumerate(chart(outcome)):
        layout.line("\n" * (number == 0) + line)
    _print_remarks(outcome, layout)


def _share_of_ideal(series: Series, base: Series) -> str:
    gained = speed_up(series, base)
    if gained is None or not series.threads or not base.threads:
        return NOT_KNOWN
    return f"{100 * gained * base.threads / series.threads:.0f} %"


def chart(outcome: Outcome) -> list[str]:
    """Speed-up as bars; the mark is where they would end if all threads counted."""
    base = outcome.series[0]
    gains = [(series, speed_up(series, base)) for series in outcome.series]
    known = [gain for _, gain in gains if gain is not None]
    if not known or not base.threads:
        return []
    ideal = {series.label: (series.threads or 0) / base.threads for series in outcome.series}
    scale = CHART_CELLS / max(*ideal.values(), *known)
    lines = [f"speed-up over {base.label}; | is ideal"]
    for series, gain in gains:
        bar = NOT_KNOWN if gain is None else _bar(gain * scale)
        mark = round(ideal[series.label] * scale)
        row = bar.ljust(CHART_CELLS + 1)
        row = row[:mark] + ("|" if row[mark] == " " else row[mark]) + row[mark + 1 :]
        lines.append(f"{series.threads:>7}  {row.rstrip()}  {_ratio(gain)}")
    return lines


def _bar(cells: float) -> str:
    full = int(cells)
    return "█" * full + EIGHTHS[int((cells - full) * 8)].strip()


# --- policies


def print_policies(outcome: Outcome, command: str, how: dict[str, str], layout: Layout) -> None:
    """how: by label, the text that `policies --under` takes."""
    layout.line(clean(command), BOLD)
    order = ranked(outcome.series)
    rows = [
        (
            str(number),
            series.label,
            _time(series),
            _ratio(_behind(series, order[0])),
            percent(series.remote),
            _rate(series.dram_bytes_per_s),
            how[series.label],
        )
        for number, series in enumerate(order, 1)
    ]
    head = ("", "memory and CPUs", "time (fastest..slowest)", "to first", "remote", "DRAM GB/s", "--under")
    layout.table(head, rows, (True, False, False, True, True, True, False))
    alike = [series.label for series in order[1:] if series.overlaps(order[0])]
    if alike:
        layout.line()
        layout.paragraph(f"Not to be told from the first, as their runs overlap: {'; '.join(alike)}.")
    _print_remarks(outcome, layout)


def _behind(series: Series, first: Series) -> float | None:
    gain = speed_up(series, first)
    return None if gain is None else 1 / gain


# --- both


def _print_remarks(outcome: Outcome, layout: Layout) -> None:
    for number, remark in enumerate(outcome.remarks()):
        if number == 0:
            layout.line("\nremarks")
        layout.paragraph(clean(remark), first="- ")


def as_json(outcome: Outcome, command: list[str], made_by: str) -> str:
    return json.dumps(
        {
            "format": f"numaprof.{made_by}",
            "version": 1,
            "command": command,
            "interrupted": outcome.interrupted,
            "settings": [_setting(series) for series in outcome.series],
            "remarks": outcome.remarks(),
        },
        indent=2,
    )


def _setting(series: Series) -> dict[str, Any]:
    return {
        "label": series.label,
        "threads": series.threads,
        "median_ns": None if series.times is None else series.times.middle,
        "remote_share": series.remote,
        "dram_bytes_per_s": series.dram_bytes_per_s,
        "wild": series.is_wild,
        "ignored_threads": series.ignored,
        "runs": [
            {
                "wall_ns": trial.wall_ns,
                "failure": trial.failure,
                "threads": trial.threads,
                "recorded": trial.is_recorded,
            }
            for trial in series.trials
        ],
    }
