# SPDX-License-Identifier: Apache-2.0
"""A memory-bound OpenMP triad with and without recording."""

from bench import build, collectors, folder, medians, ratio, record, run


def main() -> None:
    triad = build("triad", "-fopenmp")
    with folder() as place:
        recording = place / "x.numaprof"
        times = medians(9, bare=lambda: run([triad]), recorded=lambda: record(recording, triad))
        ratio("triad", times["recorded"], times["bare"], "<= 1.02", collectors(recording))


if __name__ == "__main__":
    main()
