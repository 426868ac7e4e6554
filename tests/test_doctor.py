# SPDX-License-Identifier: Apache-2.0
"""`numaprof doctor`: snapshots against golden files; on this machine, each state that a test can bring about."""

from __future__ import annotations

import errno
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest
from conftest import BUILD, NOBODY, PROGRAM, TREE, build_once
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from machine_files import emptied, names, snapshot, unpack

PARANOID = "/proc/sys/kernel/perf_event_paranoid"


def doctor(
    program: Path, *before: str | Path, options: tuple[str | Path, ...] = (), cwd: str = "/tmp"
) -> dict[str, Any]:
    command = [*before, program, "doctor", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    return {row["id"]: row for row in report["rows"]} | {"best": report["best_level"], "evidence": report["evidence"]}


def shell(script: str) -> list[str]:
    """In a mount namespace of its own: what the script mounts is gone afterwards. The command follows as "$@"."""
    return ["unshare", "-m", "sh", "-c", f'{script} && exec "$@"', "sh"]


@pytest.fixture(scope="session")
def forbid() -> Path:
    return build_once(BUILD / "tests" / "forbid", str(TREE / "tests" / "launchers" / "forbid.c"))


@pytest.fixture(scope="session")
def everybody(program: Path, forbid: Path) -> Iterator[Path]:
    """A folder with the programs that other users can reach."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for file in (program, forbid):
            shutil.copy(file, folder)
        yield folder


# --- snapshots --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", names())
def test_every_machine_gets_the_same_diagnosis_as_before(
    program: Path, name: str, golden: Callable[[str, str], None], tmp_path: Path
) -> None:
    root = unpack(snapshot(name), tmp_path)
    done = subprocess.run([program, "doctor", "--sysroot", root], capture_output=True, text=True, check=True)
    golden(f"doctor/{name}.txt", done.stdout)


def test_snapshot_of_this_machine_gives_the_facts_of_the_machine(program: Path, tmp_path: Path) -> None:
    text = subprocess.run([TREE / "tests/machines/contribute"], capture_output=True, text=True, check=True).stdout
    there = doctor(program, options=("--sysroot", unpack(text, tmp_path)))
    here = doctor(program)
    from_files = ["cpu", "virtual", "container", "nodes", "pmu", "paranoid", "capabilities", "ptrace", "watchdog"]
    for row in [*from_files, "balancing", "huge_pages"]:
        assert here[row] == there[row]


def test_retired_loads_that_tell_caches_only_are_no_evidence_of_memory(program: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("two-packages-even-odd"), tmp_path)
    sierra_forest = "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 175\nstepping : 3\n"
    (root / "proc" / "cpuinfo").write_text(sierra_forest)
    rows = doctor(program, options=("--sysroot", root))
    assert (rows["locality"]["state"], rows["retired"]["state"]) == ("unknown", "no")


def test_the_emulated_machine_is_called_that(program: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("two-packages-even-odd"), tmp_path)
    (root / "proc" / "cmdline").write_text("quiet numaprof.machine=article tsc=reliable\n")
    detail = doctor(program, options=("--sysroot", root))["virtual"]["detail"]
    assert detail == "yes, emulated (article): counts and placement are valid, times are not"


@given(data=st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_files_hold_doctor_answers(program: Path, tmp_path: Path, data: st.DataObject) -> None:
    root = unpack(snapshot("container-cpuset"), emptied(tmp_path))
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    for path in data.draw(st.lists(st.sampled_from(files), min_size=1, max_size=4, unique=True)):
        path.write_bytes(data.draw(st.binary(max_size=60)))
    assert doctor(program, options=("--sysroot", root))["best"] is None


# --- this machine, as it is -------------------------------------------------------------------------------------------


def test_it_names_what_lscpu_names(program: Path) -> None:
    lines = subprocess.run(["lscpu"], capture_output=True, text=True, check=True, env={"LC_ALL": "C"}).stdout
    theirs = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines.splitlines())}
    ours = doctor(program)
    assert theirs.get("Model name", "unnamed") in ours["cpu"]["detail"]
    assert ours["virtual"]["detail"].startswith("yes" if "Hypervisor vendor" in theirs else "no")


def test_perf_agrees_about_hardware_events(program: Path) -> None:
    if not shutil.which("perf"):
        pytest.skip("needs perf")
    done = subprocess.run(["perf", "stat", "-e", "cycles:u", "true"], capture_output=True, text=True, check=False)
    counted = "<not supported>" not in done.stderr and done.returncode == 0
    assert (doctor(program)["hardware"]["state"] == "yes") == counted


@pytest.mark.requires("root")
def test_root_sees_first_touches_of_the_kernel_as_well(program: Path) -> None:
    rows = doctor(program)
    assert rows["faults"]["state"] == "yes"
    assert rows["pages"] == {
        "id": "pages",
        "state": "yes",
        "detail": "move_pages tells nodes",
        "cause": None,
        "remedy": None,
    }
    assert rows["best"] <= 4


@pytest.mark.parametrize(
    ("arguments", "message"), [(["--sysroot", "/nonexistent"], "is not a folder"), (["x"], "argument x")]
)
def test_bad_input_gets_one_line_and_125(program: Path, arguments: list[str], message: str) -> None:
    done = subprocess.run([program, "doctor", *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert message in done.stderr


# --- a PMU, as far as opening goes ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def fake_pmu() -> Path:
    source = TREE / "tests" / "launchers" / "fake_pmu.c"
    return build_once(BUILD / "tests" / "fake_pmu.so", "-shared", "-fPIC", str(source), "-ldl")


def with_pmu(fake_pmu: Path, root: Path, refused: str = "", error: int = 0, samples: str = "address") -> list[str]:
    """This machine with the CPU and the PMUs of a snapshot; events of one number are refused."""
    pmus = "/sys/bus/event_source/devices"
    script = (
        f"mount --bind {root}/proc/cpuinfo /proc/cpuinfo && mount -t tmpfs none {pmus} && cp -r {root}{pmus}/. {pmus}"
    )
    refuse = [f"FAKE_PMU_REFUSES={refused}", f"FAKE_PMU_ERRNO={error}"] if refused else []
    return [*shell(script), "env", f"LD_PRELOAD={fake_pmu}", f"FAKE_PMU_SAMPLES={samples}", *refuse]


@pytest.mark.requires("mounts")
def test_with_a_pmu_that_does_everything_level_1_is_best(program: Path, fake_pmu: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("two-packages-snc2-ht"), tmp_path)
    rows = doctor(program, *with_pmu(fake_pmu, root))
    assert (rows["cpu"]["state"], rows["pmu"]["state"], rows["hardware"]["state"]) == ("yes", "yes", "yes")
    assert rows["locality"]["detail"] == "cascadelake-sp: demand_rd, demand_rfo, pf_any, any"
    assert rows["retired"]["detail"] == "cascadelake-sp: retired_load"
    assert rows["sampling"]["detail"] == "load-latency"
    assert rows["best"] == 1


@pytest.mark.requires("mounts")
def test_offcore_registers_that_a_cloud_hides_leave_retired_loads(
    program: Path, fake_pmu: Path, tmp_path: Path
) -> None:
    root = unpack(snapshot("two-packages-snc2-ht"), tmp_path)
    rows = doctor(program, *with_pmu(fake_pmu, root, "0x1b7", errno.ENXIO))
    assert (rows["locality"]["state"], rows["retired"]["state"]) == ("no", "yes")
    assert rows["locality"]["detail"] == "demand_rd: ENXIO"
    assert "registers of this event" in rows["locality"]["cause"]
    assert rows["best"] == 2


@pytest.mark.requires("mounts")
def test_of_events_that_open_in_part_both_parts_are_named(program: Path, fake_pmu: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("epyc-nps4"), tmp_path)
    rows = doctor(program, *with_pmu(fake_pmu, root, "0x85a", errno.EINVAL))
    assert rows["locality"]["state"] == "part"
    assert rows["locality"]["detail"] == "zen3: demand, any; not pf_l1"
    assert rows["retired"]["cause"].startswith("No counter tells the source of retired loads")
    assert rows["sampling"]["detail"] == "AMD IBS"


# What the kernel does with a sampled load, by CPU: its address and source, the registers alone (IBS before Linux 6.1),
# or no sample at all (a guest whose events are filtered). What doctor calls usable gives a usable sample.
@pytest.mark.requires("mounts")
@pytest.mark.parametrize(
    ("machine", "samples", "found"),
    [
        ("two-packages-snc2-ht", "address", ("yes", "load-latency")),
        ("two-packages-snc2-ht", "none", ("no", "load-latency opens, but no sample with an address came")),
        ("two-packages-snc2-ht", "registers", ("no", "load-latency opens, but no sample with an address came")),
        ("epyc-nps4", "address", ("yes", "AMD IBS")),
        ("epyc-nps4", "registers", ("yes", "AMD IBS, of whole CPUs")),
        ("epyc-nps4", "none", ("no", "AMD IBS opens, but no sample with an address came")),
    ],
)
def test_loads_are_sampled_where_a_sample_has_an_address(
    fake_pmu: Path, tmp_path: Path, machine: str, samples: str, found: tuple[str, str]
) -> None:
    root = unpack(snapshot(machine), tmp_path)
    sampling = doctor(PROGRAM, *with_pmu(fake_pmu, root, samples=samples))["sampling"]
    assert (sampling["state"], sampling["detail"]) == found


@pytest.mark.requires("mounts")
@pytest.mark.parametrize(
    ("refused", "how"), [("", "load-latency"), ("0x1cd", "retired loads"), ("0x8203", "retired loads")]
)
def test_load_latency_is_tried_with_its_leader_and_then_what_the_recorder_tries(
    program: Path, fake_pmu: Path, tmp_path: Path, refused: str, how: str
) -> None:
    root = unpack(snapshot("cxl"), tmp_path)
    sampling = doctor(program, *with_pmu(fake_pmu, root, refused, errno.EOPNOTSUPP))["sampling"]
    assert (sampling["state"], sampling["detail"]) == ("yes", how)


@pytest.mark.requires("mounts")
def test_assumed_events_are_half_a_yes_with_a_way_to_confirm_them(
    program: Path, fake_pmu: Path, tmp_path: Path
) -> None:
    root = unpack(snapshot("epyc-nps4"), tmp_path)
    cpuinfo = root / "proc/cpuinfo"
    cpuinfo.write_text(cpuinfo.read_text().replace("cpu family\t: 25", "cpu family\t: 27"))
    rows = doctor(program, *with_pmu(fake_pmu, root))
    assert (rows["locality"]["state"], rows["sampling"]["state"]) == ("part", "yes")
    assert rows["locality"]["detail"] == "amd-newer: demand, pf_l1, any"
    assert rows["locality"]["remedy"] == "numaprof verify"
    there = doctor(program, options=("--sysroot", root))["cpu"]
    assert there["state"] == "part"
    assert there["cause"] == "it is not in the event catalogue: only what all its relatives have is used"


def test_on_one_node_an_unknown_model_is_no_fault(program: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("vm-one-node"), tmp_path)
    cpuinfo = root / "proc/cpuinfo"
    text = re.sub(r"(?m)^(cpu family\s*:).*$", r"\1 6", re.sub(r"(?m)^(model\s*:).*$", r"\1 167", cpuinfo.read_text()))
    cpuinfo.write_text(re.sub(r"(?m)^(vendor_id\s*:).*$", r"\1 GenuineIntel", text))
    row = doctor(program, options=("--sysroot", root))["cpu"]
    assert (row["state"], row["remedy"]) == ("yes", None)
    assert row["cause"] == "it is not in the event catalogue, but on one node no access can be remote"


# --- system calls that a filter stops ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "word"), [("EPERM", "forbids perf_event_open"), ("ENOSYS", "hides perf_event_open"), ("kill", "kills")]
)
def test_a_filter_on_perf_events_is_named(program: Path, forbid: Path, answer: str, word: str) -> None:
    rows = doctor(program, forbid, "perf_event_open", answer)
    for row in ("hardware", "faults"):
        assert rows[row]["state"] == "no"
        assert word in rows[row]["cause"]
        assert "SystemCallFilter=perf_event_open" in rows[row]["remedy"]
    assert rows["seccomp"]["state"] == "part"
    assert rows["seccomp"]["detail"] == f"a filter stops perf_event_open ({'kills' if answer == 'kill' else answer})"
    assert rows["best"] == 5


@pytest.mark.parametrize("answer", ["EPERM", "ENOSYS", "kill"])
def test_without_move_pages_numa_maps_is_left(program: Path, forbid: Path, answer: str) -> None:
    pages = doctor(program, forbid, "move_pages", answer)["pages"]
    assert pages["state"] == "part"
    assert pages["detail"].startswith("numa_maps only")
    assert pages["cause"] == "a seccomp filter forbids move_pages"
    assert "SystemCallFilter=move_pages" in pages["remedy"]


def test_a_filter_that_stops_nothing_needed_is_no_obstacle(program: Path, forbid: Path) -> None:
    rows = doctor(program, forbid, "swapon", "kill")
    assert (rows["seccomp"]["state"], rows["seccomp"]["detail"]) == ("yes", "a filter that lets through what is needed")
    assert rows["pages"]["state"] == "yes"
    rows = doctor(program, forbid, "get_mempolicy", "EPERM", forbid, "move_pages", "EPERM")
    assert rows["seccomp"]["detail"] == "a filter stops move_pages (EPERM), get_mempolicy (EPERM)"


@pytest.mark.requires("mounts")
def test_in_a_container_the_remedy_is_the_containers(program: Path, forbid: Path) -> None:
    rows = doctor(program, "unshare", "-p", "-f", "--mount-proc", forbid, "perf_event_open", "EPERM")
    assert rows["container"]["detail"].startswith("yes")
    assert rows["faults"]["cause"] == "the container's seccomp filter forbids perf_event_open"
    assert rows["faults"]["remedy"] == "docker run --cap-add PERFMON --security-opt seccomp=unconfined ..."


# --- privilege --------------------------------------------------------------------------------------------------------


@pytest.mark.requires("mounts")
@pytest.mark.parametrize(("level", "state", "faults"), [(2, "part", "part"), (1, "yes", "yes"), (4, "no", "no")])
def test_an_ordinary_user_learns_what_the_level_allows(
    everybody: Path, tmp_path: Path, level: int, state: str, faults: str
) -> None:
    """The level is what the file says; what the kernel does is the machine's own (2 here) or, for 4, the filter's."""
    (tmp_path / "level").write_text(f"{level}\n")
    before = [*shell(f"mount --bind {tmp_path}/level {PARANOID}"), *NOBODY]
    if level > 2:
        before += [str(everybody / "forbid"), "perf_event_open", "EACCES"]
    rows = doctor(everybody / "numaprof", *before)
    assert rows["paranoid"]["state"] == state
    assert rows["capabilities"]["detail"] == "none"
    if int(Path(PARANOID).read_text()) == 2 and level >= 2:
        assert rows["faults"]["state"] == faults
        for row in ("paranoid", "faults"):
            assert "perf_event_paranoid is" in rows[row]["cause"]
            assert rows[row]["remedy"] == "sudo sysctl kernel.perf_event_paranoid=1"


@pytest.mark.requires("root", "user_namespaces")
def test_root_of_a_user_namespace_is_not_root(everybody: Path) -> None:
    rows = doctor(everybody / "numaprof", *NOBODY, "unshare", "-U", "-r")
    assert rows["capabilities"]["state"] == "part"
    assert "CAP_SYS_ADMIN" in rows["capabilities"]["detail"]
    assert "user namespace" in rows["capabilities"]["cause"]
    assert rows["paranoid"]["state"] == ("part" if int(Path(PARANOID).read_text()) > 1 else "yes")


# --- limits -----------------------------------------------------------------------------------------------------------


def test_few_open_files_are_too_few(program: Path) -> None:
    files = doctor(program, "prlimit", "--nofile=64:4096")["files"]
    assert (files["state"], files["detail"], files["remedy"]) == ("no", "64", "ulimit -n 4096")
    files = doctor(program, "prlimit", "--nofile=64:64")["files"]
    assert files["remedy"] == "sudo prlimit --pid $$ --nofile=65536:65536"
    assert doctor(program, "prlimit", "--nofile=4096:4096")["files"]["state"] == "yes"


@pytest.mark.requires("mounts")
def test_locked_memory_and_ptrace_and_kernel_settings(everybody: Path, tmp_path: Path) -> None:
    def with_setting(name: str, value: str) -> dict[str, Any]:
        (tmp_path / "value").write_text(f"{value}\n")
        before = shell(f"mount --bind {tmp_path}/value /proc/sys/kernel/{name}")
        return doctor(everybody / "numaprof", *before, *NOBODY)

    locked = with_setting("perf_event_mlock_kb", "4")["locked"]
    assert (locked["state"], locked["remedy"]) == ("part", "sudo sysctl kernel.perf_event_mlock_kb=516")
    balancing = with_setting("numa_balancing", "1")["balancing"]
    assert (balancing["state"], balancing["remedy"]) == ("part", "sudo sysctl kernel.numa_balancing=0")
    watchdog = with_setting("nmi_watchdog", "1")["watchdog"]
    assert watchdog["state"] in ("part", "fact")


@pytest.mark.requires("mounts")
def test_without_proc_and_sys_it_still_answers(program: Path) -> None:
    rows = doctor(program, *shell("mount -t tmpfs none /sys && mount -t tmpfs none /proc"))
    assert rows["cpu"]["state"] == "unknown"
    assert rows["capabilities"]["detail"] == "not told"
    assert rows["faults"]["state"] == "yes"


# --- output folder ----------------------------------------------------------------------------------------------------


@pytest.mark.requires("mounts")
@pytest.mark.parametrize(
    ("script", "state", "word"),
    [
        ("mount -t tmpfs -o ro none DIR", "no", "read-only"),
        ("mount -t tmpfs -o size=64k none DIR; dd if=/dev/zero of=DIR/x bs=4k 2>&- || true", "no", "full"),
        ("mount -t tmpfs -o size=1m none DIR", "part", "may not fit"),
        ("mount -t tmpfs -o size=512m none DIR", "yes", None),
    ],
)
def test_the_output_folders_file_system_is_looked_at(
    program: Path, tmp_path: Path, script: str, state: str, word: str | None
) -> None:
    for path in (tmp_path, tmp_path / "new.numaprof"):
        output = doctor(program, *shell(script.replace("DIR", str(tmp_path))), options=("-o", path))["output"]
        assert output["state"] == state
        assert word is None or word in output["cause"]
        assert (output["remedy"] is None) == (state == "yes")


def test_a_missing_output_folder_is_named(program: Path, tmp_path: Path) -> None:
    output = doctor(program, options=("-o", tmp_path / "none" / "x"))["output"]
    assert (output["state"], output["cause"]) == ("no", "No such file or directory")


# --- the table --------------------------------------------------------------------------------------------------------


def test_the_table_says_the_same_as_json_and_nothing_hostile(program: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("garbage"), tmp_path)
    rows = doctor(program, options=("--sysroot", root))
    done = subprocess.run([program, "doctor", "--sysroot", root], capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout
    words = {"yes": "yes", "part": "part", "no": "no", "unknown": "?", "fact": "-"}
    states = [row["state"] for row in rows.values() if isinstance(row, dict)]
    table = done.stdout.split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in table if not line.startswith(" ")] == [words[state] for state in states]
