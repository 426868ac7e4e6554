# SPDX-License-Identifier: Apache-2.0
"""`numaprof attach` and `top` at real servers: PostgreSQL under pgbench, Redis that saves, Python's workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from attaching import PAGE, SERVER_USER, Attachee, attached, redis_server
from conftest import postgres_programs
from numaprof.evidence.evidence import load
from running import children_of, one, rows, run, until

SHARED_BUFFERS = 128 << 20  # the default


class Server:
    """PostgreSQL with a socket and its data in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        programs = postgres_programs()
        assert programs
        self.programs = programs
        self.tool("initdb", "-D", folder / "data", "-A", "trust", "-U", "test", "--no-sync")
        command = [*SERVER_USER, self.programs / "postgres", "-D", folder / "data", "-k", folder, "-h", "", "-F"]
        self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self.is_ready)

    def is_ready(self) -> bool:
        return self.client("pg_isready", check=False).returncode == 0

    def tool(self, name: str, *words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [*SERVER_USER, self.programs / name, *words]
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


KEYS, KEY_BYTES = 16, 1 << 20
FILL = f"for i = 1, {KEYS} do redis.call('SETRANGE', 'k' .. i, {KEY_BYTES - 1}, 'x') end return {KEYS}"
WRITE_ON_EACH_PAGE = f"""
for i = 1, {KEYS} do for at = 0, {KEY_BYTES - 1}, {PAGE} do redis.call('SETRANGE', 'k' .. i, at, 'y') end end
return redis.call('INFO', 'persistence')
"""


class Redis:
    """A server without a port, with its keys, and a client of it."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "socket"
        # The delay: a child that saves lives until it is killed.
        options = ("--port", "0", "--save", "", "--unixsocket", self.socket, "--rdb-key-save-delay", "10000000")
        command = list(map(str, [redis_server(folder), *options]))
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        until(lambda: self.ask("PING").stdout == "PONG\n")
        assert self.ask("EVAL", FILL, "0").stdout == f"{KEYS}\n"

    def ask(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = ["redis-cli", "-s", str(self.socket), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    found = Redis(tmp_path)
    try:
        yield found
    finally:
        found.process.kill()
        found.process.wait()


@pytest.mark.requires("perf_event", "redis")
def test_copies_while_a_child_saves(redis: Redis, tmp_path: Path) -> None:
    """BGSAVE: while the child has the memory too, each page that the server writes to is copied: by the server."""
    recording = tmp_path / "r.numaprof"
    with attached(redis.process.pid, recording):
        assert redis.ask("BGSAVE").stdout == "Background saving started\n"
        (child,) = until(lambda: children_of(redis.process.pid))
        assert "rdb_bgsave_in_progress:1" in redis.ask("EVAL", WRITE_ON_EACH_PAGE, "0").stdout
        os.kill(child, signal.SIGKILL)
        until(lambda: not children_of(redis.process.pid))
    assert rows(recording, "SELECT pid FROM process ORDER BY id") == [redis.process.pid, child]
    assert rows(recording, "SELECT followed FROM process ORDER BY id") == ["attached", "inherited"]
    copies = "FROM sample JOIN thread ON thread.id = thread WHERE kind = 12"
    pages = KEYS * KEY_BYTES // PAGE
    lost = one(recording, "SELECT coalesce(sum(value), 0) FROM note WHERE kind = 'lost'")
    assert one(recording, f"SELECT sum(weight) {copies} AND process = 1") + lost >= 0.8 * pages


WORKERS = 3
SHARING = f"""
import sys
from multiprocessing import get_context, shared_memory

def work(name, part):
    memory = shared_memory.SharedMemory(name)
    for at in range(part * {1 << 22}, (part + 1) * {1 << 22}, {PAGE}):
        memory.buf[at] = 1
    memory.close()

if __name__ == "__main__":
    context = get_context("fork")
    memory = shared_memory.SharedMemory(create=True, size={WORKERS << 22})
    print("ready", flush=True)
    for line in sys.stdin:
        workers = [context.Process(target=work, args=(memory.name, part)) for part in range({WORKERS})]
        for worker in workers:
            worker.start()
            worker.join()
        print(line.strip(), "done", flush=True)
    memory.unlink()
"""


@pytest.mark.requires("perf_event")
def test_shared_memory_of_python_workers_is_one_object(tmp_path: Path) -> None:
    """Each worker maps it by its name, at an address of its own, and fills a part."""
    recording, script = tmp_path / "r.numaprof", tmp_path / "sharing.py"
    script.write_text(SHARING)
    program = Attachee([sys.executable, script])
    with attached(program.pid, recording):
        program.do("fill")
    program.process.communicate()
    of_shared = "JOIN object ON object.id = object WHERE object.kind = 'shared' AND object.name LIKE '/dev/shm/%'"
    assert one(recording, f"SELECT count(DISTINCT object.name) FROM block {of_shared}") == 1
    (found,) = (found for found in load(str(recording)).objects.found if (found.name or "").startswith("/dev/shm/"))
    assert (found.kind, found.bytes) == ("shared", WORKERS << 22)
    touches = f"FROM sample JOIN thread ON thread.id = sample.thread JOIN block ON block.id = block {of_shared}"
    users = rows(recording, f"SELECT sum(weight) {touches} AND sample.kind IN (10, 19) GROUP BY thread.process")
    pages, notes = WORKERS * (1 << 22) // PAGE, dict(rows(recording, "SELECT kind, value FROM note"))
    assert sum(users) <= 1.2 * pages, (users, notes)
    # With a lost record of a mapping the touches in this mapping have no object.
    assert "lost" in notes or (len(users) == WORKERS and sum(users) >= 0.8 * pages), (users, notes)
