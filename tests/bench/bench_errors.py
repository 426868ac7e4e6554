# SPDX-License-Identifier: Apache-2.0
"""Errors of multiplexed counts in the emulated machine, by dialect and kind of phases (tests/lab/programs/phases.c).

Columns: median coverage of the verdict's events; median relative error of counts scaled by time as perf stat does, by
CPU time and by instructions; cells whose 95 % interval holds the truth; share and its interval."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from bench import BUILD, TREE

sys.path.insert(0, str(TREE / "tests" / "dialects"))
sys.path.insert(0, str(TREE / "tests"))

from accuracy import Cell, cells, error
from numaprof.evidence.evidence import load

DIALECTS = ("nehalem", "westmere", "skylake", "sapphire", "zen")
KINDS = ("steady", "thirds", "bursts")
ROUNDS = 9000
PHASES = BUILD / "tests" / "lab" / "phases"


def build() -> None:
    programs = TREE / "tests" / "lab" / "programs"
    flags = ["-std=c17", "-D_GNU_SOURCE", "-g", "-O1", "-pthread", f"-I{TREE}"]
    PHASES.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", *flags, "-o", PHASES, programs / "phases.c", programs / "lab.c", "-lpfm"], check=True)


def record(dialect: str, folder: Path) -> None:
    script = "; ".join(
        f"{TREE}/numaprof record -q --pin none -o $NUMAPROF_SCRATCH/{kind}.numaprof -- "
        f"{PHASES} {kind} {ROUNDS} 0 1 4 5 > $NUMAPROF_SCRATCH/{kind}.json"
        for kind in KINDS
    )
    machine = TREE / "tests" / "lab" / "machines" / f"small-{dialect}.machine"
    command = [TREE / "lab" / "run", "--machine", machine, "--scratch", folder, "--quiet", "--", "sh", "-c", script]
    subprocess.run(command, check=True)


def row(dialect: str, kind: str, folder: Path) -> str:
    recording, printed = folder / f"{kind}.numaprof", (folder / f"{kind}.json").read_text()
    found, evidence = cells(recording, printed), load(str(recording))
    truths = [cell.truth for cell in found]
    errors = [error(values(found), truths) for values in (_whole, _by_time, _by_work)]
    held = sum(cell.held for cell in found) / len(found)
    width = evidence.traffic.interval or (0.0, 1.0)
    coverage = median(cell.coverage for cell in found)
    return (
        f"| {dialect} | {kind} | {coverage:.0%} | "
        + " | ".join(f"{100 * value:.1f} %" for value in errors)
        + f" | {held:.0%} | {100 * (evidence.traffic.share or 0):.1f} ± {50 * (width[1] - width[0]):.1f} |"
    )


def _whole(found: list[Cell]) -> list[float]:
    return [cell.whole for cell in found]


def _by_time(found: list[Cell]) -> list[float]:
    return [cell.by_time.total for cell in found]


def _by_work(found: list[Cell]) -> list[float]:
    return [cell.by_work.total for cell in found]


def main() -> None:
    build()
    print("| dialect | phases | coverage | whole run | time | work | interval holds | share |")
    print("|---|---|---|---|---|---|---|---|")
    for dialect in DIALECTS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            record(dialect, folder)
            for kind in KINDS:
                print(row(dialect, kind, folder), flush=True)


if __name__ == "__main__":
    main()
