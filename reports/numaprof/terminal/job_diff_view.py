# SPDX-License-Identifier: Apache-2.0
"""What `numaprof diff` prints of two jobs."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.model import job_diff_model as model
from numaprof.terminal.layout import BOLD, Layout
from numaprof.text.format import NOT_KNOWN, clean, duration, percent, plural, share_in_interval

MOST_RANKS = 12


def print_job_diff(found: model.JobComparison, layout: Layout) -> None:
    layout.paragraph(found.headline, first="VERDICT   ", style=BOLD)
    if found.error is not None:
        errors = f"The errors of both runs, with a variation of 2 points between runs: {100 * found.error:.1f} points."
        layout.paragraph(errors, first=" " * 10)
    for text in found.differs:
        layout.paragraph(f"differs: {text}", first=" " * 10)
    layout.line()
    sides = (found.before, found.after)
    layout.table(
        ("", "before", "after"),
        [
            ("recordings", *(clean(", ".join(side.source), 32) for side in sides)),
            ("ranks", *(f"{side.found}" + (f" of {side.size}" if side.size is not None else "") for side in sides)),
            ("remote share", *(_share(side) for side in sides)),
            ("longest rank", *(NOT_KNOWN if side.wall_ns is None else duration(side.wall_ns) for side in sides)),
            ("judgements", *(", ".join(side.judged) for side in sides)),
        ],
        (False, False, False),
    )
    layout.line()
    alike = found.compared - len(found.better) - len(found.worse)
    layout.paragraph(
        f"RANKS: of {found.compared} with a known error in both, {len(found.better)} read less remotely, "
        f"{len(found.worse)} more, {alike} alike within their errors.",
        style=BOLD,
    )
    _ranks("less", found.better, layout)
    _ranks("more", found.worse, layout)
    for advice in found.advice:
        where = advice.place or advice.change
        ranks = f"{plural(advice.ranks_before, 'rank')} before, {plural(advice.ranks_after, 'rank')} after"
        layout.paragraph(f"{advice.kind}: {where}: {ranks}", first="  ")
    for name, side in (("before", found.before), ("after", found.after)):
        for text in side.remarks:
            layout.paragraph(text, first=f"  note ({name}): ")


def _share(side: model.JobSide) -> str:
    known = side.lowest is not None and side.highest is not None
    return share_in_interval(side.remote_share, (side.lowest or 0.0, side.highest or 0.0) if known else None)


def _ranks(how: str, rows: Sequence[model.RankChange], layout: Layout) -> None:
    for row in rows[:MOST_RANKS]:
        layout.line(f"  {how}: rank {row.number}: {percent(row.before)} before, {percent(row.after)} after")
    if len(rows) > MOST_RANKS:
        layout.line(f"  {how}: and {plural(len(rows) - MOST_RANKS, 'rank')} (--json lists all)")
