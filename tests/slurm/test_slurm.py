# SPDX-License-Identifier: Apache-2.0
"""Jobs of a real Slurm of two nodes: ranks, hosts and bindings as Slurm tells them, steps apart, what dies is named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster, started_cluster
from conftest import PROGRAM
from running import has_rows, job, one, rows, target, until

pytestmark = [
    pytest.mark.requires("root", "slurm", "namespaces"),
    pytest.mark.skipif(not {0, 1} <= os.sched_getaffinity(0), reason="needs the CPUs 0 and 1"),
]
# What Slurm and the kernel tell of a task, before numaprof is there.
CPUS = "awk '/Cpus_allowed_list/ { print $2 }' /proc/self/status"
TRUTH = f"echo $SLURM_PROCID $(hostname) $({CPUS}) $SLURM_JOB_ID.$SLURM_STEP_ID"
RECORD = [PROGRAM, "record", "-q", "-o"]


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with started_cluster(tmp_path_factory.mktemp("slurm")) as started:
        yield started


def recordings(folder: Path) -> list[Path]:
    return sorted(folder.glob("rank-*.numaprof"))


def have_rows(count: int, folder: Path, table: str) -> bool:
    return [has_rows(path, table) for path in recordings(folder)].count(True) == count


def recorded(path: Path) -> str:
    """The recording's answer to TRUTH."""
    number, host = path.name.removeprefix("rank-").split(".")[:2]
    assert one(path, "SELECT number FROM rank") == int(number)
    return " ".join([number, host, *one(path, "SELECT allowed_cpus, job FROM run, rank")])


@pytest.mark.parametrize("options", [[], ["--mpi=pmi2"]], ids=["default", "pmi2"])
def test_ranks_hosts_and_bindings_are_those_of_slurm(options: list[str], cluster: Cluster, tmp_path: Path) -> None:
    words = ["sh", "-c", f"{TRUTH}; exec {PROGRAM} record true"]
    done = cluster.run("srun", *options, "-N", "2", "-n", "3", *words, cwd=tmp_path)
    assert done.status == 0, done
    assert done.err.count("recorded to job.numaprof") == 1
    files = recordings(tmp_path / "job.numaprof")
    assert list(map(recorded, files)) == sorted(done.out.splitlines())
    assert [rows(path, "SELECT launcher, size, local_number, local_size, shares FROM rank") for path in files] == [
        [("Slurm", 3, 0, 2, 0)],
        [("Slurm", 3, 1, 2, 0)],
        [("Slurm", 3, 0, 1, 0)],
    ]
    found = job(tmp_path / "job.numaprof")
    assert (found["launcher"], found["size"], found["found"], found["left_out"]) == ("Slurm", 3, 3, [])
    assert f"0 n1 0 {found['job']}" in done.out
    assert [(host["name"], host["count"], host["ranks"]) for host in found["hosts"]] == [
        ("n1", 2, "0-1"),
        ("n2", 1, "2"),
    ]
    assert {host["bindings"] for host in found["hosts"]} == {"1 CPU on 1 node each, bound"}


def test_ranks_that_slurm_does_not_bind_share_the_cpus_of_their_host(cluster: Cluster, tmp_path: Path) -> None:
    words = ["sh", "-c", f"{TRUTH}; exec {PROGRAM} record -q -o j {target('touch')} 2 64"]
    done = cluster.run("srun", "--cpu-bind=none", "-N", "2", "-n", "3", *words, cwd=tmp_path)
    assert done.status == 0, done
    files = recordings(tmp_path / "j")
    assert list(map(recorded, files)) == sorted(done.out.splitlines())
    assert [one(path, "SELECT shares FROM rank") for path in files] == [1, 1, 0]
    first, second, _ = (set(one(path, "SELECT pin_plan FROM run").split(",")) for path in files)
    assert first and second and not first & second
    assert "not bound, shared out by numaprof" in job(tmp_path / "j")["hosts"][0]["bindings"]


def test_four_ranks_on_one_cpu_have_the_binding_as_their_verdict(cluster: Cluster, tmp_path: Path) -> None:
    done = cluster.run("srun", "-O", "-N", "1", "-n", "4", *RECORD, "j", "true", cwd=tmp_path)
    assert done.status == 0, done
    assert {one(path, "SELECT allowed_cpus FROM run") for path in recordings(tmp_path / "j")} == {"0"}
    found = job(tmp_path / "j")
    assert found["verdict"]["judgement"] == "binding", found["verdict"]
    assert found["verdict"]["headline"] == "The binding is at fault on all 4 ranks."
    (advice,) = found["advice"]
    assert advice["count"] == 4 and advice["code"][0].startswith("srun ")


def test_the_option_that_is_printed_mends_the_binding(cluster: Cluster, tmp_path: Path) -> None:
    """Main and one more thread share a CPU; with Slurm's option, carried out as it stands there, each has one."""
    step = ["-N", "1", "-n", "1"]
    touch = [target("touch"), 1, 4096]
    assert cluster.run("srun", *step, *RECORD, "wrong", *touch, cwd=tmp_path).status == 0
    found = job(tmp_path / "wrong")
    assert found["verdict"]["judgement"] == "binding"
    option = found["advice"][0]["code"][0].split()[1:]
    assert cluster.run("srun", *option, *step, *RECORD, "mended", *touch, cwd=tmp_path).status == 0
    mended = job(tmp_path / "mended")
    assert mended["verdict"]["judgement"] != "binding" and mended["advice"] == []
    cpus = [one(tmp_path / name, "SELECT allowed_cpus FROM run") for name in ("wrong", "mended")]
    assert cpus == ["0", "0-1"]


@pytest.mark.parametrize("between", [" ; ", " & "], ids=["one after the other", "beside each other"])
def test_two_steps_of_a_batch_job_are_never_added(between: str, cluster: Cluster, tmp_path: Path) -> None:
    record = f"{PROGRAM} record -q -o"
    step = f"srun --overlap -N 2 -n 2 {record} j true"
    (tmp_path / "batch").write_text(f"#!/bin/sh\n{step}{between}{step}\nwait\nexec {record} alone.numaprof true\n")
    number = cluster.run("sbatch", "--parsable", "-N", "2", "-n", "2", "-o", "out", "batch", cwd=tmp_path).out.strip()
    until(lambda: cluster.job_state(number) not in ("PENDING", "RUNNING", "COMPLETING"))
    assert cluster.job_state(number) == "COMPLETED", (tmp_path / "out").read_text()
    assert len(recordings(tmp_path / "j")) == 4
    found = job(tmp_path / "j")
    assert (found["found"], found["size"], found["missing"]) == (2, 2, "")
    (left,) = found["left_out"]
    (other,) = {f"{number}.0", f"{number}.1"} - {found["job"]}
    assert left["count"] == 2 and left["why"] == f"of another job (Slurm {other} of 2 ranks)"
    assert rows(tmp_path / "alone.numaprof", "SELECT * FROM rank") == []  # the batch script is no step


def test_ranks_that_fail_or_lose_their_recorder_are_named(cluster: Cluster, tmp_path: Path) -> None:
    """Rank 1 exits with 3, the recorder of rank 2 is killed."""
    os.mkfifo(tmp_path / "go")
    script = "case $SLURM_PROCID in 1) exit 3;; 2) read _ < go; kill -9 $PPID;; esac"
    srun = cluster.start("srun", "-N", "2", "-n", "4", *RECORD, "j", "sh", "-c", script, cwd=tmp_path)
    until(lambda: have_rows(4, tmp_path / "j", "rank") and have_rows(3, tmp_path / "j", "run WHERE complete"))
    (tmp_path / "go").write_text("")
    assert srun.wait() != 0
    found = job(tmp_path / "j")
    assert (found["found"], found["missing"]) == (4, "")
    assert {rank["number"]: (rank["exit_status"], rank["complete"]) for rank in found["ranks"]} == {
        0: (0, True),
        1: (3, True),
        2: (None, False),
        3: (0, True),
    }
    assert "1 rank failed or died by a signal: 1." in found["remarks"]
    assert any(text.startswith("1 recording cut short") and text.endswith(": 2.") for text in found["remarks"])


def test_a_job_that_is_cancelled_leaves_what_it_had(cluster: Cluster, tmp_path: Path) -> None:
    folder = tmp_path / "j"
    srun = cluster.start("srun", "-J", "cancelled", "-N", "2", "-n", "3", *RECORD, "j", "sleep", "600", cwd=tmp_path)
    until(lambda: have_rows(3, folder, "rank"))
    assert cluster.run("scancel", "--name=cancelled", cwd=tmp_path).status == 0
    assert srun.wait() != 0
    found = job(folder)
    assert (found["found"], found["missing"], found["left_out"]) == (3, "", [])
    assert "3 ranks failed or died by a signal: 0-2." in found["remarks"]
    assert {(rank["term_signal"], rank["complete"]) for rank in found["ranks"]} == {(15, True)}


def test_each_host_merges_its_own_ranks(cluster: Cluster, tmp_path: Path) -> None:
    """As docs/clusters.md says."""
    done = cluster.run("srun", "-N", "2", "-n", "3", PROGRAM, target("touch"), "2", "64", cwd=tmp_path)
    assert done.status == 0, done
    folder = tmp_path / "job.numaprof"
    merge = f"{PROGRAM} merge job.numaprof/rank-*.$(hostname).*.numaprof -o job.numaprof/$(hostname).ranks"
    done = cluster.run("srun", "-N", "2", "--ntasks-per-node=1", "sh", "-c", merge, cwd=tmp_path)
    assert done.status == 0, done
    merged = [folder / "n1.ranks", folder / "n2.ranks"]
    of_merged = job(*merged)
    assert [(host["name"], host["count"]) for host in of_merged["hosts"]] == [("n1", 2), ("n2", 1)]
    for path in merged:
        path.unlink()
    assert {**of_merged, "source": [str(folder)]} == job(folder)


@pytest.mark.parametrize(
    ("launcher", "name"),
    [
        pytest.param(["mpiexec.hydra"], "MPICH", marks=pytest.mark.requires("mpich"), id="mpich"),
        pytest.param(
            ["mpiexec.openmpi", "--allow-run-as-root"],
            "Open MPI",
            marks=pytest.mark.requires("openmpi"),
            id="openmpi",
        ),
    ],
)
def test_mpiexec_in_an_allocation_is_the_launcher(
    launcher: list[str], name: str, cluster: Cluster, tmp_path: Path
) -> None:
    """It starts its own daemons by srun, whose variables the ranks inherit."""
    words = ["salloc", "-N", "2", "-n", "4", *launcher, "-n", "4", *RECORD, "j", "true"]
    done = cluster.run(*words, cwd=tmp_path)
    assert done.status == 0, done
    found = job(tmp_path / "j")
    assert (found["launcher"], found["size"], found["found"], found["left_out"]) == (name, 4, 4, [])
    assert [(host["name"], host["count"]) for host in found["hosts"]] == [("n1", 2), ("n2", 2)]
