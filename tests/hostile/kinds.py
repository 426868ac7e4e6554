# SPDX-License-Identifier: Apache-2.0
"""A kind of attack: what is done by chance, how often, and the promise that it may not break."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conftest import PROGRAM
from running import Ended, reports, rows, run_command

PATIENCE_S = 120  # a busy machine is not a wrong one

# One attempt: decides by chance, works in an empty folder, raises AssertionError where the promise is broken.
Attack = Callable[[random.Random, Path], None]


@dataclass(frozen=True)
class Kind:
    name: str
    promise: str  # one sentence; docs/dev/hostile.md has the same
    attack: Attack
    short: int  # attempts in `make check`
    long: int  # attempts in `make hostile`
    requires: tuple[str, ...] = ()


def record(folder: Path, *words: object, before: Sequence[object] = (), **options: object) -> Ended:
    """numaprof record to folder/r.numaprof; before: what starts numaprof, as ["nice"]."""
    command = [*before, PROGRAM, "record", "-q", "-o", folder / "r.numaprof", *words]
    return run_command(*command, timeout=PATIENCE_S, stdin=subprocess.DEVNULL, cwd=folder, **options)


def alone(folder: Path, *words: object, **options: object) -> Ended:
    """The program without numaprof."""
    return run_command(*words, timeout=PATIENCE_S, stdin=subprocess.DEVNULL, cwd=folder, **options)


def assert_readable(recording: Path) -> None:
    """The report of it is a report, or one line with cause and remedy."""
    done = reports("report", recording)
    assert done.status == 0 or is_one_line(done), done


def is_one_line(done: Ended) -> bool:
    return done.status in (1, 2, 125, 126, 127) and done.err.startswith("numaprof: ") and done.err.count("\n") == 1


def assert_complete(folder: Path) -> None:
    recording = folder / "r.numaprof"
    assert rows(recording, "SELECT complete FROM run") == [1]
    assert_readable(recording)


def as_alone(folder: Path, *words: object, **options: object) -> Ended:
    """Runs the program with and without numaprof; both must say and return the same. The recording is complete."""
    expected = alone(folder, *words, **options)
    done = record(folder, *words, **options)
    assert (done.status, done.out) == (expected.status, expected.out), (words, expected, done)
    assert_complete(folder)
    return done


def seed_of_this_run() -> str:
    return os.environ.get("HOSTILE_SEED", "1")


def attempts(kind: Kind) -> int:
    """HOSTILE: percent of the long form; without it the short one."""
    percent = int(os.environ.get("HOSTILE", "0"))
    return max(kind.short, kind.long * percent // 100)
