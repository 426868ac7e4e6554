#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Placements made from recordings beside the same fix made in the source, in the emulated machine: make placements.

Each example with advice to divide its data is recorded as it is, with the placement that `numaprof try` makes of the
recording, and edited by edits/NAME.sed. Compared are the remote shares of demand reads after the initialisation, which
a placement leaves to the thread that touches first. Status 1 if a share differs by more than NEAR, or if less than
RIGHT of the advised bytes lie on the asked node.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
sys.path[:0] = [str(TREE / "reports")]

from numaprof.commands.try_fix import choose  # noqa: E402
from numaprof.experiments.trials.placement import Subject, write  # noqa: E402
from numaprof.experiments.trials.proposals import proposals, read  # noqa: E402
from numaprof.experiments.trials.schedule import cpus_of_threads  # noqa: E402
from numaprof.experiments.trials.trial import Tried, measure  # noqa: E402
from numaprof.experiments.trials.trial_runs import Arm  # noqa: E402
from numaprof.text.messages import Failure  # noqa: E402

MACHINE = TREE / "tests" / "lab" / "machines" / "small-westmere.machine"  # without a prefetcher
EXAMPLES, EDITED = TREE / "build" / "examples", TREE / "build" / "corpus" / "edited"
COMPILERS = {".c": ["gcc", "-std=gnu17"], ".cpp": ["g++", "-std=c++17"], ".f90": ["gfortran", "-std=f2008"]}
FLAGS = ["-O2", "-g", "-fno-tree-vectorize", "-fopenmp", "-pthread"]
NEAR, RIGHT = 0.02, 0.95

# Example: what is edited (None: made by edits/NAME.sed), and arguments. The arrays are four times the shared cache.
CASES: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "sum_serial": ("sum_parallel", ("6", "8")),
    "sum_pthreads_serial": ("sum_pthreads_parallel", ("6", "8")),
    "fill_vector_serial": ("fill_vector_parallel", ("6", "8")),
    "new_array": (None, ("6", "8")),
    "arena": (None, ("6", "8")),
    "mismatch": (None, ("6", "8")),
    "growing": (None, ("6", "8")),
    "heat": (None, ("6", "768")),
    "sparse": (None, ("3", "300")),
    "recycled": ("recycled", ("4", "1")),
}

# What stands before the example where the fix is a setting.
SETTINGS: dict[str, tuple[str, ...]] = {"recycled": ("env", "MALLOC_MMAP_THRESHOLD_=1000000")}

# Counts of the intervals that begin after the initialisation.
LATER = """
SELECT placement, sum(value) FROM count JOIN event ON event.id = event
 WHERE class = 'demand_rd' AND t_ns > (SELECT min(t_ns) FROM count WHERE t_ns >= ?) GROUP BY placement
"""


def build(example: str) -> None:
    """The example with its fix."""
    (source,) = (TREE / "examples").glob(f"{example}.*")
    script = ["sed", "-f", HERE / "edits" / f"{example}.sed", source]
    text = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    if text == source.read_text():
        raise SystemExit(f"edits/{example}.sed changes nothing")
    EDITED.mkdir(parents=True, exist_ok=True)
    (EDITED / source.name).write_text(text)
    subprocess.run([*COMPILERS[source.suffix], *FLAGS, "-o", EDITED / example, EDITED / source.name], check=True)


def record(recording: Path, *words: object) -> Path:
    """Demand reads alone are counted all the time: without a prefetcher, that is every read of DRAM."""
    environment = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    command = [TREE / "build" / "numaprof", "record", "-q", "--events", "demand_rd", "-o", recording, *words]
    subprocess.run(list(map(str, command)), check=True, env=environment, stdout=subprocess.DEVNULL)
    return recording


def share(recording: Path, subjects: tuple[Subject, ...]) -> float | None:
    """Remote part of the demand reads after the initialisation; where that is not told, of all."""
    since = measure(str(recording), subjects).initialised_ns or 0
    with closing(sqlite3.connect(recording)) as database:
        found = dict(database.execute(LATER, (since,)))
    total = sum(found.values())
    return found.get("remote_dram", 0) / total if total else None


def compare(example: str, folder: Path) -> bool:
    edited, arguments = CASES[example]
    program = EXAMPLES / example
    plain = record(folder / f"{example}.plain", program, *arguments)
    evidence, layouts = read(str(plain))
    try:
        subjects = [arm.subjects for arm in choose(proposals(evidence, layouts), None).arms if arm.subjects][-1]
    except Failure as failure:
        print(f"{example:22} {failure}")
        return False
    file, cpus = folder / f"{example}.placement", tuple(map(int, (evidence.run.pin_plan or "").split(",")))
    file.write_text(write(subjects, "made by make placements", cpus, cpus_of_threads(evidence)))
    placed = record(folder / f"{example}.placed", "--place", file, program, *arguments)
    fixed = (*SETTINGS.get(example, ()), EXAMPLES / edited if edited else EDITED / example)
    by_hand = record(folder / f"{example}.edited", *fixed, *arguments)
    before, after, wanted = (share(recording, subjects) for recording in (plain, placed, by_hand))
    if before is None or after is None or wanted is None:
        print(f"{example:22} nothing was counted")
        return False
    right = Tried(Arm("placed", "placed"), (), (measure(str(placed), subjects),)).right or 0.0
    good = abs(after - wanted) <= NEAR and right >= RIGHT
    print(
        f"{example:22} {before:8.2%} {after:8.2%} {wanted:8.2%} {right:8.1%}  {'' if good else 'WRONG'}  "
        f"{subjects[0].places[0].text}",
        flush=True,
    )
    return good


def main() -> int:
    if sys.argv[1:] == ["--guest"]:
        print(f"{'remote after init.':22} {'plain':>8} {'placed':>8} {'edited':>8} {'on node':>8}")
        with tempfile.TemporaryDirectory() as folder:
            wrong = [example for example in CASES if not compare(example, Path(folder))]
        return 1 if wrong else 0
    for example, (edited, _) in CASES.items():
        if edited is None:
            build(example)
    lab = [TREE / "lab" / "run", "--machine", MACHINE, "--time-limit", "1800", "--quiet", "--"]
    guest = [sys.executable, HERE / "placements.py", "--guest"]
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([*lab, *guest], check=False, cwd=folder, env={**os.environ}).returncode


if __name__ == "__main__":
    sys.exit(main())
