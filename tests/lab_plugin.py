# SPDX-License-Identifier: Apache-2.0
"""Tests marked `lab` run inside the emulated NUMA machine: one boot for all tests of a machine (docs/lab.md).

    @pytest.mark.lab("article")                      # a machine of lab/machines
    @pytest.mark.lab("tests/lab/machines/x.machine") # or a description of the test's own

    @pytest.mark.shares_cpu                          # a busy host can upset the measurement: may run twice
    @pytest.mark.judged(by=function)                 # the host calls function(FOLDER, PARAMETER...) afterwards: FOLDER
                                                     # has what the test left in the fixture `for_host`

On the host, machines boot some at a time, beside the other tests where there is a CPU for that; each runs pytest on all
its selected tests, and every test then reports what its guest reported of it. In the guest they are ordinary tests.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Callable

import pytest
from causes import cause
from lab_guests import AT_ONCE, REPORTS, Guests, folder_of

TREE = Path(__file__).resolve().parent.parent
BUILD = TREE / "build"
IN_GUEST = "NUMAPROF_MACHINE" in os.environ
PROGRAMS = BUILD / "tests" / "lab"


def machine_of(item: pytest.Item) -> str | None:
    marker = item.get_closest_marker("lab")
    return marker.args[0] if marker else None


def judge_of(item: pytest.Item) -> Callable[[Path], pytest.TestReport] | None:
    """What the host makes of the files that a test left: a Python that reads them is slow in the guest."""
    marker = item.get_closest_marker("judged")
    if marker is None:
        return None
    judge = marker.kwargs["by"]
    parameters = item.callspec.params if hasattr(item, "callspec") else {}

    def report(folder: Path) -> pytest.TestReport:
        call = pytest.CallInfo.from_call(lambda: judge(folder, **parameters), "call")
        made: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
        return made

    return report


def missing() -> str | None:
    """What the emulated machine lacks on this host."""
    if not shutil.which("qemu-system-x86_64"):
        return "qemu-system-x86_64 (apt-get install qemu-system-x86)"
    if not (BUILD / "lab" / "initrd").exists():
        return "the emulated machine (make lab)"
    return None


def build_programs() -> None:
    """tests/lab/programs, built here: a compiler is slow in the guest."""
    folder = TREE / "tests" / "lab" / "programs"
    common = [folder / "lab.c", folder / "lab.h", TREE / "lab" / "shared.h"]
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    for source in sorted(set(folder.glob("*.c")) - set(common)):
        output = PROGRAMS / source.stem
        if output.exists() and all(file.stat().st_mtime < output.stat().st_mtime for file in [source, *common]):
            continue
        flags = ["-std=c17", "-D_GNU_SOURCE", "-g", "-O1", "-fno-omit-frame-pointer", "-pthread", f"-I{TREE}"]
        subprocess.run(["gcc", *flags, "-o", output, source, common[0], "-lpfm"], check=True)
    java, output = folder / "Work.java", PROGRAMS / "Work.class"
    if shutil.which("javac") and (not output.exists() or java.stat().st_mtime > output.stat().st_mtime):
        subprocess.run(["javac", "-d", PROGRAMS, java], check=True)


def build_database() -> None:
    """An empty one of PostgreSQL's, packed: made here in half a second, in the guest it would take half a minute."""
    programs, output = import_module("conftest").postgres_programs(), PROGRAMS / "database.tar"
    if programs is None or output.exists():
        return
    user = import_module("attaching").SERVER_USER
    with TemporaryDirectory() as folder:
        command = [programs / "initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "test", "--no-sync"]
        subprocess.run([*(user if os.getuid() == 0 else ()), *command], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["tar", "-C", folder, "--owner=65534", "--group=65534", "-cf", output, "data"], check=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--machines", metavar="K/N", help="only tests of part K of N of the emulated machines")


def part_of(tests_of: Counter[str], part: str) -> set[str]:
    """The machines of part "K/N". The parts have about as many tests: machines are dealt out by their number of tests.

    Raises pytest.UsageError if `part` is no such word."""
    number, _, parts = part.partition("/")
    if not (number.isdigit() and parts.isdigit() and 1 <= int(number) <= int(parts)):
        raise pytest.UsageError(f"--machines takes a part, for example 1/3, not {part!r}")
    ordered = sorted(tests_of, key=lambda machine: (-tests_of[machine], machine))
    return set(ordered[int(number) - 1 :: int(parts)])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "lab(machine): runs inside the emulated NUMA machine of that name or file")
    config.addinivalue_line("markers", "shares_cpu: a busy host can upset its measurement; it may run twice")
    config.addinivalue_line("markers", "alone: boots a machine of its own, after all others ended")
    config.addinivalue_line("markers", "judged(by=function): reads on the host what the test left in `for_host`")
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


class Host:
    """On the host: lends the guest's reports to the tests."""

    def __init__(self, config: pytest.Config) -> None:
        self.guests = Guests(config)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if part := config.getoption("--machines"):
            chosen = {None, *part_of(Counter(filter(None, map(machine_of, items))), part)}
            config.hook.pytest_deselected(items=[item for item in items if machine_of(item) not in chosen])
            items[:] = [item for item in items if machine_of(item) in chosen]
        for item in items:
            if machine_of(item):
                item.add_marker(pytest.mark.timeout(0))  # the first one waits for many
        # Stable: those of no machine stay in front, in their order.
        items.sort(key=lambda item: (item.get_closest_marker("alone") is not None, machine_of(item) or ""))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        tests: dict[str, list[str]] = {}
        sharing = frozenset(item.nodeid for item in session.items if item.get_closest_marker("shares_cpu"))
        judges = {item.nodeid: judge for item in session.items if (judge := judge_of(item))}
        for item in session.items:
            if machine := machine_of(item):
                tests.setdefault(machine, []).append(item.nodeid)
        if tests and not missing() and not session.config.option.collectonly:
            build_programs()
            build_database()
            self.guests.begin(tests, sharing, judges, beside=len(session.items) > sum(map(len, tests.values())))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        machine = machine_of(item)
        if machine is None or missing():
            return None
        group = self.guests.wait(machine, item.nodeid)
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in group.of(item):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if machine_of(item):
            pytest.skip(f"needs {missing()}, which this machine does not have")

    def pytest_sessionfinish(self) -> None:
        self.guests.end()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        groups = self.guests.groups
        if groups:
            spent = (f"{Path(machine).stem} {group.seconds:.0f} s" for machine, group in groups.items())
            terminalreporter.line(f"emulated machines, {AT_ONCE} at once: {', '.join(spent)}")
        for group in groups.values():
            for nodeid, reports in group.first.items():
                if not group.failed(nodeid):
                    first = cause(next(report for report in reports if not report.passed))
                    terminalreporter.line(f"passed in a second boot only: {nodeid}: at first {first}")


@pytest.fixture
def for_host(request: pytest.FixtureRequest) -> Path:
    """A folder of the test that comes back from the guest, for the function that the test is judged by."""
    folder = Path(os.environ["NUMAPROF_SCRATCH"]) / folder_of(request.node.nodeid)
    folder.mkdir()
    return folder


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
