# SPDX-License-Identifier: Apache-2.0
"""Processes that the target did not start: they get nothing of the channel, and cost the recording nothing."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from running import one, rows, run, target

pytestmark = [pytest.mark.requires("gcc", "perf_event", "root")]

CHILDREN = 100
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


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
