# SPDX-License-Identifier: Apache-2.0
"""SQL for remote accesses by call stack, thread, object and time."""

from __future__ import annotations

from typing import NamedTuple

from numaprof.recording.sql.sql_accesses import IN_DRAM


class Remote(NamedTuple):
    stack: int | None
    thread: int
    thing: int | None
    site: int | None
    step: int
    weight: float
    samples: int


_ROWS = """
SELECT stack, thread, {thing} AS thing, k.site, max(0, min(:steps - 1, t_ns / :step)) AS step, sum(weight) AS weight,
       count(*)
  FROM {table} LEFT JOIN stack_site k USING (stack)
 WHERE {remote}
 GROUP BY stack, thread, thing, step
 ORDER BY weight DESC, stack, thread, thing, step
 LIMIT :most
"""
REQUESTS = _ROWS.format(table="picked", thing="NULL", remote="kind = @OVERFLOW")
ACCESSES = _ROWS.format(table="access", thing="thing", remote=f"remote AND {IN_DRAM}")


# Of these stacks and their callers only: a recording may hold millions.
STEPS = """
WITH RECURSIVE used (id) AS (
    SELECT value FROM json_each(:stacks)
    UNION SELECT caller FROM stack JOIN used USING (id) WHERE caller IS NOT NULL
)
SELECT id, place, caller FROM stack JOIN used USING (id)
"""
