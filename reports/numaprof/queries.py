# SPDX-License-Identifier: Apache-2.0
"""Every question asked of a recording: SQL with the shape of its answer. core/schema.sql says what the columns mean.

Answers are aggregates. Samples are joined and summed here, in SQL; Python sees one row per place and thread.
"""

from __future__ import annotations

from typing import NamedTuple


class Run(NamedTuple):
    command: str
    cwd: str | None
    program: str | None
    pid: int | None
    started_at: str
    wall_ns: int | None
    exit_status: int | None
    term_signal: int | None
    complete: int
    host: str | None
    kernel: str | None
    cpu_name: str | None
    uarch: str | None
    emulated: str | None
    page_bytes: int
    balancing: int | None
    balancing_moved_pages: int | None
    huge_pages: str | None
    allowed_nodes: str | None
    pin_policy: str
    pin_plan: str | None
    tool_cpu_ns: int | None
    repeat: int
    tool_version: str


RUN = f"SELECT {', '.join(Run._fields)} FROM run"


class Level(NamedTuple):
    level: int
    collector: str
    used: int
    detail: str | None
    why_not: str | None
    remedy: str | None


LEVELS = "SELECT level, collector, used, detail, why_not, remedy FROM evidence ORDER BY level"


class Window(NamedTuple):
    start_ns: int
    end_ns: int | None
    cause: str


WINDOWS = "SELECT start_ns, end_ns, cause FROM window ORDER BY start_ns"


class Node(NamedTuple):
    id: int
    mem_bytes: int | None
    allowed: int
    free_bytes: int | None


NODES = "SELECT id, mem_bytes, allowed, free_bytes FROM node ORDER BY id"


class Cpu(NamedTuple):
    id: int
    node: int | None
    online: int
    allowed: int


CPUS = "SELECT id, node, online, allowed FROM cpu ORDER BY id"


class Latency(NamedTuple):
    from_node: int
    to_node: int
    latency_ns: float


LATENCIES = "SELECT from_node, to_node, latency_ns FROM distance WHERE latency_ns IS NOT NULL"


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


# In the order of their start: that is the order in which the plan deals out CPUs.
THREADS = """
SELECT t.id, t.process, p.pid, t.tid, t.name, t.from_start, t.pin, t.planned_cpu, t.own_cpus, t.cpu_ns, t.migrations,
       t.start_ns
  FROM thread t JOIN process p ON p.id = t.process
 ORDER BY t.start_ns, t.id
"""


class Life(NamedTuple):
    start_ns: int
    end_ns: int | None


LIVES = "SELECT start_ns, end_ns FROM thread WHERE pin <> 'helper'"


class Event(NamedTuple):
    id: int
    collector: str
    name: str
    request: str
    placement: str
    exclude_kernel: int
    remark: str | None


EVENTS = "SELECT id, collector, name, class, placement, exclude_kernel, remark FROM event ORDER BY id"


class Count(NamedTuple):
    event: int
    thread: int | None
    cpu: int | None
    value: int
    running_ns: int


# Grouped by what tells most apart first: half a million rows are sorted in two thirds of the time.
COUNTS = "SELECT event, thread, cpu, sum(value), sum(running_ns) FROM count GROUP BY thread, event, cpu"


class Note(NamedTuple):
    kind: str
    text: str
    remedy: str | None
    times: int
    value: int | None


NOTES = """
SELECT kind, text, remedy, count(*), sum(value) FROM note GROUP BY kind, text, remedy ORDER BY min(id)
"""


class HomedPages(NamedTuple):
    node: int
    pages: int


# The last snapshot that had answers, for each process: where its memory was when it was last looked at.
LAST_SNAPSHOTS = """
CREATE TEMP TABLE last_snapshot AS
SELECT process, max(id) AS snapshot, method FROM snapshot WHERE known > 0 GROUP BY process
"""
HOMED_PAGES = """
SELECT node, sum(span) FROM last_snapshot JOIN page_home USING (snapshot) WHERE node IS NOT NULL GROUP BY node
"""


class SampleKind(NamedTuple):
    kind: int
    name: str
    samples: int
    weight: int


# sample_kind.id in core/schema.sql
OVERFLOW, LOAD, STORE, FIRST_TOUCH, COPY_ON_WRITE, REFAULT, HINT, FILE, UNKNOWN_FAULT = 1, 2, 3, 10, 12, 13, 14, 15, 19
TOUCH_KINDS = (FIRST_TOUCH, COPY_ON_WRITE, REFAULT)  # a page gets its home
FAULT_KINDS = (FIRST_TOUCH, 11, COPY_ON_WRITE, REFAULT, HINT, FILE, UNKNOWN_FAULT)
PLACED_KINDS = (OVERFLOW, LOAD, STORE, *TOUCH_KINDS, HINT, FILE)  # those whose place in the program is looked at
TOUCH = "kind IN (10, 12, 13)"

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
     WHERE kind IN (1, 2, 3, 10, 12, 13, 14, 15, 19)
    """,
)
SAMPLE_KINDS = """
SELECT s.kind, ifnull(k.name, 'fault'), s.samples, s.weight FROM kind_sum s LEFT JOIN sample_kind k ON k.id = s.kind
"""

# Samples whose places are looked at: all of them up to :most of a kind, else a share chosen by a hash of their number
# (2654435761 is 2^32 over the golden ratio: neighbours fall far apart). What is chosen stands for the rest. The first
# comparison throws most of a million rows away before anything is looked up for them.
PICKED = """
CREATE TEMP TABLE picked AS
SELECT s.kind, s.thread, t.process, c.node, s.stack, s.address, s.page_node, s.source, s.t_ns, s.latency, s.block,
       s.weight * (1.0 * 0x1000000 / k.below) AS weight, o.id AS object, NULL AS thing
  FROM sample s CROSS JOIN kind_sum k ON k.kind = s.kind
  JOIN thread t ON t.id = s.thread
  LEFT JOIN cpu c ON c.id = s.cpu
  LEFT JOIN block b ON b.id = s.block
  LEFT JOIN object o ON o.id = b.object AND (o.alloc_stack IS NOT NULL OR o.kind = 'stack' OR
       (o.name IS NOT NULL AND o.kind NOT IN ('heap', 'mapping')))
 WHERE ((s.id * 2654435761) & 0xffffff) < (SELECT max(below) FROM kind_sum)
   AND ((s.id * 2654435761) & 0xffffff) < k.below
   AND (s.kind <> 1 OR s.event IN (
        SELECT id FROM event WHERE placement GLOB 'remote_dram*' OR placement GLOB 'remote_near*'
            OR placement GLOB 'remote_far*' OR placement GLOB 'other_cluster*'))
"""


class ThreadNode(NamedTuple):
    thread: int
    node: int


THREAD_NODES = "SELECT DISTINCT thread, node FROM picked WHERE node IS NOT NULL"

# The home of a page in the last snapshot. Rows of one snapshot do not overlap: the nearest below is the only candidate.
# A snapshot made from numa_maps tells how many pages of a mapping are where, not which.
_HOME = """
(SELECT CASE WHEN h.address + h.span * :page_bytes > p.address THEN h.node END
   FROM page_home h
  WHERE h.snapshot = l.snapshot AND h.address <= p.address
  ORDER BY h.address DESC LIMIT 1)
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
SELECT thing, site, thread, node, ifnull({_HOME}, page_node) AS home, sum(weight), count(*)
  FROM picked p LEFT JOIN last_snapshot l ON l.process = p.process AND l.method <> 'numa_maps'
       LEFT JOIN stack_site USING (stack)
 WHERE {TOUCH}
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
 WHERE kind = 1 GROUP BY site, thread, node
"""
