# SPDX-License-Identifier: Apache-2.0
"""Levers: what can make a placement real, by the origin of where memory is now. One table.

A placement without a lever for the memory's origin is no candidate.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from numaprof.analysis.naming import without_source
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import NEARLY_ALL
from numaprof.placement.placements import Form
from numaprof.placement.policies import interleaves_all
from numaprof.placement.runtime_options import option_of_runtime

# An object is recycled memory if so much of it was first touched before it was allocated.
RECYCLED = 0.50

# What is remote is at the seams of huge pages if so much of it is in huge pages that several nodes use.
IN_MIXED_PAGES = 0.80


class Origin(Enum):
    """What decided where the memory is."""

    FIRST_TOUCH = "the thread that first touched it"
    GROWN = "the thread that first touched it, before it grew"
    RECYCLED = "who first touched it before it was freed and handed out again"
    HUGE = "the thread that first touched each huge page"
    FILE = "the page cache, when the file was first read or written"
    BEFORE = "unknown: it was placed before numaprof attached"
    POLICY = "a memory policy that interleaves it"
    OWNER_MOVED = "the thread that first touched it, which has moved to another node"
    RUNTIME = "the runtime that allocates it"
    INSTALLED = "an installed program"


class Lever(Enum):
    """What to change."""

    NOTHING = "nothing"
    FIRST_TOUCH = "the threads that use it touch it first"
    POLICY = "a memory policy for its pages, before they are touched"
    MOVE = "its pages are moved once it is full"
    FRESH_PAGES = "the allocator takes large blocks fresh from the kernel"
    SMALL_PAGES = "small pages"
    INTERLEAVE = "interleaved by a policy"
    SPREAD_FILE = "the page cache is filled interleaved"
    NO_POLICY = "the threads that use it touch it first, and no policy interleaves it"
    RUNTIME = "an option of the runtime"
    COMMAND = "a command before the program"
    MIGRATE = "its pages are moved while the program runs"


_OF_FIRST_TOUCH = {
    Form.PARTS: Lever.FIRST_TOUCH,
    Form.PIECES: Lever.POLICY,
    Form.PER_ALLOCATION: Lever.POLICY,
    Form.ONE_NODE: Lever.FIRST_TOUCH,
    Form.INTERLEAVED: Lever.INTERLEAVE,
}
_DIVIDED = (Form.PARTS, Form.PIECES, Form.PER_ALLOCATION)

LEVERS: dict[Origin, dict[Form, Lever]] = {
    Origin.FIRST_TOUCH: _OF_FIRST_TOUCH,
    Origin.GROWN: {
        Form.PARTS: Lever.MOVE,
        Form.PIECES: Lever.MOVE,
        Form.PER_ALLOCATION: Lever.POLICY,
        Form.ONE_NODE: Lever.FIRST_TOUCH,
        Form.INTERLEAVED: Lever.INTERLEAVE,
    },
    Origin.RECYCLED: {**dict.fromkeys(_DIVIDED, Lever.FRESH_PAGES), Form.INTERLEAVED: Lever.INTERLEAVE},
    Origin.HUGE: {**dict.fromkeys(_DIVIDED, Lever.SMALL_PAGES), Form.INTERLEAVED: Lever.INTERLEAVE},
    Origin.FILE: {Form.INTERLEAVED: Lever.SPREAD_FILE},
    Origin.BEFORE: {Form.INTERLEAVED: Lever.COMMAND, Form.ONE_NODE: Lever.MIGRATE},
    Origin.POLICY: dict.fromkeys((*_DIVIDED, Form.ONE_NODE), Lever.NO_POLICY),
    Origin.OWNER_MOVED: {},  # threads are pinned, and the memory stays: settings/migrated_threads.py
    Origin.RUNTIME: {**dict.fromkeys(_DIVIDED, Lever.RUNTIME), Form.INTERLEAVED: Lever.RUNTIME},
    Origin.INSTALLED: {Form.INTERLEAVED: Lever.COMMAND},
}


def origin_of(evidence: Evidence, obj: Object) -> Origin:
    return next(origin for origin, applies in _ORIGINS if applies(evidence, obj))


def _has_own_terms(evidence: Evidence, obj: Object) -> bool:
    return option_of_runtime(evidence, tuple(obj.pages_by_site)) is not None


def _is_used_by_its_toucher(_: Evidence, obj: Object) -> bool:
    """True if most of its remote accesses are of the thread that first touched it."""
    own = sum(row.accesses for row in obj.used if row.remote and row.init_thread == row.thread)
    return own > obj.remote / 2


def _is_recycled(evidence: Evidence, obj: Object) -> bool:
    before = sum(row.pages for row in obj.before)
    return evidence.bytes(before) >= RECYCLED * (obj.bytes or 0.0) > 0 and before >= obj.pages


def _is_in_shared_huge_pages(_: Evidence, obj: Object) -> bool:
    """True if several threads touched it, and its remote accesses are in huge pages that several nodes use."""
    if obj.huge is None or obj.main_share >= NEARLY_ALL or not obj.huge.remote:
        return False
    mixed = obj.huge.mixed if obj.came_in_huge_pages else obj.huge.came
    return mixed >= IN_MIXED_PAGES * obj.huge.remote


_ORIGINS: tuple[tuple[Origin, Callable[[Evidence, Object], bool]], ...] = (
    (Origin.FILE, lambda _, obj: obj.kind == "file"),
    (Origin.RUNTIME, _has_own_terms),
    (Origin.BEFORE, lambda _, obj: obj.placed_before),
    (Origin.INSTALLED, lambda evidence, _: without_source(evidence)),
    (Origin.POLICY, lambda evidence, _: interleaves_all(evidence)),
    (Origin.OWNER_MOVED, _is_used_by_its_toucher),
    (Origin.RECYCLED, _is_recycled),
    (Origin.HUGE, _is_in_shared_huge_pages),
    (Origin.GROWN, lambda _, obj: obj.grows),
    (Origin.FIRST_TOUCH, lambda _, __: True),
)


def lever_for(origin: Origin, form: Form) -> Lever | None:
    """None: nothing can make this placement real."""
    return Lever.NOTHING if form is Form.AS_IT_IS else LEVERS[origin].get(form)
