# SPDX-License-Identifier: Apache-2.0
"""The page of `numaprof topology --html`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from browser import Browser, browser
from conftest import PROGRAM, TREE
from machine_files import snapshot, unpack

KEPT = TREE / "tests" / "fixtures" / "measured"


def asked(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, "topology", *map(str, words)], capture_output=True, text=True, check=False)


@pytest.mark.requires("chromium")
def test_the_page_of_a_measured_machine(tmp_path: Path) -> None:
    """Its maps have the values of --json."""
    words = (
        "--sysroot",
        unpack(snapshot("two-packages-hmat"), tmp_path),
        f"--cached={KEPT}/two-packages-hmat.slower.txt",
    )
    page = tmp_path / "out.html"
    assert asked(*words, "--html", page).returncode == 0
    found = json.loads(asked(*words, "--json").stdout)["measured"]["values"]
    with browser() as window:
        look(window, page, found)


def look(window: Browser, page: Path, found: list[dict[str, object]]) -> None:
    window.open(page)
    assert (window.complaints(), window.requests(), window.axe()) == ([], [], [])
    assert window.cut_on_paper() == []
    assert window.texts("h1") == ["2 nodes, 8 CPUs. Remote memory takes 2.00 times as long as local memory."]
    assert "the firmware (HMAT) says reads take 90 ns from node 0 to node 0; measured 110 ns" in window.text()
    for chart, data, metric, unit in (
        ("latency", "latencies", "latency_random", "ns"),
        ("bandwidth", "bandwidths", "read_all", "GB/s"),
    ):
        view = f"document.querySelector('[data-chart={chart}]').view"
        drawn = window.run(f"return {view}.data('{data}').map(row => row.text)")
        scale = 1 if unit == "ns" else 1e9
        mine = [float(str(value["median"])) / scale for value in found if value["metric"] == metric]
        assert sorted(float(text.split()[0]) for text in drawn) == pytest.approx(sorted(mine), rel=0.01)
        assert {text.split()[1] for text in drawn} == {unit}


def test_bad_values_are_refused_before_anything_is_measured(tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    for words, cause in (
        (("--measure", "--html", "/no/folder/x.html"), "there is no folder"),
        (("--measure", "--html", page, "--only", "nothing"), 'nothing is called "nothing"'),
        (("--html", page, "--json"), "each print something else"),
        (("--html",), "no value given for --html"),
    ):
        done = asked(*words)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
        assert cause in done.stderr
        assert not page.exists()
