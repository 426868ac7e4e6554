# SPDX-License-Identifier: Apache-2.0
"""SQL for threads."""

from __future__ import annotations

from typing import NamedTuple


class Thread(NamedTuple):
    id: int
    process: int
    pid: int
    tid: int
    name: str | None
    from_start: int
    pin: str
    planned_cpu: int | None
    own_cpus: str | None
    cpu_ns: int | None
    migrations: int | None
    start_ns: int
    end_ns: int | None
    uncounted_ns: int | None


class HasUncounted(NamedTuple):
    found: int


# Older recordings lack the column.
HAS_UNCOUNTED = "SELECT count(*) FROM pragma_table_info('thread') WHERE name = 'uncounted_ns'"


def threads(uncounted: bool) -> str:
    """In the order of their start, in which the plan deals out CPUs. uncounted: the recording has that column."""
    return f"""
SELECT t.id, t.process, p.pid, t.tid, t.name, t.from_start, t.pin, t.planned_cpu, t.own_cpus, t.cpu_ns, t.migrations,
       t.start_ns, t.end_ns, {"t.uncounted_ns" if uncounted else "NULL"}
  FROM thread t JOIN process p ON p.id = t.process
 ORDER BY t.start_ns, t.id
"""


class Life(NamedTuple):
    start_ns: int
    end_ns: int | None


LIVES = "SELECT start_ns, end_ns FROM thread WHERE pin <> 'helper'"


class Span(NamedTuple):
    thread: int
    start_ns: int
    end_ns: int | None


SPANS = "SELECT id, start_ns, end_ns FROM thread"
