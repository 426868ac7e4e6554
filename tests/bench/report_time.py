# SPDX-License-Identifier: Apache-2.0
"""Times the terminal report of a big recording, process start to end: `report_time.py [SAMPLES] [RUNS]`, medians."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from big_recording import write

REPORTS = Path(__file__).resolve().parents[2] / "build" / "numaprof-reports"


def seconds(*command: object) -> float:
    start = time.perf_counter()
    subprocess.run([str(REPORTS), *map(str, command)], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        big, small = Path(folder) / "big.numaprof", Path(folder) / "small.numaprof"
        write(big, samples)
        write(small, 1_000)
        times = [(seconds("report", big), seconds("report", small)) for _ in range(runs)]
        megabytes = big.stat().st_size / 1e6
    median, least = (statistics.median(column) for column in zip(*times))
    print(f"report of {samples} samples ({megabytes:.0f} MB): {median:.2f} s; of 1 000: {least:.2f} s; goal: 1 s")


if __name__ == "__main__":
    main()
