# SPDX-License-Identifier: Apache-2.0
"""The table of objects: how large, how much of its use is remote, where it lies; who touched it, who uses it."""

from __future__ import annotations

from numaprof.analysis.naming import (
    homes_in_text,
    object_name,
)
from numaprof.analysis.relevant_objects import told_part_of_remote
from numaprof.document.object_remarks import attribution, bytes_of, remarks, remote_by_module
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import (
    MIN_OBJECT_BYTES,
    MIN_OBJECT_SHARE,
    MIN_SHOWN,
    MIN_USES_OF_THREAD,
    MOST_SITES,
)
from numaprof.terminal.layout import Layout
from numaprof.terminal.wanted import Wanted
from numaprof.text.format import NOT_KNOWN, number, percent, size


def shown(evidence: Evidence, wanted: Wanted) -> list[Object]:
    """Data that matters by size or by remote accesses; empty if there is nothing that first touches do not tell."""
    least = max(MIN_SHOWN * evidence.bytes(evidence.touched_pages), MIN_OBJECT_BYTES)
    chosen = [found for found in evidence.objects.found if not found.is_ours and _matters(evidence, found, least)]
    if wanted.object is not None:
        chosen = [found for found in evidence.objects.found if wanted.object in object_name(found)]
    chosen = chosen[: wanted.top or MOST_SITES]
    return chosen if any(found.named or found.used for found in chosen) else []


def _matters(evidence: Evidence, found: Object, least: float) -> bool:
    data = found.kind not in ("file", "stack")
    least_remote = max(1.0, (MIN_SHOWN if data else MIN_OBJECT_SHARE) * evidence.samples.remote_accesses)
    if found.remote >= least_remote and found.known_samples >= MIN_USES_OF_THREAD:
        return True
    if evidence.remote_lines.of(found.things) >= MIN_OBJECT_SHARE:
        return True
    seen = bool(found.pages or found.used)
    return data and seen and bytes_of(evidence, found) >= least


def table(evidence: Evidence, layout: Layout, wanted: Wanted) -> None:
    chosen = shown(evidence, wanted)
    if not chosen:
        return
    layout.line()
    head = ["OBJECT", "size", "remote of sampled", "of all remote", "node"]
    right = [False, True, True, True, False]
    cells = [
        [
            object_name(found, max(24, layout.width - 52)),
            size(bytes_of(evidence, found)),
            f"{percent(found.remote / found.known)} of {number(found.known_samples)}" if found.known else NOT_KNOWN,
            percent(part) if (part := told_part_of_remote(evidence, found)) is not None else NOT_KNOWN,
            homes_in_text(found.homes),
        ]
        for found in chosen
    ]
    layout.table_with_remarks(head, cells, right, [remarks(evidence, found) for found in chosen])
    for line in attribution(evidence):
        layout.paragraph(line)


def modules(evidence: Evidence, layout: Layout) -> None:
    shares, rests_on = remote_by_module(evidence)
    if shares:
        layout.line()
        text = " · ".join(f"{name} {percent(share)}" for name, share in list(shares.items())[:4])
        layout.paragraph(f"{text} ({rests_on})", first="REMOTE READS BY  ")
