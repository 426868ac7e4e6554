# SPDX-License-Identifier: Apache-2.0
"""Which rows of the tables somebody wants to see, and in what order."""

from __future__ import annotations

from dataclasses import dataclass

SORT_KEYS = ("remote", "requests", "cpu", "name")


@dataclass(frozen=True)
class Wanted:
    """None: all of them."""

    top: int | None = None  # rows of a table
    sort: str | None = None  # of SORT_KEYS, for threads
    thread: str | None = None  # part of its name, or its tid
    object: str | None = None  # part of its name
    node: int | None = None


EVERYTHING = Wanted()
