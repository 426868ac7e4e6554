# SPDX-License-Identifier: Apache-2.0
"""The first safe fix for a placement of memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from numaprof.source import fortran
from numaprof.source.c_loops import Loop, divided, in_parallel, names, turns
from numaprof.source.edits import Editor, moving, pragma, rows, touching
from numaprof.source.files import Source, Sources, Unreadable, contains, errors
from numaprof.source.memory import Memory, allocated, handed_out, loops_around, main_of, place_after, variable
from numaprof.source.request import Fix, Form, Line, Request, Wanted, words
from numaprof.source.use import Part, elements, in_front, part_of

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
    if source.language == "fortran":
        schedule = fortran.schedule_at(source, nodes[0]) or "static"
    else:
        loop = divided(source, nodes[0])
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
        _understood(source, nodes[0], line)
        editor = Editor(source)
        if source.language == "fortran":
            node, text = _fortran_loop(source, nodes[0], line, schedule)
        else:
            loop, private = _safe_loop(request, sources, line)
            node, text = loop.node, pragma(schedule, private)
        editor.before(node, [text])
        editor.flag(_OPENMP)
        editors.append(editor)
    return editors, Form.LOOP


def _understood(source: Source, node: Node, line: Line) -> None:
    """Unreadable: the tree has errors at a statement, or errors around it that hide more than a line."""
    rows = range(node.start_point[0] - 1, node.end_point[0] + 2)
    for error in [each for function in source.around(node, "function")[-1:] or [node] for each in errors(function)]:
        first, last = error.start_point[0], error.end_point[0]
        if error.is_missing or first != last or first in rows or contains(error, node):
            raise Unreadable(f"the text around {_label(line)} is not understood")


def _fortran_loop(source: Source, node: Node, line: Line, schedule: str) -> tuple[Node, str]:
    if fortran.in_parallel(source, node):
        raise Unreadable(f"{_label(line)} is in a parallel region")
    try:
        loop, private = fortran.safe_loop(source, node)
    except Unreadable as why:
        raise Unreadable(f"{_label(line)}: {why}") from None
    return loop.node, fortran.pragma(schedule, private)


def _safe_loop(request: Request, sources: Sources, line: Line) -> tuple[Loop, list[str]]:
    """The loop whose turns are parts as those of the loop of use are. Unreadable: it may not be divided."""
    source, (node, *_) = sources.at(line)
    if in_parallel(source, node):
        raise Unreadable(f"{_label(line)} is in a parallel region")
    position = _divided_index(request, sources)
    for loop in loops_around(source, node):
        found = turns(source, loop)
        own = [each.position(loop.variable) for each in found.writes]
        if found.chooses and (position is None or position in own):  # a loop within it would divide each of its turns
            if source.above(loop.node):
                raise Unreadable(f"the loop around {_label(line)} has a directive")
            if found.reason:
                raise Unreadable(f"{_label(line)}: {found.reason}")
            return loop, found.private
    raise Unreadable(f"{_label(line)} is in no loop that counts the elements")


def _divided_index(request: Request, sources: Sources) -> int | None:
    """Which of several indices the loop of use divides, where that is one of several."""
    try:
        names = {memory.name for _, memory in _memories(request, sources)}
        source, nodes = sources.at(request.used) if request.used is not None else (None, [])
    except Unreadable:
        return None
    loop = divided(source, nodes[0]) if source is not None and source.language != "fortran" else None
    if source is None or loop is None or len(names) != 1:
        return None
    used = [element for _, element in elements(source, nodes[0], loop[0], min(names))]
    positions = {element.position(loop[0].variable) for element in used if len(element.indices) > 1}
    return positions.pop() if len(positions) == 1 else None


# (b)


def _memories(request: Request, sources: Sources) -> Iterator[tuple[Source, Memory]]:
    """Of the first line that tells what it allocates."""
    reasons = []
    wrapper = ""
    for line in request.allocated:
        try:
            source, nodes = sources.at(line)
            if source.language == "fortran":
                raise Unreadable("Fortran has no code for this placement")
            found = [each for node in nodes for each in allocated(source, node, wrapper)]
            found = found or ([variable(source, nodes[0], request.name)] if request.name else [])
            wrapper = wrapper or request.wrapper
            if request.numbers and max(request.numbers) <= len(found):
                found = [found[number - 1] for number in request.numbers]
            if not found:
                raise Unreadable(f"what {_label(line)} allocates is not understood")
            _understood(source, found[0].statement, line)
            last = line == request.allocated[-1]
            if not last and any(handed_out(source, each) for each in found):
                raise Unreadable(f"{_label(line)} allocates for its callers")
        except Unreadable as why:
            reasons.append(str(why))
            continue
        yield from ((source, each) for each in found)
        return
    raise Unreadable(reasons[0] if reasons else "the line of the allocation is not known")


def _edited(
    request: Request, sources: Sources, lines: Callable[[Editor, Memory], Sequence[str]], *, team: bool = True
) -> list[Editor]:
    """Lines behind each allocation, or at the begin of main for variables."""
    editors = []
    for source, memory in _memories(request, sources):
        editor = Editor(source)
        if memory.static:
            place = main_of(source)
        elif memory.statement.type == "field_initializer_list":
            place = source.around(memory.statement, "function")[0]
        else:
            place = place_after(source, memory)
        if team and in_parallel(source, place):
            raise Unreadable("the memory is allocated in a parallel region")
        shown = lines(editor, memory)
        if memory.static or memory.statement.type == "field_initializer_list":
            editor.begin(place, shown)
        else:
            editor.after(place, shown)
        for header in memory.headers:
            editor.include(header)
        if team:
            editor.flag(_OPENMP)
        editors.append(editor)
    return editors


def _fortran_arrays(request: Request, sources: Sources) -> Iterator[tuple[Source, fortran.Array]]:
    """Of the first line that allocates; a procedure that does may set values only behind that line."""
    line = request.allocated[0] if request.allocated else None
    if line is None:
        raise Unreadable("the line of the allocation is not known")
    source, nodes = sources.at(line)
    _understood(source, nodes[0], line)
    found = fortran.allocated(source, nodes[0])
    if not found and request.name:
        found = [fortran.variable(source, request.name)]
    if request.numbers and max(request.numbers) <= len(found):
        found = [found[number - 1] for number in request.numbers]
    if not found:
        raise Unreadable(f"what {_label(line)} allocates is not understood")
    yield from ((source, each) for each in found)


def _fortran_first_touch(request: Request, sources: Sources) -> _Made:
    schedule, editors = _schedule(request, sources), []
    if schedule != "static":
        raise Unreadable(f"schedule({schedule}) deals out rows that are no parts")
    for source, array in _fortran_arrays(request, sources):
        if fortran.in_parallel(source, array.statement):
            raise Unreadable("the memory is allocated in a parallel region")
        editor = Editor(source)
        if array.source is not None:
            editor.cut(*array.source)
        editor.after(array.statement, fortran.touching(array, schedule))
        editor.flag(_OPENMP)
        editors.append(editor)
    return editors, Form.FIRST_TOUCH


def _is_fortran(request: Request, sources: Sources) -> bool:
    return bool(request.allocated) and sources.get(request.allocated[0].file).language == "fortran"


def _first_touch(request: Request, sources: Sources) -> _Made:
    if _is_fortran(request, sources):
        return _fortran_first_touch(request, sources)
    schedule = _schedule(request, sources)

    def lines(editor: Editor, memory: Memory) -> Sequence[str]:
        if memory.written:
            raise Unreadable(f"`{memory.name}` is written where it is made")
        variable = editor.source.free("byte")
        if schedule == "static":
            return touching(memory.pointer, memory.size, schedule, variable)
        editor.include("string.h")
        return rows(memory.pointer, memory.size, schedule, variable, _row(request, sources, editor.source, memory))

    return _edited(request, sources, lines), Form.FIRST_TOUCH


def _row(request: Request, sources: Sources, source: Source, memory: Memory) -> str:
    """Bytes of what a turn of the loop of use takes, in names that the allocation knows."""
    place = sources.at(request.used) if request.used is not None else (source, [])
    part = part_of(place[0], place[1][0], memory.name) if place[1] else None
    known = {*names(memory.size), memory.name}
    if part is None or not part.row or not set(names(part.row)) <= known:
        raise Unreadable("the rows that are dealt out are not known where the memory is allocated")
    element = f"sizeof *{memory.pointer}" if part.row == "1" else f"{part.row} * sizeof *{memory.pointer}"
    return f"({element})" if "*" in part.row else element


# (d)


def _moved(request: Request, sources: Sources) -> _Made:
    schedule = _schedule(request, sources)
    if schedule != "static":
        raise Unreadable(f"schedule({schedule}) deals out rows that are no parts")

    def lines(editor: Editor, memory: Memory) -> Sequence[str]:
        editor.include("omp.h")
        return moving(editor.helper("move_here"), memory.pointer, memory.size, editor.source.free)

    return _edited(request, sources, lines), Form.POLICY


def _moved_at_use(request: Request, sources: Sources) -> _Made:
    """The team moves the part that the loop of use counts, in front of that loop."""
    if request.used is None:
        raise Unreadable("")
    schedule, part = _schedule(request, sources), _part(request, sources)
    editor = Editor(part.source)
    place = in_front(part, outside_region=True)
    if schedule != "static" or in_parallel(part.source, place.parent or place):
        raise Unreadable("the loop of use gives a thread several parts, or stands in a region of its callers")
    size = f"({part.end}) * sizeof *{part.base}"
    if part.first != "0":
        size = f"(({part.end}) - ({part.first})) * sizeof *{part.base}"
    pointer = f"({part.base} + {part.first})" if part.first != "0" else part.base
    editor.include("omp.h")
    editor.before(place, moving(editor.helper("move_here"), pointer, size, part.source.free))
    editor.flag(_OPENMP)
    return [editor], Form.POLICY


def _part(request: Request, sources: Sources) -> Part:
    if request.used is None:
        raise Unreadable("the loop of use is not known")
    source, nodes = sources.at(request.used)
    _understood(source, nodes[0], request.used)
    if source.language == "fortran":
        raise Unreadable("Fortran has no code for this placement")
    return part_of(source, nodes[0], _name(request, sources))


def _name(request: Request, sources: Sources) -> str:
    """The last part of the name of the memory; empty: it is not known."""
    try:
        found = {memory.name for _, memory in _memories(request, sources)}
    except Unreadable:
        found = {request.name}
    return found.pop() if len(found) == 1 else ""


def _thread(request: Request, sources: Sources) -> _Made:
    """Each thread moves its part, in front of the loop that uses it."""
    part = _part(request, sources)
    place = in_front(part, outside_region=False)
    editor = Editor(part.source)
    helper = editor.helper("move_here")
    editor.before(place, [f"{helper}(&{part.base}[{part.first}], &{part.base}[{part.end}]);"])
    return [editor], Form.THREAD


def _policy(helper: str) -> Callable[[Request, Sources], _Made]:
    """A form that calls a function of ours for all of the memory."""

    def make(request: Request, sources: Sources) -> _Made:
        def lines(editor: Editor, memory: Memory) -> Sequence[str]:
            return [f"{editor.helper(helper)}({memory.pointer}, {memory.size});"]

        return _edited(request, sources, lines, team=False), Form.POLICY

    return make


def _pieces(request: Request, sources: Sources) -> _Made:
    """The loop that allocates is divided, and each of its turns writes to what it allocates."""
    schedule, editors = _schedule(request, sources), []
    if _is_fortran(request, sources):
        return _fortran_pieces(request, sources, schedule)
    for source, memory in _memories(request, sources):
        used = set(names(memory.pointer))
        loop = next((each for each in loops_around(source, memory.statement) if each.variable in used), None)
        if loop is None or in_parallel(source, loop.node):
            raise Unreadable(f"no loop counts the pieces of `{memory.name}`")
        found = turns(source, loop)
        if found.reason:
            raise Unreadable(found.reason)
        editor = Editor(source)
        editor.before(loop.node, [pragma(schedule, found.private)])
        inside = range(loop.node.start_point[0] + 1, loop.node.end_point[0] + 2)
        touched = {line.line for line in request.touched if line.file == source.file} & set(inside)
        if not memory.written and touched <= {memory.statement.start_point[0] + 1}:
            editor.after(place_after(source, memory), [f"memset({memory.pointer}, 0, {memory.size});"])
            for header in ("string.h", *memory.headers):
                editor.include(header)
        editor.flag(_OPENMP)
        editors.append(editor)
    return editors, Form.LOOP


def _fortran_pieces(request: Request, sources: Sources, schedule: str) -> _Made:
    editors = []
    for source, array in _fortran_arrays(request, sources):
        variables = names(array.name.lower())
        loop = next(
            (each for each in fortran.loops_around(source, array.statement) if each.variable in variables), None
        )
        if loop is None or fortran.in_parallel(source, array.statement):
            raise Unreadable(f"no loop counts the pieces of `{array.name}`")
        if array.source is not None:
            raise Unreadable("the allocation copies a value")
        _, private = fortran.safe_loop(source, array.statement)
        editor = Editor(source)
        editor.before(loop.node, [fortran.pragma(schedule, private)])
        editor.after(array.statement, [f"{array.name} = {array.zero}"])
        editor.flag(_OPENMP)
        editors.append(editor)
    return editors, Form.LOOP


_FORMS: dict[Wanted, tuple[Callable[[Request, Sources], _Made], ...]] = {
    Wanted.TEAM: (_initialising_loop, _first_touch, _moved, _moved_at_use),
    Wanted.PIECES: (_pieces, _initialising_loop),
    Wanted.THREADS: (_thread,),
    Wanted.INTERLEAVED: (_policy("spread_over_nodes"),),
    Wanted.SMALL_PAGES: (_policy("take_small_pages"),),
}
