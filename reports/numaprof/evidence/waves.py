# SPDX-License-Identifier: Apache-2.0
"""Programs that start new threads for each pass over their memory, each of which takes the part of one before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from numaprof.recording.sql.sql_threads import Thread


def stand_ins(threads: Sequence[Thread]) -> Mapping[int, int]:
    """For each thread of a later wave, by its id, the thread of the first wave that was started at its place.

    threads: in the order of their start. Waves are as large as each other, and one starts after the one before has
    ended. Empty: there are none.
    """
    found: dict[int, int] = {}
    by_process: dict[int, list[Thread]] = defaultdict(list)
    for thread in threads:
        by_process[thread.process].append(thread)
    for mine in by_process.values():
        waves = _waves(mine[1:])
        if len(waves) > 1 and len(waves[0]) > 1 and len({len(wave) for wave in waves}) == 1:
            found |= {later.id: first.id for wave in waves[1:] for first, later in zip(waves[0], wave)}
    return found


def _waves(threads: Iterable[Thread]) -> list[list[Thread]]:
    """Threads that ran at one time, without the thread that starts them."""
    waves: list[list[Thread]] = []
    ended: int | None = 0
    for thread in threads:
        if not waves or (ended is not None and thread.start_ns >= ended):
            waves.append([])
        waves[-1].append(thread)
        ended = None if ended is None or thread.end_ns is None else max(ended, thread.end_ns)
    return waves
