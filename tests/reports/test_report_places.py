# SPDX-License-Identifier: Apache-2.0
"""Which place of a call stack is the user's: against a plain walk in Python, and by example."""

from __future__ import annotations

import fnmatch
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numaprof.document.open_recording import reading
from numaprof.evidence.source_location import Site, place_in, site_of
from numaprof.recording.sql.sql_locations import Place
from reading import read
from recording_builder import FIRST_TOUCH, PAGE, RecordingBuilder

PROGRAM = "/home/u/sum"
LIBC = "/usr/lib/x86_64-linux-gnu/libc.so.6"

Frame = dict[str, object]


def user(line: int, **columns: object) -> Frame:
    return {"module": PROGRAM, "file": "/home/u/sum.c", "line": line, "function": "main", **columns}


def bare(function: str | None, module: str | None = LIBC, **columns: object) -> Frame:
    return {"module": module, "file": None, "line": None, "function": function, **columns}


def site(tmp_path: Path, *frames: Frame) -> Site:
    """What the report calls the place of one first touch with this call stack, innermost first."""
    builder = RecordingBuilder().threads(1)
    builder.sample(
        FIRST_TOUCH, 1, builder.stack(*(builder.add("place", address=7, **frame) for frame in frames)), address=PAGE
    )
    return read(builder, tmp_path).init_sites[0].site


def test_line_of_the_caller_of_memset(tmp_path: Path) -> None:
    found = site(tmp_path, bare("clear_page", "[kernel]"), bare("__memset_avx2"), user(17), user(40))
    assert found.label == "sum.c:17 main"


def test_library_with_debug_information_is_still_not_the_users(tmp_path: Path) -> None:
    libc = bare("memset", file="/build/glibc/memset.c", line=3)
    assert site(tmp_path, libc, user(17)).position == "sum.c:17"


def test_headers_of_the_system_are_not_the_users(tmp_path: Path) -> None:
    """std::fill, inlined into the program: the line is in /usr/include, the caller's is what one can edit."""
    fill = user(900, file="/usr/include/c++/12/bits/stl_algobase.h", function="std::fill")
    assert site(tmp_path, fill, user(17)).position == "sum.c:17"


@pytest.mark.parametrize(
    "file",
    [
        "/rustc/59807616e1fa/library/alloc/src/alloc.rs",
        "/rust/deps/hashbrown-0.16.1/src/raw/alloc.rs",
        "/home/u/.cargo/registry/src/index.crates.io-1949cf8c/ndarray-0.16.1/src/lib.rs",
    ],
)
def test_libraries_of_rust_in_the_program_are_not_the_users(tmp_path: Path, file: str) -> None:
    assert site(tmp_path, user(178, file=file), user(17)).position == "sum.c:17"


def test_users_own_library(tmp_path: Path) -> None:
    solver = {"module": "/home/u/libsolver.so", "file": "/home/u/solver.c", "line": 5, "function": "solve"}
    assert site(tmp_path, bare("memcpy"), solver, user(17)).label == "solver.c:5 solve"


def test_program_in_a_system_folder(tmp_path: Path) -> None:
    """The program itself is always the user's, wherever it lies."""
    builder = RecordingBuilder(program="/usr/lib/app/bin").threads(1)
    place = builder.place(("/src/app.c", 3, "run"), module="/usr/lib/app/bin")
    builder.sample(FIRST_TOUCH, 1, builder.stack(place), address=PAGE)
    assert read(builder, tmp_path).init_sites[0].site.position == "app.c:3"


@pytest.mark.parametrize(
    ("frames", "label"),
    [
        ([bare("memset"), bare("work", PROGRAM), bare("main", PROGRAM)], "work in sum"),
        ([bare("memset"), bare(None, PROGRAM)], "sum+0x7"),
        ([bare("memset"), bare("start_thread")], "memset in libc.so.6"),
        ([bare(None)], "a function of libc.so.6"),
        ([bare(None, None)], "unknown place"),
        ([bare(None, "[anonymous code]"), bare("main", PROGRAM)], "main in sum"),
        ([bare(None, "[anonymous code]"), bare("JavaMain", "/usr/lib/jvm/libjli.so")], "generated code"),
        ([bare("Work.sum(int)", "[anonymous code]"), bare("JavaMain", "/usr/lib/jvm/libjli.so")], "Work.sum(int)"),
        ([bare("memset"), bare("os::commit", "/usr/lib/jvm/libjvm.so")], "os::commit in libjvm.so"),
        (
            [bare(None, "[anonymous code]"), bare("uv__async_io", "/usr/bin/node", file="async.c", line=176)],
            "generated code",
        ),
        (
            [
                bare("runtime.memclrNoHeapPointers", PROGRAM, file="/usr/local/go/src/runtime/memclr_amd64.s", line=93),
                bare("main.main", PROGRAM, file="/home/u/w.go", line=3),
                bare("runtime.main", PROGRAM, file="/usr/local/go/src/runtime/proc.go", line=290),
            ],
            "w.go:3 main.main",
        ),
        (
            [bare("runtime.bgsweep", PROGRAM, file="/usr/local/go/src/runtime/mgcsweep.go", line=290)],
            "runtime.bgsweep in sum",
        ),
        ([bare("mine", "/home/u/node/sum", file="/home/u/a.c", line=1)], "a.c:1 mine"),
        (
            [
                bare("_PyEval_EvalFrameDefault", "/home/u/lib/libpython3.12.so.1.0"),
                bare("py::work:/w.py", "[anonymous code]"),
            ],
            "w.py work",
        ),
    ],
)
def test_without_lines(frames: list[Frame], label: str, tmp_path: Path) -> None:
    assert site(tmp_path, *frames).label == label


def test_inlined_places_stand_before_their_caller(tmp_path: Path) -> None:
    builder = RecordingBuilder().threads(1)
    outer = builder.add("place", address=7, **user(17))
    inner = builder.add("place", address=7, **user(9, function="clear", inline_of=outer))
    header = builder.add("place", address=7, **user(900, file="/usr/include/c++/12/x.h", inline_of=inner))
    builder.sample(FIRST_TOUCH, 1, builder.stack(header, builder.add("place", address=8, **user(99))), address=PAGE)
    assert read(builder, tmp_path).init_sites[0].site.label == "sum.c:9 clear"


def test_instructions_of_one_line_are_one_place(tmp_path: Path) -> None:
    builder = RecordingBuilder().threads(1)
    for address in range(5):
        place = builder.add("place", **{"address": address, **user(17)})
        builder.sample(FIRST_TOUCH, 1, builder.stack(place), 10, address=PAGE * address)
    found = read(builder, tmp_path).init_sites
    assert [(found_site.site.position, found_site.pages) for found_site in found] == [("sum.c:17", 50)]


# Against a second implementation

frames = st.fixed_dictionaries(
    {
        "module": st.sampled_from([PROGRAM, "/home/u/own.so", LIBC, "/lib64/ld.so", "[kernel]", None]),
        "file": st.sampled_from(["/home/u/a.c", "/usr/include/x.h", None]),
        "line": st.sampled_from([None, 0, 1, 2]),
        "function": st.sampled_from(["f", "main", None]),
    }
)


def rank(frame: Frame) -> int:
    module, file, line = frame["module"], frame["file"], frame["line"]
    if module is None or module == "[kernel]":
        return 0
    if module != PROGRAM and any(fnmatch.fnmatch(str(module), system) for system in ("/lib*", "/usr/lib*")):
        return 0
    if file is not None and line and not str(file).startswith(("/usr/include/", "/usr/lib/")):
        return 3
    return 2 if frame["function"] is not None else 1


@settings(max_examples=40)
@given(st.lists(st.tuples(frames, st.booleans()), min_size=1, max_size=7))
def test_best_place_is_the_innermost_of_the_highest_rank(path: list[tuple[Frame, bool]]) -> None:
    """A path, innermost first; the flag says that a frame was inlined into the next one."""
    builder = RecordingBuilder().threads(1)
    ids: list[int] = []
    for frame, inlined in reversed(path):
        ids.insert(0, builder.add("place", address=len(ids), inline_of=ids[0] if inlined and ids else None, **frame))
    # What others were inlined into is reached through them and stands in no stack.
    stacked = [ids[at] for at in range(len(path)) if at == 0 or not path[at - 1][1]]
    builder.sample(FIRST_TOUCH, 1, builder.stack(*stacked), address=PAGE)
    best = max(range(len(path)), key=lambda at: (rank(path[at][0]), -at))
    frame = path[best][0]
    expected = Place(
        ids[best], frame["module"], len(path) - 1 - best, frame["function"], None, frame["file"], frame["line"]
    )
    with tempfile.TemporaryDirectory() as folder:
        assert read(builder, Path(folder)).init_sites[0].site == site_of(expected)


def test_addresses_of_the_kernel_are_not_shown() -> None:
    """The recording has them as SQLite's signed numbers: -2 stands for 0xfffffffffffffffe."""
    assert place_in("[kernel]", -2) == "[kernel]"
    assert place_in("/lib/libc.so.6", 64) == "/lib/libc.so.6+0x40"


class Outer(NamedTuple):
    stack: int
    place: int


@settings(max_examples=40)
@given(
    st.lists(st.lists(st.tuples(frames, st.booleans()), min_size=1, max_size=4), min_size=1, max_size=3),
    st.lists(st.tuples(frames, st.booleans()), max_size=4),
)
def test_outer_place_is_the_outermost_of_the_own_places(
    leaves: list[list[tuple[Frame, bool]]], callers: list[tuple[Frame, bool]]
) -> None:
    """Stacks that share their callers: each place is the user's own from the innermost of these on."""
    builder = RecordingBuilder().threads(1)
    expected = set()
    for leaf in leaves:
        path = [*leaf[:-1], (leaf[-1][0], False), *callers]
        ids: list[int] = []
        for frame, inlined in reversed(path):
            ids.insert(
                0, builder.add("place", address=len(ids), inline_of=ids[0] if inlined and ids else None, **frame)
            )
        stack = builder.stack(*(ids[at] for at in range(len(path)) if at == 0 or not path[at - 1][1]))
        builder.loads(stack, 1, [PAGE], 0)
        ranks = [rank(frame) for frame, _ in path]
        first = ranks.index(3) if 3 in ranks else len(path)
        end = next((at for at in range(first, len(path)) if ranks[at] < 3), len(path))
        if end > first + 1 and path[end - 1][0]["function"] != "main":
            expected.add((stack, ids[end - 1]))
    with tempfile.TemporaryDirectory() as folder, reading(str(builder.write(Path(folder) / "r.numaprof"))) as source:
        assert set(source.recording.rows(Outer, "SELECT stack, place FROM outer_place")) == expected
