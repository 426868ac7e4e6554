# SPDX-License-Identifier: Apache-2.0
"""The words of the tables sample_kind and source. A test holds them against core/recording/schema.sql.

SQL writes them as parameters: kind = @LOAD, source = @REMOTE_DRAM. Python and SQL have no other numbers for them.
"""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    OVERFLOW = 1
    LOAD = 2
    STORE = 3
    FIRST_TOUCH = 10
    ZERO_PAGE = 11
    COPY_ON_WRITE = 12
    REFAULT = 13
    HINT = 14
    FILE = 15
    FAULT = 19


class Source(IntEnum):
    LOCAL_DRAM = 1
    REMOTE_DRAM = 2
    LOCAL_CACHE = 3
    REMOTE_CACHE = 4
    REMOTE_MODIFIED = 5
    OWN_CACHE = 6
    OTHER = 7
    SLOW_TIER = 8


PARAMETERS: dict[str, object] = {code.name: int(code) for codes in (Kind, Source) for code in codes}
