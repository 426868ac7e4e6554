# SPDX-License-Identifier: Apache-2.0
"""Pages of what the recorder really wrote: the examples, on this computer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from browser import browser
from conftest import BUILD, TREE
from test_report_recording import reports

# With arguments that make them short.
EXAMPLES = {
    "sum_serial": ("2", "16"),
    "sum_parallel": ("2", "16"),
    "sum_pthreads_serial": ("2", "16"),
    "shared_table": ("1", "16"),
    "in_cache": ("100",),
    "recycled": ("2", "4"),
}


@pytest.fixture(scope="module")
def recordings(program: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    subprocess.run(["make", "-s", "examples"], cwd=TREE, check=True, capture_output=True)
    folder = tmp_path_factory.mktemp("examples")
    found = []
    for name, arguments in EXAMPLES.items():
        path = folder / f"{name}.numaprof"
        command = [program, "record", "-q", "-o", path, BUILD / "examples" / name, *arguments]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        found.append(path)
    return found


@pytest.mark.requires("chromium")
def test_pages_of_the_examples(recordings: list[Path], tmp_path: Path) -> None:
    with browser() as window:
        for recording in recordings:
            page = tmp_path / f"{recording.stem}.html"
            assert reports("report", recording, "--html", page).returncode == 0
            assert page.stat().st_size < 2 << 20
            window.open(page)
            assert (recording.stem, window.complaints(), window.requests()) == (recording.stem, [], [])
            assert not window.all(".failed")
            assert recording.stem in window.text()


def test_exports_of_the_examples(recordings: list[Path], tmp_path: Path) -> None:
    for recording in recordings:
        for format_ in ("pprof", "folded", "perfetto"):
            done = reports("export", recording, "--format", format_, "-o", tmp_path / format_)
            assert (recording.stem, format_, done.returncode) == (recording.stem, format_, 0)
            assert (tmp_path / format_).stat().st_size > 100
