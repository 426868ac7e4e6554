# SPDX-License-Identifier: Apache-2.0
"""SQL for samples: sums by kind, the chosen samples, first touches, overflow samples."""

from __future__ import annotations

from typing import NamedTuple

from numaprof.recording.codes import Kind
from numaprof.recording.sql.sql_moments import home_at, lives_until, touched_again


class HomedPages(NamedTuple):
    node: int
    pages: int


# The last snapshot that had answers, for each process: where its memory was when it was last looked at.
LAST_SNAPSHOTS = """
CREATE TEMP TABLE last_snapshot AS
SELECT process, max(id) AS snapshot, method, t_ns FROM snapshot WHERE known > 0 GROUP BY process
"""
HOMED_PAGES = """
SELECT node, sum(span) FROM last_snapshot JOIN page_home USING (snapshot) WHERE node IS NOT NULL GROUP BY node
"""


class SampleKind(NamedTuple):
    kind: int
    name: str
    samples: int
    weight: int


OVERFLOW, LOAD, STORE, FIRST_TOUCH = map(int, (Kind.OVERFLOW, Kind.LOAD, Kind.STORE, Kind.FIRST_TOUCH))
COPY_ON_WRITE, REFAULT, HINT, FILE = map(int, (Kind.COPY_ON_WRITE, Kind.REFAULT, Kind.HINT, Kind.FILE))
ZERO_PAGE, UNKNOWN_FAULT = int(Kind.ZERO_PAGE), int(Kind.FAULT)
TOUCH_KINDS = (FIRST_TOUCH, COPY_ON_WRITE, REFAULT)  # a page gets its home
FAULT_KINDS = (FIRST_TOUCH, ZERO_PAGE, COPY_ON_WRITE, REFAULT, HINT, FILE, UNKNOWN_FAULT)
PLACED_KINDS = (OVERFLOW, LOAD, STORE, *TOUCH_KINDS, HINT, FILE)  # those whose place in the program is looked at
FIRST_KINDS = (FIRST_TOUCH, COPY_ON_WRITE)  # a page is touched first, once
FIRST = "kind IN (@FIRST_TOUCH, @COPY_ON_WRITE)"
TOUCH = "kind IN (@FIRST_TOUCH, @COPY_ON_WRITE, @REFAULT)"

# The recorder's sums; of a recorder that was killed there are none. Then they are counted, by upsert: a million rows
# into a dozen keys, without sorting the million as GROUP BY would.
KIND_SUMS = (
    "CREATE TEMP TABLE kind_sum (kind INTEGER PRIMARY KEY, samples INTEGER, weight INTEGER, below INTEGER)",
    "INSERT INTO kind_sum SELECT kind, samples, weight, 0 FROM sample_sum WHERE samples > 0",
    """
    INSERT INTO kind_sum
    SELECT kind, 1, weight, 0 FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM sample_sum)) CROSS JOIN sample WHERE true
        ON CONFLICT DO UPDATE SET samples = samples + 1, weight = weight + excluded.weight
    """,
    """
    UPDATE kind_sum SET below = min(0x1000000, 0x1000000 * :most / samples)
     WHERE kind IN (@OVERFLOW, @LOAD, @STORE, @FIRST_TOUCH, @COPY_ON_WRITE, @REFAULT, @HINT, @FILE, @FAULT)
    """,
)
SAMPLE_KINDS = """
SELECT s.kind, ifnull(k.name, 'fault'), s.samples, s.weight FROM kind_sum s LEFT JOIN sample_kind k ON k.id = s.kind
 WHERE s.samples > 0
"""


# Objects in memory that was mapped before the recorder came.
WAS_THERE = "CREATE TEMP TABLE was_there AS SELECT object FROM placed_before"
NONE_WAS_THERE = "CREATE TEMP TABLE was_there (object INTEGER)"

# Shared memory that a process maps elsewhere: what is at an address there is `shift` bytes further in the block of the
# process where it was seen first.
ELSEWHERE = "CREATE TEMP TABLE elsewhere (block INTEGER PRIMARY KEY, as_block INTEGER, shift INTEGER)"
FILL_ELSEWHERE = """
INSERT INTO elsewhere
SELECT m.block, m.as_block, f.address - b.address
  FROM main.same_memory m JOIN block b ON b.id = m.block JOIN block f ON f.id = m.as_block AND f.object = b.object
 WHERE b.bytes <= f.bytes
"""

# Samples whose places are looked at: all of them up to :most of a kind, else a share chosen by a hash of their number
# (2654435761 is 2^32 over the golden ratio: neighbours fall far apart). What is chosen stands for the rest. The first
# comparison throws most of a million rows away before anything is looked up for them. Shared memory is that of the
# process where it was seen first, so that one process's first touch stands beside the accesses of the others.
PICKED = """
CREATE TEMP TABLE picked AS
SELECT s.kind, s.event, s.thread, CASE WHEN o.kind = 'shared' THEN o.process ELSE t.process END AS process, s.node,
       s.stack, s.address + ifnull(e.shift, 0) AS address, s.page_node, s.source, s.remote, s.surely_remote, s.t_ns,
       s.latency, ifnull(e.as_block, s.block) AS block,
       s.weight * (1.0 * 0x1000000 / k.below) AS weight, o.id AS object, NULL AS thing
  FROM answered s CROSS JOIN kind_sum k ON k.kind = s.kind
  JOIN thread t ON t.id = s.thread
  LEFT JOIN block b ON b.id = s.block
  LEFT JOIN elsewhere e ON e.block = s.block
  LEFT JOIN object o ON o.id = b.object AND (o.alloc_stack IS NOT NULL OR o.kind = 'stack' OR
       (o.name IS NOT NULL AND o.kind NOT IN ('heap', 'mapping')) OR o.id IN (SELECT object FROM was_there))
 WHERE ((s.id * 2654435761) & 0xffffff) < (SELECT max(below) FROM kind_sum)
   AND ((s.id * 2654435761) & 0xffffff) < k.below
   AND (s.kind <> @OVERFLOW OR s.event IN (
        SELECT id FROM event WHERE placement GLOB 'remote_dram*' OR placement GLOB 'remote_near*'
            OR placement GLOB 'remote_far*' OR placement GLOB 'other_cluster*'))
"""


# The recorder was too late to see of what kind these page faults were. A first touch is a page fault: where one thread
# alone has page faults on an object, not more than the object has pages, that thread touched it first.
BY_ONE_THREAD = (
    f"""
    CREATE TEMP TABLE by_one_thread AS
    SELECT object, sum(kind = @FAULT) * 1.0 * 0x1000000 / (SELECT below FROM kind_sum WHERE kind = @FAULT) AS samples,
           sum(CASE kind WHEN @FAULT THEN weight ELSE 0 END) AS weight, sum(weight) AS pages
      FROM picked WHERE object NOT IN (SELECT object FROM was_there) AND ({TOUCH} OR kind = @FAULT)
     GROUP BY object HAVING min(thread) = max(thread) AND sum(kind = @FAULT) > 0
    """,
    """
    DELETE FROM by_one_thread WHERE object NOT IN (
        SELECT object
          FROM (SELECT object, max(bytes) AS largest, total(bytes) AS all_bytes FROM block
                 WHERE object IN (SELECT object FROM by_one_thread) GROUP BY object)
          JOIN by_one_thread USING (object)
         WHERE pages * :page_bytes BETWEEN :hardly * largest AND all_bytes)
    """,
    """
    INSERT INTO kind_sum
    SELECT kind, round(total(samples)) * sign, round(total(weight)) * sign, 0x1000000
      FROM by_one_thread CROSS JOIN (SELECT @FAULT AS kind, -1 AS sign UNION ALL SELECT @FIRST_TOUCH, 1)
     WHERE true GROUP BY kind
        ON CONFLICT DO UPDATE SET samples = samples + excluded.samples, weight = weight + excluded.weight
    """,
    "UPDATE picked SET kind = @FIRST_TOUCH WHERE kind = @FAULT AND object IN (SELECT object FROM by_one_thread)",
)


class ThreadNode(NamedTuple):
    thread: int
    node: int


THREAD_NODES = "SELECT DISTINCT thread, node FROM picked WHERE node IS NOT NULL"


# A snapshot made from numa_maps tells how many pages of a mapping are where, not which.
_SNAPSHOT = "last_snapshot l ON l.process = p.process AND l.method <> 'numa_maps'"
_SAME_MEMORY = f"{lives_until('p.block', 'l.t_ns')} AND NOT {touched_again('p', 'l.t_ns')}"
_HOME = home_at("p.address", "l.snapshot")
# Only of pages that were asked about themselves: of a large range, one page in `span / pages` was.
_ASKED_HOME = home_at(
    "p.address", "l.snapshot", "(p.address - h.address) / :page_bytes % ((h.span + h.pages - 1) / h.pages) = 0"
)


class LookedAtTwice(NamedTuple):
    thing: int | None
    first: int  # node right after the first touch
    last: int  # node in the last snapshot
    pages: float


# First-touched pages whose node is known from two moments.
LOOKED_AT_TWICE = f"""
SELECT thing, page_node, home, sum(weight)
  FROM (SELECT thing, page_node, {_ASKED_HOME} AS home, weight
          FROM picked p JOIN {_SNAPSHOT}
         WHERE {TOUCH} AND page_node IS NOT NULL AND {_SAME_MEMORY})
 WHERE home IS NOT NULL
 GROUP BY thing, page_node, home
"""


class Touch(NamedTuple):
    thing: int | None
    site: int | None
    thread: int
    node: int | None  # of the CPU that touched
    home: int | None
    pages: float
    samples: int


TOUCHES = f"""
SELECT thing, site, thread, node, ifnull(CASE WHEN {_SAME_MEMORY} THEN {_HOME} END, page_node) AS home, sum(weight),
       count(*)
  FROM picked p LEFT JOIN {_SNAPSHOT}
       LEFT JOIN stack_site USING (stack)
 WHERE {FIRST}
 GROUP BY site, thing, thread, node, home HAVING sum(weight) > 0
"""


class Overflow(NamedTuple):
    site: int | None
    thread: int
    node: int | None
    events: float
    samples: int


OVERFLOWS = """
SELECT site, thread, node, sum(weight), count(*) FROM picked LEFT JOIN stack_site USING (stack)
 WHERE kind = @OVERFLOW GROUP BY site, thread, node
"""
