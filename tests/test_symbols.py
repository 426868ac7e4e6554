# SPDX-License-Identifier: Apache-2.0
"""From addresses to names: where the names are kept elsewhere, are missing, damaged, or belong to something else."""

from __future__ import annotations

import os
import random
import re
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from conftest import TREE
from test_objects import notes, record

SOURCE = TREE / "tests" / "objects" / "named.c"
FUNCTION = "known_function"
HUGE = 2 << 30
LINE = next(i for i, text in enumerate(SOURCE.read_text().splitlines(), 1) if "// the line" in text)

COPIES = TREE / "tests" / "objects" / "copies.c"
LIBC = Path("/lib/x86_64-linux-gnu/libc.so.6")

pytestmark = pytest.mark.requires("gcc", "perf_event", "x86_64")


def build(folder: Path, *flags: str, name: str = "named") -> Path:
    path = folder / name
    subprocess.run(["gcc", "-g", "-O1", str(SOURCE), *flags, "-o", path], check=True)
    return path


def toucher(db: sqlite3.Connection) -> tuple[str | None, str | None, int | None, int | None, str | None]:
    """Function, file, line, offset and module of the place that first touches most."""
    return db.execute(
        "SELECT function, file, line, offset, module FROM sample JOIN stack ON stack.id = sample.stack"
        " JOIN place ON place.id = stack.place WHERE kind = 10 GROUP BY place.id ORDER BY sum(weight) DESC LIMIT 1"
    ).fetchone()


@pytest.mark.parametrize("flags", [("-pie", "-fPIE"), ("-no-pie",), ("-gdwarf-4",), ("-Wl,--build-id=none",), ("-gz",)])
def test_function_and_line(program: Path, tmp_path: Path, flags: tuple[str, ...]) -> None:
    function, file, line, _, _ = toucher(record(program, tmp_path, build(tmp_path, *flags)))
    assert (function, file, line) == (FUNCTION, str(SOURCE), LINE)


def test_debug_information_without_an_index(program: Path, tmp_path: Path) -> None:
    """As Go and Clang write it."""
    target = build(tmp_path)
    subprocess.run(["objcopy", "--remove-section=.debug_aranges", target], check=True)
    assert ".debug_aranges" not in sections(target)
    assert toucher(record(program, tmp_path, target))[:3] == (FUNCTION, str(SOURCE), LINE)


def test_debug_information_with_an_index_of_other_units_only(program: Path, tmp_path: Path) -> None:
    """As of Go with cgo."""
    parts = [tmp_path / "named.o", tmp_path / "other.o"]
    (tmp_path / "other.c").write_text("int other(void)\n{\n    return 1;\n}\n")
    for part, source in zip(parts, (SOURCE, tmp_path / "other.c"), strict=True):
        subprocess.run(["gcc", "-g", "-O1", "-c", str(source), "-o", part], check=True)
    subprocess.run(
        ["objcopy", "--remove-section=.debug_aranges", "--remove-section=.rela.debug_aranges", parts[0]], check=True
    )
    target = tmp_path / "named"
    subprocess.run(["gcc", *map(str, parts), "-o", target], check=True)
    assert ".debug_aranges" in sections(target)
    assert toucher(record(program, tmp_path, target))[:3] == (FUNCTION, str(SOURCE), LINE)


def split(target: Path, debug: Path) -> None:
    debug.parent.mkdir(exist_ok=True)
    subprocess.run(["objcopy", "--only-keep-debug", target, debug], check=True)
    subprocess.run(["strip", target], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", target], check=True)


@pytest.mark.parametrize("beside", ["named.debug", ".debug/named.debug"])
def test_a_debug_file_of_its_own(program: Path, tmp_path: Path, beside: str) -> None:
    target = build(tmp_path)
    split(target, tmp_path / beside)
    assert toucher(record(program, tmp_path, target))[:3] == (FUNCTION, str(SOURCE), LINE)


def test_a_debug_file_of_another_build_is_not_believed(program: Path, tmp_path: Path) -> None:
    target = build(tmp_path)
    split(target, tmp_path / "named.debug")
    other = build(tmp_path, "-DOTHER", "-O0", name="other")
    subprocess.run(["objcopy", "--only-keep-debug", other, tmp_path / "named.debug"], check=True)
    assert toucher(record(program, tmp_path, target))[:3] == (None, None, None)


def link_debug_file(target: Path, debug: Path, crc: int) -> None:
    """As objcopy --add-gnu-debuglink, which takes the checksum a byte at a time."""
    name = debug.name.encode() + b"\0"
    section = debug.with_suffix(".link")
    section.write_bytes(name + bytes(-len(name) % 4) + crc.to_bytes(4, sys.byteorder))
    subprocess.run(["objcopy", "--remove-section=.gnu_debuglink", target], check=True)
    subprocess.run(["objcopy", f"--add-section=.gnu_debuglink={section}", target], check=True)


# Started by a small process: until its exec a program has the memory of whoever starts it.
MOST_MEMORY = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_a_huge_debug_file_is_read_once_in_little_memory(program: Path, tmp_path: Path, in_memory: Path) -> None:
    """More than 2 GiB, all but its beginning a hole; the kernel adds up what processes that ended have read."""
    target, debug = build(tmp_path), in_memory / "named.debug"
    split(target, debug)
    (tmp_path / debug.name).symlink_to(debug)
    crc, zeros = zlib.crc32(debug.read_bytes()), bytes(1 << 20)
    for _ in range(HUGE >> 20):
        crc = zlib.crc32(zeros, crc)
    os.truncate(debug, debug.stat().st_size + HUGE)
    link_debug_file(target, debug, crc)
    before = bytes_read()
    command = [sys.executable, "-c", MOST_MEMORY, program, "record", "-q", "-o", tmp_path / "r", target]
    used = int(subprocess.run(command, capture_output=True, check=True).stdout)
    assert HUGE <= bytes_read() - before < 1.5 * HUGE
    assert used << 10 < HUGE / 8
    with closing(sqlite3.connect(tmp_path / "r")) as recording:
        assert toucher(recording)[:3] == (FUNCTION, str(SOURCE), LINE)


def bytes_read() -> int:
    found = re.search(r"^rchar: (\d+)$", Path("/proc/self/io").read_text(), re.MULTILINE)
    assert found
    return int(found[1])


@pytest.mark.parametrize(("name", "where"), [("libc-own.so", (str(SOURCE), LINE)), ("libc-2.33.so", (None, None))])
def test_of_the_c_library_names_are_read_and_no_lines(
    program: Path, tmp_path: Path, name: str, where: tuple[str | None, int | None]
) -> None:
    """The function is one that only the debug file names, with a version behind its name."""
    shown = '-Dmain=__attribute__((visibility("default"))) run'
    library = build(tmp_path, "-shared", "-fPIC", "-fvisibility=hidden", shown, name=name)
    subprocess.run(["objcopy", f"--redefine-sym={FUNCTION}={FUNCTION}@OLD_1", library], check=True)
    split(library, tmp_path / "library.debug")
    (tmp_path / "main.c").write_text(
        "int run(int, char **);\nint main(int count, char **words)\n{\n"
        "    for (int i = 0; i < 8; i++)\n        run(count, words);\n    return 0;\n}\n"
    )
    target = tmp_path / "target"
    subprocess.run(["gcc", str(tmp_path / "main.c"), library, f"-Wl,-rpath,{tmp_path}", "-o", target], check=True)
    assert toucher(record(program, tmp_path, target))[:3] == (FUNCTION, *where)


def test_without_debug_information_there_is_function_and_offset(program: Path, tmp_path: Path) -> None:
    target = build(tmp_path)
    subprocess.run(["strip", "--strip-debug", target], check=True)
    function, file, line, offset, _ = toucher(record(program, tmp_path, target))
    assert (function, file, line) == (FUNCTION, None, None)
    assert offset is not None and 0 < offset < 64


def test_without_any_name_there_is_the_module(program: Path, tmp_path: Path) -> None:
    target = build(tmp_path)
    subprocess.run(["strip", target], check=True)
    assert toucher(record(program, tmp_path, target)) == (None, None, None, None, str(target))


def test_a_program_that_was_replaced_keeps_its_names(program: Path, tmp_path: Path) -> None:
    target = build(tmp_path)
    (tmp_path / "other").write_text("another file by now\n")
    db = record(program, tmp_path, target, "replace", tmp_path / "other")
    assert target.read_text() == "another file by now\n"
    assert toucher(db)[:3] == (FUNCTION, str(SOURCE), LINE)


def test_a_file_that_was_changed_has_no_names_and_a_note(program: Path, tmp_path: Path) -> None:
    source = tmp_path / "library.c"
    source.write_text("void library_function(volatile char *b) { for (int i = 0; i < 1 << 20; i += 4096) b[i] = 1; }\n")
    library = tmp_path / "library.so"
    subprocess.run(["gcc", "-g", "-shared", "-fPIC", source, "-o", library], check=True)
    db = record(program, tmp_path, build(tmp_path), "library", library)
    assert toucher(db) == (None, None, None, None, str(library))
    assert any("changed" in text for text in notes(db, "replaced"))


def record_compiled(program: Path, folder: Path, *names: str) -> sqlite3.Connection:
    """The names' file goes: a later process of the same number may belong to another user."""
    db = record(program, folder, build(folder), "jit", *names)
    (pid,) = db.execute("SELECT pid FROM process").fetchone()
    Path(f"/tmp/perf-{pid}.map").unlink()
    return db


def test_compiled_code_has_the_name_its_compiler_told(program: Path, tmp_path: Path) -> None:
    function, file, _, offset, module = toucher(record_compiled(program, tmp_path, "LMain;::run(int)"))
    assert (function, file, offset, module) == ("LMain;::run(int)", None, 0, "[anonymous code]")


def test_compiled_code_with_two_names_has_none(program: Path, tmp_path: Path) -> None:
    assert toucher(record_compiled(program, tmp_path, "first", "second"))[0] is None


def sections(path: Path) -> dict[str, tuple[int, int]]:
    """File offset and size of each section."""
    text = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    rows = (line.split("]", 1)[1].split() for line in text.splitlines() if line.strip().startswith("[") and "]" in line)
    return {row[0]: (int(row[3], 16), int(row[4], 16)) for row in rows if len(row) > 5 and row[0].startswith(".")}


def without_debug_file(library: Path, copy: Path) -> None:
    """A copy of a stripped library whose build id and checksum lead to no debug file, installed or not."""
    content = bytearray(library.read_bytes())
    for name, start in ((".note.gnu.build-id", 16), (".gnu_debuglink", 0)):
        offset, size = sections(library).get(name, (0, 0))
        for i in range(offset + start, offset + size):
            content[i] ^= 0xFF
    copy.write_bytes(content)


@pytest.mark.skipif(not LIBC.exists(), reason="needs a libc in Debian's place")
@pytest.mark.parametrize("flags", ["-fcf-protection=none", "-Wl,-z,ibtplt", "-fno-plt", "-no-pie", "-Wl,-z,now"])
def test_what_a_stripped_library_does_not_name_has_the_name_of_its_call(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str
) -> None:
    """libc chooses memcpy and memset by CPU; it does not export what it chooses from."""
    target, libraries = tmp_path / "copies", tmp_path / "libraries"
    subprocess.run(["gcc", "-O1", "-g", "-fno-builtin", flags, str(COPIES), "-o", target], check=True)
    libraries.mkdir()
    without_debug_file(LIBC, libraries / LIBC.name)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(libraries))
    db = record(program, tmp_path, target)
    pages = dict(
        db.execute(
            "SELECT function, sum(weight) FROM sample JOIN stack ON stack.id = sample.stack"
            " JOIN place ON place.id = stack.place WHERE kind = 10 AND module = ? GROUP BY function",
            (str(libraries / LIBC.name),),
        )
    )
    assert pages["memset"] == 1024
    assert pages["memcpy"] == 512


def called(folder: Path, target: Path) -> set[str]:
    """The names that the calls in a file say."""
    reader = folder / "called"
    sources = [TREE / "tests" / "objects" / "called.c", TREE / "profiler/symbols/debug_info/called_symbols.c"]
    subprocess.run(
        ["gcc", "-std=c17", "-D_GNU_SOURCE", f"-I{TREE}", *map(str, sources), "-o", reader, "-lelf"], check=True
    )
    done = subprocess.run([reader, target], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.requires("arm")
@pytest.mark.parametrize("flags", [(), ("-no-pie",), ("-fno-plt",), ("-Wl,-z,force-bti", "-mbranch-protection=bti")])
def test_calls_of_arm_say_names(tmp_path: Path, flags: tuple[str, ...]) -> None:
    target = tmp_path / "copies"
    subprocess.run(["aarch64-linux-gnu-gcc", "-O1", "-fno-builtin", *flags, str(COPIES), "-o", target], check=True)
    assert {"memset", "memcpy", "read", "printf"} <= called(tmp_path, target) <= names(target)


@pytest.mark.parametrize("flags", [(), ("-Wl,-z,ibtplt",), ("-fno-plt",), ("-shared", "-fPIC")])
def test_calls_within_a_stripped_file_say_names_of_other_files_only(tmp_path: Path, flags: tuple[str, ...]) -> None:
    target = tmp_path / "copies"
    subprocess.run(["gcc", "-O1", "-s", "-fno-builtin", *flags, str(COPIES), "-o", target], check=True)
    assert {"memset", "memcpy", "read", "printf"} <= called(tmp_path, target) <= names(target)


def names(target: Path) -> set[str]:
    """Of the functions of other files."""
    text = subprocess.run(["readelf", "-W", "--dyn-syms", target], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in text.splitlines()]
    return {row[7].partition("@")[0] for row in rows if len(row) > 7 and row[6] == "UND"}


@pytest.mark.parametrize("seed", range(6))
def test_damaged_files_cost_names_but_no_recording(program: Path, tmp_path: Path, seed: int) -> None:
    """Bytes of what only describes the program are overwritten at random: it still runs, and is still recorded."""
    target = build(tmp_path)
    chance = random.Random(seed)
    content = bytearray(target.read_bytes())
    for name, (offset, size) in sections(target).items():
        if name.startswith((".debug_", ".symtab", ".strtab", ".eh_frame_hdr", ".shstrtab")):
            for _ in range(max(4, size // 40)):
                content[offset + chance.randrange(size)] = chance.randrange(256)
    if seed % 2:
        start = int.from_bytes(content[40:48], "little")  # the section headers themselves
        for _ in range(40):
            content[start + chance.randrange(len(content) - start)] = chance.randrange(256)
    target.write_bytes(content)
    db = record(program, tmp_path, target)
    assert db.execute("SELECT complete FROM run").fetchone() == (1,)
    assert toucher(db)[4] == str(target)


@pytest.mark.requires("g++")
def test_what_a_parallel_region_in_a_block_inlines_has_the_line_of_its_caller(program: Path, tmp_path: Path) -> None:
    """GCC describes the region's function within the block of the function that it is written in."""
    source = TREE / "tests" / "objects" / "blocks.cpp"
    target = tmp_path / "blocks"
    subprocess.run(["g++", "-std=c++17", "-g", "-O2", "-fopenmp", source, "-o", target], check=True)
    db = record(program, tmp_path, target)
    lines = db.execute(
        "SELECT outside.file, outside.line FROM sample JOIN stack ON stack.id = sample.stack"
        " JOIN place ON place.id = stack.place JOIN place AS outside ON outside.id = place.inline_of"
        " WHERE kind = 10 GROUP BY outside.id ORDER BY sum(weight) DESC LIMIT 1"
    ).fetchall()
    line = next(i for i, text in enumerate(source.read_text().splitlines(), 1) if "// the line" in text)
    assert lines == [(str(source), line)]
