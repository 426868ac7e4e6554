# SPDX-License-Identifier: Apache-2.0
"""Adds one row to a recording that is closed: the only write that the reports make."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from numaprof.recording.sql.sql_summary import WRITE
from numaprof.text.messages import Failure


def write_summary(path: str, version: int, text: str) -> None:
    """No journal file beside it: who copies the recording meanwhile would lose the journal. The recorder waited for no
    disk either."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = memory")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(WRITE, {"version": version, "text": text})
    except sqlite3.Error as error:
        raise Failure(
            f"cannot write the summary into {path}: {error}", "numaprof merge makes it, more slowly"
        ) from error
