# SPDX-License-Identifier: Apache-2.0
"""The flame graph of remote accesses, callers above: the page's script lays out what the filter leaves."""

from __future__ import annotations

from numaprof.model import report_model as model
from numaprof.page.charts import Chart

FRAME = 18  # pixels
MOST_ROWS = 30  # of frames; deeper ones are cut, and the page says so


def flame_chart(stacks: model.RemoteStacks) -> Chart | None:
    if not stacks.rows:
        return None
    return Chart("flame", {"frames": []}, height=FRAME * min(MOST_ROWS, deepest(stacks)))


def deepest(stacks: model.RemoteStacks) -> int:
    """Frames of the deepest stack, at least 1."""
    depth: list[int] = []
    for frame in stacks.frames:
        depth.append(1 if frame.caller is None else 1 + depth[frame.caller])
    return max(depth, default=1)


def data(report: model.Report) -> dict[str, object] | None:
    """What the page's script filters and lays out: arrays, for thousands of rows are shorter so."""
    stacks = report.remote_stacks
    if not stacks.rows:
        return None
    return {
        "seconds": stacks.step_ns / 1e9,
        "deepest": MOST_ROWS,
        "names": [frame.name for frame in stacks.frames],
        "callers": [frame.caller for frame in stacks.frames],
        "rows": [(row.frame, row.thread, row.object, row.line, row.step, round(row.weight, 1)) for row in stacks.rows],
    }
