# SPDX-License-Identifier: Apache-2.0
"""numaprof sweep and policies on two nodes, with a program whose remote share is known in advance: sum_serial, whose
array one thread fills and all read, each its own block of the same size."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from typing import Any

import pytest
from conftest import BUILD, PROGRAM

pytestmark = pytest.mark.lab("tests/lab/machines/small-westmere.machine")

SWEEPS, MIB = 8, 8  # the array is four times the shared cache: every sweep reads it from memory
# The start of a program is local, threads may wander before they are pinned, and counters take turns in a short run
# (0.11 was seen); the truths are 0.5 apart.
OFF = 0.2
SUM = [str(BUILD / "examples" / "sum_serial"), str(SWEEPS), str(MIB)]


def experiment(command: str, *options: str) -> list[dict[str, Any]]:
    """Threads that spin would keep virtual CPUs from those that work: eight of them share the host's few."""
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}
    words = [str(PROGRAM), command, "--json", "-n", "1", *options, "--", *SUM]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["remarks"][0] == "an emulated machine: times and rates mean nothing, shares do"
    assert [run["failure"] for setting in found["settings"] for run in setting["runs"]] == [None] * len(
        found["settings"]
    )
    return list(found["settings"])


def near(shares: Sequence[float | None], truth: Sequence[float]) -> bool:
    print("remote shares:", shares, "truth:", truth)
    return all(share is not None and abs(share - true) <= OFF for share, true in zip(shares, truth))


def test_remote_share_over_threads() -> None:
    """Pinned compact, up to four threads sit on the node of the array; of eight, half sit on the other."""
    settings = experiment("sweep", "-t", "4,8", "--pin", "compact")
    assert [setting["runs"][0]["threads"] for setting in settings] == [4, 8]
    assert near([setting["remote_share"] for setting in settings], [0, 4 / 8])


def test_remote_share_under_every_policy() -> None:
    """First touch puts the array on the first thread's node, as one node's memory does: half of eight threads are
    remote. Interleaved, half of what any thread reads is."""
    settings = {setting["label"]: setting["remote_share"] for setting in experiment("policies")}
    truth = {
        "first touch, all CPUs": 0.5,
        "interleaved over nodes 0-1": 0.5,
        "all memory on node 0": 0.5,
        "CPUs and memory of node 0": 0.0,
        "CPUs of node 0, memory of node 1": 1.0,
    }
    assert list(settings) == list(truth)
    assert near(list(settings.values()), list(truth.values()))
