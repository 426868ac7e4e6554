# SPDX-License-Identifier: Apache-2.0
"""How threads, nodes and places are called wherever a report names them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Sequence

from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import ALL_OF_IT
from numaprof.text.format import NOT_KNOWN, clean, nodes_in_text, percent, plural, size, words
from numaprof.text.function_names import NAME_LIMIT, function_name, is_copying, variable_in_source

MOST_COPIED = 400  # characters of a command
INSTALLED = ("/usr/", "/bin/", "/sbin/", "/opt/", "/snap/", "/nix/", "/gnu/")  # where packages put programs
LEAST_NAMED = 0.005  # of an object's pages: less is printed as 0 %

_SHARED_ANONYMOUS = "/dev/zero (deleted)"  # the kernel's name of mmap(MAP_SHARED | MAP_ANONYMOUS)


def thread_name(thread: Thread) -> str:
    """sum 4711."""
    return clean(f"{thread.row.name or '?'} {thread.row.tid}", NAME_LIMIT)


def thread_in_text(thread: Thread | None) -> str:
    """thread 0 (sum 4711)."""
    return "one thread" if thread is None else f"thread {thread.position} ({thread_name(thread)})"


def site_label(site: Site, limit: int = 2 * NAME_LIMIT) -> str:
    if site.line is None or site.function is None:
        return clean(site.label, limit)
    return clean(f"{site.position} {function_name(site.function)}", limit)


def site_position(site: Site) -> str:
    return clean(site.position, 2 * NAME_LIMIT)


def most_at(site: Site | None) -> str:
    """, most at sum.c:18 sum; nothing where no line is known."""
    return f", most at {site_label(site)}" if site is not None else ""


def seen_faults(evidence: Evidence) -> str:
    """Behind a number of first touches where page faults were lost: (from 61.0 % of the page faults)."""
    seen = evidence.fault_coverage
    return f" (from {percent(seen)} of the page faults)" if seen is not None and seen < ALL_OF_IT else ""


def homes_in_text(homes: dict[int, float]) -> str:
    """node 0, or the shares where there are several: node 0 75 %, node 1 25 %."""
    total = sum(homes.values())
    if not total:
        return NOT_KNOWN
    named = named_homes(homes)
    if homes[named[0]] >= ALL_OF_IT * total:
        return f"node {named[0]}"
    return ", ".join(f"node {home} {100 * homes[home] / total:.0f} %" for home in named[:3])


def named_homes(homes: dict[int, float]) -> list[int]:
    """Most first; without those of which 0 % would be printed."""
    total = sum(homes.values())
    return [home for home in sorted(homes, key=lambda home: -homes[home]) if homes[home] >= LEAST_NAMED * total]


def touched_from(evidence: Evidence, pages: dict[int, float]) -> str:
    """16 MiB from node 0 and 8 MiB from node 1."""
    return words([f"{size(evidence.bytes(pages[node]))} from node {node}" for node in sorted(pages)])


def threads_on_nodes(threads: Sequence[Thread]) -> str:
    """8 threads on nodes 0-1."""
    nodes = {node for thread in threads for node in thread.nodes}
    return plural(len(threads), "thread") + (f" on {nodes_in_text(nodes)}" if nodes else "")


def first_touch_at(sites: Sequence[Site]) -> str:
    """sum.c:17 main first touches; sum.c:17 and 19 main first touch."""
    one = len(set(map(site_label, sites))) == 1
    return f"{list_of_sites(sites)} first {'touches' if one else 'touch'}"


def list_of_sites(sites: Iterable[Site], most: int = 3) -> str:
    """sum.c:17 main, sum.c:18 f and 2 more places; lines of one function together: sum.c:17 and 19 main. So are the
    instances of a template, which have one name here."""
    groups: dict[object, list[Site]] = {}
    for site in sites:
        named = site.line is not None and site.function is not None
        key = (site.file, function_name(site.function or ""), site.module) if named else site
        groups.setdefault(key, []).append(site)
    labels = [_lines_label(group) for group in groups.values()]
    rest = sum(map(len, list(groups.values())[most:]))
    return words([*labels[:most], f"{plural(rest, 'more place')}"] if rest > 0 else labels)


def _lines_label(group: list[Site]) -> str:
    """Of one function."""
    function = group[0].function
    if len(group) == 1 or function is None:
        return words([site_label(site) for site in group])
    return clean(f"{positions(group)} {function_name(function)}", 3 * NAME_LIMIT)


def positions(sites: Iterable[Site], most: int = 6) -> str:
    """sum.c:17, 18 and util.c:5: a file is named once."""
    ordered = sorted(
        {site_position(site): site for site in sites}.values(), key=lambda site: (site.file or "", site.line or 0)
    )[:most]
    shown, file = [], None
    for site in ordered:
        again = site.line is not None and site.file is not None and site.file == file
        shown.append(str(site.line) if again else site_position(site))
        file = site.file
    return words(shown)


def object_name(found: Object) -> str:
    """table, sum.c:14 main, sum.c:14 main #2 (of that line), util.c:5 xmalloc < setup, or memory of sum.c:17 main."""
    return _object_name(found, site_label)


def short_object_name(found: Object) -> str:
    """Without functions: lines tell more."""
    return _object_name(found, site_position)


def _object_name(found: Object, label: Callable[[Site], str]) -> str:
    if found.kind == "stack":
        return "stacks of threads"
    if found.name == _SHARED_ANONYMOUS:
        return "anonymous shared memory"
    if found.name is not None:
        whole = found.name.startswith("/")  # what the file has no name for
        plain = variable_in_source(found.name)
        name = os.path.basename(found.name) if whole else plain
        return clean(f"data of {name}" if whole and found.kind == "static" else name, 2 * NAME_LIMIT)
    if found.allocated is not None:
        unclear = found.is_wrapped or is_copying(found.allocated.function or "")  # the caller tells which one
        caller = f" < {site_position(found.caller)}" if found.caller is not None and unclear else ""
        numbers = f" #{found.numbers}" if found.numbers else ""
        return label(found.allocated) + caller + numbers
    if found.placed_before:
        return "memory placed before attaching"
    return f"memory of {label(found.site)}" if found.site is not None else "unnamed memory"


def object_in_text(found: Object) -> str:
    """`table`, the memory allocated at sum.c:14 main."""
    if found.name is not None:
        return f"`{object_name(found)}`"
    return f"the memory allocated at {object_name(found)}" if found.allocated is not None else object_name(found)


def objects_in_text(evidence: Evidence, group: Sequence[Object], most: int = 3) -> str:
    """32 MiB; 32 MiB allocated at sum.c:14 main; `a` (32 MiB); `a`, `b`, what is allocated at sum.c:14 and 2 more
    objects (96 MiB)."""
    touched = sum(_touched_bytes(evidence, found) for found in group)
    bytes_ = size(touched or sum(found.bytes or 0.0 for found in group))
    if all(found.allocated is not None and found.name is None for found in group):
        places = list(dict.fromkeys(object_name(found) for found in group))
        made_in = {found.allocated.function or "" for found in group if found.allocated is not None}
        if len(places) > 2 * most and len(made_in) == 1 and "" not in made_in and " < " not in "".join(places):
            return f"{bytes_} allocated at {len(places)} places in {function_name(made_in.pop())}"
        more = [plural(len(places) - most, "more place")] if len(places) > most else []
        return f"{bytes_} allocated at {words([*places[:most], *more])}"
    names = list(dict.fromkeys(f"`{object_name(found)}`" for found in group if found.name is not None))
    if not names:
        return bytes_
    allocated = [found.allocated for found in group if found.name is None and found.allocated is not None]
    unnamed = [f"what is allocated at {positions(dict.fromkeys(allocated))}"] if allocated else []
    rest = len(group) - min(most, len(names)) - len(allocated)
    more = [plural(rest, "more object")] if rest > 0 else []
    return f"{words([*names[:most], *unnamed, *more])} ({bytes_})"


def _touched_bytes(evidence: Evidence, found: Object) -> float:
    """A huge page at a variable's end holds more than the variable. Where page faults were lost or came before the
    recorder, all that was allocated at one time."""
    if found.placed_before:
        return found.bytes or 0.0
    touched, seen = evidence.bytes(found.pages_at_most), evidence.fault_coverage
    if found.blocks == 1 and found.bytes:  # pages of zeros that were read first have a second fault, of unknown kind
        touched = min(touched, max(evidence.bytes(found.pages), found.bytes))
    if touched and found.bytes and seen is not None and seen < ALL_OF_IT:
        return max(touched, found.bytes)
    return min(touched, found.bytes) if found.kind == "static" and found.bytes else touched


def command_line(evidence: Evidence) -> str:
    """As a shell takes it."""
    return clean(" ".join(shlex.quote(argument) for argument in evidence.command), 160)


def command_to_copy(evidence: Evidence) -> str:
    """As a shell takes it, whole; a word in its place where that is too long: a shortened one runs something else."""
    command = " ".join(map(shlex.quote, evidence.command))
    return command if command.isprintable() and len(command) <= MOST_COPIED else "PROGRAM ARGUMENT..."


def without_source(evidence: Evidence) -> bool:
    """An installed program with lines of other packages at most (./malloc/arena.c): who runs it has nothing to edit."""
    files = [site.site.file or "" for site in evidence.init_sites]
    own = any(file.startswith("/") and not file.startswith(INSTALLED) for file in files)
    return (evidence.run.program or "").startswith(INSTALLED) and not own
