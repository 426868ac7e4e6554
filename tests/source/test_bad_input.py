# SPDX-License-Identifier: Apache-2.0
"""Text that is damaged, odd or not C at all: a fix or words, never an exception."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from numaprof.source import files
from numaprof.source.files import Sources
from numaprof.source.fix import fix_for
from numaprof.source.patch import printed, unified
from numaprof.source.request import Form, Line, Request, Wanted
from numaprof.text.source_lines import MOST_BYTES, allow

PROGRAMS = sorted((Path(__file__).parents[1] / "corpus" / "programs").glob("*.*"))
PIECES = [
    *"(){}[]<>*&%+?\\|^$.,;:'\"=#!/ \t\0é",
    *("{1, 2}", "\n#define NEW(b [, c) malloc(b)\n", " " * 200, "(" * 60, "a." * 100, "\n#ifdef X\n", "\xff"),
]
NAMES = ["make", "grid", "a(", "x[", "std::vector<int>::x", "*", ""]
MARKS = ("alloc", "new ", "vector", "mmap", "static", "make_", "resize", "common", "for (", "do ")


def damaged(text: str, chance: random.Random) -> bytes:
    for _ in range(chance.choice([0, 1, 1, 2, 4, 10])):
        at, length = chance.randrange(len(text) + 1), chance.choice([0, 0, 1, 2, 20])
        text = text[:at] + chance.choice(["", chance.choice(PIECES)]) + text[at + length :]
    return text.encode(chance.choice(["utf-8", "utf-8", "latin-1"]), "replace")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_damaged_text_gives_a_patch_or_words(program: Path, tmp_path: Path) -> None:
    chance = random.Random(program.name)
    path = tmp_path / program.name
    path.write_bytes(damaged(program.read_text(), chance))
    allow(str(tmp_path))
    sources, lines = Sources(), path.read_bytes().split(b"\n")
    marked = [number for number, line in enumerate(lines, 1) if any(mark.encode() in line for mark in MARKS)]
    anywhere = range(1, len(lines) + 2)
    for wanted in Wanted:
        at = [Line(str(path), chance.choice(marked or anywhere)) for _ in range(2)]
        touched, used = (Line(str(path), chance.choice(anywhere)) for _ in range(2))
        name = chance.choice(NAMES)
        fix = fix_for(Request(wanted, tuple(at), (), name, (touched,), used, name), sources)
        assert bool(fix.edits) == (fix.form is not Form.WORDS) and (fix.edits or fix.reason)
        if fix.edits:
            printed([fix])
            unified([fix], str(tmp_path))


ODD = {
    "syntax error": (
        "a.c",
        "void f(int n)\n{\n    int *a = malloc(n * 4); // HERE\n    for (i = ; i < n i++ a[i] = 0;\n}\n",
    ),
    "K&R": ("a.c", "f(n)\nint n;\n{\n    double *a;\n    a = (double *)malloc(n * 8); // HERE\n    g(a)\n}\n"),
    "CUDA": ("a.cu", "__global__ void k(double *a) { a[threadIdx.x] = 0; } // HERE\n"),
    "fixed form": ("a.f", "      program p\n      real a(9)\n      a = 0\n      end\n"),
    "preprocessed Fortran": (
        "a.F90",
        "program p\n#ifdef X\n  allocate(a(n)) ! HERE\n#else\n  if (x\n#endif\nend program\n",
    ),
    "a macro hides the loop": ("a.c", "void f(int n, double *a)\n{\n    FOR_ALL(i, n) a[i] = rand(); // HERE\n}\n"),
    "empty": ("a.c", ""),
    "binary": ("a.c", "\0\1\2" * 400),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("wanted", Wanted)
def test_odd_text_gives_words(name: str, wanted: Wanted, tmp_path: Path) -> None:
    file, text = ODD[name]
    (tmp_path / file).write_text(text)
    allow(str(tmp_path))
    at = Line(str(tmp_path / file), next((n for n, line in enumerate(text.split("\n"), 1) if "HERE" in line), 1))
    fix = fix_for(Request(wanted, (at,), touched=(at,), used=at), Sources())
    assert fix.form is Form.WORDS and fix.reason and not fix.edits


def test_a_file_that_is_too_large_is_not_parsed(tmp_path: Path) -> None:
    path = tmp_path / "large.c"
    path.write_bytes(b"int a;\n" * (10 << 20 >> 3))
    assert path.stat().st_size > MOST_BYTES
    allow(str(tmp_path))
    at = Line(str(path), 3)
    fix = fix_for(Request(Wanted.TEAM, (at,), touched=(at,), used=at), Sources())
    assert fix.form is Form.WORDS and "cannot be read here" in fix.reason


def test_without_the_parser_words_say_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.c"
    path.write_text("void f(int n)\n{\n    int *a = malloc(n * 4);\n}\n")
    allow(str(tmp_path))

    def missing(name: str) -> None:
        raise files.Unreadable(f"the source cannot be parsed: {files.INSTALL}")

    monkeypatch.setattr(files, "_language", missing)
    fix = fix_for(Request(Wanted.TEAM, (Line(str(path), 3),)), Sources())
    assert fix.form is Form.WORDS and "pip install 'numaprof[source]'" in fix.reason
