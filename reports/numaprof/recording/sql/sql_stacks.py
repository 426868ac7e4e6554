# SPDX-License-Identifier: Apache-2.0
"""SQL for call stacks: what was sampled in each, their callers and places."""

from __future__ import annotations

from typing import NamedTuple

from numaprof.recording.sql.sql_accesses import IN_DRAM


class Weight(NamedTuple):
    kind: int
    stack: int | None
    thread: int
    node: int | None
    placement: str | None
    samples: int
    weight: int


# Placement: of overflow samples their event's, of loads and stores who answered, of faults the page's node against the
# thread's. Only what is measured: samples of kinds that neither touch nor read memory are left out.
WEIGHTS = f"""
SELECT s.kind, s.stack, s.thread, s.node,
       CASE WHEN s.kind = @OVERFLOW THEN replace(replace(e.placement, '_near', ''), '_far', '')
            WHEN {IN_DRAM} THEN CASE s.remote WHEN 0 THEN 'local_dram' WHEN 1 THEN 'remote_dram' END
            ELSE r.name END AS placement,
       count(*), sum(s.weight)
  FROM answered s
  LEFT JOIN event e ON e.id = s.event
  LEFT JOIN source r ON r.id = s.source
 WHERE s.kind IN (@OVERFLOW, @LOAD, @STORE, @FIRST_TOUCH, @HINT)
 GROUP BY s.stack, s.thread, s.kind, s.node, placement
"""


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


class Step(NamedTuple):
    id: int
    place: int
    caller: int | None


STEPS = "SELECT id, place, caller FROM stack"

# Of these stacks and their callers only: a recording may hold millions.
STEPS_OF = """
WITH RECURSIVE used (id) AS (
    SELECT value FROM json_each(:stacks)
    UNION SELECT caller FROM stack JOIN used USING (id) WHERE caller IS NOT NULL
)
SELECT id, place, caller FROM stack JOIN used USING (id)
"""


class Frame(NamedTuple):
    id: int
    module: str | None
    build_id: str | None
    address: int | None
    function: str | None
    file: str | None
    line: int | None
    inline_of: int | None


FRAMES = "SELECT id, module, build_id, address, function, file, line, inline_of FROM place"
