# SPDX-License-Identifier: Apache-2.0
"""A memory-bound OpenMP triad with and without recording: of some seconds, and one that is over when it has begun, of
which the first touches are a third."""

from bench import build, collectors, folder, medians, ratio, record, run


def main() -> None:
    triad = build("triad", "-fopenmp")
    with folder() as place:
        recording = place / "x.numaprof"
        for sweeps, rounds, goal in ((200, 5, "<= 1.02"), (20, 9, "")):
            command = [triad, str(sweeps)]
            times = medians(rounds, bare=lambda c=command: run(c), recorded=lambda c=command: record(recording, *c))
            ratio(f"triad, {sweeps} sweeps", times["recorded"], times["bare"], goal, collectors(recording))


if __name__ == "__main__":
    main()
