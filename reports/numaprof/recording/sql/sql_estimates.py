# SPDX-License-Identifier: Apache-2.0
"""SQL that sums counts by parts of a scope's time, for evidence/estimates.py.

A scope is a thread, a CPU whose threads were not told apart, or a program whose threads and CPUs were not.
"""

from __future__ import annotations

from typing import NamedTuple


class HasWork(NamedTuple):
    found: int


# Recordings that were made before instructions were counted lack the column.
HAS_WORK = "SELECT count(*) FROM pragma_table_info('count') WHERE name = 'work'"

# Parts of a scope at most: more would make the error no surer.
MOST = 32

SCOPE = "ifnull(thread, -1 - ifnull(cpu, -1))"


def scope_of_cpu(cpu: int | None) -> int:
    """Counts of no single thread. None: of all CPUs together."""
    return 0 if cpu is None else -1 - cpu


class Span(NamedTuple):
    scope: int
    cohort: int  # a scope whose parts it shares
    first: int
    last: int
    step: int  # length of a part


# When a scope ran. Value: :clocks, a JSON array of event ids.
SPANS = f"""
SELECT {SCOPE} AS scope, {SCOPE}, min(t_ns), max(t_ns), max(1, (max(t_ns) - min(t_ns)) / {MOST})
  FROM count WHERE event IN (SELECT value FROM json_each(:clocks))
 GROUP BY scope
"""

# The parts of scopes. Value: :spans, a JSON array of rows as above.
SPAN = (
    "CREATE TEMP TABLE span (scope INTEGER PRIMARY KEY, first INTEGER, step INTEGER)",
    """
INSERT INTO span
SELECT json_extract(value, '$[0]'), json_extract(value, '$[2]'), json_extract(value, '$[4]') FROM json_each(:spans)
""",
)


class Part(NamedTuple):
    scope: int  # a thread's id, or what scope_of_cpu gives
    event: int  # 0: all
    at: int
    value: int
    running: int
    work: int | None
    has_work: int  # of all its rows


def parts(work: bool) -> str:
    """In the order of scope, event and time. work: the table `count` has that column.

    Values: :events, a JSON array of event ids; :apart, 0 to add them up.
    """
    column = "work" if work else "NULL"
    return f"""
SELECT scope, event * :apart AS event, (t_ns - first) / step AS at, sum(value), sum(running_ns), sum({column}),
       count({column}) = count(*)
  FROM count JOIN span ON scope = {SCOPE}
 WHERE event IN (SELECT value FROM json_each(:events))
 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
