# SPDX-License-Identifier: Apache-2.0
"""What it costs to record a program that does nothing, beside perf stat of the same."""

from __future__ import annotations

from bench import Cost, folder, line, medians, perf, record, run


def text(cost: Cost) -> str:
    return f"{1e3 * cost.wall:6.1f} ms, CPU time {1e3 * cost.cpu:.1f} ms"


def main() -> None:
    with folder() as place:
        sides = {"bare": lambda: run(["true"]), "recorded": lambda: record(place / "x.numaprof", "true")}
        if perf():
            sides["perf"] = lambda: run([perf(), "stat", "-o", place / "stat", "true"])
        costs = medians(21, **sides)
    line("start-up: record true", text(costs["recorded"]), "below perf stat")
    line("  perf stat true", text(costs["perf"]) if perf() else "not measured: perf is not installed")
    line("  true", text(costs["bare"]))


if __name__ == "__main__":
    main()
