# SPDX-License-Identifier: Apache-2.0
"""A hybrid job of MPI and OpenMP on two nodes: the ranks that initialise serially stand apart, and no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import BUILD, TREE
from running import job, run_command, target

MACHINE = TREE / "tests" / "lab" / "machines" / "small-zen.machine"
LAUNCHERS = {
    "MPICH": ("mpiexec.hydra", "libmpich.so.12"),
    "Open MPI": ("mpiexec.openmpi --allow-run-as-root --oversubscribe --bind-to none", "libmpi.so.40"),
}
# Number of ranks -> those that initialise serially. 16 ranks crowd the eight CPUs: there the libraries themselves,
# which poll while they wait for each other, would take half an hour. Four ranks, the fewest of which one can stand
# apart, call MPI_Init_thread and MPI_Finalize.
SERIAL = {16: {3, 10}, 4: {2}}
# Each rank has two threads, one on each node: of memory that one of them initialised, the other reads all remotely.
# OpenMP binds them, as in hybrid jobs. One pair of events is counted all of the time.
RANK = """
    rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK} cpu=$((rank % 4)) init=parallel
    case " $2 " in *" $rank "*) init=serial;; esac
    export OMP_NUM_THREADS=2 OMP_PLACES="{$cpu},{$((cpu + 4))}" OMP_PROC_BIND=true OMP_WAIT_POLICY=passive
    exec taskset -c $cpu,$((cpu + 4)) ./numaprof record -q -o "$1" --events any \
        --without faults --without pages "$3" "$4" $init 4 4
"""

pytestmark = [pytest.mark.requires("lab", "mpich", "openmpi"), pytest.mark.timeout(1800)]


def command(name: str, ranks: int) -> str:
    words, library = LAUNCHERS[name]
    program = target("mpi_sum", "-O1", "-fopenmp")
    serial = " ".join(map(str, SERIAL[ranks]))
    return f"{words} -n {ranks} sh rank '{name} {ranks}' '{serial}' {program} {library if ranks == 4 else '-'}"


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the jobs, from one boot. No Python runs there: a recorder without the reports beside it writes no
    summary."""
    folder = tmp_path_factory.mktemp("jobs")
    (folder / "rank").write_text(RANK)
    for file in ("numaprof", "libnumaprof-preload.so"):
        shutil.copy(BUILD / file, folder)
    commands = [command(name, ranks) for name in LAUNCHERS for ranks in SERIAL]
    lab = [TREE / "lab" / "run", "--machine", MACHINE, "--quiet", "--time-limit", "0"]
    done = run_command(*lab, "--", "sh", "-ec", "; ".join(commands), cwd=folder)
    assert done.status == 0, done
    return folder


@pytest.mark.parametrize("ranks", SERIAL)
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_outliers_are_exactly_the_ranks_that_initialise_serially(launcher: str, ranks: int, jobs: Path) -> None:
    found, serial = job(jobs / f"{launcher} {ranks}"), SERIAL[ranks]
    assert (found["launcher"], found["size"], found["found"], found["left_out"]) == (launcher, ranks, ranks, [])
    shares = {rank["number"]: rank["remote_share"] for rank in found["ranks"]}
    assert min(shares[number] for number in serial) > 0.3 > max(shares[number] for number in set(shares) - serial)
    assert {rank["number"] for rank in found["ranks"] if rank["outlier"]} == serial, found["ranks"]
