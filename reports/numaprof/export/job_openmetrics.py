# SPDX-License-Identifier: Apache-2.0
"""Gauges of one job in the OpenMetrics text format. Ranks are told together and by host: 10 000 series are no gauge.

What is not known has no line: a monitoring system would take 0 for a measurement.
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.openmetrics.exposition import generate_latest

from numaprof.model.job_model import Job


def job_openmetrics(job: Job) -> bytes:
    registry = CollectorRegistry()
    about = {
        "command": job.command_line,
        "launcher": job.launcher or "",
        "job_id": job.job or "",  # "job" is Prometheus' own label
        "judgement": job.verdict.judgement,
    }
    Gauge("numaprof_job", "The recorded job; always 1", list(about), registry=registry).labels(**about).set(1)
    for name, text, value in _plain(job):
        if value is not None:
            Gauge(f"numaprof_job_{name}", text, registry=registry).set(value)
    judged = Gauge("numaprof_job_judged_ranks", "Ranks by their own verdict", ["judgement"], registry=registry)
    for each in job.judged:
        judged.labels(each.judgement).set(each.count)
    ranks = Gauge("numaprof_job_host_ranks", "Ranks that were read, by host", ["host"], registry=registry)
    remote = Gauge(
        "numaprof_job_host_remote_ratio", "Remote part of the job's population, by host", ["host"], registry=registry
    )
    for host in job.hosts:
        ranks.labels(host.name).set(host.count)
        if host.remote_share is not None:
            remote.labels(host.name).set(host.remote_share)
    made: bytes = generate_latest(registry)  # type: ignore[no-untyped-call]
    return made


def _plain(job: Job) -> Iterator[tuple[str, str, float | None]]:
    verdict, spread = job.verdict, job.spread
    yield "ranks", "Ranks that were read", job.found
    yield "ranks_expected", "Ranks of the job, as the launcher told", job.size
    yield "ranks_missing", "Ranks without a recording that can be read", job.missing_count
    yield "left_out", "Recordings that are in no other number", sum(left.count for left in job.left_out)
    yield "ranks_failed", "Ranks that failed or died by a signal", _failed(job)
    yield "ranks_apart", "Ranks whose remote part stands apart from the others'", sum(r.outlier for r in job.ranks)
    yield (
        "remote_ratio",
        "Remote part of the verdict's population, over the ranks it was measured on",
        verdict.remote_share,
    )
    yield "remote_ratio_lowest", "Lower end of the 95 % interval of the remote part", verdict.lowest
    yield "remote_ratio_highest", "Upper end of the 95 % interval of the remote part", verdict.highest
    yield "remote_ratio_ranks", "Ranks in the remote part", verdict.ranks or None
    yield "remote_ratio_median_rank", "Remote part of the median rank", spread.median if spread else None
    yield "remote_ratio_most_rank", "Remote part of the rank that has most", spread.most if spread else None
    yield "advices", "Changes that the report proposes", sum(1 for advice in job.advice if advice.kind != "leave")


def _failed(job: Job) -> int:
    return sum(1 for rank in job.ranks if rank.exit_status or rank.term_signal)
