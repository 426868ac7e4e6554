# SPDX-License-Identifier: Apache-2.0
"""SQL for what is true of an address at a moment: memory is freed, and mapped again at the same address.

Every join by address goes through these expressions. In them :page_bytes is the size of a base page.
"""

from __future__ import annotations

# All touches of pages, also of pages that were mapped again: those of one address follow each other in time.
TOUCH_TABLES = (
    """
    CREATE TEMP TABLE touch (
        id INTEGER PRIMARY KEY, process INTEGER, block INTEGER, address INTEGER, site INTEGER, thread INTEGER,
        thing INTEGER, t_ns INTEGER, pages REAL
    )
    """,
    "CREATE INDEX touch_of_address ON touch (process, address, t_ns)",
    "CREATE INDEX touch_of_block ON touch (block, address, t_ns)",
)


def touch_at(row: str) -> str:
    """The touch that an access reaches: a huge page has one for all its base pages, so that it is the nearest below
    within a huge page (one table of the kernel's: 2 MiB, and 512 MiB of pages of 64 KiB). The last before the access:
    first of its block, then of its process, be it of memory that was used for something else before. Times of two
    events of the kernel are a little apart: else the first after it."""
    near = f"""
        address <= ({row}.address | (:page_bytes - 1)) AND address > {row}.address - :page_bytes * (:page_bytes >> 3)
    """
    before = f"t_ns <= {row}.t_ns ORDER BY address DESC, t_ns DESC LIMIT 1"
    return f"""
coalesce((SELECT id FROM touch WHERE block = {row}.block AND {near} AND {before}),
         (SELECT id FROM touch WHERE process = {row}.process AND {near} AND {before}),
         (SELECT id FROM touch WHERE process = {row}.process AND {near} ORDER BY address DESC, t_ns LIMIT 1))
"""


def touched_again(touch: str, by: str) -> str:
    """True if a page was touched anew after this touch, up to the moment `by`: it was mapped again."""
    return f"""
EXISTS (SELECT 1 FROM touch WHERE process = {touch}.process AND address = {touch}.address
           AND t_ns > {touch}.t_ns AND t_ns <= {by})
"""


def lives_until(block: str, moment: str) -> str:
    """True if a block (or memory of none) was not freed before the moment."""
    return f"ifnull((SELECT b.end_ns FROM block b WHERE b.id = {block}) >= {moment}, 1)"


def home_at(address: str, snapshot: str, condition: str = "1") -> str:
    """The node of a page in a snapshot. Rows of one snapshot do not overlap: the nearest below is the only candidate.
    It says nothing of memory that was freed before."""
    return f"""
(SELECT CASE WHEN h.address + h.span * :page_bytes > {address} AND {condition} THEN h.node END
   FROM page_home h WHERE h.snapshot = {snapshot} AND h.address <= {address}
  ORDER BY h.address DESC LIMIT 1)
"""
