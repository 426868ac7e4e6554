# SPDX-License-Identifier: Apache-2.0
"""Fixes for objects of a recording: where the recording says that they are allocated, first touched and used."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from numaprof.evidence.evidence import Evidence
from numaprof.evidence.machine import parse_list
from numaprof.evidence.objects import UNNAMED, Object
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import MIN_OBJECT_SHARE
from numaprof.source.files import Sources
from numaprof.source.fix import fix_for
from numaprof.source.patch import agreeing
from numaprof.source.request import Fix, Line, Request, Wanted
from numaprof.text.function_names import in_source, variable_in_source


def sources_of(evidence: Evidence) -> Sources:
    return Sources(evidence.run.cwd, evidence.run.started_at, evidence.source)


def fixes_for(evidence: Evidence, objects: Iterable[Object], use: Site | None, wanted: Wanted) -> tuple[Fix, ...]:
    """Of each object one, in the same order; the same fix may be that of several. Those that contradict one before are
    left out."""
    sources = sources_of(evidence)
    return tuple(agreeing(fix_for(request_of(obj, use, wanted), sources) for obj in objects))


def fix_at(evidence: Evidence, touched: Iterable[Site], use: Site | None) -> Fix:
    """Of the loops that touch memory first, where no object of it is known: they are divided, or words."""
    request = Request(Wanted.TEAM, touched=tuple(_lines(touched)), used=next(_lines([use]), None))
    return fix_for(request, sources_of(evidence))


def request_of(obj: Object, use: Site | None, wanted: Wanted) -> Request:
    sites = [obj.site, obj.caller] if obj.kind == UNNAMED else [obj.allocated, obj.caller]
    pages = sum(obj.pages_by_site.values())
    touched = sorted(obj.pages_by_site.items(), key=lambda each: -each[1])
    name = variable_in_source(obj.name) if obj.kind == "static" and obj.name else ""
    return Request(
        wanted,
        allocated=tuple(_lines(sites)),
        numbers=tuple(parse_list(obj.numbers)) if obj.numbers else (),
        wrapper=_last_name(sites[0]) if obj.caller is not None else "",
        touched=tuple(_lines(site for site, touches in touched if touches >= MIN_OBJECT_SHARE * pages)),
        used=next(_lines([use]), None),
        name=name if name.startswith("__") else name.rpartition("::")[2],
    )


def _lines(sites: Iterable[Site | None]) -> Iterator[Line]:
    for site in sites:
        if site is not None and site.file and site.line is not None:
            yield Line(site.file, site.line)


def _last_name(site: Site | None) -> str:
    """Name of the function without its arguments, classes and namespaces."""
    if site is None or site.function is None:
        return ""
    name = re.search(r"(\w+)\s*(?:<[\w\s:]+>\s*)?(?:\(.*)?$", in_source(site.function))
    return name.group(1) if name else ""


def root_of(fixes: Sequence[Fix]) -> str:
    """The folder that a patch of these files is relative to: of the repository, or the innermost one of all."""
    folder = os.path.commonpath([os.path.dirname(edit.path) for fix in fixes for edit in fix.edits])
    above = folder
    while not os.path.exists(os.path.join(above, ".git")):
        if above == os.path.dirname(above):
            return folder
        above = os.path.dirname(above)
    return above
