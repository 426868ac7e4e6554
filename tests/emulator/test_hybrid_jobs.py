# SPDX-License-Identifier: Apache-2.0
"""Hybrid jobs of MPI and OpenMP on two nodes, two of whose ranks initialise serially."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import BUILD, TREE
from running import job, run_command, target

pytestmark = [pytest.mark.requires("lab"), pytest.mark.timeout(1800)]

MACHINE = TREE / "tests" / "lab" / "machines" / "small-zen.machine"
RANKS, SERIAL = 16, {3, 10}
# Each rank has two threads, one on each node: of memory that one of them initialised, the other reads all remotely.
# OpenMP binds them, as in hybrid jobs. One pair of events is counted all of the time, from when all threads are there:
# of a thread whose start was not counted, as on a busy host, the error is not known, and so not whether its rank stands
# apart.
RANK = """
    rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK} cpu=$((rank % 4)) init=parallel
    case $rank in 3|10) init=serial;; esac
    export OMP_NUM_THREADS=2 OMP_PLACES="{$cpu},{$((cpu + 4))}" OMP_PROC_BIND=true OMP_WAIT_POLICY=passive
    exec taskset -c $cpu,$((cpu + 4)) ./numaprof record -q --paused -o job --events any \\
        --without faults --without pages "$1" "$2" $init 4 4
"""


def _run_job(launcher: str, library: str, folder: Path) -> Path:
    """The folder of the job's recordings. launcher: the words that stand before -n; library: of MPI, by its name. No
    Python runs there: a recorder without the reports beside it writes no summary."""
    (folder / "rank").write_text(RANK)
    for file in ("numaprof", "libnumaprof-preload.so"):
        shutil.copy(BUILD / file, folder)
    program = target("mpi_sum", "-O1", "-fopenmp", f"-I{TREE}")
    lab = [TREE / "lab" / "run", "--machine", MACHINE, "--quiet", "--time-limit", "0"]
    done = run_command(*lab, "--", *launcher.split(), "-n", RANKS, "sh", "rank", program, library, cwd=folder)
    assert done.status == 0, done
    return folder / "job"


@pytest.mark.parametrize(
    ("name", "launcher", "library"),
    [
        pytest.param("MPICH", "mpiexec.hydra", "libmpich.so.12", id="mpich", marks=pytest.mark.requires("mpich")),
        pytest.param(
            "Open MPI",
            "mpiexec.openmpi --allow-run-as-root --oversubscribe --bind-to none",
            "libmpi.so.40",
            id="openmpi",
            marks=[pytest.mark.requires("openmpi"), pytest.mark.alone],
        ),
    ],
)
def test_outliers_are_exactly_the_ranks_that_initialise_serially(
    name: str, launcher: str, library: str, tmp_path: Path
) -> None:
    found = job(_run_job(launcher, library, tmp_path))
    assert (found["launcher"], found["size"], found["found"], found["left_out"]) == (name, RANKS, RANKS, [])
    shares = {rank["number"]: rank["remote_share"] for rank in found["ranks"]}
    assert min(shares[number] for number in SERIAL) > 0.3 > max(shares[number] for number in set(shares) - SERIAL)
    assert {rank["number"] for rank in found["ranks"] if rank["outlier"]} == SERIAL, found["ranks"]
