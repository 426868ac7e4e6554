# SPDX-License-Identifier: Apache-2.0
"""Tests marked `lab` run inside the emulated NUMA machine: one boot for all tests of a machine (docs/lab.md).

    @pytest.mark.lab("article")                      # a machine of lab/machines
    @pytest.mark.lab("tests/lab/machines/x.machine") # or a description of the test's own

On the host, the first such test boots its machine, runs pytest there on all selected tests of the machine, and every
test then reports what the guest reported of it. In the guest they are ordinary tests.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any, Optional

import pytest

TREE = Path(__file__).resolve().parent.parent
BUILD = TREE / "build"
IN_GUEST = "NUMAPROF_MACHINE" in os.environ
SECONDS = 900  # of a whole group
REPORTS = "reports.jsonl"
PROGRAMS = BUILD / "tests" / "lab"


def machine_of(item: pytest.Item) -> Optional[str]:
    marker = item.get_closest_marker("lab")
    return marker.args[0] if marker else None


def missing() -> Optional[str]:
    """What the emulated machine lacks on this host."""
    if not shutil.which("qemu-system-x86_64"):
        return "qemu-system-x86_64 (apt-get install qemu-system-x86)"
    if not (BUILD / "lab" / "initrd").exists():
        return "the emulated machine (make lab)"
    return None


def build_programs() -> None:
    """tests/lab/programs/*.c, built here: a compiler is slow in the guest."""
    folder = TREE / "tests" / "lab" / "programs"
    common = [folder / "lab.c", folder / "lab.h", TREE / "lab" / "shared.h"]
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    for source in sorted(set(folder.glob("*.c")) - set(common)):
        output = PROGRAMS / source.stem
        if output.exists() and all(file.stat().st_mtime < output.stat().st_mtime for file in [source, *common]):
            continue
        flags = ["-std=c17", "-D_GNU_SOURCE", "-g", "-O1", "-fno-omit-frame-pointer", "-pthread", f"-I{TREE}"]
        subprocess.run(["gcc", *flags, "-o", output, source, common[0], "-lpfm"], check=True)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "lab(machine): runs inside the emulated NUMA machine of that name or file")
    if IN_GUEST:
        config.pluginmanager.register(Reporter(Path(os.environ["NUMAPROF_SCRATCH"]) / REPORTS, config))
    else:
        config.pluginmanager.register(Host(config))


class Reporter:
    """In the guest: writes each test's reports to the scratch folder."""

    def __init__(self, path: Path, config: pytest.Config) -> None:
        self.path = path
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        with self.path.open("a") as file:
            file.write(json.dumps(data) + "\n")


class Host:
    """On the host: lends the guest's reports to the tests."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.reports: dict[str, list[pytest.TestReport]] = {}
        self.output: dict[str, str] = {}  # by machine that has run

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if machine_of(item):
                item.add_marker(pytest.mark.timeout(0))  # the first of a group waits for all
        items.sort(key=lambda item: machine_of(item) or "")  # stable: the others stay in front, in their order

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Optional[bool]:
        machine = machine_of(item)
        if machine is None or missing():
            return None
        if machine not in self.output:
            self.output[machine] = self.run(machine, [i for i in item.session.items if machine_of(i) == machine])
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self.reports.get(item.nodeid) or [self.no_report(item, self.output[machine])]:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if machine_of(item):
            pytest.skip(f"needs {missing()}, which this machine does not have")

    def run(self, machine: str, items: list[pytest.Item]) -> str:
        build_programs()
        with tempfile.TemporaryDirectory(prefix="numaprof-lab-tests-") as scratch:
            command = [TREE / "lab" / "run", "--machine", machine, "--time-limit", str(SECONDS), "--scratch", scratch, "--"]
            command += [sys.executable, "-m", "pytest", "-c", "tests/pytest.ini", "--rootdir=.", "-q", "-p", "no:cacheprovider"]
            command += [f"--basetemp={scratch}/tmp", *(item.nodeid for item in items)]
            done = subprocess.run(command, cwd=TREE, capture_output=True, text=True, errors="replace", check=False)
            self.read(Path(scratch) / REPORTS)
            return f"lab/run --machine {machine} ended with status {done.returncode}\n{done.stdout}{done.stderr}"

    def read(self, path: Path) -> None:
        for line in path.read_text().splitlines() if path.exists() else []:
            data: dict[str, Any] = json.loads(line)
            report = self.config.hook.pytest_report_from_serializable(config=self.config, data=data)
            self.reports.setdefault(report.nodeid, []).append(report)

    @staticmethod
    def no_report(item: pytest.Item, output: str) -> pytest.TestReport:
        text = f"the guest did not report on this test:\n{output}"
        return pytest.TestReport(item.nodeid, item.location, {}, "failed", text, "call")


@pytest.fixture
def lab_program() -> Generator[Any, None, None]:
    """lab_program(NAME, ARGUMENT...): runs tests/lab/programs/NAME.c, returns its output as text."""

    def run(name: str, *arguments: object) -> str:
        done = subprocess.run(
            [PROGRAMS / name, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=PROGRAMS
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    yield run
