# SPDX-License-Identifier: Apache-2.0
"""Reads the estimates of multiplexed counts from a recording."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping

from numaprof.evidence.errors import Estimated, own_error
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_estimates

Estimates = Mapping[tuple[int, int], Estimated]  # (scope, event); a CPU whose threads were not told apart: -1 - CPU


def load_estimates(
    recording: Recording, events: Iterable[int], clocks: Iterable[int], by_work: bool = True
) -> Estimates:
    """by_work: scale by instructions where they are known, else by CPU time."""
    has_work = recording.one(sql_estimates.HasWork, sql_estimates.HAS_WORK).found > 0
    values = {"events": json.dumps(sorted(events)), "clocks": json.dumps(sorted(clocks)), "by_work": int(by_work)}
    for step in sql_estimates.steps(has_work):
        recording.run(step, **values)
    shared: dict[tuple[int, int], dict[int, float]] = defaultdict(dict)
    for row in recording.rows(sql_estimates.Covariance, sql_estimates.COVARIANCES):
        shared[row.scope, row.first][row.second] = row.covariance or 0.0
        shared[row.scope, row.second][row.first] = row.covariance or 0.0
    return {
        (row.scope, row.event): Estimated(
            row.total,
            row.rate,
            row.size,
            row.seen,
            bool(row.by_work),
            own_error(row.variance, row.blocks, row.effective),
            shared.get((row.scope, row.event), {}),
        )
        for row in recording.rows(sql_estimates.Estimate, sql_estimates.ESTIMATES)
    }
