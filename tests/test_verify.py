# SPDX-License-Identifier: Apache-2.0
"""numaprof verify without a PMU, and bad input. Where there is one: tests/dialects/test_verify_dialects.py."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


def verify(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, "verify", *arguments], capture_output=True, text=True, check=False)


def has_pmu() -> bool:
    devices = Path("/sys/bus/event_source/devices")
    return any(devices.glob("cpu*/type")) or any(devices.glob("armv8_pmuv3*/type"))


@pytest.mark.skipif(has_pmu(), reason="this computer has a PMU")
def test_without_a_pmu_one_line_says_so(program: Path) -> None:
    done = verify(program)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert done.stderr.startswith("numaprof: nothing can be verified: ")
    assert "PMU" in done.stderr


@pytest.mark.parametrize("argument", ["--x\x1b", "-x", "program"])
def test_bad_input_gets_one_line(program: Path, argument: str) -> None:
    done = verify(program, argument)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert "\x1b" not in done.stderr
