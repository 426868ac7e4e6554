# SPDX-License-Identifier: Apache-2.0
"""What events mean to the emulated hardware. Their names are libpfm's; the meanings stand here a second time, from
libpfm's descriptions, not from the driver nor from the profiler's catalogue: each would show the others' errors."""

from __future__ import annotations

# lab/shared.h
READ, RFO, FETCH, WRITE_BACK, PREFETCH_READ, PREFETCH_RFO = range(6)
HIT, HIT_CLEAN, HIT_MODIFIED = 1, 2, 3
MEMORY_HERE, MEMORY_NEAR, MEMORY_FAR = 4, 5, 6
OWN_NODE = {HIT, HIT_CLEAN, HIT_MODIFIED}
# Another node's cache: from (near, far) and home (here, near, far).
CACHE = {(source, home): 7 + 3 * source + home for source in range(2) for home in range(3)}
DIRTY = {place: number + 6 for place, number in CACHE.items()}
WRITTEN = {HIT, MEMORY_HERE, MEMORY_NEAR, MEMORY_FAR}  # where a write-back can go: the shared cache, memory
REMOTE_MEMORY = {MEMORY_NEAR, MEMORY_FAR}
EVERYTHING = set(range(1, 19))

Meaning = tuple[set[int], set[int]]  # classes, outcomes


def home_is(places: dict[tuple[int, int], int], *homes: int) -> set[int]:
    return {number for (_, home), number in places.items() if home in homes}


def source_is(places: dict[tuple[int, int], int], source: int) -> set[int]:
    return {number for (where, _), number in places.items() if where == source}


NEHALEM_REQUESTS = {
    "DMND_DATA_RD": {READ},
    "DMND_RFO": {RFO},
    "DMND_IFETCH": {FETCH},
    "WB": {WRITE_BACK},
    "PF_DATA_RD": {PREFETCH_READ},
    "PF_RFO": {PREFETCH_RFO},
    "ANY_REQUEST": set(range(6)),
}
NEHALEM_RESPONSES = {
    "UNCORE_HIT": {HIT},
    "OTHER_CORE_HIT_SNP": {HIT_CLEAN},
    "OTHER_CORE_HITM": {HIT_MODIFIED},
    "REMOTE_CACHE_HITM": set(DIRTY.values()),
    "REMOTE_CACHE_FWD": home_is(CACHE, 0),
    "REMOTE_DRAM": REMOTE_MEMORY | home_is(CACHE, 1, 2),
    "LOCAL_DRAM": {MEMORY_HERE},
    "ANY_RESPONSE": EVERYTHING,
}
WESTMERE_RESPONSES = {
    "UNCORE_HIT": {HIT},
    "OTHER_CORE_HIT_SNP": {HIT_CLEAN},
    "OTHER_CORE_HITM": {HIT_MODIFIED},
    "REMOTE_CACHE_HITM": set(DIRTY.values()),
    "LOCAL_DRAM_AND_REMOTE_CACHE_HIT": {MEMORY_HERE} | home_is(CACHE, 0),
    "REMOTE_DRAM": REMOTE_MEMORY,
    "OTHER_LLC_MISS": home_is(CACHE, 1, 2),
    "ANY_RESPONSE": EVERYTHING,
}
SKYLAKE_REQUESTS = {
    "DMND_DATA_RD": {READ},
    "DMND_RFO": {RFO},
    "DMND_CODE_RD": {FETCH},
    "PF_L3_DATA_RD": {PREFETCH_READ},
    "PF_L3_RFO": {PREFETCH_RFO},
    "ANY_REQUEST": {READ, RFO, FETCH, PREFETCH_READ, PREFETCH_RFO},
}
SKYLAKE_RESPONSES = {
    "L3_HIT:SNP_NOT_NEEDED": {HIT},
    "L3_HIT:SNP_HIT_NO_FWD": {HIT_CLEAN},
    "L3_HIT:SNP_HITM": {HIT_MODIFIED},
    "L3_MISS_LOCAL:SNP_MISS": {MEMORY_HERE},
    "L3_MISS_REMOTE_HOP1_DRAM:SNP_MISS": {MEMORY_FAR},
    "L3_MISS_LOCAL:SNP_HITM": home_is(DIRTY, 0),
    "L3_MISS_REMOTE_HOP1_DRAM:SNP_HIT_WITH_FWD": home_is(CACHE, 2),
    "L3_MISS_REMOTE_HOP1_DRAM:SNP_ANY": {MEMORY_FAR} | home_is(CACHE, 2) | home_is(DIRTY, 2),
    "ANY_RESPONSE": EVERYTHING,
}
SAPPHIRE_EVENTS = {
    "DEMAND_DATA_RD_LOCAL_DRAM": ({READ}, {MEMORY_HERE}),
    "DEMAND_DATA_RD_SNC_DRAM": ({READ}, {MEMORY_NEAR}),
    "DEMAND_DATA_RD_REMOTE_DRAM": ({READ}, {MEMORY_FAR}),
    "DEMAND_DATA_RD_DRAM": ({READ}, {MEMORY_HERE, MEMORY_NEAR, MEMORY_FAR}),
    "DEMAND_DATA_RD_L3_HIT": ({READ}, OWN_NODE),
    "DEMAND_DATA_RD_L3_HIT_SNOOP_HITM": ({READ}, {HIT_MODIFIED}),
    "DEMAND_DATA_RD_REMOTE_CACHE_SNOOP_HITM": ({READ}, source_is(DIRTY, 1)),
    "DEMAND_DATA_RD_REMOTE_CACHE_SNOOP_HIT_WITH_FWD": ({READ}, source_is(CACHE, 1)),
    "DEMAND_DATA_RD_SNC_CACHE_HITM": ({READ}, source_is(DIRTY, 0)),
    "DEMAND_DATA_RD_SNC_CACHE_HIT_WITH_FWD": ({READ}, source_is(CACHE, 0)),
    "DEMAND_DATA_RD_ANY_RESPONSE": ({READ}, EVERYTHING),
    "DEMAND_RFO_LOCAL_DRAM": ({RFO}, {MEMORY_HERE}),
    "DEMAND_RFO_SNC_DRAM": ({RFO}, {MEMORY_NEAR}),
    "DEMAND_CODE_RD_LOCAL_DRAM": ({FETCH}, {MEMORY_HERE}),
    "MODIFIED_WRITE_ANY_RESPONSE": ({WRITE_BACK}, EVERYTHING),
    "HWPF_L2_ANY_RESPONSE": ({PREFETCH_READ, PREFETCH_RFO}, EVERYTHING),
    "READS_TO_CORE_LOCAL_DRAM": ({READ, RFO, FETCH, PREFETCH_READ, PREFETCH_RFO}, {MEMORY_HERE}),
    "READS_TO_CORE_REMOTE_DRAM": ({READ, RFO, FETCH, PREFETCH_READ, PREFETCH_RFO}, {MEMORY_FAR}),
}
ZEN_REQUESTS = {
    "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM": {READ, RFO},
    "HARDWARE_PREFETCH_DATA_CACHE_FILLS": {PREFETCH_READ, PREFETCH_RFO},
    "ANY_DATA_CACHE_FILLS_FROM_SYSTEM": {READ, RFO, PREFETCH_READ, PREFETCH_RFO},
}
ZEN_SOURCES = {
    "INT_CACHE": OWN_NODE,
    "MEM_IO_LCL": {MEMORY_HERE},
    "EXT_CACHE_RMT": set(CACHE.values()) | set(DIRTY.values()),
    "MEM_IO_RMT": REMOTE_MEMORY,
}


def product(prefix: str, requests: dict[str, set[int]], responses: dict[str, set[int]]) -> dict[str, Meaning]:
    return {f"{prefix}:{r}:{s}": (requests[r], responses[s]) for r in requests for s in responses}


NEHALEM = product("nhm::OFFCORE_RESPONSE_0", NEHALEM_REQUESTS, NEHALEM_RESPONSES)
WESTMERE = product("wsm_dp::OFFCORE_RESPONSE_0", NEHALEM_REQUESTS, WESTMERE_RESPONSES)
SKYLAKE = product("skx::OFFCORE_RESPONSE_0", SKYLAKE_REQUESTS, SKYLAKE_RESPONSES)
SAPPHIRE = {f"spr::OCR:{name}": meaning for name, meaning in SAPPHIRE_EVENTS.items()}
ZEN = {
    f"amd64_fam19h_zen3::{request}:{source}": (ZEN_REQUESTS[request], ZEN_SOURCES[source])
    for request in ZEN_REQUESTS
    for source in ZEN_SOURCES
}
RETIRED = {
    "nhm::MEM_UNCORE_RETIRED:OTHER_CORE_L2_HITM": {HIT_MODIFIED},
    "nhm::MEM_UNCORE_RETIRED:REMOTE_CACHE_LOCAL_HOME_HIT": home_is(CACHE, 0),
    "nhm::MEM_UNCORE_RETIRED:REMOTE_DRAM": REMOTE_MEMORY | home_is(CACHE, 1, 2) | home_is(DIRTY, 1, 2),
    "nhm::MEM_UNCORE_RETIRED:LOCAL_DRAM": {MEMORY_HERE} | home_is(DIRTY, 0),
    "nhm::MEM_LOAD_RETIRED:L3_MISS": EVERYTHING - OWN_NODE,
    "skx::MEM_LOAD_L3_MISS_RETIRED:LOCAL_DRAM": {MEMORY_HERE, MEMORY_NEAR},
    "skx::MEM_LOAD_L3_MISS_RETIRED:REMOTE_DRAM": {MEMORY_FAR},
    "skx::MEM_LOAD_L3_MISS_RETIRED:REMOTE_HITM": set(DIRTY.values()),
    "skx::MEM_LOAD_L3_MISS_RETIRED:REMOTE_FWD": set(CACHE.values()),
    "skx::MEM_LOAD_L3_HIT_RETIRED:XSNP_HITM": {HIT_MODIFIED},
    "spr::MEM_LOAD_L3_MISS_RETIRED:LOCAL_DRAM": {MEMORY_HERE, MEMORY_NEAR},
    "spr::MEM_LOAD_L3_MISS_RETIRED:REMOTE_DRAM": {MEMORY_FAR},
    "wsm_dp::MEM_UNCORE_RETIRED:LOCAL_DRAM_AND_REMOTE_CACHE_HIT": {MEMORY_HERE} | set(CACHE.values()),
    "wsm_dp::MEM_UNCORE_RETIRED:REMOTE_DRAM": REMOTE_MEMORY,
    "wsm_dp::MEM_UNCORE_RETIRED:REMOTE_HITM": set(DIRTY.values()),
}
NEVER_HERE = {  # what two-node machines cannot show: a near node
    MEMORY_NEAR, *source_is(CACHE, 0), *source_is(DIRTY, 0), *home_is(CACHE, 1), *home_is(DIRTY, 1)
}  # fmt: skip


def total(hardware: list[list[int]], classes: set[int], outcomes: set[int]) -> int:
    return sum(hardware[c][o] for c in classes for o in outcomes)
