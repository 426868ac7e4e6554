# SPDX-License-Identifier: Apache-2.0
"""`numaprof import` with too little of something: a whole recording, or a line with the cause, and no file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAM
from importing.test_import import FAILED, loads, program
from perf_data import PerfData
from running import one

# Option of prlimit, bytes, and what the remedy names.
LIMITS = [
    *(("fsize", kib << 10, "ulimit -f") for kib in (0, 64, 100, 300, 1000)),
    *(("stack", kib << 10, "") for kib in (32, 64, 96)),
    *(("as", mib << 20, "ulimit -v") for mib in (18, 20, 24, 28, 32, 36, 40, 44, 48, 60)),
]


@pytest.fixture(scope="module", params=["plain", "compressed"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = loads(program(PerfData()), 20000)
    path: Path = tmp_path_factory.mktemp("limits") / "perf.data"
    path.write_bytes((file.compressed(piece=30000) if request.param == "compressed" else file).data())
    return path


@pytest.mark.parametrize(("limit", "number", "remedy"), LIMITS)
def test_a_limit_is_named_and_nothing_is_left(
    recorded: Path, tmp_path: Path, limit: str, number: int, remedy: str
) -> None:
    command = ["prlimit", f"--{limit}={number}", PROGRAM, "import", "-q", "-o", "out.numaprof", recorded]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        assert limit != "fsize"
        assert one(tmp_path / "out.numaprof", "SELECT count(*) FROM sample") == 20000
        return
    assert limit != "stack" and (done.returncode, done.stdout) == (FAILED, "")
    assert done.stderr.startswith("numaprof: ") and done.stderr.count("\n") == 1
    assert remedy in done.stderr and "damaged" not in done.stderr
    assert not list(tmp_path.iterdir())
