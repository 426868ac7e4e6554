# SPDX-License-Identifier: Apache-2.0
"""The allocation of an object in the program's text."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from numaprof.evidence.evidence import Evidence
from numaprof.evidence.machine import parse_list
from numaprof.evidence.objects import SHARED, UNNAMED, Object
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import MIN_OBJECT_SHARE
from numaprof.fixes import c_allocation, c_schedule, fortran_allocation, schedule
from numaprof.fixes.memory import Memory
from numaprof.text.function_names import in_source, variable_in_source
from numaprof.text.source_lines import whole

_FREE_FORM = (".f90", ".f95", ".f03", ".f08")
_FORTRAN = (*_FREE_FORM, ".f", ".for", ".f77", ".ftn")
_C = (".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp")


def is_fortran(sites: Iterable[Site]) -> bool:
    return any(_suffix(site) in _FORTRAN for site in sites)


def memories(evidence: Evidence, group: Sequence[Object], use: Site | None = None) -> list[Memory] | None:
    """Of all these objects; None if the text of one of them cannot be read or is not understood.

    With the schedule of the line of use, where that hands out chunks.
    """
    found: list[Memory] = []
    pages = sum(each.pages_at_most for each in group)
    unnamed = [each for each in group if each.kind == UNNAMED]
    in_turns = {each.site.function: _made_in_turns(evidence, each) for each in unnamed if each.site is not None}
    for each in group:
        if each.kind == UNNAMED and each.caller is not None and in_turns.get(each.caller.function):
            continue  # made in the same turns
        mine = _told(evidence, each, use)
        if not mine and each.kind == UNNAMED and each.site is not None:
            mine = in_turns[each.site.function]
        if not mine and len(unnamed) > 1 and touched_by_allocator(evidence, each):
            continue
        if not mine and (each.kind != UNNAMED or each.pages_at_most >= MIN_OBJECT_SHARE * pages):
            return None
        found += mine
    placed = {(memory.file, memory.first, memory.ordinal) for memory in found if not memory.kept}
    told = (memory for memory in found if not (memory.kept and (memory.file, memory.first, memory.ordinal) in placed))
    return list(dict.fromkeys(told)) or None


def touched_by_allocator(evidence: Evidence, found: Object) -> bool:
    """Pages of small blocks that malloc touched in a function that hands them out: no code comes before that."""
    return found.kind == UNNAMED and _is_handed_out(evidence, found.site) is True


def _told(evidence: Evidence, found: Object, use: Site | None) -> list[Memory]:
    """The object's allocations, for pages of the recorded machine."""
    there = dealt(evidence, found, use) or _of_object(evidence, found)
    return [replace(memory, page_bytes=evidence.run.page_bytes) for memory in there]


def dealt(evidence: Evidence, found: Object, use: Site | None) -> list[Memory]:
    """Its allocations, if the loop that uses it has a static schedule with chunks: each thread has rows all over it."""
    around = _around(evidence, use, _C)
    if around is None:
        return []
    own = _of_object(evidence, found)
    rows = [memory if memory.kept else c_schedule.dealt(*around, memory) for memory in own]
    return [memory for memory in rows if memory is not None] if all(rows) else []


def schedule_at(evidence: Evidence, use: Site | None) -> str | None:
    """What stands in schedule() of the OpenMP loop around a line, empty if nothing; None: the text does not tell."""
    in_c, in_fortran = _around(evidence, use, _C), _around(evidence, use, _FREE_FORM)
    loop = schedule.in_c(*in_c) if in_c else schedule.in_fortran(*in_fortran) if in_fortran else None
    return loop and loop.schedule


def _around(evidence: Evidence, use: Site | None, suffixes: Container[str]) -> tuple[Sequence[str], int] | None:
    """The text of a file with such a suffix, and the line in it; None: the text does not have it."""
    if use is None or use.line is None or _suffix(use) not in suffixes:
        return None
    lines = _whole(evidence, use.file)
    return (lines, use.line) if 0 < use.line <= len(lines) else None


def _of_object(evidence: Evidence, found: Object) -> list[Memory]:
    if found.kind == "static":
        return _variable(evidence, found)
    if found.kind == UNNAMED:
        if touched_by_allocator(evidence, found):
            return _small(_at_caller(evidence, found))
        return _small(memory for site in found.pages_by_site for memory in _by_name(evidence, site))
    if found.kind not in ("heap", "mapping", "huge", SHARED):
        return []
    # What callers allocate through one function of the program is theirs: it may allocate for others as well.
    handed_out = _is_handed_out(evidence, found.allocated)
    wrapped = found.is_wrapped if handed_out is None else handed_out
    sites = [found.caller, found.allocated] if wrapped else [found.allocated, found.caller]
    if handed_out is False:
        sites = [found.allocated]  # what the caller gets is another pointer, or none
    if _fills(found) or (handed_out and not _is_handed_out_unwritten(evidence, found.allocated)):
        sites = [found.allocated]  # zeros at the caller would overwrite what the function wrote
    for site in sites:
        wrapper = _last_name(found.allocated) if site is found.caller else None
        if site is not None and (there := _at(evidence, site, wrapper)):
            numbered = [replace(memory, ordinal=number) for number, memory in enumerate(there, 1)]
            mine = chosen(numbered, _numbers(found))
            return [memory for memory in mine if not memory.derived and (found.grows or not memory.grown)]
    return []


def _small(found: Iterable[Memory]) -> list[Memory]:
    """Blocks that loops make are small, or they would have names."""
    return [
        replace(each, small=True, unnumbered=each.unnumbered or each.nest is None)
        if each.in_loop or each.nest is not None
        else each
        for each in found
    ]


def chosen(there: Sequence[Memory], numbers: tuple[int, ...]) -> Sequence[Memory]:
    """Of the allocations of one line those with these numbers, if there are so many, and what gives way beside them."""
    if not numbers or max(numbers) > len(there) or any(memory.instead is not None for memory in there):
        return there
    mine = (replace(memory, kept=memory.ordinal not in numbers) for memory in there)
    return [memory for memory in mine if not memory.kept or memory.before or memory.after or memory.zeroed]


def _at_caller(evidence: Evidence, found: Object) -> list[Memory]:
    """Blocks that a function hands out; none if it may write to them, which zeros at its caller would erase."""
    caller, wrapper = found.caller, _last_name(found.site)
    if caller is None or not _is_handed_out_unwritten(evidence, found.site):
        return []
    beside = [caller]
    if wrapper is not None and caller.line is not None and _suffix(caller) in _C:
        lines = _whole(evidence, caller.file)
        rows = c_allocation.rows_beside(lines, caller.line, wrapper)
        beside = [caller._replace(line=number) for number in rows] or beside
    there = [_at(evidence, site, wrapper) for site in beside]
    return [memory for each in there for memory in each] if all(there) else []


def _made_in_turns(evidence: Evidence, found: Object) -> list[Memory]:
    """Small blocks that a function makes and fills, and the loop in whose turns it is called."""
    wrapper = _last_name(found.site)
    there = _at(evidence, found.caller, wrapper) if found.caller is not None and wrapper is not None else []
    in_turns = len(there) == 1 and there[0].nest is not None
    return [replace(there[0], small=True, filled=True, writes=True, headers=())] if in_turns else []


def _is_handed_out_unwritten(evidence: Evidence, site: Site | None) -> bool:
    if site is None or site.line is None:
        return False
    lines = _whole(evidence, site.file)
    arguments = re.search(r"<([\w\s:]+)>\s*\(", site.function or "")  # alloc<double>(int)
    return c_allocation.is_handed_out_unwritten(lines, site.line, arguments.group(1) if arguments else "")


def _numbers(found: Object) -> tuple[int, ...]:
    """Of the allocations at its line, its own."""
    return parse_list(found.numbers)


def _last_name(site: Site | None) -> str | None:
    """Name of the function without its arguments, classes and namespaces."""
    if site is None or site.function is None:
        return None
    name = re.search(r"(\w+)\s*(?:<[\w\s:]+>\s*)?(?:\(.*)?$", in_source(site.function))
    return name.group(1) if name else None


def _fills(found: Object) -> bool:
    """The function that allocates writes to the memory, on other lines than that of the allocation."""
    made = found.allocated
    if made is None or made.function is None:
        return False
    inside = (pages for site, pages in found.pages_by_site.items() if site != made and site.function == made.function)
    return sum(inside) >= MIN_OBJECT_SHARE * found.pages and found.caller is not None


def _is_handed_out(evidence: Evidence, site: Site | None) -> bool | None:
    """The function that allocates returns the memory. None: its text is not known, or is not C."""
    lines = _whole(evidence, site.file) if site is not None else []
    if site is None or site.line is None or site.line > len(lines) or _suffix(site) not in _C:
        return None
    return c_allocation.is_handed_out(lines, site.line)


def _at(evidence: Evidence, site: Site, wrapper: str | None = None) -> list[Memory]:
    lines = _whole(evidence, site.file)
    if not lines or site.file is None or site.line is None or site.line > len(lines):
        return []
    if _suffix(site) in _FREE_FORM:
        return fortran_allocation.allocations(lines, site.file, site.line)
    if _suffix(site) not in _C:
        return []
    return c_allocation.allocations(lines, site.file, site.line, wrapper, _headers(evidence, lines, site.file))


def _headers(evidence: Evidence, lines: Sequence[str], file: str) -> list[str]:
    """The lines of the program's own headers that a file includes."""
    names = (found.group(1) for line in lines if (found := re.match(r'\s*#\s*include\s*"([^"]+)"', line)))
    paths = (os.path.normpath(os.path.join(os.path.dirname(file), name)) for name in names)
    return [line for path in paths for line in _whole(evidence, path)]


def _by_name(evidence: Evidence, site: Site) -> list[Memory]:
    """Small blocks have no objects: the line of first touch allocates them, or names what one other line does."""
    if there := _at(evidence, site):
        return there
    lines = _whole(evidence, site.file)
    if site.file is None or site.line is None or site.line > len(lines) or _suffix(site) not in _C:
        return []
    written = re.findall(r"(?<![\w.>])([A-Za-z_][\w.>-]*)\s*\[[^=]*\]\s*=(?!=)", lines[site.line - 1])
    found: list[Memory] = []
    for name in written:
        made = re.compile(rf"(?<![\w.>]){re.escape(name)}\s*\[.*=.*\b(?:new\b|\w*(?:alloc|new|make|create)\w*\s*\()")
        numbers = [number for number, line in enumerate(lines, 1) if made.search(line)]
        there = c_allocation.allocations(lines, site.file, numbers[0]) if len(numbers) == 1 else []
        if not there:
            return []
        found += there
    return found


def _variable(evidence: Evidence, found: Object) -> list[Memory]:
    site = found.allocated
    if site is None or site.line is None or site.file is None or found.name is None:
        return []
    lines = _whole(evidence, site.file)
    name = variable_in_source(found.name).rpartition("::")[2]
    memory = None
    if _suffix(site) in _FREE_FORM:
        module = re.match(r"__(\w+)_MOD_(\w+)$", in_source(found.name))
        if name.endswith("_") and (arrays := fortran_allocation.common(lines, site.file, name[:-1])):
            return arrays
        if module is None and not fortran_allocation.is_of_program(lines, site.line):
            return []
        memory = fortran_allocation.variable(lines, site.file, *(module.group(2, 1) if module else (name, None)))
    elif _suffix(site) in _C and site.line <= len(lines):
        memory = c_allocation.variable(lines, site.file, site.line, name)
    return [memory] if memory is not None else []


def _suffix(site: Site) -> str:
    return os.path.splitext(site.file or "")[1].lower()


def _whole(evidence: Evidence, file: str | None) -> tuple[str, ...]:
    return whole(file, evidence.run.cwd, evidence.run.started_at, evidence.source.get(file or "", {}))
