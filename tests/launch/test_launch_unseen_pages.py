# SPDX-License-Identifier: Apache-2.0
"""Memory that the kernel places without a page fault of the program is found, and said with its size."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAM
from running import lost_faults, one, rows, run, run_as_nobody, target, until

MIB = 100


def unseen_mib(recording: Path) -> float:
    found = rows(recording, "SELECT value FROM note WHERE kind = 'unseen_pages'")
    return sum(found) / 2**20


# Of the one block of malloc: what the last snapshot found of it, by node.
OF_BLOCK = """
SELECT h.node, sum(min(h.address + h.span * page_bytes, b.address + b.bytes) - max(h.address, b.address))
  FROM run, block b JOIN object o ON o.id = b.object
  JOIN page_home h ON h.address < b.address + b.bytes AND h.address + h.span * page_bytes > b.address
 WHERE o.kind = 'heap' AND o.alloc_stack IS NOT NULL AND b.bytes >= {}
   AND h.node IS NOT NULL AND h.snapshot = (SELECT max(id) FROM snapshot)
 GROUP BY h.node
"""


def assert_block_has_its_pages(recording: Path) -> None:
    """All of them, on nodes where the process may have memory."""
    found = dict(rows(recording, OF_BLOCK.format(MIB << 20)))
    assert sum(found.values()) / 2**20 == pytest.approx(MIB, abs=1)
    assert set(found) <= set(rows(recording, "SELECT id FROM node"))


def may_be_huge_mib(recording: Path) -> int:
    """Each fault that no sample stands for may have placed a huge page, which then is not counted as unseen."""
    return 2 * lost_faults(recording)


@pytest.mark.requires("perf_event")
@pytest.mark.parametrize("how", ["populate", "lock", "advise"])
def test_what_the_kernel_places_is_found_with_its_size_and_nodes(how: str, tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    done = run("record", "-q", "-o", recording, target("populate"), how, MIB)
    if done.status == 77:
        pytest.skip(f"{how} is not allowed here")
    assert done.status == 0
    assert MIB - 1 - may_be_huge_mib(recording) <= unseen_mib(recording) <= MIB + 1
    homes = "SELECT sum(span) FROM page_home WHERE node IS NOT NULL AND snapshot = (SELECT max(id) FROM snapshot)"
    assert 0.95 * MIB <= one(recording, homes) * one(recording, "SELECT page_bytes FROM run") / 2**20 <= 1.1 * MIB


@pytest.mark.requires("perf_event")
@pytest.mark.parametrize("how", ["touch", "read"])
def test_what_the_program_places_is_not_counted_again(how: str, tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    assert run("record", "-q", "-o", recording, target("populate"), how, MIB).status == 0
    if one(recording, "SELECT detail FROM evidence WHERE collector = 'faults'") == "page faults":
        assert unseen_mib(recording) == 0


@pytest.mark.requires("root", "perf_event")
def test_memory_that_read_fills_for_an_ordinary_user(public_place: Path) -> None:
    """The kernel's faults inside read() are not for an ordinary user to see."""
    program = public_place / "populate"
    program.write_bytes(target("populate").read_bytes())
    program.chmod(0o755)
    assert run_as_nobody(public_place, program, "read", MIB).status == 0
    recording = public_place / "r.numaprof"
    kernel = one(recording, "SELECT count(*) FROM evidence WHERE collector = 'faults' AND detail = 'page faults'")
    assert kernel or MIB - 1 - may_be_huge_mib(recording) <= unseen_mib(recording) <= MIB + 1


@pytest.mark.requires("perf_event")
@pytest.mark.parametrize("how", ["lock", "advise"])
def test_the_block_whose_pages_the_kernel_placed_has_them(how: str, tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    done = run("record", "-q", "-o", recording, target("populate"), how, MIB, "heap")
    if done.status == 77:
        pytest.skip(f"{how} is not allowed here")
    assert done.status == 0
    assert MIB - 1 - may_be_huge_mib(recording) <= unseen_mib(recording) <= MIB + 1
    assert_block_has_its_pages(recording)


@pytest.mark.requires("root", "perf_event")
def test_the_block_that_read_fills_for_an_ordinary_user_has_its_pages(public_place: Path) -> None:
    program = public_place / "populate"
    program.write_bytes(target("populate").read_bytes())
    program.chmod(0o755)
    assert run_as_nobody(public_place, program, "read", MIB, "heap").status == 0
    assert_block_has_its_pages(public_place / "r.numaprof")


def pages_in_snapshots(recording: Path) -> int:
    """The most that one snapshot found so far, of a recording that is being written."""
    found = "SELECT ifnull(max(pages), 0) FROM (SELECT sum(span) AS pages FROM page_home GROUP BY snapshot)"
    with contextlib.suppress(sqlite3.Error):
        return int(one(recording, found))
    return 0


@pytest.mark.requires("perf_event")
@pytest.mark.parametrize(("how", "least"), [("populate", MIB - 1), ("touch", 0)])
@pytest.mark.parametrize("end", ["static", "killed"])
def test_programs_that_end_without_a_last_look_count_as_of_the_one_before(
    how: str, least: int, end: str, tmp_path: Path
) -> None:
    recording, flags = tmp_path / "r.numaprof", ("-static",) if end == "static" else ()
    program = target("populate", *flags, output="populate" + "".join(flags))
    command = [str(PROGRAM), "record", "-q", "-o", str(recording), str(program), how, str(MIB), "stdin"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as running:
        until(lambda: pages_in_snapshots(recording) * os.sysconf("SC_PAGESIZE") >= MIB << 20)
        if end == "killed":
            os.kill(one(recording, "SELECT pid FROM run"), signal.SIGKILL)
        running.communicate()
    assert running.returncode == (0 if end == "static" else -signal.SIGKILL)
    assert least <= unseen_mib(recording) <= (MIB + 1 if least else 0)
    said = rows(recording, "SELECT text LIKE '%as of their last snapshot%' FROM note WHERE kind = 'unseen_pages'")
    assert said == [1] * bool(least)
