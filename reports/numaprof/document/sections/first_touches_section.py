# SPDX-License-Identifier: Apache-2.0
"""Where memory is touched first, by whom, and where it lies."""

from __future__ import annotations

from collections.abc import Iterator

from numaprof.analysis.naming import homes_in_text, thread_name
from numaprof.document.object_remarks import touch_coverage
from numaprof.document.sections.lines_section import place
from numaprof.evidence.evidence import Evidence, InitSite
from numaprof.evidence.thresholds import ALL_OF_IT, MIN_SHOWN, MIN_SHOWN_BYTES
from numaprof.model import report_model as model
from numaprof.text.format import plural, size


def first_touches(evidence: Evidence) -> model.FirstTouches:
    sites = evidence.init_sites
    least = max(MIN_SHOWN * evidence.bytes(evidence.touched_pages), MIN_SHOWN_BYTES)
    shown = [site for site in sites if evidence.bytes(site.pages) >= least] or sites[:3]
    rest = sites[len(shown) :]
    return model.FirstTouches(
        rows=tuple(_first_touch(evidence, site) for site in shown),
        not_listed=len(rest),
        bytes_not_listed=evidence.bytes(sum(site.pages for site in rest)),
        remarks=(*touch_coverage(evidence), *_unseen(evidence)) if sites else (),
    )


def _first_touch(evidence: Evidence, site: InitSite) -> model.FirstTouch:
    return model.FirstTouch(
        place=place(site.site),
        by=_touchers(evidence, site),
        bytes=evidence.bytes(site.pages),
        share=site.pages / evidence.touched_pages,
        home=homes_in_text(site.known_homes),
    )


def _touchers(evidence: Evidence, site: InitSite) -> str:
    if len(site.pages_by_thread) > 1 and site.main_share < ALL_OF_IT:
        return plural(len(site.pages_by_thread), "thread")
    thread = evidence.by_id.get(site.main_thread)
    return "?" if thread is None else thread_name(thread)


def _unseen(evidence: Evidence) -> Iterator[str]:
    """Memory that has a home but no first touch: made inside system calls, or before the recorder looked."""
    homed = sum(evidence.samples.homed_pages.values())
    missing = homed - evidence.touched_pages
    if evidence.touched_pages and missing > 0.1 * homed:
        yield (
            f"first touch not seen of {size(evidence.bytes(missing))} more: inside system calls (not visible at this "
            "privilege), or before the recording began"
        )
