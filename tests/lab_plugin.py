# SPDX-License-Identifier: Apache-2.0
"""Tests marked `lab` run inside the emulated NUMA machine: one boot for all tests of a machine (docs/lab.md).

    @pytest.mark.lab("article")                      # a machine of lab/machines
    @pytest.mark.lab("tests/lab/machines/x.machine") # or a description of the test's own

On the host, the first such test boots the machines, some at a time; each runs pytest on all its selected tests, and
every test then reports what its guest reported of it. In the guest they are ordinary tests.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from causes import cause

TREE = Path(__file__).resolve().parent.parent
BUILD = TREE / "build"
IN_GUEST = "NUMAPROF_MACHINE" in os.environ
SECONDS = 1800  # of a whole group, on a computer that is busy with other things
# Booting and starting Python keep one CPU of the host busy, whatever the number of the guest's; each takes 2 GiB.
AT_ONCE = min(os.cpu_count() or 1, 4)
BOOTS = 3  # of a group, where QEMU ends by its own error, or the guest does not get to its tests
# Rare, in QEMU before 8.0: it runs callbacks that it has freed (its issue 1381). It says nothing about the test.
QEMU_ERROR = "qemu_plugin_vcpu_mem_cb: code should not be reached"
REPORTS = "NUMAPROF_LAB_REPORTS"  # names the descriptor that the guest's reports go to
PROGRAMS = BUILD / "tests" / "lab"


def machine_of(item: pytest.Item) -> str | None:
    marker = item.get_closest_marker("lab")
    return marker.args[0] if marker else None


def missing() -> str | None:
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
    if not IN_GUEST:
        config.pluginmanager.register(Host(config))
    elif REPORTS in os.environ:
        config.pluginmanager.register(Reporter(int(os.environ[REPORTS]), config))


class Reporter:
    """In the guest: tells the host of each test that begins, and each report at once: they outlive the guest."""

    def __init__(self, descriptor: int, config: pytest.Config) -> None:
        self.file = os.fdopen(descriptor, "w")
        self.config = config

    def tell(self, data: dict[str, Any]) -> None:
        print(json.dumps(data), file=self.file, flush=True)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.tell({"begins": nodeid})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.tell(data)


@dataclass
class Group:
    """What is known of the tests of one machine."""

    reports: dict[str, list[pytest.TestReport]] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)  # what the guest said that ended during this test
    boots: int = 0
    silent: str = ""  # what the guest said that last ran no test
    hopeless: bool = False  # it is not started again
    first: dict[str, list[pytest.TestReport]] = field(default_factory=dict)  # of tests that failed and were run again
    done: Future[None] = field(default_factory=Future)
    seconds: float = 0

    def failed(self, nodeid: str) -> bool:
        return any(report.failed for report in self.reports.get(nodeid, []))

    def knows(self, nodeid: str) -> bool:
        return nodeid in self.ended or any(report.when == "teardown" for report in self.reports.get(nodeid, []))

    def of(self, item: pytest.Item) -> list[pytest.TestReport]:
        if self.knows(item.nodeid) and item.nodeid not in self.ended:
            return self.reports[item.nodeid]
        if item.nodeid in self.ended:
            text = f"the guest ended during this test:\n{self.ended[item.nodeid]}"
        elif self.ended:
            text = f"not run: the guest ended during {', '.join(self.ended)}"
        else:
            text = f"not run: the guest ran no test:\n{self.silent}"
        return [pytest.TestReport(item.nodeid, item.location, {}, "failed", text, "call")]


class Host:
    """On the host: lends the guest's reports to the tests."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.groups: dict[str, Group] = {}  # by machine
        self.running: set[subprocess.Popen[str]] = set()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if machine_of(item):
                item.add_marker(pytest.mark.timeout(0))  # the first of a group waits for all
        items.sort(key=lambda item: machine_of(item) or "")  # stable: the others stay in front, in their order

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        machine = machine_of(item)
        if machine is None or missing():
            return None
        self.begin(item.session)
        group = self.groups[machine]
        group.done.result()
        if group.failed(item.nodeid) and not group.first and not group.hopeless:
            self.run_again(machine, group)
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in group.of(item):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if machine_of(item):
            pytest.skip(f"needs {missing()}, which this machine does not have")

    def begin(self, session: pytest.Session) -> None:
        """Starts all machines, those with most tests first: they take longest."""
        if self.groups:
            return
        build_programs()
        items: dict[str, list[str]] = {}
        for item in session.items:
            if machine := machine_of(item):
                items.setdefault(machine, []).append(item.nodeid)
        self.guests = ThreadPoolExecutor(AT_ONCE)
        for machine, names in sorted(items.items(), key=lambda pair: -len(pair[1])):
            self.groups[machine] = group = Group()
            group.done = self.guests.submit(self.run_all, machine, group, names)

    def pytest_sessionfinish(self) -> None:
        """The session may end before the machines have: by Ctrl-C, or at the first failure."""
        if self.groups:
            self.guests.shutdown(wait=False, cancel_futures=True)
        for guest in list(self.running):
            guest.terminate()

    def run_all(self, machine: str, group: Group, names: list[str]) -> None:
        start = time.monotonic()
        for _ in range(BOOTS):
            left = [name for name in names if not group.knows(name)]
            if left and not group.hopeless:
                group.boots += 1
                self.run(machine, group, left)
        group.seconds = time.monotonic() - start

    def run_again(self, machine: str, group: Group) -> None:
        """Once, in a boot of their own, when no other guest runs: other work of the host, which stops CPUs for a while,
        can upset a measurement. What is wrong with the tree fails twice; what passes now is told at the end."""
        for other in self.groups.values():
            other.done.result()
        group.first = {name: group.reports.pop(name) for name in list(group.reports) if group.failed(name)}
        self.run(machine, group, list(group.first))
        for name, reports in group.first.items():
            if not group.knows(name):
                group.reports[name] = reports

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.groups:
            spent = (f"{Path(machine).stem} {group.seconds:.0f} s" for machine, group in self.groups.items())
            terminalreporter.line(f"emulated machines, {AT_ONCE} at once: {', '.join(spent)}")
        for group in self.groups.values():
            for nodeid, reports in group.first.items():
                if not group.failed(nodeid):
                    first = cause(next(report for report in reports if report.failed))
                    terminalreporter.line(f"passed in a second boot only: {nodeid}: at first {first}")

    def run(self, machine: str, group: Group, names: list[str]) -> None:
        """Boots and runs these tests; should the guest end during one, the others get a boot of their own later."""
        with tempfile.TemporaryDirectory(prefix="numaprof-lab-tests-") as scratch:
            command: list[str | Path] = [TREE / "lab" / "run", "--machine", machine, "--time-limit", str(SECONDS)]
            # The reports go to lab/run's standard output, everything else to its standard error.
            command += ["--scratch", scratch, "--", "sh", "-c", 'exec "$@" 3>&1 >&2', "sh"]
            command += [sys.executable, "-m", "pytest", "-c", "tests/pytest.ini", "--rootdir=."]
            command += ["-q", "-p", "pytest_timeout", "-p", "no:cacheprovider", "--basetemp=/tmp/lab"]
            command += names
            # hypothesis's plugin alone would cost half a minute of import in an emulated CPU.
            plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
            environment = {**os.environ, **plain, REPORTS: "3"}
            pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
            with subprocess.Popen(command, cwd=TREE, env=environment, errors="replace", **pipes) as guest:
                self.running.add(guest)
                reported, said = guest.communicate()
                self.running.discard(guest)
        begun = ""
        for line in reported.splitlines():
            begun = self.read(group, line) or begun
        output = f"lab/run --machine {machine} ended with status {guest.returncode}\n{said}"
        if begun and not group.knows(begun) and QEMU_ERROR not in output:
            group.ended[begun] = output
        if not begun:
            group.silent = output
        late = "did not end within" in output
        group.hopeless = late or (not begun and group.boots >= BOOTS)

    def read(self, group: Group, line: str) -> str:
        """Takes in a line of the Reporter's. Returns the test that begins, if one does."""
        try:
            data: dict[str, Any] = json.loads(line)
        except ValueError:  # cut off by the guest's end
            return ""
        if "begins" in data:
            return str(data["begins"])
        report = self.config.hook.pytest_report_from_serializable(config=self.config, data=data)
        if isinstance(report.longrepr, list):  # JSON has no tuples; pytest asks for one where a test was skipped
            report.longrepr = tuple(report.longrepr)
        group.reports.setdefault(report.nodeid, []).append(report)
        return ""


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
