# SPDX-License-Identifier: Apache-2.0
"""What recording adds to each of 64 ranks of one host, beside one program of 64 processes; goal: no more than that.

The program does nothing: all that is added is start and end. CPU time counts, because the ranks outnumber the CPUs.
A shell starts the ranks, with the variables of MPICH: MPICH's own launcher takes more CPU time the longer it waits.
A rank has a recorder of its own, so the goal is out of reach: what that takes before anything is seen of the program
("to see nothing") is already more than a process of one recording takes with all (docs/dev/jobs.md has the parts).
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from bench import BUILD, NUMAPROF, Cost, folder, line, medians, run

RANKS, ROUNDS = 64, 3
NOTHING = [word for what in ("counters", "faults", "pages") for word in ("--without", what)]
TOGETHER = f'i=0; while [ $i -lt {RANKS} ]; do PMI_RANK=$i PMI_SIZE={RANKS} "$@" & i=$((i + 1)); done; wait'
PROCESSES = ["sh", "-c", TOGETHER, "sh", "/bin/true"]


def recorder_alone(place: Path) -> Path:
    """Without the reports beside it no rank writes a summary: the difference is its cost."""
    (place / "alone").mkdir()
    for file in (NUMAPROF, BUILD / "libnumaprof-preload.so"):
        shutil.copy2(file, place / "alone" / file.name)
    return place / "alone" / NUMAPROF.name


def job(place: Path, recorder: Path | None = None, options: Sequence[str] = ()) -> Cost:
    shutil.rmtree(place / "job", ignore_errors=True)
    words = [recorder, "record", "-q", *options, "-o", place / "job"] if recorder else []
    return run(["sh", "-c", TOGETHER, "sh", *words, "/bin/true"])


def processes(place: Path, *recorder: object) -> Cost:
    (place / "one.numaprof").unlink(missing_ok=True)
    words = [*recorder, "record", "-q", "-o", place / "one.numaprof"] if recorder else []
    return run([*words, *PROCESSES])


def per_rank(cost: Cost, without: Cost) -> str:
    return f"{1e3 * (cost.cpu - without.cpu) / RANKS:.0f} ms of CPU time a rank"


def main() -> None:
    with folder() as place:
        alone = recorder_alone(place)
        costs = medians(
            ROUNDS,
            bare=lambda: job(place),
            processes=lambda: processes(place),
            recorded_processes=lambda: processes(place, alone),
            nothing=lambda: job(place, alone, NOTHING),
            alone=lambda: job(place, alone),
            recorded=lambda: job(place, NUMAPROF),
        )
        line(f"{RANKS} ranks of one host", f"{per_rank(costs['alone'], costs['bare'])} to record, CPU time of all")
        line("  to see nothing", per_rank(costs["nothing"], costs["bare"]))
        line("  as one program", per_rank(costs["recorded_processes"], costs["processes"]))
        line("  with the summaries", per_rank(costs["recorded"], costs["bare"]))
        sizes = [file.stat().st_size for file in (place / "job").iterdir()]
        line("  size", f"{sum(sizes) / len(sizes) / 1024:.0f} KiB a rank")
        report = run([NUMAPROF, "report", place / "job"])
        line("  report of the job", f"{report.wall:.1f} s, CPU time {report.cpu:.1f} s")


if __name__ == "__main__":
    main()
