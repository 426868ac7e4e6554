# SPDX-License-Identifier: Apache-2.0
"""SQL for accesses with an address: who uses which object, and which part of it."""

from __future__ import annotations

from typing import NamedTuple


class Use(NamedTuple):
    kind: int
    thing: int | None
    init_thing: int | None
    init_site: int | None
    init_thread: int | None
    site: int | None
    loop: int | None  # where the thread enters the program's own code below the site; None: there
    thread: int
    node: int | None
    page_node: int | None
    remote: int | None  # 1, 0, or not known
    steady: int  # after the initialisation
    accesses: float
    samples: int
    squares: float  # sum of the squares of the weights
    first_ns: int
    last_ns: int


class Sampled(NamedTuple):
    thread: int
    accesses: float


# DRAM answered, or what did is not known: a load that missed caches, a hint fault. Of a store that is not known (IBS
# tells the source of loads only), it may have been a cache: such stores use memory, and are no part of any share.
IN_DRAM = "ifnull(source, CASE kind WHEN @STORE THEN 0 ELSE @LOCAL_DRAM END) IN (@LOCAL_DRAM, @REMOTE_DRAM)"
OF_DRAM_OR_UNKNOWN = "ifnull(source, @LOCAL_DRAM) IN (@LOCAL_DRAM, @REMOTE_DRAM)"
# Sampled loads and stores that DRAM answered, of the samples that are looked at.
SAMPLED = f"""
SELECT thread, sum(weight) FROM picked
 WHERE kind IN (@LOAD, @STORE) AND {IN_DRAM} AND remote IS NOT NULL
 GROUP BY thread
"""
# Each thread adapts its sampling period, and its samples have turns of their own. What those of equal threads stand for
# differed by a factor of five: from here on, the threads' counts tell it. :factors, a JSON object, by thread.
WEIGHED = (
    "CREATE TEMP TABLE thread_factor (thread INTEGER PRIMARY KEY, factor REAL)",
    "INSERT INTO thread_factor SELECT CAST(key AS INTEGER), value FROM json_each(:factors)",
    """
    UPDATE picked SET weight = weight * (SELECT factor FROM thread_factor f WHERE f.thread = picked.thread)
     WHERE kind IN (@LOAD, @STORE) AND thread IN (SELECT thread FROM thread_factor)
    """,
)
# Accesses whose address is known (sampled loads and stores that DRAM answered, hint faults), each beside the first
# touch of its page.
USES = f"""
SELECT kind, thing, init_thing, init_site, init_thread, k.site AS site, o.one AS loop, thread, node, page_node,
       CASE WHEN {IN_DRAM} THEN remote END AS remote, steady,
       sum(weight), count(*), total(1.0 * weight * weight), min(t_ns), max(t_ns)
  FROM access LEFT JOIN stack_site k USING (stack)
  LEFT JOIN outer_place USING (stack) LEFT JOIN same_place o ON o.site = outer_place.place
 WHERE {OF_DRAM_OR_UNKNOWN}
 GROUP BY kind, thing, init_thing, init_site, init_thread, k.site, o.one, thread, node, page_node, remote, steady
"""


class Spell(NamedTuple):
    """Accesses of one thread in one part of the run."""

    kind: int
    thread: int
    part: int
    having: float  # those that are remote, or that the slow tier answered
    surely: float  # of these, those that are remote also where nodes may share their memory controllers
    total: float
    samples: int
    squares: float  # sum of the squares of the weights


def _spells(having: str, surely: str, where: str) -> str:
    """Those of which it is known."""
    return f"""
SELECT kind, thread, (t_ns - first) * :spells / (last - first) AS part,
       sum(weight * having_it), sum(weight * surely), sum(weight), count(*), total(1.0 * weight * weight)
  FROM (SELECT kind, thread, t_ns, weight, {having} AS having_it, {surely} AS surely FROM access WHERE {where})
       CROSS JOIN (SELECT min(t_ns) AS first, max(t_ns) + 1 AS last FROM access)
 WHERE having_it IS NOT NULL
 GROUP BY kind, thread, part
"""


REMOTE_SPELLS = _spells("remote", "surely_remote", IN_DRAM)
SLOW_SPELLS = _spells(
    "source = @SLOW_TIER",
    "source = @SLOW_TIER",
    "kind IN (@LOAD, @STORE) AND source IN (@LOCAL_DRAM, @REMOTE_DRAM, @SLOW_TIER)",
)


class Answer(NamedTuple):
    thing: int | None
    kind: int
    source: int | None
    samples: int
    weight: float
    cycles: float | None  # the sum of their latencies, each times its weight


# Who answered the sampled loads and stores, and how long that took.
ANSWERS = """
SELECT thing, kind, source, count(*), sum(weight), sum(latency * weight)
  FROM access WHERE kind IN (@LOAD, @STORE)
 GROUP BY thing, kind, source
"""


class Cell(NamedTuple):
    thing: int
    is_use: int
    steady: int
    thread: int
    node: int | None
    bin: int
    weight: float
    seen: float
    squares: float  # sum of the squares of the weights


# Which part of a thing who touched (is_use 0, in pages) and used (1; weight in accesses, seen in samples): ...
_CELLS = """
SELECT thing, is_use, p.steady, thread, node,
       min(:bins - 1, CAST({part} * :bins / {bytes} AS INTEGER)) AS bin, sum(weight),
       sum(seen), total(1.0 * weight * weight)
  FROM placed p JOIN extent e USING (thing, process, block) JOIN whole w USING (thing)
 WHERE {things}
 GROUP BY thing, is_use, p.steady, thread, node, bin
"""
_IN_BLOCK = "max(0, address - e.first)"
# ... over all its blocks, ...
CELLS = _CELLS.format(part=f"(e.start + {_IN_BLOCK})", bytes="w.bytes", things="true")
# ... and within its blocks, one laid over the other.
FOLDED_CELLS = _CELLS.format(part=f"1.0 * {_IN_BLOCK}", bytes="e.bytes", things="w.blocks > 1")


class RegionCell(NamedTuple):
    thing: int
    is_use: int
    steady: int
    thread: int
    node: int | None
    bin: int
    weight: float
    seen: float
    site: int


# The same for the parts of a thing that were first touched at one place, where there are several such places.
REGION_CELLS = """
SELECT thing, is_use, steady, thread, node,
       min(:bins - 1, CAST(1.0 * (address - r.first) * :bins / r.bytes AS INTEGER)) AS bin, sum(weight),
       sum(seen), site
  FROM placed p JOIN region r USING (thing, site)
 WHERE is_use AND thing > 0 AND thing IN (SELECT thing FROM region GROUP BY thing HAVING count(*) > 1)
 GROUP BY thing, is_use, steady, thread, node, bin, site
"""


# The same by the place that uses it, as in USES: ...
_LINE_CELLS = """
SELECT a.thing, 1 AS is_use, a.steady, a.thread, a.node,
       min(:bins - 1, CAST({part} * :bins / {bytes} AS INTEGER)) AS bin, sum(a.weight), count(*),
       ifnull(o.one, k.site) AS place
  FROM access a JOIN stack_site k USING (stack)
  LEFT JOIN outer_place USING (stack) LEFT JOIN same_place o ON o.site = outer_place.place
  JOIN extent e ON e.thing = a.thing AND e.block = ifnull(a.block, 0)
       AND e.process = CASE WHEN a.block IS NULL THEN a.process ELSE 0 END
  JOIN whole w ON w.thing = a.thing
 WHERE a.thing > 0 AND k.site > 0 AND {things}
 GROUP BY a.thing, a.steady, a.thread, a.node, bin, place
"""
# ... over all its blocks, and within its blocks, one laid over the other.
LINE_CELLS = _LINE_CELLS.format(part=f"(e.start + {_IN_BLOCK})", bytes="w.bytes", things="true")
FOLDED_LINE_CELLS = _LINE_CELLS.format(part=f"1.0 * {_IN_BLOCK}", bytes="e.bytes", things="w.blocks > 1")


class Sharing(NamedTuple):
    thing: int
    parts: int  # seen used at least twice
    one_thread: int  # of these, used by one thread only
    one_node: int


_SHARING = """
SELECT thing, count(*), sum(threads = 1), sum(nodes = 1)
  FROM (SELECT thing, count(DISTINCT thread) AS threads, count(DISTINCT node) AS nodes FROM placed
         WHERE is_use AND steady GROUP BY thing, process, block, {part} HAVING count(*) > 1)
 GROUP BY thing
"""
PAGE_SHARING = _SHARING.format(part="address / :page_bytes")
BLOCK_SHARING = _SHARING.format(part="block")


class Meetings(NamedTuple):
    thing: int
    samples: int  # in pages that were seen used at least twice
    apart: float  # of two accesses to one page, the share that comes from two nodes


MEETINGS = """
SELECT thing, sum(seen), sum(seen * apart) / sum(seen)
  FROM (SELECT thing, sum(n) AS seen, 1.0 - 1.0 * sum(n * (n - 1)) / (sum(n) * (sum(n) - 1)) AS apart
          FROM (SELECT thing, process, block, address / :page_bytes AS page, count(*) AS n FROM placed
                 WHERE is_use AND steady AND node IS NOT NULL GROUP BY thing, process, block, page, node)
         GROUP BY thing, process, block, page HAVING sum(n) > 1)
 GROUP BY thing
"""


class PageCell(NamedTuple):
    page: int  # the first of its block is 0
    node: int
    weight: float


# Who uses which page of a block of a thing, after the initialisation: its blocks are laid over each other.
PAGE_CELLS = """
SELECT address / :page_bytes - e.first / :page_bytes AS page, node, sum(weight)
  FROM placed p JOIN extent e USING (thing, process, block)
 WHERE thing = :thing AND is_use AND p.steady AND node IS NOT NULL
 GROUP BY page, node
"""


class Order(NamedTuple):
    thing: int
    steps: int  # from one sampled access of a thread to its next
    up: int  # of these, to a higher address
    within: int = 0  # of the steps, those within a block
    up_within: int = 0


ORDERS = """
SELECT thing, count(*), sum(address > before), sum(block IS last), sum(block IS last AND address > before)
  FROM (SELECT thing, address, block, lag(address) OVER steps AS before, lag(block) OVER steps AS last
          FROM placed WHERE is_use AND steady WINDOW steps AS (PARTITION BY thing, thread ORDER BY t_ns))
 WHERE before IS NOT NULL GROUP BY thing
"""
