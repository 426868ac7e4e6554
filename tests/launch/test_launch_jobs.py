# SPDX-License-Identifier: Apache-2.0
"""Jobs of real launchers: ranks share a directory, a dying rank leaves what it had, a faulty binding is the verdict."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import PROGRAM
from running import has_rows, job, one, reports, run_command, target, until

MPICH = ["mpiexec.hydra"]
OPEN_MPI = ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"]
LAUNCHERS = [
    pytest.param(MPICH, "MPICH", marks=pytest.mark.requires("mpich"), id="mpich"),
    pytest.param([*OPEN_MPI, "--bind-to", "none"], "Open MPI", marks=pytest.mark.requires("openmpi"), id="openmpi"),
]
RANK = "r=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; "


def recordings(path: Path) -> list[Path]:
    """A job of one rank is a file of its own."""
    return sorted(path.glob("*.numaprof")) if path.is_dir() else [path]


@pytest.mark.parametrize(("launcher", "name"), LAUNCHERS)
def test_ranks_share_the_default_directory(launcher: list[str], name: str, tmp_path: Path) -> None:
    """Of one launcher many, which meet there; by which words the other one tells them is seen of four."""
    ranks = 16 if name == "MPICH" else 4
    done = run_command(*launcher, "-n", ranks, PROGRAM, target("touch"), 2, 64, cwd=tmp_path)
    assert done.status == 0, done
    assert done.err.count("recorded to job.numaprof") == 1 and done.err.count("numaprof:") == 1
    assert os.listdir(tmp_path) == ["job.numaprof"]
    files = recordings(tmp_path / "job.numaprof")
    digits = len(str(ranks - 1))
    assert [path.name.partition(".")[0] for path in files] == [f"rank-{number:0{digits}}" for number in range(ranks)]
    found = job(tmp_path / "job.numaprof")
    assert (found["found"], found["size"], found["missing"], found["launcher"]) == (ranks, ranks, "", name)
    assert found["left_out"] == [] and len(found["hosts"]) == 1


@pytest.mark.requires("mpich")
def test_ranks_that_fail_leave_what_they_had(tmp_path: Path) -> None:
    """Rank 1 exits with 3, rank 2 is killed, rank 3 never starts its program.

    Ranks 2 and 3 fail last: MPICH may kill those that run longer than a rank that died."""
    script = (
        RANK + f"case $r in 1) exit 3;; 2) kill -9 $$;; 3) exec {PROGRAM} record -q -o j ./no-such;; esac; exec true"
    )
    record = f'{PROGRAM} record -q -o j sh -c "$0"'
    ended = "until test -e 0.ended -a -e 1.ended; do sleep 0.01; done"
    wrapped = (
        f"{RANK} case $r in [01]) {record}; status=$?; : > $r.ended; exit $status;; esac; {ended}; "
        f'test $r = 3 && exec sh -c "$0"; exec {record}'
    )
    run_command(*MPICH, "-disable-auto-cleanup", "-n", "4", "sh", "-c", wrapped, script, cwd=tmp_path)
    found = job(tmp_path / "j")
    ended = {rank["number"]: (rank["exit_status"], rank["term_signal"]) for rank in found["ranks"]}
    assert ended == {0: (0, None), 1: (3, None), 2: (None, 9)}
    assert found["missing"] == "3"
    assert "2 ranks failed or died by a signal: 1-2." in found["remarks"]


@pytest.mark.requires("openmpi")
def test_two_jobs_at_once_in_one_directory_are_never_added(tmp_path: Path) -> None:
    words = [*OPEN_MPI, "--bind-to", "none", "-n", "3", PROGRAM, "record", "-q", "-o", "j/", target("touch"), "2", "64"]
    # Two Open MPIs that start together both make the directory of their sessions, and one fails: each has its own base.
    bases = [("--mca", "orte_tmpdir_base", tmp_path / name) for name in ("a", "b")]
    jobs = [subprocess.Popen(list(map(str, [words[0], *base, *words[1:]])), cwd=tmp_path) for base in bases]
    assert [each.wait() for each in jobs] == [0, 0]
    assert len(recordings(tmp_path / "j")) == 6
    found = job(tmp_path / "j")
    assert found["found"] == 3 and found["missing"] == ""
    (left,) = found["left_out"]
    assert left["count"] == 3 and left["why"].startswith("of another job")


@pytest.mark.requires("mpich")
def test_recordings_are_moved_from_storage_of_the_host(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    look = f"ls -l {tmp_path}/j > {tmp_path}/during"
    environment = {**os.environ, "NUMAPROF_LOCAL": str(scratch)}
    words = [*MPICH, "-n", "2", PROGRAM, "record", "-q", "-o", tmp_path / "j", "sh", "-c", look]
    assert run_command(*words, env=environment).status == 0
    assert f" -> {scratch}/numaprof-" in (tmp_path / "during").read_text()
    assert os.listdir(scratch) == []
    assert [path.is_symlink() for path in recordings(tmp_path / "j")] == [False, False]
    assert [one(path, "SELECT complete FROM run") for path in recordings(tmp_path / "j")] == [1, 1]


def test_a_recording_that_cannot_be_moved_is_a_failure(tmp_path: Path) -> None:
    scratch, folder = tmp_path / "scratch", tmp_path / "j"
    scratch.mkdir()
    environment = {**os.environ, "NUMAPROF_LOCAL": str(scratch), "PMI_RANK": "0", "PMI_SIZE": "2"}
    done = run_command(PROGRAM, "record", "-q", "-o", folder, "rm", "-r", folder, env=environment)
    assert done.status == 125
    assert f"cannot move the recording into {folder}: No such file or directory" in done.err
    (kept,) = scratch.rglob("*.numaprof")
    assert f"it stays in {kept}" in done.err and one(kept, "SELECT complete FROM run") == 1


@pytest.mark.requires("mpich")
def test_a_killed_recorder_leaves_a_link_to_what_it_had(tmp_path: Path) -> None:
    scratch, folder = tmp_path / "scratch", tmp_path / "j"
    scratch.mkdir()
    environment = {**os.environ, "NUMAPROF_LOCAL": str(scratch), "PMI_RANK": "0", "PMI_SIZE": "2"}
    words = [PROGRAM, "record", "-q", "-o", folder, "sleep", "600"]
    recorder = subprocess.Popen(list(map(str, words)), env=environment, start_new_session=True)
    (path,) = until(lambda: folder.exists() and recordings(folder))
    until(lambda: has_rows(path, "rank"))
    os.killpg(recorder.pid, signal.SIGKILL)
    recorder.wait()
    assert path.is_symlink() and path.exists()
    found = job(folder)
    assert found["found"] == 1 and found["missing"] == "1"
    assert any("cut short" in text for text in found["remarks"])
    # On another host, which does not see the scratch folder, the link leads nowhere.
    whole = path.resolve()
    whole.rename(tmp_path / "elsewhere")
    done = reports("report", folder)
    assert done.status == 125 and "not moved here from its host" in done.err


def test_a_file_in_the_place_of_the_directory(tmp_path: Path) -> None:
    (tmp_path / "j").write_text("")
    environment = {**os.environ, "PMI_RANK": "0", "PMI_SIZE": "2"}
    done = run_command(PROGRAM, "record", "-o", tmp_path / "j", "true", env=environment)
    assert done.status == 125 and "ranks of a job record into a directory" in done.err
    assert (tmp_path / "j").read_text() == ""


def test_pids_come_back(tmp_path: Path) -> None:
    """In containers the recorder may have the same pid in each job: no recording is lost, none overwritten."""
    environment = {**os.environ, "PMI_RANK": "0", "PMI_SIZE": "2"}
    inside = f"{PROGRAM} record -q -o {tmp_path}/j true"
    words = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "sh", "-c", inside]
    ended = [run_command(*words, env=environment) for _ in range(2)]
    if any("unshare" in each.err for each in ended):
        pytest.skip("needs pid namespaces, which this machine does not have")
    assert [each.status for each in ended] == [0, 0], ended
    first, second = sorted(path.name for path in recordings(tmp_path / "j"))
    assert {first.replace(".2.numaprof", ""), second.replace(".numaprof", "").replace(".2", "")}
    assert len({first, second}) == 2


def test_a_host_of_any_name(tmp_path: Path) -> None:
    environment = {**os.environ, "PMI_RANK": "0", "PMI_SIZE": "2"}
    inside = f"printf 'a/../b c\033' > /proc/sys/kernel/hostname && exec {PROGRAM} record -q -o {tmp_path}/j true"
    words = ["unshare", "--user", "--map-root-user", "--uts", "sh", "-c", inside]
    done = run_command(*words, env=environment)
    if "unshare" in done.err or "kernel/hostname" in done.err:
        pytest.skip("needs UTS namespaces, which this machine does not have")
    assert done.status == 0, done
    (path,) = recordings(tmp_path / "j")
    assert path.name.startswith("rank-0.a_.._b_c_.")


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
@pytest.mark.requires("openmpi")
def test_a_rank_on_one_cpu_with_eight_threads_has_the_binding_as_its_verdict(tmp_path: Path) -> None:
    launcher = ["mpiexec.openmpi", "--allow-run-as-root", "--bind-to", "core", "-n", "2"]
    done = run_command(*launcher, PROGRAM, "record", "-q", "-o", tmp_path / "j", target("touch"), 8, 4096)
    assert done.status == 0, done
    found = job(tmp_path / "j")
    assert found["verdict"]["judgement"] == "binding", found["verdict"]
    assert "may use 1 CPU" in " ".join(found["verdict"]["details"])
    (advice,) = found["advice"]
    assert advice["count"] == 2 and advice["code"][0].startswith("mpirun --map-by slot:PE=")


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
@pytest.mark.parametrize(
    ("launcher", "wrong", "ranks"),
    [
        pytest.param(MPICH, ["-bind-to", "core"], 2, marks=pytest.mark.requires("mpich"), id="mpich"),
        # It gives no CPU to two ranks that are bound, so there is one on a machine of two CPUs.
        pytest.param(OPEN_MPI[:2], ["--bind-to", "core"], 1, marks=pytest.mark.requires("openmpi"), id="openmpi"),
    ],
)
def test_the_option_that_is_printed_mends_the_binding(
    launcher: list[str], wrong: list[str], ranks: int, tmp_path: Path
) -> None:
    """Main and one more thread share a CPU; with the launcher's option as it stands there each has one."""

    def recorded(options: list[str], name: str) -> dict[str, Any]:
        words = ["record", "-q", "-o", tmp_path / name, target("touch"), 1, 4096]
        done = run_command(*launcher, *options, "-n", ranks, PROGRAM, *words)
        assert done.status == 0, done
        return job(tmp_path / name)

    found = recorded(wrong, "wrong")
    assert found["verdict"]["judgement"] == "binding"
    mended = recorded(found["advice"][0]["code"][0].split()[1:], "mended")
    assert mended["verdict"]["judgement"] != "binding" and mended["advice"] == []
    cpus = [
        [one(path, "SELECT allowed_cpus FROM run").isdigit() for path in recordings(tmp_path / name)]
        for name in ("wrong", "mended")
    ]
    assert cpus == [[True] * ranks, [False] * ranks]  # a single CPU each, several each
