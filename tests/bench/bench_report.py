# SPDX-License-Identifier: Apache-2.0
"""The terminal report of a recording of a million samples, beside `perf report --stdio` of as many.

The floor, in CPU time of a busy 2-core machine that took 2.16 s before stacks that share callers were walked once:
1.16 s, of these 0.40 s the errors of multiplexed counts, 0.55 s the 60 000 samples that are looked at with their
100 000 addresses, 0.10 s Python's start. The errors take 0.4 of their time since SQL sums the counts and Python
estimates: window functions copied each of 45 000 rows several times.
"""

from __future__ import annotations

from bench import BUILD, build, folder, line, medians, perf, run
from big_recording import write

SAMPLES = 1_000_000
OBJECTS = 100_000


def main() -> None:
    reports = BUILD / "numaprof-reports"
    with folder() as place:
        big, small, data = place / "big.numaprof", place / "small.numaprof", place / "perf.data"
        joined = place / "joined.numaprof"
        write(big, SAMPLES)
        write(joined, SAMPLES, OBJECTS)
        write(small, 1_000)
        files = {"big": big, "joined": joined, "small": small}
        sides = {name: lambda file=file: run([reports, "report", file]) for name, file in files.items()}
        costs = medians(5, **sides)
        line(
            f"report of {SAMPLES:,} samples", f"{costs['big'].wall:.2f} s, CPU time {costs['big'].cpu:.2f} s", "<= 1 s"
        )
        line(
            f"  with {OBJECTS:,} objects",
            f"{costs['joined'].wall:.2f} s, CPU time {costs['joined'].cpu:.2f} s",
            "<= 2 s",
        )
        line("  of 1,000", f"{costs['small'].wall:.2f} s, CPU time {costs['small'].cpu:.2f} s")
        if perf():
            run([perf(), "record", "-q", "-e", "page-faults", "-c", "1", "-g", "-o", data, build("faults"), SAMPLES])
            theirs = run([perf(), "report", "--stdio", "-q", "-i", data])
            line(
                "  perf report --stdio",
                f"{theirs.wall:.2f} s, CPU time {theirs.cpu:.2f} s   (one run, as many samples)",
            )
        else:
            line("  perf report --stdio", "not measured: perf is not installed")


if __name__ == "__main__":
    main()
