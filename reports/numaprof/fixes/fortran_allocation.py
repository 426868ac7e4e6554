# SPDX-License-Identifier: Apache-2.0
"""ALLOCATE statements and variables of free-form Fortran."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from numaprof.fixes.c_text import matching, split
from numaprof.fixes.memory import Memory, Moved


def allocations(lines: Sequence[str], file: str, line: int) -> list[Memory]:
    """Arrays that the ALLOCATE statement on this line makes."""
    first, last = _continued(lines, line)
    text = " ".join(_code(each).strip().strip("&").strip() for each in lines[first - 1 : last]).strip()
    found = re.match(r"allocate\s*\(", text, re.I)
    if not found or ";" in text:
        return []
    inner = re.sub(r"^[^:,%]*[^:,%\s]\s*::", "", text[found.end() : matching(text, found.end() - 1)]).strip()
    indent = _indent(lines[first - 1])
    if copied := _copy(lines, inner, file, last):
        return [replace(copied, first=first, indent=indent)]
    source = re.search(r",\s*source\s*=\s*([^,]+)$", inner, re.I)
    if re.search(r"\b(source|mold)\s*=", inner, re.I) and not (source and _LITERAL.match(source.group(1).strip())):
        return []
    if source is None and (moved := _in_loop(lines, file, first, last, inner)):
        return [moved]
    parts = split(inner)
    if "%" in inner and _in_do(lines, first):
        parts = [each for each in parts if not re.match(r"[^(]*\([^()]*\)\s*%", each)]  # other turns have others
    made = [memory for each in parts if (memory := _memory(each, file, first, last, indent)) is not None]
    made = [replace(memory, derived=_is_derived(lines, memory.pointer)) for memory in made]
    if source is None:
        return made
    zeros = [replace(memory, zero=memory.zero.removesuffix("0") + source.group(1).strip()) for memory in made]
    allocates = f"allocate({inner[: source.start()]})"
    return [replace(memory, instead="" if at else allocates) for at, memory in enumerate(zeros)]


def _continued(lines: Sequence[str], line: int) -> tuple[int, int]:
    """First and last line of a statement. Lines of nothing but a comment may stand between."""
    first, last = line, line
    while (above := next((at for at in range(first - 1, 0, -1) if _code(lines[at - 1]).strip()), 0)) and _code(
        lines[above - 1]
    ).endswith("&"):
        first = above
    while last < len(lines) and (_code(lines[last - 1]).endswith("&") or not _code(lines[last - 1]).strip()):
        last += 1
    return first, last


def _is_derived(lines: Sequence[str], name: str) -> bool:
    """A declaration of this name, or of this component, is one of a derived type, or of characters."""
    declares = rf"\s*(?:type|class|character)\s*\(.*::(?:.*[\s,])?{name.rsplit('%', maxsplit=1)[-1]}\b"
    return any(re.match(declares, _code(line), re.I) for line in lines)


def _copy(lines: Sequence[str], inner: str, file: str, last: int) -> Memory | None:
    """An array that is made after another one, with its values or without."""
    found = re.fullmatch(r"(\w+)\s*,\s*(source|mold)\s*=\s*(\w+)", inner, re.I)
    rank = _rank(lines, found.group(1)) if found else None
    if found is None or not rank:
        return None
    name, how, other = found.groups()
    made = _there(file, last, name, rank)
    if how.lower() == "mold":
        return made
    index = ":," * (rank - 1) + "{i}"
    zero = f"{name}({index}) = {other}({index})"
    return replace(made, zero=zero, instead=f"allocate({name}, mold={other})")


_ELEMENT = re.compile(r"((?:\w+(?:\(\w+\))?%)*\w+)\((.*)\)$")


def _in_loop(lines: Sequence[str], file: str, first: int, last: int, inner: str) -> Memory | None:
    """Components of the elements of an array, of which each turn of the loop around allocates those of one."""
    made = [_ELEMENT.match(each.replace(" ", "")) for each in split(inner)]
    names = [found.group(1) for found in made if found]
    begin, above = first - 1, list[str]()
    while begin > 0 and not re.match(r"\s*do\s", _code(lines[begin - 1]), re.I):
        above.append(_code(lines[begin - 1]).strip())
        begin -= 1
    head = re.match(r"do\s+(\w+)\s*=[^=]*$", _code(lines[begin - 1]).strip(), re.I) if begin else None
    if head is None or len(names) != len(made) or not _independent(above, inner):
        return None
    of_turn = all(re.search(rf"\({head.group(1)}\)%", name, re.I) for name in names)
    if not of_turn or lines[begin - 2].lstrip().lower().startswith("!$omp"):
        return None
    work = [f"allocate({inner})", *(f"{name} = 0" for name in names)]
    shown = ("!$omp parallel do schedule(static)", head.group(0), *(f"  {each}" for each in work), "end do")
    pieces = [_memory(each, file, first, last, _indent(lines[first - 1])) for each in split(inner)]
    moved = Moved(begin - 1, _indent(lines[begin - 1]), shown, tuple(each for each in pieces if each is not None))
    zero = f"{names[0]} = 0"
    return Memory(
        file, first, last, names[0], "", "", zero, moved=moved, fortran=True, indent=_indent(lines[first - 1])
    )


def _in_do(lines: Sequence[str], line: int) -> bool:
    depth = 0
    for each in map(_code, lines[: line - 1]):
        if re.match(r"\s*(?:subroutine|function|program|module)\b", each, re.I):
            depth = 0
        depth += re.match(r"\s*(?:\w+\s*:\s*)?do\b", each, re.I) is not None
        depth -= re.match(r"\s*end\s*do\b", each, re.I) is not None
    return depth > 0


def _independent(above: Sequence[str], inner: str) -> bool:
    """What stands before an allocation in its loop assigns to, and allocates, nothing but what it does not name."""
    text = inner.replace(" ", "").lower()
    for line in filter(None, above):
        if made := re.fullmatch(r"allocate\s*\((.*)\)", line, re.I):
            others = [_ELEMENT.match(each.replace(" ", "").lower()) for each in split(made.group(1))]
            if any(other is None or other.group(1) in text for other in others):
                return False
            continue
        found = re.match(r"([\w%]+(?:\([^()=]*\)[\w%]*)?)\s*=(?!=)", line)
        changed = re.escape(found.group(1).replace(" ", "").lower()) if found else ""
        if not changed or re.search(rf"(?<![\w%]){changed}(?![\w(%])", text):
            return False
    return True


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def set_to_zero(lines: Sequence[str], memory: Memory) -> bool:
    """The procedure that allocates it sets it to zero later on: a compiler may make one calloc of both."""
    sets = re.compile(rf"\s*{re.escape(memory.pointer)}\s*(?:\([^()]*\)\s*)?=\s*0(?:\.0*)?(?:_\w+|[de]0+)?\s*$", re.I)
    for line in map(_code, lines[memory.last :]):
        if re.match(r"\s*end\s*(?:subroutine|function|program)\b", line, re.I):
            break
        if sets.match(line):
            return True
    return False


_PROGRAM = re.compile(r"program\s+\w+$", re.I)
_DECLARES = re.compile(
    r"(use|implicit|integer|real|double|complex|logical|character|type|class|parameter|data|common|save|external"
    r"|intrinsic|dimension|allocatable|pointer|procedure|end\s*type|contains\s*$)\b",
    re.I,
)


def variable(lines: Sequence[str], file: str, name: str, module: str | None) -> Memory | None:
    """An array of a module, or of the main program, without values; the main program has to be in the same file."""
    program = _declarations(lines)
    if program is None:
        return None
    rank = _rank(lines if module else lines[program[0] : program[1]], name)
    if not rank:
        return None
    uses = (f"use {module}, only: {name}",) if module else ()
    return _there(file, program[1], name, rank, uses)


def is_of_program(lines: Sequence[str], line: int) -> bool:
    """The main program declares what is declared there: procedures have variables of their own."""
    program = _declarations(lines)
    return program is not None and program[0] < line <= program[1]


def common(lines: Sequence[str], file: str, block: str) -> list[Memory]:
    """The arrays of a COMMON block, where the main program declares it, and all have the same extents and no values."""
    program = _declarations(lines)
    if program is None or any(re.match(r"\s*block\s*data\b", line, re.I) for line in lines):
        return []
    text = re.sub(r"&\s*\n\s*&?", " ", "\n".join(map(_code, lines[program[0] : program[1]])))
    found = re.search(rf"^\s*common\s*/\s*{re.escape(block)}\s*/(.*)$", text, re.I | re.M)
    arrays = [re.fullmatch(r"(\w+)\s*\((.*)\)", each) for each in split(found.group(1))] if found else []
    made = [(each.group(1), split(each.group(2))) for each in arrays if each]
    alike = len(made) == len(arrays) and all(extents == made[0][1] for _, extents in made)
    return [_there(file, program[1], name, len(extents)) for name, extents in made] if alike else []


def _declarations(lines: Sequence[str]) -> tuple[int, int] | None:
    """Lines of the main program's declarations: the first, and the one after the last. None: no program is here."""
    begin = next((at for at, line in enumerate(lines) if _PROGRAM.match(_code(line).strip())), None)
    if begin is None:
        return None
    first = begin + 1
    while first < len(lines) and _declares(lines, first):
        first += 1
    return begin, first


def _there(file: str, line: int, name: str, rank: int, uses: tuple[str, ...] = ()) -> Memory:
    """An array that is there when the program starts."""
    index = ":," * (rank - 1) + "{i}"
    bounds = f"lbound({name}, {rank}), ubound({name}, {rank})"
    return Memory(file, line, line, name, bounds, "", f"{name}({index}) = 0", before=uses, fortran=True, indent="  ")


def _declares(lines: Sequence[str], at: int) -> bool:
    code = _code(lines[at]).strip()
    continued = _code(lines[at - 1]).endswith("&")
    return not code or continued or code.startswith("#") or "::" in code or _DECLARES.match(code) is not None


def _rank(lines: Sequence[str], name: str) -> int | None:
    """Dimensions of an array that one statement declares, without values."""
    found, named = [], re.escape(name)
    for line in lines:
        code = _code(line)
        declared = re.match(r"\s*(?:integer|real|double|complex|logical)\b(.*?)::(.*)$", code, re.I)
        if declared is None:
            if re.match(rf"\s*data\b.*\b{named}\b", code, re.I):
                return None
            continue
        common = re.search(r"\bdimension\s*\(", declared.group(1), re.I)
        for each in split(declared.group(2)):
            own = re.match(rf"{named}\s*(\(.*\))?\s*(=.*)?$", each, re.I)
            if own and not own.group(2) and (own.group(1) or common):
                at = common.end() - 1 if common else 0
                extents = own.group(1) or declared.group(1)[at : matching(declared.group(1), at) + 1]
                found.append(len(split(extents[1:-1])))
    return found[0] if len(found) == 1 else None


_LITERAL = re.compile(r"[-+]?[\d.]+(?:[de][-+]?\d+)?(?:_\w+)?$|\([\d.,\sde+-]+\)$|\.(?:true|false)\.$", re.I)


def _code(line: str) -> str:
    """Without a comment. Quotes in ALLOCATE statements stand in stat and errmsg only."""
    return line.split("!", maxsplit=1)[0].rstrip()


def _memory(text: str, file: str, first: int, last: int, indent: str) -> Memory | None:
    found = re.fullmatch(r"((?:\w+(?:\([^()]*\))?%)*\w+)\s*(\(.*\))", text.replace(" ", ""))
    if not found or matching(found.group(2), 0) != len(found.group(2)) - 1:
        return None
    name, rank = found.group(1), len(split(found.group(2)[1:-1]))
    index = ":," * (rank - 1) + "{i}"
    bounds = f"lbound({name}, {rank}), ubound({name}, {rank})"
    made = Memory(file, first, last, name, bounds, "", f"{name}({index}) = 0", fortran=True, indent=indent)
    levels = re.search(r",(\d)\)$", found.group(2))
    return replace(made, levels=int(levels.group(1))) if levels and rank > 1 else made


def each_array(memory: Memory, arrays: int) -> Memory:
    """An array of one dimension that holds others of one size behind each other: each of them is divided."""
    name, value = memory.pointer, memory.zero.partition(" = ")[2]
    zero = f"{name}(lbound({name}, 1) + {{i}}::size({name}) / {arrays}) = {value}"
    return replace(memory, count=f"0, size({name}) / {arrays} - 1", zero=zero, arrays=arrays)


def each_level(memory: Memory) -> Memory:
    """All threads use each level, a part of it each: the dimension before the last is divided."""
    if not memory.levels:
        return memory
    start, _, value = memory.zero.partition(" = ")
    rank = start[len(memory.pointer) :].count(",") + 1
    index = ":," * (rank - 2) + "{i},:"
    bounds = f"lbound({memory.pointer}, {rank - 1}), ubound({memory.pointer}, {rank - 1})"
    return replace(memory, count=bounds, zero=f"{memory.pointer}({index}) = {value}")
