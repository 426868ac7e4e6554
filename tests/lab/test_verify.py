# SPDX-License-Identifier: Apache-2.0
"""numaprof verify in emulated machines: what a sound PMU counts is verified, and what cannot be known is not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

WRONG = {"counts nothing", "counts half", "counts double", "counts other things"}
REPEATS = 2  # of the whole command on a sound machine of two nodes: none may be called wrong


def verify(program: Path, *before: str, status: int = 0) -> dict[str, Any]:
    done = subprocess.run([*before, program, "verify", "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return dict(json.loads(done.stdout))


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
    found = check_sound(
        program, local_and_remote("demand_rd", "demand_rfo", "pf_any", "any", "retired_load") | {("loads", None)}
    )
    assert found["local"] == "the memory of the own node"


@pytest.mark.lab("westmere")
def test_westmere(program: Path) -> None:
    check_sound(program, local_and_remote("demand_rd", "demand_rfo", "pf_any", "any") | {("loads", None)})


@pytest.mark.lab("tests/lab/machines/small-skylake.machine")
def test_skylake_with_split_sockets(program: Path) -> None:
    found = check_sound(
        program,
        local_and_remote("demand_rd", "demand_rfo", "pf_any", "retired_load") | {("demand_rd", "remote_modified")},
        repeats=1,
    )
    assert found["local"] == "the memory of the own node, not of other nodes in its package"
    assert "for retired_load local is: the memory of the own package, all its nodes" in found["remarks"]


@pytest.mark.lab("tests/lab/machines/small-sapphire.machine")
def test_sapphire_rapids_with_split_sockets(program: Path) -> None:
    """Prefetches into L3 are not in pf_any: how many there must be is not known."""
    expected = local_and_remote("demand_rd", "demand_rfo", "any", "retired_load") | {("loads", None)}
    found = check_sound(program, expected, repeats=1)
    assert words(found)["pf_any", "remote_dram"] == "verified in part"
    assert found["local"] == "the memory of the own node, not of other nodes in its package"


@pytest.mark.lab("tests/lab/machines/small-zen.machine")
def test_zen(program: Path) -> None:
    found = check_sound(program, local_and_remote("demand", "any") | {("any", "remote_cache"), ("loads", None)})
    assert words(found)["pf_l1", "local_dram"] == "verified in part"


@pytest.mark.lab("single")
def test_one_node_verifies_what_is_local_and_says_so(program: Path) -> None:
    found = verify(program)
    assert words(found)["demand_rd", "local_dram"] == "verified"
    assert words(found)["demand_rd", "remote_dram"] == "not verified"
    assert "one node: events of remote memory and remote caches cannot be verified here" in found["remarks"]


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
