# SPDX-License-Identifier: Apache-2.0
"""Which CPU is this? /proc/cpuinfo of many machines, and texts that only look like it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import PROGRAM, TREE
from hypothesis import given, settings
from hypothesis import strategies as st
from machine_files import snapshot as machine_snapshot
from machine_files import unpack

FIXTURES = TREE / "tests" / "fixtures" / "cpuinfo"

# fixture -> catalogue's name, family, model, stepping
KNOWN = {
    "nehalem-ep": ("nehalem-ep", 6, 0x1A, 5),
    "westmere-ep": ("westmere-ep", 6, 0x2C, 2),
    "westmere-1s": ("westmere-1s", 6, 0x25, 5),
    "skylake-sp": ("skylake-sp", 6, 0x55, 4),
    "cascadelake-sp": ("cascadelake-sp", 6, 0x55, 7),
    "cooperlake": ("cascadelake-sp", 6, 0x55, 11),
    "icelake-d": ("icelake-sp", 6, 0x6C, 1),
    "sapphirerapids": ("sapphirerapids", 6, 0x8F, 8),
    "amd-10h": ("amd-10h", 0x10, 9, 1),
    "amd-15h": ("amd-15h", 0x15, 1, 2),
    "zen1": ("zen1", 0x17, 0x01, 2),
    "zen2": ("zen2", 0x17, 0x31, 0),
    "zen3": ("zen3", 0x19, 0x01, 1),
    "zen4c": ("zen4", 0x19, 0xA0, 2),
    "zen5": ("zen5", 0x1A, 0x02, 1),
    "zen6": ("zen6", 0x1A, 0x50, 0),
    "hygon": ("hygon", 0x18, 0x01, 1),
    "zen-of-tomorrow": ("amd-newer", 0x1B, 0x10, 0),
    "zen1-unlisted": ("amd-other", 0x17, 0xF0, 0),
    "rocketlake-vm": ("intel-other", 6, 0xA7, 1),
    "skylake-hidden-stepping": ("intel-other", 6, 0x55, None),
    "diamondrapids": ("diamondrapids", 19, 0x01, 0),
    "altra": ("neoverse-n1", 8, 0xD0C, 0x31),
    "graviton4": ("neoverse-v2", 8, 0xD4F, 0x01),
    "ampereone": ("ampereone", 8, 0xAC3, 0x00),
    "cobalt100": ("neoverse-n2", 8, 0xD49, 0x00),
    "graviton5": ("neoverse-v3", 8, 0xD84, 0x01),
    "neoverse-n3": ("neoverse-n3", 8, 0xD8E, 0x00),
    "vera": ("vera", 8, 0x010, 0x00),
    "kunpeng920": ("kunpeng920", 8, 0xD01, 0x10),
    "kunpeng-hip09": ("kunpeng-hip09", 8, 0xD02, 0x20),
    "power8": ("power8", None, 0x4D, 0x0200),
    "power11": ("power11", None, 0x82, 0x0200),
    "power9": ("power9", None, 0x4E, 0x1202),
    "power10": ("power10", None, 0x80, 0x0200),
}
UNKNOWN = sorted(path.stem for path in FIXTURES.glob("unknown-*.txt"))
NOTHING = sorted(path.stem for path in FIXTURES.glob("nothing-*.txt"))


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAM), "events", "--sysroot", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def snapshot(root: Path, cpuinfo: bytes) -> Path:
    (root / "proc").mkdir(parents=True, exist_ok=True)
    (root / "proc" / "cpuinfo").write_bytes(cpuinfo)
    return root


def from_fixture(root: Path, name: str) -> Path:
    return snapshot(root, (FIXTURES / f"{name}.txt").read_bytes())


def test_every_fixture_is_expected() -> None:
    assert {path.stem for path in FIXTURES.glob("*.txt")} == {*KNOWN, *UNKNOWN, *NOTHING}


@pytest.mark.parametrize("name", KNOWN)
def test_known_cpus_are_found(name: str, tmp_path: Path) -> None:
    done = run(from_fixture(tmp_path, name), "--json")
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    machine = shown["machine"]
    assert (shown["cpu"]["name"], machine["family"], machine["model"], machine["stepping"]) == KNOWN[name]
    assert machine["pmu_seen"] is False


def test_a_machine_without_pmu_is_told_so(tmp_path: Path) -> None:
    text = run(from_fixture(tmp_path, "zen3")).stdout
    assert "AMD EPYC 7763" in text
    assert "PMU            none" in text
    pmu = tmp_path / "sys/bus/event_source/devices/cpu"
    pmu.mkdir(parents=True)
    (pmu / "type").write_text("4\n")
    assert "PMU            none" not in run(tmp_path).stdout


@pytest.mark.parametrize(
    ("name", "shown"), [("power10", "IBM, model 0x80, stepping 512: "), ("skylake-hidden-stepping", "model 0x55: ")]
)
def test_numbers_that_a_cpu_does_not_have_are_not_shown(name: str, shown: str, tmp_path: Path) -> None:
    (line,) = [line for line in run(from_fixture(tmp_path, name)).stdout.splitlines() if "this machine" in line]
    assert shown in line and "-1" not in line


def test_the_pmu_must_be_the_one_that_counts_memory(tmp_path: Path) -> None:
    from_fixture(tmp_path, "amd-15h")
    pmu = tmp_path / "sys/bus/event_source/devices/cpu"
    pmu.mkdir(parents=True)
    (pmu / "type").write_text("4\n")
    assert "the kernel shows no amd_nb" in run(tmp_path).stdout


@pytest.mark.parametrize(
    ("machine", "split"), [("two-packages-snc2-ht", True), ("epyc-nps4", True), ("two-packages-even-odd", False)]
)
def test_split_sockets_are_seen(machine: str, split: bool, tmp_path: Path) -> None:
    root = from_fixture(unpack(machine_snapshot(machine), tmp_path), "icelake-d")
    shown = json.loads(run(root, "--json").stdout)
    assert shown["split_sockets"] is split
    assert (shown["groups"][0][0]["variant"] == "snc") is split


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_cpus_are_named_with_a_remedy(name: str, tmp_path: Path) -> None:
    done = run(from_fixture(unpack(machine_snapshot("two-packages-even-odd"), tmp_path), name))
    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr.count("\n") == 1
    assert "not in the event catalogue" in done.stderr
    assert "numaprof events --list" in done.stderr


@pytest.mark.parametrize("name", ["rocketlake-vm", *UNKNOWN])
def test_on_one_node_an_unknown_cpu_lacks_nothing(name: str, tmp_path: Path) -> None:
    done = run(from_fixture(unpack(machine_snapshot("vm-one-node"), tmp_path), name))
    assert "no access can be remote" in done.stdout + done.stderr
    assert "how to add" not in done.stderr


@pytest.mark.parametrize("name", NOTHING)
def test_what_names_no_cpu_is_refused(name: str, tmp_path: Path) -> None:
    done = run(from_fixture(tmp_path, name))
    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr.count("\n") == 1
    assert "--cpu" in done.stderr or "--list" in done.stderr


def test_no_proc_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 125
    assert done.stderr.count("\n") == 1
    assert "No such file" in done.stderr


def test_the_first_cpu_counts_and_the_rest_is_not_read(tmp_path: Path) -> None:
    text = (FIXTURES / "zen2.txt").read_text()
    root = snapshot(tmp_path, (text + text.replace("49", "1") * 50).encode())
    shown = json.loads(run(root, "--json").stdout)
    assert (shown["cpu"]["name"], shown["machine"]["mixed"]) == ("zen2", False)


def test_cores_of_several_kinds_are_seen(tmp_path: Path) -> None:
    altra = (FIXTURES / "altra.txt").read_text()
    same = run(snapshot(tmp_path / "same", (altra * 3).encode()), "--json")
    mixed = snapshot(tmp_path / "mixed", (altra + altra.replace("0xd0c", "0xd49")).encode())
    assert json.loads(same.stdout)["machine"]["mixed"] is False
    shown = json.loads(run(mixed, "--json").stdout)
    assert (shown["cpu"]["name"], shown["machine"]["mixed"]) == ("neoverse-n1", True)
    assert "other CPUs     are of other models" in run(mixed).stdout


def test_a_hybrid_is_known_by_its_two_pmus(tmp_path: Path) -> None:
    root = from_fixture(tmp_path, "rocketlake-vm")
    for pmu in ("cpu_core", "cpu_atom"):
        assert json.loads(run(root, "--json").stdout)["machine"]["mixed"] is False
        folder = tmp_path / "sys/bus/event_source/devices" / pmu
        folder.mkdir(parents=True)
        (folder / "type").write_text("4\n")
    assert json.loads(run(root, "--json").stdout)["machine"]["mixed"] is True


KEYS = ["vendor_id", "cpu family", "model", "stepping", "model name", "CPU implementer", "CPU part", "CPU variant",
        "CPU revision", "CPU architecture", "cpu", "revision", "processor", ""]  # fmt: skip
VALUES = st.one_of(
    st.sampled_from(
        [b"GenuineIntel", b"AuthenticAMD", b"0x41", b"6", b"85", b"4", b"0xd0c", b"2.2 (pvr 004e 1202)", b"(pvr "]
    ),
    st.integers(-(2**70), 2**70).map(lambda n: str(n).encode()),
    st.binary(max_size=200),
)
LINES = st.tuples(st.sampled_from(KEYS), st.sampled_from([b"\t: ", b":", b" : ", b"", b"::"]), VALUES).map(
    lambda line: line[0].encode() + line[1] + line[2]
)
GARBLED = st.one_of(st.binary(max_size=4000), st.lists(LINES, max_size=20).map(b"\n".join))


@settings(max_examples=40, deadline=None)
@given(GARBLED)
def test_garbled_cpuinfo_never_breaks_it(cpuinfo: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [PROGRAM, "events", "--sysroot", str(snapshot(Path(folder), cpuinfo)), "--json"]
        done = subprocess.run(command, capture_output=True, check=False)
        assert done.returncode in (0, 125)
        if done.returncode == 0:
            machine = json.loads(done.stdout.decode())["machine"]
            assert machine["vendor"] in ("GenuineIntel", "AuthenticAMD", "0x41", "0xc0", "IBM")
            assert done.stderr == b""
        else:
            assert done.stdout == b""
            assert (
                done.stderr.startswith(b"numaprof: ") and done.stderr.endswith(b"\n") and done.stderr.count(b"\n") == 1
            )
            assert not [byte for byte in done.stderr[:-1] if byte < 0x20 or byte == 0x7F]
            done.stderr.decode()
