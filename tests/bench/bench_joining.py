#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long samples take to find their objects: `bench_joining.py [RUNS]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from compiled import build_inside, medians, numbers

OBJECTS, SAMPLES = 100_000, 1_000_000


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    program = build_inside("join")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "x.numaprof"

        def joined() -> list[float]:
            output.unlink(missing_ok=True)
            return numbers([program, output, str(OBJECTS), str(SAMPLES)])

        ((seconds, cpu, kib, share),) = medians(runs, joined)
    print(
        f"{SAMPLES} samples joined with {OBJECTS} objects and written: {seconds:.2f} s ({cpu:.2f} s of CPU time), peak"
        f" {kib / 1024:.0f} MiB, {share:.1%} of the addresses lie in an object; goal 2 s, 256 MiB; medians of {runs}"
    )


if __name__ == "__main__":
    main()
