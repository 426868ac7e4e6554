# SPDX-License-Identifier: Apache-2.0
"""SQL for page maps: which part of an object lies on which node."""

from __future__ import annotations

from typing import NamedTuple

from numaprof.recording.sql.sql_moments import home_at


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
MAP_HOMES = f"""
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
       {home_at("p.address", "p.snapshot")} AS node, count(*)
  FROM looked p GROUP BY thing, bin, node
"""
