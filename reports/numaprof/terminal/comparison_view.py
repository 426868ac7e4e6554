# SPDX-License-Identifier: Apache-2.0
"""What `numaprof diff` prints: the verdict first, then what else differs, then runs, threads and lines side by side."""

from __future__ import annotations

from collections.abc import Callable

from numaprof.compare.pairing import (
    by_site,
    headline,
    match_sites,
    names_of,
    remote_events,
    requests,
    served_share,
    shares_of_threads,
    site_labels,
    touched_bytes,
)
from numaprof.compare.sides import Side, differences, time_change
from numaprof.evidence.source_location import Site
from numaprof.evidence.spread import in_words
from numaprof.evidence.thresholds import MOST_SITES, MOST_THREADS, REMOTE_HEAVY, SHARE_CHANGE
from numaprof.terminal.layout import BOLD, Layout
from numaprof.terminal.tables import HEAVY
from numaprof.text.format import NOT_KNOWN, clean, duration, number, percent, plural, round_percent, size


def print_diff(before: Side, after: Side, layout: Layout) -> None:
    layout.paragraph(headline(before, after), first="VERDICT   ", style=BOLD)
    layout.paragraph(time_change(before, after).words, first=" " * 10, style=BOLD)
    for difference in differences(before, after):
        layout.paragraph(f"differs: {clean(difference)}", first=" " * 10)
    _files(before, after, layout)
    _runs(before, after, layout)
    _threads(before, after, layout)
    _lines(before, after, layout)


def _files(before: Side, after: Side, layout: Layout) -> None:
    layout.line()
    for name, side in (("before", before), ("after ", after)):
        names = clean(side.first.path) + (f" and {len(side.runs) - 1} more" if side.runs[1:] else "")
        layout.line(f"{name}  {plural(len(side.runs), 'run')}  {names}")


def _runs(before: Side, after: Side, layout: Layout) -> None:
    rows = []
    if not (before.first.run.emulated or after.first.run.emulated):
        rows.append(["run time", in_words(before.time, duration), in_words(after.time, duration)])
    rows.append(["remote share", in_words(before.share, percent), in_words(after.share, percent)])
    rows.append(
        [
            "DRAM requests",
            in_words(before.values(requests), number),
            in_words(after.values(requests), number),
        ]
    )
    for node in sorted({node for run in (before.first, after.first) for node in run.machine.memory_nodes}):
        served = (served_share(side, node) for side in (before, after))
        rows.append([f"served by node {node}", *(in_words(values, round_percent) for values in served)])
    layout.line()
    layout.table(["", "before", "after"], [row for row in rows if set(row[1:]) != {NOT_KNOWN}], [False, True, True])


def _threads(before: Side, after: Side, layout: Layout) -> None:
    """By position in the plan: the n-th thread of one side beside the n-th of the other."""
    old, new = shares_of_threads(before), shares_of_threads(after)
    both = [position for position in sorted(old) if position in new]
    changed = [at for at in both if abs(old[at].middle - new[at].middle) >= SHARE_CHANGE]
    shown = both if len(both) <= MOST_THREADS else sorted(changed, key=lambda at: new[at].middle - old[at].middle)
    shown = sorted(shown[:MOST_THREADS])
    if not shown:
        return
    rows = [
        [
            str(at),
            names_of(before.first.threads[at], after.first.threads[at]),
            in_words(old[at], percent),
            in_words(new[at], percent),
            HEAVY if new[at].middle >= REMOTE_HEAVY else "",
        ]
        for at in shown
    ]
    layout.line()
    layout.table(["", "thread", "remote before", "remote after", ""], rows, [True, False, True, True, False])
    if len(both) > len(shown):
        layout.line(f"… {plural(len(both) - len(shown), 'more thread')} that changed less")


def _lines(before: Side, after: Side, layout: Layout) -> None:
    """Lines that touch first, and lines that cause remote reads."""
    touched = [by_site(side, touched_bytes) for side in (before, after)]
    _beside(layout, "FIRST TOUCHED AT", touched, size)
    caused = [by_site(side, remote_events) for side in (before, after)]
    _beside(layout, "REMOTE READS AT (sampled)", caused, number)


def _beside(layout: Layout, title: str, sides: list[dict[Site, float]], words: Callable[[float], str]) -> None:
    old, new = sides
    pairs = match_sites(old, new)
    pairs.sort(key=lambda pair: -max(old.get(pair[0], 0.0) if pair[0] else 0, new.get(pair[1], 0.0) if pair[1] else 0))
    if not pairs:
        return
    rows = [
        [
            site_labels(first, second),
            words(old[first]) if first is not None else "-",
            words(new[second]) if second is not None else "-",
        ]
        for first, second in pairs[:MOST_SITES]
    ]
    layout.line()
    layout.table([title, "before", "after"], rows, [False, True, True])
    if pairs[MOST_SITES:]:
        layout.line(f"… {plural(len(pairs) - MOST_SITES, 'more place')}")
