# SPDX-License-Identifier: Apache-2.0
"""Evidence levels that ran and cannot give the verdict: the next one does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from numaprof.evidence.counts import Count
from numaprof.evidence.machine import Machine
from numaprof.evidence.samples import Spells
from numaprof.evidence.thresholds import MIN_OBJECT_BYTES, MIN_SAMPLES, SILENT_NS
from numaprof.evidence.traffic import Ledger
from numaprof.recording.sql import sql_run
from numaprof.recording.sql.sql_samples import LOAD, STORE
from numaprof.text.format import duration

# How the recorder's words for what local means begin (profiler/verify/verify_judge.c).
OWN_NODE = "the memory of the own node"
SAMPLES_TELL = "may call memory of all nodes of a package local; sampled loads and the nodes of their pages decide"


def count_packages(machine: Machine, notes: Iterable[sql_run.Note], local: str | None) -> bool:
    """True if counters may call all nodes of a package local where its nodes are not equally near.

    local: what numaprof verify found; without it the recorder notes where the event catalogue does not know.
    """
    if not machine.controllers.split:
        return False
    return not local.startswith(OWN_NODE) if local else any(note.kind == "clusters" for note in notes)


def samples_decide(spells: Spells) -> bool:
    return sum(spell.samples for spell in spells.remote if spell.kind in (LOAD, STORE)) >= MIN_SAMPLES


def uses_memory(cpu_ns: int, touched_bytes: float, spells: Spells) -> bool:
    """True if the program must have made requests to DRAM that its threads wait for."""
    return cpu_ns >= SILENT_NS and (touched_bytes >= MIN_OBJECT_BYTES or samples_decide(spells))


def counted_nothing(books: Ledger, cpu_ns: int) -> str | None:
    """The reason to drop the counters of a program that uses memory; None: they counted something, or were not open."""
    if not books.tells_remote:
        return None
    scopes: list[Mapping[int, list[Count]]] = [*books.by_thread.values(), books.unattributed]
    if any(count.value for counts in scopes for found in counts.values() for count in found):
        return None
    return f"counted nothing in {duration(cpu_ns)} of CPU time, though the program used memory: filtered here, it seems"


def without(levels: Sequence[sql_run.Level], dropped: Mapping[str, str | None]) -> tuple[sql_run.Level, ...]:
    """dropped: by collector why; None: it is not dropped."""
    return tuple(
        level._replace(used=0, why_not=dropped[level.collector], remedy="numaprof verify tells more")
        if level.used and dropped.get(level.collector) is not None
        else level
        for level in levels
    )
