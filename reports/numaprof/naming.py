# SPDX-License-Identifier: Apache-2.0
"""How threads, nodes and places are called wherever a report names them."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Sequence

from numaprof.evidence import Evidence, Thread
from numaprof.objects import Object
from numaprof.places import Site
from numaprof.text import NOT_KNOWN, clean, number_list, plural, size, words
from numaprof.thresholds import ALL_OF_IT

_WITHIN_BRACKETS = re.compile(r"<[^<>]*>|\([^()]*\)|\[clone[^]]*\]")
_DEEPEST = 8  # brackets within brackets; names may be hostile
NAME_LIMIT = 24  # of a function or thread in running text; C++ names fill screens


def thread_name(thread: Thread) -> str:
    """sum 4711."""
    return clean(f"{thread.row.name or '?'} {thread.row.tid}", NAME_LIMIT)


def thread_in_text(thread: Thread | None) -> str:
    """thread 0 (sum 4711)."""
    return "one thread" if thread is None else f"thread {thread.position} ({thread_name(thread)})"


def function_name(function: str) -> str:
    """std::vector::vector of std::vector<double, std::allocator<double> >::vector(unsigned long)."""
    for _ in range(_DEEPEST):
        plain = _WITHIN_BRACKETS.sub("", function)
        if "operator" in function or plain in (function, ""):
            break
        function = plain
    return clean(function.strip().removesuffix(" const"), NAME_LIMIT)


def site_label(site: Site, limit: int = 2 * NAME_LIMIT) -> str:
    if site.line is None or site.function is None:
        return clean(site.label, limit)
    return clean(f"{site.position} {function_name(site.function)}", limit)


def site_position(site: Site) -> str:
    return clean(site.position, 2 * NAME_LIMIT)


def most_at(site: Site | None) -> str:
    """, most at sum.c:18 sum; nothing where no line is known."""
    return f", most at {site_label(site)}" if site is not None else ""


def nodes_in_text(nodes: Iterable[int]) -> str:
    """node 1, nodes 0-3, or unknown nodes."""
    known = sorted(set(nodes))
    return f"node{'s' * (len(known) > 1)} {number_list(known)}" if known else "unknown nodes"


def homes_in_text(homes: dict[int, float]) -> str:
    """node 0, or the shares where there are several: node 0 75 %, node 1 25 %."""
    total = sum(homes.values())
    if not total:
        return NOT_KNOWN
    ordered = sorted(homes, key=lambda home: -homes[home])
    if homes[ordered[0]] >= ALL_OF_IT * total:
        return f"node {ordered[0]}"
    return ", ".join(f"node {home} {100 * homes[home] / total:.0f} %" for home in ordered[:3])


def threads_on_nodes(threads: Sequence[Thread]) -> str:
    """8 threads on nodes 0-1."""
    nodes = {node for thread in threads for node in thread.nodes}
    return plural(len(threads), "thread") + (f" on {nodes_in_text(nodes)}" if nodes else "")


def list_of_sites(sites: Iterable[Site], most: int = 3) -> str:
    """sum.c:17 main, sum.c:18 and 2 more places."""
    labels = [site_label(site) for site in sites]
    rest = len(labels) - most
    return words([*labels[:most], f"{plural(rest, 'more place')}"] if rest > 0 else labels)


def object_name(found: Object) -> str:
    """table, sum.c:14 main, util.c:5 xmalloc < setup, stacks, or memory of sum.c:17 main."""
    if found.kind == "stack":
        return "stacks of threads"
    if found.name is not None:
        name = os.path.basename(found.name) if found.name.startswith("/") else found.name
        return clean(f"data of {name}" if found.kind == "static" and name != found.name else name, 2 * NAME_LIMIT)
    if found.allocated is not None:
        caller = f" < {site_position(found.caller)}" if found.caller is not None and found.is_wrapped else ""
        return site_label(found.allocated) + caller
    return f"memory of {site_label(found.site)}" if found.site is not None else "unnamed memory"


def object_in_text(found: Object) -> str:
    """`table`, the memory allocated at sum.c:14 main."""
    if found.name is not None:
        return f"`{object_name(found)}`"
    return f"the memory allocated at {object_name(found)}" if found.allocated is not None else object_name(found)


def objects_in_text(evidence: Evidence, group: Sequence[Object], most: int = 3) -> str:
    """32 MiB; 32 MiB allocated at sum.c:14 main; `a` (32 MiB); `a`, `b` and 2 more objects (96 MiB)."""
    pages = sum(found.pages for found in group)
    bytes_ = size(evidence.bytes(pages) if pages else sum(found.bytes or 0.0 for found in group))
    if all(found.allocated is not None and found.name is None for found in group):
        places = list(dict.fromkeys(object_name(found) for found in group))
        more = [plural(len(places) - most, "more place")] if len(places) > most else []
        return f"{bytes_} allocated at {words([*places[:most], *more])}"
    names = list(dict.fromkeys(f"`{object_name(found)}`" for found in group if found.name is not None))
    if not names:
        return bytes_
    rest = len(group) - min(most, len(names))
    return f"{words([*names[:most], *([plural(rest, 'more object')] if rest else [])])} ({bytes_})"


def command_line(evidence: Evidence) -> str:
    """As a shell takes it."""
    return clean(" ".join(shlex.quote(argument) for argument in evidence.command), 160)


def shell_path(path: str) -> str:
    return clean(shlex.quote(path))
