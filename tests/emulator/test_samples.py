# SPDX-License-Identifier: Apache-2.0
"""Every sampled load against what the kernel says about its address: pagemap and move_pages. And their number."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Callable

import pytest

# include/uapi/linux/perf_event.h: where the fields of a data source begin
LEVEL, SNOOP, NUMBER, REMOTE = 5, 19, 33, 37
LEVEL_LOCAL_RAM, LEVEL_REMOTE_RAM = 0x80, 0x100
L1, L3, ANY_CACHE, RAM = 1, 3, 0xB, 0xD
# lab/hardware/machine.c: modelled cycles; those of other nodes per unit of distance
OWN, SHARED, MEMORY, CLEAN, DIRTY = 10, {40, 60, 75}, 20, 18, 22
RING_PAGES = 2048

MACHINES = "tests/lab/machines/small-{}.machine"
LATENCY = {
    "nehalem": ["nhm::MEM_INST_RETIRED:LATENCY_ABOVE_THRESHOLD:ldlat=3"],
    "westmere": ["wsm_dp::MEM_INST_RETIRED:LATENCY_ABOVE_THRESHOLD:ldlat=3"],
    "skylake": ["skx::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=3"],
    # After the event that the kernel wants at the head of the group.
    "sapphire": ["spr::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=3", "raw:8203"],
}


@dataclass
class Sample:
    ip: int
    address: int
    physical: int
    weight: int
    source: int
    tid: int
    cpu: int
    pagemap: int
    node: int

    @property
    def number(self) -> int:
        return self.source >> NUMBER & 0xF

    @property
    def remote(self) -> bool:
        return bool(self.source >> REMOTE & 1)


def parse(line: str) -> Sample:
    ip, address, physical, weight, source, tid, cpu, pagemap, node = line.split()
    hexadecimal = (int(text, 16) for text in (ip, address, physical))
    return Sample(*hexadecimal, int(weight), int(source, 16), int(tid), int(cpu), int(pagemap, 16), int(node))


@cache
def distances() -> list[list[int]]:
    nodes = sorted(Path("/sys/devices/system/node").glob("node[0-9]*"))
    return [[int(word) for word in (node / "distance").read_text().split()] for node in nodes]


@cache
def package_of_node(node: int) -> int:
    cpu = next(Path(f"/sys/devices/system/node/node{node}").glob("cpu[0-9]*"))
    return int((cpu / "topology" / "physical_package_id").read_text())


def check_source(sample: Sample, own: int, levels: bool) -> None:
    """own: node of the CPU; levels: this processor tells remote memory by its level, and of packages knows nothing."""
    far = package_of_node(sample.node) != package_of_node(own)
    others = {times * distance for times in (CLEAN, DIRTY) for distance in distances()[own]}
    if sample.number == RAM:
        assert sample.weight == MEMORY * distances()[own][sample.node]
        assert sample.remote == (sample.node != own if levels else far)
        if levels:
            told = LEVEL_REMOTE_RAM if sample.node != own else LEVEL_LOCAL_RAM
            assert sample.source >> LEVEL & (LEVEL_REMOTE_RAM | LEVEL_LOCAL_RAM) == told
    elif sample.remote:
        assert sample.number == (L3 if levels else ANY_CACHE)
        assert sample.weight in others
    else:
        assert (sample.number, sample.weight) == (L1, OWN) or (sample.number == L3 and sample.weight in SHARED)


def sampled(lab_program: Callable[..., str], dialect: str, *arguments: object) -> tuple[dict[str, Any], list[Sample]]:
    head, *lines = lab_program("samples", *arguments, *LATENCY[dialect]).splitlines()
    assert not [line for line in lines if line.startswith("record")], "a record that is not a sample"
    return json.loads(head), [parse(line) for line in lines]


def check(lab_program: Callable[..., str], dialect: str, cpus: tuple[int, int], period: int, timed: int) -> None:
    cpu, other = cpus
    about, samples = sampled(lab_program, dialect, cpu, other, period, timed, RING_PAGES)
    assert (len(samples), about["lost"]) == (about["count"] // period, 0)
    for sample in samples:
        assert sample.physical == sample.pagemap != 0
        assert (sample.tid, sample.cpu) == (about["tid"], cpu)
        check_source(sample, about["node"], dialect in ("nehalem", "westmere"))
    within = [s for s in samples if any(first <= s.address < end for first, end in about["memory"])]
    assert all(about["code"][0] <= s.ip < about["code"][1] for s in within)
    assert len(within) > len(samples) // 3
    nodes = {s.node for s in within if s.number == RAM}
    assert len(nodes) == len(about["memory"]), "loads of some node's memory were not sampled: nothing is proved"
    if period < 100:
        assert {s.remote for s in within if s.number != RAM} == {False, True}


CASES = [(1009, 0), (97, 1)]
cases = pytest.mark.parametrize(("period", "timed"), CASES)


@pytest.mark.lab(MACHINES.format("nehalem"))
@cases
def test_nehalem_samples(lab_program: Callable[..., str], period: int, timed: int) -> None:
    check(lab_program, "nehalem", (1, 5), period, timed)


@pytest.mark.lab(MACHINES.format("westmere"))
@cases
def test_westmere_samples(lab_program: Callable[..., str], period: int, timed: int) -> None:
    check(lab_program, "westmere", (4, 0), period, timed)


@pytest.mark.lab(MACHINES.format("skylake"))
@cases
def test_skylake_samples(lab_program: Callable[..., str], period: int, timed: int) -> None:
    check(lab_program, "skylake", (2, 6), period, timed)


@pytest.mark.lab(MACHINES.format("sapphire"))
@cases
def test_sapphire_rapids_samples(lab_program: Callable[..., str], period: int, timed: int) -> None:
    check(lab_program, "sapphire", (5, 2), period, timed)


@pytest.mark.lab(MACHINES.format("nehalem"))
@pytest.mark.parametrize("timed", [0, 1])
def test_samples_that_find_no_room_are_counted(lab_program: Callable[..., str], timed: int) -> None:
    about, samples = sampled(lab_program, "nehalem", 1, 5, 31, timed, 1)
    assert about["lost"] > 0
    assert len(samples) + about["lost"] == about["count"] // 31
