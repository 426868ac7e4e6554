# SPDX-License-Identifier: Apache-2.0
"""Objects with what is known of them: how much of their use is remote, who touched, who uses which part."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.analysis.naming import homes_in_text, object_name, short_object_name
from numaprof.analysis.object_users import main_use, users
from numaprof.analysis.relevant_objects import error_of_told_part, most_remote_first, told_part_of_remote
from numaprof.analysis.remote_share import HINTS, LOADS, basis
from numaprof.document.object_remarks import attribution, bytes_of, moved, remarks, remote_by_module
from numaprof.document.open_recording import Reading
from numaprof.document.sections.lines_section import place
from numaprof.document.sections.page_map_section import page_maps
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import (
    MAINLY,
    MIN_OBJECT_BYTES,
    MIN_OBJECT_SHARE,
    MIN_SAMPLES,
    MIN_SAMPLES_OF_PART,
    MIN_SHOWN,
    MIN_USES_OF_THREAD,
    NEARLY_ALL,
)
from numaprof.model import report_model as model
from numaprof.placement.decide import Scored
from numaprof.placement.explain import use_in_words
from numaprof.recording.sql import sql_page_map
from numaprof.text.format import clean


def listed(evidence: Evidence) -> list[Object]:
    """In the order of the report's rows."""
    seen = (thing for thing in most_remote_first(evidence) if thing.pages or thing.used or thing.bytes)
    return [thing for thing in seen if not thing.is_ours]


def objects(source: Reading, maps: bool, scored: Sequence[Scored]) -> model.Objects:
    """Those with most remote accesses first, then the largest; none of which nothing was seen."""
    evidence = source.evidence
    rows = {row.obj.things: row for row in scored}
    found = listed(evidence)
    stretches = page_maps(source, found) if maps else {}
    matters = {thing.things for thing in found if _matters(evidence, thing)}
    if not any(thing.named or thing.used for thing in found if thing.things in matters):
        matters = set()  # what first touches tell as well
    unlisted = source.recording.one(sql_page_map.Unlisted, sql_page_map.UNLISTED).objects
    return model.Objects(
        population=_population(evidence, found),
        attribution=tuple(attribution(evidence)),
        not_listed=unlisted,
        enough_samples=MIN_USES_OF_THREAD,
        enough_for_threads=MIN_SAMPLES,
        rows=tuple(
            _object(
                evidence, thing, rows.get(thing.things), thing.things in matters, stretches.get(thing.things[0], ())
            )
            for thing in found
        ),
    )


def _matters(evidence: Evidence, found: Object) -> bool:
    data = found.kind not in ("file", "stack")
    least_remote = max(1.0, (MIN_SHOWN if data else MIN_OBJECT_SHARE) * evidence.samples.remote_accesses)
    if found.remote >= least_remote and found.known_samples >= MIN_USES_OF_THREAD:
        return True
    if evidence.remote_lines.of(found.things) >= MIN_OBJECT_SHARE:
        return True
    least = max(MIN_SHOWN * evidence.bytes(evidence.touched_pages), MIN_OBJECT_BYTES)
    return data and bool(found.pages or found.used) and bytes_of(evidence, found) >= least


def _population(evidence: Evidence, found: list[Object]) -> str | None:
    """What the remote shares of objects are shares of: never the counters' requests, which have no addresses."""
    if not any(thing.known for thing in found):
        return None
    return "sampled accesses: hint faults" if basis(evidence) == HINTS else f"sampled accesses: {LOADS} and stores"


def _homes(evidence: Evidence, found: Object) -> dict[int, float]:
    """By its uses where first touches tell of less than half of it: page faults of huge pages that threads race for."""
    told = evidence.bytes(sum(found.known_homes.values()))
    enough = MIN_SAMPLES_OF_PART * len(evidence.machine.memory_nodes)
    by_use = told < MAINLY * bytes_of(evidence, found) and found.known_samples >= enough
    return found.used_homes if by_use and found.used_homes else found.homes


def _object(
    evidence: Evidence, found: Object, row: Scored | None, matters: bool, stretches: tuple[model.Stretch, ...]
) -> model.Object:
    """Of what was placed before attaching the first touches that came later tell nothing."""
    before = found.placed_before
    return model.Object(
        name=object_name(found),
        short_name=short_object_name(found),
        kind=clean(found.kind),
        blocks=found.blocks,
        bytes=bytes_of(evidence, found),
        filled=_filled(row),
        remote_share=found.remote / found.known if found.known else None,
        of_all_remote=told_part_of_remote(evidence, found),
        of_all_remote_error=error_of_told_part(evidence, found),
        samples=found.known_samples,
        home=homes_in_text(_homes(evidence, found)),
        allocated_at=_place(found.allocated),
        first_touched_at=None if before else _place(found.site),
        used_at=_place(main_use(found.later)),
        touched_by=0 if before else len(found.pages_by_thread),
        used_by=len(users(evidence, found.later)),
        use_shape=use_in_words(row),
        remarks=tuple(remarks(evidence, found, row)),
        matters=matters,
        moved=tuple(moved(evidence, found)),
        map=stretches,
    )


def _filled(row: Scored | None) -> float:
    """1 unless first touches of nearly all before an end tell that the program made it larger than it needs."""
    if row is None or len(row.matrix.blocks) != 1 or not row.matrix.touches:
        return 1.0
    return row.matrix.touched_until if row.matrix.touched_until < NEARLY_ALL else 1.0


def modules(evidence: Evidence) -> model.Modules:
    """In whose code the instructions stand that read remotely."""
    shares, rests_on = remote_by_module(evidence)
    return model.Modules(rests_on, tuple(model.Module(name, share) for name, share in shares.items()))


def _place(site: Site | None) -> model.Place | None:
    return None if site is None else place(site)
