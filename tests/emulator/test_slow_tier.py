# SPDX-License-Identifier: Apache-2.0
"""Memory of a slow tier (CXL, on node 2, on the first package's link): counters and load samples tell it from DRAM."""

from __future__ import annotations

import json
from typing import Callable

import pytest
from test_samples import RAM, parse

READS, PREFETCHED = sum(range(1, 22)) + 3 * 21, 61 * 21  # of programs/pages.c: page I at I lines, and a stream
# Intel's perfmon list for Granite Rapids: OCR.DEMAND_DATA_RD.*, MEM_LOAD_L3_MISS_RETIRED.*; prefetches into L2 are
# request bits 4, 5 and 6.
EVENTS = {
    "local cxl": "raw:12a:700c00001",
    "remote cxl": "raw:12a:703000001",
    "local dram": "raw:12a:704000001",
    "remote dram": "raw:12a:730000001",
    "prefetched local cxl": "raw:12a:700c00070",
    "prefetched remote cxl": "raw:12a:703000070",
    "retired remote cxl": "raw:10d3",
    "retired remote dram": "raw:2d3",
    "retired local dram": "raw:1d3",
}
STRAYS = 4  # lines of the program's own that are remote, or were not yet in a cache
PMEM = 0xE  # PERF_MEM_LVLNUM_PMEM: what the kernel makes of CXL on this processor


@pytest.mark.lab("tests/lab/machines/small-granite.machine")
@pytest.mark.parametrize(
    ("cpu", "node", "expected"),
    [
        (1, 2, {"local cxl": READS, "prefetched local cxl": PREFETCHED}),
        (5, 2, {"remote cxl": READS, "prefetched remote cxl": PREFETCHED, "retired remote cxl": READS}),
        (1, 1, {"remote dram": READS, "retired remote dram": READS}),
        (1, 0, {"local dram": READS, "retired local dram": READS}),
    ],
)
def test_counts(lab_program: Callable[..., str], cpu: int, node: int, expected: dict[str, int]) -> None:
    for name, event in EVENTS.items():
        count = int(lab_program("pages", cpu, node, event).split()[2])
        assert 0 <= count - expected.get(name, 0) <= STRAYS, name


@pytest.mark.lab("tests/lab/machines/small-granite.machine")
@pytest.mark.parametrize(("cpu", "other", "distance"), [(1, 5, 14), (5, 1, 24)])
def test_samples(lab_program: Callable[..., str], cpu: int, other: int, distance: int) -> None:
    head, *lines = lab_program("samples", cpu, other, 97, 1, 2048, "raw:1cd:3").splitlines()
    slow = [sample for sample in map(parse, lines) if sample.number == PMEM]
    assert len(slow) > 50
    assert {(s.node, s.remote, s.weight, s.physical == s.pagemap) for s in slow} == {(2, cpu == 5, 20 * distance, True)}
    assert 2 not in {sample.node for sample in map(parse, lines) if sample.number == RAM}
    assert json.loads(head)["lost"] == 0
