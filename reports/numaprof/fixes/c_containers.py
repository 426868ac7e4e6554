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

_VECTOR = re.compile(r"^\s*(?:std\s*::\s*)?vector\s*<\s*((?!bool\b)[\w\s:*]+)>\s*(?!\s*[&*(])(.*)$")
_FILL = re.compile(r"^([A-Za-z_][\w.\->:\[\]]*?)\s*(?:\.|->)\s*(resize|assign)\s*\((.*)\)$")


def vectors(place: Place) -> list[Memory]:
    text = loop_heads(place.statement.text)[1]
    declared, filled = _VECTOR.match(text), _FILL.match(text)
    if declared and text == place.statement.text:
        type_ = text[: declared.start(2)].strip()
        return [
            _vector(place, name, arguments, "assign" if arguments[1:] else "resize", f"{type_} {name};")
            for name, arguments in _constructed(split(declared.group(2)))
        ]
    if once := _vector_of_vectors(place) or _made_unique(place):
        return [once]
    if filled and not _is_bool(place.text, filled.group(1)):
        name, arguments = filled.group(1), split(filled.group(3))
        loops = nest(place.text, place.statement, name) if "[" in name else None
        if loops is None and (text != place.statement.text or ("[" in name and in_loop(place.text, place.statement))):
            return []
        return [replace(_vector(place, name, arguments, filled.group(2)), nest=loops, writes=True)]
    return []


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
    """make_unique writes zeros itself; new does not."""
    found = re.match(
        r"(auto\s+|(?:std\s*::\s*)?unique_ptr\s*<[^()]*>\s*)?([A-Za-z_][\w.>-]*)\s*=\s*(?:std\s*::\s*)?make_unique\s*"
        r"<\s*([\w:\s]+?)\s*\[\s*\]\s*>\s*\((.*)\)$",
        place.statement.text,
    )
    if found is None or not number(place.text.code, found.group(3)):
        return None
    declares, name, type_, count = found.groups()
    made = f"std::unique_ptr<{type_}[]> {name}(new" if declares else f"{name}.reset(new"
    statement = place.statement
    return Memory(
        place.file,
        statement.first,
        statement.last,
        pointer=f"{name}.get()",
        count=count,
        size=f"({count}) * sizeof({type_})",
        zero=f"{name}.get()[{{i}}] = 0;",
        before=(f"{made} {type_}[{count}]);",),
        indent=place.indent,
    )


def _constructed(parts: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Names and arguments of vectors with a size, and perhaps a value; none if there are others among them."""
    found = [re.fullmatch(r"(\w+)\s*\((.*)\)", each) for each in parts]
    names = [(each.group(1), split(each.group(2))) for each in found if each]
    fit = len(names) == len(parts) and all(arguments[0] and len(arguments) < 3 for _, arguments in names)
    return names if fit else []


def initialised(place: Place) -> list[Memory]:
    """Vectors in the initialiser list of a constructor: they are made in its body instead."""
    text, statement = place.text, place.statement
    head = re.match(r"((?:\w+\s+|[\w:]+::)*\w+\s*\(.*?\)\s*(?:noexcept\s*)?):(?!:)\s*(.*)$", statement.text)
    if head is None or text.code[statement.end] != "{":
        return []
    parts = split(head.group(2))
    sized = [each for each in parts if _vector_type(text, each.split("(")[0].strip()) and _constructed([each])]
    made = [each for each in _constructed(sized) if not _is_bool(text, each[0])]
    if not made or len(made) != len(sized):
        return []
    others = [each for each in parts if each not in sized]
    start = f"{head.group(1).strip()}{' : ' if others else ''}{', '.join(others)}"
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
