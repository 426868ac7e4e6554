# SPDX-License-Identifier: Apache-2.0
"""SQL for placement files: call stacks of allocations as a program has them, their blocks, and who uses which part.

After load_objects, whose temporary tables it reads.
"""

from __future__ import annotations

from typing import NamedTuple


class Frame(NamedTuple):
    object: int
    module: str | None
    build_id: str | None
    address: int | None  # offset in the module's file, inside the call instruction
    function: str | None
    file: str | None
    line: int | None


# Innermost first, without inlined calls: they have no address of their own. 256: as in sql_locations.py.
FRAMES = """
WITH RECURSIVE walk (object, stack, depth) AS (
    SELECT id, alloc_stack, 0 FROM object WHERE alloc_stack IS NOT NULL AND kind <> 'static'
     UNION ALL
    SELECT object, caller, depth + 1 FROM walk JOIN stack k ON k.id = walk.stack
     WHERE caller IS NOT NULL AND depth < 256
)
SELECT object, module, build_id, address, function, file, line
  FROM walk JOIN stack k ON k.id = walk.stack JOIN place p ON p.id = k.place ORDER BY object, depth
"""


class Block(NamedTuple):
    object: int
    id: int
    bytes: int
    thread: int | None


BLOCKS = "SELECT object, id, bytes, thread FROM block ORDER BY object, start_ns, id"


class Variable(NamedTuple):
    object: int
    module: str | None
    address: int | None  # in the module's own numbering


HAS_ADDRESS = "SELECT count(*) FROM pragma_table_info('object') WHERE name = 'address'"
VARIABLES = """
SELECT o.id, module, o.address FROM object o LEFT JOIN stack k ON k.id = alloc_stack LEFT JOIN place p ON p.id = k.place
 WHERE o.kind = 'static' AND o.address IS NOT NULL
"""


class Count(NamedTuple):
    value: int


class Module(NamedTuple):
    module: str
    build_id: str


MODULES = "SELECT DISTINCT module, build_id FROM place WHERE module IS NOT NULL AND build_id IS NOT NULL"


class Until(NamedTuple):
    t_ns: int | None


# End of the initialisation of these objects: all but stragglers of their pages were touched.
INITIALISED = "SELECT max(until) FROM touched_until WHERE thing IN (SELECT value FROM json_each(:things))"


class Outcome(NamedTuple):
    """What became of one subject of a placement file."""

    line: int
    kind: str
    asked: int
    asked_bytes: int
    placed: int
    placed_bytes: int
    refused: int
    moved_bytes: int
    extra_bytes: int
    checked_bytes: int
    right_bytes: int
    error: str | None


OUTCOMES = f"SELECT {', '.join(Outcome._fields)} FROM main.placed ORDER BY line"
