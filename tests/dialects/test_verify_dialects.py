# SPDX-License-Identifier: Apache-2.0
"""numaprof verify in emulated machines: what a sound PMU counts is verified, and what cannot be known is not."""

from __future__ import annotations

import json
import os
import pty
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import TREE, build_c

WRONG = {"counts nothing", "counts half", "counts double", "counts other things"}
# How often the whole command runs: a sound event is never called wrong. Four nodes take a minute a run.
RUNS = os.environ.get("NUMAPROF_VERIFY_RUNS")
REPEATS, REPEATS_OF_FOUR_NODES = int(RUNS or 2), int(RUNS or 1)
STRAY = 0.001  # of the lines that are read: a line of code or stack, evicted by whoever had the CPU in between


def verify(program: Path, *before: str, status: int = 0) -> dict[str, Any]:
    done = subprocess.run([*before, program, "verify", "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def forbid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_c(tmp_path_factory.mktemp("forbid") / "forbid", str(TREE / "tests" / "launchers" / "forbid.c"))


def words(found: dict[str, Any]) -> dict[tuple[str, str | None], str]:
    return {(event["class"], event["placement"]): event["word"] for event in found["events"]}


def local_and_remote(*classes: str) -> set[tuple[str, str | None]]:
    return {(name, placement) for name in classes for placement in ("local_dram", "remote_dram")}


def check_sound(program: Path, verified: set[tuple[str, str | None]], repeats: int = REPEATS) -> dict[str, Any]:
    """Several times, since a false alarm would keep a user from a counter that is right."""
    for _ in range(repeats):
        found = verify(program)
        said = words(found)
        assert not WRONG & set(said.values()), found
        assert verified <= {event for event, word in said.items() if word == "verified"}, said
        assert not found["partial"], found["remarks"]
    return found


@pytest.mark.lab("article")
def test_nehalem(program: Path) -> None:
    memory = local_and_remote("demand_rd", "demand_rfo", "pf_any", "any", "retired_load")
    found = check_sound(program, memory | {("any", "local_cache"), ("any", "remote_cache"), ("loads", None)})
    assert found["local"] == "the memory of the own node"


@pytest.mark.lab("westmere")
def test_westmere(program: Path) -> None:
    memory = local_and_remote("demand_rd", "demand_rfo", "pf_any", "any")
    check_sound(program, memory | {("any", "local_cache"), ("any", "remote_modified"), ("loads", None)})


@pytest.mark.lab("tests/lab/machines/small-skylake.machine")
def test_skylake_with_split_sockets(program: Path) -> None:
    memory = local_and_remote("demand_rd", "demand_rfo", "pf_any", "any", "retired_load")
    expected = memory | {("demand_rd", "remote_modified"), ("loads", None)}
    found = check_sound(program, expected, REPEATS_OF_FOUR_NODES)
    assert found["local"] == "the memory of the own node, not of other nodes in its package"
    assert "for retired_load local is: the memory of the own package, all its nodes" in found["remarks"]


@pytest.mark.lab("tests/lab/machines/small-sapphire.machine")
def test_sapphire_rapids_with_split_sockets(program: Path) -> None:
    """Prefetches into L3 are not in pf_any: how many there must be is not known."""
    memory = local_and_remote("demand_rd", "demand_rfo", "any", "retired_load")
    expected = memory | {("any", "remote_cache"), ("loads", None)}
    found = check_sound(program, expected, REPEATS_OF_FOUR_NODES)
    assert words(found)["pf_any", "remote_dram"] == "verified in part"
    assert found["local"] == "the memory of the own node, not of other nodes in its package"


@pytest.mark.lab("tests/lab/machines/small-granite.machine")
def test_granite_rapids_with_a_slow_tier(program: Path) -> None:
    """Memory without CPUs is local to nobody: it is in no number of DRAM, but in those of the tier, by its link."""
    memory = local_and_remote("demand_rd", "demand_rfo", "any", "retired_load")
    tier = {("demand_rd", "local_cxl"), ("demand_rd", "remote_cxl")}
    found = check_sound(program, memory | tier | {("any", "remote_cache"), ("loads", None)})
    assert (found["from"], found["to"]) == ([0, 1], [0, 1, 2])
    slow = [
        count
        for event in found["events"]
        if event["placement"] in ("local_dram", "remote_dram")
        for count in event["counts"]
        if count["to"] == 2 and count["pattern"] in ("random reads", "stream", "random stores")
    ]
    assert {count["most"] for count in slow} == {None}
    assert max(count["counted"] for count in slow) <= STRAY * found["lines"]
    assert found["local"] == "the memory of the own node"


@pytest.mark.lab("tests/lab/machines/small-zen.machine")
def test_zen(program: Path) -> None:
    found = check_sound(program, local_and_remote("demand", "any") | {("any", "remote_cache"), ("loads", None)})
    assert words(found)["pf_l1", "local_dram"] == "verified in part"


@pytest.mark.lab("tests/lab/machines/small-nps.machine")
def test_zen_with_one_package_of_two_nodes(program: Path) -> None:
    """No memory is in another package: the package's other node must prove what is remote."""
    found = check_sound(program, local_and_remote("demand", "any") | {("loads", None)})
    assert found["local"] == "the memory of the own node, not of other nodes in its package"


PACKAGE = "the memory of the own package, all its nodes"


@pytest.mark.lab("tests/lab/machines/local-package.machine")
def test_local_that_is_the_package_is_called_so_in_recordings_too(program: Path, tmp_path: Path) -> None:
    found = verify(program, "env", f"XDG_CACHE_HOME={tmp_path}")
    assert not WRONG & set(words(found).values()), found
    assert found["local"] == PACKAGE
    assert not [remark for remark in found["remarks"] if "local is:" in remark]  # the same for each class
    demand = {event["placement"]: event["counts"] for event in found["events"] if event["class"] == "demand"}
    near = [
        {count["counted"] for count in counts if {count["from"], count["to"]} == {0, 1}}
        for counts in ([c for c in demand[name] if c["pattern"] == "random reads"] for name in sorted(demand))
    ]
    assert near == [{4096}, {0}]
    recorded(program, tmp_path)
    with closing(sqlite3.connect(tmp_path / "x.numaprof")) as database:
        notes = database.execute("SELECT text FROM note WHERE kind = 'clusters'").fetchall()
    assert notes == [(f"in these counts local is, as numaprof verify found: {PACKAGE}",)]
    report = subprocess.run(
        [program, "report", tmp_path / "x.numaprof"], capture_output=True, text=True, check=True, env=home(tmp_path)
    )
    assert "Between nodes of one package: not known, these requests count as local." in report.stdout


@pytest.mark.lab("single")
def test_one_node_verifies_what_is_local_and_says_so(program: Path) -> None:
    found = verify(program)
    assert words(found)["demand_rd", "local_dram"] == "verified"
    assert words(found)["demand_rd", "remote_dram"] == "not verified"
    assert "one node: events of remote memory and remote caches cannot be verified here" in found["remarks"]


@pytest.mark.lab("single")
def test_memory_whose_node_cannot_be_looked_up_is_left_out(program: Path, forbid: Path) -> None:
    done = subprocess.run(
        [forbid, "move_pages", "EPERM", program, "verify"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 125
    assert "memory of node 0 is left out: move_pages is forbidden here" in done.stdout
    assert "  verified" not in done.stdout
    assert "nothing could be verified" in done.stderr


@pytest.mark.lab("single")
def test_too_little_address_space_is_named(program: Path) -> None:
    script = f"ulimit -v 60000; exec {program} verify"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr == "numaprof: cannot verify: Cannot allocate memory; free memory, or see ulimit -v\n"


@pytest.mark.lab("single")
def test_an_interrupted_run_prints_what_there_is_and_stores_nothing(program: Path, tmp_path: Path) -> None:
    terminal, progress = pty.openpty()  # progress is shown on terminals only
    with subprocess.Popen(
        [program, "verify", "--json"], stdout=subprocess.PIPE, stderr=progress, text=True, env=home(tmp_path)
    ) as run:
        os.close(progress)
        shown = b""
        while b"random stores" not in shown:  # which are counted after random reads and the stream
            shown += os.read(terminal, 1000)
        run.send_signal(signal.SIGINT)
        found = json.loads(run.communicate()[0])
        os.close(terminal)
    assert run.returncode == 128 + signal.SIGINT
    assert found["partial"]
    assert "interrupted: what was not reached is not verified" in found["remarks"]
    assert words(found)["demand_rd", "local_dram"] == "verified"  # by what was counted until then
    assert list(tmp_path.iterdir()) == []


@pytest.mark.lab("single")
def test_a_pmu_that_others_use_makes_it_partial(program: Path) -> None:
    """Pinned events of all CPUs hold both offcore registers; retired loads need none."""
    held = [f"cpu/event=0xb7,umask=0x1,offcore_rsp={mask:#x}/D" for mask in (0x784000001, 0x784000002)]
    perf = ["perf", "stat", "-a", "-o", "/dev/null", "-e", ",".join(held), "--"]
    found = verify(program, *perf)
    assert found["partial"]
    assert words(found)["demand_rd", "local_dram"] == "not verified"
    assert words(found)["retired_load", "local_dram"] == "verified"
    assert any(remark.startswith("another program uses the PMU: demand_rd") for remark in found["remarks"])


@pytest.mark.lab("uneven")
def test_nodes_without_cpus_or_memory_take_part_as_they_can(program: Path) -> None:
    found = verify(program)
    assert (found["from"], found["to"]) == ([0, 1], [0, 2])
    assert words(found)["demand_rd", "remote_dram"] == "verified"


@pytest.mark.lab("uneven")
def test_a_cpuset_makes_it_partial(program: Path) -> None:
    found = verify(program, "taskset", "-c", "0-3")
    assert found["partial"]
    assert "CPUs of node 1 are left out: none is allowed here (cpuset or taskset)" in found["remarks"]


@pytest.mark.lab("cloud")
def test_events_that_the_kernel_refuses_are_not_verified(program: Path) -> None:
    found = verify(program)
    assert words(found)["retired_load", "remote_dram"] == "verified"
    refused = next(event for event in found["events"] if event["class"] == "demand_rd")
    assert refused["word"] == "not verified"
    assert refused["why"].startswith("the kernel refuses it: ")


@pytest.mark.lab("locked")
def test_without_rights_one_line_says_what_to_do(program: Path) -> None:
    done = subprocess.run([program, "verify"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert done.stderr.startswith("numaprof: nothing can be verified: ")


# --- defective PMUs: what is wrong is found out each time, and nothing else is called wrong

Events = dict[tuple[str, str | None], str]
REMOTE = "remote_dram"
NOTHING, DOUBLE, OTHER = "counts nothing", "counts double", "counts other things"


def check_defective(program: Path, wrong: Events) -> None:
    for _ in range(REPEATS):
        found = words(verify(program, status=1))
        assert {event: word for event, word in found.items() if word in WRONG} == wrong


@pytest.mark.lab("tests/lab/machines/defect-nothing.machine")
def test_events_that_count_nothing(program: Path) -> None:
    check_defective(program, {(name, REMOTE): NOTHING for name in ("demand_rd", "demand_rfo", "pf_any", "any")})


@pytest.mark.lab("tests/lab/machines/defect-double.machine")
def test_events_that_count_double(program: Path) -> None:
    requests = {(name, REMOTE): DOUBLE for name in ("demand_rd", "demand_rfo", "pf_any", "any")}
    check_defective(program, {**requests, ("retired_load", "local_dram"): DOUBLE})


@pytest.mark.lab("tests/lab/machines/defect-caches.machine")
def test_events_that_count_answers_of_caches(program: Path) -> None:
    """One of other nodes' caches, one of the own node's."""
    check_defective(program, {("demand", REMOTE): OTHER, ("demand", "local_dram"): OTHER})


@pytest.mark.lab("tests/lab/machines/defect-sibling.machine")
def test_events_that_count_the_other_thread_of_the_core(program: Path) -> None:
    check_defective(program, {(name, REMOTE): OTHER for name in ("demand_rd", "demand_rfo", "any", "retired_load")})


# --- what recordings make of it


def recorded(program: Path, folder: Path) -> tuple[dict[int, tuple[int, str, str]], set[str]]:
    """Evidence by level: whether it was used, what it says, why not; and the classes of the events that were opened."""
    file = folder / "x.numaprof"
    file.unlink(missing_ok=True)
    subprocess.run([program, "record", "-q", "-o", file, "true"], check=True, env=home(folder))
    with closing(sqlite3.connect(file)) as database:
        levels = database.execute("SELECT level, used, detail, why_not FROM evidence").fetchall()
        classes = database.execute("SELECT DISTINCT class FROM event").fetchall()
    return {level: (used, detail or "", why or "") for level, used, detail, why in levels}, {
        name for (name,) in classes
    }


def home(folder: Path) -> dict[str, str]:
    return {**os.environ, "XDG_CACHE_HOME": str(folder)}


@pytest.mark.lab("tests/lab/machines/small-zen.machine")
def test_the_evidence_says_whether_it_was_verified(program: Path, tmp_path: Path) -> None:
    levels, _ = recorded(program, tmp_path)
    assert levels[1][1].endswith(", not verified here: numaprof verify, 20 s")
    subprocess.run([program, "verify"], check=True, env=home(tmp_path), stdout=subprocess.DEVNULL)
    levels, _ = recorded(program, tmp_path)
    assert levels[1][1].endswith(", verified on this machine (pf_l1 in part)")
    assert levels[3][1].endswith(", verified on this machine")


@pytest.mark.lab("tests/lab/machines/defect-nothing.machine")
def test_wrong_events_are_not_used_and_the_next_level_is(program: Path, tmp_path: Path) -> None:
    before, classes = recorded(program, tmp_path)
    assert before[1][0] and "demand_rd" in classes
    done = subprocess.run([program, "verify"], check=False, env=home(tmp_path), stdout=subprocess.DEVNULL)
    assert done.returncode == 1
    levels, classes = recorded(program, tmp_path)
    assert levels[1] == (0, "", "numaprof verify found that its events count something else on this machine")
    assert levels[2][:2] == (1, "retired loads, verified on this machine")
    assert "retired_load" in classes and not {"demand_rd", "demand_rfo", "pf_any"} & classes
