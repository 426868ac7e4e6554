# SPDX-License-Identifier: Apache-2.0
"""Recordings with thousands of everything are reported, within the steps that the reader allows for a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from grown import Size, write
from numaprof.document.build_report import document

LARGE = {
    "processes": Size(processes=4000, threads=1),
    "objects of one process": Size(objects=100_000),
    "objects of one thread": Size(objects=100_000, threads=1),
    "threads": Size(threads=4000),
}


@pytest.mark.parametrize("what", LARGE)
def test_it_is_reported(what: str, in_memory: Path) -> None:
    size = LARGE[what]
    report = document(str(write(in_memory / "x.numaprof", size)))
    assert len(report.threads) == size.processes * size.threads
    assert report.first_touches.bytes_not_listed + sum(row.bytes for row in report.first_touches.rows) > 0
