# SPDX-License-Identifier: Apache-2.0
"""From a recording to all that is reported of it."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.document.open_recording import Reading, reading
from numaprof.document.sections.advice_section import Shown, advice
from numaprof.document.sections.first_touches_section import first_touches
from numaprof.document.sections.lines_section import lines
from numaprof.document.sections.machine_section import machine
from numaprof.document.sections.objects_section import listed, modules, objects
from numaprof.document.sections.overview_section import found, levels, notes, overview, run, taken
from numaprof.document.sections.stacks_section import remote_stacks
from numaprof.document.sections.summary_section import summary
from numaprof.document.sections.threads_section import threads
from numaprof.document.sections.timeline_section import timeline
from numaprof.evidence.evidence import Evidence
from numaprof.experiments.trials.stored_trial import stored
from numaprof.model import report_model as model
from numaprof.placement.advice import Advice
from numaprof.placement.decide import scored as scored_objects
from numaprof.placement.explain import advise
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
        remote_stacks=remote_stacks(source, found.lines),
    )


def answer(source: Reading, maps: bool = False) -> model.Answer:
    """maps: which parts of objects who uses, which the first screen does not show."""
    evidence = source.evidence
    scored = list(scored_objects(evidence))
    rows, places, things = threads(source), lines(evidence), objects(source, maps, scored)
    advices = advise(evidence, scored)
    return model.Answer(
        format="numaprof.report",
        version=model.VERSION,
        tool_version=clean(evidence.run.tool_version),
        recording=clean(evidence.path),
        run=run(evidence),
        verdict=found(evidence, advices),
        summary=summary(evidence),
        overview=overview(evidence, advices),
        advice=recommended(evidence, advices, places.rows),
        taken=taken(evidence),
        machine=machine(source),
        threads=rows,
        objects=things,
        lines=places.rows,
        lines_not_listed=places.not_listed,
        first_touches=first_touches(evidence),
        modules=modules(evidence),
    )


def recommendations(evidence: Evidence) -> tuple[model.Advice, ...]:
    """The advice of the report, alone."""
    return recommended(evidence, advise(evidence), lines(evidence).rows)


def recommended(
    evidence: Evidence, advices: Sequence[Advice], rows: Sequence[model.Line] = ()
) -> tuple[model.Advice, ...]:
    """rows: the report's lines, which advice refers to."""
    shown = Shown(
        {thing.things: number for number, thing in enumerate(listed(evidence))},
        {line.place: number for number, line in enumerate(rows)},
    )
    return advice(advices, shown, stored(evidence, advices))
