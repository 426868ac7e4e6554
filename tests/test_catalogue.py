# SPDX-License-Identifier: Apache-2.0
"""The catalogue's data against other sources: the bits of the vendors' manuals typed anew here, the kernel's masks,
libpfm4's names, and the vendors' tables inside perf."""

from __future__ import annotations

import csv
import json
import operator
import re
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pytest
from conftest import PROGRAM, TREE
from numaprof.evidence.request_classes import ANY, REMOTE, sort_events
from numaprof.recording.sql.sql_counts import Event

TOPICS = ["demand_rd", "demand_rfo", "prefetch", "any", "retired", "caches", "nodes", "slow"]


def events(*arguments: str) -> str:
    return subprocess.run([PROGRAM, "events", *arguments], capture_output=True, text=True, check=True).stdout


@cache
def catalogue(cpu: str, *arguments: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(events("--cpu", cpu, "--json", *arguments))
    return loaded


def data_lines() -> list[list[str]]:
    files = sorted((TREE / "collectors" / "events" / "cpus").glob("*.txt"))
    return [line.split() for file in files for line in file.read_text().splitlines() if line[:1].strip("#")]


CPUS = [line[1] for line in data_lines() if line[0] == "cpu"]
every_cpu = pytest.mark.parametrize("cpu", CPUS)


def number(event: dict[str, Any]) -> tuple[int, int]:
    return int(event["config"], 16), int(event["config1"], 16)


def label(event: dict[str, Any]) -> tuple[str, str, str | None]:
    return event["class"], event["placement"], event["variant"]


# The numbers, put together again from single bits. Request bits first: what asks.


def bits(*numbers: Iterable[int] | int) -> int:
    flat = [n for one in numbers for n in ([one] if isinstance(one, int) else one)]
    return sum(1 << n for n in set(flat))


NEHALEM_REQUEST = {
    "demand_rd": bits(0),
    "demand_rfo": bits(1),
    "pf_l2_rd": bits(4),
    "pf_l2_rfo": bits(5),
    "pf_any": bits(4, 5, 6),
    "any": bits(range(8)),
}
SANDYBRIDGE_REQUEST = {
    "demand_rd": bits(0),
    "demand_rfo": bits(1),
    "pf_l2_rd": bits(4),
    "pf_l2_rfo": bits(5),
    "pf_l3": bits(7, 8),
    "pf_any": bits(4, 5, 7, 8),
    "any": bits(range(12), 15),
    "reads": bits(0, 1, 2, range(4, 11)),
}
SKYLAKE_REQUEST = {
    "demand_rd": bits(0),
    "demand_rfo": bits(1),
    "pf_l1": bits(10),
    "pf_l2_rd": bits(4),
    "pf_l2_rfo": bits(5),
    "pf_l3": bits(7, 8),
    "pf_any": bits(4, 5, 7, 8, 10),
    "any": bits(0, 1, 2, 4, 5, 7, 8, 10, 15),
}
ICELAKE_REQUEST = {
    "demand_rd": bits(0),
    "demand_rfo": bits(1),
    "pf_l1": bits(10),
    "pf_l2_rd": bits(4),
    "pf_l2_rfo": bits(5),
    "pf_l2": bits(4, 5, 6),
    "pf_l3": bits(7, 8, 9, 13),
    "pf_any": bits(4, 5, 6, 10),
    "any": bits(0, 1, 2, 4, 5, 6, 10),
    "full_wr": bits(1),
    "stream_wr": bits(11),
}
# Software prefetches, which Ice Lake counts with those of L1, moved to a bit of their own.
SAPPHIRERAPIDS_REQUEST = {
    **ICELAKE_REQUEST,
    "pf_sw": bits(14),
    "pf_any": bits(4, 5, 6, 10, 14),
    "any": bits(0, 1, 2, 4, 5, 6, 10, 14),
}

# Snoop outcomes, from Sandy Bridge on.
NONE, NOT_NEEDED, MISS, NO_FWD, FWD, HITM, NON_DRAM = range(31, 38)
DRAM = [NONE, NOT_NEEDED, MISS, NO_FWD]
ICX_DRAM = [NOT_NEEDED, MISS, NO_FWD]

# (placement, variant) -> response bits: who answers, and how the snoop ended.
NEHALEM_RESPONSE = {
    ("local_dram", None): bits(14),
    ("remote_dram", None): bits(13),
    ("any_dram", None): bits(13, 14),
    ("local_cache", None): bits(8, 9, 10),
    ("remote_cache", None): bits(11, 12),
    ("remote_modified", None): bits(11),
    ("remote_clean", None): bits(12),
}
WESTMERE_RESPONSE = {
    **NEHALEM_RESPONSE,
    ("local_dram", None): bits(12, 14),
}
# The EX by its own vendor table; the others' mask as the alternative.
WESTMERE_EX_RESPONSE = {**NEHALEM_RESPONSE, ("local_dram", "numatop"): bits(12, 14)}
WESTMERE_1S_RESPONSE = {("local_dram", None): bits(13), ("remote_dram", None): bits(14)}


def supplier_and_snoop(local: int, remote: Iterable[int]) -> dict[tuple[str, str | None], int]:
    remote = list(remote)
    return {
        ("local_dram", None): bits(local, DRAM),
        ("remote_dram", None): bits(remote, DRAM),
        ("local_dram", "narrow"): bits(local, MISS, NO_FWD),
        ("remote_dram", "narrow"): bits(remote, MISS, NO_FWD),
    }


SANDYBRIDGE_RESPONSE = {
    **supplier_and_snoop(22, range(23, 31)),
    ("remote_modified", None): bits(range(22, 31), HITM),
    ("remote_clean", None): bits(17, range(23, 31), FWD),
}
HASWELL_RESPONSE = {
    **supplier_and_snoop(22, (27, 28, 29)),
    ("local_dram", "json"): bits(22, MISS, NO_FWD),
    ("remote_dram", "json"): bits(range(23, 30), MISS, NO_FWD),
    ("remote_modified", None): bits(range(22, 30), HITM),
    ("remote_clean", None): bits(range(22, 30), FWD),
}
BROADWELL_RESPONSE = {
    **supplier_and_snoop(26, (27, 28, 29)),
    ("local_dram", "json"): bits(26, MISS, NO_FWD),
    ("remote_dram", "json"): bits(22, 23, 24, 25, 27, 28, 29, MISS, NO_FWD),
    ("remote_modified", None): bits(range(22, 30), HITM),
    ("remote_clean", None): bits(range(22, 31), FWD),
}
SKYLAKE_RESPONSE = {
    **supplier_and_snoop(26, (27, 28, 29)),
    ("local_dram", "numatop"): bits(26, DRAM, FWD, HITM),
    ("remote_dram", "json"): bits(23, 24, 25, 27, 28, 29, MISS, NO_FWD),
    ("remote_modified", None): bits(range(22, 30), HITM),
    ("remote_clean", None): bits(range(22, 30), FWD),
    ("local_pmem", None): bits(22, DRAM, FWD, HITM, NON_DRAM),
}
ICELAKE_RESPONSE = {
    ("local_dram", None): bits(26, 27, ICX_DRAM),
    ("remote_dram", None): bits(28, 29, ICX_DRAM),
    ("any_dram", None): bits(26, 27, 28, 29, ICX_DRAM),
    ("other_cluster_dram", None): bits(27, ICX_DRAM),
    ("local_dram", "snc"): bits(26, ICX_DRAM),
    ("remote_dram", "snc"): bits(27, 28, 29, ICX_DRAM),
    ("local_dram", "json"): bits(26, NOT_NEEDED),
    ("remote_modified", None): bits(28, 29, HITM),
    ("remote_clean", None): bits(28, 29, FWD),
    ("remote_cache", None): bits(28, 29, FWD, HITM),
    ("local_home", None): bits(26, NONE),
    ("remote_home", None): bits(28, NONE),
    ("any_home", None): bits(26, 28, NONE),
    ("local_pmem", None): bits(22, 23, ICX_DRAM),
    ("local_pmem", "json"): bits(22, NOT_NEEDED),
    ("remote_pmem", None): bits(24, 25, ICX_DRAM),
}
GRANITERAPIDS_RESPONSE = {
    **ICELAKE_RESPONSE,
    ("local_cxl", None): bits(22, 23, ICX_DRAM),
    ("remote_cxl", None): bits(24, 25, ICX_DRAM),
    ("other_cluster_cache", None): bits(27, FWD, HITM),
}
SIERRAFOREST_RESPONSE = {
    ("local_dram", None): bits(26, DRAM),
    ("remote_dram", None): bits(28, 29, DRAM),
    ("local_dram", "json"): bits(26, NONE, NOT_NEEDED),
    ("remote_dram", "json"): bits(28, 29, ICX_DRAM),
}
CLEARWATERFOREST_RESPONSE = {
    **SIERRAFOREST_RESPONSE,
    ("remote_dram", None): bits(27, 28, 29, DRAM),
    ("any_dram", None): bits(26, 27, 28, 29, DRAM),
}

# event select, requests, responses
Offcore = tuple[int, dict[str, int], dict[tuple[str, "str | None"], int]]
OFFCORE: dict[str, Offcore] = {
    "nehalem-ep": (0x1B7, NEHALEM_REQUEST, NEHALEM_RESPONSE),
    "nehalem-ex": (0x1B7, NEHALEM_REQUEST, NEHALEM_RESPONSE),
    "westmere-ep": (0x1B7, NEHALEM_REQUEST, WESTMERE_RESPONSE),
    "westmere-ex": (0x1B7, NEHALEM_REQUEST, WESTMERE_EX_RESPONSE),
    "westmere-1s": (0x1B7, NEHALEM_REQUEST, WESTMERE_1S_RESPONSE),
    "sandybridge-ep": (0x1B7, SANDYBRIDGE_REQUEST, SANDYBRIDGE_RESPONSE),
    "ivybridge-ep": (0x1B7, SANDYBRIDGE_REQUEST, SANDYBRIDGE_RESPONSE),
    "haswell-ep": (0x1B7, SANDYBRIDGE_REQUEST, HASWELL_RESPONSE),
    "broadwell-ep": (0x1B7, SANDYBRIDGE_REQUEST, BROADWELL_RESPONSE),
    "skylake-sp": (0x1B7, SKYLAKE_REQUEST, SKYLAKE_RESPONSE),
    "cascadelake-sp": (0x1B7, SKYLAKE_REQUEST, SKYLAKE_RESPONSE),
    "icelake-sp": (0x1B7, ICELAKE_REQUEST, ICELAKE_RESPONSE),
    "sapphirerapids": (0x12A, SAPPHIRERAPIDS_REQUEST, ICELAKE_RESPONSE),
    "emeraldrapids": (0x12A, SAPPHIRERAPIDS_REQUEST, ICELAKE_RESPONSE),
    "graniterapids": (0x12A, SAPPHIRERAPIDS_REQUEST, GRANITERAPIDS_RESPONSE),
    "sierraforest": (0x1B7, ICELAKE_REQUEST, SIERRAFOREST_RESPONSE),
    "clearwaterforest": (0x1B7, ICELAKE_REQUEST, CLEARWATERFOREST_RESPONSE),
    "diamondrapids": (0x12A, {}, {}),
}

# Events without config1: event select and unit mask. An entry of None: any placement.
RETIRED_HASWELL = {"local_dram": 0x01, "remote_dram": 0x04, "remote_modified": 0x10, "remote_clean": 0x20}
RETIRED_SKYLAKE = {"local_dram": 0x01, "remote_dram": 0x02, "remote_modified": 0x04, "remote_clean": 0x08}
RETIRED_MASKS: dict[str, tuple[int, dict[str, int]]] = {
    "nehalem-ep": (0x0F, {"local_dram": 0x20, "remote_dram": 0x10, "remote_cache": 0x08}),
    "nehalem-ex": (0x0F, {"local_dram": 0x20, "remote_dram": 0x10}),
    "westmere-ep": (0x0F, {"local_dram": 0x08}),
    "westmere-ex": (0x0F, {"local_dram": 0x08, "remote_dram": 0x20}),
    "sandybridge-ep": (0xD3, {"local_dram": 0x01, "remote_dram": 0x04}),
    "ivybridge-ep": (0xD3, {"local_dram": 0x03, "remote_dram": 0x0C, "remote_modified": 0x10, "remote_clean": 0x20}),
    "haswell-ep": (0xD3, RETIRED_HASWELL),
    "broadwell-ep": (0xD3, RETIRED_HASWELL),
    "skylake-sp": (0xD3, RETIRED_SKYLAKE),
    "cascadelake-sp": (0xD3, {**RETIRED_SKYLAKE, "remote_pmem": 0x10}),
    "icelake-sp": (0xD3, {**RETIRED_SKYLAKE, "remote_pmem": 0x10}),
    "sapphirerapids": (0xD3, {**RETIRED_SKYLAKE, "remote_pmem": 0x10}),
    "emeraldrapids": (0xD3, RETIRED_SKYLAKE),
    "graniterapids": (0xD3, {**RETIRED_SKYLAKE, "remote_cxl": 0x10}),
    "sierraforest": (0xD3, {"local_dram": 0x01, "remote_clean": 0x04, "remote_modified": 0x08}),
    "clearwaterforest": (0xD3, {"local_dram": 0x01, "remote_clean": 0x04, "remote_modified": 0x08}),
}
ZEN_EVENT = {"demand": 0x43, "any": 0x44, "pf_sw": 0x59, "pf_l1": 0x5A, "any_l2": 0x165}
ZEN_MASK = {"local_cache": 0x06, "local_dram": 0x08, "remote_cache": 0x10, "remote_dram": 0x40, "any_cxl": 0x80}
ZEN6_BANDWIDTH = {"local_cxl": 0x10, "remote_cxl": 0x20}  # of event 0x175
ZEN2_MASK = {**ZEN_MASK, "local_cache": 0x02}


# Arm Architecture Reference Manual, common event numbers: REMOTE_ACCESS, LL_CACHE_MISS_RD.
ARM_EVENT = {"other_socket": 0x31, "any_dram": 0x37}
# POWER9 Performance Monitor Unit User's Guide: counter and event code.
POWER9_EVENT = {
    ("demand_rd", "local_dram"): (2, 0xC048),
    ("demand_rd", "remote_near_dram"): (3, 0xC04A),
    ("demand_rd", "remote_far_dram"): (4, 0xC04C),
    ("demand_rd", "any_dram"): (4, 0x00FE),
    ("demand_rd", "remote_cache"): (4, 0xC04A),
    ("pf_l3", "local_dram"): (4, 0x60A0),
    ("pf_l3", "remote_dram"): (4, 0x68A0),
    ("retired_load", "local_dram"): (3, 0xD142),
    ("retired_load", "remote_near_dram"): (1, 0xD148),
    ("retired_load", "remote_far_dram"): (3, 0xD14C),
    ("retired_load", "any_dram"): (2, 0x01E0),
}
# POWER8: IBM's table, cache.json and memory.json in the kernel's tree.
POWER8_EVENT = {
    "local_dram": 0x2C048,
    "remote_near_dram": 0x3C04A,
    "remote_far_dram": 0x4C04C,
    "any_dram": 0x2C04C,
    "local_cache": 0x1C048,
    "remote_cache": 0x4C04A,
}
# POWER10: the source in the upper bits, then the counter, then the event: loads reloaded, marked loads reloaded.
POWER10_SOURCE = {
    "local_dram": 0x94040,
    "remote_near_dram": 0xD4040,
    "remote_far_dram": 0xF4040,
    "local_ocapi": 0x9C040,
    "remote_ocapi": 0xDC040,
    "local_cache": 0x80B40,
    "remote_cache": 0xC0B40,
    "any_dram": 0x95840,
}
POWER10_COUNTER = {"local_dram": 2, "remote_near_dram": 3, "remote_far_dram": 4, "local_ocapi": 1, "remote_ocapi": 1}


def power(cpu: str, kind: str, placement: str) -> int:
    if cpu == "power8":
        return POWER8_EVENT[placement]
    if cpu == "power9" or (kind, placement) == ("demand_rd", "any_dram"):
        counter, code = POWER9_EVENT[kind, placement]
        return counter << 16 | code
    # Bit 21: with prefetches. Without a counter the kernel chooses it.
    code = {"demand_rd": 0xC040, "any": 0x20C040, "retired_load": 0xC142}[kind]
    counter = 0 if kind == "any" else POWER10_COUNTER.get(placement, 0)
    return POWER10_SOURCE[placement] << 40 | counter << 16 | code


def northbridge(placement: str) -> int:
    """BKDG of families 10h and 15h: 0e9h CPU/IO requests (unit mask: target and origin), 1e0h by target node."""
    if placement.startswith("to_node"):
        return amd(0x1E0, 1 << int(placement[-1]))
    return amd(0xE9, {"local_dram": 0xA8, "remote_dram": 0x98, "any_dram": 0xB8}[placement])


def amd(event: int, mask: int) -> int:
    """Event select bits 8-11 stand in bits 32-35 (AMD64 Programmer's Manual, PerfEvtSel)."""
    return (event & 0xFF) | mask << 8 | (event >> 8) << 32


def fill(cpu: str, kind: str, placement: str) -> int:
    if placement in ZEN6_BANDWIDTH:
        return amd(0x175, ZEN6_BANDWIDTH[placement])
    return amd(ZEN_EVENT[kind], (ZEN2_MASK if cpu == "zen2" else ZEN_MASK)[placement])


def expected(cpu: str, event: dict[str, Any]) -> tuple[int, int]:
    kind, placement, variant = label(event)
    if cpu.startswith("power"):
        return power(cpu, kind, placement), 0
    if cpu in ("amd-10h", "amd-15h"):
        return northbridge(placement), 0
    if cpu.startswith(("neoverse", "ampere")):
        return ARM_EVENT[placement], 0
    if int(event["config1"], 16):
        select, requests, responses = OFFCORE[cpu]
        return select, requests[kind] | responses[placement, variant]
    if kind == "retired_load":
        select, masks = RETIRED_MASKS[cpu]
        return select | masks[placement] << 8, 0
    return fill(cpu, kind, placement), 0


ALTERNATIVES_OF_RETIRED = {"pfm", "likwid", "nofwd"}  # whose unit masks are the very thing in doubt


@every_cpu
def test_numbers_are_the_sum_of_their_bits(cpu: str) -> None:
    for event in catalogue(cpu)["events"]:
        if event["class"] == "retired_load" and event["variant"] in ALTERNATIVES_OF_RETIRED:
            continue
        assert number(event) == expected(cpu, event), label(event)


# What the kernel accepts: tests/fixtures/kernel/README.md.


def kernel_rows(cpu: str, kind: str) -> dict[int, int]:
    """Event -> bits."""
    with (TREE / "tests" / "fixtures" / "kernel" / "intel-events.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if (row["cpu"], row["kind"]) == (cpu, kind)]
    return {int(row["event"], 16): int(row["value"], 16) for row in rows}


def counters_of(text: str, count: int) -> int:
    """Bits of "all", "3" or "0-3"."""
    return bits(range(count)) if text == "all" else bits(ranges(text))


@every_cpu
def test_the_kernel_accepts_every_offcore_number(cpu: str) -> None:
    offcore, registers = catalogue(cpu)["cpu"]["offcore"], kernel_rows(cpu, "mask")
    assert (offcore is not None) == (cpu in OFFCORE) == bool(registers)
    # The kernel may move an event to any of the registers.
    mask = reduce(operator.and_, registers.values(), ~0) if registers else 0
    for event in catalogue(cpu)["events"]:
        assert number(event)[1] & ~mask == 0, label(event)
        assert not number(event)[1] or number(event)[0] in registers, label(event)
    if offcore:
        assert (int(offcore["mask"], 16), offcore["registers"]) == (mask, len(registers))


@pytest.mark.parametrize("cpu", OFFCORE)
def test_counters_that_can_hold_an_event_are_the_kernels(cpu: str) -> None:
    shown, limits, samples = catalogue(cpu)["cpu"], kernel_rows(cpu, "counters"), kernel_rows(cpu, "samples")
    everyone = bits(range(shown["counters"]))
    event = min(kernel_rows(cpu, "mask")) & 0xFF
    assert counters_of(shown["offcore"]["counters"], shown["counters"]) == limits.get(event, everyone)
    assert {int(shown["sampling"]["config"], 16)} == set(samples)
    (taken,) = samples.values()
    assert counters_of(shown["sampling"]["counters"], shown["counters"]) == taken & everyone


def schedulable(wanted: list[int]) -> bool:
    """Is there a counter of its own for each of these sets of counters?"""
    if not wanted:
        return True
    first, *rest = sorted(wanted, key=lambda counters: bin(counters).count("1"))
    free = [1 << n for n in range(first.bit_length()) if first >> n & 1]
    return any(schedulable([one & ~taken for one in rest]) for taken in free)


@pytest.mark.parametrize("cpu", OFFCORE)
@pytest.mark.parametrize("mode", ["whole", "split"])
def test_every_group_finds_its_counters(cpu: str, mode: str) -> None:
    shown, limits = catalogue(cpu, *(["--split-sockets"] if mode == "split" else [])), kernel_rows(cpu, "counters")
    by_label = {label(event): number(event)[0] for event in shown["events"]}
    everyone = bits(range(shown["cpu"]["counters"]))
    for group in shown["groups"]:
        wanted = [limits.get(by_label[label(event)] & 0xFF, everyone) & everyone for event in group]
        assert schedulable(wanted), group


# The pair.

SNOOPS = bits(range(31, 38))


@every_cpu
@pytest.mark.parametrize("mode", ["whole", "split"])
def test_groups_can_be_scheduled(cpu: str, mode: str) -> None:
    shown = catalogue(cpu, *(["--split-sockets"] if mode == "split" else []))
    by_label = {label(event): event for event in shown["events"]}
    registers = (shown["cpu"]["offcore"] or {"registers": 0})["registers"]
    counters = shown["cpu"]["counters"] - shown["cpu"]["watchdog_takes_one"]
    for group in shown["groups"]:
        numbers = [number(by_label[label(event)]) for event in group]
        assert len(numbers) == len(set(numbers)) <= counters
        assert len({config1 for _, config1 in numbers if config1}) <= registers
        if cpu.startswith("power"):
            chosen = [config >> 16 & 0xF for config, _ in numbers if config >> 16 & 0xF]
            assert len(set(chosen)) == len(chosen)
        assert all(by_label[label(e)]["confidence"] in ("two", "one", "derived", "assumed") for e in group)


@every_cpu
@pytest.mark.parametrize("mode", ["whole", "split"])
def test_local_and_remote_take_the_same_snoop_outcomes(cpu: str, mode: str) -> None:
    shown = catalogue(cpu, *(["--split-sockets"] if mode == "split" else []))
    by_label = {label(event): number(event) for event in shown["events"]}
    checked = 0
    for group in shown["groups"]:
        snoops = {by_label[label(e)][1] & SNOOPS for e in group if e["placement"] in ("local_dram", "remote_dram")}
        checked += len(snoops) > 0
        assert len(snoops) <= 1
    assert checked or all(answer["status"] in ("none", "partial") for answer in shown["answers"])


@every_cpu
def test_local_never_stands_without_remote(cpu: str) -> None:
    for mode in ([], ["--split-sockets"]):
        placements: dict[str, set[str]] = {}
        for group in catalogue(cpu, *mode)["groups"]:
            for event in group:
                placements.setdefault(event["class"], set()).add(event["placement"])
        for seen in placements.values():
            if "local_dram" in seen:
                assert seen & {"remote_dram", "remote_near_dram", "any_dram"}


# The form.


@every_cpu
def test_no_event_stands_twice(cpu: str) -> None:
    listed = catalogue(cpu)["events"]
    for key in (label, number):
        keys = [key(event) for event in listed]
        assert len(keys) == len(set(keys)), [k for k in keys if keys.count(k) > 1]


@every_cpu
def test_every_question_has_one_answer(cpu: str) -> None:
    shown = catalogue(cpu)
    assert [answer["topic"] for answer in shown["answers"]] == TOPICS
    for answer in shown["answers"]:
        assert answer["status"] in ("full", "partial", "merged", "none")
        assert (answer["class"] is None) == (answer["status"] == "none")
        assert answer["status"] == "full" or answer["why"], answer["topic"]
        assert answer["why"] is None or answer["why"].endswith("."), "cut off?"


def test_no_answer_is_given_twice() -> None:
    scope: list[str] = []
    given: list[tuple[str, str]] = []
    for line in data_lines():
        scope = line[1:] if line[0] == "for" else scope
        if line[0] == "answer":
            given += [(cpu, line[1]) for cpu in scope]
    assert len(given) == len(set(given)) == len(CPUS) * len(TOPICS)


@every_cpu
def test_every_cpu_says_how_loads_are_sampled(cpu: str) -> None:
    sampling = catalogue(cpu)["cpu"]["sampling"]
    assert sampling["method"] in ("load-latency", "ibs-op", "spe", "marked", "none")
    # Without an event of the catalogue the kernel names it, which it does on Intel only.
    assert sampling["method"] != "load-latency" or sampling["config"] or cpu == "intel-other"
    assert sampling["text"].endswith(".")


@every_cpu
def test_notes_are_defined_and_used(cpu: str) -> None:
    shown = catalogue(cpu)
    used = {key for event in shown["events"] for key in event["notes"]}
    assert used <= set(shown["notes"])


def test_every_note_is_used_somewhere() -> None:
    defined = {(cpu, key) for cpu in CPUS for key in catalogue(cpu)["notes"]}
    used = {(cpu, key) for cpu in CPUS for event in catalogue(cpu)["events"] for key in event["notes"]}
    assert {key for _, key in defined} == {key for _, key in used}


@every_cpu
def test_confidence_follows_from_known_sources(cpu: str) -> None:
    unsourced = {"derived", "assumed", "unverified", "conflict"}
    for event in catalogue(cpu)["events"]:
        sources = event["sources"]
        assert set(sources) <= {"pfm", "json", "kernel", "numatop", "likwid", "pcm"}
        assert len(sources) == len(set(sources))
        assert event["confidence"] in (unsourced, {"one"}, {"two"})[min(len(sources), 2)]


WORDS = [line.split() for line in (TREE / "collectors" / "events" / "event_words.txt").read_text().splitlines()]


@pytest.mark.parametrize("kind", ["class", "placement"])
def test_the_list_of_words_has_those_of_the_catalogue(kind: str) -> None:
    listed = [word for first, *words in WORDS for word in words if first == kind]
    assert sorted(listed) == sorted({event[kind] for cpu in CPUS for event in catalogue(cpu)["events"]})


def test_no_word_of_the_list_is_typed_once_more_in_c() -> None:
    """Words without "_" are English ones too."""
    words = "|".join(word for _, *rest in WORDS for word in rest if "_" in word)
    typed = re.compile(rf'^[^/\n]*"({words})"', re.MULTILINE)
    files = [file for room in ("core", "collectors", "profiler") for file in (TREE / room).rglob("*.[ch]")]
    assert [(file.name, word) for file in files for word in typed.findall(file.read_text())] == []


# No question asks for writes of whole lines: they are listed, and no recording has them.
ASKED_FOR = [word for first, *words in WORDS for word in words if first == "class" and not word.endswith("_wr")]


@pytest.mark.parametrize("word", ASKED_FOR)
def test_reports_count_every_class(word: str) -> None:
    assert all(event["class"] in ASKED_FOR for cpu in CPUS for group in catalogue(cpu)["groups"] for event in group)
    events = [Event(id, "counters", "", word, place, 0, None) for id, place in enumerate(("local_dram", "remote_dram"))]
    assert sort_events(events).counted == {0, 1}


@pytest.mark.parametrize("remote", ["remote_dram", "remote_near_dram remote_far_dram"])
def test_reports_add_up_the_placements_of_remote_memory(remote: str) -> None:
    places = [*remote.split(), "other_cluster_dram"]
    assert set(places) < {word for _, *words in WORDS for word in words}
    events = [Event(id, "counters", "", "any", place, 0, None) for id, place in enumerate(places)]
    assert sort_events(events).of(ANY, REMOTE) == tuple(range(len(places)))


def test_every_word_is_explained() -> None:
    explained = set(re.findall(r"`([a-z0-9_]+)`", (TREE / "docs" / "events.md").read_text()))
    every = [event for cpu in CPUS for event in catalogue(cpu)["events"]]
    words = {word for event in every for word in label(event) if word}
    words |= {answer[key] for cpu in CPUS for answer in catalogue(cpu)["answers"] for key in ("topic", "status")}
    words |= {cpu_data["clusters"] for cpu in CPUS for cpu_data in [catalogue(cpu)["cpu"]]}
    words = {re.sub(r"^to_node\d$", "to_node0", word) for word in words}
    assert words - explained == set()


def ranges(text: str) -> set[int]:
    if text == "-":
        return {-1}
    ends = [[int(end, 0) for end in part.split("-")] for part in text.split(",")]
    return {n for first, *last in ends for n in range(first, (last or [first])[0] + 1)}


def test_no_cpu_is_two() -> None:
    claimed: dict[tuple[str, int, int, int], str] = {}
    cpu = ""
    for line in data_lines():
        cpu = line[1] if line[0] == "cpu" else cpu
        if line[0] == "id":
            family, models, steppings = (ranges(field) for field in line[2:5])
            for key in [(line[1], f, m, s) for f in family for m in models for s in steppings]:
                assert claimed.setdefault(key, cpu) == cpu
    assert {*claimed.values()} == {*CPUS}


def test_names_are_unique() -> None:
    names = [name for line in data_lines() if line[0] == "cpu" for name in line[1:]]
    plain = [re.sub("[-_ ]", "", name.lower()) for name in names]
    assert len(plain) == len(set(plain))
    for cpu in CPUS:
        assert events("--cpu", cpu).startswith(f"{cpu}: ")


def test_what_is_assumed_says_so_and_how_to_confirm_it() -> None:
    assumed = {(cpu, event["class"], event["placement"]): event for cpu in CPUS for event in catalogue(cpu)["events"]
               if event["confidence"] == "assumed"}  # fmt: skip
    assert {cpu for cpu, *_ in assumed} == {"hygon", "amd-newer", "neoverse-n3", "neoverse-v3"}
    for (cpu, *_), event in assumed.items():
        assert any("numaprof verify" in catalogue(cpu)["notes"][key] for key in event["notes"])


# Second sources.


@every_cpu
def test_names_and_numbers_agree_in_libpfm4(cpu: str) -> None:
    line = events("--check", "--cpu", cpu)
    named = [e for e in catalogue(cpu)["events"] if e["name"] and not e["name"].startswith("json:")]
    if catalogue(cpu)["cpu"]["libpfm"] is None or not named:
        assert "agree" not in line
        pytest.skip(f"{cpu}: libpfm4 4.13 has no table of it: {len(catalogue(cpu)['events'])} events by number only")
    if unchecked := re.search(r"(\d+) names not checkable", line):
        assert int(unchecked[1]) == len(named)
        pytest.skip(line.strip())
    assert f"{len(named)} names agree with libpfm4, 0 differ" in line


PERF_EVENT = re.compile(
    rb"\0((?:[a-z_]+(?:=(?:0x)?[0-9A-Fa-f]+)?,)*event=0x[0-9A-Fa-f]+(?:,[a-z_]+(?:=(?:0x)?[0-9A-Fa-f]+)?)*)\0"
)
# Events that the vendors published after Debian 12's perf, 6.1.
NEWER_THAN_PERF = {
    "zen4": {("any", "any_cxl")},
    "zen5": {("any", "any_cxl"), *(("any_l2", placement) for placement in ZEN_MASK)},
    "zen6": {("any", "any_cxl"), *(("any_l2", placement) for placement in [*ZEN_MASK, *ZEN6_BANDWIDTH])},
    "sapphirerapids": {("demand_rd", "local_pmem")},
    "graniterapids": {("demand_rd", "local_cxl")},
    "clearwaterforest": {("demand_rd", "local_dram"), ("demand_rd", "any_dram")},
}


@cache
def published() -> set[tuple[int, int]]:
    """(config, config1) of all events that perf carries from the vendors' tables."""
    found = set()
    for text in PERF_EVENT.findall(Path(shutil.which("perf") or "").resolve().read_bytes()):
        fields = dict([*field.split("="), "1"][:2] for field in text.decode().split(","))
        config = amd(int(fields["event"], 16), int(fields.get("umask", "0"), 16))
        found.add((config, int(fields.get("offcore_rsp", "0"), 16)))
    return found


@pytest.mark.requires("perf", "x86_64")
@pytest.mark.parametrize("cpu", [cpu for cpu in CPUS if cpu in OFFCORE or cpu.startswith("zen")])
def test_what_the_vendor_publishes_stands_in_perf_too(cpu: str) -> None:
    if len(published()) < 1000:
        pytest.skip(f"this perf keeps its event tables in another form ({len(published())} found)")
    from_json = [event for event in catalogue(cpu)["events"] if "json" in event["sources"]]
    missing = {label(event)[:2] for event in from_json if number(event) not in published()}
    assert missing <= NEWER_THAN_PERF.get(cpu, set())
    if missing:
        pytest.skip(
            f"{cpu}: {len(from_json) - len(missing)} of {len(from_json)} found; newer than this perf: {missing}"
        )


@pytest.mark.parametrize("cpu", ["icelake-sp", "sapphirerapids", "emeraldrapids", "graniterapids"])
def test_demand_and_prefetch_ask_for_all_that_reads_to_a_core(cpu: str) -> None:
    """Nothing falls between the classes of the verdict. Elsewhere the sum has write-backs, or there is none."""
    _, requests, _ = OFFCORE[cpu]
    asked = 0
    for event in catalogue(cpu)["events"]:
        if event["class"] in ("demand_rd", "demand_rfo", "pf_any") and label(event)[1:] == ("remote_dram", None):
            asked |= int(event["config1"], 16) & 0xFFFF
    assert asked == requests["any"] & ~bits(2)  # code


@every_cpu
def test_no_count_of_stores_claims_to_be_whole(cpu: str) -> None:
    """Lines that are written whole are not read for ownership: no event of RFO counts them."""
    answers = {answer["topic"]: answer for answer in catalogue(cpu)["answers"]}
    rfo = answers["demand_rfo"]
    assert rfo["status"] != "full"
    if rfo["class"] == "demand_rfo":
        assert "written whole" in rfo["why"]
