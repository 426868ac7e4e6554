# SPDX-License-Identifier: Apache-2.0
"""The table of objects: how large, how much of its use is remote, where it lies; who touched it, who uses it."""

from __future__ import annotations

from numaprof.model import report_model as model
from numaprof.terminal.layout import Layout
from numaprof.terminal.tables import MOST_SITES
from numaprof.terminal.wanted import Wanted
from numaprof.text.format import NOT_KNOWN, clean, number, percent, share_with_error, size


def table(report: model.Answer, layout: Layout, wanted: Wanted) -> None:
    """Data that matters by size or by remote accesses, or what is asked for."""
    rows, name = report.objects.rows, wanted.object
    chosen = [found for found in rows if (found.matters if name is None else name in found.name)]
    chosen = chosen[: wanted.top or MOST_SITES]
    if not chosen:
        return
    layout.line()
    head = ["OBJECT", "size", "remote of sampled", "of all remote", "node"]
    right = [False, True, True, True, False]
    cells = [
        [
            _name(found, max(24, layout.width - 52)),
            size(found.bytes),
            NOT_KNOWN if found.remote_share is None else f"{percent(found.remote_share)} of {number(found.samples)}",
            share_with_error(found.of_all_remote, found.of_all_remote_error),
            found.home,
        ]
        for found in chosen
    ]
    layout.table_with_remarks(head, cells, right, [list(found.remarks) for found in chosen])
    for line in report.objects.attribution:
        layout.paragraph(line)


def _name(found: model.Object, limit: int) -> str:
    return found.name if len(found.name) <= limit else clean(found.short_name, limit)


def modules(report: model.Answer, layout: Layout) -> None:
    if report.modules.rows:
        layout.line()
        text = " · ".join(f"{row.name} {percent(row.share)}" for row in report.modules.rows[:4])
        layout.paragraph(f"{text} ({report.modules.rests_on})", first="REMOTE READS BY  ")
