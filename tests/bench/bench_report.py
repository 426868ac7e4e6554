# SPDX-License-Identifier: Apache-2.0
"""The terminal report of a recording of a million samples, beside `perf report --stdio` of as many.

Where its CPU time goes, least of 5 runs in one process on a busy 2-core machine: SQL 0.57 s, Python's own work 0.12 s,
the start with its imports 0.11 s. Of SQL 0.08 s choose the 60 000 samples that are looked at, 0.13 s find the lines of
their 45 000 different call stacks (real programs have some hundred), 0.06 s read the accesses with an address. Of the
imports 0.045 s make 97 data classes. No difference: without a journal of temporary tables, without the spilling of the
cache, with a larger cache for temporary tables, without garbage collection (seven to eight turns each).
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
            f"report of {SAMPLES:,} samples",
            f"{costs['big'].wall:.2f} s, CPU time {costs['big'].cpu:.2f} s",
            "<= 0.7 s",
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
