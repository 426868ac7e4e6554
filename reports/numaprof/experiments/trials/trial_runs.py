# SPDX-License-Identifier: Apache-2.0
"""Alternating runs of one program, plain and placed, each recorded: `numaprof try`."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from numaprof.experiments.run_once import CANNOT_RUN, NOT_FOUND, ending, numaprof_program
from numaprof.experiments.supervise import execute, progress
from numaprof.experiments.trials.placement import Subject, write
from numaprof.text.messages import EXIT_FAILED, Failure

MOST_SAID = 300  # characters of a line that a program wrote


@dataclass(frozen=True)
class Arm:
    """One way to run the program."""

    name: str  # of files: plain, advice-1, all, interleave
    label: str  # for people
    subjects: tuple[Subject, ...] = ()
    policy: str | None = None  # as `policies --under` takes it
    finding: str | None = None  # of the advice that it imitates, if it is one
    threads: int | None = None  # of the recorded run, for which its borders were made


@dataclass(frozen=True)
class Program:
    command: tuple[str, ...]
    cwd: str | None
    pin: str
    cpus: tuple[int, ...]  # in the order threads take them; empty: not pinned
    limit_s: float  # a run that takes longer hangs
    threads: tuple[int, ...] = ()  # CPU of each of the recorded threads, in the order of their creation
    status: int = 0  # exit status of the recorded run: another one is a failure


@dataclass(frozen=True)
class Run:
    recording: str | None  # None: there is none
    failure: str | None  # how it ended, if not well
    output: str = ""  # digest of what it wrote to stdout
    output_without_numbers: str = ""  # the same with all numbers replaced: run times differ


@dataclass
class Runs:
    """What was run so far, by arm: partial results are kept."""

    folder: str
    by_arm: dict[str, list[Run]] = field(default_factory=dict)


def run_all(program: Program, arms: Sequence[Arm], repeats: int, runs: Runs) -> None:
    """Fills runs. Round by round, each round beginning with another arm: a machine that warms up does so for all."""
    for arm in arms:
        runs.by_arm.setdefault(arm.name, [])
        if arm.subjects:
            with open(placement_file(runs.folder, arm), "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(write(arm.subjects, f"{arm.label}: made by numaprof try", program.cpus, program.threads))
    for number in range(repeats):
        first = number % len(arms)
        for at, arm in enumerate((*arms[first:], *arms[:first])):
            progress(f"{arm.label}, run {number * len(arms) + at + 1} of {repeats * len(arms)}")
            done = runs.by_arm[arm.name]
            done.append(run_once(program, arm, os.path.join(runs.folder, f"{arm.name}.{len(done) + 1}")))
            if arm is arms[0] and len(done) == 1:
                check_first(done[0], runs.folder)


def check_first(run: Run, folder: str) -> None:
    """A program that fails unchanged needs no further runs."""
    if run.failure is not None:
        said = _last_line(os.path.join(folder, "plain.1"))
        raise Failure(
            f"the first run, unchanged, failed: {run.failure}{f' ({said})' if said else ''}",
            "see why it fails by itself: it gets no input here",
        )


def placement_file(folder: str, arm: Arm) -> str:
    return os.path.join(folder, f"{arm.name}.placement")


def run_once(program: Program, arm: Arm, stem: str) -> Run:
    """stem: path of the recording without its ending; what the program writes goes beside it."""
    recording = f"{stem}.numaprof"
    if os.path.exists(recording):
        raise Failure(f"{recording} exists", "choose another folder for --keep")
    under = (numaprof_program(), "policies", "--under", arm.policy, "--") if arm.policy else ()
    placed = ("--place", placement_file(os.path.dirname(stem), arm)) if arm.subjects else ()
    recorder = (numaprof_program(), "record", "-q", "--pin", program.pin, "-o", recording, *placed, "--")
    with open(f"{stem}.out", "w+b") as out, open(f"{stem}.err", "wb") as err:
        status, why = execute(
            (*under, *recorder, *program.command), {}, (out.fileno(), err.fileno()), program.cwd, program.limit_s
        )
        out.seek(0)
        text = out.read()
    failure = why or _failure(program, status)
    found = recording if os.path.exists(recording) else None
    if status in (CANNOT_RUN, NOT_FOUND, EXIT_FAILED) and found is None:
        raise Failure(_last_line(stem) or "the run was not recorded: no reason given")
    return Run(found, failure, _digest(text), _digest(re.sub(rb"[0-9]+([.,][0-9]+)*", b"0", text)))


def _failure(program: Program, status: int) -> str | None:
    """None: it ended as the recorded run did, which may have an exit status of its own."""
    if status == program.status:
        return None
    return ending(status) or f"exit status 0, and {program.status} in the recorded run"


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _last_line(stem: str) -> str:
    """What the recorder or the program said last."""
    with open(f"{stem}.err", encoding="utf-8", errors="backslashreplace") as file:
        return (file.read().strip().splitlines() or [""])[-1].removeprefix("numaprof: ")[:MOST_SAID]
