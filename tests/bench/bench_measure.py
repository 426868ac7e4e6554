# SPDX-License-Identifier: Apache-2.0
"""Does numaprof topology --measure agree with others? One core, local memory, alternating runs.

    python tests/bench/bench_measure.py [ROUNDS [MIB]]

Others are stream_like.c beside this file (STREAM's loops and a pointer chase, written apart from ours) and, where it is
installed, likwid-bench, which counts the time that others take of its CPU: leave it out (--no-likwid) where they do.
Prints medians, the spread of each over the rounds, and the ratio ours / theirs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent.parent
PROGRAM = TREE / "build" / "numaprof"
METRICS = ("read", "copy", "copy_nt", "latency_random")
LIKWID = {"AVX-512": "avx512", "AVX2": "avx", "SSE2": "sse"}
Values = dict[str, float]


def ours(cpu: int, size: int) -> Values:
    command = ["taskset", "-c", str(cpu), PROGRAM, "topology", "--measure", "--json"]
    command += ["--only", ",".join(METRICS), "--size", f"{2 * size >> 20}M"]  # each half is an array
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)["measured"]["values"]
    here = rows[0]["from"]
    found = {row["metric"]: row["median"] for row in rows if row["from"] == row["to"] == here}
    return {name: value if name.startswith("latency") else value / 1e9 for name, value in found.items()}


def stream_like(program: Path, cpu: int, size: int) -> Values:
    done = subprocess.run(["taskset", "-c", str(cpu), program, str(size)], capture_output=True, text=True, check=True)
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def likwid(kernels: str, cpu: int, size: int) -> Values:
    found = {}
    for name, test, arrays in (("read", "load", 1), ("copy", "copy", 2), ("copy_nt", "copy_mem", 2)):
        workgroup = f"S0:{arrays * size >> 20}MB:1"
        command = ["taskset", "-c", str(cpu), "likwid-bench", "-t", f"{test}_{kernels}", "-w", workgroup]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        match = re.search(r"MByte/s:\s+([0-9.]+)", done.stdout)
        if match:
            found[name] = float(match[1]) / 1e3
    return found


def machine() -> tuple[int, int, str]:
    done = subprocess.run([PROGRAM, "topology", "--json"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    cpu = int(re.split("[-,]", found["allowed_cpus"])[0])
    cache = max(node["llc_bytes"] or 0 for node in found["nodes"])
    head = subprocess.run(
        [PROGRAM, "topology", "--measure", "--json", "--only", "read", "--size", "8M"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return cpu, max(256 << 20, (4 * cache >> 22) << 22), json.loads(head.stdout)["measured"]["kernels"]


def show(name: str, rounds: list[Values], reference: list[Values]) -> None:
    for metric in METRICS:
        mine = [found[metric] for found in rounds if metric in found]
        theirs = [found[metric] for found in reference if metric in found]
        if not mine or not theirs:
            continue
        ratio = statistics.median(theirs) / statistics.median(mine)
        wide = (
            (max(mine) - min(mine)) / statistics.median(mine),
            (max(theirs) - min(theirs)) / statistics.median(theirs),
        )
        print(
            f"{metric:16} {statistics.median(theirs):8.2f}  {name:12} {statistics.median(mine):8.2f}  "
            f"ours/theirs {ratio:.3f}   spread ours {100 * wide[1]:.1f} %, theirs {100 * wide[0]:.1f} %"
        )


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:] if word != "--no-likwid"]
    count = numbers[0] if numbers else 5
    cpu, size, kernels = machine()
    size = numbers[1] << 20 if len(numbers) > 1 else size
    with_likwid = "--no-likwid" not in sys.argv and shutil.which("likwid-bench") is not None
    mine: list[Values] = []
    second: list[Values] = []
    third: list[Values] = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "stream_like"
        flags = ["-O3", "-march=native", "-ffast-math", "-fno-tree-loop-distribute-patterns"]
        source = TREE / "tests" / "bench" / "stream_like.c"
        subprocess.run(["gcc", "-std=gnu17", *flags, "-o", program, source], check=True)
        for _ in range(count):
            mine.append(ours(cpu, size))
            second.append(stream_like(program, cpu, size))
            if with_likwid:
                third.append(likwid(LIKWID.get(kernels, "sse"), cpu, size))
    load = os.getloadavg()[0]
    print(f"{kernels}, CPU {cpu}, arrays of {size >> 20} MiB, {count} rounds, load {load:.1f}; GB/s, latency in ns")
    show("stream_like", second, mine)
    show("likwid-bench", third, mine)


if __name__ == "__main__":
    main()
