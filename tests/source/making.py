# SPDX-License-Identifier: Apache-2.0
"""Asks for a fix of a program's text, carries it out as git does, and runs both."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from numaprof.source.files import Sources
from numaprof.source.fix import fix_for
from numaprof.source.patch import unified
from numaprof.source.request import Fix, Line, Request, Wanted
from numaprof.text.source_lines import allow

COMPILER = {".c": ["gcc", "-std=gnu17"], ".cpp": ["g++", "-std=c++17"], ".f90": ["gfortran"]}
BUILD = ["-O1", "-fopenmp", "-pthread", "-Wall", "-Wextra"]
TEAMS = ("1", "3", "8")  # threads


def lines_with(text: str, mark: str) -> list[int]:
    return [number for number, line in enumerate(text.split("\n"), 1) if re.search(rf"(//|!) ?.*\b{mark}\b", line)]


def request(path: Path, wanted: Wanted, **more: object) -> Request:
    """Of the lines that comments mark: ALLOC, CALLER, INIT, USE."""
    text = path.read_bytes().decode("utf-8", "replace")

    def marked(mark: str) -> tuple[Line, ...]:
        return tuple(Line(str(path), number) for number in lines_with(text, mark))

    found = Request(
        wanted, (*marked("ALLOC"), *marked("CALLER")), touched=marked("INIT"), used=next(iter(marked("USE")), None)
    )
    return found.__class__(**{**found.__dict__, **more})


def fix_of(path: Path, wanted: Wanted = Wanted.TEAM, **more: object) -> Fix:
    allow(str(path.parent))
    return fix_for(request(path, wanted, **more), Sources())


def patched(fixes: Sequence[Fix], root: Path) -> bytes:
    """Carries the patch out; it has to fit git's and patch's ideas of one."""
    diff = unified(fixes, str(root))
    for check in (["git", "apply", "--check", "-"], ["patch", "-p1", "--dry-run", "--fuzz=0"], ["git", "apply", "-"]):
        done = subprocess.run(
            check,
            input=diff,
            cwd=root,
            capture_output=True,
            check=False,
            env={**os.environ, "GIT_CEILING_DIRECTORIES": str(root.parent)},
        )
        assert done.returncode == 0, (check, done.stderr.decode(), diff.decode("utf-8", "replace"))
    return diff


def built(path: Path, flags: Sequence[str]) -> tuple[Path, set[str]]:
    """The program, and the texts of the compiler's warnings."""
    program = path.with_suffix(".out")
    command = [*COMPILER[path.suffix], *BUILD, "-o", str(program), str(path), *flags, "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=path.parent)
    assert done.returncode == 0, done.stderr + path.read_text(errors="replace")
    return program, {line.split(": ", 1)[1] for line in done.stderr.splitlines() if "warning:" in line}


def output(program: Path, threads: str) -> str:
    environment = {**os.environ, "OMP_NUM_THREADS": threads}
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False, env=environment)
    return f"{done.stdout}{done.stderr}{done.returncode}"


def proven(path: Path, fix: Fix) -> str:
    """The text after the fix, which prints what the program printed before, without new warnings."""
    program, warned = built(path, ())
    before = [output(program, threads) for threads in TEAMS]
    patched([fix], path.parent)
    program, later = built(path, fix.flags)
    text = path.read_bytes().decode("utf-8", "replace")
    assert later <= warned, text
    assert [output(program, threads) for threads in TEAMS] == before, text
    return text
