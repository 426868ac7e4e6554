# SPDX-License-Identifier: Apache-2.0
"""The article's scenario on its machine (docs/article.md): serial initialisation leaves the odd CPUs almost all remote;
parallel initialization leaves nothing remote but what the prefetcher of CPU 6 fetches from over the border."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, PROGRAM
from lab_plugin import PROGRAMS

CPUS, EVEN, ODD = range(8), range(0, 8, 2), range(1, 8, 2)
LAST_OF_FIRST_NODE = 6
AHEAD = 8  # lines: lab/machines/article.machine
SWEEPS, MIB = 20, 24
MANY_SWEEPS = 60  # until what the kernel had modified before and is now written back is below a percent
PLACES = "{0},{2},{4},{6},{1},{3},{5},{7}"  # as the article binds its threads
LOCAL, REMOTE = 0x4000, 0x2000  # responses
DEMAND, PREFETCH, ANY = 0x03, 0x70, 0xFF  # requests: reads and RFOs; the prefetchers'; all

pytestmark = pytest.mark.lab("article")


def by_cpu(example: str, offcore: int, sweeps: int = SWEEPS) -> list[int]:
    """What the example counted on each CPU, threads bound as in the article; the register holds one event at a time."""
    environment = {**os.environ, "OMP_NUM_THREADS": "8", "OMP_PLACES": PLACES, "OMP_PROC_BIND": "true"}
    command = [PROGRAMS / "by_cpu", f"raw:1b7:{offcore:x}", BUILD / "examples" / example, str(sweeps), str(MIB)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("count")]
    return [int(row[2]) for row in rows]


def remote_shares(example: str, requests: int, sweeps: int = SWEEPS) -> list[float]:
    local, remote = (by_cpu(example, requests | response, sweeps) for response in (LOCAL, REMOTE))
    return [there / (here + there) for here, there in zip(local, remote)]


def test_serial_initialization() -> None:
    """What else runs on a CPU is local to it, and more on a busy host: at a load of 10 it was up to 1.8 %."""
    shares = remote_shares("sum_serial", ANY, MANY_SWEEPS)
    print("remote of all requests:", [f"{share:.4%}" for share in shares])
    assert all(shares[cpu] <= 0.01 for cpu in EVEN)
    assert all(shares[cpu] >= 0.96 for cpu in ODD)


def test_parallel_initialization() -> None:
    any_request = remote_shares("sum_parallel", ANY)
    print("remote of all requests:", [f"{share:.4%}" for share in any_request])
    assert all(share <= 0.01 for share in any_request)
    remote = by_cpu("sum_parallel", DEMAND | REMOTE)
    # Streams leave few demand misses, so of these the shares say little: they are measured in lines of the array.
    lines = SWEEPS * (MIB << 20) // 64 // len(CPUS)
    assert all(there <= 0.01 * lines for there in remote)


def test_the_prefetcher_of_the_border() -> None:
    """What disturbs a run adds to the counts of CPUs: each one's least of three runs. A sweep that is interrupted at
    the border fetches nothing over it (one or two of twenty, on a busy host): three quarters of the sweeps must."""
    runs = [by_cpu("sum_parallel", PREFETCH | REMOTE) for _ in range(3)]
    print("remote prefetches:", *runs)
    remote = [min(counts) for counts in zip(*runs)]
    most = max(counts[LAST_OF_FIRST_NODE] for counts in runs)
    assert most >= AHEAD * SWEEPS * 3 / 4 and remote[LAST_OF_FIRST_NODE] <= AHEAD * SWEEPS * 2
    # CPU 0 also starts the program, from files whose pages may lie anywhere. Those of the second node prefetch from
    # what the threads share as well (OpenMP's own data), which the first one made.
    assert all(remote[cpu] <= AHEAD * SWEEPS / 8 for cpu in (2, 4))
    assert all(remote[cpu] <= AHEAD * SWEEPS * 2 for cpu in ODD)


def test_a_recording_says_that_it_is_emulated(tmp_path: Path) -> None:
    recording = tmp_path / "x.numaprof"
    command = [PROGRAM, "record", "-q", "-o", recording, "--", BUILD / "examples" / "sum_serial", "2", "16"]
    subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run([PROGRAM, "report", recording], capture_output=True, text=True, check=True)
    assert "EMULATED machine (article)" in done.stdout
    done = subprocess.run([PROGRAM, "report", recording, "--json", "-"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["run"]["emulated"] == "article"
