# SPDX-License-Identifier: Apache-2.0
"""SQL for the summary of a rank, which lies in its recording."""

from __future__ import annotations

from typing import NamedTuple


class Summary(NamedTuple):
    version: int
    text: str


SUMMARY = "SELECT version, text FROM summary"
WRITE = "INSERT OR REPLACE INTO summary (id, version, text) VALUES (1, :version, :text)"
