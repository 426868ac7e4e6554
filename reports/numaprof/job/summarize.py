# SPDX-License-Identifier: Apache-2.0
"""From one recording to the summary of its rank."""

from __future__ import annotations

import os
from collections.abc import Sequence

from numaprof.analysis.binding import binding, most_at_once
from numaprof.analysis.remote_share import remote_share
from numaprof.document.build_report import recommended
from numaprof.document.open_recording import Reading
from numaprof.document.sections import overview_section
from numaprof.document.sections.objects_section import objects
from numaprof.document.sections.overview_section import maybe
from numaprof.document.sections.summary_section import summary
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.machine import parse_list
from numaprof.model import rank_model as model
from numaprof.model import report_model
from numaprof.placement.decide import scored
from numaprof.placement.explain import advise
from numaprof.text.format import clean, number_list

MOST_ADVICES, MOST_OBJECTS, MOST_LOSSES, MOST_CODE = 5, 8, 8, 12
TEXT = 300  # characters of a name


def summarize(source: Reading) -> model.RankSummary:
    evidence = source.evidence
    run, rank = overview_section.run(evidence), evidence.rank
    found = list(scored(evidence))
    things, advices = objects(source, maps=False, scored=found).rows, advise(evidence, found)
    return model.RankSummary(
        format=model.FORMAT,
        version=model.VERSION,
        tool_version=clean(evidence.run.tool_version),
        recording=clean(os.path.basename(evidence.path)),
        pid=run.pid,
        started_at=run.started_at,
        command_line=clean(run.command_line, TEXT),
        wall_ns=run.wall_ns,
        cpu_ns=run.cpu_ns,
        exit_status=run.exit_status,
        term_signal=run.term_signal,
        complete=run.complete,
        launcher=maybe(rank.launcher) if rank else None,
        job=maybe(rank.job) if rank else None,
        number=rank.number if rank else None,
        size=rank.size if rank else None,
        local_number=rank.local_number if rank else None,
        host=_host(evidence, run),
        binding=_binding(evidence),
        share=_share(evidence, overview_section.found(evidence, advices)),
        losses=tuple(dict.fromkeys(clean(note.kind, TEXT) for note in evidence.notes))[:MOST_LOSSES],
        advice=tuple(_advice(things, each) for each in recommended(evidence, advices)[:MOST_ADVICES]),
        objects=tuple(map(_object, things[:MOST_OBJECTS])),
    )


def _host(evidence: Evidence, run: report_model.Run) -> model.RankHost:
    machine = evidence.machine
    return model.RankHost(
        name=run.host,
        cpu_name=run.cpu_name,
        kernel=run.kernel,
        huge_pages=maybe(evidence.run.huge_pages),
        balancing=run.balancing,
        emulated=run.emulated,
        page_bytes=run.page_bytes,
        nodes=tuple(
            model.RankNode(node.id, node.mem_bytes, number_list(list(machine.cpus_of(node.id))))
            for node in machine.nodes
        ),
    )


def _binding(evidence: Evidence) -> model.RankBinding:
    found, cpus = binding(evidence), parse_list(evidence.run.allowed_cpus)
    return model.RankBinding(
        cpus=number_list(list(cpus)) if cpus else None,
        cpu_nodes=evidence.machine.nodes_of(cpus),
        memory_nodes=parse_list(evidence.run.allowed_nodes) if evidence.run.allowed_nodes is not None else None,
        by=found.by,
        threads=most_at_once(evidence),
        fault=found.fault,
        fixes=found.fixes,
    )


def _share(evidence: Evidence, verdict: report_model.Verdict) -> model.RankShare:
    share, parts = remote_share(evidence), summary(evidence)
    return model.RankShare(
        judgement=verdict.judgement,
        headline=verdict.headline,
        basis=verdict.basis,
        between_packages=verdict.between_packages,
        population=verdict.population,
        remote=share.remote if share else None,
        total=share.total if share else None,
        lowest=verdict.lowest,
        highest=verdict.highest,
        samples=verdict.samples,
        coverage=verdict.coverage,
        cost_least=parts.cost_least,
        cost_most=parts.cost_most,
    )


def _advice(things: Sequence[report_model.Object], found: report_model.Advice) -> model.RankAdvice:
    """About the line that first touches the data; else the one that allocates or uses it."""
    allocated = (things[number].allocated_at for number in found.objects)
    places = [place for place in (*found.touched_at, *allocated, found.used_at) if place is not None]
    return model.RankAdvice(
        kind=found.kind,
        finding=found.finding,
        change=found.change,
        code=(*found.code, *(f"{each.code}    # {each.remark}" for each in found.remarked))[:MOST_CODE],
        place=clean(places[0].label, TEXT) if places else None,
        removes=found.removes,
    )


def _object(found: report_model.Object) -> model.RankObject:
    site = found.allocated_at or found.first_touched_at
    return model.RankObject(
        name=clean(found.name, TEXT),
        kind=found.kind,
        site=clean(site.label, TEXT) if site is not None else None,
        bytes=found.bytes,
        remote_share=found.remote_share,
        of_all_remote=found.of_all_remote,
        samples=found.samples,
    )
