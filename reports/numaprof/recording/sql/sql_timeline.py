# SPDX-License-Identifier: Apache-2.0
"""SQL for the time line: counts, first touches and sampled accesses by step of time."""

from __future__ import annotations

from typing import NamedTuple

from numaprof.recording.sql.sql_accesses import IN_DRAM


class LastMoment(NamedTuple):
    t_ns: int | None


LAST_MOMENT = """
SELECT max(t) FROM (SELECT max(t_ns) AS t FROM count UNION ALL SELECT max(t_ns) FROM sample
                    UNION ALL SELECT max(end_ns) FROM thread)
"""


class Slot(NamedTuple):
    bin: int
    event: int
    value: int
    running_ns: int
    enabled_ns: int


# Counts of all threads by step of the time line. :events is a JSON array of event ids. By upsert: half a million rows
# into a thousand keys, without sorting them as GROUP BY would.
SLOTS = (
    """
    CREATE TEMP TABLE slot (
        bin INTEGER, event INTEGER, value INTEGER, running INTEGER, enabled INTEGER, PRIMARY KEY (bin, event)
    ) WITHOUT ROWID
    """,
    """
    INSERT INTO slot
    SELECT min((t_ns - 1) / :step, :last), event, value, running_ns, enabled_ns FROM count
     WHERE event IN (SELECT value FROM json_each(:events))
        ON CONFLICT DO UPDATE SET value = value + excluded.value, running = running + excluded.running,
                                  enabled = enabled + excluded.enabled
    """,
)
ALL_SLOTS = "SELECT bin, event, value, running, enabled FROM slot"


class ThreadSlot(NamedTuple):
    thread: int
    bin: int
    local: float | None
    remote: float | None


def thread_slots(local: list[int], remote: list[int], clocks: list[int]) -> str:
    """By thread and step, one sort for all events.

    An event's value is scaled by the CPU time of the thread in that step over the time in which the event had a
    counter; where it had none, the step is not known. CPU time: the task clock, else what the event was enabled for.
    """
    events = [*local, *remote]
    sums = [
        f"sum(CASE WHEN event = {event:d} THEN {column} END) AS {name}{event:d}"
        for event in events
        for name, column in (("v", "value"), ("r", "running_ns"), ("e", "enabled_ns"))
    ]
    clock = ", ".join(f"{event:d}" for event in clocks)
    return f"""
SELECT thread, bin, {_scaled(local)}, {_scaled(remote)}
  FROM (SELECT thread, min((t_ns - 1) / :step, :last) / :wide AS bin,
               sum(CASE WHEN event IN ({clock}) THEN value END) AS clock, {", ".join(sums)}
          FROM count WHERE thread IS NOT NULL GROUP BY thread, bin)
"""


def _scaled(events: list[int]) -> str:
    return " + ".join(f"1.0 * v{e:d} * max(r{e:d}, ifnull(clock, e{e:d})) / nullif(r{e:d}, 0)" for e in events)


class Touches(NamedTuple):
    bin: int
    pages: int


TOUCHES_OVER_TIME = """
SELECT min((t_ns - 1) / :step, :last) AS bin, sum(weight) FROM sample WHERE kind = @FIRST_TOUCH GROUP BY bin
"""


class Accesses(NamedTuple):
    thread: int
    bin: int
    local: float
    remote: float


# Sampled accesses whose page's node is known: the time line of machines without counters. :kinds as a JSON array.
ACCESSES_OVER_TIME = f"""
WITH known AS (
    SELECT thread, min((t_ns - 1) / :step, :last) AS bin, weight, remote FROM answered
     WHERE kind IN (SELECT value FROM json_each(:kinds)) AND {IN_DRAM}
)
SELECT thread, bin, 1.0 * sum(weight * (1 - remote)), 1.0 * sum(weight * remote) FROM known WHERE remote IS NOT NULL
 GROUP BY thread, bin ORDER BY thread, bin
"""
