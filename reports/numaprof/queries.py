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


class Measurement(NamedTuple):
    at: str
    kernels: str
    buffer_bytes: int | None
    huge_pages: int


class Measured(NamedTuple):
    metric: str
    unit: str
    from_node: int
    to_node: int | None  # None: interleaved over all nodes
    median: float
    low: float
    high: float
    noisy: int


# Recordings made before these tables were there are of the same version: adding a table changes no meaning.
HAS_MEASURED = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('measurement', 'measured')"
MEASUREMENTS = "SELECT at, kernels, buffer_bytes, huge_pages FROM measurement"
MEASURED = """
SELECT metric, unit, from_node, to_node, median, low, high, noisy FROM measured ORDER BY rowid
"""


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


# In the order of their start: that is the order in which the plan deals out CPUs.
THREADS = """
SELECT t.id, t.process, p.pid, t.tid, t.name, t.from_start, t.pin, t.planned_cpu, t.own_cpus, t.cpu_ns, t.migrations
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


COUNTS = "SELECT event, thread, cpu, sum(value), sum(running_ns) FROM count GROUP BY event, thread, cpu"


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
    INSERT INTO kind_sum SELECT kind, 1, weight, 0 FROM sample WHERE NOT EXISTS (SELECT 1 FROM sample_sum)
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

# How good a place is as an answer to "which line of mine?": 3 a line of the user's own source, 2 a function, 1 an
# address of the user's own modules, 0 somebody else's. Own is what lies outside the system's library folders, and the
# program itself.
_PLACE_RANKS = """
CREATE TEMP VIEW place_rank AS
SELECT id, inline_of, CASE
    WHEN module IS NULL OR module LIKE '[%' THEN 0
    WHEN module <> ifnull((SELECT program FROM run), '') AND (module GLOB '/lib*' OR module GLOB '/usr/lib*') THEN 0
    WHEN file IS NOT NULL AND line > 0 AND file NOT GLOB '/usr/include/*' AND file NOT GLOB '/usr/lib/*' THEN 3
    WHEN function IS NOT NULL THEN 2
    ELSE 1 END AS rank
  FROM place
"""

# The site of a stack: the best place on its call path, of equals the innermost. An inlined place stands before what it
# was inlined into, and that before the caller. 256: kernels record 127 frames (perf_event_max_stack), inlined ones come
# on top; a circle, which only damage makes, ends there.
_BEST_PLACES = """
CREATE TEMP TABLE best_place AS
WITH RECURSIVE walk (stack, place, inline_of, caller, rank, depth, called) AS (
    SELECT k.id, k.place, r.inline_of, k.caller, r.rank, 0, NULL
      FROM (SELECT DISTINCT stack FROM picked) u JOIN stack k ON k.id = u.stack JOIN place_rank r ON r.id = k.place
     UNION ALL
    SELECT w.stack, r.id, r.inline_of, CASE WHEN w.inline_of IS NULL THEN k.caller ELSE w.caller END, r.rank, depth + 1,
           w.place
      FROM walk w
      LEFT JOIN stack k ON w.inline_of IS NULL AND k.id = w.caller
      JOIN place_rank r ON r.id = ifnull(w.inline_of, k.place)
     WHERE w.rank < 3 AND depth < 256
)
SELECT stack, place AS site, called, max(1000 * rank - depth) FROM walk GROUP BY stack
"""

ELSEWHERE = 0  # the site of all samples whose place is none of the main ones

# Of each kind, shares are compared: pages and reads do not add up.
_MAIN_PLACES = """
CREATE TEMP TABLE main_place AS
SELECT site FROM picked JOIN best_place USING (stack) JOIN kind_sum k USING (kind)
 GROUP BY site ORDER BY sum(picked.weight / k.weight) DESC LIMIT :places
"""
# Instructions of one line are one site.
_SAME_PLACES = """
CREATE TEMP TABLE same_place AS
SELECT site, CASE WHEN line > 0 AND file IS NOT NULL THEN min(site) OVER (PARTITION BY function, file, line)
                  ELSE site END AS one
  FROM main_place JOIN place ON place.id = site
"""
STACK_SITES = (
    _PLACE_RANKS,
    _BEST_PLACES,
    _MAIN_PLACES,
    _SAME_PLACES,
    "CREATE TEMP TABLE stack_site (stack INTEGER PRIMARY KEY, site INTEGER NOT NULL, called INTEGER)",
    "INSERT INTO stack_site SELECT stack, ifnull(one, 0), called FROM best_place LEFT JOIN same_place USING (site)",
)


class Place(NamedTuple):
    id: int
    module: str | None
    address: int | None
    function: str | None
    offset: int | None
    file: str | None
    line: int | None


PLACES = """
SELECT id, module, address, function, offset, file, line FROM main_place JOIN place ON place.id = main_place.site
"""


class ThreadNode(NamedTuple):
    thread: int
    node: int
    samples: int


THREAD_NODES = "SELECT thread, node, count(*) FROM picked WHERE node IS NOT NULL GROUP BY thread, node"

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


class LibraryCall(NamedTuple):
    site: int
    function: str
    container: int  # of C++'s standard library
    pages: float


# First touches within what the site calls and the user cannot edit: memset, calloc, a read into fresh memory, a
# vector's constructor that was inlined.
LIBRARY_CALLS = f"""
SELECT site, c.function, ifnull(c.file GLOB '*/include/c++/*', 0), sum(weight)
  FROM picked JOIN stack_site USING (stack) JOIN place_rank r ON r.id = called JOIN place c ON c.id = called
 WHERE {TOUCH} AND c.function IS NOT NULL AND (r.rank < 2 OR c.file GLOB '/usr/*')
 GROUP BY site, c.function ORDER BY sum(weight) DESC
"""


# Does a runtime of OpenMP call the program's functions?
_OPENMP = "module GLOB '*/libgomp*' OR module GLOB '*/libomp*' OR module GLOB '*/libiomp*'"
OPENMP = f"""
SELECT EXISTS (SELECT 1 FROM place WHERE function GLOB '*._omp_fn.*' OR function GLOB '*.omp_outlined*')
    OR EXISTS (SELECT 1 FROM stack k JOIN stack c ON c.id = k.caller JOIN place p ON p.id = k.place
                WHERE c.place IN (SELECT id FROM place WHERE {_OPENMP})
                  AND p.module NOT IN (SELECT module FROM place WHERE {_OPENMP}))
"""


class Truth(NamedTuple):
    answer: int


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


class ModuleReads(NamedTuple):
    overflows: int  # 1: the counters' overflow samples; 0: sampled loads and stores
    module: str | None
    events: float
    samples: int


# In whose code the instructions stand that read remotely, by overflow samples; not who called it.
MODULE_READS = """
SELECT kind = 1, module, sum(weight), count(*)
  FROM picked JOIN stack ON stack.id = picked.stack JOIN place ON place.id = stack.place
 WHERE kind = 1 OR (kind IN (2, 3) AND (source = 2 OR (source IS NULL AND node <> page_node)))
 GROUP BY kind = 1, module
"""
