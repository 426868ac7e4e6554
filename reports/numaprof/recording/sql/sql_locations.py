# SPDX-License-Identifier: Apache-2.0
"""SQL for source locations, on the `picked` samples of sql_samples.py."""

from __future__ import annotations

from typing import NamedTuple

from numaprof.recording.sql.sql_accesses import IN_DRAM
from numaprof.recording.sql.sql_samples import TOUCH

# Ends of the paths of interpreters and virtual machines, as GLOB has them. Wherever they lie, and though they may have
# debug information, their lines are not the user's: functions say more. A program of the user's may be called node.
RUNTIME_MODULES = ("libpython3*", "python3*", "libjvm.so", "libjulia*", "bin/node", "bin/nodejs", "libnode.so*")
_IS_RUNTIME = " OR ".join(f"(path GLOB '*/{name}' AND path NOT GLOB '*/{name}/*')" for name in RUNTIME_MODULES)

# There are few modules, and many places: modules are asked first.
_MODULES = "CREATE TEMP TABLE module AS SELECT DISTINCT module AS path FROM place"
_INTERPRETERS = f"CREATE TEMP TABLE interpreter AS SELECT path FROM module WHERE {_IS_RUNTIME}"

# How good a place is as an answer to "which line of mine?": 3 a line of the user's own source, 2 a function, also one
# that a just-in-time compiler named, 1 an address of the user's own modules, code without a name that was made at run
# time, an interpreter, or Go's runtime (it is in the program), 0 somebody else's.
# Own is what is outside the system's library folders, and the program itself; but no line of Rust's standard library
# (with what it is made of) or of a crate that cargo has fetched, whose code is in the program.
_PLACE_RANKS = """
CREATE TEMP VIEW place_rank AS
SELECT id, inline_of, CASE
    WHEN module = '[anonymous code]' THEN CASE WHEN function IS NOT NULL THEN 2 ELSE 1 END
    WHEN module IN interpreter THEN 1
    WHEN (function GLOB 'runtime.*' OR function GLOB 'internal/*') AND (file GLOB '*.go' OR file GLOB '*.s') THEN 1
    WHEN module IS NULL OR module LIKE '[%' THEN 0
    WHEN module <> ifnull((SELECT program FROM run), '') AND (module GLOB '/lib*' OR module GLOB '/usr/lib*') THEN 0
    WHEN file IS NOT NULL AND line > 0 AND file NOT GLOB '/usr/include/*' AND file NOT GLOB '/usr/lib/*'
         AND file NOT GLOB '/rustc/*' AND file NOT GLOB '/rust/deps/*' AND file NOT GLOB '*/.cargo/registry/src/*'
         THEN 3
    WHEN function IS NOT NULL THEN 2
    ELSE 1 END AS rank
  FROM place
"""

# What a stack matters: of each kind, shares are compared, for pages and reads do not add up. By upsert: without a sort.
_USED_STACKS = """
INSERT INTO used_stack
SELECT stack, picked.weight / k.weight, kind IN (@LOAD, @STORE, @HINT)
  FROM picked JOIN kind_sum k USING (kind) WHERE typeof(stack) = 'integer'
    ON CONFLICT DO UPDATE SET share = share + excluded.share, has_access = has_access OR excluded.has_access
"""

# The site of a stack: the best place on its call stack, of equals the innermost. Often that is where it begins: a line
# of the user's own.
_OWN_PLACES = """
INSERT INTO best_place
SELECT k.id, k.place, NULL, k.caller, 3000
  FROM used_stack u JOIN stack k ON k.id = u.stack JOIN place_rank r ON r.id = k.place
 WHERE r.rank = 3
"""
# The next step of a walk (place, inline_of, caller, rank, depth): to what a place was inlined into, else to the caller.
OUTWARDS = """r.id, r.inline_of, CASE WHEN w.inline_of IS NULL THEN k.caller ELSE w.caller END, r.rank, depth + 1
      FROM walk w
      LEFT JOIN stack k ON w.inline_of IS NULL AND k.id = w.caller
      JOIN place_rank r ON r.id = ifnull(w.inline_of, k.place)"""

# Else one looks along the path. 256: kernels record 127 frames (perf_event_max_stack), inlined ones come on top; a
# circle, which only damage makes, ends there.
_BEST_PLACES = f"""
INSERT INTO best_place
WITH RECURSIVE walk (stack, called, place, inline_of, caller, rank, depth) AS (
    SELECT k.id, NULL, k.place, r.inline_of, k.caller, r.rank, 0
      FROM used_stack u JOIN stack k ON k.id = u.stack JOIN place_rank r ON r.id = k.place
     WHERE u.stack NOT IN (SELECT stack FROM best_place)
     UNION ALL
    SELECT w.stack, w.place, {OUTWARDS}
     WHERE w.rank < 3 AND depth < 256
)
SELECT stack, place, called, caller, max(1000 * rank - depth) FROM walk GROUP BY stack
"""

# Where threads enter the program's own code below that: of an accessor the loop that calls it. What main calls stays as
# it is, since main calls everything. Only accesses with addresses ask for it. Stacks share their callers, and places
# what they are inlined into: each is walked once.
_OUTER_PLACES = (
    """
    CREATE TEMP TABLE leaf AS
    SELECT stack, p.id AS place, caller, p.inline_of
      FROM used_stack JOIN best_place USING (stack) JOIN place p ON p.id = site
     WHERE has_access AND worth > 2000
    """,
    "CREATE TEMP TABLE inlined_in (first INTEGER PRIMARY KEY, place INTEGER, next INTEGER, depth INTEGER)",
    """
    INSERT INTO inlined_in
    WITH RECURSIVE walk (first, place, next, depth) AS (
        SELECT DISTINCT place, place, inline_of, 0 FROM leaf WHERE inline_of IS NOT NULL
         UNION ALL
        SELECT first, r.id, r.inline_of, depth + 1 FROM walk w JOIN place_rank r ON r.id = w.next
         WHERE r.rank = 3 AND depth < 256
    )
    SELECT first, place, next, max(depth) FROM walk GROUP BY first
    """,
    "CREATE TEMP TABLE called_from (first INTEGER PRIMARY KEY, place INTEGER, depth INTEGER)",
    f"""
    INSERT INTO called_from
    WITH RECURSIVE walk (first, place, inline_of, caller, rank, depth) AS (
        SELECT k.id, k.place, r.inline_of, k.caller, r.rank, 1
          FROM (SELECT DISTINCT caller FROM leaf LEFT JOIN inlined_in i ON i.first = leaf.place WHERE i.next IS NULL) c
          JOIN stack k ON k.id = c.caller JOIN place_rank r ON r.id = k.place WHERE r.rank = 3
         UNION ALL
        SELECT w.first, {OUTWARDS}
         WHERE r.rank = 3 AND depth < 256
    )
    SELECT first, place, max(depth) FROM walk GROUP BY first
    """,
    """
    INSERT INTO outer_place
    SELECT stack, p.id
      FROM leaf LEFT JOIN inlined_in i ON i.first = leaf.place
      LEFT JOIN called_from c ON i.next IS NULL AND c.first = leaf.caller
      JOIN place p ON p.id = coalesce(c.place, i.place, leaf.place)
     WHERE (i.depth > 0 OR c.place IS NOT NULL) AND ifnull(p.function, '') <> 'main'
    """,
)

ELSEWHERE = 0  # the site of all samples whose place is none of the main ones

_MAIN_PLACES = """
CREATE TEMP TABLE main_place AS
SELECT site FROM used_stack JOIN best_place USING (stack) GROUP BY site ORDER BY sum(share) DESC LIMIT :places
"""
# Instructions of one line are one site.
_SAME_PLACES = """
CREATE TEMP TABLE same_place AS
SELECT site, CASE WHEN line > 0 AND file IS NOT NULL THEN min(site) OVER (PARTITION BY function, file, line)
                  ELSE site END AS one
  FROM main_place JOIN place ON place.id = site
"""
STACK_SITES = (
    _MODULES,
    _INTERPRETERS,
    _PLACE_RANKS,
    """CREATE TEMP TABLE best_place
           (stack INTEGER PRIMARY KEY, site INTEGER, called INTEGER, caller INTEGER, worth INTEGER)""",
    "CREATE TEMP TABLE used_stack (stack INTEGER PRIMARY KEY, share REAL, has_access INTEGER)",
    _USED_STACKS,
    _OWN_PLACES,
    _BEST_PLACES,
    _MAIN_PLACES,
    "CREATE TEMP TABLE outer_place (stack INTEGER PRIMARY KEY, place INTEGER NOT NULL)",
    *_OUTER_PLACES,
    "INSERT INTO main_place SELECT DISTINCT place FROM outer_place WHERE place NOT IN (SELECT site FROM main_place)",
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


_FILE_NAME = "replace(c.module, rtrim(c.module, replace(c.module, '/', '')), '')"


class LibraryCall(NamedTuple):
    site: int
    function: str
    container: int  # of C++'s standard library
    share: float  # of all that the site first touches


# First touches within what the site calls and the user cannot edit: memset, calloc, a read into fresh memory, a
# vector's constructor that was inlined. Algorithms (std::fill) are called by the user, for a part as well as for all.
# Variants for different CPUs (memcpy) have no name in a stripped library: then the library is named.
LIBRARY_CALLS = f"""
SELECT site, ifnull(c.function, 'a function of ' || {_FILE_NAME}) AS name,
       ifnull(c.file GLOB '*/include/c++/*' AND NOT c.file GLOB '*/stl_algo*' AND NOT c.file GLOB '*/stl_numeric.h', 0),
       sum(weight) / total
  FROM (SELECT site, called, weight, sum(weight) OVER (PARTITION BY site) * 1.0 AS total
          FROM picked JOIN stack_site USING (stack)
         WHERE {TOUCH} AND site IN (SELECT site FROM stack_site WHERE called IS NOT NULL))
  JOIN place_rank r ON r.id = called JOIN place c ON c.id = called
 WHERE ifnull(c.function, c.module) NOT LIKE '[%' AND (r.rank < 2 OR c.file GLOB '/usr/*')
 GROUP BY site, name ORDER BY sum(weight) DESC
"""


# Does a runtime of OpenMP call the program's functions? CASE: SQLite would evaluate both sides of an OR.
OPENMP = """
WITH runtime AS (
    SELECT path FROM module WHERE path GLOB '*/libgomp*' OR path GLOB '*/libomp*' OR path GLOB '*/libiomp*'
)
SELECT CASE
    WHEN EXISTS (SELECT 1 FROM place WHERE function GLOB '*._omp_fn.*' OR function GLOB '*.omp_outlined*') THEN 1
    WHEN NOT EXISTS (SELECT 1 FROM runtime) THEN 0
    ELSE EXISTS (SELECT 1 FROM stack k JOIN stack c ON c.id = k.caller JOIN place p ON p.id = k.place
                  WHERE c.place IN (SELECT id FROM place WHERE module IN runtime) AND p.module NOT IN runtime)
    END
"""


class Truth(NamedTuple):
    answer: int


class ModuleReads(NamedTuple):
    overflows: int  # 1: the counters' overflow samples; 0: sampled loads and stores
    module: str | None
    events: float
    samples: int


# In whose code the instructions stand that read remotely, by overflow samples; not who called it.
MODULE_READS = f"""
SELECT kind = @OVERFLOW, module, sum(weight), count(*)
  FROM picked JOIN stack ON stack.id = picked.stack JOIN place ON place.id = stack.place
 WHERE kind = @OVERFLOW
    OR (kind IN (@LOAD, @STORE) AND remote AND {IN_DRAM})
 GROUP BY kind = @OVERFLOW, module
"""


class SourceLine(NamedTuple):
    file: str
    line: int
    text: str


SOURCE_LINES = "SELECT file, line, text FROM source_line LIMIT 65536"
