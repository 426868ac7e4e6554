# SPDX-License-Identifier: Apache-2.0
"""How threads, nodes and places are called wherever a report names them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from numaprof.evidence import Evidence, Thread
from numaprof.places import Site
from numaprof.text import clean, number_list, plural, words

NAME_LIMIT = 24  # of a function or thread in running text; C++ names fill screens


def thread_name(thread: Thread) -> str:
    """sum 4711."""
    return clean(f"{thread.row.name or '?'} {thread.row.tid}", NAME_LIMIT)


def thread_in_text(thread: Thread | None) -> str:
    """thread 0 (sum 4711)."""
    return "one thread" if thread is None else f"thread {thread.position} ({thread_name(thread)})"


def site_label(site: Site, limit: int = 2 * NAME_LIMIT) -> str:
    return clean(site.label, limit)


def site_position(site: Site) -> str:
    return clean(site.position, 2 * NAME_LIMIT)


def nodes_in_text(nodes: Iterable[int]) -> str:
    """node 1, nodes 0-3, or unknown nodes."""
    known = sorted(set(nodes))
    return f"node{'s' * (len(known) > 1)} {number_list(known)}" if known else "unknown nodes"


def threads_on_nodes(threads: Sequence[Thread]) -> str:
    """8 threads on nodes 0-1."""
    nodes = {node for thread in threads for node in thread.nodes}
    return plural(len(threads), "thread") + (f" on {nodes_in_text(nodes)}" if nodes else "")


def list_of_sites(sites: Iterable[Site], most: int = 3) -> str:
    """sum.c:17 main, sum.c:18 and 2 more places."""
    labels = [site_label(site) for site in sites]
    rest = len(labels) - most
    return words([*labels[:most], f"{plural(rest, 'more place')}"] if rest > 0 else labels)


def command_line(evidence: Evidence) -> str:
    """As a shell takes it."""
    return clean(" ".join(shlex.quote(argument) for argument in evidence.command), 160)


def shell_path(path: str) -> str:
    return clean(shlex.quote(path))
