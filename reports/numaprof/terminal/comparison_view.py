# SPDX-License-Identifier: Apache-2.0
"""What `numaprof diff` prints: the verdict first, then what else differs, then runs, threads and lines side by side."""

from __future__ import annotations

from collections.abc import Callable

from numaprof.model import comparison_model as model
from numaprof.terminal.layout import BOLD, Layout
from numaprof.terminal.tables import HEAVY, MOST_SITES, MOST_THREADS
from numaprof.text.format import NOT_KNOWN, duration, in_words, number, percent, plural, round_percent, size

_WORDS: dict[str, Callable[[float], str]] = {
    "run time": duration,
    "remote share": percent,
    "DRAM requests": number,
}  # of any other measure: the part of the requests that a node answers


def print_diff(found: model.Comparison, layout: Layout) -> None:
    layout.paragraph(found.headline, first="VERDICT   ", style=BOLD)
    layout.paragraph(found.time, first=" " * 10, style=BOLD)
    for text in found.noise:
        layout.paragraph(text, first=" " * 10)
    for difference in found.differences:
        layout.paragraph(f"differs: {difference}", first=" " * 10)
    layout.line()
    for name, side in (("before", found.before), ("after ", found.after)):
        more = len(side.recordings) - 1
        names = side.recordings[0] + (f" and {more} more" if more else "")
        layout.line(f"{name}  {plural(len(side.recordings), 'run')}  {names}")
    _runs(found, layout)
    _threads(found, layout)
    touches = [place for place in found.places if place.what == "first touches"]
    _beside(layout, "FIRST TOUCHED AT", touches, found.touches_not_listed, size)
    remote = [place for place in found.places if place.what != "first touches"]
    not_listed = found.places_not_listed - found.touches_not_listed
    _beside(layout, "REMOTE READS AT (sampled)", remote, not_listed, number)


def _runs(found: model.Comparison, layout: Layout) -> None:
    rows = []
    for measure in found.measures:
        words = _WORDS.get(measure.name, round_percent)
        rows.append([measure.name, in_words(measure.before, words), in_words(measure.after, words)])
    layout.line()
    layout.table(["", "before", "after"], [row for row in rows if set(row[1:]) != {NOT_KNOWN}], [False, True, True])


def _threads(found: model.Comparison, layout: Layout) -> None:
    """By position in the plan: the n-th thread of one side beside the n-th of the other; those that changed most."""
    changed = sorted(found.threads, key=lambda thread: -abs(thread.after.middle - thread.before.middle))
    shown = sorted(changed[:MOST_THREADS], key=lambda thread: thread.position)
    if not shown:
        return
    rows = [
        [
            str(thread.position),
            thread.name,
            in_words(thread.before, percent),
            in_words(thread.after, percent),
            HEAVY if thread.remote_heavy else "",
        ]
        for thread in shown
    ]
    layout.line()
    layout.table(["", "thread", "remote before", "remote after", ""], rows, [True, False, True, True, False])
    if len(changed) > len(shown):
        layout.line(f"… {plural(len(changed) - len(shown), 'more thread')} that changed less")


def _beside(
    layout: Layout, title: str, places: list[model.Place], not_listed: int, words: Callable[[float], str]
) -> None:
    if not places:
        return
    rows = [
        [place.label, *("-" if value is None else words(value) for value in (place.before, place.after))]
        for place in places[:MOST_SITES]
    ]
    layout.line()
    layout.table([title, "before", "after"], rows, [False, True, True])
    more = len(places) - len(rows) + not_listed
    if more:
        layout.line(f"… {plural(more, 'more place')}")
