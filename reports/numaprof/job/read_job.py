# SPDX-License-Identifier: Apache-2.0
"""From directories, recordings and merged files to the document of their job."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.job.collect import collect
from numaprof.job.combine import combine
from numaprof.job.select import select
from numaprof.model.job_model import Job
from numaprof.text.format import clean


def read_job(paths: Sequence[str]) -> Job:
    return combine(select(collect(paths)), [clean(path) for path in paths])
