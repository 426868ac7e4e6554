# SPDX-License-Identifier: Apache-2.0
"""Pages and exports of what the recorder really wrote: every example, on this computer."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from browser import Browser, browser
from conftest import BUILD, TREE
from test_report_recording import reports
from trace_events import mistakes

# With arguments that make them short.
EXAMPLES: dict[str, tuple[object, ...]] = {
    "sum_serial": (2, 16),
    "sum_parallel": (2, 16),
    "sum_pthreads_serial": (2, 16),
    "sum_pthreads_parallel": (2, 16),
    "fill_vector_serial": (2, 16),
    "fill_vector_parallel": (2, 16),
    "new_array": (2, 16),
    "shared_table": (1, 16),
    "in_cache": (100,),
    "recycled": (2, 4),
    "arena": (2, 16),
    "fork_server": (1, 16),
    "migrant": (2, 16),
    "mismatch": (2, 16),
    "tiles": (2, 16),
    "mapped_file": (BUILD / "numaprof", 2),
    "false_sharing": (1,),
    "lopsided": (2, 16),
    "sparse": (2, 500),
    "growing": (2, 16),
    "heat": (2, 500),
}
WIDTHS = (1280, 480)


def test_no_example_is_forgotten() -> None:
    text = (TREE / "examples" / "examples.mk").read_text()
    names = re.search(r"^EXAMPLE_NAMES := (.*?)\$\(if .*,(\w+)\)$", text, re.DOTALL | re.MULTILINE)
    assert names is not None
    assert {*names[1].replace("\\", " ").split(), names[2]} == EXAMPLES.keys()


@pytest.fixture(scope="module")
def recordings(program: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    subprocess.run(["make", "-s", "examples"], cwd=TREE, check=True, capture_output=True)
    folder = tmp_path_factory.mktemp("examples")
    found = []
    for name, arguments in EXAMPLES.items():
        built = BUILD / "examples" / name
        if name == "heat" and not built.exists():  # no Fortran compiler
            continue
        path = folder / f"{name}.numaprof"
        command = [program, "record", "-q", "-o", path, built, *map(str, arguments)]
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
            assert (recording.stem, faults(page, window)) == (recording.stem, [])


def faults(page: Path, window: Browser) -> list[object]:
    """What is wrong with a page of a recording."""
    found: list[object] = []
    for width in WIDTHS:
        window.resize(width)
        window.open(page)
        found += [*window.complaints(), *window.requests(), *(element.text for element in window.all(".failed"))]
        if window.run("return document.documentElement.scrollWidth") > width:
            found.append(f"wider than {width}")
    if page.stem not in window.text():
        found.append("does not name the program")
    for anchor in window.run("return [...document.querySelectorAll('.verdict a, .advice a')].map(link => link.hash)"):
        window.run("location.hash = arguments[0]", anchor)
        if not window.run("return document.querySelector(':target')?.getClientRects().length"):
            found.append(f"{anchor} leads nowhere")
    return found


@pytest.mark.requires("chromium")
def test_pages_of_comparisons(recordings: list[Path], tmp_path: Path) -> None:
    of = {recording.stem: recording for recording in recordings}
    with browser() as window:
        for name in ("sum", "sum_pthreads", "fill_vector"):
            page = tmp_path / f"{name}.html"
            sides = (of[f"{name}_serial"], of[f"{name}_parallel"])
            assert reports("diff", *sides, "--html", page).returncode == 0
            assert (name, faults(page, window)) == (name, [])


def test_data_of_the_examples(recordings: list[Path], tmp_path: Path) -> None:
    for recording in recordings:
        folder = tmp_path / recording.stem
        done = reports("report", recording, "--json", tmp_path / "out.json", "--csv", folder)
        assert (recording.stem, done.returncode) == (recording.stem, 0)
        assert len(list(folder.glob("*.csv"))) > 10


def test_exports_of_the_examples(recordings: list[Path], tmp_path: Path) -> None:
    for recording in recordings:
        for format_ in ("pprof", "folded", "perfetto"):
            done = reports("export", recording, "--format", format_, "-o", tmp_path / format_)
            assert (recording.stem, format_, done.returncode) == (recording.stem, format_, 0)
            assert (tmp_path / format_).stat().st_size > 100
        assert (recording.stem, mistakes((tmp_path / "perfetto").read_bytes())) == (recording.stem, [])
