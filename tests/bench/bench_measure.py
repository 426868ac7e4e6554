# SPDX-License-Identifier: Apache-2.0
"""Does numaprof topology --measure agree with others? Local memory, in pairs of slices of some ten milliseconds.

    python tests/bench/bench_measure.py [SURVEYS [MIB]] [--lmbench]

Others are stream_like.c beside this file (STREAM's loops and a pointer chase, written apart from ours) in the same
memory, the chase along a list of its own as well; in memory of their own likwid-bench, where it is installed, and with
--lmbench (minutes) lat_mem_rd. What disturbs the machine for longer than a pair
disturbs both: what counts is the median of the pairs' ratios. Its interval (95 %) comes from drawing whole surveys with
repetition, as the pairs of one share their memory.
"""

from __future__ import annotations

import glob
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from compiled import BUILD, LIBRARIES, PROGRAM, TREE, build

FLAGS = ["-O3", "-march=native", "-funroll-loops", "-fvariable-expansion-in-unroller", "-ffast-math", "-fopenmp"]
KEEP_LOOPS = "-fno-tree-loop-distribute-patterns"  # else gcc calls memcpy for the copy
SEE_MEMORY = "-Wl,--wrap=memory_bound_map"
WIDTHS = {"AVX-512": 512, "AVX2": 256, "SSE2": 128}
LIKWID = {"AVX-512": "avx512", "AVX2": "avx", "SSE2": "sse"}
LIKWID_TESTS = {"read": "load", "copy": "copy", "copy_nt": "copy_mem"}
HUGE_PAGES = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"  # theirs on huge pages, as ours are
PAST_CACHES = "glibc.cpu.x86_non_temporal_threshold=0x1000000"
DRAWS, GOAL, FEW = 2000, 0.03, 10


class Pair(NamedTuple):
    survey: int
    metric: str
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        """Above 1: ours is the greater bandwidth, or the shorter time."""
        return self.theirs / self.ours if self.metric.startswith("latency") else self.ours / self.theirs


def machine() -> tuple[int, int, str]:
    """A CPU, MiB that are well past the caches, and our kernels."""
    done = subprocess.run([PROGRAM, "topology", "--json"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    cpu = int(re.split("[-,]", found["allowed_cpus"])[0])
    cache = max(node["llc_bytes"] or 0 for node in found["nodes"])
    command = [PROGRAM, "topology", "--measure", "--json", "--only", "read", "--size", "8M"]
    head = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return cpu, max(512, cache >> 19), head["measured"]["kernels"]


def pairs(program: Path, cpu: int | None, words: Sequence[object]) -> list[Pair]:
    """cpu: both run on that one; None: on all."""
    before = [] if cpu is None else ["taskset", "-c", str(cpu)]
    environment = {**os.environ, "GLIBC_TUNABLES": PAST_CACHES}
    command = [*before, str(program), *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    rows = (line.split() for line in done.stdout.splitlines())
    return [Pair(int(survey), metric, float(ours), float(theirs)) for survey, metric, ours, theirs in rows]


def interval(found: Sequence[Pair]) -> tuple[float, float]:
    surveys = sorted({pair.survey for pair in found})
    ratios = {survey: [pair.ratio for pair in found if pair.survey == survey] for survey in surveys}
    draw = random.Random(1)
    medians = sorted(
        statistics.median([ratio for survey in draw.choices(surveys, k=len(surveys)) for ratio in ratios[survey]])
        for _ in range(DRAWS)
    )
    return medians[DRAWS // 40], medians[-DRAWS // 40]


def judged(ratio: float) -> str:
    if abs(ratio - 1) <= GOAL:
        return "agrees"
    return "ours is better" if ratio > 1 else "theirs is better"


def show(name: str, found: Sequence[Pair]) -> None:
    for metric in dict.fromkeys(pair.metric for pair in found):
        mine = [pair for pair in found if pair.metric == metric]
        middle = statistics.median(pair.ratio for pair in mine)
        low, high = interval(mine)
        verdict = "too few pairs: the machine is busy" if len(mine) < FEW else judged(middle)
        print(
            f"{metric:15} {statistics.median(pair.ours for pair in mine):7.2f}  {name:12}"
            f" {statistics.median(pair.theirs for pair in mine):7.2f}   {middle:.3f} ({low:.3f}..{high:.3f})"
            f" of {len(mine)} pairs   {verdict}",
            flush=True,
        )


def likwid_commands(kernels: str, mib: int) -> list[str]:
    found = []
    for metric, test in LIKWID_TESTS.items():
        group = f"S0:{mib * (1 if metric == 'read' else 2)}MB:1"
        program = f"{HUGE_PAGES} likwid-bench -t {test}_{LIKWID[kernels]} -w {group} -i 5 2>/dev/null"
        found.append(f"{metric}={program} | awk '/^MByte/ {{print $2 / 1e3}}'")
    return found


def lat_mem_rd() -> str | None:
    """Debian's lmbench keeps it out of the way."""
    return shutil.which("lat_mem_rd") or next(iter(glob.glob("/usr/lib/lmbench/bin/*/lat_mem_rd")), None)


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    cpu, mib, kernels = machine()
    surveys, mib = (numbers + [8, mib][len(numbers) :])[:2]
    width = [f"-mprefer-vector-width={WIDTHS[kernels]}"] if kernels in WIDTHS else []
    inside = [f"-I{TREE}", f"-I{BUILD / 'gen'}", BUILD / "libnumaprof.a", *LIBRARIES, "-lm"]
    sources = [TREE / "tests" / "bench" / "stream_like.c", "-D_GNU_SOURCE"]
    program = build("measure_pairs", *FLAGS, KEEP_LOOPS, SEE_MEMORY, *width, *sources, *inside)
    print(f"{kernels}, CPU {cpu}, arrays of {mib} MiB, {surveys} surveys, load {os.getloadavg()[0]:.1f}")
    print("                   ours  other         theirs   ratio, above 1: ours is better")
    show("stream_like", pairs(program, cpu, [mib, surveys, "latency_random,read,copy,copy_nt"]))
    show("own list", pairs(program, cpu, [mib, surveys, "latency_random", "--own-list"]))
    show("stream_like", pairs(program, None, [mib, surveys, "read_all,copy_all,copy_nt_all"]))
    if kernels in LIKWID and shutil.which("likwid-bench"):
        words = [mib, max(2, surveys // 2), "read,copy,copy_nt", *likwid_commands(kernels, mib)]
        show("likwid-bench", pairs(program, cpu, words))
    else:
        print("likwid-bench is not installed (apt-get install likwid), or has no loops for this CPU: left out")
    chase = lat_mem_rd()
    if "--lmbench" in sys.argv and chase:
        command = f"{HUGE_PAGES} ENOUGH=20000 TIMING_O=0 LOOP_O=0 {chase} -t -N 1 {mib} 64 2>&1"
        last = f"latency_random={command} | awk 'NF == 2 {{last = $2}} END {{print last}}'"
        show("lat_mem_rd", pairs(program, cpu, [mib, max(1, surveys // 4), "latency_random", last]))


if __name__ == "__main__":
    main()
