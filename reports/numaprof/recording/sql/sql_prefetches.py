# SPDX-License-Identifier: Apache-2.0
"""SQL for which instructions ask for remote lines, and which objects the loads at the same instructions read."""

from __future__ import annotations

from typing import NamedTuple

from numaprof.recording.sql.sql_accesses import IN_DRAM


class Asked(NamedTuple):
    request: str  # event.class
    place: int
    module: str | None
    function: str | None
    file: str | None
    line: int | None
    thread: int
    spell: int
    events: float
    samples: int
    squares: float  # sum of the squares of the samples' weights


_SPELL = "(t_ns - first) * :spells / (last - first)"  # part of the run
_RUN = "(SELECT min(t_ns) AS first, max(t_ns) + 1 AS last FROM picked WHERE kind IN (@OVERFLOW, @LOAD, @STORE, @HINT))"

# Overflow samples of remote events, by the instruction.
ASKED = f"""
SELECT e.class, p.id, p.module, p.function, p.file, p.line, picked.thread, {_SPELL} AS spell, sum(picked.weight),
       count(*), total(picked.weight * picked.weight)
  FROM picked JOIN event e ON e.id = picked.event JOIN stack k ON k.id = picked.stack JOIN place p ON p.id = k.place
       CROSS JOIN {_RUN}
 WHERE picked.kind = @OVERFLOW
 GROUP BY e.class, p.id, picked.thread, spell
"""


class Answered(NamedTuple):
    thing: int
    thread: int
    spell: int
    accesses: float
    samples: int
    squares: float


# Accesses with an address that remote DRAM answered; 0: to what nobody knows.
ANSWERED = f"""
SELECT ifnull(thing, 0), thread, {_SPELL} AS spell, sum(weight), count(*), total(1.0 * weight * weight)
  FROM access CROSS JOIN {_RUN}
 WHERE {IN_DRAM} AND remote
 GROUP BY 1, thread, spell
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
       total(a.weight * a.remote),
       count(*)
  FROM access a JOIN stack k ON k.id = a.stack JOIN place p ON p.id = k.place
 WHERE a.kind IN (@LOAD, @STORE) AND a.thing IS NOT NULL
 GROUP BY p.id, a.thing
"""
