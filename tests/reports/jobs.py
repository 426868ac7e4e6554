# SPDX-License-Identifier: Apache-2.0
"""Jobs of many ranks, written by hand: a directory of recordings whose truth is known."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from numaprof.job.collect import Collected
from numaprof.job.combine import combine
from numaprof.job.read_job import read_job
from numaprof.job.select import select
from numaprof.job.summary_line import summary_of
from numaprof.model.job_model import Job
from numaprof.model.rank_model import RankSummary
from recording_builder import RecordingBuilder
from scenarios import parallel_init, serial_init

RANKS_PER_HOST = 4


def rank(
    builder: RecordingBuilder, number: int, size: int | None = 16, cpus: str = "0-7", **columns: object
) -> RecordingBuilder:
    """Makes a recording that of a rank, bound by nobody unless cpus are fewer."""
    standard = {
        "launcher": "Slurm",
        "job": "4711.0",
        "size": size,
        "local_number": number % RANKS_PER_HOST,
        "shares": 0,
    }
    builder.row("rank", number=number, **{**standard, **columns})
    return builder.change("run", host=f"host{number // RANKS_PER_HOST}", allowed_cpus=cpus, allowed_nodes="0-1")


def job_directory(
    folder: Path, serial: Collection[int], size: int = 16, build: Callable[..., RecordingBuilder] = parallel_init
) -> Path:
    """Ranks of which some initialise serially: half of what these read is remote."""
    folder.mkdir()
    for number in range(size):
        made = rank((serial_init if number in serial else build)(), number, size)
        made.write(folder / f"rank-{number:02}.host{number // RANKS_PER_HOST}.{4711 + number}.numaprof")
    return folder


def job_of(folder: Path) -> Job:
    return read_job([str(folder)])


def job_of_summaries(*summaries: RankSummary) -> Job:
    return combine(select(Collected(summaries)), ["test"])


def one_summary(folder: Path, builder: RecordingBuilder) -> RankSummary:
    path = builder.write(folder / "one.numaprof")
    found = summary_of(str(path))
    path.unlink()
    return found
