# SPDX-License-Identifier: Apache-2.0
"""Pages of mapped files lie where the page cache put them, perhaps long ago: no initialisation of ours decides."""

from __future__ import annotations

import os
import re

from numaprof.analysis.naming import command_to_copy, most_at, seen_faults, threads_on_nodes
from numaprof.analysis.object_users import later_uses, main_use, users
from numaprof.analysis.relevant_objects import measured, of_remote, remote_part
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import is_library
from numaprof.evidence.thresholds import MIN_OBJECT_BYTES, MIN_OBJECT_SHARE, REMOTE_HEAVY
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import clean, size, words
from numaprof.text.function_names import NAME_LIMIT

_READ = "Let each thread read() what it uses into memory of its own. Or "
_DROP = "drop the page cache of all files (as root), so that the next run spreads this file over the nodes:"
_ANEW = "spread the file over the nodes; each run makes it anew:"
_GONE = " (deleted)"  # behind the name, where the kernel shows a mapping
_CAUSE = "the page cache placed it when it was first read or written"


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).fixable or evidence.machine.single:
        return None
    return _by_use(evidence) if measured(evidence) else _by_fault(evidence)


def _by_use(evidence: Evidence) -> Advice | None:
    least = MIN_OBJECT_SHARE * evidence.samples.remote_accesses
    files = [o for o in evidence.objects.found if o.kind == "file" and o.remote >= max(least, 1.0)]
    files = [found for found in files if not _is_code(evidence, found.name)]
    uses, part = later_uses(files), remote_part(evidence, files)
    if not uses or part < MIN_OBJECT_SHARE:
        return None
    anew = all(_is_gone(found.name) for found in files)
    return Advice(
        kind=Kind.SETTING,
        finding=f"The mapped file {_names(files)} is in the page cache of other nodes than those that use it: "
        f"{threads_on_nodes(users(evidence, uses))} read it{most_at(main_use(uses))}.",
        change=_change(anew),
        code=_code(evidence, anew),
        cause=_CAUSE,
        evidence=f"{of_remote(evidence, part)} reach it.",
        concerns=part,
        objects=tuple(files),
        used_at=main_use(uses),
        threads=tuple(users(evidence, uses)),
    )


def _by_fault(evidence: Evidence) -> Advice | None:
    """Advice from page faults: a thread that faults on a page of a file reads it then."""
    rows = [row for row in evidence.objects.file_pages if row.node is not None and row.home is not None]
    known = [row for row in rows if not _is_code(evidence, row.name)]
    away = sum(row.pages for row in known if row.node != row.home)
    total = sum(row.pages for row in known)
    big = evidence.bytes(away) >= MIN_OBJECT_BYTES and total >= MIN_OBJECT_SHARE * evidence.touched_pages
    if not big or away < REMOTE_HEAVY * total:
        return None
    remote = sorted((row for row in known if row.node != row.home), key=lambda row: -row.pages)
    names = list(dict.fromkeys(_name(row.name) for row in remote))
    anew = all(_is_gone(row.name) for row in remote)
    return Advice(
        kind=Kind.SETTING,
        finding=f"{size(evidence.bytes(away))} of mapped files ({words(names[:2])}) are in the page cache of other "
        "nodes than those whose threads map them.",
        change=_change(anew),
        code=_code(evidence, anew),
        cause=_CAUSE,
        evidence=f"the nodes of pages of files, at the page faults that mapped them{seen_faults(evidence)}.",
    )


def _is_code(evidence: Evidence, path: str | None) -> bool:
    """True for the program and libraries, which are not data, and for what numaprof maps into the program."""
    name, program = os.path.basename(path or ""), os.path.basename(next(iter(evidence.command), ""))
    is_code = re.search(r"\.so(\.\d+)*$", name) is not None or (name == program and bool(name))
    return is_code or is_library(path)


def _is_gone(path: str | None) -> bool:
    """The program deleted the file while it was mapped: there is none for the next run."""
    return (path or "").endswith(_GONE)


def _change(anew: bool) -> str:
    return _READ + (_ANEW if anew else _DROP)


def _code(evidence: Evidence, anew: bool) -> tuple[str, ...]:
    spread = f"numactl --interleave=all {command_to_copy(evidence)}"
    return (spread if anew else f"echo 1 > /proc/sys/vm/drop_caches; {spread}",)


def _names(files: list[Object]) -> str:
    return words([_name(found.name) for found in files[:2]])


def _name(path: str | None) -> str:
    return clean(os.path.basename(path or "?"), NAME_LIMIT)
