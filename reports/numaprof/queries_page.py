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

# Counts by thread and step of the time line. :events and :clocks are JSON arrays of event ids.
SLOTS = """
CREATE TEMP TABLE slot AS
SELECT thread, min((t_ns - 1) / :step, :last) AS bin, event, sum(value) AS value, sum(running_ns) AS running,
       sum(enabled_ns) AS enabled
  FROM count
 WHERE event IN (SELECT value FROM json_each(:events) UNION ALL SELECT value FROM json_each(:clocks))
 GROUP BY thread, bin, event
"""


class Slot(NamedTuple):
    bin: int
    event: int
    value: int
    running_ns: int
    enabled_ns: int


SLOTS_OF_ALL = "SELECT bin, event, sum(value), sum(running), sum(enabled) FROM slot GROUP BY bin, event"


class ThreadSlot(NamedTuple):
    thread: int
    bin: int
    local: float | None
    remote: float | None


# By thread, in :wide steps at a time. An event's value is scaled by the CPU time of the thread in that step over the
# time in which the event had a counter; where it had none, the step is not known. CPU time: the task clock, else what
# the event was enabled for.
THREAD_SLOTS = """
WITH clock AS (
    SELECT thread, bin / :wide AS bin, sum(value) AS ns FROM slot
     WHERE event IN (SELECT value FROM json_each(:clocks)) GROUP BY 1, 2
), step AS (
    SELECT thread, bin / :wide AS bin, event, sum(value) AS value, sum(running) AS running, sum(enabled) AS enabled
      FROM slot WHERE thread IS NOT NULL AND event IN (SELECT value FROM json_each(:events)) GROUP BY 1, 2, 3
), scaled AS (
    SELECT s.thread, s.bin, event IN (SELECT value FROM json_each(:local)) AS local,
           CASE WHEN running > 0 THEN 1.0 * value * max(running, ifnull(c.ns, enabled)) / running END AS amount
      FROM step s LEFT JOIN clock c ON c.thread = s.thread AND c.bin = s.bin
)
SELECT thread, bin, CASE WHEN count(*) = count(amount) THEN sum(amount) FILTER (WHERE local) END,
       CASE WHEN count(*) = count(amount) THEN sum(amount) FILTER (WHERE NOT local) END
  FROM scaled GROUP BY thread, bin ORDER BY thread, bin
"""


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


class MapHome(NamedTuple):
    thing: int
    bin: int
    node: int | None
    probes: int


# Where things lie: :probes addresses in each of :bins parts, at odd distances so that a regular interleaving does not
# look like one node, each looked up in the last snapshot of its block's life. :things is a JSON array.
MAP_HOMES = """
WITH RECURSIVE probe (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM probe WHERE n < :bins * :probes - 1),
spot AS (
    SELECT w.thing, n / :probes AS bin,
           w.bytes / (:bins * :probes) * (n + ((n * 2654435761) & 0xffffff) / 16777216.0) AS at
      FROM json_each(:things) t JOIN whole w ON w.thing = t.value CROSS JOIN probe
), place AS (
    SELECT s.thing, s.bin, e.process, e.block, CAST(e.first + s.at - e.start AS INTEGER) AS address
      FROM spot s JOIN extent e ON e.thing = s.thing
       AND e.start = (SELECT max(start) FROM extent x WHERE x.thing = s.thing AND x.start <= s.at)
), looked AS (
    SELECT p.*, (SELECT max(id) FROM snapshot h WHERE h.process = p.process AND h.known > 0 AND h.method <> 'numa_maps'
                    AND (b.id IS NULL OR h.t_ns BETWEEN b.start_ns AND ifnull(b.end_ns, h.t_ns))) AS snapshot
      FROM place p LEFT JOIN main_block b ON b.id = p.block
)
SELECT thing, bin,
       (SELECT CASE WHEN h.address + h.span * :page_bytes > p.address THEN h.node END FROM page_home h
         WHERE h.snapshot = p.snapshot AND h.address <= p.address ORDER BY h.address DESC LIMIT 1) AS node, count(*)
  FROM looked p GROUP BY thing, bin, node
"""
