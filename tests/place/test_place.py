# SPDX-License-Identifier: Apache-2.0
"""numaprof run --place: real programs on this machine, whose node 0 is everywhere."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from conftest import PROGRAM, TREE, build_c
from placing import Report, placement
from running import one, rows, run, run_command, target

pytestmark = pytest.mark.requires("gcc")


def placed(tmp_path: Path, program: Path, *arguments: str, place: str = "* node 0") -> Path:
    """Records the program; the placement file made from what was recorded."""
    recording, file = tmp_path / "plain.numaprof", tmp_path / "placement.txt"
    assert run("record", "-q", "-o", recording, program, *arguments).status == 0
    file.write_text(placement(recording, place))
    return file


def test_a_program_works_as_before_when_all_it_allocates_is_placed(tmp_path: Path) -> None:
    program = target("placed", "-pthread", "-O1", "-g")
    file = placed(tmp_path, program)
    ended = run("run", "--place", file, program)
    assert (ended.status, ended.out) == (0, "all right\n"), ended.err
    report = Report.of(ended.err)
    assert report.placed == report.asked >= 20
    # What mremap moved and what a failed realloc left in place are objects of the recording, not allocations.
    assert report.found == report.subjects - 2 >= 11
    assert report.right == 100


@pytest.mark.parametrize("library", [None, "libjemalloc.so.2", "libtcmalloc_minimal.so.4"])
def test_blocks_by_chance_of_several_threads_keep_what_they_hold(tmp_path: Path, library: str | None) -> None:
    """Also those that the program moves with mremap, unmaps in parts too small to be noticed, or inherits by fork."""
    node_more = target("node_more", "-shared", "-fPIC", output="libnode_more.so")
    program = target("placed_at_random", "-pthread", "-O1", "-g", "-Wl,--no-as-needed", str(node_more))
    file = placed(tmp_path, program, "100", place="* blocks 0:0.4 1:1")
    environment = {**os.environ, "LD_PRELOAD": str(found_library(library))} if library else dict(os.environ)
    ended = run("run", "--place", file, program, "200", env=environment)
    assert (ended.status, ended.out) == (0, "all right\n"), ended.err
    report = Report.of(ended.err)
    assert report.placed == report.asked >= 200


def found_library(name: str) -> Path:
    found = [path for pattern in ("lib*", "lib*/*") for path in Path("/usr").glob(f"{pattern}/{name}")]
    if not found:
        pytest.skip(f"needs {name}")
    return found[0]


def test_what_mremap_moved_has_no_caller_to_compare(tmp_path: Path) -> None:
    """Nor has a subject whose module is not loaded: the two are not the same."""
    file = tmp_path / "placement"
    file.write_text(PINNED.format(min(os.sched_getaffinity(0))))
    ended = run("run", "--place", file, target("placed", "-pthread", "-O1", "-g"))
    assert (ended.status, ended.out) == (0, "all right\n"), ended.err
    assert "nothing placed" in ended.err


def test_blocks_of_one_node_are_still_whole_blocks(tmp_path: Path) -> None:
    program = target("placed", "-pthread", "-O1", "-g")
    file = placed(tmp_path, program, place="* blocks 0:0.123 0:0.5 0:0.501 0:1")
    ended = run("run", "--place", file, program)
    assert (ended.status, ended.out) == (0, "all right\n"), ended.err
    assert Report.of(ended.err).right == 100


def test_without_rights_to_the_node_the_program_runs_as_it_did(tmp_path: Path) -> None:
    """Node 1023 is nowhere: the kernel refuses, and the program gets its memory from its allocator."""
    program = target("placed", "-pthread", "-O1", "-g")
    file = placed(tmp_path, program, place="* node 1023")
    ended = run("run", "--place", file, program)
    assert (ended.status, ended.out) == (0, "all right\n"), ended.err
    assert Report.of(ended.err).placed == 0
    assert "not placed: Invalid argument" in ended.err


def test_a_recorded_run_says_what_was_placed(tmp_path: Path) -> None:
    program = target("placed", "-pthread", "-O1", "-g")
    file, recording = placed(tmp_path, program), tmp_path / "placed.numaprof"
    ended = run("record", "-o", recording, "--place", file, program)
    assert (ended.status, ended.out) == (0, "all right\n"), ended.err
    told = Report.of(ended.err)
    assert told.placed == one(recording, "SELECT sum(placed) FROM placed WHERE error IS NULL AND refused = 0")
    assert one(recording, "SELECT sum(right_bytes) = sum(checked_bytes) AND sum(checked_bytes) > 5000000 FROM placed")
    # Pages of a block may be one more than the program asked for.
    most = "sum(placed) * (SELECT page_bytes FROM run)"
    assert one(recording, f"SELECT sum(extra_bytes) BETWEEN 1 AND {most} FROM placed") == 1
    # A placed block is the same object as before, once: not the mapping it has of its own as well.
    plain = tmp_path / "plain.numaprof"
    count = (
        "SELECT count(*) FROM block JOIN object o ON o.id = object"
        " WHERE kind = 'heap' AND name IS NULL AND bytes >= 1048576"
    )
    assert one(recording, count) == one(plain, count)


@pytest.mark.parametrize(("each", "kept"), [(1, 64), (8, 31 * 8), (40, 0)])
def test_freed_blocks_that_are_kept_are_few(each: int, kept: int, tmp_path: Path) -> None:
    """At most 64 blocks, 256 MiB, and none of more than 32 MiB. A page of each is not the program's."""
    program = target("placed_kept", "-g", "-O1")
    ended = run("run", "--place", placed(tmp_path, program, "1"), program, each)
    assert kept <= int(ended.out) <= kept + 2, ended
    assert Report.of(ended.err)[:2] == (80, 80)


def test_what_children_inherit_is_checked_once(tmp_path: Path) -> None:
    program, recording = target("placed_inherited"), tmp_path / "placed.numaprof"
    file = placed(tmp_path, program)
    assert run("record", "-q", "-o", recording, "--place", file, program).status == 0
    page = os.sysconf("SC_PAGESIZE")  # of the mapping, for what stands before the block
    assert one(recording, "SELECT sum(checked_bytes) FROM placed") == (1 << 20) + page
    assert one(recording, "SELECT sum(checked_bytes) = sum(right_bytes) FROM placed") == 1


def test_only_the_ordinal_that_is_named_is_placed(tmp_path: Path) -> None:
    program = target("placed", "-pthread", "-O1", "-g")
    file = placed(tmp_path, program, place="0 node 0")
    report = Report.of(run("run", "--place", file, program).err)
    everything = Report.of(run("run", "--place", placed_all(file), program).err)
    assert report.found <= report.placed < everything.placed


def placed_all(file: Path) -> Path:
    other = file.with_name("all.txt")
    other.write_text(file.read_text().replace("place 0", "place *"))
    return other


def test_what_the_program_starts_is_placed_too(tmp_path: Path) -> None:
    program = target("placed", "-pthread", "-O1", "-g")
    file = placed(tmp_path, program)
    once = Report.of(run("run", "--place", file, program).err)
    script = f"{program}; env -i PATH=/usr/bin:/bin {program}; exec {program}"
    ended = run("run", "--place", file, "sh", "-c", script)
    assert ended.out == "all right\n" * 3
    assert Report.of(ended.err).placed >= 2 * once.placed  # a program without environment has lost the file's name


def test_a_file_for_another_program_is_said_to_be_one(tmp_path: Path) -> None:
    file = placed(tmp_path, target("placed", "-pthread", "-O1", "-g"))
    ended = run("run", "--place", file, "true")
    assert ended.status == 0
    assert "nothing placed: none of the" in ended.err


@pytest.mark.parametrize("flag", ["-static", "-fsanitize=address"])
def test_programs_that_the_preload_library_would_break_are_refused(flag: str, tmp_path: Path) -> None:
    """AddressSanitizer has to come first among the libraries, and finds errors in its own blocks only."""
    program = build_c(tmp_path / "still", str(TREE / "tests" / "targets" / "placed.c"), flag, "-pthread")
    file = placed(tmp_path, target("placed", "-pthread", "-O1", "-g"))
    for command in (("run",), ("record", "-o", tmp_path / "r")):
        ended = run(*command, "--place", file, program)
        assert (ended.status, ended.out) == (125, "")
        assert "cannot be placed" in ended.err and ended.err.count("\n") == 1
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "damaged: the file is empty;"),
        ("numaprof-placement 1\n", "describes no allocation"),
        ("numaprof-placement 7\n", "line 1: another version"),
        ("\177ELF\0\1", "line 1: not a placement file"),
        ("numaprof-placement 1\nallocation\n frame 00 1\n place * node 0\n", "cut short"),
    ],
    ids=["empty", "nothing", "version", "binary", "cut"],
)
def test_a_damaged_file_costs_one_line_and_the_program_is_not_run(tmp_path: Path, text: str, cause: str) -> None:
    file = tmp_path / "damaged"
    file.write_bytes(text.encode("latin-1"))
    ended = run("run", "--place", file, "touch", tmp_path / "ran")
    assert ended.status == 125
    assert cause in ended.err and ended.err.count("\n") == 1
    assert not (tmp_path / "ran").exists()


def test_a_recording_is_asked_of_record(tmp_path: Path) -> None:
    ended = run("run", "--place", tmp_path / "x", "-o", tmp_path / "r", "true")
    assert (ended.status, ended.err.count("\n")) == (125, 1)
    assert "numaprof record --place" in ended.err


def test_no_file_no_placement(tmp_path: Path) -> None:
    ended = run("run", "--place", tmp_path / "missing", "true")
    assert (ended.status, ended.err.count("\n")) == (125, 1)
    assert "No such file" in ended.err


def test_the_exit_status_is_the_programs(tmp_path: Path) -> None:
    file = placed(tmp_path, target("placed", "-pthread", "-O1", "-g"))
    assert run("run", "--place", file, "sh", "-c", "exit 7").status == 7
    assert run("run", "--place", file, "sh", "-c", "kill -9 $$").status == -9
    assert run("run", "--place", file, tmp_path / "nothing").status == 127


PREFERRED, INTERLEAVE, WEIGHTED = 1, 3, 6  # linux/mempolicy.h
KINDS = ("malloc", "calloc", "aligned_alloc", "posix_memalign", "realloc", "reused", "static", "mmap")


def subject_of(program: Path, kind: str, folder: Path, place: str) -> Path:
    """A placement file for what the program allocates in this way."""
    file = folder / "placement"
    if kind == "static":
        file.write_text(static_variable(program, "variable", place))
    else:
        recording = folder / "plain.numaprof"
        assert run("record", "-q", "-o", recording, program, kind).status == 0
        file.write_text(placement(recording, place))
    return file


@pytest.mark.parametrize("kind", KINDS)
def test_memory_has_its_policy_before_its_first_touch(kind: str, tmp_path: Path) -> None:
    """Also a block that realloc made of smaller ones, and one whose memory was freed before."""
    program = target("policies", "-O1", "-g")
    ended = run("run", "--place", subject_of(program, kind, tmp_path, "* blocks 0:0.3 0:1"), program, kind)
    assert (ended.status, ended.out) == (0, f"{PREFERRED} {PREFERRED}\n"), ended.err
    report = Report.of(ended.err)
    assert report.placed == report.asked >= 1 and report.right == 100


@pytest.mark.parametrize(("place", "mode"), [("* node 0", PREFERRED), ("* interleave 0", INTERLEAVE)])
def test_each_placement_is_a_policy_of_the_kernel(place: str, mode: int, tmp_path: Path) -> None:
    program = target("policies", "-O1", "-g")
    ended = run("run", "--place", subject_of(program, "malloc", tmp_path, place), program, "malloc")
    assert (ended.status, ended.out) == (0, f"{mode} {mode}\n"), ended.err


def test_weighted_interleave_or_a_note(tmp_path: Path) -> None:
    """Linux 6.9 and later interleave by weight; older kernels evenly, which is said."""
    program = target("policies", "-O1", "-g")
    ended = run("run", "--place", subject_of(program, "malloc", tmp_path, "* weighted 0"), program, "malloc")
    is_known = Path("/sys/kernel/mm/mempolicy/weighted_interleave").exists()
    mode = WEIGHTED if is_known else INTERLEAVE
    assert ended.out == f"{mode} {mode}\n", ended.err
    assert ("interleaved evenly: this kernel has no weighted interleave" in ended.err) == (not is_known)


@pytest.mark.parametrize("command", ["run", "record"])
def test_a_kernel_without_weights_interleaves_evenly_and_says_so(command: str, tmp_path: Path) -> None:
    program, older = target("policies", "-O1", "-g"), target("without_weights")
    if run_command(older, "true").status != 0:
        pytest.skip("needs system call filters (seccomp)")
    file = subject_of(program, "malloc", tmp_path, "* weighted 0")
    output = ("-o", tmp_path / "placed.numaprof") if command == "record" else ()
    ended = run_command(older, PROGRAM, command, "--place", file, *output, program, "malloc")
    assert (ended.status, ended.out) == (0, f"{INTERLEAVE} {INTERLEAVE}\n"), ended.err
    report = Report.of(ended.err)
    assert (report.placed, report.asked, report.right) == (1, 1, 100)
    assert "interleaved evenly: this kernel has no weighted interleave; Linux 6.9 has it" in ended.err


def build_other(compiler: str, output: Path, source: Path) -> Path:
    ended = run_command(compiler, "-g", "-O1", source, "-o", output, cwd=output.parent)
    assert ended.status == 0, ended.err
    return output


PINNED = "numaprof-placement 1\npin {}\nmapping\n  frame 00 1\n  place * node 0\nend\n"


def test_threads_sit_where_the_file_says(tmp_path: Path) -> None:
    """Without a recorder: main takes the first CPU when it creates its first thread."""
    allowed = sorted(os.sched_getaffinity(0))
    first, second = allowed[-1], allowed[0]
    file = tmp_path / "placement"
    file.write_text(PINNED.format(f"{first},{second}"))
    ended = run("run", "-q", "--place", file, target("seated", "-pthread"))
    assert ended.out.splitlines() == [f"thread {second}", f"main {first}"], ended.err


@pytest.mark.parametrize("command", ["run", "record"])
def test_threads_sit_by_their_number_whichever_have_ended(command: str, tmp_path: Path) -> None:
    """Without the line `threads`, each takes the CPU that the one before has left."""
    allowed = sorted(os.sched_getaffinity(0))
    main, other = allowed[0], allowed[-1]
    program, file = target("one_by_one", "-pthread"), tmp_path / "placement"
    pins, output = f"{main},{other}", () if command == "run" else ("--pin", f"{main},{other}", "-o", tmp_path / "r")
    file.write_text(PINNED.format(pins))
    ended = run(command, "-q", "--place", file, *output, program)
    assert ended.out.split() == [str(other)] * 4, ended.err
    file.write_text(PINNED.format(f"{pins}\nthreads {main},{other},{main},{main},{other}"))
    output = () if command == "run" else (*output[:-1], tmp_path / "s")
    ended = run(command, "-q", "--place", file, *output, program)
    assert ended.out.split() == [str(cpu) for cpu in (other, main, main, other)], ended.err


def test_pins_stay_hidden_and_a_choice_of_the_program_is_respected(tmp_path: Path) -> None:
    allowed = sorted(os.sched_getaffinity(0))
    file = tmp_path / "placement"
    file.write_text(PINNED.format(",".join(map(str, allowed))))
    assert run("run", "-q", "--place", file, target("where", "-pthread")).status == 0
    environment = {**os.environ, "OMP_PROC_BIND": "false"}
    ended = run("run", "-q", "--place", file, target("seated", "-pthread"), env=environment)
    whole = run_command(target("seated", "-pthread"))
    assert ended.out == whole.out


def assert_all_placed(tmp_path: Path, program: Path, least: int) -> None:
    """At least so many allocations; the program does what it did."""
    file = placed(tmp_path, program)
    plain, ended = run_command(program), run("run", "--place", file, program)
    assert (ended.status, ended.out) == (plain.status, plain.out), ended.err
    report = Report.of(ended.err)
    assert report.placed == report.asked >= least and report.right == 100


@pytest.mark.requires("g++")
def test_blocks_of_operator_new_are_placed_and_deleted(tmp_path: Path) -> None:
    program = build_other("g++", tmp_path / "news", TREE / "tests" / "objects" / "news.cpp")
    assert_all_placed(tmp_path, program, 4)


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="needs gfortran")
def test_fortran_arrays_are_placed(tmp_path: Path) -> None:
    program = build_other("gfortran", tmp_path / "arrays", TREE / "tests" / "objects" / "arrays.f90")
    assert_all_placed(tmp_path, program, 1)


@pytest.mark.parametrize("library", ["libjemalloc.so.2", "libtcmalloc.so.4", "libtcmalloc_minimal.so.4"])
def test_beside_another_allocator_that_is_preloaded(tmp_path: Path, library: str) -> None:
    found = found_library(library)
    program = target("placed", "-pthread", "-O1", "-g")
    file = placed(tmp_path, program)
    ended = run("run", "--place", file, program, env={**os.environ, "LD_PRELOAD": str(found)})
    assert (ended.status, ended.out) == (0, "all right\n"), ended.err
    report = Report.of(ended.err)
    assert report.placed == report.asked >= 20 and report.right == 100


def static_variable(program: Path, name: str, place: str) -> str:
    names = run_command("nm", "-S", program).out
    address, size = re.search(rf"^(\w+) (\w+) b {name}$", names, re.MULTILINE).groups()  # type: ignore[union-attr]
    notes = run_command("readelf", "-n", program).out
    build_id = re.search(r"Build ID: (\w+)", notes)[1]  # type: ignore[index]
    lines = ["numaprof-placement 1", "static", f"range {build_id} 0x{address} {int(size, 16)}", f"place {place}", "end"]
    return "\n".join(lines)


def test_a_static_variable_is_placed_before_its_first_touch(tmp_path: Path) -> None:
    program = target("placed", "-pthread", "-O1", "-g")
    file = tmp_path / "placement"
    file.write_text(static_variable(program, "variable", "* node 0"))
    ended = run("run", "--place", file, program)
    assert ended.out == "all right\n", ended.err
    assert Report.of(ended.err) == (1, 1, 1, 1, 100.0)


def test_the_recording_tells_the_address_of_a_static_variable(tmp_path: Path) -> None:
    program, recording = target("placed", "-pthread", "-O1", "-g"), tmp_path / "r.numaprof"
    assert run("record", "-q", "-o", recording, program).status == 0
    address = int(re.search(r"^(\w+) \w+ b variable$", run_command("nm", "-S", program).out, re.MULTILINE)[1], 16)  # type: ignore[index]
    assert rows(recording, "SELECT DISTINCT address FROM object WHERE name = 'variable'") == [address]
