# SPDX-License-Identifier: Apache-2.0
"""One run of a program for `sweep` and `policies`: recorded where that works, and what came of it in a few numbers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from numaprof.analysis.remote_share import remote_share
from numaprof.evidence.evidence import Evidence, load
from numaprof.evidence.thresholds import LINE_BYTES
from numaprof.experiments.supervise import PROGRAM_VARIABLE, execute
from numaprof.experiments.trials.thread_lifetimes import most_at_once
from numaprof.text.messages import EXIT_FAILED, Failure

CANNOT_RUN, NOT_FOUND = 126, 127


@dataclass(frozen=True)
class Plan:
    """How to run it: what stands before the command, and what is added to the environment."""

    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    before: tuple[str, ...] = ()
    pin: str = "compact"
    record: bool = True
    shows_output: bool = False


@dataclass(frozen=True)
class Trial:
    wall_ns: int
    failure: str | None = None  # how it ended, if not well
    threads: int | None = None  # most that were alive at once; None: not seen
    remote: float | None = None  # share of its DRAM requests, or of sampled accesses
    dram_bytes_per_s: float | None = None  # counted requests, 64 bytes each
    is_recorded: bool = False
    is_emulated: bool = False


def numaprof_program() -> str:
    found = os.environ.get(PROGRAM_VARIABLE) or shutil.which("numaprof")
    if not found:
        raise Failure("the program numaprof is not found", "start this as numaprof sweep or numaprof policies")
    return found


def ending(status: int) -> str | None:
    """Of a process, as subprocess tells it; None: it went well."""
    if status == 0:
        return None
    if status > 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def run_trial(plan: Plan, file: str) -> Trial:
    """file: where the recording goes; it is removed."""
    if plan.record:
        recorder = (numaprof_program(), "record", "-q", "--pin", plan.pin, "-o", file, "--")
        try:
            status, why, wall_ns = _execute((*plan.before, *recorder, *plan.command), plan)
            evidence = _recorded(file)
            if evidence is not None:
                return replace(_told(evidence, wall_ns), failure=why or ending(status))
            if status in (CANNOT_RUN, NOT_FOUND):
                sys.exit(status)  # the recorder has said why
            if status != EXIT_FAILED:
                return Trial(wall_ns, why or ending(status))
        finally:
            if os.path.exists(file):
                os.unlink(file)
    status, why, wall_ns = _execute((*plan.before, *plan.command), plan)
    # Of a program that is there, the status is its own.
    if status in (CANNOT_RUN, NOT_FOUND) and shutil.which(plan.command[0]) is None:
        raise Failure(f"{plan.command[0]} cannot be run", "check the name; a program in this folder begins with ./")
    return Trial(wall_ns, why or ending(status))


def _execute(command: Sequence[str], plan: Plan) -> tuple[int, str | None, int]:
    output = None if plan.shows_output else subprocess.DEVNULL
    start = time.perf_counter_ns()
    try:
        status, why = execute(command, dict(plan.environment), (output, None))
    except OSError as error:
        raise Failure(f"cannot run {command[0]}: {error.strerror}", "check the name") from error
    return status, why, time.perf_counter_ns() - start


def _recorded(file: str) -> Evidence | None:
    try:
        return load(file)
    except Failure:
        return None


def _told(evidence: Evidence, wall_ns: int) -> Trial:
    share = remote_share(evidence)
    wall = evidence.run.wall_ns or wall_ns
    requests, counted_ns = evidence.traffic.total if evidence.counted else None, evidence.recorded_ns or wall_ns
    return Trial(
        wall_ns=wall,
        threads=most_at_once(evidence.path),
        remote=None if share is None else share.share,
        dram_bytes_per_s=None if requests is None or not counted_ns else requests * LINE_BYTES / counted_ns * 1e9,
        is_recorded=True,
        is_emulated=bool(evidence.run.emulated),
    )
