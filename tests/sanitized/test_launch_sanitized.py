# SPDX-License-Identifier: Apache-2.0
"""The recorder with the compiler's checks built in: whole runs, and programs that do their worst by the channel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, NOBODY, PROGRAM, TREE, build_c
from running import Ended, one, run_command, target
from seeds import write_seeds

# The first of a kind builds the program, in a fixture: that has no limit, and what hangs costs minutes.
pytestmark = [pytest.mark.requires("gcc"), pytest.mark.timeout(300, func_only=True)]

JOBS = f"-j{os.cpu_count()}"
CHECKS = ["address,undefined", "thread"]
COMPLAINT = re.compile(r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:|SUMMARY: ")
RUNS = [
    "true",
    "{touch} 8 512",
    "{touch-static} 3 512",
    "{fork_server} 12 64",
    "{closes}",
    "{region} 20",
    "sh -c '{touch} & {touch} & exit 0'",
]
LIBRARIES = ["-lm", "-lpfm", "-ldw", "-lelf", "-lsqlite3"]
SEEDS = range(1, 7)
# FUZZ=120 (make fuzz): so many times as many damaged files, in parts that run at the same time.
FUZZ = int(os.environ.get("FUZZ", "1"))
FUZZ_ROUNDS = 150 * FUZZ
PERF_DATA_ROUNDS = 250 * FUZZ
PARTS = range(2)


def folder(checks: str) -> Path:
    return BUILD / f"sanitize-{checks.replace(',', '-')}"


@pytest.fixture(scope="session")
def sanitized() -> dict[str, Path]:
    """The programs that were built, by their checks."""
    return {}


def built_with(checks: str, sanitized: dict[str, Path]) -> Path:
    if checks not in sanitized:
        done = run_command("make", JOBS, "-s", f"SANITIZE={checks}", "sanitized", cwd=TREE)
        assert done.status == 0, done
        sanitized[checks] = folder(checks) / "numaprof"
    return sanitized[checks]


@pytest.fixture
def recorder(checks: str, sanitized: dict[str, Path]) -> Path:
    return built_with(checks, sanitized) if checks else PROGRAM


@pytest.fixture
def archive(sanitized: dict[str, Path]) -> Path:
    """With the checks of addresses and of undefined behaviour."""
    return built_with(CHECKS[0], sanitized).with_name("libnumaprof.a")


def build_checked(archive: Path, monkeypatch: pytest.MonkeyPatch, name: str, *sources: Path) -> Path:
    """A C program against the archive, both with its checks."""
    monkeypatch.setenv("TEST_CFLAGS", f"-fsanitize={CHECKS[0]} -fno-sanitize-recover=all")
    return build_c(archive.parent / "tests" / name, *map(str, sources), str(archive), *LIBRARIES)


@pytest.fixture(scope="session")
def units() -> Path:
    """All C units with the checks of addresses and of undefined behaviour."""
    done = run_command("make", JOBS, "-s", f"SANITIZE={CHECKS[0]}", "units", cwd=TREE)
    assert done.status == 0, done
    return folder(CHECKS[0]) / "tests" / "units"


def assert_clean(done: Ended) -> None:
    assert not COMPLAINT.search(done.err), done.err


@pytest.mark.parametrize("words", RUNS)
@pytest.mark.parametrize("checks", CHECKS)
def test_runs(recorder: Path, words: str, tmp_path: Path) -> None:
    programs = {name: target(name) for name in ("touch", "fork_server", "closes", "region")}
    programs["touch-static"] = target("touch", "-static", output="touch-static")
    script = words.format(**programs)
    recording = tmp_path / "r.numaprof"
    done = run_command(recorder, "record", "-q", "-o", recording, "sh", "-c", f"{script}; exit 3")
    assert_clean(done)
    assert done.status == 3
    assert one(recording, "SELECT complete FROM run") == 1


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("checks", ["", *CHECKS])
def test_a_hostile_program(recorder: Path, seed: int, tmp_path: Path) -> None:
    """It ends as it would alone, and what was recorded can be read."""
    recording = tmp_path / "r.numaprof"
    done = run_command(recorder, "record", "-q", "-o", recording, target("hostile"), seed, 20)
    assert_clean(done)
    assert (done.status, done.err) == (0, "")
    assert one(recording, "SELECT complete, exit_status FROM run") == (1, 0)
    assert run_command(BUILD / "numaprof-reports", "report", recording).status == 0


@pytest.mark.requires("root")
@pytest.mark.parametrize("checks", ["", *CHECKS])
def test_a_hostile_sibling(recorder: Path, public_place: Path, tmp_path: Path) -> None:
    """A descendant that runs as another user writes all that is shared. Other programs of the target end as usual."""
    shutil.copy(target("hostile"), public_place)
    hostile = f"{' '.join(NOBODY)} {public_place}/hostile 1 400"
    script = f"{hostile} & for i in 1 2 3 4 5 6; do {target('touch')} 8 64 || exit 9; done; kill $!; wait; exit 5"
    done = run_command(recorder, "record", "-q", "-o", tmp_path / "r.numaprof", "sh", "-c", script)
    assert_clean(done)
    assert done.status == 5
    assert one(tmp_path / "r.numaprof", "SELECT complete, exit_status FROM run") == (1, 5)


@pytest.mark.timeout(1800)
@pytest.mark.requires("g++")
@pytest.mark.parametrize("part", PARTS)
def test_damaged_files(part: int, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names, lines, variables and unwind tables are damaged, in rounds."""
    victim = tmp_path / "victim"
    subprocess.run(["g++", "-g", "-O2", "-o", victim, TREE / "tests" / "fuzz" / "victim.cpp"], check=True)
    source = TREE / "tests" / "fuzz" / "fuzz_files.c"
    program = build_checked(archive, monkeypatch, "fuzz_files", source)
    done = run_command(program, victim, tmp_path, part * FUZZ_ROUNDS, FUZZ_ROUNDS)
    assert_clean(done)
    assert done.status == 0, f"round {done.out.split()[-1]}"
    answers = [int(word) for word in re.findall(r"\d+", done.out.splitlines()[-1])]
    assert min(answers) > FUZZ_ROUNDS, "what is asked of the files leads nowhere"


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", PARTS)
def test_damaged_perf_data(part: int, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of perf in every form are damaged and imported; most still say something."""
    program = build_checked(archive, monkeypatch, "fuzz_perf_data", TREE / "tests" / "fuzz" / "fuzz_perf_data.c")
    done = run_command(program, tmp_path, part * PERF_DATA_ROUNDS, PERF_DATA_ROUNDS, *write_seeds(tmp_path))
    assert_clean(done)
    assert done.status == 0, f"round {done.out.split()[-1]}"
    assert int(done.out.split()[-2]) > PERF_DATA_ROUNDS // 4, "the damage leaves nothing to read"


@pytest.mark.parametrize("suite", sorted(file.stem for file in (TREE / "tests" / "c").glob("test_*.c")))
def test_c_units(suite: str, units: Path, tmp_path: Path) -> None:
    cases = re.findall(r"^TEST\((\w+)\)", (TREE / "tests" / "c" / f"{suite}.c").read_text(), re.MULTILINE)
    for case in cases:
        place = tmp_path / case
        place.mkdir()
        done = subprocess.run([units, f"{suite}.{case}"], capture_output=True, text=True, cwd=place, check=False)
        assert_clean(Ended(done.returncode, done.stdout, done.stderr))
        assert done.returncode == 0, f"{case}: {done.stderr}"
