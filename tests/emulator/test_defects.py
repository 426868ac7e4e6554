# SPDX-License-Identifier: Apache-2.0
"""Machines with a defective PMU: an event is wrong in exactly the way that the machine's description says, and
the other events are right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

import pytest
from meanings import (
    CACHE,
    DIRTY,
    MEMORY_FAR,
    MEMORY_HERE,
    NEHALEM,
    OWN_NODE,
    READ,
    RETIRED,
    RFO,
    SKYLAKE,
    ZEN,
    Meaning,
    total,
)

REMOTE_CACHES = {*CACHE.values(), *DIRTY.values()}
CPUS = (0, 1, 4, 5)


def counted(lab_program: Callable[..., str], events: dict[str, Meaning]) -> dict[str, tuple[int, int]]:
    """By event: what perf counted, and how many of its meaning there were."""
    rounds: list[dict[str, Any]] = [json.loads(line) for line in lab_program("truth", *CPUS, *events).splitlines()]
    return {r["event"]: (r["perf"], total(r["hardware"], *events[r["event"]])) for r in rounds}


def check(lab_program: Callable[..., str], events: dict[str, Meaning], factor: int = 1) -> None:
    for event, (perf, hardware) in counted(lab_program, events).items():
        assert hardware > 0, f"{event}: nothing happened, so nothing is proved"
        assert perf == factor * hardware, event


def those(events: dict[str, Meaning], *names: str) -> dict[str, Meaning]:
    found = {event: meaning for event, meaning in events.items() if event.partition("::")[2].partition(":")[2] in names}
    assert len(found) == len(names)
    return found


@pytest.mark.lab("tests/lab/machines/defect-nothing.machine")
def test_an_event_counts_nothing(lab_program: Callable[..., str]) -> None:
    check(lab_program, those(SKYLAKE, "DMND_DATA_RD:L3_MISS_REMOTE_HOP1_DRAM:SNP_MISS"), factor=0)
    check(lab_program, those(SKYLAKE, "DMND_DATA_RD:L3_MISS_LOCAL:SNP_MISS", "DMND_RFO:L3_HIT:SNP_HITM"))
    check(lab_program, {"skx::MEM_LOAD_L3_MISS_RETIRED:REMOTE_DRAM": ({READ}, {MEMORY_FAR})})


@pytest.mark.lab("tests/lab/machines/defect-double.machine")
def test_an_event_counts_double(lab_program: Callable[..., str]) -> None:
    check(lab_program, those(NEHALEM, "DMND_DATA_RD:REMOTE_DRAM", "PF_RFO:REMOTE_DRAM"), factor=2)
    check(lab_program, those(NEHALEM, "DMND_DATA_RD:LOCAL_DRAM", "DMND_RFO:REMOTE_CACHE_HITM"))
    retired = "nhm::MEM_UNCORE_RETIRED"
    check(lab_program, {f"{retired}:LOCAL_DRAM": ({READ}, RETIRED[f"{retired}:LOCAL_DRAM"])}, factor=2)
    check(lab_program, {f"{retired}:REMOTE_DRAM": ({READ}, RETIRED[f"{retired}:REMOTE_DRAM"])})


@pytest.mark.lab("tests/lab/machines/defect-caches.machine")
def test_an_event_includes_caches(lab_program: Callable[..., str]) -> None:
    demand, prefetch = "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM", "HARDWARE_PREFETCH_DATA_CACHE_FILLS"
    remote, local = f"amd64_fam19h_zen3::{demand}:MEM_IO_RMT", f"amd64_fam19h_zen3::{demand}:MEM_IO_LCL"
    sound = {name: meaning for name, meaning in ZEN.items() if f"{demand}:" not in name or "CACHE_RMT" in name}
    assert [counts for counts in counted(lab_program, {remote: ZEN[remote]}).values() if counts[0] > counts[1] > 0]
    check(
        lab_program,
        {remote: ({READ, RFO}, {MEMORY_FAR} | REMOTE_CACHES), local: ({READ, RFO}, {MEMORY_HERE} | OWN_NODE)},
    )
    check(lab_program, {name: meaning for name, meaning in sound.items() if f"{prefetch}:MEM" in name})


@pytest.mark.lab("tests/lab/machines/defect-sibling.machine")
def test_an_event_is_offset_by_the_sibling_thread(lab_program: Callable[..., str]) -> None:
    assert Path("/sys/devices/system/cpu/cpu2/topology/thread_siblings_list").read_text() == "2-3\n"
    events = {
        "skx::OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_MISS_REMOTE_HOP1_DRAM:SNP_MISS": True,
        "skx::MEM_LOAD_L3_MISS_RETIRED:REMOTE_DRAM": True,
        "skx::OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE": False,
    }
    rounds = map(json.loads, lab_program("siblings", 2, 3, 1, *events).splitlines())
    for r, defective in zip(rounds, events.values()):
        meaning = ({READ}, {MEMORY_FAR}) if defective else SKYLAKE[r["event"]]
        own, sibling = total(r["own"], *meaning), total(r["sibling"], *meaning)
        assert sibling > 2 * own > 0
        assert r["perf"] == own + (sibling if defective else 0), r["event"]


@pytest.mark.lab("tests/lab/machines/defect-sibling.machine")
def test_threads_of_other_cores_do_not_offset(lab_program: Callable[..., str]) -> None:
    event = "skx::OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_MISS_REMOTE_HOP1_DRAM:SNP_MISS"
    r = json.loads(lab_program("siblings", 2, 1, 1, event))
    assert total(r["sibling"], {READ}, {MEMORY_FAR}) > 0
    assert r["perf"] == total(r["own"], {READ}, {MEMORY_FAR})
