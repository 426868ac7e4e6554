# SPDX-License-Identifier: Apache-2.0
"""Lines of the program: who touches memory first there, what reads remotely there, with the source text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from numaprof.analysis.naming import site_label, thread_name
from numaprof.analysis.relevant_objects import most_remote_first
from numaprof.document.object_remarks import bytes_of
from numaprof.document.partial_list import Listed
from numaprof.document.sections.overview_section import maybe
from numaprof.document.sections.page_map_section import MOST_MAPS
from numaprof.evidence.evidence import Evidence, InitSite
from numaprof.evidence.first_touches import summed
from numaprof.evidence.samples import Used
from numaprof.evidence.source_location import ELSEWHERE, MADE_AT_RUN_TIME, UNKNOWN, Site, is_library, is_runtime
from numaprof.evidence.thresholds import MIN_SHOWN
from numaprof.model import report_model as model
from numaprof.text.source_lines import around, changed_since, found, kept_around

MOST_LINES = 60
MOST_NAMES = 4


def place(site: Site) -> model.Place:
    nameless = site.module == MADE_AT_RUN_TIME and site.function is None
    return model.Place(
        label=site_label(site, 120),
        function=maybe(site.function),
        file=maybe(site.file),
        line=site.line,
        module=maybe(site.module),
        of_runtime=nameless or is_runtime(site.module),
    )


def lines(evidence: Evidence) -> Listed[model.Line]:
    """Those that matter most for first touches or for remote accesses, and where the first objects were allocated."""
    touched = {site.site: site for site in evidence.init_sites}
    events = summed((row.site, row.events) for row in evidence.samples.caused)
    used: dict[Site, list[Used]] = defaultdict(list)
    for row in evidence.samples.used:
        used[row.site].append(row)
    weight = _weights(evidence, events)
    order = sorted(weight, key=lambda site: (-weight[site], site.label))
    allocated = _allocated(evidence)
    chosen = list(dict.fromkeys([*order[:MOST_LINES], *allocated]))
    rows = tuple(
        _line(evidence, site, touched.get(site), (allocated.get(site, 0.0), events.get(site, 0.0)), used[site])
        for site in chosen
    )
    return Listed(_with_those_that_matter(rows), len(weight.keys() - set(chosen)))


def _with_those_that_matter(rows: Sequence[model.Line]) -> tuple[model.Line, ...]:
    def amounts(line: model.Line) -> tuple[float, ...]:
        return line.remote_events, line.accesses, line.touched_bytes, line.allocated_bytes

    sums = [sum(column) for column in zip(*map(amounts, rows))]
    return tuple(
        replace(line, matters=any(part and part >= MIN_SHOWN * whole for part, whole in zip(amounts(line), sums)))
        for line in rows
    )


def _allocated(evidence: Evidence) -> dict[Site, float]:
    """Where the objects that have a map were allocated, and how much of them."""
    found = most_remote_first(evidence)[:MOST_MAPS]
    mine = [each for each in found if not each.is_ours]
    return summed((each.allocated, bytes_of(evidence, each)) for each in mine if each.allocated is not None)


def _weights(evidence: Evidence, events: dict[Site, float]) -> dict[Site, float]:
    """The larger of a place's shares of the memory touched, of remote requests sampled, of accesses with an address."""
    kinds = (
        {site.site: site.pages for site in evidence.init_sites},
        events,
        summed((row.site, row.accesses) for row in evidence.samples.used),
    )
    weights: dict[Site, float] = defaultdict(float)
    for amounts in kinds:
        total = sum(amounts.values())
        for site, amount in amounts.items():
            if total and site not in (UNKNOWN, ELSEWHERE) and not is_library(site.module):
                weights[site] = max(weights[site], amount / total)
    return weights


def _line(
    evidence: Evidence, site: Site, touched: InitSite | None, amounts: tuple[float, float], used: list[Used]
) -> model.Line:
    allocated, events = amounts
    known = [row for row in used if row.remote is not None]
    kept = kept_around(evidence.source.get(site.file or "", {}), site.line)
    file = None if kept else found(site.file, evidence.run.cwd)
    return model.Line(
        place=place(site),
        allocated_bytes=allocated,
        touched_bytes=evidence.bytes(touched.pages) if touched else 0.0,
        touched_by=_names(evidence, touched) if touched else (),
        homes=tuple(sorted(touched.known_homes)) if touched else (),
        library_call=maybe(touched.library_call.function if touched and touched.library_call else None),
        remote_events=events,
        accesses=sum(row.accesses for row in used),
        remote_accesses=sum(row.accesses for row in known if row.remote) if known else None,
        samples=sum(row.samples for row in known),
        source=tuple(model.SourceLine(*numbered) for numbered in kept or around(file, site.line)),
        source_changed=changed_since(file, evidence.run.started_at),
        matters=False,  # compared with the others
    )


def _names(evidence: Evidence, site: InitSite) -> tuple[str, ...]:
    """The threads that touched most."""
    order = sorted(site.pages_by_thread, key=lambda thread: (-site.pages_by_thread[thread], thread))
    known = [evidence.by_id[thread] for thread in order if thread in evidence.by_id]
    more = (f"and {len(known) - MOST_NAMES} more",) if len(known) > MOST_NAMES else ()
    return (*(thread_name(thread) for thread in known[:MOST_NAMES]), *more)
