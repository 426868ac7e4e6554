# SPDX-License-Identifier: Apache-2.0
"""What was run, what came out, on what evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from numaprof.analysis.naming import command_line, command_to_copy
from numaprof.analysis.remote_meaning import between_packages, counted_words, decisive_notes
from numaprof.analysis.remote_share import COUNTERS, basis, remote_share
from numaprof.document import overview_text
from numaprof.document.headline import crossed_share, no_fix, verdict
from numaprof.document.missing_lines import without_text
from numaprof.document.sections.threads_section import column_remarks
from numaprof.document.unexplained import unexplained
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.thresholds import REMOTE_HEAVY
from numaprof.model import report_model as model
from numaprof.placement.advice import Advice
from numaprof.text.format import clean


def maybe(text: str | None) -> str | None:
    return None if text is None else clean(text)


def imported_by(evidence: Evidence) -> str | None:
    if evidence.imported is None:
        return None
    row = evidence.imported.row
    return clean(f"{row.tool} {row.version}" if row.version else row.tool)


def run(evidence: Evidence) -> model.Run:
    row = evidence.run
    return model.Run(
        command=tuple(map(clean, evidence.command)),
        command_line=command_line(evidence),
        command_to_copy=command_to_copy(evidence),
        cwd=maybe(row.cwd),
        program=maybe(row.program),
        pid=row.pid,
        started_at=clean(row.started_at),
        attached=tuple(each.pid for each in evidence.attached),
        imported=imported_by(evidence),
        launcher=maybe(evidence.rank.launcher) if evidence.rank else None,
        wall_ns=row.wall_ns,
        cpu_ns=evidence.cpu_ns,
        exit_status=row.exit_status,
        term_signal=row.term_signal,
        complete=bool(row.complete),
        host=maybe(row.host),
        kernel=maybe(row.kernel),
        cpu_name=maybe(row.cpu_name),
        uarch=maybe(row.uarch),
        emulated=maybe(row.emulated),
        page_bytes=row.page_bytes,
        balancing=row.balancing,
        balancing_moved_pages=row.balancing_moved_pages,
        pin_policy=clean(row.pin_policy),
        pin_plan=maybe(row.pin_plan),
        tool_cpu_ns=row.tool_cpu_ns,
        repeat=row.repeat,
    )


def population(evidence: Evidence) -> str | None:
    """What remote shares in this report are shares of."""
    name = basis(evidence)
    if name == COUNTERS and evidence.population is not None:
        return f"DRAM requests: {counted_words(evidence)}"
    return None if name is None else f"sampled accesses: {name}"


def found(evidence: Evidence, advices: Sequence[Advice]) -> model.Verdict:
    words, share = verdict(evidence, advices), remote_share(evidence)
    counted = basis(evidence) == COUNTERS
    interval = share.interval if share else None
    return model.Verdict(
        judgement=cast("Any", words.judgement.name.lower()),  # one word for each Judgement
        no_fix=no_fix(advices),
        headline=words.headline,
        details=words.details,
        basis=basis(evidence),
        between_packages=between_packages(evidence),
        population=population(evidence),
        remote_share=share.share if share else None,
        lowest=interval[0] if interval else None,
        highest=interval[1] if interval else None,
        threshold=REMOTE_HEAVY,
        crosses=crossed_share(words.judgement, interval),
        requests=evidence.traffic.total if counted else None,
        requests_error=evidence.traffic.total_error.half_width if counted and evidence.traffic.total_error else None,
        samples=share.samples if share else None,
        coverage=evidence.traffic.coverage if counted else None,
        uncounted=evidence.uncounted.part if counted else None,
    )


def overview(evidence: Evidence, advices: Sequence[Advice]) -> model.Overview:
    return model.Overview(
        banner=(*overview_text.banner(evidence), *without_text(evidence, advices)),
        measured=tuple(overview_text.evidence_line(evidence)),
        pinning=(*overview_text.rank_line(evidence), *overview_text.pin_line(evidence)),
        counted=tuple(column_remarks(evidence)),
        qualifying=tuple(overview_text.notes(evidence)),
        decisive=tuple(decisive_notes(evidence)),
        unexplained=unexplained(evidence, advices),
    )


def levels(evidence: Evidence) -> tuple[model.Level, ...]:
    return tuple(
        model.Level(
            row.level, clean(row.collector), bool(row.used), maybe(row.detail), maybe(row.why_not), maybe(row.remedy)
        )
        for row in evidence.levels
    )


def taken(evidence: Evidence) -> tuple[model.Taken, ...]:
    rows = sorted(evidence.samples.kinds, key=lambda row: row.kind)
    return tuple(model.Taken(clean(row.name), row.samples, row.weight) for row in rows)


def notes(evidence: Evidence) -> tuple[model.Note, ...]:
    return tuple(
        model.Note(clean(row.kind), clean(row.text), maybe(row.remedy), row.times, row.value) for row in evidence.notes
    )
