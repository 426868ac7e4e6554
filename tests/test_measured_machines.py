# SPDX-License-Identifier: Apache-2.0
"""numaprof topology --measure on machines that are not here: what would be measured there, and what is said of values
that are (tests/fixtures/measured/MACHINE.CASE.txt, in the form in which measurements are kept)."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Callable

import pytest
from conftest import TREE
from machine_files import Cpu, Machine, names, snapshot, unpack

MEASURED = TREE / "tests" / "fixtures" / "measured"
CASES = sorted(path.stem for path in MEASURED.glob("*.txt"))

# Every remark, so that a case shows both what is said and what is not.
REMARKS = {
    "two-packages-hmat.as-claimed": [],
    "two-packages-hmat.slower": [
        f"the firmware (HMAT) says {what} from node {node} to node {node}; measured {measured}"
        for node in (0, 1)
        for what, measured in (("reads take 90 ns", "110 ns"), ("reads reach 100 GB/s", "84 GB/s"))
    ],
    "four-nodes-10-16-32.as-claimed": [],
    "four-nodes-10-16-32.nearer": [
        "the firmware's distance 32 says 3.2 times the local latency; measured 2.00 (2.00 to 2.00 in 4 pairs)"
    ],
    "epyc-nps4.node-6": [
        "from node 0, node 6 is 6 % nearer than the others at distance 32 (stride_write): perhaps fewer hops"
    ],
    "epyc-nps4.alike": [],
    "epyc-nps4.once-nearer": [],
    # The firmware's two tables contradict each other.
    "cxl.as-slit": ["the firmware (HMAT) says reads take 240 ns from node 0 to node 2; measured 154 ns"],
    "cxl.as-hmat": [
        "the firmware's distance 14 says 1.4 times the local latency; measured 2.27 (2.27 to 2.27 in 1 pair)"
    ],
}


def topology(program: Path, *arguments: str | Path) -> str:
    done = subprocess.run([program, "topology", *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def machine(tmp_path: Path) -> Callable[[str], Path]:
    return lambda name: unpack(snapshot(name), tmp_path)


# --- what would be measured


@pytest.mark.parametrize("name", names())
def test_the_plan_of_every_machine(
    program: Path, name: str, golden: Callable[[str, str], None], machine: Callable[[str], Path]
) -> None:
    golden(f"measure/{name}.plan.txt", topology(program, "--measure", "--plan", "--sysroot", machine(name)))


def plan(program: Path, root: Path, *arguments: str) -> str:
    return topology(program, "--measure", "--plan", "--sysroot", root, *arguments)


def seconds(text: str) -> int:
    found = re.search(r"in about (\d+) s", text)
    assert found, text
    return int(found[1])


def test_less_is_planned_for_less(program: Path, machine: Callable[[str], Path]) -> None:
    root = machine("two-packages-hmat")
    everything, one = plan(program, root), plan(program, root, "--from", "0", "--to", "1", "--only", "read")
    assert seconds(one) < seconds(everything) / 10
    assert "memory of node 0" not in one
    assert "from the CPUs of node 0," in one


def test_a_full_node_is_left_out_and_the_other_measured(program: Path, tmp_path: Path) -> None:
    text = snapshot("two-packages-hmat").replace("Node 1 MemFree:   16777216 kB", "Node 1 MemFree:   200000 kB")
    told = plan(program, unpack(text, tmp_path))
    assert re.search(r"memory of node 0 +768 MiB", told)
    assert re.search(r"memory of node 1 +left out", told)
    assert "- memory of node 1 is left out: 97.7 MiB of free memory can be spared, 768 MiB are needed" in told


def test_a_tight_node_is_measured_in_less_and_named(program: Path, tmp_path: Path) -> None:
    text = snapshot("two-packages-hmat").replace("Node 1 MemFree:   16777216 kB", "Node 1 MemFree:   1000000 kB")
    told = plan(program, unpack(text, tmp_path))
    assert "- memory of node 1: measured in 486 MiB instead of 768 MiB, half of what is free" in told


def test_cpus_that_are_offline_are_not_called_missing(program: Path, tmp_path: Path) -> None:
    """The kernel keeps the links of a node to its CPUs that are offline."""
    cpus = [Cpu(i, i // 4, i // 4, i, online=i < 4) for i in range(8)]
    root = Machine(cpus, {0: 8 << 20, 1: 8 << 20}, {0: [10, 21], 1: [21, 10]}).write(tmp_path)
    assert "- node 1 has no CPUs: its memory is measured from the other nodes" in plan(program, root)
    (root / "sys/devices/system/node/node1/cpu4").symlink_to("../../cpu/cpu4")
    told = plan(program, root)
    assert (
        "- node 1: its CPUs are all offline or another node's, so its memory is measured from the other nodes" in told
    )
    assert "no CPUs" not in told


def test_unknown_caches_are_named(program: Path, tmp_path: Path) -> None:
    text = "".join(line for line in snapshot("two-packages-hmat").splitlines(True) if "/cache/" not in line)
    assert "- the size of the caches is not known: 64 MiB are assumed" in plan(program, unpack(text, tmp_path))


def test_an_unknown_cpu_changes_nothing(program: Path, tmp_path: Path) -> None:
    """What is timed is chosen by the instructions that the CPU has, how much of it by its caches."""
    text = snapshot("two-packages-hmat")
    strange = re.sub(r"\t(vendor_id|cpu family|model|model name|stepping)\s*: .*", r"\t\1\t: 4711", text)
    assert strange != text
    known, unknown = unpack(text, tmp_path / "known"), unpack(strange, tmp_path / "unknown")
    assert plan(program, known) == plan(program, unknown)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--plan"], "add --measure"),
        (["--measure", "--plan", "--json"], "a plan is for people"),
        (["--measure", "--cached"], "--measure measures anew, --cached shows what was measured"),
        (["--measure", "--plan", "--from", "9"], "--from: there is no node 9"),
    ],
)
def test_contradictions_get_one_line(
    program: Path, machine: Callable[[str], Path], arguments: list[str], words: str
) -> None:
    command = [program, "topology", "--sysroot", machine("cxl"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert words in done.stderr


# --- what is said of values


def kept(program: Path, root: Path, case: str, *arguments: str) -> str:
    return topology(program, "--sysroot", root, f"--cached={MEASURED / case}.txt", *arguments)


@pytest.mark.parametrize("case", CASES)
def test_matrices_of_values_made_by_hand(
    program: Path, case: str, golden: Callable[[str, str], None], machine: Callable[[str], Path]
) -> None:
    golden(f"measure/{case}.txt", kept(program, machine(case.split(".", maxsplit=1)[0]), case))


@pytest.mark.parametrize("case", CASES)
def test_remarks_fire_and_stay_silent(program: Path, case: str, machine: Callable[[str], Path]) -> None:
    found = json.loads(kept(program, machine(case.split(".", maxsplit=1)[0]), case, "--json"))["measured"]
    assert found["remarks"] == REMARKS[case]


def test_the_firmwares_claims_are_in_the_json(program: Path, machine: Callable[[str], Path]) -> None:
    found = json.loads(kept(program, machine("two-packages-hmat"), "two-packages-hmat.slower", "--json"))["measured"]
    assert found["hmat"][0] == {
        "access": 0, "from": 0, "to": 0, "latency_ns": 90, "write_latency_ns": 110,
        "read_bytes_per_s": 1e11, "write_bytes_per_s": 6e10,
    }  # fmt: skip
    assert [(row["access"], row["to"]) for row in found["hmat"]] == [(0, 0), (0, 1)]  # class 1 says the same


@pytest.mark.parametrize(
    ("machine_name", "file", "words"),
    [
        ("vm-one-node", MEASURED / "cxl.as-slit.txt", "was measured on a machine with other nodes"),
        ("cxl", TREE / "LICENSE", "is not a measurement, or is damaged"),
        ("cxl", "/nonexistent", "No such file or directory; check the name"),
    ],
)
def test_a_file_that_cannot_be_shown(
    program: Path, machine: Callable[[str], Path], machine_name: str, file: object, words: str
) -> None:
    command = [program, "topology", "--sysroot", machine(machine_name), f"--cached={file}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert words in done.stderr
