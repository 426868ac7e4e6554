# SPDX-License-Identifier: Apache-2.0
"""Random programs whose threads migrate and beget threads: the sums over tasks and over CPUs and the hardware agree.
Multiplexed events: what each counted fits what ran while it was on, since the program does the same at all times."""

from __future__ import annotations

import json
from typing import Any, Callable

import pytest
from meanings import NEHALEM, SAPPHIRE, SKYLAKE, WESTMERE, ZEN, Meaning, total

SEEDS = range(1, 7)


def check(lab_program: Callable[..., str], events: dict[str, Meaning], seed: int) -> None:
    event = list(events)[seed * 17 % len(events)]
    counts: dict[str, Any] = json.loads(lab_program("random", seed, event))
    assert counts["tasks"] == counts["cpus"] == total(counts["hardware"], *events[event]), event
    assert total(counts["hardware"], set(range(6)), set(range(1, 19))) > 10000, "nothing happened, so nothing is proved"


@pytest.mark.lab("tests/lab/machines/small-nehalem.machine")
@pytest.mark.parametrize("seed", SEEDS)
def test_nehalem(lab_program: Callable[..., str], seed: int) -> None:
    check(lab_program, NEHALEM, seed)


@pytest.mark.lab("tests/lab/machines/small-westmere.machine")
@pytest.mark.parametrize("seed", SEEDS)
def test_westmere(lab_program: Callable[..., str], seed: int) -> None:
    check(lab_program, WESTMERE, seed)


@pytest.mark.lab("tests/lab/machines/small-skylake.machine")
@pytest.mark.parametrize("seed", SEEDS)
def test_skylake(lab_program: Callable[..., str], seed: int) -> None:
    check(lab_program, SKYLAKE, seed)


@pytest.mark.lab("tests/lab/machines/small-sapphire.machine")
@pytest.mark.parametrize("seed", SEEDS)
def test_sapphire_rapids(lab_program: Callable[..., str], seed: int) -> None:
    check(lab_program, SAPPHIRE, seed)


@pytest.mark.lab("tests/lab/machines/small-zen.machine")
@pytest.mark.parametrize("seed", SEEDS)
def test_zen(lab_program: Callable[..., str], seed: int) -> None:
    check(lab_program, ZEN, seed)


def check_multiplexed(
    lab_program: Callable[..., str], cpus: tuple[int, int], reference: str, shares: dict[str, float], at_once: int
) -> None:
    """shares: of the loads, by event. at_once: how many of the groups the counters and registers hold."""
    *groups, loads = lab_program("multiplex", *cpus, reference, *shares).splitlines()
    rows = [list(map(int, group.split())) for group in groups]
    for (event, share), (enabled, running, count, seen) in zip(shares.items(), rows):
        assert 0 < running < enabled, f"{event} did not take turns"
        # A load at either end of a turn may be seen by one of the two only.
        assert abs(count - share * seen) <= seen / 100 + 50, event
    assert sum(running for _, running, _, _ in rows) <= at_once * max(row[0] for row in rows) * 1.01
    assert 0 < sum(seen for *_, seen in rows) <= at_once * int(loads) * 1.01


@pytest.mark.lab("tests/lab/machines/small-nehalem.machine")
def test_nehalem_groups_share_its_one_offcore_register(lab_program: Callable[..., str]) -> None:
    shares = {"DMND_DATA_RD:LOCAL_DRAM": 0.5, "DMND_DATA_RD:REMOTE_DRAM": 0.5, "DMND_DATA_RD:ANY_RESPONSE": 1.0}
    named = {f"nhm::OFFCORE_RESPONSE_0:{event}": share for event, share in {**shares, "DMND_RFO:LOCAL_DRAM": 0}.items()}
    check_multiplexed(lab_program, (1, 5), "nhm::MEM_INST_RETIRED:LOADS", named, 1)


@pytest.mark.lab("tests/lab/machines/small-skylake.machine")
def test_skylake_groups_share_two_registers(lab_program: Callable[..., str]) -> None:
    shares = {
        "OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_MISS_LOCAL:SNP_ANY": 0.5,
        "OFFCORE_RESPONSE_1:DMND_DATA_RD:L3_MISS_REMOTE_HOP1_DRAM:SNP_ANY": 0.5,
        "OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE": 1.0,
        "OFFCORE_RESPONSE_1:PF_L3_DATA_RD:ANY_RESPONSE": 0,
        "MEM_LOAD_L3_MISS_RETIRED:REMOTE_DRAM": 0.5,
    }
    named = {f"skx::{event}": share for event, share in shares.items()}
    check_multiplexed(lab_program, (1, 5), "skx::MEM_INST_RETIRED:ALL_LOADS", named, 2)


@pytest.mark.lab("tests/lab/machines/small-zen.machine")
def test_zen_groups_share_six_counters(lab_program: Callable[..., str]) -> None:
    fills = "amd64_fam19h_zen3::{}_DATA_CACHE_FILLS_FROM_SYSTEM:{}"
    named = {
        fills.format("DEMAND", "MEM_IO_LCL"): 0.5,
        fills.format("DEMAND", "MEM_IO_RMT"): 0.5,
        fills.format("ANY", "MEM_IO_RMT"): 0.5,
        fills.format("ANY", "INT_CACHE"): 0,
    }
    check_multiplexed(lab_program, (1, 5), "raw:5f43", named, 3)
