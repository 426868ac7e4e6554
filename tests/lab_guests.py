# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of emulated machines, some machines at a time, and keeps what their guests report (lab_plugin.py)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Semaphore
from typing import Any, Callable

import pytest

TREE = Path(__file__).resolve().parent.parent
# Booting and starting Python keep one CPU of the host busy, whatever the number of the guest's; each takes 2 GiB.
AT_ONCE = min(len(os.sched_getaffinity(0)), 4)
NICE = 10  # the host's own tests, most of which use one CPU, go first
SECONDS = 3600  # of a whole group, on a computer that is busy with other things
SECONDS_OF_TEST = 900
BOOTS = 3  # of a group, where QEMU ends by its own error
# Rare, in QEMU before 8.0: it runs callbacks that it has freed (its issue 1381). It says nothing about the test.
QEMU_ERROR = "qemu_plugin_vcpu_mem_cb: code should not be reached"
REPORTS = "NUMAPROF_LAB_REPORTS"  # names the descriptor that the guest's reports go to

Judge = Callable[[Path], pytest.TestReport]


def folder_of(nodeid: str) -> str:
    """Where, in the guest's scratch folder, a test leaves what the host judges."""
    return re.sub(r"\W+", "-", nodeid)


@dataclass
class Group:
    """What is known of the tests of one machine."""

    reports: dict[str, list[pytest.TestReport]] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)  # what the guest said that ended during this test
    boots: int = 0
    silent: str = ""  # what the guest said that last ran no test
    hopeless: bool = False  # it is not started again
    sharing: frozenset[str] = frozenset()  # tests that are marked `shares_cpu`
    left: dict[str, Path] = field(default_factory=dict)  # by tests that the host has yet to judge
    first: dict[str, list[pytest.TestReport]] = field(default_factory=dict)  # of tests that failed and were run again
    done: Future[None] = field(default_factory=Future)
    seconds: float = 0

    def failed(self, nodeid: str) -> bool:
        return any(report.failed for report in self.reports.get(nodeid, []))

    def runs_again(self, nodeid: str) -> bool:
        """True if the test failed and other work of the host's CPUs can be the cause."""
        return nodeid in self.sharing and self.failed(nodeid)

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


class Guests:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.groups: dict[str, Group] = {}  # by machine
        self.pool = ThreadPoolExecutor(AT_ONCE)
        self.allowed = Semaphore(0)  # so many machines more may run at this moment
        self.waiting = AT_ONCE
        self.running: set[subprocess.Popen[str]] = set()
        self.over = False
        self.judges: dict[str, Judge] = {}
        self.scratch = ""

    def begin(
        self, tests: dict[str, list[str]], sharing: frozenset[str], judges: dict[str, Judge], beside: bool
    ) -> None:
        """All machines will run, those with most tests first: they take longest, and alone at the end they would leave
        a CPU idle. beside: one at a time, until the first wait, and only if there is a CPU for it."""
        self.judges = judges
        self.scratch = tempfile.mkdtemp(prefix="numaprof-lab-tests-")
        self.allow(min(AT_ONCE - 1, 1) if beside else AT_ONCE)
        for machine, names in sorted(tests.items(), key=lambda pair: -len(pair[1])):
            self.groups[machine] = group = Group(sharing=sharing)
            group.done = self.pool.submit(self.run_all, machine, group, names)

    def allow(self, more: int) -> None:
        for _ in range(min(more, self.waiting)):
            self.waiting -= 1
            self.allowed.release()

    def wait(self, machine: str, nodeid: str) -> Group:
        self.allow(AT_ONCE)
        group = self.groups[machine]
        group.done.result()
        self.judge(group)
        if group.runs_again(nodeid) and not group.first and not group.hopeless:
            self.run_again(machine, group)
            self.judge(group)
        return group

    def judge(self, group: Group) -> None:
        """In the thread of the host's tests: what is judged and what they run share the state of modules."""
        for name, folder in group.left.items():
            made = [self.judges[name](folder) if each.when == "call" else each for each in group.reports[name]]
            group.reports[name] = made
        group.left.clear()

    def end(self) -> None:
        """The session may end before the machines do: by Ctrl-C, or at the first failure."""
        self.over = True
        self.pool.shutdown(wait=False, cancel_futures=True)
        self.allow(AT_ONCE)
        for guest in list(self.running):
            guest.terminate()
        if self.scratch:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def run_all(self, machine: str, group: Group, names: list[str]) -> None:
        with self.allowed:
            start = time.monotonic()
            for _ in range(BOOTS):
                left = [name for name in names if not group.knows(name)]
                if left and not group.hopeless and not self.over:
                    group.boots += 1
                    self.run(machine, group, left)
            group.seconds = time.monotonic() - start

    def run_again(self, machine: str, group: Group) -> None:
        """Runs tests marked `shares_cpu` once more, in a boot of their own, when no other guest runs. A wrong tree
        fails twice; a test that passes now is named in the summary."""
        for other in self.groups.values():
            other.done.result()
        group.first = {name: group.reports.pop(name) for name in list(group.reports) if group.runs_again(name)}
        self.run(machine, group, list(group.first))
        for name, reports in group.first.items():
            if not group.knows(name):
                group.reports[name] = reports

    def run(self, machine: str, group: Group, names: list[str]) -> None:
        """Boots and runs these tests; should the guest end during one, the others get a boot of their own later."""
        scratch = tempfile.mkdtemp(dir=self.scratch)
        command: list[str | Path] = ["nice", "-n", str(NICE), TREE / "lab" / "run"]
        command += ["--machine", machine, "--time-limit", str(SECONDS)]
        # The reports go to lab/run's standard output, everything else to its standard error.
        command += ["--scratch", scratch, "--", "sh", "-c", 'exec "$@" 3>&1 >&2', "sh"]
        command += [sys.executable, "-m", "pytest", "-c", "tests/pytest.ini", "--rootdir=."]
        command += ["-q", "-p", "pytest_timeout", "-p", "no:cacheprovider", "--basetemp=/var/tmp/lab"]
        command += [f"--timeout={SECONDS_OF_TEST}"]
        command += names
        # hypothesis's plugin alone would cost half a minute of import in an emulated CPU.
        plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        # What tests leave in /var is thrown away with the guest.
        environment = {**os.environ, **plain, REPORTS: "3", "TMPDIR": "/var/tmp"}
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, cwd=TREE, env=environment, errors="replace", **pipes) as guest:
            self.running.add(guest)
            reported, said = guest.communicate()
            self.running.discard(guest)
        begun = ""
        for line in reported.splitlines():
            begun = self.read(group, line) or begun
        for name in self.judges.keys() & set(names):
            folder = Path(scratch) / folder_of(name)
            if folder.exists() and group.knows(name) and not group.failed(name):
                group.left[name] = folder
            elif all(report.passed for report in group.reports.get(name, [])):
                group.reports.pop(name, None)  # the guest ended before its files came back
        output = f"lab/run --machine {machine} ended with status {guest.returncode}\n{said}"
        if begun and not group.knows(begun) and QEMU_ERROR not in output:
            group.ended[begun] = output
        if not begun:
            group.silent = output
        late = "did not end within" in output
        group.hopeless = late or (not begun and (QEMU_ERROR not in output or group.boots >= BOOTS))

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
