# SPDX-License-Identifier: Apache-2.0
"""core/topology and `numaprof topology`: machines from snapshots, against golden files and against lscpu."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest
from conftest import TREE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from machine_files import Cpu, Machine, emptied, names, ranges, snapshot, unpack

CONTRIBUTE = TREE / "tests" / "machines" / "contribute"
HONEST = [name for name in names() if name != "garbage"]


def run(program: Path, *arguments: str | Path) -> str:
    done = subprocess.run([program, "topology", *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def as_json(program: Path, root: Path) -> dict[str, Any]:
    return dict(json.loads(run(program, "--json", "--sysroot", root)))


def numbers(text: str) -> list[int]:
    parts = [part.split("-") for part in text.split(",") if part]
    return [number for part in parts for number in range(int(part[0]), int(part[-1]) + 1)]


@pytest.mark.parametrize("name", names())
def test_every_machine_reads_as_before(
    program: Path, name: str, golden: Callable[[str, str], None], tmp_path: Path
) -> None:
    root = unpack(snapshot(name), tmp_path)
    golden(f"topology/{name}.txt", run(program, "--sysroot", root))
    golden(f"topology/{name}.json", run(program, "--sysroot", root, "--json"))


# --- against a second reader ------------------------------------------------------------------------------------------


def mask(cpus: list[int]) -> str:
    bits = sum(1 << cpu for cpu in cpus)
    words = max(1, (bits.bit_length() + 31) // 32)
    return ",".join(f"{bits >> 32 * word & 0xFFFFFFFF:08x}" for word in reversed(range(words)))


def add_what_lscpu_reads(root: Path) -> None:
    """lscpu wants masks, of every CPU; snapshots hold lists, of each core's first CPU."""
    base = root / "sys/devices/system"
    packages: dict[str, list[int]] = {}
    cores = [(path.parent, numbers(path.read_text())) for path in base.glob("cpu/cpu*/topology/thread_siblings_list")]
    for folder, siblings in cores:
        packages.setdefault((folder / "physical_package_id").read_text(), []).extend(siblings)
    for folder, siblings in cores:
        package = (folder / "physical_package_id").read_text()
        for cpu in siblings:
            there = base / f"cpu/cpu{cpu}/topology"
            there.mkdir(parents=True, exist_ok=True)
            (there / "physical_package_id").write_text(package)
            (there / "core_id").write_text(f"{min(siblings)}\n")
            (there / "thread_siblings").write_text(mask(siblings) + "\n")
            (there / "core_siblings").write_text(mask(packages[package]) + "\n")
    shutil.copy(base / "cpu/present", base / "cpu/possible")
    (base / "cpu/kernel_max").write_text("8191\n")
    for path in base.glob("node/node*/cpulist"):
        (path.parent / "cpumap").write_text(mask(numbers(path.read_text())) + "\n")


@pytest.mark.parametrize("name", HONEST)
def test_masks_tell_as_much_as_lists(program: Path, name: str, tmp_path: Path) -> None:
    """Snapshots made for lscpu hold masks alone."""
    root = unpack(snapshot(name), tmp_path)
    add_what_lscpu_reads(root)
    whole = as_json(program, root)
    for path in root.glob("sys/devices/system/cpu/cpu*/cache/index*/shared_cpu_list"):
        (path.parent / "shared_cpu_map").write_text(mask(numbers(path.read_text())) + "\n")
    for pattern in ("cpu/cpu*/cache/index*/shared_cpu_list", "cpu/cpu*/topology/*_list", "node/node*/cpulist"):
        for path in root.glob(f"sys/devices/system/{pattern}"):
            path.unlink()
    assert as_json(program, root) == whole


def groups(rows: dict[int, str]) -> set[frozenset[int]]:
    """Which CPUs are together, whatever their group is called."""
    together: dict[str, set[int]] = {}
    for cpu, group in rows.items():
        together.setdefault(group, set()).add(cpu)
    return {frozenset(cpus) for cpus in together.values()}


def assert_lscpu_agrees(ours: dict[str, Any], *lscpu_arguments: str | Path) -> None:
    columns = ["CPU", "NODE", "SOCKET", "CORE"]
    text = subprocess.run(
        ["lscpu", *lscpu_arguments, f"-p={','.join(columns)}"], capture_output=True, text=True, check=True
    ).stdout
    theirs = [line.split(",") for line in text.splitlines() if not line.startswith("#")]
    online = [cpu for cpu in ours["cpus"] if cpu["online"]]
    assert [cpu["id"] for cpu in online] == [int(row[0]) for row in theirs]
    for ours_name, column in (("node", 1), ("package", 2), ("core", 3)):
        assert groups({cpu["id"]: str(cpu[ours_name]) for cpu in online}) == groups(
            {int(row[0]): row[column] for row in theirs}
        ), ours_name
    if ours["numa"]:
        assert [cpu["node"] for cpu in online] == [int(row[1]) for row in theirs]


@pytest.mark.parametrize("name", HONEST)
def test_lscpu_groups_the_cpus_of_a_snapshot_alike(program: Path, name: str, tmp_path: Path) -> None:
    root = unpack(snapshot(name), tmp_path)
    ours = as_json(program, root)
    add_what_lscpu_reads(root)
    assert_lscpu_agrees(ours, "--sysroot", root)


def test_lscpu_and_the_c_library_agree_about_this_machine(program: Path) -> None:
    ours = json.loads(run(program, "--json"))
    assert_lscpu_agrees(ours)
    assert numbers(ours["allowed_cpus"]) == sorted(os.sched_getaffinity(0))


def test_inherited_mask_is_the_one_of_this_process(program: Path) -> None:
    cpu = max(os.sched_getaffinity(0))
    done = subprocess.run(
        ["taskset", "-c", str(cpu), program, "topology", "--json"], capture_output=True, text=True, check=True
    )
    ours = json.loads(done.stdout)
    assert (ours["allowed_cpus"], ours["pin"]["compact"]) == (str(cpu), [cpu])


# --- contributing a snapshot ------------------------------------------------------------------------------------------


def without_free_memory(text: str) -> str:
    """Free memory changes between two readings, and a balloon changes the total as well."""
    return re.sub(r'("(mem|free)_bytes": \d+|adds up to [0-9.]+ GiB)', "", text)


def test_snapshot_of_this_machine_reads_like_the_machine(program: Path, tmp_path: Path) -> None:
    text = subprocess.run([CONTRIBUTE], capture_output=True, text=True, check=True).stdout
    root = unpack(text, tmp_path)
    here, there = run(program, "--json"), run(program, "--json", "--sysroot", root)
    assert without_free_memory(here) == without_free_memory(there)


@pytest.mark.parametrize("name", HONEST)
def test_contributing_a_snapshot_again_gives_the_same_text(name: str, tmp_path: Path) -> None:
    root = unpack(snapshot(name), tmp_path)
    done = subprocess.run([CONTRIBUTE, root], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (snapshot(name), "")


def test_contribution_hides_host_name_and_serial_number(tmp_path: Path) -> None:
    host = os.uname().nodename
    (tmp_path / "proc/sys/kernel").mkdir(parents=True)
    (tmp_path / "proc/sys/kernel/osrelease").write_text(f"6.1.0-{host}-x{host}x\n")
    (tmp_path / "proc/cpuinfo").write_text(
        "system type : x\n\nprocessor 0: version = 00,  identification = 1A2B3C\nSerial : 12345678\n\nprocessor : 1\n"
    )
    (tmp_path / "sys/class/dmi/id").mkdir(parents=True)
    (tmp_path / "sys/class/dmi/id/product_name").write_text(f"{host}\n")
    (tmp_path / "sys/class/dmi/id/product_serial").write_text("12345678\n")
    text = subprocess.run([CONTRIBUTE, tmp_path], capture_output=True, text=True, check=True).stdout
    assert text == (
        "/sys/class/dmi/id/product_name: HOST\n"
        "/proc/cpuinfo:\n\tsystem type : x\n\t\n\tprocessor 0: version = 00,  identification = 0\n"
        f"/proc/sys/kernel/osrelease: 6.1.0-HOST-x{host}x\n"
    )


# --- degradation ------------------------------------------------------------------------------------------------------


def test_without_sys_the_cpus_come_from_cpuinfo(program: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("two-packages-even-odd"), tmp_path)
    shutil.rmtree(root / "sys")
    (root / "proc/cpuinfo").write_text("".join(f"processor\t: {i}\nmodel : 1\n\n" for i in (0, 2, 5)))
    ours = as_json(program, root)
    assert [cpu["id"] for cpu in ours["cpus"]] == [0, 2, 5]
    assert {cpu["package"] for cpu in ours["cpus"]} == {None}
    assert ours["nodes"][0]["mem_bytes"] == 24 << 30
    assert "/sys/devices/system/cpu/online cannot be read" in ours["remarks"][0]


@pytest.mark.parametrize("name", HONEST)
def test_nodes_and_cpus_are_found_by_their_folders_where_the_lists_are_missing(
    program: Path, tmp_path: Path, name: str
) -> None:
    """/proc/cpuinfo of a snapshot is often cut after the first CPU: it must not stand for all of them."""
    root = unpack(snapshot(name), tmp_path)
    whole = as_json(program, root)
    for list_name in ("online", "possible"):
        (root / "sys/devices/system/node" / list_name).unlink(missing_ok=True)
        (root / "sys/devices/system/cpu" / list_name).unlink(missing_ok=True)
    (root / "proc/cpuinfo").write_text("processor\t: 0\n\n")
    ours = as_json(program, root)
    assert ours["numa"] is whole["numa"]
    if ours["numa"]:
        assert ours["nodes"] == whole["nodes"]
        assert [cpu["id"] for cpu in ours["cpus"] if cpu["online"]] == [
            cpu["id"] for cpu in whole["cpus"] if cpu["online"]
        ]
        assert sum("online cannot be read" in remark for remark in ours["remarks"]) == 2


def test_an_offline_cpu_keeps_its_folder(program: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("two-packages-even-odd"), tmp_path)
    shutil.rmtree(root / "sys/devices/system/node")
    (root / "sys/devices/system/cpu/online").unlink()
    (root / "sys/devices/system/cpu/cpu1/online").write_text("0\n")
    assert 1 not in [cpu["id"] for cpu in as_json(program, root)["cpus"] if cpu["online"]]


def test_isolated_cpus_are_named(program: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("two-packages-even-odd"), tmp_path)
    (root / "sys/devices/system/cpu/isolated").write_text("2-3,6-7\n")
    assert "CPUs 2-3,6-7 are isolated" in as_json(program, root)["remarks"][0]


def test_cpus_that_a_container_numbers_anew_keep_the_numbers_of_the_nodes(program: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("container-cpuset"), tmp_path)
    whole = as_json(program, root)
    (root / "sys/devices/system/cpu/online").write_text("0-1\n")  # lxcfs: two CPUs, whichever
    ours = as_json(program, root)
    (remark,) = [remark for remark in ours["remarks"] if remark not in whole["remarks"]]
    assert "leaves out 6 CPUs" in remark
    assert {**ours, "remarks": None} == {**whole, "remarks": None}


def test_blanks_at_the_ends_of_lines_change_nothing(program: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("two-packages-hmat"), tmp_path)
    whole = as_json(program, root)
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.write_bytes(path.read_bytes().replace(b"\n", b" \r\n"))
    assert as_json(program, root) == whole


def test_what_one_file_does_not_tell_is_no_contradiction(program: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("two-packages-hmat"), tmp_path)
    whole = as_json(program, root)
    (root / "sys/devices/system/cpu/cpu1/topology/physical_package_id").write_text("-7\n")
    status = root / "proc/self/status"
    status.write_text(re.sub("(Mems_allowed_list:).*", r"\1", status.read_text()))
    ours = as_json(program, root)
    assert ours["nodes"] == whole["nodes"]
    assert ours["remarks"][:-1] == whole["remarks"]
    assert "physical_package_id does not hold what it should and is ignored, as is 1 more file" in ours["remarks"][-1]


def test_memory_of_a_node_whose_cpus_are_all_offline_is_no_slow_tier(program: Path, tmp_path: Path) -> None:
    cpus = [Cpu(i, i // 4, i // 4, i, online=i < 4) for i in range(8)]
    root = Machine(cpus, {0: 8 << 20, 1: 8 << 20}, {0: [10, 21], 1: [21, 10]}).write(tmp_path)
    assert as_json(program, root)["nodes"][1]["memory"] == "untold"
    for cpu in range(4, 8):  # the kernel's links stay: drivers/base/cpu.c
        (root / f"sys/devices/system/node/node1/cpu{cpu}").symlink_to(f"../../cpu/cpu{cpu}")
    ours = as_json(program, root)
    assert ours["nodes"][1]["memory"] == "DRAM"
    assert "node 1 has memory, and CPUs that are all offline" in ours["remarks"]
    text = subprocess.run([CONTRIBUTE, root], capture_output=True, text=True, check=True).stdout
    (tmp_path / "again").mkdir()
    assert as_json(program, unpack(text, tmp_path / "again")) == ours


def test_without_proc_everything_counts_as_allowed(program: Path, tmp_path: Path) -> None:
    root = unpack(snapshot("container-cpuset"), tmp_path)
    shutil.rmtree(root / "proc")
    ours = as_json(program, root)
    assert (ours["allowed_cpus"], ours["allowed_nodes"]) == ("0-7", "0-1")
    assert any("/proc/self/status cannot be read" in remark for remark in ours["remarks"])


@pytest.mark.requires("mounts")
def test_live_without_sys_and_proc_the_affinity_mask_remains(program: Path) -> None:
    script = f"mount -t tmpfs none /sys && mount -t tmpfs none /proc && exec {program} topology --json"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ours = json.loads(done.stdout)
    assert [cpu["id"] for cpu in ours["cpus"]] == sorted(os.sched_getaffinity(0))
    assert ours["numa"] is False
    assert ours["nodes"][0]["mem_bytes"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sysroot", "EMPTY"], "no CPUs to be found"),
        (["--sysroot", "/nonexistent"], "is not a folder"),
        (["--sysroot"], "no value given for --sysroot"),
        (["--measured"], "unknown option --measured"),
        (["0"], "unexpected argument 0"),
        (["-\x1b[2J"], r"unknown option -\x1b"),
    ],
)
def test_bad_input_gets_one_line_and_125(program: Path, arguments: list[str], message: str, tmp_path: Path) -> None:
    command = [program, "topology", *[str(tmp_path) if a == "EMPTY" else a for a in arguments]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert message in done.stderr


def test_a_full_disk_is_noticed(program: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([program, "topology"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 125
    assert done.stderr == (
        "numaprof: cannot write to standard output: No space left on device; make room or choose another place\n"
    )


# --- many and any -----------------------------------------------------------------------------------------------------


def test_4096_cpus_and_1024_nodes(program: Path, in_memory: Path) -> None:
    cpus = [Cpu(i, i % 1024, i % 16, i % 2048) for i in range(4096)]
    distances = {a: [10 if a == b else 20 + (a ^ b) % 13 for b in range(1024)] for a in range(1024)}
    root = Machine(cpus, dict.fromkeys(range(1024), 1 << 20), distances).write(in_memory)
    ours = as_json(program, root)
    assert len(ours["cpus"]) == 4096
    assert len(ours["nodes"]) == 1024
    assert ours["distances"][7][1023] == distances[7][1023]
    assert ours["nodes"][1023]["cpus"] == "1023,2047,3071,4095"
    assert sorted(ours["pin"]["compact"]) == list(range(4096)) == sorted(ours["pin"]["scatter"])
    assert [ours["cpus"][cpu]["node"] for cpu in ours["pin"]["compact"][:4]] == [0, 0, 13, 13]
    text = run(program, "--sysroot", root)
    assert max(map(len, text.splitlines())) < 200


def test_a_cache_is_divided_among_cores_of_whatever_many_threads(program: Path, tmp_path: Path) -> None:
    cpus = [Cpu(i, i % 4 // 2, 0, i % 4, cache=0, online=i < 5) for i in range(8)]  # CPUs 0 and 4 are of one core
    ours = as_json(program, Machine(cpus, {0: 1 << 20, 1: 1 << 20}).write(tmp_path))
    assert [node["llc_bytes"] for node in ours["nodes"]] == [16 << 20, 16 << 20]


def test_scatter_alternates_between_nodes_where_each_cpu_is_a_package(program: Path, tmp_path: Path) -> None:
    cpus = [Cpu(i, i // 3, i, i) for i in range(6)]  # QEMU's -smp 6
    ours = as_json(program, Machine(cpus, {0: 1 << 20, 1: 1 << 20}, {0: [10, 20], 1: [20, 10]}).write(tmp_path))
    assert ours["pin"] == {"compact": [0, 1, 2, 3, 4, 5], "scatter": [0, 3, 1, 4, 2, 5]}


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    """Random packages, nodes, cores and hyperthreads with random CPU numbers, some offline, some not allowed."""
    packages, nodes, cores, threads = (draw(st.integers(1, 3)) for _ in range(4))
    places = [
        (package, (package, node), (package, node, core))
        for package in range(packages)
        for node in range(nodes)
        for core in range(cores)
        for _ in range(threads)
    ]
    ids = draw(st.permutations(range(len(places))))
    node_ids = {node: i * draw(st.integers(1, 3)) for i, node in enumerate(sorted({place[1] for place in places}))}
    node_ids = {node: i + sum(list(node_ids.values())[: i + 1]) for i, node in enumerate(node_ids)}
    cpus = [
        Cpu(cpu, node_ids[node], package, core, package, online=draw(st.booleans()) or cpu == 0)
        for cpu, (package, node, core) in zip(ids, places)
    ]
    online = sorted(cpu.id for cpu in cpus if cpu.online)
    allowed = draw(st.lists(st.sampled_from(online), min_size=1, unique=True))
    far = {
        node: [10 if node == other else draw(st.integers(11, 40)) for other in sorted(node_ids.values())]
        for node in sorted(node_ids.values())
    }
    return Machine(cpus, dict.fromkeys(sorted(node_ids.values()), 1 << 20), far, allowed_cpus=ranges(allowed))


@given(machine=machines())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_machine_comes_back_and_its_orders_keep_their_promise(
    program: Path, tmp_path: Path, machine: Machine
) -> None:
    ours = as_json(program, machine.write(emptied(tmp_path)))
    truth = {cpu.id: cpu for cpu in machine.cpus}
    for cpu in ours["cpus"]:
        assert cpu["online"] == truth[cpu["id"]].online
        assert cpu["node"] == (truth[cpu["id"]].node if cpu["online"] else None)
    allowed = numbers(machine.allowed_cpus)
    cores = {truth[cpu].core for cpu in allowed}
    distance = machine.distances[min(truth[cpu].node for cpu in allowed)]
    far = dict(zip(sorted(machine.memory_kib), distance))
    for policy in ("compact", "scatter"):
        order = ours["pin"][policy]
        assert sorted(order) == allowed
        # Every core before any second hyperthread.
        assert len({truth[cpu].core for cpu in order[: len(cores)]}) == len(cores)
    first_threads = [truth[cpu].node for cpu in ours["pin"]["compact"][: len(cores)]]
    # Each node's cores together, near nodes first.
    assert [far[node] for node in first_threads] == sorted(far[node] for node in first_threads)
    assert len(re.findall(r"(\d+ )\1*", " ".join(map(str, first_threads)) + " ")) == len(set(first_threads))
    # One of every node before the second of any.
    scattered = [truth[cpu].node for cpu in ours["pin"]["scatter"]]
    assert len(set(scattered[: len(set(scattered))])) == len(set(scattered))


@given(data=st.data())
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_files_hold_it_ends_with_a_word(program: Path, tmp_path: Path, data: st.DataObject) -> None:
    machine = data.draw(st.sampled_from(["cxl", "offline-cpus", "power9-gpu"]))
    root = unpack(snapshot(machine), emptied(tmp_path))
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    lists = st.text("0123456789-,:/ \n", max_size=12).map(str.encode)
    for path in data.draw(st.lists(st.sampled_from(files), min_size=1, max_size=4, unique=True)):
        path.write_bytes(data.draw(st.one_of(st.binary(max_size=40), lists)))
    done = subprocess.run([program, "topology", "--json", "--sysroot", root], capture_output=True, check=False)
    assert done.returncode in (0, 125)
    if done.returncode == 0:
        json.loads(done.stdout)
    else:
        assert done.stderr.count(b"\n") == 1
