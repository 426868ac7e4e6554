# SPDX-License-Identifier: Apache-2.0
"""What pages and exports ask of a recording beyond what the terminal report does. As in queries.py: aggregates only."""

from __future__ import annotations

from typing import NamedTuple


class CpuPlace(NamedTuple):
    id: int
    node: int | None
    package: int | None
    core: int | None
    thread: int | None
    online: int
    allowed: int


CPU_PLACES = "SELECT id, node, package, core, thread, online, allowed FROM cpu ORDER BY node, package, core, thread, id"


class Distance(NamedTuple):
    from_node: int
    to_node: int
    firmware: int | None
    latency_ns: float | None
    read_bytes_per_s: float | None


DISTANCES = "SELECT from_node, to_node, firmware, latency_ns, read_bytes_per_s FROM distance"


class Tables(NamedTuple):
    found: int


MEASURED_TABLE = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'measured'"


class Measured(NamedTuple):
    metric: str
    unit: str
    from_node: int
    to_node: int | None
    median: float
    low: float
    high: float
    noisy: int


MEASURED = """
SELECT metric, unit, from_node, to_node, median, low, high, noisy FROM measured ORDER BY metric, from_node, to_node
"""


class Span(NamedTuple):
    thread: int
    start_ns: int
    end_ns: int | None


SPANS = "SELECT id, start_ns, end_ns FROM thread"


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
SELECT min((t_ns - 1) / :step, :last) AS bin, sum(weight) FROM sample WHERE kind = 10 GROUP BY bin
"""


class Accesses(NamedTuple):
    thread: int
    bin: int
    local: float
    remote: float


# Sampled accesses whose page's home is known: the time line of machines without counters. :kinds as a JSON array.
ACCESSES_OVER_TIME = """
WITH known AS (
    SELECT s.thread, min((s.t_ns - 1) / :step, :last) AS bin, weight,
           CASE WHEN source = 1 THEN 0 WHEN source = 2 THEN 1 ELSE c.node <> s.page_node END AS remote
      FROM sample s LEFT JOIN cpu c ON c.id = s.cpu
     WHERE kind IN (SELECT value FROM json_each(:kinds)) AND ifnull(source, 1) IN (1, 2)
)
SELECT thread, bin, 1.0 * sum(weight * (1 - remote)), 1.0 * sum(weight * remote) FROM known WHERE remote IS NOT NULL
 GROUP BY thread, bin ORDER BY thread, bin
"""


class Unlisted(NamedTuple):
    objects: int


UNLISTED = "SELECT count(*) FROM object WHERE id NOT IN (SELECT id FROM main_object)"

MAP_INDEX = "CREATE INDEX temp.extent_by_start ON extent (thing, start)"


class Whole(NamedTuple):
    thing: int
    bytes: float


WHOLES = "SELECT thing, bytes FROM whole"


class MapHome(NamedTuple):
    thing: int
    bin: int
    node: int | None
    probes: int


# Where samples saw the pages of things: for parts of which no snapshot tells.
SEEN_HOMES = """
SELECT thing, min(:bins - 1, CAST((e.start + max(0, address - e.first)) * :bins / w.bytes AS INTEGER)) AS bin,
       page_node, count(*)
  FROM (SELECT thing, CASE WHEN block IS NULL THEN process ELSE 0 END AS process, ifnull(block, 0) AS block, address,
               page_node FROM picked WHERE thing <> 0
         UNION ALL
        SELECT thing, CASE WHEN block IS NULL THEN process ELSE 0 END, ifnull(block, 0), address, page_node FROM access
         WHERE thing <> 0)
  JOIN extent e USING (thing, process, block) JOIN whole w USING (thing)
 WHERE page_node IS NOT NULL AND address IS NOT NULL AND thing IN (SELECT value FROM json_each(:things))
 GROUP BY thing, bin, page_node
"""

# Where things lie: :probes addresses in each of :bins parts, at odd distances so that a regular interleaving does not
# look like one node, each looked up in the last snapshot of its block's life. :things is a JSON array.
MAP_HOMES = """
WITH RECURSIVE probe (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM probe WHERE n < :bins * :probes - 1),
spot AS (
    SELECT w.thing, n / :probes AS bin,
           w.bytes / (:bins * :probes) * (n + ((n * 2654435761) & 0xffffff) / 16777216.0) AS at
      FROM json_each(:things) t JOIN whole w ON w.thing = t.value CROSS JOIN probe
), place AS (
    SELECT s.thing, s.bin, ifnull(o.process, e.process) AS process, b.start_ns, b.end_ns,
           CAST(e.first + s.at - e.start AS INTEGER) AS address
      FROM spot s JOIN extent e ON e.thing = s.thing
       AND e.start = (SELECT max(start) FROM extent x WHERE x.thing = s.thing AND x.start <= s.at)
      LEFT JOIN main_block b ON b.id = e.block LEFT JOIN object o ON o.id = b.object
), looked AS (
    SELECT p.*, (SELECT max(id) FROM snapshot h WHERE h.process = p.process AND h.known > 0 AND h.method <> 'numa_maps'
                    AND (start_ns IS NULL OR h.t_ns BETWEEN start_ns AND ifnull(end_ns, h.t_ns))) AS snapshot
      FROM place p
)
SELECT thing, bin,
       (SELECT CASE WHEN h.address + h.span * :page_bytes > p.address THEN h.node END FROM page_home h
         WHERE h.snapshot = p.snapshot AND h.address <= p.address ORDER BY h.address DESC LIMIT 1) AS node, count(*)
  FROM looked p GROUP BY thing, bin, node
"""
