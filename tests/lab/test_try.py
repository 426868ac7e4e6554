# SPDX-License-Identifier: Apache-2.0
"""A placed run beside the same program with its initialisation edited by hand, by the hardware's own count."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, PROGRAM

pytestmark = [pytest.mark.lab("tests/lab/machines/truth-nehalem.machine"), pytest.mark.shares_cpu]

LINES = Path("/sys/kernel/debug/numaprof-lab/lines")
EXAMPLES = BUILD / "examples"
SWEEPS, MIB = "6", "8"  # four times the shared cache: every sweep reads it from memory
POINTS = 0.02
# Threads that spin keep virtual CPUs from those that work: eight of them share the host's few.
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}


def read_lines() -> Counter[bool]:
    """Lines read from DRAM since the boot, by whether the page was remote. Writes of the initialisation are left out:
    they stay with the first toucher when a program is placed, and move when it is edited."""
    head, *rows = [line.split("\t") for line in LINES.read_text().splitlines() if "\t" in line]
    at = {name: number for number, name in enumerate(head)}
    found: Counter[bool] = Counter()
    for row in rows:
        lines = int(row[at["dram_read"]]) + int(row[at["dram_prefetch_read"]])
        found[row[at["node"]] != row[at["page_node"]]] += lines
    return found


def remote_share(*command: object) -> float:
    before = read_lines()
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    lines = read_lines() - before
    assert lines.total() >= 6 * (8 << 20) // 64 / 2, lines
    return lines[True] / lines.total()


def record(*command: object) -> list[object]:
    return [PROGRAM, "record", "-q", *command]


@pytest.mark.parametrize("name", ["sum", "fill_vector", "sum_pthreads"])
def test_a_placed_run_is_as_local_as_the_edited_program(name: str, tmp_path: Path) -> None:
    serial, parallel = EXAMPLES / f"{name}_serial", EXAMPLES / f"{name}_parallel"
    recording, kept = tmp_path / "serial.numaprof", tmp_path / "kept"
    plain = remote_share(*record("-o", recording, serial, SWEEPS, MIB))
    edited = remote_share(*record("-o", tmp_path / "parallel.numaprof", parallel, SWEEPS, MIB))
    done = subprocess.run(
        [PROGRAM, "try", recording, "--yes", "--json", "-n", "1", "--advice", "1", "--keep", kept],
        capture_output=True, text=True, check=False, env=ENVIRONMENT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    side: dict[str, Any] = next(each for each in json.loads(done.stdout)["sides"] if each["label"] == "advice 1")
    file = kept / "advice-1.placement"
    placed = remote_share(*record("-o", tmp_path / "placed.numaprof", "--place", file, serial, SWEEPS, MIB))
    print(f"{name}: plain {plain:.4f}, edited {edited:.4f}, placed {placed:.4f}; {side['subjects']}")
    assert plain > 0.3
    assert abs(placed - edited) <= POINTS
    assert (side["found_share"], side["placed_share"]) == (1, 1)
    assert side["verified_share"] >= 0.95
