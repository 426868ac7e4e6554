# SPDX-License-Identifier: Apache-2.0
"""Objects with what is known of them: how much of their use is remote, who touched, who uses which part."""

from __future__ import annotations

from numaprof import queries_page
from numaprof.document import model
from numaprof.document.lines import place
from numaprof.document.page_map import page_maps
from numaprof.document.reading import Reading
from numaprof.evidence import Evidence
from numaprof.judgement import HINTS, LOADS, basis
from numaprof.naming import homes_in_text, object_name
from numaprof.objects import Object
from numaprof.places import Site
from numaprof.text import clean
from numaprof.uses import main_use, users
from numaprof.views.objects import attribution, bytes_of, remarks, remote_by_module


def objects(source: Reading) -> model.Objects:
    """Those with most remote accesses first, then the largest; none of which nothing was seen."""
    evidence = source.evidence
    found = [thing for thing in evidence.objects.found if thing.pages or thing.used or thing.bytes]
    maps, remote = page_maps(source, found), evidence.samples.remote_accesses
    unlisted = source.recording.one(queries_page.Unlisted, queries_page.UNLISTED).objects
    return model.Objects(
        population=_population(evidence, found),
        attribution=tuple(attribution(evidence)),
        not_listed=unlisted,
        rows=tuple(_object(evidence, thing, remote, maps.get(thing.things[0], ())) for thing in found),
    )


def _population(evidence: Evidence, found: list[Object]) -> str | None:
    """What the remote shares of objects are shares of: never the counters' requests, which have no addresses."""
    if not any(thing.known for thing in found):
        return None
    return "sampled accesses: hint faults" if basis(evidence) == HINTS else f"sampled accesses: {LOADS} and stores"


def _object(evidence: Evidence, found: Object, remote: float, stretches: tuple[model.Stretch, ...]) -> model.Object:
    return model.Object(
        name=object_name(found),
        kind=clean(found.kind),
        blocks=found.blocks,
        bytes=bytes_of(evidence, found),
        remote_share=found.remote / found.known if found.known else None,
        of_all_remote=found.remote / remote if remote and found.known else None,
        samples=found.known_samples,
        home=homes_in_text(found.homes),
        allocated_at=_place(found.allocated),
        first_touched_at=_place(found.site),
        used_at=_place(main_use(found.later)),
        touched_by=len(found.pages_by_thread),
        used_by=len(users(evidence, found.later)),
        touch_shape=found.touch_shape.value,
        use_shape=found.use_shape.value,
        remarks=tuple(remarks(evidence, found)),
        map=stretches,
    )


def modules(evidence: Evidence) -> model.Modules:
    """In whose code the instructions stand that read remotely."""
    shares, rests_on = remote_by_module(evidence)
    return model.Modules(rests_on, tuple(model.Module(name, share) for name, share in shares.items()))


def _place(site: Site | None) -> model.Place | None:
    return None if site is None else place(site)
