# SPDX-License-Identifier: Apache-2.0
"""Allocations in C and C++: where the memory is, how large it is, and where code for it can stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from numaprof.source.c_loops import Loop, leaves, loop_of, source_operator
from numaprof.source.files import Source, Unreadable, contains

if TYPE_CHECKING:
    from tree_sitter import Node

_CASTS = ("static_cast", "reinterpret_cast", "const_cast")
_SMART = ("unique_ptr", "shared_ptr")
_AROUND = ("cast_expression", "parenthesized_expression", "argument_list")
_FILLING = ("resize", "assign", "push_back", "emplace_back", "insert")
_ENDS = ("return_statement", "break_statement", "continue_statement", "goto_statement", "throw_statement")


@dataclass(frozen=True)
class Memory:
    """Memory that a statement allocates."""

    statement: Node
    pointer: str  # expression: the address of its first byte
    size: str  # expression: bytes; empty: not known
    name: str  # the last part of the name that the program gives it
    written: bool = False  # by the statement itself: its pages have nodes then
    grown: bool = False  # by turns of a loop
    static: bool = False  # there when the program starts
    headers: tuple[str, ...] = ()


def allocated(source: Source, statement: Node, wrapper: str) -> list[Memory]:
    """What a statement allocates, in the order of the text. Unreadable: one of these has no name."""
    calls = [call for call in source.matches("allocator", statement) if call != statement]
    if wrapper:
        calls += [call for call in leaves(statement, "call_expression") if _called(source, call) == wrapper]
    found = [_of_call(source, statement, call) for call in sorted(set(calls), key=lambda call: call.start_byte)]
    return [each for each in found if each is not None] + list(_containers(source, statement))


def variable(source: Source, statement: Node, name: str) -> Memory:
    """An array outside of functions, which holds zeros when the program starts. Unreadable: it is none."""
    declarators = statement.children_by_field_name("declarator") if statement.type == "declaration" else []
    for declarator in declarators:
        names = [source.text(each) for each in leaves(declarator, "identifier")]
        if names[:1] == [name] and declarator.type == "array_declarator" and not source.around(statement, "function"):
            return Memory(statement, name, f"sizeof {name}", name, static=True)
    raise Unreadable(f"`{name}` is no array without values outside of functions")


def main_of(source: Source) -> Node:
    for function in source.matches("function"):
        head = next(leaves(function, "function_declarator"), None)
        named = head.child_by_field_name("declarator") if head is not None else None
        if named is not None and source.text(named) == "main":
            return function
    raise Unreadable("the function main is in another file")


def _called(source: Source, call: Node) -> str:
    """Last name of the function, without template arguments."""
    function = call.child_by_field_name("function")
    names = [] if function is None else list(leaves(function, "identifier", "field_identifier"))
    return source.text(names[-1]) if names else ""


def _of_call(source: Source, statement: Node, call: Node) -> Memory | None:
    arguments = call.child_by_field_name("arguments")
    given = list(arguments.named_children) if arguments is not None else []
    called = _called(source, call)
    if called == "posix_memalign" and len(given) == 3:
        target = given[0]
        while target.type in ("cast_expression", "pointer_expression") and (
            inner := target.child_by_field_name("value") or target.child_by_field_name("argument")
        ):
            target = inner
        size, headers = _sized(source, given[2:], source.text(target))
        return Memory(statement, source.text(target), size, _last(source, target), headers=headers)
    if called in _CASTS:
        return None
    target, smart = _target(source, call)
    name = source.text(target)
    pointer = f"{name}.get()" if smart else name
    if call.type == "new_expression":
        length = call.child_by_field_name("declarator")
        type_ = call.child_by_field_name("type")
        count = length.child_by_field_name("length") if length is not None else None
        if count is None or type_ is None:
            raise Unreadable("the size of `new` is not understood")
        element = source.between(type_.start_byte, length.start_byte).strip() if length is not None else ""
        written = call.child_by_field_name("arguments") is not None or not (
            element.endswith("*") or _trivial(source, type_)
        )
        size, headers = _times(source, [count], element, pointer)
        return Memory(statement, pointer, size, _last(source, target), written=written, headers=headers)
    if called.startswith("make_"):
        types = next(leaves(call, "template_argument_list"), None)
        element = source.text(types)[1:-1].strip().removesuffix("[]") if types is not None else ""
        size, headers = _times(source, given, element, pointer)
        return Memory(
            statement,
            f"{name}.get()",
            size,
            _last(source, target),
            written=not called.endswith("overwrite"),
            headers=headers,
        )
    by_size = {"malloc": given[:1], "valloc": given[:1], "calloc": given[:2], "mmap": given[1:2]}
    sizes = by_size.get(called, given[1:2])
    if called not in (*by_size, "aligned_alloc", "memalign", "realloc"):
        return _of_wrapper(source, statement, target, given)
    size, headers = _sized(source, sizes, pointer)
    if called == "mmap" and headers:
        raise Unreadable("the size of the mapping cannot be asked for again")
    return Memory(statement, pointer, size, _last(source, target), written=called == "realloc", headers=headers)


def _of_wrapper(source: Source, statement: Node, target: Node, given: list[Node]) -> Memory | None:
    """What a function of the program returns; None: the declaration tells."""
    name = source.text(target)
    if statement.type == "declaration" and not any(leaves(statement, "pointer_declarator")):
        if _is_vector(source, statement.child_by_field_name("type")):
            return None
        raise Unreadable(f"`{name}` is no pointer")
    if _is_declared(source, _last(source, target), lambda type_: _is_vector(source, type_)):
        return _vector(source, statement, name)
    by_bytes = len(given) < 3 and any(any(leaves(each, "sizeof_expression")) for each in given)
    size, headers = _sized(source, given if by_bytes else [], name)
    return Memory(statement, name, size, _last(source, target), headers=headers)


def _trivial(source: Source, type_: Node) -> bool:
    """True if new T[n] writes nothing: numbers, pointers, and structures of C."""
    if type_.type in ("primitive_type", "sized_type_specifier"):
        return True
    name = source.text(type_).rpartition("::")[2]
    if name.endswith("_t"):
        return True
    for node in leaves(source.root, "struct_specifier"):
        named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if named is not None and body is not None and source.text(named) == name:
            parts = [child for child in body.named_children if child.type != "comment"]
            plain = all(
                child.type == "field_declaration" and child.child_by_field_name("default_value") is None
                for child in parts
            )
            return plain and all(
                _trivial(source, inner) for child in parts if (inner := child.child_by_field_name("type"))
            )
    return False


def _times(source: Source, count: list[Node], element: str, pointer: str) -> tuple[str, tuple[str, ...]]:
    if not count or not all(_repeatable(source, node) for node in count):
        return f"malloc_usable_size({pointer})", ("malloc.h",)
    return f"{_factor(source, count[0])} * sizeof({element})", ()


def _sized(source: Source, factors: list[Node], pointer: str) -> tuple[str, tuple[str, ...]]:
    """Expression of the bytes that a call was asked for, and the header that it needs."""
    if not factors or not all(_repeatable(source, node) for node in factors):
        return f"malloc_usable_size({pointer})", ("malloc.h",)
    if len(factors) == 1:
        text = " ".join(source.text(factors[0]).split())
        return (text if any(leaves(factors[0], "sizeof_expression")) else f"(size_t)({text})"), ()
    size = " * ".join(_factor(source, node) for node in factors)
    return (size if any(any(leaves(node, "sizeof_expression")) for node in factors) else f"(size_t){size}"), ()


def _factor(source: Source, node: Node) -> str:
    text = " ".join(source.text(node).split())
    return f"({text})" if node.type in ("binary_expression", "conditional_expression") else text


def _repeatable(source: Source, node: Node) -> bool:
    """True if the expression may be evaluated again: it changes nothing."""
    pure = {call.start_byte for call in source.matches("pure", node)}
    calls = [each for each in leaves(node, "call_expression") if each.start_byte not in pure]
    return not calls and not any(leaves(node, "assignment_expression", "update_expression", "lambda_expression"))


def _last(source: Source, target: Node) -> str:
    while target.type == "subscript_expression" and (inner := target.child_by_field_name("argument")) is not None:
        target = inner
    names = list(leaves(target, "identifier", "field_identifier"))
    return source.text(names[-1]) if names else ""


def _target(source: Source, call: Node) -> tuple[Node, bool]:
    """What gets the value of a call, and whether that is a smart pointer."""
    node, smart = call, _called(source, call).startswith("make_")
    while (parent := node.parent) is not None:
        smart = smart or (parent.type == "call_expression" and _called(source, parent) in ("unique_ptr", "shared_ptr"))
        if parent.type == "init_declarator":
            declarator, declaration = parent.child_by_field_name("declarator"), parent.parent
            while declarator is not None and declarator.type != "identifier":
                inner = declarator.child_by_field_name("declarator")
                declarator = inner or next(iter(declarator.named_children), None)
            type_ = declaration.child_by_field_name("type") if declaration is not None else None
            if declarator is not None:
                held = _is_smart(source, type_)
                plain = declaration is not None and any(leaves(declaration, "pointer_declarator"))
                if node.type == "initializer_list" and not (held or plain):
                    raise Unreadable(f"`{source.text(declarator)}` is no pointer")
                return declarator, smart or held
        if parent.type == "assignment_expression" and source_operator(parent) == "=":
            left = parent.child_by_field_name("left")
            if left is not None:
                return left, smart
        if parent.type == "field_initializer":
            field = parent.named_children[0]
            return field, smart or _is_declared(source, source.text(field), lambda type_: _is_smart(source, type_))
        if parent.type == "call_expression":
            function = parent.child_by_field_name("function")
            if _called(source, parent) == "reset" and function is not None and function.type == "field_expression":
                return function.named_children[0], True
            if _called(source, parent) not in (*_CASTS, *_SMART):
                raise Unreadable(f"`{_called(source, parent)}` gets the memory before it has a name")
        elif parent.type not in _AROUND and not (parent.type == "initializer_list" and parent.named_child_count == 1):
            break
        node = parent
    raise Unreadable("the memory gets no name where it is allocated")


def _containers(source: Source, statement: Node) -> Iterator[Memory]:
    """Vectors that a statement makes or fills."""
    if statement.type == "declaration" and _is_vector(source, statement.child_by_field_name("type")):
        for declarator in statement.children_by_field_name("declarator"):
            name = next(leaves(declarator, "identifier"), None)
            if declarator.type in ("init_declarator", "function_declarator") and name is not None:
                yield _vector(source, statement, source.text(name))
    elif statement.type == "declaration":
        for declarator in statement.children_by_field_name("declarator"):
            value, name = declarator.child_by_field_name("value"), declarator.child_by_field_name("declarator")
            if (
                value is not None
                and name is not None
                and value.type == "call_expression"
                and _is_vector(source, value.child_by_field_name("function"))
            ):
                yield _vector(source, statement, source.text(name))
    elif statement.type == "field_initializer_list":
        for part in statement.named_children:
            name = next(leaves(part, "field_identifier"), None)
            if name is not None and _is_declared(source, source.text(name), lambda type_: _is_vector(source, type_)):
                yield _vector(source, statement, source.text(name))
    elif statement.type == "expression_statement" and statement.named_children:
        yield from _changed(source, statement, statement.named_children[0])


def _changed(source: Source, statement: Node, node: Node) -> Iterator[Memory]:
    function = node.child_by_field_name("function")
    if node.type == "call_expression" and function is not None and function.type == "field_expression":
        base, method = function.child_by_field_name("argument"), _called(source, node)
        if base is None or method not in (*_FILLING, "reserve") or _is_other(source, _last(source, base)):
            return
        name = source.text(base)
        name = f"(*{name})" if source_operator(function) == "->" else name
        if method == "reserve":
            size = f"{name}.capacity() * sizeof *{name}.data()"
            yield Memory(statement, f"{name}.data()", size, _last(source, base))
        else:
            yield _vector(source, statement, name, grown=method not in ("resize", "assign"))
    elif node.type == "assignment_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if (
            left is not None
            and right is not None
            and right.type == "call_expression"
            and _is_vector(source, right.child_by_field_name("function"))
        ):
            yield _vector(source, statement, source.text(left))


def _is_other(source: Source, name: str) -> bool:
    """True if the file declares a name, and never as a vector."""
    types = []
    for node in leaves(source.root, "declaration", "field_declaration", "parameter_declaration"):
        parts = node.children_by_field_name("declarator")
        if name in [source.text(each) for part in parts for each in leaves(part, "identifier", "field_identifier")]:
            types.append(_is_vector(source, node.child_by_field_name("type")))
    return bool(types) and not any(types)


def _vector(source: Source, statement: Node, name: str, *, grown: bool = False) -> Memory:
    size = f"{name}.size() * sizeof *{name}.data()"
    last = name.strip("(*)").replace("->", ".").rpartition(".")[2]
    return Memory(statement, f"{name}.data()", size, last, written=True, grown=grown)


def _is_vector(source: Source, node: Node | None) -> bool:
    names = [source.text(each) for each in leaves(node, "type_identifier", "identifier")] if node is not None else []
    arguments = [source.text(each) for each in leaves(node, "template_argument_list")] if node is not None else []
    return "vector" in names[:1] and not any("bool" in text or "vector" in text for text in arguments)


def _is_smart(source: Source, node: Node | None) -> bool:
    return node is not None and any(source.text(name) in _SMART for name in leaves(node, "type_identifier"))


def _is_declared(source: Source, name: str, fits: Callable[[Node | None], bool]) -> bool:
    """True if a class has a member of this name, and of a type that fits."""
    for node in leaves(source.root, "field_declaration"):
        declared = (
            each for part in node.children_by_field_name("declarator") for each in leaves(part, "field_identifier")
        )
        if name in map(source.text, declared) and fits(node.child_by_field_name("type")):
            return True
    return False


def handed_out(source: Source, memory: Memory) -> bool:
    """True if the function returns the memory, and does nothing with it before but to check it."""
    around = source.around(memory.statement, "function")
    if memory.statement.type == "return_statement":
        return True
    for node in leaves(around[0], "identifier") if around else ():
        if source.text(node) == memory.name and node.start_byte > memory.statement.end_byte:
            statement = next((each for each in ancestors(node) if each.type.endswith("_statement")), None)
            if statement is None or statement.type not in ("return_statement", "if_statement"):
                return False
    returned = [
        source.text(name)
        for node in (leaves(around[0], "return_statement") if around else ())
        for name in leaves(node, "identifier")
    ]
    return memory.name in returned


def ancestors(node: Node) -> Iterator[Node]:
    while node.parent is not None:
        node = node.parent
        yield node


def place_after(source: Source, memory: Memory) -> Node:
    """The statement behind which code for the memory can stand. Unreadable: there is none."""
    statement = memory.statement
    if not source.around(statement, "function"):
        raise Unreadable(f"`{memory.name}` is allocated before the program starts")
    if memory.grown:
        loops = source.around(statement, "loop")
        functions = source.around(statement, "function")
        inside = [loop for loop in loops if functions and contains(functions[0], loop)]
        if not inside:
            raise Unreadable(f"`{memory.name}` grows by one call at a time")
        statement = inside[-1]
    if statement.type == "if_statement":  # the condition allocates
        if statement.child_by_field_name("alternative") is not None or not _leaves_function(
            statement.child_by_field_name("consequence")
        ):
            raise Unreadable("a condition allocates the memory")
        return statement
    if (
        statement.type in ("return_statement", "field_declaration", "while_statement", "for_statement")
        and not memory.grown
    ):
        raise Unreadable("no code can stand behind the allocation")
    following = statement.next_named_sibling
    while following is not None and _checks(source, following, memory):
        statement, following = following, following.next_named_sibling
    return statement


def _checks(source: Source, node: Node, memory: Memory) -> bool:
    """The next statement checks whether there is memory."""
    if node.type == "comment":
        following = node.next_named_sibling
        return following is not None and following.type == "if_statement" and _checks(source, following, memory)
    if node.type == "expression_statement" and node.named_children and node.named_children[0].type == "call_expression":
        return _called(source, node.named_children[0]) in ("assert", "madvise") and memory.pointer in source.text(node)
    condition = node.child_by_field_name("condition")
    if node.type != "if_statement" or condition is None or node.child_by_field_name("alternative") is not None:
        return False
    named = memory.name in [source.text(each) for each in leaves(condition, "identifier", "field_identifier")]
    return named and _leaves_function(node.child_by_field_name("consequence"))


def _leaves_function(node: Node | None) -> bool:
    if node is None:
        return False
    last = node.named_children[-1] if node.type == "compound_statement" and node.named_children else node
    return last.type in _ENDS or (last.type == "expression_statement" and any(leaves(last, "call_expression")))


def loops_around(source: Source, statement: Node) -> list[Loop]:
    """Counting loops of the function around a statement, the outermost first."""
    functions = source.around(statement, "function")
    inside = [each for each in source.around(statement, "loop") if functions and contains(functions[0], each)]
    return [loop for each in reversed(inside) if (loop := loop_of(source, each)) is not None]
