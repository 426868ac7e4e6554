# SPDX-License-Identifier: Apache-2.0
"""SQL for accesses with an address: who uses which object, and which part of it."""

from __future__ import annotations

from typing import NamedTuple


class Use(NamedTuple):
    kind: int
    thing: int | None
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
SELECT kind, thing, init_thread, k.site AS site, o.one AS loop, thread, node, page_node,
       CASE WHEN {IN_DRAM} THEN remote END AS remote, steady,
       sum(weight), count(*), total(1.0 * weight * weight)
  FROM access LEFT JOIN stack_site k USING (stack)
  LEFT JOIN outer_place USING (stack) LEFT JOIN same_place o ON o.site = outer_place.place
 WHERE {OF_DRAM_OR_UNKNOWN}
 GROUP BY kind, thing, init_thread, k.site, o.one, thread, node, page_node, remote, steady
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


# Which part of a thing who touched (is_use 0, in pages) and used (1; weight in accesses, seen in samples), over all its
# blocks.
CELLS = """
SELECT thing, is_use, p.steady, thread, node,
       min(:bins - 1, CAST((e.start + max(0, address - e.first)) * :bins / w.bytes AS INTEGER)) AS bin, sum(weight),
       sum(seen), total(1.0 * weight * weight)
  FROM placed p JOIN extent e USING (thing, process, block) JOIN whole w USING (thing)
 GROUP BY thing, is_use, p.steady, thread, node, bin
"""
