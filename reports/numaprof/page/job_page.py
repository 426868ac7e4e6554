# SPDX-License-Identifier: Apache-2.0
"""The page of a job: its verdict, hosts, ranks and advice, with links to the pages of single ranks."""

from __future__ import annotations

from collections.abc import Mapping

from numaprof.model import job_model as model
from numaprof.page.render import page
from numaprof.text.format import percent, plural, share_in_interval

MOST_RANKS = 2000  # rows; --json has all
_JUDGED = {
    "binding": "binding at fault",
    "heavy": "worth fixing",
    "moderate": "little to gain",
    "light_between_packages": "little is remote",
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
    share, of_ranks = _share(job)
    return page(
        "job.html",
        {},
        job=job,
        links=links,
        share=share,
        of_ranks=of_ranks,
        ranks=ranks[:MOST_RANKS],
        ranks_not_listed=len(ranks) - len(ranks[:MOST_RANKS]),
        most=max((each.ranks for each in job.spread.bins), default=0) if job.spread else 0,
        hosts=sorted(job.hosts, key=lambda host: (not host.differs, host.name)),
        judged=_JUDGED,
        balancing={0: "off", 1: "on", 2: "tiering", None: "n/a"},
    )


def _share(job: model.Job) -> tuple[str | None, str]:
    """The big number is of the ranks that the headline beside it speaks of. None: their share is not known."""
    verdict = job.verdict
    if verdict.judgement == "no_traffic":
        return None, ""  # of so few requests a share is chance
    mine = next((group for group in job.judged if group.judgement == verdict.judgement), None)
    if mine is not None and mine.count < job.found:
        return None if mine.remote_share is None else percent(
            mine.remote_share
        ), f"{mine.count} of {plural(job.found, 'rank')}"
    known = verdict.lowest is not None and verdict.highest is not None
    interval = (verdict.lowest or 0.0, verdict.highest or 0.0) if known else None
    return None if verdict.remote_share is None else share_in_interval(verdict.remote_share, interval), "all ranks"
