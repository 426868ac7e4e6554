# SPDX-License-Identifier: Apache-2.0
"""A placement beside the same fix in the source: as few remote reads, and all of the data on the asked nodes.

`make placements` compares all examples, with the placement that their advice leads to. Here the borders are given, as
place/test_schedule.py proves that `try` finds them: nothing depends on samples. One whole trial depends on its advice.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, PROGRAM
from lab_plugin import PROGRAMS
from placing import Report, placement
from running import one, reports, run

NEAR, RIGHT = 0.02, 0.95  # of the remote share; of the checked bytes
# Of 0.8 million demand reads: the thousand remote ones of the program's start are far less than NEAR.
SIZE = (6, 8)
RECORDING = "sum.numaprof"
MACHINE = "tests/lab/machines/small-westmere.machine"  # no prefetcher, no huge pages: each line read counts once
SHARE = """
SELECT sum(value * (placement = 'remote_dram')) / (0.0 + sum(value)) FROM count JOIN event ON event.id = event
 WHERE class = 'demand_rd' AND placement IN ('local_dram', 'remote_dram')
"""
RIGHT_SHARE = "SELECT sum(right_bytes) / (0.0 + sum(checked_bytes)) FROM placed"


def record(recording: Path, *words: object) -> Path:
    """Demand reads alone: they are counted all the time, and have no part of what one thread writes at first."""
    environment = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    command = [PROGRAM, "record", "-q", "--events", "demand_rd", "-o", recording, *words]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return recording


def place(tmp_path: Path, program: Path, blocks: str) -> Path:
    """A recording of the program with its blocks in these pieces: all of them lie where they were asked to."""
    file = tmp_path / "placement"
    # What the unchanged program reads remotely depends on where its first thread happens to run.
    subjects = placement(record(tmp_path / "before", program, 1, 8), blocks)
    file.write_text(subjects.replace("\n", "\npin 0,1,2,3,4,5,6,7\nthreads 0,1,2,3,4,5,6,7\n", 1))
    placed = record(tmp_path / "placed", "--place", file, program, *SIZE)
    assert one(placed, "SELECT sum(placed) = sum(asked) AND sum(asked) >= 1 FROM placed") == 1
    assert one(placed, RIGHT_SHARE) >= RIGHT
    return placed


@pytest.mark.lab(MACHINE)
def test_a_placement_does_what_the_edit_does(tmp_path: Path) -> None:
    placed = place(tmp_path, BUILD / "examples" / "sum_serial", "* blocks 0:0.5 1:1")
    after = record(tmp_path / "after", BUILD / "examples" / "sum_parallel", *SIZE)
    assert one(placed, SHARE) == pytest.approx(one(after, SHARE), abs=NEAR)


@pytest.mark.lab(MACHINE)
def test_a_placed_block_grows_without_a_copy(tmp_path: Path) -> None:
    """A copy by one thread would read half of each block from the other node."""
    half = 4 / 8.54296875  # of 8 MiB in the list's last room: 65536 items, and seven times half as many again
    assert one(place(tmp_path, BUILD / "examples" / "growing", f"* blocks 0:{half} 1:1"), SHARE) <= NEAR


def the_reports_tell_of_the_trial(folder: Path) -> None:
    assert "numactl --interleave=0,1" in (folder / "trial.html").read_text()
    assert "Tried: cannot tell: remote requests" in reports("report", "--full", folder / RECORDING).out


@pytest.mark.shares_cpu
@pytest.mark.lab(MACHINE)
@pytest.mark.judged(by=the_reports_tell_of_the_trial)
def test_a_whole_trial_on_two_nodes(for_host: Path) -> None:
    """Of what the advice's own lines print: record, try, run."""
    recording, program = for_host / RECORDING, BUILD / "examples" / "sum_serial"
    quiet = {"env": {**os.environ, "OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}, "cwd": for_host}
    assert run("record", "-q", "-o", recording, program, *SIZE, **quiet).status == 0
    ended = run("try", recording, "-n", 1, "--json", "--html", "trial.html", **quiet)
    assert ended.status == 0, ended.err
    document = json.loads(ended.out)
    plain, placed, interleaved = document["sides"]
    assert (plain["label"], placed["label"], interleaved["policy"]) == ("plain", "advice 1", "interleave:0,1")
    assert all(side["compute_ns"][0] + side["initialisation_ns"][0] == side["wall_ns"][0] for side in (plain, placed))
    # One thread still writes all of the array once: one of seven times that it is used.
    assert placed["remote_shares"][0] < 0.2
    assert min(plain["remote_shares"][0], interleaved["remote_shares"][0]) > 0.3
    assert placed["busiest_node"]["share"] < 0.7 and plain["busiest_node"]["share"] > 0.9
    assert placed["verified_share"] >= RIGHT and placed["found_share"] == placed["placed_share"] == 1
    assert placed["verdict"]["words"] == "cannot tell" and "on an emulated machine" in placed["verdict"]["why"]
    again = run("run", "--place", document["placement_file"], program, *SIZE, **quiet)
    assert Report.of(again.err).placed == 1


# --- limits of the machine

PAGE = 4096
PIECES = 32768  # of all placed blocks (PLACE_PIECES)


def blocks(tmp_path: Path, place: str, count: int, bytes_each: int) -> tuple[int, Report, str]:
    """A run with many blocks or large ones: its mappings, what was placed, and what numaprof said."""
    program, file = PROGRAMS / "blocks", tmp_path / "placement"
    file.write_text(placement(record(tmp_path / "before", program, 2, 1 << 20), place))
    ended = run("run", "--place", file, program, count, bytes_each)
    assert ended.status == 0, ended.err
    return int(ended.out), Report.of(ended.err), ended.err


@pytest.mark.lab(MACHINE)
def test_a_full_node_gives_what_it_has_and_the_rest_is_told(tmp_path: Path) -> None:
    """Each node has 512 MiB."""
    _, report, said = blocks(tmp_path, "* node 1", 1, 560 << 20)
    assert report.placed == report.asked == 1, said
    assert report.right is not None and 60 < report.right < 95


@pytest.mark.lab(MACHINE)
def test_a_program_keeps_half_of_its_mappings(tmp_path: Path) -> None:
    pages = 18
    ends = " ".join(f"{page % 2}:{(page + 1) / pages:.6f}" for page in range(pages))
    mappings, report, said = blocks(tmp_path, f"* blocks {ends}", 2500, pages * PAGE - 16)
    assert report.placed == PIECES // pages and report.asked == 2500, said
    assert "not placed: Cannot allocate memory" in said
    assert PIECES - pages < mappings < PIECES + 100
