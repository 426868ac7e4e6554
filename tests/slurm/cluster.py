# SPDX-License-Identifier: Apache-2.0
"""A Slurm of two nodes on this computer: munged, slurmctld and two slurmd, each with a host name of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from running import Ended, children_of, free_ports, is_alive, run_command, until

START = Path(__file__).with_name("start-cluster")
# All processes of the cluster, those of its jobs too, end with the first one, which ends with this one.
IN_NAMESPACES = ["setpriv", "--pdeathsig=KILL", "unshare", "--uts", "--pid", "--mount-proc", "--kill-child", "--fork"]


class Cluster(NamedTuple):
    environment: dict[str, str]

    def run(self, *words: object, cwd: Path) -> Ended:
        return run_command(*words, cwd=cwd, env=self.environment)

    def start(self, *words: object, cwd: Path) -> subprocess.Popen[bytes]:
        return subprocess.Popen([str(word) for word in words], cwd=cwd, env=self.environment)

    def job_state(self, number: str) -> str:
        shown = run_command("scontrol", "-o", "show", "job", number, env=self.environment).out
        return shown.partition(" JobState=")[2].partition(" ")[0]


def _end(daemons: subprocess.Popen[bytes]) -> None:
    first = children_of(daemons.pid)
    daemons.kill()
    daemons.wait()
    until(lambda: not any(map(is_alive, first)))


@contextmanager
def started_cluster(place: Path) -> Iterator[Cluster]:
    """In this folder, which has the logs; nothing of it runs afterwards."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
    cluster = Cluster({**environment, "SLURM_CONF": str(place / "slurm.conf")})
    words = [*IN_NAMESPACES, START, place, *free_ports(3)]
    with (place / "log").open("wb") as log:
        daemons = subprocess.Popen([str(word) for word in words], stdout=log, stderr=log)
    try:
        _wait_for_nodes(cluster, place)
        yield cluster
    finally:
        _end(daemons)


def _wait_for_nodes(cluster: Cluster, place: Path) -> None:
    try:
        until(lambda: cluster.run("sinfo", "-h", "-o", "%D %T", cwd=place).out == "2 idle\n")
    except AssertionError:
        pytest.fail(f"Slurm did not start: {(place / 'log').read_text()}")
