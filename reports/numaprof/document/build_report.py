# SPDX-License-Identifier: Apache-2.0
"""From a recording to all that is reported of it."""

from __future__ import annotations

from numaprof.document.advice_section import Shown, advice
from numaprof.document.lines_section import lines
from numaprof.document.machine_section import machine
from numaprof.document.objects_section import listed, modules, objects
from numaprof.document.open_recording import Reading, reading
from numaprof.document.overview_section import found, levels, notes, overview, run, taken
from numaprof.document.stacks_section import remote_stacks
from numaprof.document.summary_section import summary
from numaprof.document.threads_section import threads
from numaprof.document.timeline_section import timeline
from numaprof.experiments.stored_trial import stored
from numaprof.model import report_model as model
from numaprof.rules import advise
from numaprof.text.format import clean


def document(path: str) -> model.Report:
    with reading(path) as source:
        return report(source)


def report(source: Reading) -> model.Report:
    evidence = source.evidence
    found = answer(source, maps=True)
    return model.Report(
        **vars(found),
        levels=levels(evidence),
        notes=notes(evidence),
        timeline=timeline(source),
        modules=modules(evidence),
        remote_stacks=remote_stacks(source, found.lines),
    )


def answer(source: Reading, maps: bool = False) -> model.Answer:
    """maps: which parts of objects who uses, which the first screen does not show."""
    evidence = source.evidence
    rows, places, things = threads(source), lines(evidence), objects(source, maps)
    advices = advise(evidence)
    shown = Shown(
        {thing.things: number for number, thing in enumerate(listed(evidence))},
        {line.place: number for number, line in enumerate(places.rows)},
    )
    return model.Answer(
        format="numaprof.report",
        version=model.VERSION,
        tool_version=clean(evidence.run.tool_version),
        recording=clean(evidence.path),
        run=run(evidence),
        verdict=found(evidence),
        summary=summary(evidence),
        overview=overview(evidence, advices),
        advice=advice(advices, shown, stored(evidence, advices)),
        taken=taken(evidence),
        machine=machine(source),
        threads=rows,
        objects=things,
        lines=places.rows,
        lines_not_listed=places.not_listed,
    )
