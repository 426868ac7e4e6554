# SPDX-License-Identifier: Apache-2.0
"""The first safe fix for a placement of memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from numaprof.source.c_loops import Loop, divided, in_parallel, turns
from numaprof.source.edits import Editor, moving, pragma, touching
from numaprof.source.files import Source, Sources, Unreadable
from numaprof.source.memory import Memory, allocated, handed_out, loops_around, place_after
from numaprof.source.request import Fix, Form, Line, Request, Wanted, words

if TYPE_CHECKING:
    from tree_sitter import Node

_OPENMP = "-fopenmp"
_Made = tuple[list[Editor], Form]


def fix_for(request: Request, sources: Sources) -> Fix:
    """The first of the forms (a) to (e) that is safe by the tree. Never fails: what is not understood gets words."""
    reasons: list[str] = []
    for make in _FORMS[request.wanted]:
        try:
            editors, form = make(request, sources)
        except Unreadable as why:
            reasons.append(str(why))
            continue
        edits = tuple(dict.fromkeys(edit for editor in editors for edit in editor.edits))
        flags = tuple(dict.fromkeys(flag for editor in editors for flag in editor.flags))
        return Fix(form, edits, flags, reasons[-1] if reasons else "")
    return words(reasons)


def _schedule(request: Request, sources: Sources) -> str:
    """Of the loop of use."""
    if request.used is None:
        return "static"
    try:
        source, nodes = sources.at(request.used)
    except Unreadable:
        return "static"
    loop = None if source.language == "fortran" else divided(source, nodes[0])
    schedule = loop[1] if loop is not None else "static"
    if not schedule.startswith("static"):
        raise Unreadable(f"the loop of use has schedule({schedule}), which gives no thread a part of its own")
    return schedule


def _label(line: Line) -> str:
    return f"{os.path.basename(line.file)}:{line.line}"


# (a)


def _initialising_loop(request: Request, sources: Sources) -> _Made:
    schedule, editors = _schedule(request, sources), []
    if not request.touched:
        raise Unreadable("the line of the first touch is not known")
    for line in request.touched:
        source, nodes = sources.at(line)
        loop, private = _safe_loop(source, nodes[0], line)
        editor = Editor(source)
        editor.before(loop.node, [pragma(schedule, private)])
        editor.flag(_OPENMP)
        editors.append(editor)
    return editors, Form.LOOP


def _safe_loop(source: Source, node: Node, line: Line) -> tuple[Loop, list[str]]:
    loops = loops_around(source, node)
    around = source.around(node, "function")
    if around and around[0].has_error:
        raise Unreadable(f"the text around {_label(line)} is not understood")
    if in_parallel(source, node):
        raise Unreadable(f"{_label(line)} is in a parallel region")
    for loop in loops:
        found = turns(source, loop)
        if found.chooses:  # a loop within it would divide each of its turns
            if found.reason:
                raise Unreadable(f"{_label(line)}: {found.reason}")
            return loop, found.private
    raise Unreadable(f"{_label(line)} is in no loop that counts the elements")


# (b)


def _memories(request: Request, sources: Sources) -> Iterator[tuple[Source, Memory]]:
    """Of the first line that tells what it allocates."""
    reasons = []
    wrapper = ""
    for line in request.allocated:
        try:
            source, nodes = sources.at(line)
            found = [each for node in nodes for each in allocated(source, node, wrapper)]
            wrapper = wrapper or request.wrapper
            if request.numbers and max(request.numbers) <= len(found):
                found = [found[number - 1] for number in request.numbers]
            if not found:
                raise Unreadable(f"what {_label(line)} allocates is not understood")
            around = source.around(found[0].statement, "function")
            if any(each.has_error for each in around[:1]):
                raise Unreadable(f"the text around {_label(line)} is not understood")
            last = line == request.allocated[-1]
            if not last and any(handed_out(source, each) for each in found):
                raise Unreadable(f"{_label(line)} allocates for its callers")
        except Unreadable as why:
            reasons.append(str(why))
            continue
        yield from ((source, each) for each in found)
        return
    raise Unreadable(reasons[-1] if reasons else "the line of the allocation is not known")


def _first_touch(request: Request, sources: Sources) -> _Made:
    schedule, editors = _schedule(request, sources), []
    for source, memory in _memories(request, sources):
        if memory.written:
            raise Unreadable(f"`{memory.name}` is written where it is made")
        place = place_after(source, memory)
        if in_parallel(source, place):
            raise Unreadable("the memory is allocated in a parallel region")
        editor = Editor(source)
        editor.after(place, touching(memory.pointer, memory.size, schedule, _free(source, "byte")))
        for header in memory.headers:
            editor.include(header)
        editor.flag(_OPENMP)
        editors.append(editor)
    return editors, Form.FIRST_TOUCH


def _free(source: Source, name: str) -> str:
    """A name that the file does not use."""
    while name.encode() in source.data:
        name = f"{name}_"
    return name


# (d)


def _moved(request: Request, sources: Sources) -> _Made:
    schedule, editors = _schedule(request, sources), []
    if schedule != "static":
        raise Unreadable(f"schedule({schedule}) deals out rows that are no parts")
    for source, memory in _memories(request, sources):
        place = place_after(source, memory)
        if in_parallel(source, place):
            raise Unreadable("the memory is allocated in a parallel region")
        editor = Editor(source)
        editor.after(place, moving(editor.helper("move_here", place), memory.pointer, memory.size))
        for header in ("omp.h", *memory.headers):
            editor.include(header)
        editor.flag(_OPENMP)
        editors.append(editor)
    return editors, Form.POLICY


def _interleaved(request: Request, sources: Sources) -> _Made:
    editors = []
    for source, memory in _memories(request, sources):
        place = place_after(source, memory)
        editor = Editor(source)
        editor.after(place, [f"{editor.helper('spread_over_nodes', place)}({memory.pointer}, {memory.size});"])
        for header in memory.headers:
            editor.include(header)
        editors.append(editor)
    return editors, Form.POLICY


def _thread(request: Request, sources: Sources) -> _Made:
    raise Unreadable("not yet")


_FORMS: dict[Wanted, tuple[Callable[[Request, Sources], _Made], ...]] = {
    Wanted.TEAM: (_initialising_loop, _first_touch, _moved),
    Wanted.PIECES: (_initialising_loop,),
    Wanted.THREADS: (_thread,),
    Wanted.INTERLEAVED: (_interleaved,),
}
