# SPDX-License-Identifier: Apache-2.0
"""SQL for which instructions ask for remote lines, and which objects the loads at the same instructions read."""

from __future__ import annotations

from typing import NamedTuple


class Asked(NamedTuple):
    request: str  # event.class
    place: int
    module: str | None
    function: str | None
    file: str | None
    line: int | None
    events: float
    samples: int
    squares: float  # sum of the squares of the samples' weights


# Overflow samples of remote events, by the instruction.
ASKED = """
SELECT e.class, p.id, p.module, p.function, p.file, p.line, sum(picked.weight), count(*),
       total(picked.weight * picked.weight)
  FROM picked JOIN event e ON e.id = picked.event JOIN stack k ON k.id = picked.stack JOIN place p ON p.id = k.place
 WHERE picked.kind = @OVERFLOW
 GROUP BY e.class, p.id
"""


class Read(NamedTuple):
    place: int
    module: str | None
    function: str | None
    file: str | None
    line: int | None
    thing: int
    accesses: float
    remote: float  # of these, to pages on other nodes, whoever answered; not those that a slow tier answered
    samples: int


# Sampled loads and stores of any level, by the instruction and what it reads.
READ = """
SELECT p.id, p.module, p.function, p.file, p.line, a.thing, sum(a.weight),
       total(a.weight * (a.source = @REMOTE_DRAM
                         OR (ifnull(a.source, 0) <> @SLOW_TIER AND ifnull(a.node <> a.page_node, 0)))),
       count(*)
  FROM access a JOIN stack k ON k.id = a.stack JOIN place p ON p.id = k.place
 WHERE a.kind IN (@LOAD, @STORE) AND a.thing IS NOT NULL
 GROUP BY p.id, a.thing
"""
