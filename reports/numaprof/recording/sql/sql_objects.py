# SPDX-License-Identifier: Apache-2.0
"""What is asked about objects: SQL with the shape of its answer, on the `picked` samples of sql_samples.py.

A thing is what a report names: an object of the recording (its id), or memory that has no name of its own and goes by
the place that first touched it (that place's id, negative). 0 is all that is too small to be told apart.
"""

from __future__ import annotations

from typing import NamedTuple

from numaprof.recording.sql.sql_accesses import IN_DRAM
from numaprof.recording.sql.sql_locations import OUTWARDS
from numaprof.recording.sql.sql_moments import TOUCH_TABLES, touch_at, touched_again
from numaprof.recording.sql.sql_samples import TOUCH

# Objects are told apart by their share of all samples of a kind. Touches are a sample too, and a huge page has one for
# all: the nearest below (sql_moments); that of another object only if it is on the very page (recycled memory).
THINGS = (
    """
    CREATE TEMP TABLE main_object AS
    SELECT * FROM (SELECT object AS id FROM picked JOIN kind_sum k USING (kind) WHERE object IS NOT NULL
                    GROUP BY object ORDER BY sum(picked.weight / k.weight) DESC LIMIT :objects)
     UNION
    SELECT * FROM (SELECT object FROM block JOIN object o ON o.id = object WHERE alloc_stack IS NOT NULL
                    GROUP BY object ORDER BY max(bytes) DESC LIMIT :objects / 4)
    """,
    # No address space is larger than 2^47 bytes: what a hostile program claims must not overflow the sums. The end of a
    # block that realloc leaves in its place is told after the start of the next there: it is one block at any time.
    """
    CREATE TEMP TABLE main_block AS
    SELECT id, object, address, bytes, start_ns, min(ifnull(end_ns, later), ifnull(later, end_ns)) AS end_ns
      FROM (SELECT id, object, address, min(max(bytes, 1), 1 << 47) AS bytes, start_ns, end_ns,
                   lead(start_ns) OVER (PARTITION BY object, address ORDER BY start_ns) AS later
              FROM block WHERE object IN (SELECT id FROM main_object) AND id NOT IN (SELECT block FROM elsewhere))
    """,
    "UPDATE picked SET object = 0 WHERE object IS NOT NULL AND object NOT IN (SELECT id FROM main_object)",
    f"""
    UPDATE picked SET thing = ifnull(object, (SELECT -site FROM stack_site WHERE stack = picked.stack))
     WHERE {TOUCH}
    """,
    *TOUCH_TABLES,
    f"""
    INSERT INTO touch (process, block, address, site, thread, thing, t_ns, pages)
    SELECT process, block, address, site, thread, thing, t_ns, weight FROM picked LEFT JOIN stack_site USING (stack)
     WHERE {TOUCH} AND address IS NOT NULL
    """,
    # The initialisation of a block is over when all but the last stragglers of its pages were touched.
    f"""
    CREATE TEMP TABLE touched_until AS
    SELECT thing, whose, min(t_ns) AS until
      FROM (SELECT thing, whose, t_ns, cume_dist() OVER (PARTITION BY thing, whose ORDER BY t_ns) AS part
              FROM (SELECT thing, t_ns, ifnull(block, 0) AS whose FROM picked WHERE {TOUCH} AND thing IS NOT NULL))
     WHERE part >= 0.98 GROUP BY thing, whose
    """,
    # Of a block that was placed before the recorder came no initialisation is seen: a page that is touched late would
    # make one of all before it.
    f"""
    DELETE FROM touched_until
     WHERE thing IN (SELECT object FROM was_there)
       AND whose IN (SELECT id FROM main_block JOIN (SELECT block, sum(weight) AS pages FROM picked WHERE {TOUCH}
                                                      GROUP BY block) ON block = id
                      WHERE pages * :page_bytes < :placed_since * bytes)
    """,
    f"""
    CREATE TEMP TABLE access AS
    SELECT kind, a.process, a.thread, node, page_node, source, remote, surely_remote, weight, latency, a.address,
           a.block, stack, a.t_ns,
           ifnull(object, t.thing) AS thing, t.thread AS init_thread, ifnull(a.t_ns > u.until, 1) AS steady
      FROM (SELECT *, {touch_at("p")} AS touched
              FROM picked p WHERE kind IN (@LOAD, @STORE, @HINT) AND p.address IS NOT NULL) a
      LEFT JOIN touch t ON t.id = a.touched
            AND (a.object IS NULL OR t.thing = a.object OR t.address / :page_bytes = a.address / :page_bytes)
      LEFT JOIN touched_until u ON u.thing = ifnull(object, t.thing) AND u.whose = ifnull(a.block, 0)
    """,
    # weight: pages touched, or accesses. seen: what tells whether that is enough, pages or samples.
    """
    CREATE TEMP TABLE placed AS
    SELECT thing, thread, node, 0 AS is_use, 1 AS steady, CASE WHEN block IS NULL THEN process ELSE 0 END AS process,
           ifnull(block, 0) AS block, address, weight, weight AS seen
      FROM picked WHERE thing <> 0 AND address IS NOT NULL
     UNION ALL
    SELECT thing, thread, node, 1, steady, CASE WHEN block IS NULL THEN process ELSE 0 END, ifnull(block, 0), address,
           weight, 1
      FROM access WHERE thing <> 0
    """,
    # Forked processes have blocks in common.
    # The blocks of a thing laid out one behind the other, in the order of their allocation: that is the order of the
    # loop which allocates them, while large ones have falling addresses.
    """
    CREATE TEMP TABLE extent (
        thing INTEGER, process INTEGER, block INTEGER, first INTEGER, bytes INTEGER, start REAL,
        PRIMARY KEY (thing, process, block)
    ) WITHOUT ROWID
    """,
    """
    INSERT INTO extent
    SELECT thing, process, block, first, bytes,
           sum(1.0 * bytes) OVER (PARTITION BY thing ORDER BY process, begin, first, block) - bytes
      FROM (SELECT thing, process, block, b.start_ns AS begin, ifnull(b.address, min(p.address)) AS first,
                   max(1, ifnull(b.bytes, max(p.address) - min(p.address))) AS bytes
              FROM placed p LEFT JOIN main_block b ON b.id = p.block GROUP BY thing, process, block)
    """,
    "CREATE TEMP TABLE whole AS SELECT thing, sum(1.0 * bytes) AS bytes, count(*) AS blocks FROM extent GROUP BY thing",
)


class Named(NamedTuple):
    id: int
    kind: str
    name: str | None
    blocks: int
    bytes: float | None  # most that lived at one time
    start_ns: int | None


# 0 at the end of a block stands before the start of the next, so that what takes its place is not counted twice.
NAMED = """
SELECT o.id, o.kind, o.name, count(*), max(alive), min(t)
  FROM (SELECT object, t, is_start,
               sum(1.0 * change) OVER (PARTITION BY object ORDER BY t, change ROWS UNBOUNDED PRECEDING) AS alive
          FROM (SELECT object, start_ns AS t, bytes AS change, 1 AS is_start FROM main_block
                 UNION ALL
                SELECT object, end_ns, -bytes, 0 FROM main_block WHERE end_ns IS NOT NULL))
  JOIN object o ON o.id = object
 WHERE is_start GROUP BY o.id
"""


class Growing(NamedTuple):
    thing: int


# What has one block after the other, each larger than the one before: an array that grows. A call that makes the next
# one begins before the end of the last is told.
GROWING = """
SELECT object
  FROM (SELECT object, bytes, end_ns, lag(bytes) OVER w AS before, lead(start_ns, 2) OVER w AS later FROM main_block
        WINDOW w AS (PARTITION BY object ORDER BY start_ns))
 GROUP BY object
HAVING count(*) >= :blocks AND total(bytes > before) = count(*) - 1
   AND total(later IS NULL OR end_ns <= later) = count(*)
"""


class Ended(NamedTuple):
    thing: int
    end_ns: int


# Objects whose blocks were all freed, and when.
ENDED = """
SELECT object, max(end_ns) FROM main_block GROUP BY object HAVING count(*) = count(end_ns)
"""


class AllocationPlace(NamedTuple):
    object: int
    rank: int
    id: int
    module: str | None
    address: int | None
    function: str | None
    offset: int | None
    file: str | None
    line: int | None


# The call stacks of allocations, innermost place first, where it is the user's own. 256: as in sql_locations.py.
ALLOCATION_PATHS = f"""
WITH RECURSIVE walk (object, place, inline_of, caller, rank, depth) AS (
    SELECT o.id, k.place, r.inline_of, k.caller, r.rank, 0
      FROM main_object JOIN object o USING (id) JOIN stack k ON k.id = o.alloc_stack JOIN place_rank r ON r.id = k.place
     UNION ALL
    SELECT w.object, {OUTWARDS}
     WHERE depth < 256
)
SELECT object, rank, p.id, module, address, function, offset, file, line
  FROM walk JOIN place p ON p.id = walk.place WHERE rank > 0 ORDER BY object, depth
"""


class TouchCaller(NamedTuple):
    thing: int
    pages: float
    id: int
    module: str | None
    address: int | None
    function: str | None
    offset: int | None
    file: str | None
    line: int | None


# Who called the user's function that first touched memory without a name. 256: as in sql_locations.py.
TOUCH_CALLERS = f"""
WITH RECURSIVE
asked (thing, stack, pages) AS (
    SELECT thing, stack, sum(weight) FROM picked WHERE {TOUCH} AND thing < 0 AND typeof(stack) = 'integer'
     GROUP BY thing, stack
),
walk (stack, place, inline_of, caller, rank, depth) AS (
    SELECT k.id, k.place, r.inline_of, k.caller, r.rank, 0
      FROM (SELECT DISTINCT stack FROM asked) a JOIN stack k ON k.id = a.stack JOIN place_rank r ON r.id = k.place
     UNION ALL
    SELECT w.stack, {OUTWARDS}
     WHERE depth < 256
),
own AS (SELECT stack, place, function, depth FROM walk JOIN place p ON p.id = walk.place WHERE rank = 3),
inner AS (SELECT stack, function, min(depth) AS depth FROM own GROUP BY stack),
called AS (
    SELECT own.stack, own.place, min(own.depth)
      FROM own JOIN inner USING (stack) WHERE own.depth > inner.depth AND own.function IS NOT inner.function
     GROUP BY own.stack
)
SELECT thing, sum(pages), p.id, module, address, function, offset, file, line
  FROM asked JOIN called USING (stack) JOIN place p ON p.id = called.place
 GROUP BY thing, ifnull(file, p.id), line ORDER BY sum(pages)
"""


class Attributed(NamedTuple):
    kind: int
    named: float  # weight of samples in objects with a name or an allocation site
    by_line: float  # in memory that goes by the line that first touched it
    total: float


ATTRIBUTED = f"""
SELECT kind, total((thing >= 0) * weight), total((thing < 0) * weight), sum(weight)
  FROM (SELECT kind, thing, weight FROM access UNION ALL SELECT kind, thing, weight FROM picked WHERE {TOUCH})
 GROUP BY kind
"""


class Recycled(NamedTuple):
    thing: int
    site: int | None
    thread: int
    pages: float


# Memory of an object that somebody touched before the object was allocated: it was used for something else, and given
# back to the allocator, which kept the pages. The sixteen largest blocks stand for all.
RECYCLED = f"""
SELECT b.object, t.site, t.thread, sum(t.pages * b.for_all)
  FROM (SELECT *, whole / sum(bytes) OVER (PARTITION BY object) AS for_all
          FROM (SELECT *, row_number() OVER (PARTITION BY object ORDER BY bytes DESC) AS rank,
                       1.0 * sum(bytes) OVER (PARTITION BY object) AS whole FROM main_block)
         WHERE rank <= 16) b
  JOIN object o ON o.id = b.object AND o.alloc_stack IS NOT NULL AND o.kind <> 'static'
  JOIN touch t ON t.process = o.process AND t.address >= b.address AND t.address < b.address + b.bytes
   AND t.t_ns < b.start_ns AND t.thing <> b.object AND NOT {touched_again("t", "ifnull(b.end_ns, 1 << 62)")}
 GROUP BY b.object, t.site, t.thread
"""


class Unclear(NamedTuple):
    thing: int
    thread: int
    pages: float


# Page faults of unknown kind, by object: the recorder was too late to see whether they were first touches.
UNCLEAR = """
SELECT object, thread, sum(weight) FROM picked WHERE kind = @FAULT AND object > 0 GROUP BY object, thread
"""


class HugeTouches(NamedTuple):
    thing: int
    pages: float


# What page faults brought as huge pages.
HUGE_TOUCHES = """
SELECT thing, sum(pages) FROM touch WHERE thing IS NOT NULL AND pages >= :huge_fault GROUP BY thing
"""


class HugeRegions(NamedTuple):
    thing: int
    remote: float
    mixed: float  # of these, in regions that threads of several nodes use
    came: float  # of these, in regions whose page fault was seen to bring a huge page


# Aligned stretches of the size of a huge page, 2 MiB on x86-64 and with 4 KiB pages on Arm.
HUGE_REGIONS = f"""
WITH use AS (SELECT *, address / 0x200000 AS region FROM access WHERE thing > 0 AND steady),
     huge AS (SELECT DISTINCT process, address / 0x200000 AS region FROM touch WHERE pages >= :huge_fault),
     mixed AS (SELECT thing, process, region, count(DISTINCT node) > 1 AS several, huge.region IS NOT NULL AS came
                 FROM use LEFT JOIN huge USING (process, region) GROUP BY thing, process, region)
SELECT thing, sum(weight), sum(several * weight), sum(several * came * weight)
  FROM use JOIN mixed USING (thing, process, region)
 WHERE remote AND {IN_DRAM}
 GROUP BY thing
"""


class PlacedBefore(NamedTuple):
    thing: int


PLACED_BEFORE = "SELECT object FROM was_there"
