# SPDX-License-Identifier: Apache-2.0
"""Attaching to 500 threads, and a memory-bound OpenMP triad that runs while numaprof is attached to it."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from bench import NUMAPROF, TREE, Cost, build, collectors, folder, line, medians, raise_file_limit, ratio, run
from bench_threads import pretended_pmu

THREADS = 500


def waiting_threads(place: Path) -> subprocess.Popen[str]:
    """A program with so many threads that wait, once they are all there."""
    program = place / "attachee"
    source = TREE / "tests" / "targets" / "attachee.c"
    run(["gcc", "-O2", "-D_GNU_SOURCE", "-pthread", "-o", program, source])
    child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdin and child.stdout
    for _ in range(THREADS // 100):
        child.stdin.write("hundred\n")
        child.stdin.flush()
        while (said := child.stdout.readline()) != "hundred done\n":
            assert said, "the program ended"
    return child


def attach(recording: Path, pid: int, *words: object, before: tuple[object, ...] = ()) -> list[object]:
    recording.unlink(missing_ok=True)
    return [*before, NUMAPROF, "attach", "-q", "-p", pid, "-o", recording, *words]


def many(place: Path) -> None:
    recording, program = place / "many.numaprof", waiting_threads(place)
    sides = {"attach": lambda: run(attach(recording, program.pid, "--duration", "0.001"))}
    if os.geteuid() == 0:
        before = tuple(pretended_pmu(place))
        sides["pretended"] = lambda: run(attach(recording, program.pid, "--duration", "0.001", before=before))
    costs = medians(7, **sides)
    program.kill()
    program.communicate()
    line(f"attach to {THREADS} threads", f"{costs['attach'].wall:.2f} s, with detaching and writing", "<= 1 s")
    if "pretended" in costs:
        line("  with a pretended PMU", f"{costs['pretended'].wall:.2f} s")


def beside(words: list[object], recording: Path) -> Cost:
    """The program's time, and the CPU time of both."""
    before, start = os.times(), time.perf_counter()
    program = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL)
    with subprocess.Popen([str(word) for word in attach(recording, program.pid)]) as recorder:
        status, wall = program.wait(), time.perf_counter() - start
    if status != 0 or recorder.returncode != 0:
        raise SystemExit(f"the program ended with {status}, numaprof attach with {recorder.returncode}")
    after = os.times()
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return Cost(wall, used)


def overhead(place: Path) -> None:
    recording, words = place / "triad.numaprof", [build("triad", "-fopenmp"), 200]
    costs = medians(9, bare=lambda: run(words), attached=lambda: beside(words, recording))
    ratio("triad, attached to", costs["attached"], costs["bare"], "<= 1.02", collectors(recording))


def main() -> None:
    raise_file_limit()
    with folder() as place:
        many(place)
        overhead(place)


if __name__ == "__main__":
    main()
