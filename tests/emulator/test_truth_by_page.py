# SPDX-License-Identifier: Apache-2.0
"""The truth by page: the lines of each page, by thread and class, are those that paper and perf say."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path
from typing import Callable

import pytest

LINES = Path("/sys/kernel/debug/numaprof-lab/lines")
PAGE, LINES_OF_PAGE, TRAINING = 4096, 64, 3
CLASSES = ("read", "rfo", "prefetch_read", "prefetch_rfo")
EVENTS = [f"nhm::OFFCORE_RESPONSE_0:{request}:REMOTE_DRAM" for request in ("DMND_DATA_RD", "DMND_RFO", "PF_DATA_RD")]


def rows() -> list[dict[str, str]]:
    lost, *text = LINES.read_text().splitlines()
    assert lost == "# lines that found no row: 0"
    return list(csv.DictReader(text, delimiter="\t"))


@pytest.mark.lab("tests/lab/machines/truth-nehalem.machine")
@pytest.mark.parametrize(("cpu", "node"), [(2, 1), (5, 0), (6, 1)])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_each_page_has_its_lines(lab_program: Callable[..., str], cpu: int, node: int, column: int) -> None:
    tid, pages, counted, read, written, streamed = lab_program("pages", cpu, node, EVENTS[column]).split()
    here, count = int(cpu > 3), int(pages)
    mine = {int(row["page"], 16): row for row in rows() if row["tid"] == tid}

    def of(array: str) -> list[tuple[int, ...]]:
        found = [mine[int(array, 16) + page * PAGE] for page in range(count)]
        assert {(row["cpu"], row["node"], row["page_node"]) for row in found} == {(str(cpu), str(here), str(node))}
        return [tuple(int(row[f"dram_{name}"]) for name in CLASSES) for row in found]

    assert of(read) == [(page + 1, 0, 0, 0) for page in range(count)]
    assert of(written) == [(0, page + 1, 0, 0) for page in range(count)]
    assert of(streamed) == [(TRAINING, 0, LINES_OF_PAGE - TRAINING, 0)] * count
    remote = sum(page[column] for array in (read, written, streamed) for page in of(array)) if node != here else 0
    # The program's stack and its C library's data may be remote as well.
    assert 0 <= int(counted) - remote <= 4


@pytest.mark.lab("tests/lab/machines/truth-nehalem.machine")
def test_an_exec_begins_other_rows() -> None:
    """A shell that execs keeps its thread's number; what it read before is told apart."""
    command = ["perf", "stat", "-o", "/dev/null", "-e", "instructions:u", "sh", "-c", "echo $$; exec true"]
    tid = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert len({row["exec"] for row in rows() if row["tid"] == tid}) >= 2


@pytest.mark.lab("tests/lab/machines/small-nehalem.machine")
def test_without_the_option_there_is_no_file() -> None:
    assert not LINES.exists()
