# SPDX-License-Identifier: Apache-2.0
"""Containers of C++ that write to their memory when they are made or grow: they reserve it first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from numaprof.fixes.c_loops import in_loop, loop_heads, nest
from numaprof.fixes.c_text import CText, Place, split
from numaprof.fixes.c_types import number
from numaprof.fixes.memory import Memory

_ELEMENT = r"(?:(?!bool\b)[\w\s:*]+|\s*(?:std\s*::\s*)?(?:complex|array|pair)\s*<[\w\s:,]+>\s*)"
_VECTOR = re.compile(rf"^\s*(?:std\s*::\s*)?vector\s*<\s*({_ELEMENT})>\s*(?!\s*[&*(])(.*)$")
_FILL = re.compile(r"^([A-Za-z_][\w.\->:\[\]]*?)\s*(?:\.|->)\s*(resize|assign|reserve)\s*\((.*)\)$")


def vectors(place: Place) -> list[Memory]:
    text = loop_heads(place.statement.text)[1]
    if text == place.statement.text:
        text = _without_alias(place.text.code, text)
        place = replace(place, statement=replace(place.statement, text=text))
    declared, filled = _VECTOR.match(text), _FILL.match(text)
    if declared and text == place.statement.text:
        type_ = text[: declared.start(2)].strip()
        return [
            _vector(place, name, arguments, "assign" if arguments[1:] else "resize", f"{type_} {name};")
            for name, arguments in _constructed(split(declared.group(2)))
        ]
    if once := _vector_of_vectors(place) or _made_unique(place):
        return [once]
    if filled and not _is_bool(place.text, filled.group(1)) and not _of_each(place, filled.group(1)):
        name, arguments = filled.group(1), split(filled.group(3))
        loops = nest(place.text, place.statement, name) if "[" in name else None
        if loops is None and (text != place.statement.text or ("[" in name and in_loop(place.text, place.statement))):
            return []
        made = _vector(place, name, arguments, filled.group(2))
        if filled.group(2) == "reserve":  # writes nothing
            return [replace(made, before=(), after=(), nest=loops)]
        return [replace(made, nest=loops, writes=True)]
    return []


def _without_alias(code: str, text: str) -> str:
    """A declaration by a name for a vector, with the vector's own."""
    found = re.match(r"(\w+)\s+\w+\s*\(", text)
    name = found.group(1) if found else ""
    using = rf"\busing\s+{name}\s*=\s*((?:std\s*::\s*)?vector\s*<[^;]*>)\s*;"
    typedef = rf"\btypedef\s+((?:std\s*::\s*)?vector\s*<[^;]*>)\s*{name}\s*;"
    alias = (re.search(using, code) or re.search(typedef, code)) if found else None
    return f"{alias.group(1)} {text[len(name) :].lstrip()}" if alias else text


def _of_each(place: Place, name: str) -> bool:
    """The loop around goes over containers by a reference to each: its turns are not known by a number."""
    around = place.text.enclosing(place.statement)
    root = re.escape(re.split(r"\.|->|\[", name)[0])
    return around is not None and re.match(rf"for\s*\([^;]*\b{root}\s*:[^;]*\)$", around[0].text) is not None


_INNER = r"(?:std\s*::\s*)?vector\s*<\s*((?!bool\b)[\w:]+)\s*>"


def _vector_of_vectors(place: Place) -> Memory | None:
    """The inner ones copy a vector: they are made in parallel instead."""
    found = re.match(
        rf"((?:std\s*::\s*)?vector\s*<\s*{_INNER}\s*>\s*(\w+))\s*\((.*),\s*{_INNER}\s*\((.*)\)\s*\)$",
        place.statement.text,
    )
    if found is None or found.group(2) != found.group(5):
        return None
    declaration, _, name, count, _, inner = found.groups()
    method = "assign" if split(inner)[1:] else "resize"
    statement = place.statement
    return Memory(
        place.file,
        statement.first,
        statement.last,
        pointer="",
        count=count.strip(),
        size="",
        zero=f"{name}[{{i}}].{method}({inner});",
        before=(f"{declaration}({count.strip()});",),
        indent=place.indent,
    )


def _made_unique(place: Place) -> Memory | None:
    """make_unique and make_shared write zeros themselves; new does not."""
    found = re.match(
        r"(auto\s+|(?:std\s*::\s*)?(?:unique|shared)_ptr\s*<[^()]*>\s*)?([A-Za-z_][\w.>-]*)\s*=\s*"
        r"(?:std\s*::\s*)?make_(unique|shared)\s*"
        r"<\s*([\w:\s]+?)\s*\[\s*\]\s*>\s*\((.*)\)$",
        place.statement.text,
    )
    if found is None or not number(place.text.code, found.group(4)):
        return None
    declares, name, kind, type_, count = found.groups()
    made = f"std::{kind}_ptr<{type_}[]> {name}(new" if declares else f"{name}.reset(new"
    statement = place.statement
    return Memory(
        place.file,
        statement.first,
        statement.last,
        pointer=f"{name}.get()",
        count=count,
        size=f"({count}) * sizeof({type_})",
        zero=f"{name}.get()[{{i}}] = 0;",
        zeroed=True,
        before=(f"{made} {type_}[{count}]);",),
        indent=place.indent,
    )


def _constructed(parts: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Names and arguments of vectors with a size, and perhaps a value; none if there are others among them."""
    found = [re.fullmatch(r"(\w+)\s*\((.*)\)", each) for each in parts]
    names = [(each.group(1), split(each.group(2))) for each in found if each]
    fit = len(names) == len(parts) and all(arguments[0] and len(arguments) < 3 for _, arguments in names)
    return names if fit else []


def constructor(place: Place) -> tuple[str, list[str]] | None:
    """Head and initialisers of a constructor that is defined here; None: the statement is none."""
    head = re.match(
        r"((?:(?:public|protected|private)\s*:(?!:)\s*)?(?:\w+\s+|[\w:]+::)*\w+\s*\(.*?\)\s*(?:noexcept\s*)?)"
        r":(?!:)\s*(.*)$",
        place.statement.text,
    )
    if head is None or place.text.code[place.statement.end] != "{":
        return None
    return head.group(1).strip(), split(head.group(2))


def initialised(place: Place) -> list[Memory]:
    """Vectors in the initialiser list of a constructor: they are made in its body instead."""
    text, defined = place.text, constructor(place)
    if defined is None:
        return []
    head, parts = defined
    sized = [each for each in parts if _vector_type(text, each.split("(")[0].strip()) and _constructed([each])]
    made = [each for each in _constructed(sized) if not _is_bool(text, each[0])]
    if not made or len(made) != len(sized):
        return []
    others = [each for each in parts if each not in sized]
    start = f"{head}{' : ' if others else ''}{', '.join(others)}"
    found = [_vector(place, name, args, "assign" if args[1:] else "resize") for name, args in made]
    return [replace(found[0], before=(start, "{", *found[0].before)), *found[1:]]


def _vector_type(text: CText, name: str) -> str | None:
    """Type of the elements of a vector that the text declares under this name."""
    last = re.escape(re.split(r"\.|->|::", name.split("[", maxsplit=1)[0])[-1])
    found = re.search(rf"\bvector\s*<([^;(){{}}]*)>\s*[&*]?\s*(?:\w+\s*,\s*)*{last}\b", text.code)
    for _ in range(name.count("[")):
        inner = re.match(r"\s*(?:std::)?vector\s*<(.*)>\s*$", found.group(1)) if found else None
        found = inner
    return found.group(1).strip() if found else None


def _is_bool(text: CText, name: str) -> bool:
    return _vector_type(text, name) == "bool"


def _vector(place: Place, name: str, arguments: list[str], method: str, declaration: str = "") -> Memory:
    """Reserves, writes zeros to the memory that is reserved, and only then makes the elements."""
    reserved = f"{name}.reserve({arguments[0]});"
    declared = _VECTOR.match(declaration)
    type_ = declared.group(1) if declared else _vector_type(place.text, name)
    plain = type_ is not None and number(place.text.code, type_)
    zero = f"{name}.data()[{{i}}] = 0;"
    bytes_ = f"memset((void *)&{name}.data()[{{i}}], 0, sizeof *{name}.data());"
    return Memory(
        place.file,
        place.statement.first,
        place.statement.last,
        pointer=f"{name}.data()",
        count=arguments[0],
        size=f"({arguments[0]}) * sizeof(*{name}.data())",
        zero=zero if plain else bytes_,
        start="0" if declaration else f"{name}.size()",
        headers=() if plain else ("string.h",),
        before=(declaration, reserved) if declaration else (reserved,),
        after=(f"{name}.{method}({', '.join(arguments)});",),
        indent=place.indent,
    )
