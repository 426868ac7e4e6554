# SPDX-License-Identifier: Apache-2.0
"""Every edit that is called safe, in programs of the corpus: the patch applies, compiles without new warnings, and
changes no output.

Asked is for each allocation, and for each line as if it touched memory first, so that loops that nobody has measured
are divided too: where the analysis is wrong, sums come out wrong. All patches are made; a sixteenth of the programs is
built and run, all with NUMAPROF_CORPUS=all.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from making import COMPILER, patched
from numaprof.source.files import Sources
from numaprof.source.fix import fix_for
from numaprof.source.patch import agreeing, flags_of
from numaprof.source.request import Fix, Line, Request, Wanted
from numaprof.text.source_lines import allow

HERE = Path(__file__).parents[1] / "corpus" / "programs"
PROGRAMS = sorted(path for path in HERE.iterdir() if path.suffix in COMPILER)
RUN = [path for path in PROGRAMS if os.environ.get("NUMAPROF_CORPUS") or zlib.crc32(path.name.encode()) % 16 == 0]
NAMES = {path.name: path for path in PROGRAMS}


def words(path: Path, name: str) -> str:
    found = re.search(rf"^(?://|!) {name}: (.*)$", path.read_text(), re.MULTILINE)
    return found.group(1) if found else ""


def copied(program: Path, folder: Path) -> Path:
    for name in (program.name, *(f"with/{other}" for other in words(program, "with").split())):
        shutil.copy(HERE / name, folder)
    allow(str(folder))
    return folder / program.name


def fixes_of(path: Path) -> list[Fix]:
    sources = Sources()
    rows = sorted({node.start_point[0] + 1 for node in sources.get(str(path)).matches("statement")})

    def asked() -> Iterator[Fix]:
        for line in (Line(str(path), row) for row in rows):
            yield fix_for(Request(Wanted.TEAM, touched=(line,)), sources)
            yield fix_for(Request(Wanted.TEAM, (line,)), sources)
            yield fix_for(Request(Wanted.INTERLEAVED, (line,)), sources)

    return [fix for fix in agreeing(dict.fromkeys(asked())) if fix.edits]


@pytest.mark.requires("git")
@pytest.mark.parametrize("name", NAMES)
def test_the_patch_of_all_edits_applies(name: str, tmp_path: Path) -> None:
    fixes = fixes_of(copied(NAMES[name], tmp_path))
    if fixes:
        patched(fixes, tmp_path)


def run(program: Path, path: Path, flags: tuple[str, ...]) -> tuple[set[str], str]:
    """Texts of warnings, and the output with three threads."""
    others = [each for each in words(program, "with").split() if Path(each).suffix in COMPILER]
    standard = [f"-std={words(program, 'std') or 'c++17'}"] if path.suffix == ".cpp" else []
    command = [
        *COMPILER[path.suffix][:1],
        *standard,
        "-O1",
        "-fopenmp",
        "-pthread",
        "-Wall",
        "-Wextra",
        "-o",
        "program",
    ]
    built = subprocess.run(
        [*command, *others, path.name, *flags, "-lm"], cwd=path.parent, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    done = subprocess.run(
        ["./program"],
        cwd=path.parent,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "3", "OMP_WAIT_POLICY": "passive"},
    )
    warned = {line.split(": ", 1)[1] for line in built.stderr.splitlines() if "warning:" in line}
    return warned, f"{done.stdout}{done.stderr}{done.returncode}"


@pytest.mark.requires("gcc", "g++", "gfortran", "libnuma")
@pytest.mark.parametrize("program", RUN, ids=lambda program: program.name)
def test_the_program_prints_the_same(program: Path, tmp_path: Path) -> None:
    path = copied(program, tmp_path)
    warned, before = run(program, path, ())
    fixes = fixes_of(path)
    if not fixes:
        pytest.skip("no edit is safe in it")
    patched(fixes, tmp_path)
    later, after = run(program, path, flags_of(fixes))
    assert later <= warned
    assert after == before
