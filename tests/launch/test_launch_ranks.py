# SPDX-License-Identifier: Apache-2.0
"""Ranks of MPI jobs, started by the real launchers: each knows its number, and two of a host never share a CPU."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAM
from running import has_rows, rows, run, run_command, target, until

LAUNCHERS = [
    pytest.param(["mpiexec.hydra", "-n", "2"], "MPICH", marks=pytest.mark.requires("mpich"), id="mpich"),
    pytest.param(
        ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"],
        "Open MPI",
        marks=pytest.mark.requires("openmpi"),
        id="openmpi",
    ),
]
TWO_CPUS = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")


@TWO_CPUS
@pytest.mark.parametrize(("launcher", "name"), LAUNCHERS)
def test_ranks_share_the_cpus_of_a_host(launcher: list[str], name: str, tmp_path: Path) -> None:
    done = run_command(*launcher, PROGRAM, "record", "-q", "-o", tmp_path / "r.%R.numaprof", target("touch"), 2, 64)
    assert done.status == 0, done
    plans = []
    for rank in range(2):
        recording = tmp_path / f"r.{rank}.numaprof"
        assert rows(recording, "SELECT launcher, number, size, local_number, local_size, shares FROM rank") == [
            (name, rank, 2, rank, 2, 1)
        ]
        plans += [set(str(plan).split(",")) for plan in rows(recording, "SELECT pin_plan FROM run")]
    assert plans[0] and plans[1] and not plans[0] & plans[1]


@TWO_CPUS
@pytest.mark.parametrize(("launcher", "name"), LAUNCHERS)
def test_threads_are_pinned_after_mpi_init(
    launcher: list[str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It binds the main thread to each CPU in turn, and then sets back the mask that it had read."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    program = target("mpi_openmp", "-fopenmp")
    library = {"MPICH": "libmpich.so.12", "Open MPI": "libmpi.so.40"}[name]
    done = run_command(*launcher, PROGRAM, "record", "-q", "-o", tmp_path / "r.%R.numaprof", program, library)
    assert done.status == 0, done
    cpus = len(os.sched_getaffinity(0))
    assert done.out == f"procs {cpus} threads 2\n" * 2
    plans = []
    for rank in range(2):
        recording = tmp_path / f"r.{rank}.numaprof"
        plans += [set(str(plan).split(",")) for plan in rows(recording, "SELECT pin_plan FROM run")]
        compute = "SELECT pin, planned_cpu IS NOT NULL FROM thread WHERE pin != 'helper' ORDER BY id"
        assert rows(recording, compute) == [("planned", 1)] * 2
    assert plans[0] and plans[1] and not plans[0] & plans[1]


@TWO_CPUS
@pytest.mark.requires("openmpi")
def test_a_launchers_binding_is_kept(tmp_path: Path) -> None:
    launcher = ["mpiexec.openmpi", "--allow-run-as-root", "--bind-to", "core", "-n", "2"]
    done = run_command(*launcher, PROGRAM, "record", "-q", "-o", tmp_path / "r.%R.numaprof", target("touch"), 2, 64)
    assert done.status == 0, done
    for rank in range(2):
        recording = tmp_path / f"r.{rank}.numaprof"
        assert rows(recording, "SELECT shares FROM rank") == [0]
        assert rows(recording, "SELECT pin_plan = allowed_cpus FROM run") == [1]


@TWO_CPUS
def test_ranks_that_nobody_numbers_begin_at_different_cpus(tmp_path: Path) -> None:
    """PMIx tells no number on the host: who comes second, while the first runs, begins elsewhere."""
    environment = {**os.environ, "PMIX_NAMESPACE": f"of {tmp_path}"}
    recordings = [tmp_path / f"r.{rank}.numaprof" for rank in range(3)]

    def words(rank: int, program: str) -> list[str]:
        environment["PMIX_RANK"] = str(rank)
        return [str(PROGRAM), "record", "-q", "-o", str(tmp_path / "r.%R.numaprof"), program]

    first = subprocess.Popen(words(0, "cat"), env=environment, stdin=subprocess.PIPE)
    until(lambda: has_rows(recordings[0], "rank"))
    assert run_command(*words(1, "true"), env=environment).status == 0
    first.communicate()
    assert first.returncode == 0 and run_command(*words(2, "true"), env=environment).status == 0
    plans = [str(rows(recording, "SELECT pin_plan FROM run")[0]).split(",") for recording in recordings]
    assert plans[0][0] != plans[1][0] and plans[2] == plans[0]
    assert sorted(plans[0]) == sorted(plans[1])  # it may be alone there


def test_outside_a_job_there_is_no_rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in [name for name in os.environ if name.startswith(("OMPI_", "PMI", "SLURM_"))]:
        monkeypatch.delenv(variable)
    done = run("record", "-q", "-o", tmp_path / "r.%R.numaprof", "true")
    assert done.status == 125
    assert "%R" in done.err
    assert run("record", "-q", "-o", tmp_path / "r.numaprof", "true").status == 0
    assert rows(tmp_path / "r.numaprof", "SELECT * FROM rank") == []
