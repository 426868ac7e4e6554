# SPDX-License-Identifier: Apache-2.0
"""Processes that the target did not start: they get nothing of the channel, and cost the recording nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import BUILD, NOBODY
from running import one, rows, run, target

pytestmark = [pytest.mark.requires("gcc", "perf_event", "root")]

CHILDREN = 100


@contextmanager
def strangers(words: list[str]) -> Iterator[list[tuple[int, int]]]:
    """Two of them while the block runs; filled behind it: how often each connected, descriptors it got."""
    counts: list[tuple[int, int]] = []
    crowd = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    yield counts
    for stranger in crowd:
        out, _ = stranger.communicate()
        connected, got = out.split()
        counts.append((int(connected), int(got)))


def fork_server(address: Path, children: int) -> list[object]:
    """Begins when a stranger has connected."""
    wait = f"until test -e {address}.met; do :; done"
    script = f'printf "%s\\n" "$NUMAPROF_CHANNEL" > {address}; {wait}; exec "$@"'
    return ["sh", "-c", script, "sh", target("fork_server"), children, 64]


@pytest.mark.parametrize("user", [[], NOBODY], ids=["same user", "another user"])
def test_a_flood_of_strangers(user: list[str], public_place: Path) -> None:
    recording, address = public_place / "r.numaprof", public_place / "address"
    with strangers([*user, str(target("stranger")), str(address), "guess"]) as counts:
        done = run("record", "-q", "-o", recording, *fork_server(address, CHILDREN))
    assert done.status == 0
    assert all(got == 0 for _, got in counts)
    assert one(recording, "SELECT count(*) FROM process") == CHILDREN + 1
    assert one(recording, "SELECT count(*) FROM process WHERE followed = 'preload'") == CHILDREN + 1
    assert rows(recording, "SELECT pin, count(*) FROM thread GROUP BY 1") == [("planned", 2 * (CHILDREN + 1))]


def test_a_stranger_that_knows_the_secret(tmp_path: Path) -> None:
    """A process of the same user can read the target's environment: the kernel says that it is no descendant."""
    address = tmp_path / "address"
    with strangers([str(target("stranger")), str(address)]) as counts:
        done = run("record", "-q", "-o", tmp_path / "r.numaprof", *fork_server(address, 40))
    assert done.status == 0
    assert all(got == 0 for _, got in counts)
    assert one(tmp_path / "r.numaprof", "SELECT count(*) FROM process") == 41


LISTENER = """
import os, socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
    os.setuid(int(sys.argv[1]))
    listener.bind("\\0numaprof-listener-%d" % os.getpid())
    listener.listen()
    print(os.getpid(), flush=True)
    connection, _ = listener.accept()
    print(len(connection.recv(4096)))
"""


@pytest.mark.parametrize(("user", "is_told"), [(0, True), (12345, False)], ids=["root", "another user"])
def test_who_listens_where_the_recorder_was(user: int, is_told: bool) -> None:
    """After the recorder's end its name is free: the program shows its secret and its ring to root and itself only."""
    words = [sys.executable, "-c", LISTENER, str(user)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as listener:
        assert listener.stdout
        number = listener.stdout.readline().strip()
        variables = {
            "LD_PRELOAD": str(BUILD / "libnumaprof-preload.so"),
            "NUMAPROF_CHANNEL": f"numaprof-listener-{number}:{'0' * 32}",
        }
        assert subprocess.run(["/bin/true"], env=variables, check=False).returncode == 0
        assert (int(listener.stdout.readline()) > 0) == is_told
