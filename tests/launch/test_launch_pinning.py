# SPDX-License-Identifier: Apache-2.0
"""Threads sit where the plan says, and nothing of it shows: programs and their children see the CPUs they see alone."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROGRAM, TREE, build_c
from running import Ended, one, reports, rows, run, run_command, target, until

PLACES = "SELECT pin, planned_cpu, own_cpus FROM thread ORDER BY id"

TWO_CPUS = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="with one CPU every mask is the whole one")


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return tmp_path / "r.numaprof"


def both_ways(recording: Path, *words: object, options: tuple[str, ...] = ()) -> str:
    """What the program prints, which is the same alone and under numaprof."""
    alone = run_command(*words)
    done = run("record", "-q", "-o", recording, *options, *words)
    assert done == alone
    assert alone.status == 0, alone
    return alone.out


def planned(recording: Path) -> list[int]:
    return json.loads("[" + one(recording, "SELECT pin_plan FROM run") + "]")


def one_line(cpus: set[int]) -> str:
    """In the list format, as far as these tests need it: CPUs without a gap."""
    return f"{min(cpus)}-{max(cpus)}"


@pytest.mark.parametrize("command", ["nproc", "grep Cpus_allowed_list /proc/self/status"])
def test_the_program_and_its_children_see_all_cpus(command: str, recording: Path) -> None:
    out = both_ways(recording, target("masks"), command)
    assert len(out.splitlines()) == 9
    assert one(recording, "SELECT count(*) FROM thread WHERE pin = 'planned'") == 2


PYTHON = """
import multiprocessing, os, threading
def look():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        forked = pool.map(os.sched_getaffinity, [0])
    print(multiprocessing.cpu_count(), os.sched_getaffinity(0), forked, os.popen("nproc").read())
look()
thread = threading.Thread(target=look)
thread.start()
thread.join()
"""


def test_python_sees_all_cpus(recording: Path) -> None:
    both_ways(recording, sys.executable, "-c", PYTHON)


def test_threads_start_in_the_order_in_which_they_were_made_where_only_they_tell(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    assert run("record", "-q", "--without", "faults", "-o", recording, target("openmp", "-fopenmp")).status == 0
    tids = rows(recording, "SELECT tid FROM thread ORDER BY start_ns, id")
    assert len(tids) == 64
    assert tids == sorted(tids)


def test_openmp_sees_all_cpus_and_is_pinned(recording: Path) -> None:
    cpus = os.sched_getaffinity(0)
    program = target("openmp", "-fopenmp")
    assert both_ways(recording, program) == f"procs {len(cpus)} threads {len(cpus)}\n"
    places = rows(recording, PLACES)
    if len(cpus) == 1:  # then it makes no thread, and nothing is pinned
        assert [place[0] for place in places] == ["none"]
        return
    assert [place[0] for place in places] == ["planned"] * len(cpus)
    assert sorted(place[1] for place in places) == sorted(planned(recording))


@pytest.mark.parametrize(
    ("name", "value"),
    [("OMP_PROC_BIND", "true"), ("OMP_PLACES", "{0}"), ("GOMP_CPU_AFFINITY", "0"), ("KMP_AFFINITY", "compact")],
)
def test_a_choice_for_the_runtime_is_respected(
    name: str, value: str, recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")  # on one CPU too
    both_ways(recording, target("openmp", "-fopenmp"))
    assert {place[0] for place in rows(recording, PLACES)} == {"program"}
    assert "" not in {place[2] or "" for place in rows(recording, PLACES)}


@TWO_CPUS
def test_a_thread_that_chooses_for_itself(recording: Path) -> None:
    cpu = max(os.sched_getaffinity(0))
    both_ways(recording, target("chooses"), cpu)
    moved, attributed, left = rows(recording, "SELECT pin, own_cpus FROM thread ORDER BY id")[1:]
    assert moved == attributed == ("program", str(cpu))
    assert left == ("planned", None)


@TWO_CPUS
def test_a_thread_that_sets_back_the_mask_it_read_is_pinned_again(recording: Path) -> None:
    """As MPI_Init does: hwloc binds its caller to each CPU in turn."""
    cpus = sorted(os.sched_getaffinity(0))
    out = both_ways(recording, target("rebinds"))
    assert out.split() == [str(len(cpus))] * 3
    plan = planned(recording)
    assert rows(recording, PLACES) == [("planned", plan[i % len(plan)], None) for i in range(3)]
    recording.unlink()
    both_ways(recording, target("rebinds"), cpus[-1])
    main, first, second, third = rows(recording, PLACES)
    assert (main[0], main[2]) == ("program", str(cpus[-1]))
    assert (first, second) == (("planned", plan[1], None), ("planned", plan[2 % len(plan)], None))
    assert third == ("program", None, str(cpus[-1]))
    recording.unlink()
    both_ways(recording, target("rebinds"), options=("--pin", "none"))
    assert set(rows(recording, PLACES)) == {("none", None, None)}


@TWO_CPUS
def test_a_thread_that_sets_back_the_mask_of_another_leaves_it_pinned(recording: Path) -> None:
    """Until a thread has had a choice: then the mask that another one gets is one, too."""
    cpus = sorted(os.sched_getaffinity(0))
    program = target("rebinds_others")
    whole = f"{len(cpus)}\n"
    assert run_command(program) == (0, 2 * whole, 2 * whole)
    assert run("record", "-q", "-o", recording, program) == (0, 2 * whole, 2 * "1\n")
    plan = planned(recording)
    assert rows(recording, PLACES) == [("planned", plan[i % len(plan)], None) for i in range(3)]
    recording.unlink()
    assert run("record", "-q", "-o", recording, program, cpus[-1]) == (0, 2 * whole, 2 * whole)
    assert rows(recording, PLACES)[1][0] == "program"


def test_helper_threads_of_runtimes_take_no_place(recording: Path, tmp_path: Path) -> None:
    """A thread is a helper by the library its routine is in; mimalloc is one of those known for them."""
    library = build_c(
        tmp_path / "libmimalloc.so.2", "-shared", "-fPIC", "-DHELPER", str(TREE / "tests" / "targets" / "helped.c")
    )
    program = build_c(tmp_path / "helped", str(TREE / "tests" / "targets" / "helped.c"), str(library))
    both_ways(recording, "env", f"LD_LIBRARY_PATH={tmp_path}", program)
    plan = planned(recording)
    pins = rows(recording, "SELECT pin, planned_cpu FROM thread ORDER BY id")
    assert [pin for pin, _ in pins] == ["planned", "helper", "planned"]
    assert [cpu for pin, cpu in pins if pin == "planned"] == [plan[0], plan[1 % len(plan)]]


def test_the_first_thread_pins_main_as_well(recording: Path) -> None:
    both_ways(recording, "true")
    assert rows(recording, PLACES) == [("none", None, None)]
    recording.unlink()
    both_ways(recording, target("touch"), 1, 64)
    assert [place[0] for place in rows(recording, PLACES)] == ["planned", "planned"]


ON_NODE = 'mount --bind "$0" /sys/devices/system/node/node0/cpulist && exec "$@"'


@pytest.fixture
def on_node(tmp_path: Path) -> list[str]:
    """Starts a command on a machine where CPU 0 is all that node 0 has."""
    (tmp_path / "cpulist").write_text("0\n")
    return ["unshare", "-m", "sh", "-c", ON_NODE, str(tmp_path / "cpulist")]


def recorded_on_node(on_node: list[str], recording: Path, *words: object, options: tuple[str, ...] = ()) -> Ended:
    recording.unlink(missing_ok=True)
    return run_command(*on_node, PROGRAM, "record", "-q", "-o", recording, *options, *words)


@TWO_CPUS
@pytest.mark.requires("mounts", "one_node")
@pytest.mark.parametrize("pins", [(), ("--pin", "0,1")])
def test_main_stays_on_its_node_from_the_start(on_node: list[str], pins: tuple[str, ...], recording: Path) -> None:
    """Also after a choice of its own that it took back, and after an exec that failed."""
    cpus = one_line(os.sched_getaffinity(0))
    last = str(max(os.sched_getaffinity(0)))
    program = target("mask_views")
    assert recorded_on_node(on_node, recording, program, "raw", options=pins) == (0, f"0\n{last}\n0\n0\n0\n", "")
    assert rows(recording, PLACES) == [("planned", 0, None), ("planned", planned(recording)[1], None)]
    done = recorded_on_node(on_node, recording, program, "raw", options=("--pin", "none"))
    assert done.out.split() == [cpus, last, cpus, cpus, cpus]


@TWO_CPUS
@pytest.mark.requires("mounts", "one_node")
def test_the_mask_of_a_program_that_reads_it_past_the_library_is_left(on_node: list[str], recording: Path) -> None:
    program = target("mask_views", "-static", output="mask_views-static")
    assert recorded_on_node(on_node, recording, program, "raw").out.split()[0] == one_line(os.sched_getaffinity(0))


@TWO_CPUS
@pytest.mark.requires("mounts", "one_node", "go", "gcc")
def test_the_runtime_of_go_finds_all_cpus(on_node: list[str], recording: Path, tmp_path: Path) -> None:
    program = tmp_path / "cpus"
    build = ["go", "build", "-o", str(program), str(TREE / "tests" / "targets" / "cpus.go")]
    subprocess.run(build, check=True, cwd=tmp_path, env={**os.environ, "CGO_ENABLED": "1"})
    assert recorded_on_node(on_node, recording, program) == (0, f"{len(os.sched_getaffinity(0))}\n", "")
    assert one(recording, "SELECT followed FROM process LIMIT 1") == "preload"


@TWO_CPUS
@pytest.mark.requires("mounts", "one_node")
@pytest.mark.parametrize("linked", [False, True])
def test_no_way_to_read_or_inherit_a_mask_shows_the_node(
    linked: bool, on_node: list[str], recording: Path, tmp_path: Path
) -> None:
    program = target("mask_views")
    if linked:
        source = str(TREE / "tests" / "targets" / "mask_views.c")
        library = build_c(tmp_path / "libviews.so", "-shared", "-fPIC", "-DLIBRARY", source)
        program = build_c(tmp_path / "linked", "-DLINKED", source, str(library))
    alone = run_command(program)
    assert recorded_on_node(on_node, recording, program) == alone
    assert alone.out.count("Cpus_allowed_list") == 4 * 3
    assert rows(recording, "SELECT pin FROM thread WHERE pin != 'none'") == ["planned"] * 3


@pytest.mark.parametrize("policy", ["compact", "scatter"])
def test_threads_follow_the_plan(policy: str, recording: Path) -> None:
    both_ways(recording, target("touch"), 3, 64, options=("--pin", policy))
    plan = planned(recording)
    assert one(recording, "SELECT pin_policy FROM run") == policy
    assert [place[1] for place in rows(recording, PLACES)] == [plan[i % len(plan)] for i in range(4)]


def test_a_list_is_followed(recording: Path) -> None:
    cpu = max(os.sched_getaffinity(0))
    both_ways(recording, target("where"), options=("--pin", str(cpu)))
    assert one(recording, "SELECT pin_policy, pin_plan FROM run") == ("list", str(cpu))
    assert {place[1] for place in rows(recording, PLACES)} == {cpu}


def test_none(recording: Path) -> None:
    both_ways(recording, target("touch"), 3, 64, options=("--pin", "none"))
    assert {place[0] for place in rows(recording, PLACES)} == {"none"}
    assert one(recording, "SELECT pin_policy, pin_plan FROM run") == ("none", None)


def test_within_the_mask_it_was_started_with(recording: Path) -> None:
    cpu = max(os.sched_getaffinity(0))
    command = ["taskset", "-c", str(cpu), PROGRAM, "record", "-q", "-o", recording, target("masks"), "nproc"]
    assert run_command(*command).out.split()[:4] == ["main", "1", "thread", "1"]
    assert planned(recording) == [cpu]


def pins_so_far(recording: Path) -> list[str]:
    """Of a recording that is being written."""
    with contextlib.suppress(sqlite3.Error):
        return [place[0] for place in rows(recording, PLACES)]
    return []


@pytest.mark.parametrize("flags", [("-static",), ()])
def test_threads_really_sit_there(flags: tuple[str, ...], recording: Path) -> None:
    """Asked from outside the program, which cannot see it."""
    program = target("sits", *flags, output="sits" + "".join(flags))
    command = [str(PROGRAM), "record", "-q", "-o", str(recording), str(program), "3", "stdin"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        until(lambda: pins_so_far(recording) == ["planned"] * 4)
        out, _ = running.communicate()
    assert running.returncode == 0
    assert [int(word) for word in out.split()] == [1] * 4


@TWO_CPUS
def test_waiting_for_a_pinned_cpu_is_recorded_and_said(recording: Path) -> None:
    """A thread works beside endless loops on all CPUs."""
    loop = "while :; do :; done"
    with contextlib.ExitStack() as others:
        for cpu in os.sched_getaffinity(0):
            process = others.enter_context(subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", loop]))
            others.callback(process.kill)
        done = run("record", "-q", "-o", recording, target("busy_thread", "-pthread"))
    assert done.status == 0
    assert (
        one(recording, "SELECT sum(waited_ns) > 0 FROM run_delay JOIN thread ON id = thread AND pin = 'planned'") == 1
    )
    assert "other programs used: --pin none" in " ".join(reports("report", recording).out.split())
