# SPDX-License-Identifier: Apache-2.0
"""Each thread, where it ran and what it asked of memory."""

from __future__ import annotations

from numaprof import queries_page
from numaprof.counts import Traffic
from numaprof.document import model
from numaprof.document.reading import Reading
from numaprof.evidence import Evidence, Thread
from numaprof.judgement import COUNTERS, Judgement, basis, judge, remote_share
from numaprof.naming import thread_name
from numaprof.populations import ANY, RETIRED, Column
from numaprof.text import clean
from numaprof.thresholds import REMOTE_HEAVY


def threads(source: Reading) -> tuple[model.Thread, ...]:
    evidence = source.evidence
    spans = {row.thread: row for row in source.recording.rows(queries_page.Span, queries_page.SPANS)}
    heavy = judge(evidence) is not Judgement.NO_TRAFFIC
    return tuple(_thread(evidence, thread, spans[thread.row.id], heavy) for thread in evidence.threads)


def columns(evidence: Evidence) -> tuple[Column, ...]:
    """Kinds of requests that do not overlap, where they are counted one by one; else what the verdict rests on."""
    kinds = tuple(column for column in evidence.ledger.events.columns if column not in (ANY, RETIRED))
    return kinds or (evidence.population.columns if evidence.population else ())


def _thread(evidence: Evidence, thread: Thread, span: queries_page.Span, heavy: bool) -> model.Thread:
    share, row = remote_share(evidence, thread), thread.row
    counted = basis(evidence) == COUNTERS
    return model.Thread(
        id=row.id,
        position=thread.position,
        name=thread_name(thread),
        pid=row.pid,
        tid=row.tid,
        cpu=thread.cpu,
        cpus=thread.cpus,
        nodes=thread.nodes,
        pin=clean(row.pin),
        strayed=thread.strayed,
        from_start=bool(row.from_start),
        migrations=row.migrations,
        cpu_ns=row.cpu_ns,
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        remote_share=share.share if share else None,
        requests=thread.traffic.total if counted else None,
        samples=share.samples if share else None,
        coverage=thread.traffic.coverage if counted else None,
        remote_heavy=heavy and share is not None and share.share >= REMOTE_HEAVY,
        classes=tuple(_requests(column, thread.columns.get(column.key)) for column in columns(evidence))
        if counted
        else (),
    )


def _requests(column: Column, traffic: Traffic | None) -> model.Requests:
    found = traffic or Traffic()
    return model.Requests(column.heading, found.local.estimate, found.remote.estimate, found.coverage)
