# SPDX-License-Identifier: Apache-2.0
"""Each thread, where it ran and what it asked of memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from numaprof.analysis.naming import thread_name
from numaprof.analysis.remote_share import COUNTERS, basis, remote_share
from numaprof.analysis.verdict import is_remote_heavy
from numaprof.document.open_recording import Reading
from numaprof.evidence.counts import Amount, Traffic
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.request_classes import ANY, LOCAL, REMOTE, RETIRED, Column
from numaprof.model import report_model as model
from numaprof.recording.sql import sql_threads
from numaprof.text.format import clean, plural

_SENTENCE = re.compile(r"\S.*?(?:\.(?= |$)|$)")


def threads(source: Reading) -> tuple[model.Thread, ...]:
    evidence = source.evidence
    spans = {row.thread: row for row in source.recording.rows(sql_threads.Span, sql_threads.SPANS)}
    return tuple(_thread(evidence, thread, spans[thread.row.id]) for thread in evidence.threads)


def columns(evidence: Evidence) -> tuple[Column, ...]:
    """Kinds of requests that do not overlap, where they are counted one by one; else what the verdict rests on."""
    kinds = tuple(column for column in evidence.ledger.events.columns if column not in (ANY, RETIRED))
    return kinds or (evidence.population.columns if evidence.population else ())


def _thread(evidence: Evidence, thread: Thread, span: sql_threads.Span) -> model.Thread:
    share, row = remote_share(evidence, thread), thread.row
    counted = basis(evidence) == COUNTERS
    interval = share.interval if share else None
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
        migrated=thread.migrated,
        from_start=bool(row.from_start),
        migrations=row.migrations,
        cpu_ns=row.cpu_ns,
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        local=thread.traffic.local.estimate if counted else share.total - share.remote if share else None,
        remote=thread.traffic.remote.estimate if counted else share.remote if share else None,
        remote_share=share.share if share else None,
        lowest=interval[0] if interval else None,
        highest=interval[1] if interval else None,
        requests=thread.traffic.total if counted else None,
        samples=share.samples if share else None,
        coverage=thread.traffic.coverage if counted else None,
        uncounted_ns=row.uncounted_ns,
        remote_heavy=share is not None and is_remote_heavy(evidence, share.share, share.remote, len(evidence.threads)),
        classes=classes(evidence, thread.columns) if counted else (),
    )


def classes(evidence: Evidence, counted: Mapping[str, Traffic]) -> tuple[model.Requests, ...]:
    """counted: by key of the column."""
    return tuple(_requests(column, counted.get(column.key)) for column in columns(evidence))


def _requests(column: Column, traffic: Traffic | None) -> model.Requests:
    found = traffic or Traffic()
    return model.Requests(
        request=column.heading,
        local=found.local.estimate,
        remote=found.remote.estimate,
        local_error=_half_width(found.local),
        remote_error=_half_width(found.remote),
        coverage=found.coverage,
    )


def column_remarks(evidence: Evidence) -> Iterator[str]:
    """What the numbers of the columns include or miss, in the catalogue's words; each sentence once."""
    found: dict[str, dict[str, None]] = {}  # sentence -> the columns it speaks of
    for column in columns(evidence) if evidence.counted else ():
        ids = {id for side in (LOCAL, REMOTE) for id in evidence.ledger.events.of(column, side)}
        for event in evidence.events:
            for sentence in _SENTENCE.findall(clean(event.remark or "")) if event.id in ids else ():
                found.setdefault(sentence, {})[column.heading] = None
    for event in evidence.events:
        for sentence in _SENTENCE.findall(clean(event.remark or "")) if event.request == "load" else ():
            if "errat" in sentence:  # how samples are taken is no reader's business, that they may be wrong is
                found.setdefault(sentence, {})["sampled loads"] = None
    for part in evidence.ledger.events.partial:
        sentence = f"counted in {part.counted} of {plural(part.threads, 'thread')}, for lack of open files."
        found.setdefault(sentence, {})[part.column.heading] = None
    return (f"{', '.join(headings)}: {sentence}" for sentence, headings in found.items())


def _half_width(amount: Amount) -> float | None:
    return amount.error.half_width if amount.error is not None and amount.estimate is not None else None
