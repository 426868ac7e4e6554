# SPDX-License-Identifier: Apache-2.0
"""SQL for the use matrices of placement/: each access and each first touch, with its offset in its block."""

from __future__ import annotations

from typing import NamedTuple

from numaprof.recording.sql.sql_accesses import IN_DRAM
from numaprof.recording.sql.sql_samples import TOUCH


class Extent(NamedTuple):
    thing: int
    process: int
    block: int
    bytes: int
    start_ns: int | None  # when it was allocated; None: memory without an allocation
    end_ns: int | None


# In the order of their allocation: that is the order of the loop which allocates them.
EXTENTS = """
SELECT e.thing, e.process, e.block, e.bytes, b.start_ns, b.end_ns FROM extent e LEFT JOIN main_block b ON b.id = e.block
 ORDER BY e.thing, e.start
"""


class UseRow(NamedTuple):
    thing: int
    process: int
    block: int
    offset: int
    thread: int
    node: int
    home: int | None  # node of the page
    remote: int | None
    dram: int  # DRAM answered
    weight: float
    t_ns: int
    steady: int  # after the initialisation
    kind: int
    site: int | None


USES = f"""
SELECT a.thing, e.process, e.block, max(0, a.address - e.first), a.thread, a.node, a.page_node, a.remote,
       {IN_DRAM}, a.weight, a.t_ns, a.steady, a.kind, k.site
  FROM access a JOIN extent e ON e.thing = a.thing AND e.block = ifnull(a.block, 0)
       AND e.process = CASE WHEN a.block IS NULL THEN a.process ELSE 0 END
  LEFT JOIN stack_site k USING (stack)
 WHERE a.thing <> 0 AND a.node IS NOT NULL
"""


class TouchRow(NamedTuple):
    thing: int
    process: int
    block: int
    offset: int
    thread: int
    home: int | None  # node of the page, else of the thread
    pages: float


TOUCHED = f"""
SELECT p.thing, e.process, e.block, max(0, p.address - e.first), p.thread, ifnull(p.page_node, p.node), p.weight
  FROM picked p JOIN extent e ON e.thing = p.thing AND e.block = ifnull(p.block, 0)
       AND e.process = CASE WHEN p.block IS NULL THEN p.process ELSE 0 END
 WHERE {TOUCH} AND p.thing <> 0 AND p.address IS NOT NULL
"""
