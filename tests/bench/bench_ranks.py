# SPDX-License-Identifier: Apache-2.0
"""What recording adds to each of 64 ranks of one host, beside one program of 64 processes; goal: no more than that.

Eight ranks beside them tell whether a rank's cost grows with the others. The first program does nothing: all that is
added is start and end. A second one works: what is added more than that is the price of page faults, looks at pages and
rings. CPU time counts, because the ranks outnumber the CPUs.
A shell starts the ranks, with the variables of MPICH: MPICH's own launcher takes more CPU time the longer it waits.
A rank has a recorder of its own, so the goal is out of reach (README.md). The floor: a program that starts another one,
and one that writes a recording of one row besides, by the recorder's own code.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench import BUILD, NUMAPROF, Cost, folder, line, medians, run
from compiled import build_recording

RANKS, FEW, ROUNDS = 64, 8, 3
NOTHING = [word for what in ("counters", "faults", "pages") for word in ("--without", what)]
VARIABLES = "PMI_RANK=$i PMI_SIZE=$RANKS MPI_LOCALRANKID=$i MPI_LOCALNRANKS=$RANKS"
TOGETHER = f'i=0; while [ $i -lt $RANKS ]; do {VARIABLES} "$@" & i=$((i + 1)); done; wait'
IDLE = ["/bin/true"]
WORK = ["env", "OMP_NUM_THREADS=2", str(BUILD / "examples" / "sum_serial"), "40", "16"]


def fresh(place: Path) -> Path:
    """Nothing is deleted meanwhile: ext4 takes longer to make a file where it has just deleted others."""
    return Path(tempfile.mkdtemp(dir=place))


def together(*words: object, ranks: int = RANKS, each: str = TOGETHER) -> list[object]:
    return ["env", f"RANKS={ranks}", "sh", "-c", each, "sh", *words]


def job(
    place: Path,
    recorder: Path | None = None,
    options: Sequence[str] = (),
    program: Sequence[str] = IDLE,
    ranks: int = RANKS,
) -> Cost:
    words = [recorder, "record", "-q", *options, "-o", fresh(place) / "job"] if recorder else []
    return run(together(*words, *program, ranks=ranks))


def processes(place: Path, recorder: Path, program: Sequence[str] = IDLE) -> Cost:
    return run([recorder, "record", "-q", "-o", fresh(place) / "one.numaprof", *together(*program)])


def least(starter: Path, folder: Path | None = None) -> Cost:
    """The floor, with a file where a folder is given."""
    file = f" {folder}/$i" if folder else ""
    return run(together(starter, "/bin/true", each=TOGETHER.replace('"$@"', f'"$@"{file}')))


def per_rank(cost: Cost, without: Cost, ranks: int = RANKS) -> str:
    return f"{1e3 * (cost.cpu - without.cpu) / ranks:.1f} ms of CPU time a rank"


def main() -> None:
    with folder() as place:
        starter = build_recording("rank_floor")
        costs = medians(
            ROUNDS,
            bare=lambda: job(place),
            processes=lambda: processes(place, NUMAPROF),
            nothing=lambda: job(place, NUMAPROF, NOTHING),
            alone=lambda: job(place, NUMAPROF),
            bare_few=lambda: job(place, ranks=FEW),
            few=lambda: job(place, NUMAPROF, ranks=FEW),
            started=lambda: least(starter),
            written=lambda: least(starter, fresh(place)),
            bare_work=lambda: job(place, program=WORK),
            work=lambda: job(place, NUMAPROF, program=WORK),
            processes_work=lambda: processes(place, NUMAPROF, WORK),
        )
        line(f"{RANKS} ranks of one host", f"{per_rank(costs['alone'], costs['bare'])} to record, CPU time of all")
        line(f"  where there are {FEW}", per_rank(costs["few"], costs["bare_few"], FEW))
        line("  to see nothing", per_rank(costs["nothing"], costs["bare"]))
        line("  as one program", per_rank(costs["processes"], costs["bare"]))
        line("  floor: start a program", per_rank(costs["started"], costs["bare"]))
        line("  floor: and write a file", per_rank(costs["written"], costs["bare"]))
        work = f"{1e3 * costs['bare_work'].cpu / RANKS:.0f} ms"
        line(f"  where a rank works {work}", per_rank(costs["work"], costs["bare_work"]))
        line("  as one program", per_rank(costs["processes_work"], costs["bare_work"]))
        last = max(place.glob("*/job"), key=lambda found: found.stat().st_mtime)
        sizes = [file.stat().st_size for file in last.iterdir()]
        line("  size", f"{sum(sizes) / len(sizes) / 1024:.0f} KiB a rank")
        report = run([NUMAPROF, "report", last])
        line("  report of the job", f"{report.wall:.1f} s, CPU time {report.cpu:.1f} s")


if __name__ == "__main__":
    main()
