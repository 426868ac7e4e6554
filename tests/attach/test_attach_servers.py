# SPDX-License-Identifier: Apache-2.0
"""`numaprof attach` and `top` at real servers: PostgreSQL under pgbench."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from attaching import attached
from running import children_of, one, rows, run, until

SHARED_BUFFERS = 128 << 20  # the default
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


class Server:
    """PostgreSQL with a socket and its data in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = next(Path("/usr/lib/postgresql").glob("*/bin/pgbench")).parent  # Debian's, not in PATH
        self.tool("initdb", "-D", folder / "data", "-A", "trust", "-U", "test", "--no-sync")
        command = [*NOBODY, self.programs / "postgres", "-D", folder / "data", "-k", folder, "-h", "", "-F"]
        self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self.is_ready)

    def is_ready(self) -> bool:
        return self.client("pg_isready", check=False).returncode == 0

    def tool(self, name: str, *words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [*NOBODY, self.programs / name, *words]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=check)

    def client(self, name: str, *words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.tool(name, "-h", self.folder, "-U", "test", *words, check=check)


@pytest.fixture
def server(public_place: Path) -> Iterator[Server]:
    found = Server(public_place)
    try:
        yield found
    finally:
        found.process.terminate()
        found.process.wait()


@pytest.mark.requires("perf_event", "root", "postgres")
def test_backends_use_one_object(server: Server, tmp_path: Path) -> None:
    """Attached to the server: backends of later connections are followed, and their buffers are one object."""
    recording = tmp_path / "r.numaprof"
    with attached(server.process.pid, recording):
        server.client("pgbench", "-i", "-s", "2", "-q", "postgres")
        server.client("pgbench", "-c", "4", "-t", "50", "postgres")
        shown = run("top", "--once", "--interval", "0.2", "-p", server.process.pid)
        assert len(children_of(server.process.pid)) >= 4  # its own workers: it lives on
    assert (shown.status, shown.err) == (0, "")
    assert " postgres " in shown.out
    assert rows(recording, "SELECT followed FROM process")[0] == "attached"
    buffers = f"FROM block JOIN object ON object.id = object WHERE kind = 'shared' AND bytes >= {SHARED_BUFFERS}"
    block = one(recording, f"SELECT block.id {buffers}")
    users = (
        "SELECT count(DISTINCT thread.process) FROM sample JOIN thread ON thread.id = sample.thread WHERE block = {}"
    )
    assert one(recording, users.format(block)) >= 4
