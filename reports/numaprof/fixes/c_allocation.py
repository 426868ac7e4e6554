# SPDX-License-Identifier: Apache-2.0
"""Allocations in C and C++ text: the name of the pointer, the number of elements, and where the memory is there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from numaprof.fixes.c_text import CText, Statement, matching, split
from numaprof.fixes.memory import Memory

_CALL = re.compile(
    r"\b(malloc|calloc|aligned_alloc|memalign|valloc|posix_memalign|mmap|[A-Za-z_]\w*)\s*(?:<[\w\s:]+>\s*)?\("
)
_NEW = re.compile(r"\bnew\s+([\w:]+(?:\s+\w+)*?(?:\s*\*)*)\s*\[")
_CAST = re.compile(
    r"(?:\(\s*[\w\s:<>]+(?:\*|\(\s*\*\s*\)[\w\s\[\]\*+-]*)[\s\*]*(?:restrict)?\s*\)|\w+_cast\s*<[^()]+>\s*\()\s*$"
)
_SCALAR = (
    r"(?:(?:unsigned|signed|long|short|int|char|double|float|bool|_Bool|size_t|ssize_t|ptrdiff_t|real_t|std::size_t)\b\s*"
    r"|(?:std::)?u?int\d+_t\b\s*)+"
)
_VECTOR = re.compile(rf"^\s*(?:static\s+|const\s+)*(?:std\s*::\s*)?vector\s*<\s*({_SCALAR})>\s*(?!\s*[&*(])(.*)$")
_FILL = re.compile(r"^([A-Za-z_][\w.\->:\[\]]*?)\s*(?:\.|->)\s*(resize|assign)\s*\((.*)\)$")
_KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "else", "do"}
_CONDITION = re.compile(r"^(?:else\s+)?(?:if|while|switch|return|do|else|case|default)\b")
_FOR = re.compile(r"^for\s*\(")


@dataclass(frozen=True)
class _Place:
    text: CText
    statement: Statement
    file: str

    @property
    def indent(self) -> str:
        return _indent(self.text.text, self.statement.first)


@dataclass(frozen=True)
class _Found:
    """What an allocating call in a statement tells."""

    pointer: str
    size: str  # bytes
    element: str  # type of number, void for untyped bytes, "" if not known
    condition: bool  # it stands in the head of an if statement


def allocations(lines: Sequence[str], file: str, line: int) -> list[Memory]:
    """What is allocated by the statements on this line; none where the text is not understood."""
    text = CText(lines)
    found: list[Memory] = []
    statements = text.statements(line)
    for statement in statements:
        place = _Place(text, statement, file)
        found += _vectors(place) or _pointers(place)
    replaced = [statement for statement in statements if _vectors(_Place(text, statement, file))]
    if len(replaced) > 1:
        return []
    return found if not replaced else [_within(text, memory, replaced[0]) for memory in found if memory.before]


def _within(text: CText, memory: Memory, statement: Statement) -> Memory:
    """A line is replaced as a whole: what stands beside the statement is put back."""
    begin = text.text.rfind("\n", 0, statement.start) + 1
    end = text.text.find("\n", statement.end)
    before = text.text[begin : statement.start].strip()
    after = text.text[statement.end + 1 : end if end >= 0 else len(text.text)].strip()
    return replace(
        memory, before=(*filter(None, [before]), *memory.before), after=(*memory.after, *filter(None, [after]))
    )


def _indent(lines: str, number: int) -> str:
    line = lines.split("\n")[number - 1]
    return line[: len(line) - len(line.lstrip())]


# Pointers


def _pointers(place: _Place) -> list[Memory]:
    head, body = _loop_head(place.statement.text)
    found = [_memory(place, each, head) for each in _assigned(place.text, body)]
    return [each for each in found if each is not None]


def _loop_head(text: str) -> tuple[str | None, str]:
    """for (...) and what stands behind it."""
    if not _FOR.match(text):
        return None, text
    end = matching(text, text.index("("))
    return text[: end + 1], text[end + 1 :].strip()


def _assigned(text: CText, body: str) -> Iterator[_Found]:
    condition = bool(_CONDITION.match(body))
    if condition and not body.startswith("if"):
        return
    for found in _NEW.finditer(body):
        end = matching(body, found.end() - 1)
        pointer = _target(body[: found.start()], condition)
        initialised = body[end + 1 : end + 2] in ("(", "{") or body[end + 1 :].lstrip()[:1] in ("(", "{")
        scalar = re.fullmatch(_SCALAR, found.group(1) + " ") or found.group(1).rstrip().endswith("*")
        if pointer and scalar and not initialised:
            yield _Found(
                pointer, f"({body[found.end() : end].strip()}) * sizeof({found.group(1)})", found.group(1), condition
            )
    for found in _CALL.finditer(body):
        name, arguments = found.group(1), body[found.end() : matching(body, found.end() - 1)]
        if name in _KEYWORDS or name == "realloc":
            continue
        pointer = _target(body[: found.start()], condition)
        size = _bytes(name, split(arguments), pointer)
        if name == "posix_memalign" and len(split(arguments)) == 3:
            pointer = re.sub(r"^\(\s*void\s*\*\*\s*\)\s*", "", split(arguments)[0]).lstrip("&").strip()
        if pointer and size:
            yield _Found(pointer, size, _element(text, pointer), condition)


_SIZE_ARGUMENT = {("malloc", 1): 0, ("valloc", 1): 0, ("aligned_alloc", 2): 1, ("memalign", 2): 1}
_SIZE_ARGUMENT |= {("posix_memalign", 3): 2, ("mmap", 6): 1}


def _bytes(name: str, arguments: list[str], pointer: str | None) -> str | None:
    at = _SIZE_ARGUMENT.get((name, len(arguments)))
    if at is not None:
        return arguments[at]
    if name == "calloc" and len(arguments) == 2:
        size = arguments[1] if "sizeof" in arguments[1] else f"({arguments[1]})"
        return f"({arguments[0]}) * {size}"
    if len(arguments) == 1 and "sizeof" in arguments[0]:
        return arguments[0]  # a function of the program's own that is given bytes
    return f"malloc_usable_size({pointer})" if pointer and re.search(r"alloc|new|make|create", name, re.I) else None


def _target(before: str, condition: bool) -> str | None:
    """The expression that gets the result of a call, which stands before it."""
    before = before.rstrip().removesuffix("std::").rstrip()
    while cast := _CAST.search(before):
        before = before[: cast.start()].rstrip()
    smart = re.search(r"unique_ptr\s*<[^()]*\[\s*\]\s*>\s*(\w+)\s*[({]$", before)
    if smart:
        return f"{smart.group(1)}.get()"
    if not before.endswith("=") or before[-2:] in ("==", "!=", "<=", ">="):
        return None
    left = before[:-1].rstrip()
    if condition:
        inner = re.search(r"\(\s*([A-Za-z_][\w.\[\]>-]*)$", left)
        return inner.group(1) if inner else None
    left = split(left)[-1].strip()
    array = re.fullmatch(r"[\w\s:]+\(\s*\*\s*(?:restrict\s+)?(\w+)\s*\)(?:\s*\[[^\[\]]*\])+", left)
    if array:
        return array.group(1)
    declared = re.fullmatch(r"[\w\s:<>,]*[\*&\s]+(?:restrict\s+|const\s+|__restrict\s+)*([A-Za-z_]\w*)", left)
    name = declared.group(1) if declared else left.lstrip("*").strip()
    return name if re.fullmatch(r"[A-Za-z_][\w.\[\]\s+*:>-]*", name) else None


def _element(text: CText, pointer: str) -> str:
    """Type of what the pointer points to, where it is a number; void for untyped bytes; "" if not known."""
    name = re.escape(re.split(r"\.|->|::", pointer.split("[", maxsplit=1)[0])[-1].removesuffix("get()"))
    depth = pointer.count("[")
    stars = r"\*\s*" * (depth + 1)
    declared = re.search(rf"\b({_SCALAR}|void\s*){stars}(?:restrict\s+|__restrict\s+)?{name}\b", text.code)
    other = re.search(rf"\bvoid\s*{stars}{name}\b", text.code)
    if other:
        return "void"
    if declared:
        return declared.group(1).strip()
    several = (
        re.search(rf"\b({_SCALAR})\*[^;(){{}}]*,\s*\*\s*(?:restrict\s+)?{name}\b", text.code) if depth == 0 else None
    )
    return several.group(1).strip() if several else ""


def _memory(place: _Place, found: _Found, head: str | None) -> Memory | None:
    text, statement = place.text, place.statement
    if found.condition:
        return _named(place, found, text.rest_of_if(statement).last)
    around = text.enclosing(statement)
    if head is not None:
        return _rows(place, found, head, None)
    if "[" in found.pointer and around is not None and _FOR.match(around[0].text):
        return _rows(place, found, around[0].text, around[0])
    return _named(place, found, _after_check(text, statement, found.pointer))


def _rows(place: _Place, found: _Found, head: str, block: Statement | None) -> Memory | None:
    """Allocated by a loop, one after the other: that moves to a loop of its own, what else is in its block stays."""
    text, statement = place.text, place.statement
    index = _index(head)
    subscripts = re.findall(r"\[([^\[\]]*)\]", found.pointer)
    if index is None or not any(re.fullmatch(rf"\W*{index}\W*", each) for each in subscripts):
        return None
    lines = text.text.split("\n")
    top = statement.first if block is None else block.first
    if top > 1 and lines[top - 2].lstrip().startswith("#pragma"):
        return None
    piece = f"{_loop_head(statement.text)[1]};"
    memory = replace(_named(place, found, statement.last), loop=head, piece=piece)
    if block is None:
        return memory
    if text.code[block.end + 1 : statement.start].strip():
        return None
    indent = _indent(text.text, block.first)
    after = tuple(line.removeprefix(indent) for line in lines[block.first - 1 : statement.first - 1])
    return replace(memory, first=block.first, after=after, indent=indent)


def _named(place: _Place, found: _Found, last: int) -> Memory:
    pointer, size = found.pointer, found.size
    headers = ("malloc.h",) if "malloc_usable_size" in size else ()
    if found.element == "void":
        count, zero = size, f"((char *){pointer})[{{i}}] = 0;"
    elif found.element:
        count, zero = _count(size, pointer, found.element), f"{pointer}[{{i}}] = 0;"
    else:
        count, zero = _count(size, pointer, ""), f"memset(&{pointer}[{{i}}], 0, sizeof {pointer}[{{i}}]);"
        headers = (*headers, "string.h")
    first = place.statement.first
    return Memory(place.file, first, last, pointer, count, size, zero, headers=headers, indent=place.indent)


def _index(head: str) -> str | None:
    """The index of a loop that OpenMP can divide."""
    found = re.match(
        r"for\s*\(\s*(?:[\w:]+\s+)*(\w+)\s*=[^;]*;\s*\1\s*(?:<|<=|!=)[^;]*;\s*(?:\+\+\s*\1|\1\s*\+\+)\s*\)$", head
    )
    return found.group(1) if found else None


def _after_check(text: CText, statement: Statement, pointer: str) -> int:
    """The last line of the allocation, with a check of the pointer that follows it."""
    while (after := text.following(statement)) is not None:
        name = re.escape(pointer)
        if not re.match(rf"if\s*\(.*(?:!\s*{name}\b|\b{name}\s*==|==\s*{name}\b|{name}\s*\))", after.text):
            break
        if text.code[after.end + 1 :].lstrip().startswith("else"):
            break
        statement = after
    return statement.last


def _count(size: str, pointer: str, element: str) -> str:
    """Elements, from an expression of bytes: n of n * sizeof *a, else bytes / sizeof *a."""
    whole = r"sizeof\s*(?:\(\s*\*+[^()]*\)|\(\s*[\w\s:]+?\s*\)|\*+\s*[\w.\->]+(?:\[[^\[\]]*\])?|[\w.\->]+\[[^\[\]]*\])"
    for pattern in (rf"^(.+?)\s*\*\s*({whole})$", rf"^()({whole})\s*\*\s*(.+)$"):
        found = re.match(pattern, size)
        if found:
            rest = (found.group(1) or found.group(found.lastindex or 1)).strip()
            type_ = re.fullmatch(r"sizeof\s*\(\s*([\w\s:]+?)\s*\)", found.group(2))
            same = type_ is None or type_.group(1) == element
            if same and not re.search(r"[+\-?<>&|]", re.sub(r"\(.*\)|->", "", rest)):
                return _bare(rest)
    return f"({size}) / sizeof *{pointer}"


def _bare(text: str) -> str:
    """Without parentheses around the whole."""
    return text[1:-1].strip() if text.startswith("(") and matching(text, 0) == len(text) - 1 else text


# Containers


def _vectors(place: _Place) -> list[Memory]:
    text = place.statement.text
    declared, filled = _VECTOR.match(text), _FILL.match(text)
    if declared:
        parts = [re.fullmatch(r"(\w+)\s*\((.*)\)", each) for each in split(declared.group(2))]
        names = [(found.group(1), split(found.group(2))) for found in parts if found]
        if len(names) != len(parts) or any(len(arguments) > 2 for _, arguments in names):
            return []
        type_ = text[: declared.start(2)].strip()
        return [
            _vector(place, name, arguments, "assign" if arguments[1:] else "resize", f"{type_} {name};")
            for name, arguments in names
        ]
    if filled:
        return [_vector(place, filled.group(1), split(filled.group(3)), filled.group(2))]
    return []


def _vector(place: _Place, name: str, arguments: list[str], method: str, declaration: str = "") -> Memory:
    """Reserves, writes zeros to the memory that is reserved, and only then makes the elements."""
    reserved = f"{name}.reserve({arguments[0]});"
    return Memory(
        place.file,
        place.statement.first,
        place.statement.last,
        pointer=f"{name}.data()",
        count=arguments[0],
        size=f"({arguments[0]}) * sizeof(*{name}.data())",
        zero=f"{name}.data()[{{i}}] = 0;",
        start="0" if declaration else f"{name}.size()",
        before=(declaration, reserved) if declaration else (reserved,),
        after=(f"{name}.{method}({', '.join(arguments)});",),
        indent=place.indent,
    )


# Variables


def variable(lines: Sequence[str], file: str, line: int, name: str) -> Memory | None:
    """An array of static storage duration, declared without values on this line."""
    text = CText(lines)
    for statement in text.statements(line):
        if "=" in statement.text or "extern" in statement.text or "(" in statement.text:
            continue
        found = re.search(rf"\b{re.escape(name)}\s*((?:\[[^\[\]]*\]\s*)*)", statement.text)
        around = text.enclosing(statement)
        if found is None or (around is not None and not re.match(r"(namespace|extern)\b", around[0].text)):
            continue
        scalar = re.match(rf"^(?:static\s+|volatile\s+|alignas\s*|_Alignas\s*)*({_SCALAR})", statement.text)
        one_index = found.group(1).count("[") == 1 and scalar is not None
        pointer = name if found.group(1) else f"&{name}"
        count, zero = f"sizeof {name}", f"((char *){pointer})[{{i}}] = 0;"
        if one_index:
            count, zero = f"sizeof {name} / sizeof {name}[0]", f"{name}[{{i}}] = 0;"
        return Memory(file, statement.first, statement.last, pointer, count, f"sizeof {name}", zero, static=True)
    return None
