# SPDX-License-Identifier: Apache-2.0
"""The page of a job: its verdict, hosts, ranks and advice, with links to the pages of single ranks."""

from __future__ import annotations

from collections.abc import Mapping

from numaprof.model import job_model as model
from numaprof.page.render import page
from numaprof.text.format import share_in_interval

MOST_RANKS = 2000  # rows; --json has all
_JUDGED = {
    "binding": "binding at fault",
    "heavy": "worth fixing",
    "moderate": "little to gain",
    "light": "leave it alone",
    "refused": "seen too briefly",
    "unknown": "not measured",
    "no_traffic": "too little traffic",
    "one_node_used": "used one node",
    "single_node": "one-node host",
}


def job_page(job: model.Job, links: Mapping[int, str]) -> str:
    """links: pages of ranks, relative to this one."""
    # Outliers first, then those with the largest share.
    ranks = sorted(job.ranks, key=lambda rank: (not rank.outlier, -(rank.remote_share or 0.0), rank.number))
    verdict = job.verdict
    known = verdict.lowest is not None and verdict.highest is not None
    interval = (verdict.lowest or 0.0, verdict.highest or 0.0) if known else None
    return page(
        "job.html",
        {},
        job=job,
        links=links,
        share=share_in_interval(job.verdict.remote_share, interval),
        ranks=ranks[:MOST_RANKS],
        ranks_not_listed=len(ranks) - len(ranks[:MOST_RANKS]),
        most=max((each.ranks for each in job.spread.bins), default=0) if job.spread else 0,
        hosts=sorted(job.hosts, key=lambda host: (not host.differs, host.name)),
        judged=_JUDGED,
        balancing={0: "off", 1: "on", 2: "tiering", None: "n/a"},
    )
