# SPDX-License-Identifier: Apache-2.0
"""numaprof topology --measure on this machine: what it says, keeps, refuses, and does when interrupted."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, NOBODY, TREE, build_once

SMALL = ["--size", "16M", "--only", "latency_window_4k,read,copy_all,stride_write,first_run,later_run"]

UNITS = {
    "latency_window_4k": "ns",
    "read": "bytes_per_s",
    "copy_all": "bytes_per_s",
    "stride_write": "ns_per_line",
    "first_run": "ns_per_line",
    "later_run": "ns_per_line",
}


def run(program: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def measured(program: Path, *arguments: str) -> dict[str, Any]:
    done = run(program, "topology", "--measure", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout)["measured"])


@pytest.fixture(scope="module")
def small(program: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """What one small measurement says, and the folder where it would be kept."""
    cache = tmp_path_factory.mktemp("cache")
    done = run(program, "topology", "--measure", "--json", *SMALL, XDG_CACHE_HOME=str(cache))
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)["measured"], cache


def test_numbers_have_units_repeats_and_spread(small: tuple[dict[str, Any], Path]) -> None:
    found, _ = small
    assert {value["metric"] for value in found["values"]} == set(UNITS)
    for value in found["values"]:
        assert 0 < value["low"] <= value["median"] <= value["high"]
        assert value["repeats"] >= 1
        assert value["unit"] == UNITS[value["metric"]]
        assert value["lines"] > 0
    assert found["buffer_bytes"] == 16 << 20


def test_a_size_within_the_caches_is_named(program: Path) -> None:
    topology = json.loads(run(program, "topology", "--json").stdout)
    caches = [node["llc_bytes"] for node in topology["nodes"] if node["llc_bytes"]]
    found = measured(program, "--size", "8M", "--only", "read")
    assert any("not well past the caches" in note for note in found["remarks"]) == any(4 * c > 8 << 20 for c in caches)


def test_first_touch_costs_more_than_the_second_run(small: tuple[dict[str, Any], Path]) -> None:
    values = {value["metric"]: value["median"] for value in small[0]["values"]}
    assert values["first_run"] > values["later_run"]  # a page fault for every 64 lines


@pytest.mark.requires("one_node")
def test_one_node_is_one_row_and_one_column(program: Path) -> None:
    text = run(program, "topology", "--measure", "--size", "8M", "--only", "read,latency_window_4k").stdout
    assert "CPUs of node 0" in text
    assert "all nodes" not in text


def test_partial_measurements_are_not_cached(small: tuple[dict[str, Any], Path]) -> None:
    assert list(small[1].iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--from", "4095"], "--from: there is no node 4095; numaprof topology lists those there are"),
        (["--to", "x"], '--to: "x" is not a list of nodes; write it like 0,2-3'),
        (["--only", "read,\x1b"], r'--only: nothing is called "\x1b"; see numaprof topology --help'),
        (["--size", "3"], '--size: "3" is not a size; write it like 512M or 2G, at least 8M'),
        (["--size", "99999999999999999999G"], "is not a size"),
        (["--size", "-5G"], "is not a size"),
        (["--sysroot", "/"], "--measure measures this machine, --sysroot shows another one"),
    ],
)
def test_bad_input_gets_one_line(program: Path, arguments: list[str], words: str) -> None:
    done = run(program, "topology", "--measure", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert words in done.stderr


def test_what_to_measure_needs_measure(program: Path) -> None:
    done = run(program, "topology", "--only", "read")
    assert done.returncode == 125
    assert "add --measure" in done.stderr


def test_too_little_memory_is_an_error_with_a_reason(program: Path) -> None:
    done = run(program, "topology", "--measure", "--size", "900G")
    assert done.returncode == 125
    assert done.stderr == "numaprof: nothing could be measured; the remarks say why\n"
    assert "is left out:" in done.stdout
    assert "of free memory can be spared" in done.stdout


def test_address_space_that_is_too_small_is_named(program: Path) -> None:
    script = f"ulimit -v 400000; exec {program} topology --measure --size 512M --only read"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 125
    assert "cannot be mapped: Cannot allocate memory (see ulimit -v)" in done.stdout


@pytest.fixture(scope="module")
def forbid() -> Path:
    return build_once(BUILD / "tests" / "forbid", str(TREE / "tests" / "launchers" / "forbid.c"))


def without(program: Path, forbid: Path, *calls: str) -> subprocess.CompletedProcess[str]:
    filters = [word for call in calls for word in (str(forbid), call, "EPERM")]
    command = [*filters, program, "topology", "--measure", "--only", "read", "--size", "8M"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.requires("gcc")
def test_without_mbind_first_touch_places_memory(program: Path, forbid: Path) -> None:
    done = without(program, forbid, "mbind")
    assert done.returncode == 0
    assert "mbind is forbidden here (a container's filter?): memory is placed by first touch" in done.stdout


@pytest.mark.requires("gcc")
def test_without_move_pages_nothing_is_called_verified(program: Path, forbid: Path) -> None:
    done = without(program, forbid, "move_pages")
    assert done.returncode == 0
    assert "was asked for, but is not verified: move_pages is forbidden here" in done.stdout


@pytest.mark.requires("gcc")
def test_without_both_nothing_is_measured(program: Path, forbid: Path) -> None:
    done = without(program, forbid, "mbind", "move_pages")
    assert done.returncode == 125
    assert "memory of node 0 is left out: neither mbind nor move_pages are allowed here" in done.stdout


@pytest.mark.requires("root", "gcc")
def test_nobody_can_measure(program: Path, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="numaprof-") as folder:  # pytest's own are root's alone
        os.chmod(folder, 0o755)
        copy = shutil.copy(program, folder)
        command = [*NOBODY, copy, "topology", "--measure", "--only", "read"]
        done = subprocess.run([*command, "--size", "8M"], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "  read  " in done.stdout


PR_SET_THP_DISABLE = 41  # linux/prctl.h; kept over exec


def test_without_huge_pages_small_ones_are_measured_and_it_is_said(program: Path) -> None:
    libc = ctypes.CDLL(None)
    command = [program, "topology", "--measure", "--json", "--size", "16M"]
    command += ["--only", "latency_random,latency_random_4k"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: libc.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0),
    )
    found = json.loads(done.stdout)["measured"]
    assert {value["metric"] for value in found["values"]} == {"latency_random_4k"}
    assert not found["huge_pages"]
    assert any("the kernel gave no huge pages; only 4 KiB pages are measured" in note for note in found["remarks"])


def test_a_busy_cpu_is_named(program: Path) -> None:
    cpu = str(min(os.sched_getaffinity(0)))
    others = [subprocess.Popen(["taskset", "-c", cpu, "sh", "-c", "while :; do :; done"]) for _ in range(3)]
    try:
        command = ["taskset", "-c", cpu, program, "topology", "--measure", "--json", "--size", "16M", "--only", "read"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert done.returncode in (0, 125), done.stderr  # 125: they had it all the time
    remarks = json.loads(done.stdout)["measured"]["remarks"]
    assert [remark for remark in remarks if "others took" in remark or "others had its CPUs" in remark]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_what_there_is(program: Path, tmp_path: Path, number: signal.Signals) -> None:
    command = [program, "topology", "--measure", "--size", "64M"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    while "remarks" not in process.stdout.readline():
        pass  # the topology is out: now it measures
    process.send_signal(number)
    out, _ = process.communicate()
    assert process.returncode == 128 + number
    assert "interrupted: " in out
    assert list(tmp_path.iterdir()) == []


def test_a_recording_without_a_measurement_has_none(program: Path, tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path)}
    done = run(program, "record", "-q", "-o", str(tmp_path / "x.numaprof"), "true", **environment)
    assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(tmp_path / "x.numaprof")) as database, database:
        assert database.execute("SELECT count(*) FROM measurement").fetchone() == (0,)
        assert database.execute("SELECT count(*) FROM distance WHERE latency_ns IS NOT NULL").fetchone() == (0,)


# --- kept, and taken into recordings


@pytest.fixture
def kept(tmp_path: Path) -> dict[str, str]:
    """An environment in which a measurement of this machine is kept."""
    libraries = ["-lm", "-lpfm", "-ldw", "-lelf", "-lsqlite3"]
    archive = str(BUILD / "libnumaprof.a")
    keep = build_once(BUILD / "tests" / "keep", str(TREE / "tests" / "launchers" / "keep.c"), archive, *libraries)
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([keep], check=True, env={**os.environ, **environment})
    return environment


@pytest.mark.requires("gcc")
def test_what_is_cached_is_shown_again(program: Path, kept: dict[str, str]) -> None:
    found = json.loads(run(program, "topology", "--cached", "--json", **kept).stdout)["measured"]
    assert {(row["metric"], row["from"], row["to"], row["median"]) for row in found["values"]} == {
        ("latency_random", row["from"], row["from"], 100 + row["from"]) for row in found["values"]
    }
    assert "  random, huge pages" in run(program, "topology", "--cached", **kept).stdout


@pytest.mark.requires("gcc")
def test_recordings_made_afterwards_hold_it(program: Path, kept: dict[str, str], tmp_path: Path) -> None:
    recording = tmp_path / "x.numaprof"
    assert run(program, "record", "-q", "-o", str(recording), "true", **kept).returncode == 0
    with closing(sqlite3.connect(recording)) as database, database:
        rows = database.execute("SELECT metric, from_node, to_node, median FROM measured").fetchall()
        assert ("latency_random", 0, 0, 100) in rows
        query = "SELECT latency_ns FROM distance WHERE from_node = 0 AND to_node = 0"
        assert database.execute(query).fetchone() == (100,)


@pytest.mark.requires("gcc")
def test_a_damaged_one_is_named_and_costs_no_recording(program: Path, kept: dict[str, str], tmp_path: Path) -> None:
    (file,) = Path(kept["XDG_CACHE_HOME"]).rglob("measured-*")
    file.write_text(file.read_text()[:-5])
    recording = tmp_path / "x.numaprof"
    done = run(program, "record", "-q", "-o", str(recording), "true", **kept)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "is damaged: the recording holds no measured latencies" in done.stderr
    assert (
        "is not a measurement, or is damaged; run numaprof topology --measure again"
        in run(program, "topology", "--cached", **kept).stderr
    )


def test_nothing_kept_is_named(program: Path, tmp_path: Path) -> None:
    done = run(program, "topology", "--cached", XDG_CACHE_HOME=str(tmp_path))
    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr == "numaprof: nothing is cached of this machine yet; run numaprof topology --measure\n"
