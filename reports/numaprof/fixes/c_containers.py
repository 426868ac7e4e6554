# SPDX-License-Identifier: Apache-2.0
"""Containers of C++ that write to their memory when they are made or grow: they reserve it first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from numaprof.fixes.c_loops import Nest, in_loop, loop_heads, nest, outermost_loop
from numaprof.fixes.c_text import CText, Place, once_only, split
from numaprof.fixes.c_types import SCALAR, has_values, number, resolved
from numaprof.fixes.memory import Memory

_ELEMENT = r"(?:(?!bool\b)[\w\s:*]+|\s*(?:std\s*::\s*)?(?:complex|array|pair)\s*<[\w\s:,]+>\s*)"
_VECTOR = re.compile(rf"^\s*(?:std\s*::\s*)?vector\s*<\s*({_ELEMENT})>\s*(?!\s*[&*(])(.*)$")
_FILL = re.compile(r"^([A-Za-z_][\w.\->:\[\]]*?)\s*(\.|->)\s*(resize|assign|reserve)\s*\((.*)\)$")


def vectors(place: Place) -> list[Memory]:
    """Empty if evaluating the number of elements twice may have side effects, and where several share an arena: then no
    statement allocates what a block holds."""
    found = [] if _in_arena(place.text) else _vectors(place)
    return [] if any(once_only(memory.count) for memory in found) else found


def _in_arena(text: CText) -> bool:
    """True if its containers may share an arena."""
    return re.search(r"\bpmr\b", text.code) is not None


def _vectors(place: Place) -> list[Memory]:
    text = loop_heads(place.statement.text)[1]
    if text == place.statement.text:
        text = _without_alias(place.text.known, text)
        place = replace(place, statement=replace(place.statement, text=text))
    alone, text = text, _without_copy(text)
    place = replace(place, statement=replace(place.statement, text=place.statement.text.replace(alone, text)))
    declared, filled = _VECTOR.match(text), _FILL.match(text)
    if filled and not _is_size(place.text, split(filled.group(4))):
        filled = None
    if declared and not loop_heads(place.statement.text)[0]:
        type_, parts = text[: declared.start(2)].strip(), split(declared.group(2))
        empty = [each for each in parts if re.fullmatch(r"\w+", each)]
        sized = [
            _vector(place, name, arguments, _method(arguments), f"{type_} {name};")
            for name, arguments in _constructed(place.text, [each for each in parts if each not in empty])
        ]
        beside = (f"{type_} {', '.join(empty)};",) if empty else ()  # those without elements
        return [replace(sized[0], before=(*beside, *sized[0].before)), *sized[1:]] if sized else []
    if unique := _made_unique(place):
        return unique
    if once := _vector_of_vectors(place):
        return [once]
    return _filled(place, filled, text) if filled and not _is_bool(place.text, filled.group(1)) else []


def made_at_once(place: Place) -> list[Memory]:
    """Constant and static vectors, and those outside of functions: a lambda places the memory, and returns it."""
    found = re.match(r"((?:(?:static|const|inline|thread_local)\s+)*)(.*)$", place.statement.text)
    qualified, text = found.groups() if found else ("", "")
    text = _without_alias(place.text.known, text)
    declared, around = _VECTOR.match(text), place.text.enclosing(place.statement)
    if declared is None:
        return []
    type_, made = text[: declared.start(2)].strip(), _free_name(place.text.code, "made")
    scope = "&" if around is not None and not is_scope(around[0].text) else ""
    parts = _constructed(place.text, split(declared.group(2)))
    inner = [_vector(place, made, arguments, _method(arguments), f"{type_} {made};") for _, arguments in parts]
    return [
        replace(
            memory,
            before=(f"{qualified}{type_} {name} = [{scope}] {{", *memory.before),
            after=(*memory.after, f"return {made};", "}();"),
        )
        for (name, arguments), memory in zip(parts, inner)
        if not once_only(arguments[0])
    ]


_GROWS = re.compile(r"([A-Za-z_]\w*(?:(?:\.|->)\w+)*)\s*(\.|->)\s*(?:push_back|emplace_back)\s*\(.*\)$")


def grown(place: Place) -> list[Memory]:
    """A vector that a loop of this function makes larger: its memory is there when the outermost such loop ends."""
    found = _GROWS.fullmatch(loop_heads(place.statement.text)[1])
    if found is None or _in_arena(place.text):
        return []
    name = f"(*{found.group(1)})" if found.group(2) == "->" else found.group(1)
    declared = _vector_type(place.text, found.group(1))
    type_ = resolved(place.text.known, declared) if declared else None
    if type_ is None or re.search(r"\bbool\b|vector|string|map|set|list|deque|_ptr", type_):
        return []  # or what its elements hold is elsewhere
    root = re.match(r"\w+", found.group(1))
    loop = outermost_loop(place.text, place.statement, root.group() if root else "")
    if loop is None:
        return []
    size = f"{name}.size() * sizeof(*{name}.data())"
    return [Memory(place.file, *loop, f"{name}.data()", f"{name}.size()", size, "", grown=True, indent=place.indent)]


def is_scope(head: str) -> bool:
    """The head of a block that holds declarations, not statements."""
    words = r"(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:class|struct|union|namespace|extern)\b[^()]*$"
    return re.match(words, head) is not None


def _filled(place: Place, filled: re.Match[str], text: str) -> list[Memory]:
    """By a method; the text is the statement without the loops before it."""
    container, arrow, method, given = filled.groups()
    name, arguments = f"(*{container})" if arrow == "->" else container, split(given)
    if _of_each(place, container):
        return [_unnumbered(place, name, arguments, method)]
    loops = nest(place.text, place.statement, name) if "[" in name else None
    if loops is None and (text != place.statement.text or ("[" in name and in_loop(place.text, place.statement))):
        return []
    if method == "reserve" and once_only(given):
        arguments = [f"{name}.capacity()"]
    made = _vector(place, name, arguments, method, counted=loops is None)
    if method == "reserve":  # writes nothing
        return [replace(made, before=(), after=(), nest=loops)]
    return [replace(made, nest=loops, writes=True)]


def _without_copy(text: str) -> str:
    """A declaration with a vector as its value, as one with the arguments of that vector; an assignment as a call."""
    vector = rf"(?:std\s*::\s*)?vector\s*<\s*{_ELEMENT}>"
    found = re.fullmatch(rf"(?:auto|{vector})\s+(\w+)\s*=\s*({vector})\s*\((.*)\)", text)
    if found:
        return f"{found.group(2)} {found.group(1)}({found.group(3)})"
    assigned = re.fullmatch(rf"([A-Za-z_][\w.>\[\]-]*)\s*=\s*{vector}\s*\((.*)\)", text)
    given = split(assigned.group(2)) if assigned else []
    if assigned is None or len(given) > 2 or not given[0]:
        return text
    return f"{assigned.group(1)}.assign({given[0]}, {given[1] if given[1:] else '{}'})"


def _without_alias(code: str, text: str) -> str:
    """A declaration by a name for a vector, with the vector's own."""
    found = re.match(r"(\w+)\s+\w+\s*\(", text)
    name = found.group(1) if found else ""
    using = rf"\busing\s+{name}\s*=\s*((?:std\s*::\s*)?vector\s*<[^;]*>)\s*;"
    typedef = rf"\btypedef\s+((?:std\s*::\s*)?vector\s*<[^;]*>)\s*{name}\s*;"
    alias = (re.search(using, code) or re.search(typedef, code)) if found else None
    return f"{alias.group(1)} {text[len(name) :].lstrip()}" if alias else text


def _of_each(place: Place, name: str) -> bool:
    """True if the enclosing loop is a range-based for over containers, without an index."""
    heads, around = loop_heads(place.statement.text)[0], place.text.enclosing(place.statement)
    head = heads[-1] if heads else around[0].text if around is not None else ""
    root = re.escape(re.split(r"\.|->|\[", name)[0])
    return re.match(rf"for\s*\([^;]*\b{root}\s*:[^;]*\)$", head) is not None


def _unnumbered(place: Place, name: str, arguments: list[str], method: str) -> Memory:
    """Made by a loop over containers."""
    made, heads = _vector(place, name, arguments, method, counted=True), loop_heads(place.statement.text)[0]
    if method == "reserve":
        made = replace(made, after=())
    if heads:
        made = replace(made, before=(f"{' '.join(heads)} {{", *made.before), after=(*made.after, "}"))
    return replace(made, unnumbered=True)


_CAST = re.compile(rf"static_cast\s*<\s*{SCALAR}>\s*\(|\(\s*{SCALAR}\)|(?:{SCALAR})\(")
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
    return _rows(place, name, count.strip(), split(inner), f"{declaration}({count.strip()});")


def _rows(place: Place, name: str, count: str, inner: list[str], outer: str) -> Memory | None:
    """A vector of vectors in a loop of our own. outer: the statement that makes the rows without elements."""
    if not _is_size(place.text, inner) or len(inner) > 2 or once_only(count):
        return None
    row = _free_name(place.text.code, "row")
    made = _vector(place, f"{name}[{row}]", inner, _method(inner))
    head = f"for (size_t {row} = 0; {row} < {count}; {row}++)"
    statement = place.statement
    loop = Nest((head,), 1, statement.first, statement.last, place.indent, made.after[0], alone=True)
    return replace(made, nest=loop, writes=True, around=((outer,), ()))


def _made_unique(place: Place) -> list[Memory]:
    """make_unique and make_shared write zeros themselves; new does not. All that one statement makes, or none."""
    text = place.statement.text
    declares = re.match(r"(?:auto\s+|(?:std\s*::\s*)?(?:unique|shared)_ptr\s*<[^()]*>\s*)", text)
    parts = split(text[declares.end() :] if declares else text)
    made = [_one_made_unique(place, part, declares is not None) for part in parts]
    found = [memory for memory in made if memory is not None]
    return found if len(found) == len(parts) and (declares or len(parts) == 1) else []


def _one_made_unique(place: Place, text: str, declares: bool) -> Memory | None:
    found = re.match(
        r"([A-Za-z_][\w.>-]*)\s*=\s*(?:std\s*::\s*)?make_(unique|shared)(_for_overwrite)?\s*"
        r"<\s*([\w:\s]+?|std::complex\s*<[\w\s]+>)\s*\[\s*\]\s*>\s*\((.*)\)$",
        text,
    )
    if found is None:
        return None
    name, kind, unwritten, type_, count = found.groups()
    plain = number(place.text.known, type_)
    if not plain and not (has_values(place.text.known, type_) and kind == "unique"):
        return None
    new = f"new {type_}[{count}]" if plain else unconstructed(type_, count)
    before = f"std::{kind}_ptr<{type_}[]> {name}({new});" if declares else f"{name}.reset({new});"
    zero = zeroed_element(name)
    statement = place.statement
    return Memory(
        place.file,
        statement.first,
        statement.last,
        pointer=f"{name}.get()",
        count=count,
        size=f"({count}) * sizeof({type_})",
        zero=f"{name}.get()[{{i}}] = 0;" if plain else zero,
        headers=() if plain else ("string.h",),
        zeroed=unwritten is None and plain,
        before=() if unwritten and plain else (before,),
        after=() if plain else (constructed(f"{name}.get()", count),),
        indent=place.indent,
    )


def unconstructed(type_: str, count: str) -> str:
    """new T[n] without constructors, which would touch the memory first."""
    return f"static_cast<{type_} *>(::operator new[](({count}) * sizeof({type_})))"


def constructed(pointer: str, count: str) -> str:
    return f"std::uninitialized_value_construct_n({pointer}, {count});"


def zeroed_element(name: str) -> str:
    """Zeros in the bytes of an element, whatever its type."""
    return f"memset((void *)&{name}[{{i}}], 0, sizeof {name}[{{i}}]);"


def _is_size(text: CText, arguments: Sequence[str]) -> bool:
    """The arguments are a size, and perhaps a value: no values in braces, no other vector, no first and last."""
    first, *others = arguments
    name = first.lstrip("*")
    other = re.fullmatch(r"[\w.\[\]>:-]+", name) is not None and _vector_type(text, name) is not None
    range_ = any(re.match(rf"{re.escape(first)}\s*\+", each) for each in others)
    return not (not first or first[0] in "{&" or "begin(" in first or other or range_)


def _constructed(text: CText, parts: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Names and arguments of vectors with a size, and perhaps a value; none if there are others among them."""
    found = [re.fullmatch(r"(\w+)\s*\((.*)\)", each) for each in parts]
    names = [(each.group(1), split(each.group(2))) for each in found if each]
    fit = len(names) == len(parts) and all(_is_size(text, given) and len(given) < 3 for _, given in names)
    return names if fit else []


def constructor(place: Place) -> tuple[str, list[str]] | None:
    """Head and initialisers of a constructor that is defined here; None: the statement is none."""
    head = re.match(
        r"((?:(?:public|protected|private)\s*:(?!:)\s*)?(?:template\s*<[^()]*>\s*)?"
        r"(?:\w+\s+|\w[\w:]*(?:<[\w\s,]+>)?::)*\w+\s*\(.*?\)\s*(?:noexcept\s*)?)"
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
    sized = [each for each in parts if _vector_type(text, each.split("(")[0].strip()) and _constructed(text, [each])]
    made = [each for each in _constructed(text, sized) if not _is_bool(text, each[0]) and _is_movable(text, each[0])]
    others = [each for each in parts if each not in sized]
    named = re.compile(rf"\b(?:{'|'.join(name for name, _ in made)})\b")
    if not made or len(made) != len(sized) or any(named.search(each) for each in others):
        return []
    start = f"{head}{' : ' if others else ''}{', '.join(others)}"
    found = [_member(place, name, arguments) for name, arguments in made]
    known = [memory for memory in found if memory is not None and not once_only(memory.count)]
    return [known[0].between((start, "{"), ()), *known[1:]] if len(known) == len(found) else []


def _member(place: Place, name: str, arguments: list[str]) -> Memory | None:
    rows = re.match(rf"{_INNER}\s*\((.*)\)$", arguments[1]) if arguments[1:] else None
    if rows is not None:
        return _rows(place, name, arguments[0], split(rows.group(2)), f"{name}.resize({arguments[0]});")
    return _vector(place, name, arguments, _method(arguments))


def _vector_type(text: CText, name: str) -> str | None:
    """Type of the elements of a vector that the text declares under this name."""
    last = re.escape(re.split(r"\.|->|::", name.strip("(*)").split("[", maxsplit=1)[0])[-1])
    found = re.search(rf"\bvector\s*<([^;(){{}}]*)>\s*[&*]?\s*(?:\w+\s*,\s*)*{last}\b", text.known)
    for _ in range(name.count("[")):
        inner = re.match(r"\s*(?:std::)?vector\s*<(.*)>\s*$", found.group(1)) if found else None
        found = inner
    return found.group(1).strip() if found else None


def _is_movable(text: CText, name: str) -> bool:
    """A member that may be filled after it is made: no constant, no reference, and no elements that cannot move."""
    vector = r"(?:std\s*::\s*)?vector\s*<[^;(){}]*>"
    kept = rf"\b{vector}\s*[&*]\s*{name}\s*;|\bconst\s+{vector}\s*{name}\s*;"
    still = r"\b(?:atomic\w*|\w*mutex|condition_variable\w*|once_flag|barrier|latch|\w*semaphore)\b"
    return not re.search(kept, text.known) and not re.search(still, _vector_type(text, name) or "")


def _is_bool(text: CText, name: str) -> bool:
    return _vector_type(text, name) == "bool"


def _method(arguments: list[str]) -> str:
    """Of a vector, that makes the elements which a constructor with these arguments makes."""
    return "assign" if arguments[1:] else "resize"


def _vector(
    place: Place, name: str, arguments: list[str], method: str, declaration: str = "", *, counted: bool = False
) -> Memory:
    """Reserves, writes zeros to the memory that is reserved, and only then makes the elements.

    What may not be asked for again gets a name, if it is a number: the first argument of a method, or a cast.
    """
    asked: tuple[str, ...] = ()
    number_given = (counted and method != "assign") or _CAST.match(arguments[0])
    if once_only(arguments[0]) and number_given:
        count = _free_name(place.text.code, f"{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_')}_count")
        asked, arguments = (f"const size_t {count} = {arguments[0]};",), [count, *arguments[1:]]
    reserved = f"{name}.reserve({arguments[0]});"
    declared = _VECTOR.match(declaration)
    type_ = declared.group(1) if declared else _vector_type(place.text, name)
    plain = type_ is not None and number(place.text.known, type_)
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
        before=(*asked, *((declaration,) if declaration else ()), reserved),
        after=(f"{name}.{method}({', '.join(arguments)});",),
        indent=place.indent,
    )


def _free_name(code: str, name: str) -> str:
    while re.search(rf"\b{name}\b", code):
        name += "_"
    return name
