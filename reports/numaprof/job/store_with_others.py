# SPDX-License-Identifier: Apache-2.0
"""Summaries of ranks that end while this Python is loaded for one of them (profiler/output/rank_summary.c asks).

Each is made on the CPUs of its own rank, as if that had a Python to itself: so many ranks take no longer than one.
"""

from __future__ import annotations

import os
import socket
import struct
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from numaprof.job.stored_summary import store
from numaprof.text.messages import Failure

MOST_REQUEST = 1 << 13  # bytes: a path
SILENCE = 1.0  # seconds: who connects asks at once, unless it was stopped in between
_CREDENTIALS = struct.Struct("iII")  # pid, user, group


class Request(NamedTuple):
    recording: str
    cpus: frozenset[int]  # that the rank may use
    peer: socket.socket | None = None  # who waits for an answer; None: the rank that this Python was started for


def store_with_others(recording: str, listener: int) -> None:
    """Until nobody waits. Who comes later finds the name free, and loads a Python for those that wait then."""
    here = frozenset(os.sched_getaffinity(0))
    children: list[int] = []
    with socket.socket(fileno=listener) as name:
        name.setblocking(False)
        requests = [Request(recording, here), *_waiting(name)]
        while requests:
            parts = _parts(requests)
            own = next((part for part in parts if part[0].cpus == here), ())
            children += [_fork(part) for part in parts if part is not own]
            _store(own)
            requests = list(_waiting(name))
    for child in children:
        os.waitpid(child, 0)


def _waiting(name: socket.socket) -> Iterator[Request]:
    with suppress(BlockingIOError):  # nobody waits any more
        while True:
            peer, _ = name.accept()
            peer.settimeout(SILENCE)
            credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
            pid, user, _ = _CREDENTIALS.unpack(credentials)
            if user != os.geteuid():  # another user could name a file that only this one may write
                continue
            with suppress(OSError):
                yield Request(os.fsdecode(peer.recv(MOST_REQUEST)), _cpus(pid), peer)


def _cpus(pid: int) -> frozenset[int]:
    with suppress(OSError):  # it has gone, or lies in another pid namespace
        return frozenset(os.sched_getaffinity(pid))
    return frozenset(os.sched_getaffinity(0))


def _parts(requests: Sequence[Request]) -> list[Sequence[Request]]:
    """One for each process: for ranks of the same CPUs as many as these are."""
    groups: dict[frozenset[int], list[Request]] = defaultdict(list)
    for request in requests:
        groups[request.cpus].append(request)
    return [group[i :: len(cpus)] for cpus, group in groups.items() for i in range(min(len(cpus), len(group)))]


def _fork(part: Sequence[Request]) -> int:
    child = os.fork()
    if child == 0:
        try:
            with suppress(OSError):  # forbidden here
                os.sched_setaffinity(0, part[0].cpus)
            _store(part)
        finally:
            os._exit(0)
    for request in part:
        _let_go(request)
    return child


def _store(part: Sequence[Request]) -> None:
    """A rank without an answer helps itself."""
    for request in part:
        with suppress(Failure):
            store(request.recording)
        if request.peer:
            with suppress(OSError):  # it was killed meanwhile
                request.peer.send(b"\0")
        _let_go(request)


def _let_go(request: Request) -> None:
    if request.peer:
        request.peer.close()
