# SPDX-License-Identifier: Apache-2.0
"""`numaprof attach` at real servers in the emulated machine: its counts are those of `perf stat -p` over the same work.

A server is asked for a piece of work once all counters are open, and is idle before and after it. The work reads memory
that is on one node while its thread is on the other, so that nearly all of its requests are remote.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "attach"), str(Path(__file__).resolve().parent)]
from attaching import SERVER_USER, redis_server, state  # noqa: E402
from conftest import postgres_programs  # noqa: E402
from lab_plugin import PROGRAMS  # noqa: E402
from test_attach_lab import PLACEMENTS, Perf, attached, recorded  # noqa: E402

if "NUMAPROF_MACHINE" not in os.environ:  # the guest only records, and there an import takes seconds
    from numaprof.document.object_remarks import remarks
    from numaprof.evidence.evidence import load

MACHINE = "tests/lab/machines/small-zen.machine"
DIFFERENCE = 0.02  # of the counts of two tools
ENOUGH = 15_000  # remote requests of the work
FEW = 30  # samples
NODES = ("numactl", "--physcpubind=5", "--membind=0")  # the CPU is of node 1

ARRAY = """
import sys, numpy
a = numpy.zeros(1 << 20)
a += 1
print("ready", flush=True)
for line in sys.stdin:
    print(int(sum(a.sum() for _ in range(3))), flush=True)
"""


class Service:
    """A process that does a piece of work for each line that its standard input, or its client's, gets."""

    def __init__(self, *command: object) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(list(map(str, command)), text=True, **pipes)  # type: ignore[call-overload]
        self.pid: int = self.process.pid

    def ask(self, line: str = "") -> str:
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self) -> str:
        return str(self.process.stdout.readline().strip())

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


class Language(Service):
    def __init__(self, *command: object) -> None:
        super().__init__(*NODES, *command)
        assert self.answer() == "ready"

    def work(self) -> None:
        assert int(self.ask()) > 0


# A transaction of pgbench: it waits until it is asked for, and says when the server has answered.
TRANSACTION = r"""
\shell read line < {0}/go
SELECT count(b) FROM t;
SELECT count(b) FROM t;
\shell echo done > {0}/done
"""


class Postgres(Service):
    """The backend of pgbench's connection: the server adds up a table in its shared buffers."""

    def __init__(self, folder: Path) -> None:
        programs = postgres_programs()
        assert programs
        self.folder, data = folder, folder / "data"
        subprocess.run(["tar", "-C", folder, "-xf", PROGRAMS / "database.tar"], check=True)
        options = "-h '' -F -c shared_buffers=64MB -c max_parallel_workers_per_gather=0 -c autovacuum=off -c jit=off"
        control = [*SERVER_USER, *NODES, programs / "pg_ctl", "-D", data, "-s", "-w", "-t", "600"]
        self.stop = [*SERVER_USER, programs / "pg_ctl", "-D", data, "-s", "-m", "fast", "stop"]
        subprocess.run([*control, "-o", f"{options} -k {folder}", "-l", folder / "log", "start"], check=True)
        super().__init__(programs / "psql", "-h", folder, "-U", "test", "-qAtX", "postgres")
        self.ask("CREATE TABLE t AS SELECT g AS a, repeat('x', 100) AS b FROM generate_series(1, 60000) g; SELECT 1;")
        self.fifos = [folder / name for name in ("go", "done")]
        for fifo in self.fifos:
            os.mkfifo(fifo)
        (folder / "script").write_text(TRANSACTION.format(folder))
        client = [programs / "pgbench", "-h", folder, "-U", "test", "-n", "-f", folder / "script", "-t", "1000"]
        self.pgbench = subprocess.Popen([*client, "postgres"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.work()
        self.pid = int(self.ask("SELECT pid FROM pg_stat_activity WHERE application_name = 'pgbench';"))

    def main_pid(self) -> str:
        return (self.folder / "data" / "postmaster.pid").read_text().split()[0]

    def work(self) -> None:
        self.fifos[0].write_text("\n")
        assert self.fifos[1].read_text() == "done\n"

    def end(self) -> None:
        self.pgbench.kill()
        self.pgbench.wait()
        super().end()
        subprocess.run(self.stop, check=True)


class Redis(Service):
    def __init__(self, folder: Path) -> None:
        socket = folder / "socket"
        self.server = subprocess.Popen(
            [*NODES, redis_server(folder), *("--port", "0", "--save", "", "--hz", "1"), "--unixsocket", socket],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.server.stdout
        for line in self.server.stdout:
            if "ready to accept connections" in line.lower():
                break
        super().__init__("redis-cli", "-s", socket)
        assert self.ask("EVAL \"for i = 1, 8 do redis.call('SETRANGE', 'k' .. i, 1048575, 'x') end return 8\" 0") == "8"
        self.pid = self.server.pid

    def work(self) -> None:
        assert int(
            self.ask(
                "EVAL \"local n = 0 for i = 1, 96 do n = n + redis.call('BITCOUNT', 'k' .. i % 8 + 1) end return n\" 0"
            )
        )

    def end(self) -> None:
        super().end()
        self.server.terminate()
        self.server.communicate()


def python(folder: Path) -> Language:
    return Language("/usr/bin/python3", "-c", ARRAY)


def java(folder: Path) -> Language:
    return Language("java", "-Xint", "-XX:+UseSerialGC", "-cp", PROGRAMS, "Work")


SERVICES = {
    "postgres": Postgres,
    "redis": Redis,
    "numpy": python,
    "java": java,
}


@pytest.fixture
def service(request: pytest.FixtureRequest, public_place: Path) -> Iterator[Language | Postgres | Redis]:
    found = SERVICES[request.param](public_place)
    try:
        yield found
    finally:
        found.end()


@pytest.mark.lab(MACHINE)
@pytest.mark.parametrize(
    "service", [pytest.param(name, marks=pytest.mark.requires(name)) for name in SERVICES], indirect=True
)
@pytest.mark.requires("perf", "root")
def test_counts_and_samples_of_a_server(service: Language | Postgres | Redis, tmp_path: Path) -> None:
    """And the server is left as it was."""
    recording, sampled = tmp_path / "r.numaprof", tmp_path / "s.numaprof"
    perf = Perf(tmp_path, service.pid)
    before = state(service.pid)
    with attached(recording, "-p", str(service.pid)):
        perf.ask("enable")
        service.work()
        perf.ask("disable")
    with attached(sampled, "-p", str(service.pid), without=()):
        for _ in range(5):
            service.work()
    assert state(service.pid) == before
    ours, theirs = recorded(recording), perf.counts()
    print("attach:", ours, "perf:", theirs)
    assert theirs["remote_dram"] > ENOUGH
    for placement in PLACEMENTS:
        assert abs(ours[placement] - theirs[placement]) <= DIFFERENCE * theirs["remote_dram"], placement
    found = list(samples(sampled))
    print("samples:", found)
    assert sum(count for *_, count in found) >= FEW, "too few prove nothing"
    assert {node for node, *_ in found} == {0}
    assert "local_dram" not in {source for _, source, _ in found}


def each_backend_uses_node_0(folder: Path) -> None:
    near, far = (folder / "pids").read_text().split()
    evidence = load(str(folder / "r.numaprof"))
    buffers = max(
        (found for found in evidence.objects.found if found.kind == "shared"), key=lambda found: found.bytes or 0
    )
    (told,) = (text for text in remarks(evidence, buffers) if text.startswith("by process: "))
    assert set(told.partition(": ")[2].split("; ")) == {
        f"postgres {near} on node 0 uses node 0",
        f"postgres {far} on node 2 uses node 0",
    }


@pytest.mark.lab("tests/lab/machines/small-sapphire.machine")
@pytest.mark.judged(by=each_backend_uses_node_0)
@pytest.mark.requires("postgres", "root")
def test_which_backend_reads_buffers_of_which_node(public_place: Path, for_host: Path) -> None:
    """Attached to the server: all buffers are on node 0; one backend runs there, that of pgbench on node 2."""
    server = Postgres(public_place)
    near = int(server.ask("SELECT pg_backend_pid();"))
    os.sched_setaffinity(near, {1})
    with attached(for_host / "r.numaprof", "-p", server.main_pid(), without=()):
        for _ in range(6):  # where it is told of a process takes a number of samples
            for _ in range(2):
                server.work()
                server.ask("SELECT count(b) FROM t;")
    (for_host / "pids").write_text(f"{near} {server.pid}")
    server.end()


def samples(recording: Path) -> Iterator[tuple[int | None, str, int]]:
    """Sampled accesses to the memory that the work is about: node of the page, source, and how many."""
    query = """SELECT page_node, source.name, count(*) FROM sample JOIN source ON source.id = source
                 JOIN block ON block.id = block JOIN object ON object.id = object
                WHERE sample.kind IN (2, 3) AND object.kind IN ('mapping', 'shared') GROUP BY 1, 2"""
    with closing(sqlite3.connect(recording)) as database:
        yield from database.execute(query)
