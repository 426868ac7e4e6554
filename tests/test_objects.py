# SPDX-License-Identifier: Apache-2.0
"""What a recording calls memory: objects by allocation call stack, variables, stacks, mappings."""

from __future__ import annotations

import ctypes.util
import shutil
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import BUILD, TREE, build_once

SOURCES = TREE / "tests" / "objects"
PAGES = 256  # each object of the test programs has 1 MiB
THIN = 97  # faults that come in masses are sampled one in this many

pytestmark = pytest.mark.requires("gcc", "perf_event", "x86_64")


@dataclass(frozen=True)
class Named:
    """An object that samples name, with the functions of its allocation path from the innermost out."""

    kind: str
    name: str | None
    path: tuple[str, ...]
    lines: tuple[int, ...]
    pages: int
    blocks: int


def build(source: str, output: str, *flags: str) -> Path:
    return build_once(BUILD / "tests" / "objects" / output, str(SOURCES / source), *flags, build=compile_object)


def compile_object(output: Path, source: str, *flags: str) -> None:
    compiler = "g++" if source.endswith(".cpp") else "gcc"
    command = [compiler, "-g", "-O1", "-pthread", source, *flags, "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _in_memory(recording: Path) -> sqlite3.Connection:
    """No file stays open until Python collects its garbage."""
    db = sqlite3.connect(":memory:")
    with closing(sqlite3.connect(f"file:{recording}?mode=ro&immutable=1", uri=True)) as file:
        file.backup(db)
    return db


def record(program: Path, folder: Path, *command: str | Path) -> sqlite3.Connection:
    """No record is lost: the programs touch little, or wait for the recorder."""
    output = folder / "r.numaprof"
    words = [program, "record", "-o", output, *command]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stderr
    db = _in_memory(output)
    db.text_factory = lambda raw: raw.decode(errors="replace")
    assert notes(db, "lost") == []
    return db


def notes(db: sqlite3.Connection, kind: str) -> list[str]:
    return [text for (text,) in db.execute("SELECT text FROM note WHERE kind = ?", (kind,))]


def call_path(db: sqlite3.Connection, stack: int | None) -> list[tuple[str, int, str]]:
    """Function, line and file of each place, inlined ones too, innermost first."""
    path: list[tuple[str, int, str]] = []
    while stack is not None:
        place, stack = db.execute("SELECT place, caller FROM stack WHERE id = ?", (stack,)).fetchone()
        while place is not None:
            function, line, file, place = db.execute(
                "SELECT function, line, file, inline_of FROM place WHERE id = ?", (place,)
            ).fetchone()
            path.append((function or "?", line or 0, file or ""))
    return path


def named(db: sqlite3.Connection) -> list[Named]:
    rows = db.execute(
        "SELECT object.kind, object.name, object.alloc_stack, sum(sample.weight), count(DISTINCT block.id)"
        " FROM object JOIN block ON block.object = object.id JOIN sample ON sample.block = block.id GROUP BY object.id"
    ).fetchall()
    result = []
    for kind, name, stack, pages, blocks in rows:
        path = call_path(db, stack)
        result.append(Named(kind, name, tuple(p[0] for p in path), tuple(p[1] for p in path), pages, blocks))
    return result


def line_of(source: str, text: str) -> int:
    lines = (SOURCES / source).read_text().splitlines()
    (number,) = (i for i, line in enumerate(lines, 1) if text in line)
    return number


@pytest.fixture(scope="module")
def kinds(program: Path, tmp_path_factory: pytest.TempPathFactory) -> sqlite3.Connection:
    return record(program, tmp_path_factory.mktemp("kinds"), build("kinds.c", "kinds"))


def of_path(db: sqlite3.Connection, function: str) -> list[Named]:
    return [found for found in named(db) if any(function == place.split("(")[0] for place in found.path[:1])]


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        ("by_malloc", "heap"),
        ("by_calloc", "heap"),
        ("by_realloc", "heap"),
        ("by_reallocarray", "heap"),
        ("by_aligned_alloc", "heap"),
        ("by_posix_memalign", "heap"),
        ("by_memalign", "heap"),
        ("by_valloc", "heap"),
        ("by_mmap", "mapping"),
        ("by_shared_mmap", "shared"),
        ("by_memset", "heap"),
    ],
)
def test_a_block_is_named_by_the_call_that_made_it(kinds: sqlite3.Connection, function: str, kind: str) -> None:
    found = of_path(kinds, function)
    assert found and {each.kind for each in found} == {kind}
    assert found[0].path[:2] == (function, "main")
    assert found[0].pages >= PAGES - THIN


def test_an_address_used_again_has_the_name_of_its_time(kinds: sqlite3.Connection) -> None:
    first, second = line_of("kinds.c", "char *first = malloc(MIB)"), line_of("kinds.c", "char *second = malloc")
    found = {each.lines[0]: each.pages for each in of_path(kinds, "by_reuse")}
    assert set(found) == {first, second}
    assert abs(found[first] - PAGES) <= THIN and abs(found[second] - PAGES) <= THIN


@pytest.mark.parametrize("function", ["by_realloc", "by_mremap"])
def test_memory_that_grows_has_one_block_at_a_time(function: str, program: Path, tmp_path: Path) -> None:
    db = record(program, tmp_path, build("grown.c", "grown"))
    rows = db.execute(
        "SELECT start_ns, end_ns, bytes, alloc_stack FROM block JOIN object ON object.id = object"
    ).fetchall()
    blocks = sorted(row[:3] for row in rows if any(place[0] == function for place in call_path(db, row[3])))
    assert [size >> 20 for _, _, size in blocks] == list(range(1, 9))
    assert all(before[1] <= after[0] for before, after in zip(blocks, blocks[1:]))


def test_what_replaces_a_part_of_a_mapping_is_no_part_of_it(program: Path, tmp_path: Path) -> None:
    """Also below 64 KiB, of files and of addresses that were reserved. What mremap does to a file makes no object."""
    db = record(program, tmp_path, build("replaced.c", "replaced"))
    for function in ("without_tail", "below_a_small_one", "below_a_file", "below_reserved"):
        (found,) = (each for each in named(db) if function in each.path)
        assert found.kind == "mapping" and abs(found.pages - PAGES / 2) <= THIN
    assert [each for each in named(db) if "moved_file" in each.path] == []


@pytest.mark.parametrize("name", ["static_array", "filled_array"])
def test_a_static_variable_is_named(kinds: sqlite3.Connection, name: str) -> None:
    (found,) = (each for each in named(kinds) if each.name == name)
    assert found.kind == "static" and abs(found.pages - PAGES) <= THIN
    assert found.lines == (line_of("kinds.c", f"static volatile char {name}[MIB]"),)  # where it is declared


def test_thread_local_variables_are_one_object_with_a_block_for_each_thread(kinds: sqlite3.Connection) -> None:
    (found,) = (each for each in named(kinds) if each.name == "thread_array")
    assert found.kind == "tls" and found.blocks == 2  # of main and of the thread
    assert abs(found.pages - 2 * PAGES) <= 2 * THIN


def test_a_threads_stack_is_one(kinds: sqlite3.Connection) -> None:
    pages = sum(each.pages for each in named(kinds) if each.kind == "stack")
    assert pages >= PAGES - THIN


def test_a_file_is_named_by_its_path(kinds: sqlite3.Connection) -> None:
    found = [each for each in named(kinds) if each.kind == "file" and each.name and "/kinds." in each.name]
    assert found and abs(found[0].pages - PAGES) <= THIN


def test_a_forked_child_has_objects_of_its_own(kinds: sqlite3.Connection) -> None:
    assert len(of_path(kinds, "by_malloc")) == 2


def test_memset_is_called_by_a_line_that_can_be_edited(kinds: sqlite3.Connection) -> None:
    """The first touch is libc's; the recording leads to the caller's line."""
    line = line_of("kinds.c", "memset(block, 1, MIB); // memset")
    stacks = kinds.execute(
        "SELECT DISTINCT sample.stack FROM sample JOIN block ON block.id = sample.block"
        " JOIN object ON object.id = block.object WHERE object.alloc_stack IS NOT NULL"
    ).fetchall()
    firsts = [next((p for p in call_path(kinds, stack) if p[2].endswith("kinds.c")), None) for (stack,) in stacks]
    assert ("by_memset", line, str(SOURCES / "kinds.c")) in firsts


@pytest.fixture(scope="module")
def news(program: Path, tmp_path_factory: pytest.TempPathFactory) -> sqlite3.Connection:
    return record(program, tmp_path_factory.mktemp("news"), build("news.cpp", "news", "-std=c++17"))


@pytest.mark.requires("g++")
@pytest.mark.parametrize(
    "function",
    ["by_new", "by_new_nothrow", "by_new_aligned", "by_new_aligned_nothrow", "by_operator", "by_failing"],
)
def test_operator_new_is_named_by_its_caller(news: sqlite3.Connection, function: str) -> None:
    objects = news.execute("SELECT alloc_stack FROM object WHERE kind = 'heap' AND alloc_stack IS NOT NULL")
    paths = [call_path(news, stack) for (stack,) in objects]
    assert any(path[0][0] == f"{function}()" for path in paths), paths


@pytest.mark.requires("g++")
@pytest.mark.parametrize(("function", "text"), [("by_resize", "// resize"), ("by_constructor", "// constructor")])
def test_containers_lead_to_the_users_line(news: sqlite3.Connection, function: str, text: str) -> None:
    """Of the touch and of the allocation: behind the containers' own places there is one in the user's file."""
    users = set()
    for touched, allocated in news.execute(
        "SELECT DISTINCT sample.stack, object.alloc_stack FROM sample JOIN block ON block.id = sample.block"
        " JOIN object ON object.id = block.object WHERE sample.stack IS NOT NULL AND object.alloc_stack IS NOT NULL"
    ):
        mine = [
            next((p for p in call_path(news, stack) if p[2] == str(SOURCES / "news.cpp")), ("", 0, ""))
            for stack in (touched, allocated)
        ]
        users.add(tuple((p[0], p[1]) for p in mine))
    place = (f"{function}()", line_of("news.cpp", text))
    assert (place, place) in users, users


def test_blocks_have_names_without_perf_event(program: Path, tmp_path: Path) -> None:
    output = tmp_path / "x.numaprof"
    target = build("kinds.c", "kinds")
    subprocess.run([program, "record", "-q", "--without", "faults", "-o", output, target], check=True, cwd=tmp_path)
    db = _in_memory(output)
    objects = db.execute("SELECT alloc_stack FROM object WHERE alloc_stack IS NOT NULL")
    paths = {tuple(place[0] for place in call_path(db, stack)[:2]) for (stack,) in objects}
    assert {("by_malloc", "main"), ("by_realloc", "main"), ("by_mmap", "main")} <= paths


def test_a_child_that_no_handler_saw_does_not_disturb_its_parent(program: Path, tmp_path: Path) -> None:
    db = record(program, tmp_path, build("forks.c", "forks"))
    made = [
        blocks
        for (blocks,) in db.execute(
            "SELECT count(*) FROM block JOIN object ON object.id = block.object"
            " WHERE alloc_stack IS NOT NULL GROUP BY object.id"
        )
    ]
    left_out = sum(value for (value,) in db.execute("SELECT value FROM note WHERE kind = 'instances'"))
    assert max(made) + left_out >= 2000


def test_blocks_of_a_librarys_constructor_are_seen(program: Path, tmp_path: Path) -> None:
    library = build("early.c", "libearly.so", "-shared", "-fPIC")
    source = tmp_path / "main.c"
    source.write_text("extern char *early_block; int main(void) { return !early_block; }\n")
    target = tmp_path / "main"
    subprocess.run(["gcc", "-g", source, library, f"-Wl,-rpath,{library.parent}", "-o", target], check=True)
    db = record(program, tmp_path, target)
    paths = [call_path(db, s) for (s,) in db.execute("SELECT alloc_stack FROM object WHERE alloc_stack IS NOT NULL")]
    assert any(path[0][0] == "early_constructor" for path in paths), paths


@pytest.mark.parametrize("library", ["jemalloc", "tcmalloc_minimal"])
def test_blocks_of_another_allocator_are_seen(program: Path, tmp_path: Path, library: str) -> None:
    name = ctypes.util.find_library(library)
    if not name:
        pytest.skip(f"needs lib{library}")
    target = build("kinds.c", f"kinds-{library}", "-Wl,--no-as-needed", f"-l:{name}")
    db = record(program, tmp_path, target)
    assert {"by_malloc", "by_calloc", "by_posix_memalign"} <= {each.path[0] for each in named(db) if each.path}


def test_an_allocator_in_the_program_itself_is_said_to_hide_blocks(program: Path, tmp_path: Path) -> None:
    source = tmp_path / "own.c"
    source.write_text(
        "#include <stddef.h>\n#include <sys/mman.h>\n#include <string.h>\n"
        "void *malloc(size_t n) { return mmap(NULL, n + 4096, 3, 34, -1, 0); }\nvoid free(void *p) { (void)p; }\n"
        "int main(void) { char *p = malloc(1 << 20); memset(p, 1, 1 << 20); return p[7] != 1; }\n"
    )
    target = tmp_path / "own"
    subprocess.run(["gcc", "-g", "-fno-builtin", source, "-o", target], check=True)
    db = record(program, tmp_path, target)
    assert any("own malloc" in text for text in notes(db, "objects"))
    assert any(each.kind == "mapping" and each.path[:2] == ("malloc", "main") for each in named(db))


def test_a_static_program_has_mappings_and_variables_and_says_so(program: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "static.c", tmp_path / "static"
    source.write_text(
        "static volatile char static_array[1 << 20];\n"
        "int main(void) { for (int i = 0; i < 1 << 20; i += 4096) static_array[i] = 1; return 0; }\n"
    )
    subprocess.run(["gcc", "-g", "-static", source, "-o", target], check=True)
    db = record(program, tmp_path, target)
    assert any("static program" in text for text in notes(db, "objects"))
    assert "static_array" in {each.name for each in named(db)}


@pytest.mark.skipif(not shutil.which("gfortran"), reason="needs gfortran")
def test_arrays_of_fortran_are_named(program: Path, tmp_path: Path) -> None:
    target = tmp_path / "arrays"
    subprocess.run(["gfortran", "-g", "-O1", SOURCES / "arrays.f90", "-J", tmp_path, "-o", target], check=True)
    db = record(program, tmp_path, target)
    found = {each.name: each.lines for each in named(db) if each.kind == "static" and each.pages >= PAGES - THIN}
    assert {"__held_MOD_in_module", "shared_block_"} <= found.keys()
    assert any(name and name.startswith("in_program") for name in found)
    assert found["__held_MOD_in_module"] == (line_of("arrays.f90", "real(8) :: in_module(131072)"),)
    assert any(each.kind == "heap" and each.path[0].startswith("allocate_one") for each in named(db) if each.path)


def test_huge_pages_are_a_kind_of_their_own(program: Path, tmp_path: Path) -> None:
    free = Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages")
    if not free.exists() or int(free.read_text()) < 2:
        pytest.skip("needs two free huge pages (vm.nr_hugepages)")
    source = tmp_path / "huge.c"
    source.write_text(
        "#include <sys/mman.h>\nint main(void) {\n"
        "char *p = mmap(0, 4 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);\n"
        "if (p == MAP_FAILED) return 1;\np[0] = p[2 << 20] = 1;\nreturn 0; }\n"
    )
    target = tmp_path / "huge"
    subprocess.run(["gcc", "-g", source, "-o", target], check=True)
    db = record(program, tmp_path, target)
    (found,) = (each for each in named(db) if each.kind == "huge")
    assert found.path[0] == "main" and found.lines[0] == 3


@pytest.mark.requires("root")
def test_a_touch_inside_a_system_call_is_the_kernels_for_the_users_line(program: Path, tmp_path: Path) -> None:
    source = tmp_path / "reader.c"
    source.write_text(
        "#include <fcntl.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
        'int main(void) { int fd = open("/dev/zero", O_RDONLY); char *p = malloc(1 << 20);\n'
        "return p == 0 || read(fd, p, 1 << 20) != 1 << 20; }\n"
    )
    target = tmp_path / "reader"
    subprocess.run(["gcc", "-g", source, "-o", target], check=True)
    db = record(program, tmp_path, target)
    ((stack, module),) = db.execute(
        "SELECT sample.stack, module FROM sample JOIN stack ON stack.id = sample.stack"
        " JOIN place ON place.id = stack.place WHERE kind = 10 GROUP BY sample.stack ORDER BY sum(weight) DESC LIMIT 1"
    ).fetchall()
    assert module == "[kernel]"
    assert ("main", 5) in {place[:2] for place in call_path(db, stack)}
