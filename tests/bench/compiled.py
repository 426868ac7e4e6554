# SPDX-License-Identifier: Apache-2.0
"""For the benchmarks: C programs built once below build/bench, and medians of runs that take turns."""

from __future__ import annotations

import re
import statistics
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
BUILD = TREE / "build"
PROGRAM = BUILD / "numaprof"
NUMBERS = re.compile(r"[\d.]+( [\d.]+)*")
LIBRARIES = ["-lpfm", "-ldw", "-lelf", "-lsqlite3", "-pthread"]


def build(name: str, *flags: str | Path) -> Path:
    """tests/bench/NAME.c; with the recorder's archive it needs "-I." and the archive among the flags."""
    output = BUILD / "bench" / name
    output.parent.mkdir(parents=True, exist_ok=True)
    source = TREE / "tests" / "bench" / f"{name}.c"
    command = ["gcc", "-std=gnu17", "-O2", "-g", "-pthread", str(source), *map(str, flags), "-o", str(output)]
    subprocess.run(command, check=True, cwd=TREE)
    return output


def build_inside(name: str) -> Path:
    """One that calls functions of the recorder."""
    return build(name, f"-I{TREE}", f"-I{BUILD / 'gen'}", BUILD / "libnumaprof.a", *LIBRARIES)


def build_recording(name: str) -> Path:
    """One that writes a recording, and is linked as the recorder is: to load SQLite would take longer."""
    return build(name, f"-I{TREE}", f"-I{BUILD / 'gen'}", BUILD / "libnumaprof.a", "-l:libsqlite3.a", "-lm")


def medians(runs: int, *measures: Callable[[], Sequence[float]]) -> list[list[float]]:
    """Of each measure the medians of its numbers. They take turns, so that what slows the machine slows all."""
    results: list[list[Sequence[float]]] = [[] for _ in measures]
    for _ in range(runs):
        for measure, result in zip(measures, results):
            result.append(measure())
    return [[statistics.median(column) for column in zip(*result)] for result in results]


def numbers(command: Sequence[str | Path], text: str | None = None) -> list[float]:
    """The last line of numbers that a program prints, which gets that text to read."""
    words = [str(word) for word in command]
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines() if NUMBERS.fullmatch(line)]
    return [float(word) for word in lines[-1]]
