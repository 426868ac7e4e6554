# SPDX-License-Identifier: Apache-2.0
"""Machines whose counters tell nothing about nodes: the example that main initialises is found all the same."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, PROGRAM

if "NUMAPROF_MACHINE" not in os.environ:
    from numaprof.document.build_report import document

MACHINES = "tests/lab/machines/{}.machine"
RECORDING = "x.numaprof"
SUM_SERIAL = BUILD / "examples" / "sum_pthreads_serial"


def _found(folder: Path, share: float, why: str) -> None:
    """share: the part of the threads' reads that is remote, those of the first node's excepted."""
    report = document(str(folder / RECORDING))
    verdict = report.verdict
    assert verdict.basis == "loads", verdict
    assert (verdict.lowest or 0.0) <= share <= (verdict.highest or 0.0), verdict
    assert verdict.judgement == "heavy"
    assert any(why in text for text in report.overview.decisive), report.overview.decisive


def clusters_found(folder: Path) -> None:
    _found(folder, 2 / 3, "nodes of their pages decide")


def filter_found(folder: Path) -> None:
    _found(folder, 1 / 2, "counted nothing in")


def record(folder: Path) -> None:
    command = [PROGRAM, "record", "-q", "-o", folder / RECORDING, "--", SUM_SERIAL, "24", "16"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.lab(MACHINES.format("snc3"))
@pytest.mark.judged(by=clusters_found)
def test_clusters_of_a_package_that_counters_call_local(for_host: Path) -> None:
    record(for_host)


@pytest.mark.lab(MACHINES.format("filtered"))
@pytest.mark.judged(by=filter_found)
def test_a_guest_whose_events_are_filtered(for_host: Path) -> None:
    record(for_host)
