# SPDX-License-Identifier: Apache-2.0
"""Allocations in C and C++ text: the name of the pointer, the number of elements, and where the memory is there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from numaprof.fixes.c_containers import (
    constructed,
    constructor,
    grown,
    initialised,
    is_scope,
    made_at_once,
    unconstructed,
    vectors,
    zeroed_element,
)
from numaprof.fixes.c_loops import in_loop, loop_heads, nest, subscripted
from numaprof.fixes.c_text import CText, Place, Statement, matching, once_only, split
from numaprof.fixes.c_types import SCALAR, has_values, is_parameter, is_plain, members, number
from numaprof.fixes.memory import Memory

_CALL = re.compile(
    r"\b(malloc|calloc|aligned_alloc|memalign|valloc|posix_memalign|mmap|[A-Za-z_]\w*)\s*(?:<[\w\s:]+>\s*)?\("
)
_ALIGNED = r"(?:\(\s*(?:std::)?(?:align_val_t\s*[({][^(){}]*[)}]|nothrow)\s*\)\s*)?"
_NEW = re.compile(rf"\bnew\s*{_ALIGNED}\s*([\w:]+(?:\s+\w+)*?(?:\s*\*)*)\s*\[")
_CAST = re.compile(
    r"(?:\(\s*[\w\s:<>]+(?:\*|\(\s*\*\s*\)[\w\s\[\]\*+-]*)[\s\*]*(?:restrict)?\s*\)|\w+_cast\s*<[^()]+>\s*\()\s*$"
)
_KEYWORDS = {"new", "if", "for", "while", "switch", "return", "sizeof", "else", "do"}
_CONDITION = re.compile(r"^(?:else\s+)?(?:if|while|switch|return|do|else|case|default)\b")


@dataclass(frozen=True)
class _Found:
    """What an allocating call in a statement tells."""

    pointer: str
    size: str  # bytes
    element: str  # type of number, void for untyped bytes, "" if not known
    condition: bool  # it stands in the head of an if statement
    parameter: str = ""  # of a template: the type of the elements


def allocations(
    lines: Sequence[str], file: str, line: int, wrapper: str | None = None, headers: Sequence[str] = ()
) -> list[Memory]:
    """What is allocated by the statements on this line; none where the text is not understood.

    A wrapper is a function of the program that returns memory of malloc: its name without qualifiers. headers: lines of
    those that the file includes.
    """
    text = CText(lines, wrapper, headers)
    places = [Place(text, each, file, line) for found in text.statements(line) for each in text.expanded(found)]
    by_place = [(place, initialised(place) or _members(place) or _in_function(place)) for place in places]
    found = [memory for _, memories in by_place for memory in memories]
    replacing = [(place, memories) for place, memories in by_place if any(map(_replaces, memories))]
    if len(replacing) > 1:
        return _side_by_side(replacing) if len(replacing) == len(places) else []
    if any(memory.nest is not None and memory.around is None for memory in found):
        return found if len(found) == 1 and not any(_beside(replacing[0][0], text.code)) else []
    return _within(*replacing[0]) if replacing else _cut([(place, each) for place, each in by_place if each])


def _side_by_side(by_place: list[tuple[Place, list[Memory]]]) -> list[Memory]:
    """The statements of one line, of which each is replaced: all together."""
    (first, _), (last, _) = by_place[0], by_place[-1]
    found = [memory for _, memories in by_place for memory in memories]
    on_a_line = (
        len({(memory.first, memory.last) for memory in found}) == 1 and first.statement.first == last.statement.last
    )
    if (
        not on_a_line
        or any(memory.nest or memory.unnumbered for memory in found)
        or any(_between(*pair) for pair in zip(by_place, by_place[1:]))
    ):
        return []
    whole = replace(first, statement=replace(first.statement, end=last.statement.end))
    return _within(whole, found)


def _outside_of_types(head: str) -> bool:
    """The head of a block at namespace scope."""
    return re.match(r"(?:namespace|extern)\b", head) is not None


def _in_function(place: Place) -> list[Memory]:
    around = place.text.enclosing(place.statement)
    if around is None or _outside_of_types(around[0].text):
        return made_at_once(place)  # no statement can stand there
    if is_scope(around[0].text):
        return []
    return (
        vectors(place) or made_at_once(place) or _pointers(place) or _unnamed(place) or _listed(place) or grown(place)
    )


def _cut(by_place: list[tuple[Place, list[Memory]]]) -> list[Memory]:
    """What comes next on the line of an allocation may write to it, or end the block: the line is cut behind it."""
    found = [memory for _, memories in by_place for memory in memories]
    if any(_between(*pair) for pair in zip(by_place, by_place[1:])):
        return []
    if not found or _CONDITION.match(by_place[-1][0].statement.text):
        return found
    (place, _), (last, memories) = by_place[0], by_place[-1]
    end = _after_check(last.text, last.statement, memories[-1].pointer)
    whole = replace(place, statement=replace(place.statement, last=end.last, end=end.end))
    if not _beside(whole, place.text.code)[1]:
        return found
    kept = tuple(place.text.text[place.statement.start : end.end + 1].split("\n"))
    cut = [replace(memory, first=place.statement.first, last=end.last) for memory in found]
    return _within(whole, [replace(cut[0], before=kept), *cut[1:]])


def _between(one: tuple[Place, list[Memory]], other: tuple[Place, list[Memory]]) -> bool:
    """More stands between two allocations than checks of the first: it may write to that one."""
    place, memories = one
    statement = place.statement
    if _CONDITION.match(statement.text):
        statement = place.text.rest_of_if(statement)
    end = _after_check(place.text, statement, memories[-1].pointer).end
    return bool(place.text.code[end + 1 : other[0].statement.start].strip())


def rows_beside(lines: Sequence[str], line: int, wrapper: str) -> list[int]:
    """Lines in the loop around this one on which elements of arrays get what the function returns."""
    text = CText(lines)
    around = next(filter(None, map(text.enclosing, text.statements(line))), None)
    if around is None or not re.match(r"for\b", around[0].text):
        return []
    numbers = range(around[0].last, around[1] + 1)
    gets = re.compile(rf"[A-Za-z_][\w.>-]*\s*\[[^=]*\]\s*=\s*(?:\([^()]*\)\s*)?{re.escape(wrapper)}\s*\(")
    found = [each for number in numbers for each in text.statements(number) if gets.match(each.text)]
    return list(dict.fromkeys(each.first for each in found))


def is_handed_out(lines: Sequence[str], line: int) -> bool:
    """The function around this line returns what the line allocates, and not a pointer to somewhere inside of it."""
    return any(_handed_out(CText(lines), line))


def is_handed_out_unwritten(lines: Sequence[str], line: int, argument: str = "") -> bool:
    """Nothing in that function can have written to it: its pointer is not used but to check and to return it.

    argument: of a template's only parameter, in the instance that was recorded.
    """
    text = CText(lines)
    handed_out = list(_handed_out(text, line))
    plain = bool(argument) and is_plain(text.known, argument)
    return bool(handed_out) and not any(_may_write(text, *each, plain) for each in handed_out)


_RETURN = r"\breturn\s*(?:[^;{}?:]*\?\s*)?(?:\([^()]*\)\s*|\w+_cast\s*<[^<>]*>\s*\(\s*)?"
_ELSE = r"(?:\s*:[^;{}]*)?"
_FRESH = re.compile(r"(?:std::)?\w*(?:malloc|calloc|aligned_alloc|memalign|valloc|mmap)\s*\(")


def _handed_out(text: CText, line: int) -> Iterator[tuple[Statement, str, str]]:
    """Statements that allocate what is returned, the pointer ("" where it has no name), and the code between."""
    for statement in text.statements(line):
        if re.match(r"return\b[^{]*\b\w*(?:alloc|memalign|mmap|new)\b", statement.text):
            yield statement, "", ""
        end = text.code.find("\n}", statement.end)
        rest = text.code[statement.end : end if end >= 0 else len(text.code)]
        for found in _assigned(text, loop_heads(statement.text)[1]):
            returns = list(re.finditer(rf"{_RETURN}{re.escape(found.pointer)}\s*\)?{_ELSE}\s*;", rest))
            if returns:
                yield statement, found.pointer, rest[: returns[-1].start()]


def _may_write(text: CText, statement: Statement, pointer: str, between: str, plain: bool) -> bool:
    """It is not fresh memory of malloc, or what uses its pointer may write."""
    new, fresh = _NEW.search(statement.text), _FRESH.search(statement.text)
    type_ = new.group(1).strip() if new else ""
    known = is_plain(text.known, type_) or (plain and is_parameter(text.known, type_))
    if new and not (known and re.search(r"\]\s*(?:\(\s*\))?$", statement.text)):
        return True
    if not (new or fresh):
        return True
    if not pointer:  # nothing but the call is returned
        return re.fullmatch(rf"{_RETURN}(?:new\b.*\]\s*(?:\(\s*\))?|{_FRESH.pattern}.*\))", statement.text) is None
    name = rf"(?<![\w.>]){re.escape(pointer)}(?!\w)"
    checks = rf"!\s*{name}|{name}\s*[!=]=|[!=]=\s*{name}|if\s*\(\s*{name}\s*\)|(?:assert|free)\s*\(\s*{name}\s*\)"
    root = re.split(r"\.|->|\[", pointer)[0].strip("(*) ")
    return re.search(rf"\b{root}\b", re.sub(rf"{checks}|{_RETURN}{name}\s*\)?\s*;", " ", between)) is not None


def set_to_zero(lines: Sequence[str], memory: Memory) -> bool:
    """The function that allocates it by malloc sets it to zero later on: a compiler may make one calloc of both."""
    text = CText(lines)
    begin = sum(len(line) + 1 for line in lines[: memory.last])
    end = text.code.find("\n}", begin)
    pointer = re.escape(memory.pointer)
    sets = rf"\bmemset\s*\(\s*{pointer}\s*,\s*0\s*,|(?<![\w.>]){pointer}\s*\[\s*\w+\s*\]\s*=\s*0(?:\.0*)?f?\s*;"
    return re.search(sets, text.code[begin : end if end >= 0 else len(text.code)]) is not None


def _replaces(memory: Memory) -> bool:
    """The statement's lines give way to others."""
    return bool(memory.before) or memory.nest is not None


def _beside(place: Place, text: str) -> tuple[str, ...]:
    """What stands before and behind a statement on its lines, in the file's text or in its code alone."""
    statement = place.statement
    begin = text.rfind("\n", 0, statement.start) + 1
    end = text.find("\n", statement.end)
    before = text[begin : statement.start].strip()
    after = text[statement.end + 1 : end if end >= 0 else len(text)].strip()
    return before, after


def _within(place: Place, found: list[Memory]) -> list[Memory]:
    """Lines are replaced as a whole: what stands beside the statement is put back."""
    before, after = _beside(place, place.text.text)
    found[0] = found[0].between(filter(None, [before]), ())
    found[-1] = found[-1].between((), filter(None, [after]))
    return found


# Pointers


def _pointers(place: Place) -> list[Memory]:
    text = place.statement.text
    if text.startswith("*") and _ends_type(place):
        return []
    if any(_arguments(text)):
        return _named_before(place)
    head = text[: matching(text, text.index("(")) + 1] if re.match(r"if\s*\(", text) else ""
    body = text[len(head) :].strip() if head else ""
    if any(_assigned(place.text, body)):
        return _in_braces(place, head, body)
    if zeroed := _zeroed_new(place) or _constructing_new(place):
        return [zeroed]
    body = loop_heads(text)[1]
    assigned = list(_assigned(place.text, body))
    if any(_passed_on(_behind(body, each.pointer), each.pointer) for each in assigned if not each.condition):
        return []
    found = [_memory(place, each) for each in assigned]
    return [each for each in found if each is not None]


def _arguments(text: str) -> Iterator[re.Match[str]]:
    """Calls of malloc and its like that another function gets, with any cast before them taken off."""
    for found in re.finditer(r"\b(malloc|calloc|aligned_alloc|memalign|valloc)\s*\(", text):
        before = text[: found.start()].rstrip().removesuffix("std::").rstrip()
        while cast := _CAST.search(before):
            before = before[: cast.start()].rstrip()
        opened = [at for at, char in enumerate(before) if char == "(" and matching(before, at) == len(before) - 1]
        call = re.search(r"([A-Za-z_]\w*)\s*$", before[: opened[-1]]) if opened and before[-1] in "(," else None
        asks = call is None or call.group(1) in _KEYWORDS or re.fullmatch(_ASKS, call.group(1)) is not None
        if not asks and _smart_pointer(before) is None:
            yield found


def _named_before(place: Place) -> list[Memory]:
    """Memory that a function gets as an argument has a name before, so that it is placed before the function writes."""
    text = place.statement.text
    call, *others = _arguments(text)
    end = matching(text, call.end() - 1)
    size = _bytes(call.group(1), split(text[call.end() : end]), None, None)
    plain = not (others or loop_heads(text)[0] or _CONDITION.match(text) or text.startswith("static"))
    if not plain or size is None or once_only(size):
        return []
    alone = len(_GIVEN.findall(place.text.code)) < 2 and re.search(r"\bplaced\b", place.text.code) is None
    name = "placed" if alone else f"placed_{place.statement.first}"
    made = _named(place, _Found(name, size, "void", False), place.statement.last)
    declared = re.match(r"((?:\w+\s+)*\w+\s*\*[\s*]*)(\w+)\s*=", text)
    first: tuple[str, ...] = ()
    rest = text[: call.start()]
    if declared is not None and re.search(rf"\b{declared.group(2)}\b", size):  # as in sizeof *a: it has to be there
        first, rest = (f"{declared.group(1)}{declared.group(2)};",), rest[declared.start(2) :]
    before = (*first, f"void *{name} = {text[call.start() : end + 1]};")
    given = f"{rest}{name}{text[end + 1 :]}"
    if declared is None or not first:
        return [replace(made, before=before, after=(f"{given};",))]
    given, *beside = split(given)  # what is declared beside it keeps its type
    declarations = (f"{declared.group(1).split('*')[0]}{each};" for each in beside)
    return [replace(made, before=before, after=(f"{given};", *declarations))]


# Memory that a function gets: several in one block need names of their own.
_GIVEN = re.compile(r"\w\s*\(\s*(?:\([^()]*\)\s*)?(?:std::)?(?:malloc|calloc|aligned_alloc|memalign|valloc)\s*\(")

_ARRAY = re.compile(
    r"(?:std\s*::\s*)?(?:make_unique(?P<unwritten>_for_overwrite)?\s*<\s*(?P<made>[\w:\s]+?)\s*\[\s*\]\s*>\s*\("
    r"|unique_ptr\s*<\s*(?P<held>[\w:\s]+?)\s*\[\s*\]\s*>\s*[({]\s*new\s+(?P=held)\s*\[)"
)


def _unnamed(place: Place) -> list[Memory]:
    """Arrays of smart pointers that are returned, or given to what the statement makes: each gets a name before."""
    text = place.statement.text
    arrays = list(_ARRAY.finditer(text))
    returned = re.search(r"(?:^|[;{}])\s*return\s*$", text[: arrays[0].start()]) if arrays else None
    in_order = len(arrays) == 1 or re.match(r"[^()]*\{", text) is not None  # arguments of a call have no order
    plain = not (loop_heads(text)[0] or in_loop(place.text, place.statement) or re.match(r"static\b|else\b", text))
    if not arrays or not in_order or not plain or re.search(r"\?|&&|\|\||\b(?:if|for|while|switch|case)\b", text):
        return []
    if returned is None and re.search(r"\[[^\[\]]*\]\s*(?:\([^()]*\)[^{};]*)?\{", text):  # in the body of a lambda
        return []
    made: list[Memory] = []
    rest, done = "", 0
    for array in arrays:
        name, end = f"placed_{len(made) + 1}" if arrays[1:] else "placed", _end_of_array(text, array)
        memory = _array_named(place, array, name, end)
        if memory is None or re.search(rf"\b{name}\b", place.text.code):
            return []
        made.append(memory)
        rest, done = f"{rest}{text[done : array.start()]}{name if returned else f'std::move({name})'}", end
    rest += f"{text[done:]};"
    head = text[: returned.end()].rstrip().removesuffix("return").rstrip() if returned else ""
    made[0] = replace(made[0], before=(*filter(None, [head]), *made[0].before))
    made[-1] = replace(made[-1], after=(rest[len(head) :].strip(),))
    return made


def _end_of_array(text: str, array: re.Match[str]) -> int:
    """Behind the expression that makes the array."""
    opened = array.end() - 1 if array.group("made") else text.index(">", array.start()) + 1
    while text[opened] not in "({":
        opened += 1
    return matching(text, opened) + 1


def _array_named(place: Place, array: re.Match[str], name: str, end: int) -> Memory | None:
    text, type_ = place.statement.text, array.group("made") or array.group("held")
    inner = text[array.end() : matching(text, array.end() - 1)]
    zeroed = array.group("made") is not None and not array.group("unwritten")
    behind = text[matching(text, array.end() - 1) + 1 : end - 1].strip()  # new T[n]() writes zeros itself
    known = number(place.text.known, type_)
    if once_only(inner) or not (known or (not zeroed and is_plain(place.text.known, type_))):
        return None
    if array.group("held") and behind not in ("", "()", "{}"):
        return None
    found = _Found(f"{name}.get()", f"({inner}) * sizeof({type_})", type_ if known else "", False)
    memory = _named(place, found, place.statement.last)
    made = f"std::unique_ptr<{type_}[]> {name}(new {type_}[{inner}]);"
    return replace(memory, before=(made,), zeroed=zeroed or behind != "", headers=(*memory.headers, "utility"))


_LITERAL = r"\([\w\s]+\)"  # the type of a compound literal
_SET = rf"(?P<type>(?!static\b|else\b)[\w\s:]*\w[\s*]+)(?P<name>\w+)\s*(?P<array>\[[^\[\]]*\])?\s*=?\s*(?:{_LITERAL})?"
_LIST = re.compile(rf"(?:return\b\s*(?:{_LITERAL}|[\w:]+)?|{_SET})\s*\{{")


def _listed(place: Place) -> list[Memory]:
    """Elements of a braced list: the variable that is set has names for them; before a return they get names.

    What a function of the program hands out is placed in that function: code for each element is as long as the list.
    """
    statement = place.statement
    if place.text.wrapper is not None:
        return []
    code = place.text.code[statement.start : statement.end].rstrip()
    found = _LIST.match(code)
    if found is None or in_loop(place.text, statement) or matching(code, found.end() - 1) != len(code) - 1:
        return []
    name, type_ = found.group("name"), found.group("type")
    if name is None:
        return _returned(place, [part for _, part in _elements(code, found.end() - 1)])
    names = None if found.group("array") else [f".{each}" for each in members(place.text.known, type_.strip())]
    made = []
    for at, pointer, part in _slots(place.text, code, found.end() - 1, name, names):
        on_line = statement.first + code.count("\n", 0, at) == place.line
        for each in _allocated(place.text, pointer, part) if on_line and pointer else ():
            made.append(_named(place, each, _after_check(place.text, statement, each.pointer).last))
    return made


def _elements(code: str, opened: int) -> Iterator[tuple[int, str]]:
    """Of the braced list that opens here, with their positions."""
    at = opened + 1
    for part in split(code[at : matching(code, opened)]):
        at = code.index(part, at)
        yield at, part
        at += len(part)


def _slots(
    text: CText, code: str, opened: int, root: str, names: Sequence[str] | None
) -> Iterator[tuple[int, str, str]]:
    """Position of each element, the expression that gets it ("" where the text does not tell), and its text.

    names: of the members; None: the elements of an array.
    """
    for turn, (begin, part) in enumerate(_elements(code, opened)):
        designated = re.match(r"((?:\.\w+|\[[^\[\]]*\])+)\s*=\s*", part)
        if designated is not None:
            names, named = (), designated.group(1)
        else:
            named = f"[{turn}]" if names is None else names[turn] if turn < len(names) else ""
        at = begin + (designated.end() if designated is not None else 0)
        pointer, value = f"{root}{named}" if named else "", code[at : begin + len(part)]
        if not value.startswith("{"):
            yield at, pointer, value
        elif named and re.search(rf"\b{re.escape(named[1:])}\s*\[", text.known):
            yield from _slots(text, code, at, pointer, None)


def _allocated(text: CText, pointer: str, part: str) -> list[_Found]:
    """What an expression allocates for this pointer, if that is all it does."""
    part = " ".join(part.split())
    plain = not any(_arguments(f"{pointer} = {part}")) and re.search(r"\?|(?<![=!<>])=(?!=)", part) is None
    return list(_assigned(text, f"{pointer} = {part}")) if plain else []


def _returned(place: Place, parts: Sequence[str]) -> list[Memory]:
    """The elements of a returned list that allocate, each with a name before."""
    text, rest, done = place.statement.text, "", 0
    made: list[Memory] = []
    in_c = place.file.endswith(".c")
    for part in (" ".join(each.split()) for each in parts):
        name = f"placed_{len(made) + 1}"
        found = _allocated(place.text, name, part)
        if not found:
            continue
        at = text.find(part, done)
        if at < 0 or [each.pointer for each in found] != [name] or re.search(rf"\b{name}\b", place.text.code):
            return []
        element = "void" if in_c else found[0].element
        memory = _named(place, replace(found[0], element=element), place.statement.last)
        made.append(replace(memory, before=(f"{'void' if in_c else 'auto'} *{name} = {part};",)))
        rest, done = f"{rest}{text[done:at]}{name}", at + len(part)
    if not made or place.statement.first != place.statement.last:
        return []
    return [*made[:-1], replace(made[-1], after=(f"{rest}{text[done:]};",))]


def _ends_type(place: Place) -> bool:
    """What stands before the statement is the body of a type: the statement declares."""
    code = place.text.code[: place.statement.start].rstrip()
    around = place.text.enclosing(replace(place.statement, start=len(code) - 1)) if code.endswith("}") else None
    return around is not None and re.search(r"\b(?:struct|union|enum|class)\b[^()]*$", around[0].text) is not None


def _zeroed_new(place: Place) -> Memory | None:
    """new T[n]() writes zeros itself; without the parentheses, nothing."""
    plain = re.fullmatch(r"(.*\])\s*(?:\(\s*\)|\{\s*\})", loop_heads(place.statement.text)[1])
    found = list(_assigned(place.text, plain.group(1))) if plain and "new" in plain.group(1) else []
    if plain is None or len(found) != 1 or found[0].condition or not found[0].element:
        return None
    made = replace(_named(place, found[0], place.statement.last), before=(f"{plain.group(1)};",), zeroed=True)
    loops = nest(place.text, place.statement, found[0].pointer) if "[" in found[0].pointer else None
    if loops is None and ("[" in found[0].pointer or plain.string != place.statement.text):
        return None
    return replace(made, nest=loops, writes=loops is not None)


def _constructing_new(place: Place) -> Memory | None:
    """new T[n] whose elements have values by their constructor: allocated without it, made once they are placed."""
    text = place.statement.text
    found = _NEW.search(text)
    if found is None or loop_heads(text)[0] or in_loop(place.text, place.statement) or _CONDITION.match(text):
        return None
    end = matching(text, found.end() - 1)
    type_, count, pointer = found.group(1), text[found.end() : end].strip(), _target(text[: found.start()], False)
    rest = re.fullmatch(r"\s*(?:\(\s*\)|\{\s*\})?\s*(\)?)", text[end + 1 :])
    plain = re.match(r"new\s+\w", found.group()) is not None and not text.startswith("static")
    if pointer is None or "[" in pointer or rest is None or not plain or not _is_constructed(place.text, type_, count):
        return None
    made = f"{text[: found.start()]}{unconstructed(type_, count)}{rest.group(1)};"
    return replace(_constructed_at(place, pointer, type_, count), before=(made,))


def _is_constructed(text: CText, type_: str, count: str) -> bool:
    return has_values(text.known, type_) and not is_plain(text.known, type_) and not once_only(count)


def _constructed_at(place: Place, pointer: str, type_: str, count: str) -> Memory:
    """Memory whose elements are made after it is placed."""
    memory = _named(place, _Found(pointer, f"({count}) * sizeof({type_})", "", False), place.statement.last)
    after, headers = (constructed(pointer, count),), ("string.h", "memory")
    return replace(memory, count=count, zero=zeroed_element(pointer), after=after, headers=headers)


def _members(place: Place) -> list[Memory]:
    """Pointers that get the memory of new T[n] in the initialiser list of a constructor: its body places it."""
    found = constructor(place)
    if found is None:
        return []
    head, parts = found
    made = []
    for at, part in enumerate(map(_without_make, parts)):
        plain = re.fullmatch(r"(\w+)\s*[({]\s*(new\s+([\w:]+(?:\s+\w+)*)\s*\[(.*)\])\s*(\(\s*\)|\{\s*\})?\s*[)}]", part)
        pointer = _member(place.text, plain.group(1)) if plain else None
        if plain is None or pointer is None:
            continue
        name, new, type_, count, zeroed = plain.groups()
        parameter = type_ if is_parameter(place.text.known, type_) else ""
        if _is_constructed(place.text, type_, count):
            parts[at] = f"{name}({unconstructed(type_, count)})"
            made.append(_constructed_at(place, pointer, type_, count))
            continue
        if not is_plain(place.text.known, type_) and not parameter:
            continue
        element = type_ if number(place.text.known, type_) else ""
        allocated = _Found(pointer, f"({count}) * sizeof({type_})", element, False, parameter)
        memory = _named(place, allocated, place.statement.last)
        parts[at] = f"{name}({new})"
        if parameter and zeroed is not None:  # its elements may have constructors
            cleared = f"std::fill_n({pointer}, {count}, {parameter}());"
            memory = replace(memory, zero=f"{pointer}[{{i}}] = {parameter}();", cleared=cleared, headers=())
        made.append(replace(memory, zeroed=zeroed is not None))
    if not made:
        return []
    return [replace(made[0], before=(f"{head} : {', '.join(parts)}", "{")), *made[1:]]


def _without_make(part: str) -> str:
    """The member that make_unique fills with zeros, by new T[n]() instead."""
    made = (
        r"(\w+)\s*[({]\s*(?:std\s*::\s*)?make_unique(_for_overwrite)?\s*"
        r"<\s*([\w:\s]+?)\s*\[\s*\]\s*>\s*\((.*)\)\s*[)}]"
    )
    found = re.fullmatch(made, part)
    return (
        f"{found.group(1)}(new {found.group(3)}[{found.group(4)}]{'' if found.group(2) else '()'})" if found else part
    )


def _member(text: CText, name: str) -> str | None:
    """How the first element of a member's memory is reached; None: it is no pointer that the text declares."""
    if re.search(rf"\b(?:unique|shared)_ptr\s*<[^;(){{}}]*>\s*(?:\w+\s*,\s*)*{re.escape(name)}\b", text.known):
        return f"{name}.get()"
    declared = rf"\b\w[\w:]*\s*\*\s*(?:const\s+)?(?:\w+\s*,\s*\*\s*)*{re.escape(name)}\s*[;,={{]"
    return name if re.search(declared, text.known) else None


def _in_braces(place: Place, head: str, body: str) -> list[Memory]:
    """The only statement of an if: others need braces beside it."""
    found = [_named(place, each, place.statement.last) for each in _assigned(place.text, body)]
    if len(found) != 1 or "[" in found[0].pointer:
        return []
    return [replace(found[0], before=(f"{head} {{", f"{body};"), after=("}",))]


def _assigned(text: CText, body: str) -> Iterator[_Found]:
    condition = bool(_CONDITION.match(body))
    if condition and not body.startswith("if"):
        return
    for found in _NEW.finditer(body):
        end = matching(body, found.end() - 1)
        rows = re.match(r"(?:\s*\[[^\[\]]*\])*", body[end + 1 :])
        row = rows.group().strip() if rows else ""
        pointer = _target(body[: found.start()], condition)
        initialised = body[end + 1 + len(row) :].lstrip()[:1] in ("(", "{")
        type_ = found.group(1).strip()
        parameter = type_ if is_parameter(text.known, type_) else ""
        if pointer and (parameter or is_plain(text.known, type_)) and not initialised:
            if once_only(body[found.end() : end]):
                continue
            element = type_ if number(text.known, type_) and not row else ""
            count = body[found.end() : end].strip()
            yield _Found(pointer, f"({count}) * sizeof({type_}{row})", element, condition, parameter)
    for found in _CALL.finditer(body):
        name, arguments = found.group(1), body[found.end() : matching(body, found.end() - 1)]
        if name in _KEYWORDS or name == "realloc":
            continue
        pointer = _target(body[: found.start()], condition)
        size = _bytes(name, split(arguments), pointer, text.wrapper)
        if name == "posix_memalign" and len(split(arguments)) == 3:
            pointer = re.sub(r"^\(\s*void\s*\*\*\s*\)\s*", "", split(arguments)[0]).lstrip("&").strip()
        if name == "mmap" and not re.search(r"ANON|,\s*-1\s*,", body[found.end() :]):
            continue  # a file's
        if size and once_only(size):
            size = f"malloc_usable_size({pointer})" if name != "mmap" else None
        if pointer and size:
            yield _Found(pointer, size, _element(text, pointer), condition)


_SIZE_ARGUMENT = {("malloc", 1): 0, ("valloc", 1): 0, ("aligned_alloc", 2): 1, ("memalign", 2): 1}
_SIZE_ARGUMENT |= {("posix_memalign", 3): 2, ("mmap", 6): 1, ("_mm_malloc", 2): 0, ("mkl_malloc", 2): 0}


def _bytes(name: str, arguments: list[str], pointer: str | None, wrapper: str | None) -> str | None:
    at = _SIZE_ARGUMENT.get((name, len(arguments)))
    if at is not None:
        return arguments[at]
    counted = len(arguments) == 2 and "sizeof" in arguments[1] and "sizeof" not in arguments[0]
    if len(arguments) == 2 and (name == "calloc" or counted):
        size = arguments[1] if "sizeof" in arguments[1] else f"({arguments[1]})"
        return f"({arguments[0]}) * {size}"
    if len(arguments) == 1 and "sizeof" in arguments[0]:
        return arguments[0]  # a function of the program's own that is given bytes
    wraps = name == wrapper or re.search(r"alloc|new|make|create", name, re.I)
    return f"malloc_usable_size({pointer})" if pointer and wraps else None


def _target(before: str, condition: bool) -> str | None:
    """The expression that gets the result of a call, which stands before it."""
    before = re.sub(r"(?:\b\w+\s*::\s*)+$", "", before.rstrip()).rstrip()
    while cast := _CAST.search(before):
        before = before[: cast.start()].rstrip()
    if smart := _smart_pointer(before):
        return f"{smart}.get()"
    if not before.endswith("=") or before[-2:] in ("==", "!=", "<=", ">="):
        return None
    left = before[:-1].rstrip()
    if condition:
        inner = re.search(r"\(\s*([A-Za-z_][\w.\[\]>-]*)$", left)
        return inner.group(1) if inner else None
    through = re.fullmatch(r"\*+\s*\w+", left)  # a pointer to the pointer
    *declared_before, left = split(left)
    if not condition and re.fullmatch(r"[^=!<>]+=[^=].*", left):  # a = b = malloc(...)
        left = left.rpartition("=")[2].strip()
    type_ = r"[\w\s:]*" if declared_before else r"[\w\s:]+"  # of several in one declaration, the first has it
    array = re.fullmatch(rf"{type_}\(\s*\*\s*(?:restrict\s+)?(\w+)\s*\)(?:\s*\[[^\[\]]*\])+", left)
    if array or through:
        return array.group(1) if array else f"({left})"
    declared = re.fullmatch(r"[\w\s:<>,]*[\*&\s]+(?:restrict\s+|const\s+|__restrict\s+)*([A-Za-z_]\w*)", left)
    name = declared.group(1) if declared else left.lstrip("*").strip()
    return name if re.fullmatch(r"[A-Za-z_][\w.\[\]\s+*:>-]*", name) else None


def _smart_pointer(before: str) -> str | None:
    """Name of the smart pointer that a call is an argument of: declared, assigned to or reset."""
    type_ = r"(?:std::)?(?:unique|shared)_ptr\s*<[^()]*>"
    forms: tuple[str, ...] = (rf"{type_}\s*(\w+)\s*[({{]$", rf"([A-Za-z_][\w.>-]*)\s*=\s*{type_}\s*[({{]$")
    forms = (*forms, r"([A-Za-z_][\w.>-]*)\s*(?:\.|->)\s*reset\s*\($")
    found = next((found for form in forms if (found := re.search(form, before))), None)
    return found.group(1) if found else None


def _element(text: CText, pointer: str) -> str:
    """Type of what the pointer points to, where it is a number; void for untyped bytes; "" if not known."""
    name = re.escape(re.split(r"\.|->|::", pointer.split("[", maxsplit=1)[0])[-1].removesuffix("get()"))
    depth = pointer.count("[")
    stars = r"\*\s*" * (depth + 1)
    declared = re.search(rf"\b({SCALAR}|void\s*){stars}(?:restrict\s+|__restrict\s+)?{name}\b", text.known)
    other = re.search(rf"\bvoid\s*{stars}{name}\b", text.known)
    if other:
        return "void"
    if any(not re.match(SCALAR, f"{type_} ") for type_ in _declared_types(text.known, name, depth + 1)):
        return ""  # of several variables with this name, one may point to structures
    if declared:
        return declared.group(1).strip()
    several = (
        re.search(rf"\b({SCALAR})\*[^;(){{}}]*,\s*\*\s*(?:restrict\s+)?{name}\b", text.known) if depth == 0 else None
    )
    return several.group(1).strip() if several else ""


def _declared_types(code: str, name: str, stars: int) -> list[str]:
    """Types of the pointers with this name. A star between two spaces multiplies."""
    star = r"\s*".join([r"\*"] * stars)
    before = r"(?:^|[;{}(,])\s*(?:(?:static|extern|const|volatile|struct|union)\s+)*"
    return re.findall(rf"{before}([A-Za-z_][\w:]*)(?:{star}\s+|\s+{star}){name}\b", code, re.MULTILINE)


def _memory(place: Place, found: _Found) -> Memory | None:
    text, statement = place.text, place.statement
    if found.condition:
        whole = text.rest_of_if(statement)
        return _named(place, found, whole.last) if _is_check(text, whole, found.pointer) else None
    if found.parameter and "[" in found.pointer:
        return None
    pointer = subscripted(text, statement, found.pointer)
    loops = nest(text, statement, pointer) if "[" in pointer else None
    if "[" not in found.pointer and loops is None:
        if loop_heads(statement.text)[0]:
            return None
        made = _named(place, found, _after_check(text, statement, found.pointer).last)
        return replace(made, in_loop=in_loop(text, statement))
    if loops is None and (loop_heads(statement.text)[0] or in_loop(text, statement)):
        return None
    last = (_after_check(text, statement, found.pointer) if loops is None else statement).last
    return replace(_named(place, found, last), nest=loops)


def _named(place: Place, found: _Found, last: int) -> Memory:
    pointer, size = found.pointer, found.size
    headers: tuple[str, ...] = ("malloc.h",) if "malloc_usable_size" in size else ()
    if found.element == "void":
        count, zero = size, f"((char *){pointer})[{{i}}] = 0;"
    elif found.element:
        count, zero = _count(size, pointer, found.element), f"{pointer}[{{i}}] = 0;"
    else:
        count, zero = _count(size, pointer, ""), f"memset(&{pointer}[{{i}}], 0, sizeof {pointer}[{{i}}]);"
        headers = (*headers, "string.h")
    if found.parameter:  # what has a constructor was made by it already
        each = f"{pointer}[{{i}}]"
        zero = f"if (std::is_trivial<{found.parameter}>::value) memset((void *)&{each}, 0, sizeof {each});"
        headers = (*headers, "type_traits")
    first = place.statement.first
    return Memory(place.file, first, last, pointer, count, size, zero, headers=headers, indent=place.indent)


def _after_check(text: CText, statement: Statement, pointer: str) -> Statement:
    """The last statement of the allocation, with a check of the pointer and advice to the kernel that follow it."""
    advises = rf"madvise\s*\(\s*(?:\([^()]*\)\s*)?{re.escape(pointer)}\b"
    while (after := text.following(statement)) is not None:
        if not (re.match(advises, after.text) or _is_check(text, after, pointer)):
            break
        statement = after
    return statement


_NULL = r"(?:NULL|nullptr|0|MAP_FAILED|\([^()]*\)\s*(?:NULL|0|MAP_FAILED))"


def _is_check(text: CText, statement: Statement, pointer: str) -> bool:
    """An if statement for the case that there is no memory: nothing in it writes to the memory."""
    code = re.sub(r'"(?:\\.|[^"\\])*"', '""', statement.text)
    head = code[: matching(code, code.index("(")) + 1] if re.match(r"if\s*\(", code) else ""
    if not head or text.code[statement.end + 1 :].lstrip().startswith("else"):
        return False
    name, aligned = rf"(?<![\w.>]){re.escape(pointer)}(?![\w\[.]|->)", r"posix_memalign\s*\([^;]*\)\s*"
    missing = rf"!\s*{name}|{name}\s*==\s*{_NULL}|{_NULL}\s*==\s*{name}"
    made = rf"!\s*\(\s*{name}\s*=(?!=)|{name}\s*=[^=].*\)\s*==\s*{_NULL}|{_NULL}\s*==\s*\(\s*{name}\s*="
    if not re.search(missing, head) and not re.search(made, head):
        if re.search(rf"!\s*posix_memalign|{aligned}==|0\s*==\s*posix_memalign|=\s*posix_memalign", head):
            return False
        if not re.search(rf"\bposix_memalign\s*\([^;]*&\s*{re.escape(pointer)}\s*,", head):
            return False
    root = re.split(r"\.|->|\[", pointer)[0].strip("(*) ")
    return not _passed_on(head, pointer) and re.search(rf"\b{root}\b", _FREED.sub(" ", code[len(head) :])) is None


_FREED = re.compile(r"\bfree\s*\([^()]*\)")
_ASKS = r"(?:if|sizeof|free|assert|posix_memalign|\w*likely\w*|\w*expect|\w*(?i:alloc|null)\w*|\w+_cast)"


def _behind(body: str, pointer: str) -> str:
    """What is assigned to the pointer, and all that follows in the statement."""
    found = re.search(rf"(?<![\w.>]){re.escape(pointer)}\s*(?:\)[^=]*)?=(?!=)", body)
    return body[found.end() :] if found else ""


def _passed_on(text: str, pointer: str) -> bool:
    """A call gets the pointer, and may write to its memory."""
    asked = re.sub(r"\bsizeof\s*(?:\([^()]*\)|[\s*\w.>\[\]-]+)", " ", text)
    calls = re.finditer(rf"\b(?!{_ASKS}\b)[A-Za-z_]\w*\s*\(", asked)
    given = (asked[call.end() : matching(asked, call.end() - 1)] for call in calls)
    return any(re.search(rf"(?<![\w.>]){re.escape(pointer)}(?!\w)", each) for each in given)


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
                wide = found.group(1) == "" and "*" in re.sub(r"\([^()]*\)", "", rest)  # sizeof(int) * n * m
                return f"(size_t){rest}" if wide and not rest.startswith("(") else _bare(rest)
    return f"({size}) / sizeof *{pointer}"


def _bare(text: str) -> str:
    """Without parentheses around the whole."""
    return text[1:-1].strip() if text.startswith("(") and matching(text, 0) == len(text) - 1 else text


# Variables

_ATTRIBUTES = re.compile(
    r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)|\b(?:_A|a)lignas\s*\((?:[^()]|\([^()]*\))*\)|\[\[[^\[\]]*\]\]"
)
_ZEROS = re.compile(r"=\s*\{[\s{},]*(?:0(?:\.0*)?f?)?[\s{},]*\}")


def _constructs(code: str, type_: str) -> bool:
    """A structure of C++ whose text says values, or has functions."""
    name = re.escape(re.sub(r"^(?:struct|union|enum)\s+", "", type_))
    body = re.search(rf"\b(?:struct|class|union)\s+{name}\b[^;{{}}()]*\{{", code)
    return body is not None and re.search(r"[=(]", code[body.end() : matching(code, body.end() - 1)]) is not None


def variable(lines: Sequence[str], file: str, line: int, name: str) -> Memory | None:
    """An array of static storage duration, declared without values on this line."""
    text = CText(lines)
    for statement in text.statements(line):
        declared = _ZEROS.sub("", _ATTRIBUTES.sub("", statement.text)).strip()
        if "=" in declared or "extern" in declared or "(" in declared:
            continue
        found = re.search(rf"\b{re.escape(name)}\s*((?:\[[^\[\]]*\]\s*)*)", declared)
        around = text.enclosing(statement)
        if found is None or (around is not None and not _outside_of_types(around[0].text)):
            continue
        scalar = re.match(rf"^(?:(?:static|volatile|inline)\s+)*({SCALAR})", declared)
        type_ = re.match(r"^(?:(?:static|volatile|inline)\s+)*((?:(?:struct|union|enum)\s+)?[\w:]+)\s", declared)
        if scalar is None and type_ and _constructs(text.known, type_.group(1)):
            continue
        one_index = found.group(1).count("[") == 1 and scalar is not None
        pointer = name if found.group(1) else f"&{name}"
        count, zero = f"sizeof {name}", f"((char *){pointer})[{{i}}] = 0;"
        if one_index:
            count, zero = f"sizeof {name} / sizeof {name}[0]", f"{name}[{{i}}] = 0;"
        return Memory(file, statement.first, statement.last, pointer, count, f"sizeof {name}", zero, static=True)
    return None
