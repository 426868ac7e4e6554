#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What noting allocations costs a program that makes many: `bench_allocations.py [RUNS]`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from compiled import PROGRAM, build, medians, numbers

WHAT = {"small": ("10 million small blocks on 4 threads", 1.10), "large": ("60 000 blocks of 1 MiB on 4 threads", 1.05)}


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    program = build("alloc")
    heaptrack = shutil.which("heaptrack")
    for kind, (text, goal) in WHAT.items():
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "x.numaprof"

            def recorded(kind: str = kind, output: Path = output) -> list[float]:
                output.unlink(missing_ok=True)
                return numbers([PROGRAM, "record", "-q", "-o", output, program, kind])

            def tracked(kind: str = kind, folder: str = folder) -> list[float]:
                return numbers([heaptrack or "", "-o", f"{folder}/h", program, kind])

            def bare(kind: str = kind) -> list[float]:
                return numbers([program, kind])

            times = medians(runs, bare, recorded, *([tracked] if heaptrack else []))
        ratios = [(wall / times[0][0], cpu / times[0][1]) for wall, cpu in times[1:]]
        beside = f"; heaptrack {ratios[1][0]:.2f} ({ratios[1][1]:.2f})" if heaptrack else "; no heaptrack here"
        print(
            f"{text}: {ratios[0][0]:.2f} of its bare time, {ratios[0][1]:.3f} of its bare CPU time; goal {goal:.2f}"
            f"{beside}; medians of {runs}"
        )


if __name__ == "__main__":
    main()
