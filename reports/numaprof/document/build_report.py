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
from numaprof.model import report_model as model
from numaprof.rules import advise
from numaprof.text.format import clean


def document(path: str) -> model.Report:
    with reading(path) as source:
        return report(source)


def report(source: Reading) -> model.Report:
    evidence = source.evidence
    rows, places, things = threads(source), lines(evidence), objects(source)
    advices = advise(evidence)
    shown = Shown(
        {thing.things: number for number, thing in enumerate(listed(evidence))},
        {line.place: number for number, line in enumerate(places.rows)},
    )
    return model.Report(
        format="numaprof.report",
        version=model.VERSION,
        tool_version=clean(evidence.run.tool_version),
        recording=clean(evidence.path),
        run=run(evidence),
        verdict=found(evidence),
        summary=summary(evidence),
        overview=overview(evidence, advices),
        advice=advice(advices, shown),
        levels=levels(evidence),
        taken=taken(evidence),
        notes=notes(evidence),
        machine=machine(source),
        threads=rows,
        timeline=timeline(source),
        objects=things,
        modules=modules(evidence),
        lines=places.rows,
        lines_not_listed=places.not_listed,
        remote_stacks=remote_stacks(source, places.rows),
    )
