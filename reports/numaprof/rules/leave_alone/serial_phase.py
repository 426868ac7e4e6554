# SPDX-License-Identifier: Apache-2.0
"""What is remote is one thread's, in a serial phase, on memory that lies where its other users are."""

from __future__ import annotations

from numaprof.analysis.naming import objects_in_text, site_label, thread_in_text
from numaprof.analysis.object_users import main_use
from numaprof.analysis.relevant_objects import measured, suspects
from numaprof.analysis.serial_phase import lone_reader, read_alone
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.thresholds import MIN_OBJECT_SHARE
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import percent, plural


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).fixable or not measured(evidence):
        return None
    group = [found for found in suspects(evidence) if lone_reader(evidence, found) is not None]
    alone = read_alone(evidence, group)
    if not alone:
        return None
    thread = max(alone, key=lambda each: alone[each])
    part = alone[thread] / evidence.samples.remote_accesses
    if part < MIN_OBJECT_SHARE:
        return None
    group = [found for found in group if lone_reader(evidence, found) == thread]
    uses = [row for found in group for row in found.used if row.thread == thread and row.remote]
    use = main_use(uses)
    where = f" at {site_label(use)}" if use is not None else ""
    return Advice(
        kind=Kind.LEAVE,
        finding=f"{percent(part)} of the remote accesses with a known address are those of "
        f"{thread_in_text(evidence.by_id.get(thread))}{where}, alone, to {objects_in_text(evidence, group)}: serial.",
        change="Placement cannot help: the memory is near the threads that use its parts. Divide this phase like the "
        "others, or leave it.",
        evidence=f"{plural(sum(row.samples for row in uses), 'sample')} of that thread; less than a tenth of what the "
        "others access there is remote.",
        concerns=part,
        objects=tuple(group),
        used_at=use,
        threads=tuple(each for each in [evidence.by_id.get(thread)] if each is not None),
    )
