# SPDX-License-Identifier: Apache-2.0
"""A hybrid job of MPI and OpenMP on two nodes: the ranks that initialise serially stand apart, and no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import BUILD, TREE
from running import job, run_command, target

MACHINE = TREE / "tests" / "lab" / "machines" / "small-zen.machine"
# 16 ranks of Open MPI take three times as much emulated CPU time as 8.
LAUNCHERS = {
    "MPICH": ("mpiexec.hydra", "libmpich.so.12", 16),
    "Open MPI": ("mpiexec.openmpi --allow-run-as-root --oversubscribe --bind-to none", "libmpi.so.40", 8),
}
SERIAL = {3, 6}
# Each rank has two threads, one on each node: of memory that one of them initialised, the other reads all remotely.
# OpenMP binds them, as in hybrid jobs. One pair of events is counted all of the time, from when all threads are there:
# of a thread whose start was not counted, as on a busy host, the error is not known, and so not whether its rank stands
# apart.
RANK = """
    rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK} cpu=$((rank % 4)) init=parallel
    case $rank in 3|6) init=serial;; esac
    export OMP_NUM_THREADS=2 OMP_PLACES="{$cpu},{$((cpu + 4))}" OMP_PROC_BIND=true OMP_WAIT_POLICY=passive
    exec taskset -c $cpu,$((cpu + 4)) ./numaprof record -q --paused -o "$1" --events any \
        --without faults --without pages "$2" "$3" $init 4 4
"""

pytestmark = [pytest.mark.requires("lab", "mpich", "openmpi"), pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a job of each launcher, from one boot. No Python runs there: a recorder without the reports
    beside it writes no summary."""
    folder = tmp_path_factory.mktemp("jobs")
    (folder / "rank").write_text(RANK)
    for file in ("numaprof", "libnumaprof-preload.so"):
        shutil.copy(BUILD / file, folder)
    program = target("mpi_sum", "-O1", "-fopenmp", f"-I{TREE}")
    commands = [
        f"{words} -n {ranks} sh rank '{name}' {program} {library}"
        for name, (words, library, ranks) in LAUNCHERS.items()
    ]
    lab = [TREE / "lab" / "run", "--machine", MACHINE, "--quiet", "--time-limit", "0"]
    done = run_command(*lab, "--", "sh", "-ec", "; ".join(commands), cwd=folder)
    assert done.status == 0, done
    return folder


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_outliers_are_exactly_the_ranks_that_initialise_serially(launcher: str, jobs: Path) -> None:
    found, (*_, ranks) = job(jobs / launcher), LAUNCHERS[launcher]
    assert (found["launcher"], found["size"], found["found"], found["left_out"]) == (launcher, ranks, ranks, [])
    shares = {rank["number"]: rank["remote_share"] for rank in found["ranks"]}
    assert min(shares[number] for number in SERIAL) > 0.3 > max(shares[number] for number in set(shares) - SERIAL)
    assert {rank["number"] for rank in found["ranks"] if rank["outlier"]} == SERIAL, found["ranks"]
