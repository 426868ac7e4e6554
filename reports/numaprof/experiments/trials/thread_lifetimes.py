# SPDX-License-Identifier: Apache-2.0
"""How many threads a program had at once."""

from __future__ import annotations

from collections.abc import Iterable

from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_threads
from numaprof.recording.sql.sql_threads import Life


def most_at_once(path: str) -> int | None:
    """None: no thread was seen. Helper threads of runtimes do not count."""
    with Recording(path) as recording:
        return overlap(recording.rows(Life, sql_threads.LIVES))


def overlap(lives: Iterable[Life]) -> int | None:
    steps = [(life.start_ns, 1) for life in lives]
    steps += [(life.end_ns, -1) for life in lives if life.end_ns is not None]
    now = most = 0
    for _, step in sorted(steps):  # of equal times the end comes first
        now += step
        most = max(most, now)
    return most or None
