# SPDX-License-Identifier: Apache-2.0
"""Which events fit the counters at once: fixed ones cost no general counter, and offcore events find theirs."""

from __future__ import annotations

import subprocess

import pytest

WORK = ["sh", "-c", "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done"]


def fits(*events: str) -> bool:
    """As one group: each of its events counts, and all of the time; or the kernel refuses the group."""
    command = ["perf", "stat", "-x;", "-e", "{" + ",".join(events) + "}", "--", *WORK]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split(";") for line in done.stderr.splitlines() if ";" in line]
    assert len(rows) == len(events)
    refused = [row[0].startswith("<not") for row in rows]
    assert all(refused) or all(row[4] == "100.00" for row in rows)
    return not any(refused)


def general(code: int, umasks: list[int]) -> list[str]:
    return [f"cpu/event={code:#x},umask={umask:#x}/u" for umask in umasks]


FIXED = ["instructions:u", "cycles:u", "ref-cycles:u"]


@pytest.mark.lab("tests/lab/machines/small-nehalem.machine")
def test_nehalem_has_four_general_counters_beside_the_fixed_ones() -> None:
    assert fits(*FIXED, *general(0xCB, [0x01, 0x04, 0x08, 0x10]))
    assert not fits(*FIXED, *general(0xCB, [0x01, 0x04, 0x08, 0x10, 0x10]))


@pytest.mark.lab("tests/lab/machines/small-skylake.machine")
def test_skylake_has_four_general_counters_beside_the_fixed_ones() -> None:
    assert fits(*FIXED, *general(0xD3, [0x01, 0x02, 0x04, 0x08]))
    assert not fits(*FIXED, *general(0xD3, [0x01, 0x02, 0x04, 0x08, 0x01]))


@pytest.mark.lab("tests/lab/machines/small-sapphire.machine")
def test_other_events_leave_the_first_counters_to_offcore_events() -> None:
    """Eight counters, of which the first four take offcore responses: five others first, then two of those."""
    offcore = [f"cpu/event=0x2a,umask=0x1,offcore_rsp={response:#x}/u" for response in (0x104000001, 0x730000001)]
    assert fits("instructions:u", *general(0xD3, [0x01, 0x02, 0x04, 0x08]), *general(0xD1, [0x20]), *offcore)


@pytest.mark.lab("tests/lab/machines/small-zen.machine")
def test_zen_has_six_counters_and_no_fixed_one() -> None:
    fills = general(0x43, [0x08, 0x40]) + general(0x44, [0x08, 0x40])
    assert fits("instructions:u", "cycles:u", *fills)
    assert not fits("instructions:u", "cycles:u", *fills, *general(0x5A, [0x08]))
