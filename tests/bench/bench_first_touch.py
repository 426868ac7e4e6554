# SPDX-License-Identifier: Apache-2.0
"""First touch of 2 GiB in pages of 4 KiB: bare, recorded, and with perf taking every fault and its call stack."""

from __future__ import annotations

from bench import build, collectors, folder, line, medians, perf, ratio, record, run

MIB = 2048


def main() -> None:
    touch = build("touch")
    with folder() as place:
        recording = place / "x.numaprof"
        sides = {"bare": lambda: run([touch, MIB]), "recorded": lambda: record(recording, touch, MIB)}
        if perf():
            words = [
                perf(),
                "record",
                "-q",
                "-e",
                "page-faults",
                "-c",
                "1",
                "-g",
                "-o",
                place / "perf.data",
                touch,
                MIB,
            ]
            sides["perf"] = lambda: run(words)
        times = medians(5, **sides)
        ratio("first touch, 2 GiB", times["recorded"], times["bare"], "<= 1.10, CPU <= 1.15", collectors(recording))
        if perf():
            ratio("  perf record -c 1 -g", times["perf"], times["bare"], "")
        else:
            line("  perf record -c 1 -g", "not measured: perf is not installed")


if __name__ == "__main__":
    main()
