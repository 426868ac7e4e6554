# SPDX-License-Identifier: Apache-2.0
"""What `sweep` and `policies` print: a table, a chart, and what the reader should know about single rows."""

from __future__ import annotations

import shlex

from numaprof.model.experiment_model import Experiment, Setting
from numaprof.terminal.layout import BOLD, Layout
from numaprof.text.format import NOT_KNOWN, between, duration, percent

CHART_CELLS = 50
EIGHTHS = " ▏▎▍▌▋▊▉"


def _time(setting: Setting) -> str:
    return between(setting.fastest_ns, setting.median_ns, setting.slowest_ns, duration)


def _rate(bytes_per_s: float | None) -> str:
    return NOT_KNOWN if bytes_per_s is None else f"{bytes_per_s / 1e9:.2f}"


def _seen(setting: Setting) -> str:
    return ",".join(map(str, setting.threads_seen)) or NOT_KNOWN


def _ratio(value: float | None) -> str:
    return NOT_KNOWN if value is None else f"{value:.2f}x"


# --- sweep


def print_sweep(found: Experiment, layout: Layout) -> None:
    layout.line(shlex.join(found.command), BOLD)
    rows = [
        (
            str(setting.threads),
            _time(setting),
            _ratio(setting.speed_up),
            _share_of_ideal(setting, found.settings[0]),
            percent(setting.remote_share),
            _rate(setting.dram_bytes_per_s),
            _seen(setting),
        )
        for setting in found.settings
    ]
    head = ("threads", "time (fastest..slowest)", "speed-up", "of ideal", "remote", "DRAM GB/s", "seen")
    layout.table(head, rows, (True, False, True, True, True, True, True))
    for number, line in enumerate(chart(found)):
        layout.line("\n" * (number == 0) + line)
    _print_remarks(found, layout)


def _share_of_ideal(setting: Setting, base: Setting) -> str:
    if setting.speed_up is None or not setting.threads or not base.threads:
        return NOT_KNOWN
    return f"{100 * setting.speed_up * base.threads / setting.threads:.0f} %"


def chart(found: Experiment) -> list[str]:
    """Speed-up as bars; the mark is where they would end if all threads counted."""
    base = found.settings[0]
    known = [setting.speed_up for setting in found.settings if setting.speed_up is not None]
    if not known or not base.threads:
        return []
    ideal = {setting.label: (setting.threads or 0) / base.threads for setting in found.settings}
    scale = CHART_CELLS / max(*ideal.values(), *known)
    lines = [f"speed-up over {found.base}; | is ideal"]
    for setting in found.settings:
        bar = NOT_KNOWN if setting.speed_up is None else _bar(setting.speed_up * scale)
        mark = round(ideal[setting.label] * scale)
        row = bar.ljust(CHART_CELLS + 1)
        row = row[:mark] + ("|" if row[mark] == " " else row[mark]) + row[mark + 1 :]
        lines.append(f"{setting.threads:>7}  {row.rstrip()}  {_ratio(setting.speed_up)}")
    return lines


def _bar(cells: float) -> str:
    full = int(cells)
    return "█" * full + EIGHTHS[int((cells - full) * 8)].strip()


# --- policies


def print_policies(found: Experiment, layout: Layout) -> None:
    layout.line(shlex.join(found.command), BOLD)
    first, *others = found.ranked
    rows = [
        (
            str(number),
            setting.label,
            _time(setting),
            _ratio(_behind(setting, first)),
            percent(setting.remote_share),
            _rate(setting.dram_bytes_per_s),
            setting.under or "",
        )
        for number, setting in enumerate(found.ranked, 1)
    ]
    head = ("", "memory and CPUs", "time (fastest..slowest)", "to first", "remote", "DRAM GB/s", "--under")
    layout.table(head, rows, (True, False, False, True, True, True, False))
    alike = [setting.label for setting in others if setting.overlaps]
    if alike:
        layout.line()
        named = "; ".join(alike)
        layout.paragraph(f"Not distinguishable from the first, as runs of one setting differ as much: {named}.")
    _print_remarks(found, layout)


def _behind(setting: Setting, first: Setting) -> float | None:
    return setting.median_ns / first.median_ns if setting.median_ns and first.median_ns else None


# --- both


def _print_remarks(found: Experiment, layout: Layout) -> None:
    for number, remark in enumerate(found.remarks):
        if number == 0:
            layout.line("\nremarks")
        layout.paragraph(remark, first="- ")
