# SPDX-License-Identifier: Apache-2.0
"""Programs whose code comes from unusual places run as they do alone, and are recorded to their end."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from conftest import build_c
from running import TARGETS, one, rows, run, run_command, target, touched_pages


@pytest.mark.requires("g++")
def test_a_cpp_library_that_only_one_library_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operators new and delete that stand before it find none behind them."""
    program = target("loads_plugin")
    plugin = tmp_path / "plugin.so"
    made = run_command("g++", "-std=c++17", "-shared", "-fPIC", TARGETS / "plugin.cpp", "-o", plugin)
    assert made.status == 0, made.err
    alone = run_command(program, plugin)
    assert alone == (0, "0\n", "")
    assert run("record", "-q", "-o", tmp_path / "r.numaprof", program, plugin) == alone


@pytest.mark.requires("perf_event", "x86_64")
def test_a_program_that_maps_its_code_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_PERTURB_", "165")  # what was freed and is used again by the recorder shows
    program = build_c(tmp_path / "remapped", "-no-pie", "-fno-pie", str(TARGETS / "remapped.c"))
    recording = tmp_path / "r.numaprof"
    done = run("record", "-q", "-o", recording, program)
    assert done == (0, "", "")
    assert touched_pages(recording) >= 256
    assert one(recording, "SELECT complete FROM run") == 1


@pytest.mark.requires("gcc")
@pytest.mark.parametrize("checks", ["address", "thread", "undefined", "leak"])
@pytest.mark.parametrize("before", [[], ["sh", "-c", "exec $0 2 64"]], ids=["itself", "by a shell"])
def test_sanitized_programs_run_as_alone(checks: str, before: list[str], tmp_path: Path) -> None:
    program = build_c(tmp_path / "touch", f"-fsanitize={checks}", str(TARGETS / "touch.c"))
    command = [*before, program] if before else [program, 2, 64]
    alone = run_command(*command)
    assert alone.status == 0
    recording = tmp_path / "r.numaprof"
    assert run("record", "-q", "-o", recording, *command) == alone
    told = rows(recording, "SELECT text FROM note WHERE kind = 'not_followed'")
    assert [text for text in told if "is built with AddressSanitizer" in text] == told
    assert len(told) == (checks == "address")


def test_a_fifo_is_no_program(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    fifo.chmod(0o755)
    done = run("record", "-q", "-o", tmp_path / "r.numaprof", fifo)
    assert done.status == 126
    assert "permission" in done.err
    done = run("record", "-q", "-o", tmp_path / "r.numaprof", "sh", "-c", f"exec {fifo}")
    assert done.status == 126


NOT_FOLLOWED = "SELECT text FROM note WHERE kind IN ('not_followed', 'objects')"


@pytest.mark.requires("gcc")
def test_a_program_that_is_started_through_the_loader_is_followed(tmp_path: Path) -> None:
    """As AppImages and bundled C libraries do, under any name of the loader."""
    recording, loader = tmp_path / "r.numaprof", tmp_path / "bundled"
    program = target("touch", "-pthread")
    with program.open("rb") as file:
        found = re.search(rb"/lib[\w./-]*/ld[\w.-]*\.so\.\d", file.read())
    assert found
    shutil.copy(os.fsdecode(found[0]), loader)
    assert run("record", "-q", "-o", recording, loader, program, 2, 64).status == 0
    assert rows(recording, NOT_FOLLOWED) == []
    assert rows(recording, "SELECT followed FROM process") == ["preload"]
    assert one(recording, "SELECT count(*) > 0 FROM thread WHERE pin = 'planned'") == 1


@pytest.mark.requires("gcc", "perf_event")
def test_a_second_c_library_is_noted(tmp_path: Path) -> None:
    recording, library = tmp_path / "r.numaprof", tmp_path / "library.so"
    source = tmp_path / "library.c"
    source.write_text("#include <string.h>\nvoid fill(char *memory, size_t bytes) { memset(memory, 1, bytes); }\n")
    made = run_command("gcc", "-shared", "-fPIC", source, "-o", library)
    assert made.status == 0, made.err
    assert run("record", "-q", "-o", recording, target("second_c_library"), library).status == 0
    (text,) = rows(recording, NOT_FOLLOWED)
    assert text.startswith(str(target("second_c_library"))) and "loaded a second C library (dlmopen)" in text
