# SPDX-License-Identifier: Apache-2.0
"""numaprof topology --measure on machines of several nodes: that memory really is on the node that was asked for.

move_pages is asked by the program itself; here the emulated hardware's counters say from where the lines came.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest


def measured(program: Path, *arguments: str, before: tuple[object, ...] = ()) -> dict[str, Any]:
    command = [*before, program, "topology", "--measure", "--json", *arguments]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout)["measured"])


def pairs(found: dict[str, Any]) -> set[tuple[int, int | None]]:
    return {(value["from"], value["to"]) for value in found["values"]}


# numaprof events --cpu skylake-sp: any request, answered by the memory of its own node or of another.
LOCAL, REMOTE = 0x7840085B7, 0x7B80085B7


def lines_from_dram(program: Path, source: int, home: int) -> tuple[int, int, int]:
    """What one core of a node read, and what the counters of its CPU say: lines, from its own memory, from others.

    The memory is prepared from another CPU, so that the user code of this one is the measuring thread and little else.
    """
    events = [f"cpu/event=0xb7,umask=0x1,offcore_rsp={mask:#x}/u" for mask in (LOCAL, REMOTE)]
    perf = ["perf", "stat", "-x,", "-o", "/dev/stderr", "-C", str(2 * source), "-e", ",".join(events), "--"]
    command = [program, "topology", "--measure", "--json", "--only", "read", "--size", "32M"]
    command += ["--from", str(source), "--to", str(home)]
    done = subprocess.run([*map(str, perf + command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    local, remote = (int(line.split(",")[0]) for line in done.stderr.splitlines() if "offcore_rsp" in line)
    found = json.loads(done.stdout)["measured"]
    assert pairs(found) == {(source, home)}
    return found["values"][0]["lines"], local, remote


@pytest.mark.lab("ring")
def test_remote_reads_are_as_many_as_lines(program: Path) -> None:
    lines, local, remote = lines_from_dram(program, 0, 2)
    assert remote == pytest.approx(lines, rel=0.05)
    assert local < lines / 50


@pytest.mark.lab("ring")
def test_local_reads_are_as_many_as_lines(program: Path) -> None:
    lines, local, remote = lines_from_dram(program, 2, 2)
    assert local == pytest.approx(lines, rel=0.05)
    assert remote < lines / 50


@pytest.mark.lab("ring")
def test_every_node_reaches_every_memory(program: Path) -> None:
    found = measured(program, "--only", "read_all,latency_window_4k", "--size", "8M")
    assert pairs(found) == {(source, home) for source in range(4) for home in (0, 1, 2, 3, None)}
    assert found["meaningless"]
    assert not [remark for remark in found["remarks"] if "left out" in remark]


@pytest.mark.lab("uneven")
def test_nodes_without_memory_or_cpus_are_adapted_to(program: Path) -> None:
    found = measured(program, "--only", "read,first_run,later_run", "--size", "8M")
    assert pairs(found) == {(source, home) for source in (0, 1) for home in (0, 2, None)}
    assert "node 1 has no memory" in found["remarks"]
    assert "node 2 has no CPUs: its memory is measured from the other nodes" in found["remarks"]
    own = [value["relative"] for value in found["values"] if value["from"] == 1]
    assert own == [None] * len(own)  # its own memory, which there is none of, is no measure


@pytest.mark.lab("uneven")
def test_a_cpuset_that_forbids_a_node_is_named(program: Path) -> None:
    found = measured(program, "--only", "read", "--size", "8M", before=("taskset", "-c", "0-3"))
    assert {source for source, _ in pairs(found)} == {0}
    assert "node 1: none of its CPUs is allowed here (cpuset or taskset)" in found["remarks"]
