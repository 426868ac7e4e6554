#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a placement file costs: small allocations, and advised ones beside plain mappings. `bench_placing.py [RUNS]`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

from bench import NUMAPROF, TREE, build, folder, medians, run
from compiled import build as build_plain

sys.path.insert(0, str(TREE / "tests" / "place"))
from placing import placement

GOAL_SMALL, GOAL_ADVISED_US = 1.05, 10.0


def placement_of(program: Path, place: Path, *arguments: object) -> None:
    """All large blocks of a recorded run of the program in four pieces, on node 0: it is everywhere."""
    recording = place.with_suffix(".numaprof")
    run([NUMAPROF, "record", "-q", "-o", recording, program, *arguments])
    place.write_text(placement(recording, "* blocks 0:0.25 0:0.5 0:0.75 0:1", ("heap",)))


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    small = build_plain("alloc")
    program = build("placing")
    with folder() as made:
        place = made / "placement"
        placement_of(program, place)
        costs = medians(
            runs,
            bare=lambda: run([small, "small"]),
            placed=lambda: run([NUMAPROF, "run", "-q", "--place", place, "--", small, "small"]),
        )
        ratio = costs["placed"].cpu / costs["bare"].cpu
        print(f"10 million small blocks with a placement file: {ratio:.3f} of the bare CPU time; goal {GOAL_SMALL}")
        command = list(map(str, [NUMAPROF, "run", "--place", place, "--", program]))
        done = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(runs)]
        advised, plain, bound = (median(times) for times in zip(*(map(float, run.stdout.split()) for run in done)))
        print(
            f"advised block of 40 MiB in four pieces: {advised - plain:.2f} us more than its plain mmap "
            f"({plain:.2f} us); goal {GOAL_ADVISED_US:.0f}; its system calls alone: {bound - plain:.2f} us more"
        )
        print(done[-1].stderr.strip().removeprefix("numaprof: "))


if __name__ == "__main__":
    main()
