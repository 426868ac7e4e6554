# SPDX-License-Identifier: Apache-2.0
"""Placements made from recordings, beside the same fix made by hand in the source: remote shares, and where pages lie."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, PROGRAM, TREE
from numaprof.analysis.remote_share import remote_share
from numaprof.commands.try_fix import choose
from numaprof.evidence.evidence import load
from numaprof.experiments.placement import Subject, write
from numaprof.experiments.proposals import proposals, read
from numaprof.experiments.trial import Tried, measure
from numaprof.experiments.trial_runs import Arm

EXAMPLES, FIXED = BUILD / "examples", BUILD / "tests" / "lab" / "fixed"
COMPILERS = {".c": ["gcc", "-std=gnu17"], ".cpp": ["g++", "-std=c++17"], ".f90": ["gfortran", "-std=f2008"]}
FLAGS = ["-O2", "-g", "-fno-tree-vectorize", "-fopenmp", "-pthread"]
NEAR = 0.02  # of a remote share: that of the placed run and that of the edited program
PLACED = 0.95  # of the advised bytes, on the asked node

# Example, its fix (None: fixes/NAME.sed), arguments. The arrays are four times the shared cache.
CASES: dict[str, tuple[str, str | None, tuple[int, ...]]] = {
    "openmp": ("sum_serial", "sum_parallel", (6, 8)),
    "posix": ("sum_pthreads_serial", "sum_pthreads_parallel", (6, 8)),
    "new": ("new_array", None, (6, 8)),
    "vector": ("fill_vector_serial", "fill_vector_parallel", (6, 8)),
    "two_arrays": ("arena", None, (6, 8)),
    "growing": ("growing", None, (6, 8)),
    "mismatch": ("mismatch", None, (6, 8)),
    "fortran": ("heat", None, (6, 768)),
}


def fixed_by_hand(example: str) -> Path:
    """The example, edited by fixes/NAME.sed and compiled."""
    program = FIXED / example
    if "NUMAPROF_MACHINE" not in os.environ and not program.exists():  # on the host: a compiler is slow in the guest
        (source,) = (TREE / "examples").glob(f"{example}.*")
        edited = FIXED / source.name
        FIXED.mkdir(parents=True, exist_ok=True)
        script = TREE / "tests" / "lab" / "fixes" / f"{example}.sed"
        text = subprocess.run(["sed", "-f", script, source], capture_output=True, text=True, check=True).stdout
        assert text != source.read_text(), "the fix changes nothing"
        edited.write_text(text)
        subprocess.run([*COMPILERS[source.suffix], *FLAGS, "-o", program, edited], check=True)
    return program


for name, fix, _ in CASES.values():
    if fix is None:
        fixed_by_hand(name)


def record(recording: Path, *words: object) -> Path:
    """Demand reads alone are counted all the time: without a prefetcher, that is every read of DRAM."""
    environment = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    command = [PROGRAM, "record", "-q", "--events", "demand_rd", "-o", recording, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return recording


def share(recording: Path) -> float:
    found = remote_share(load(str(recording)))
    assert found is not None
    return found.share


def advised(recording: Path) -> tuple[tuple[Subject, ...], tuple[int, ...]]:
    """All that is advised, and the CPUs of the threads in their order."""
    evidence, layouts = read(str(recording))
    arms = [arm for arm in choose(proposals(evidence, layouts), None).arms if arm.subjects]
    return arms[-1].subjects, tuple(map(int, (evidence.run.pin_plan or "").split(",")))


@pytest.mark.lab("tests/lab/machines/small-westmere.machine")
@pytest.mark.parametrize("case", CASES)
def test_a_placement_does_what_the_edit_does(case: str, tmp_path: Path) -> None:
    example, fix, arguments = CASES[case]
    program, file = EXAMPLES / example, tmp_path / "placement"
    plain = record(tmp_path / "plain", program, *arguments)
    subjects, cpus = advised(plain)
    file.write_text(write(subjects, "test", cpus))
    placed = record(tmp_path / "placed", "--place", file, program, *arguments)
    edited = record(tmp_path / "edited", EXAMPLES / fix if fix else fixed_by_hand(example), *arguments)
    found = Tried(Arm("placed", "placed", subjects), (), (measure(str(placed), subjects),))
    shares = share(plain), share(placed), share(edited)
    print(f"{case}: remote shares {shares}; {[subject.basis for subject in subjects]}")
    assert shares[0] > 0.25
    assert abs(shares[1] - shares[2]) <= NEAR
    assert found.found == found.placed == 1
    assert (found.right or 0) >= PLACED
