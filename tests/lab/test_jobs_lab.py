# SPDX-License-Identifier: Apache-2.0
"""A hybrid job of real launchers on two nodes: the ranks that initialise serially stand apart, and no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import BUILD, TREE
from running import job, run_command

MACHINE = TREE / "tests" / "lab" / "machines" / "small-zen.machine"
RANKS, SERIAL = 16, {3, 10}
LAUNCHERS = {"MPICH": "mpiexec.hydra", "Open MPI": "mpiexec.openmpi --allow-run-as-root --oversubscribe --bind-to none"}
# Each rank has two threads, one on each node: of memory that one of them initialised, the other reads all remotely.
# OpenMP binds them, as in hybrid jobs. One pair of events is counted all of the time, unless the host is busy.
RANK = """
    rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK} cpu=$((rank % 4)) init=parallel
    case $rank in 3|10) init=serial;; esac
    export OMP_NUM_THREADS=2 OMP_PLACES="{$cpu},{$((cpu + 4))}" OMP_PROC_BIND=true OMP_WAIT_POLICY=passive
    exec taskset -c $cpu,$((cpu + 4)) ./numaprof record -q -o "$1" --events any \
        --without faults --without pages "$2_$init" 4 4
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
    program = BUILD / "examples" / "sum"
    commands = [f"{words} -n {RANKS} sh rank '{name}' {program}" for name, words in LAUNCHERS.items()]
    lab = [TREE / "lab" / "run", "--machine", MACHINE, "--quiet", "--time-limit", "0"]
    done = run_command(*lab, "--", "sh", "-ec", "; ".join(commands), cwd=folder)
    assert done.status == 0, done
    return folder


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_outliers_are_exactly_the_ranks_that_initialise_serially(launcher: str, jobs: Path) -> None:
    found = job(jobs / launcher)
    assert (found["launcher"], found["size"], found["found"], found["left_out"]) == (launcher, RANKS, RANKS, [])
    ranks = {rank["number"]: rank for rank in found["ranks"]}
    shares = {number: rank["remote_share"] for number, rank in ranks.items()}
    assert min(shares[number] for number in SERIAL) > 0.3 > max(shares[number] for number in set(ranks) - SERIAL)
    # Of a rank that was not counted for a part of its short run, the interval may be 0 to 100 %.
    known = {number for number in SERIAL if (ranks[number]["lowest"] or 0.0) > shares[0] + shares[1]}
    assert known and {number for number, rank in ranks.items() if rank["outlier"]} == known, shares
