# SPDX-License-Identifier: Apache-2.0
"""SQL for the tables that a recording has: recordings of earlier versions of numaprof lack some."""

from __future__ import annotations

from typing import NamedTuple


class Tables(NamedTuple):
    found: int


TABLES = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = :name"
