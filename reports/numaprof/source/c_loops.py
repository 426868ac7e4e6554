# SPDX-License-Identifier: Apache-2.0
"""Loops of C and C++: the schedule of one, and whether the turns of one may be divided among threads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from numaprof.source import polynomial
from numaprof.source.files import Source, contains
from numaprof.source.polynomial import Polynomial

if TYPE_CHECKING:
    from tree_sitter import Node

_LEFT = ("return_statement", "goto_statement", "throw_statement", "labeled_statement", "co_return_statement")
_HIDDEN = ("preproc_ifdef", "preproc_if", "ERROR", "gnu_asm_expression", "lambda_expression")
_MOST_DEPTH = 4  # calls of functions that are looked into


@dataclass(frozen=True)
class Loop:
    """A loop that OpenMP can divide: for (variable = first; variable < end; variable++)."""

    node: Node
    variable: str
    first: Node
    end: Node
    closed: bool  # the end is the last turn
    declared: bool  # the loop declares its variable
    by_one: bool = True

    @property
    def body(self) -> Node:
        body = self.node.child_by_field_name("body")
        assert body is not None
        return body


def loop_of(source: Source, node: Node) -> Loop | None:
    """None: it is no loop that counts its turns upwards."""
    if node.type != "for_statement" or node.has_error:
        return None
    start, test, step = (node.child_by_field_name(name) for name in ("initializer", "condition", "update"))
    if start is None or test is None or step is None or test.type != "binary_expression":
        return None
    declarator = start.child_by_field_name("declarator") if start.type == "declaration" else start
    if declarator is None or len(start.children_by_field_name("declarator")) > 1:
        return None
    name = declarator.child_by_field_name("declarator") or declarator.child_by_field_name("left")
    first = declarator.child_by_field_name("value") or declarator.child_by_field_name("right")
    left, end = test.child_by_field_name("left"), test.child_by_field_name("right")
    counted = step.child_by_field_name("argument") or step.child_by_field_name("left")
    if name is None or first is None or left is None or end is None or counted is None or name.type != "identifier":
        return None
    operator = test.child_by_field_name("operator")
    variable, by = source.text(name), step.child_by_field_name("operator")
    counts = by is not None and source.text(by) in ("++", "+=")
    compares = operator is not None and source.text(operator) in ("<", "<=")
    if not (counts and compares and source.text(left) == variable == source.text(counted)):
        return None
    closed = operator is not None and source.text(operator) == "<="
    return Loop(node, variable, first, end, closed, start.type == "declaration", source.text(step).find("=") < 0)


def directive(source: Source, node: Node) -> list[str]:
    """Tokens of the OpenMP directive above a statement; empty: there is none."""
    for start, end in source.above(node):
        tokens = re.findall(r"\w+|[^\w\s\\]", source.between(start, end))
        if tokens[1:3] == ["pragma", "omp"]:
            return tokens[3:]
    return []


def in_parallel(source: Source, node: Node) -> bool:
    """True if a parallel region or a task is around it in the text."""
    around: Node | None = node
    while around is not None and around.type not in ("function_definition", "lambda_expression"):
        if {"parallel", "task", "sections", "single", "master"} & set(directive(source, around)):
            return True
        around = around.parent
    return False


def divided(source: Source, node: Node) -> tuple[Loop, str] | None:
    """The loop around a statement that a team divides, and what stands in its schedule(); None: no such loop."""
    for each in [node, *source.around(node, "loop")]:
        tokens = directive(source, each)
        loop = loop_of(source, each)
        if "for" in tokens and loop is not None:
            if "schedule" not in tokens:
                return loop, "static"
            rest = tokens[tokens.index("schedule") + 2 :]
            inside = rest[: _closing(rest)]
            return loop, "".join(inside[inside.index(":") + 1 :] if ":" in inside else inside).replace(",", ", ")
    return None


def _closing(tokens: list[str]) -> int:
    depth = 1
    for at, token in enumerate(tokens):
        depth += (token == "(") - (token == ")")
        if not depth:
            return at
    return len(tokens)


class Element(NamedTuple):
    """What an expression reads or writes: memory by its name, and the indices in it; none: a variable."""

    root: str
    indices: tuple[Polynomial, ...]
    node: Node
    bases: tuple[Node, ...] = ()  # the pointers to which the indices belong

    def position(self, variable: str) -> int | None:
        """Of the first index in which a variable is; None: it is in none."""
        inside = (any(variable in names(part) for term in index for part in term) for index in self.indices)
        return next((at for at, has in enumerate(inside) if has), None)


@dataclass
class Turns:
    """What the turns of a loop do, and why they may depend on each other."""

    source: Source
    loop: Loop
    reason: str = ""  # empty: they do not
    private: list[str] = field(default_factory=list)
    writes: list[Element] = field(default_factory=list)
    reads: list[Element] = field(default_factory=list)
    own: set[str] = field(default_factory=set)  # names that the loop declares
    values: dict[str, Node] = field(default_factory=dict)  # of those that are set once
    extents: dict[str, Polynomial] = field(default_factory=dict)  # of inner loops from zero on, by their variables

    def refuse(self, reason: str) -> None:
        self.reason = self.reason or reason

    @property
    def chooses(self) -> bool:
        """True if the turn tells which elements are written."""
        return any(each.position(self.loop.variable) is not None for each in self.writes)

    def name(self, node: Node) -> str:
        return " ".join(self.source.text(node).split())

    def polynomial(self, node: Node | None) -> Polynomial:
        """Of an index; what it does not understand is a symbol."""
        if node is None:
            return {}
        node = bare(node)
        text, operator = self.name(node), source_operator(node)
        digits = text.rstrip("uUlLzZ")
        if node.type == "number_literal" and digits.isdigit() and (digits == "0" or digits[0] != "0"):
            return polynomial.constant(int(digits))
        if node.type == "identifier":
            return self.polynomial(self.values[text]) if text in self.values else polynomial.symbol(text)
        if node.type == "binary_expression" and operator in ("+", "-", "*"):
            left, right = (self.polynomial(node.child_by_field_name(side)) for side in ("left", "right"))
            if operator == "*":
                return polynomial.multiplied(left, right)
            return polynomial.added(left, right, 1 if operator == "+" else -1)
        return polynomial.symbol(f"[{text}]" if self._varies(node) else text)

    def _varies(self, node: Node) -> bool:
        changing = self.own | {self.loop.variable} | set(self.extents)
        return any(self.source.text(each) in changing for each in leaves(node, "identifier"))

    def place(self, node: Node) -> Element:
        """Of an expression that stands for an object."""
        node = bare(node)
        argument, value = node.child_by_field_name("argument"), self._value(node)
        if node.type == "subscript_expression" and argument is not None:
            index = node.child_by_field_name("index") or node.child_by_field_name("indices")
            return self._moved(self.pointer(argument), self.polynomial(index), node)
        if node.type == "pointer_expression" and argument is not None and source_operator(node) == "*":
            return self.pointer(argument)
        if node.type == "field_expression" and argument is not None:
            base = self.pointer(argument) if source_operator(node) == "->" else self.place(argument)
            last = node.child_by_field_name("field")
            root = f"{base.root}.{self.name(last) if last is not None else ''}"
            return base._replace(root=root, node=node)
        declared = value.parent.child_by_field_name("declarator") if value is not None and value.parent else None
        if value is not None and declared is not None and declared.type == "reference_declarator":
            return self.place(value)
        return Element(self.name(node), (), node)

    def pointer(self, node: Node) -> Element:
        """Of what an expression points to."""
        node = bare(node)
        argument, value = node.child_by_field_name("argument"), self._value(node)
        if node.type == "pointer_expression" and argument is not None and source_operator(node) == "&":
            found = self.place(argument)
            return found if found.indices else found._replace(indices=({},), bases=(node,))
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if node.type == "binary_expression" and left is not None and right is not None:
            return self._moved(self.pointer(left), self.polynomial(right), node)
        if value is not None:
            return self.pointer(value)
        found = self.place(node)
        return found._replace(indices=(*found.indices, {}), bases=(*found.bases, node))

    def _value(self, node: Node) -> Node | None:
        return self.values.get(self.name(node)) if node.type == "identifier" else None

    def _moved(self, pointed: Element, by: Polynomial, node: Node) -> Element:
        *before, last = pointed.indices
        return pointed._replace(indices=(*before, polynomial.added(last, by)), node=node)


def bare(node: Node) -> Node:
    """Without parentheses and casts."""
    while node.type in ("parenthesized_expression", "subscript_argument_list", "cast_expression"):
        inner = node.child_by_field_name("value") or (node.named_children[0] if node.named_child_count == 1 else None)
        if inner is None:
            break
        node = inner
    return node


def names(symbol: str) -> list[str]:
    """In a symbol of a polynomial, which may be an expression."""
    return re.findall(r"\w+", symbol)


def source_operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def leaves(node: Node, *types: str) -> Iterator[Node]:
    if node.type in types:
        yield node
    for child in node.children:
        yield from leaves(child, *types)


def looked_at(source: Source, loop: Loop) -> Turns:
    """The turns of a loop, of which only the names are known."""
    found = Turns(source, loop)
    _declare(found)
    return found


def turns(source: Source, loop: Loop) -> Turns:
    """What the turns of a loop do, and why they may depend on each other. Any of them may allocate."""
    found = looked_at(source, loop)
    pure = {node.start_byte for query in ("pure", "allocator") for node in source.matches(query, loop.node)}
    if any(loop.node.start_byte < start < loop.node.end_byte for start, _ in source.pragmas):
        found.refuse("the loop has a directive in it")
    _walk(found, loop.body, pure, nested=False)
    bounds = {source.text(name) for end in (loop.first, loop.end) for name in leaves(end, "identifier")}
    if bounds & {each.root for each in found.writes}:
        found.refuse("a turn changes how many there are")
    for variable in dict.fromkeys(each.root for each in found.writes if not each.indices):
        _variable(found, variable)
    for root in dict.fromkeys(each.root for each in found.writes if each.indices):
        _memory(found, root)
    if not loop.declared and _outlives(found, loop.variable):
        found.refuse(f"`{loop.variable}` is used after the loop")
    if not any(each.indices for each in found.writes):
        found.refuse("no turn writes to elements of its own")
    return found


def _declare(found: Turns) -> None:
    """Variables of the loop: declared in it, or counted by loops in it."""
    text, body = found.source.text, found.loop.body
    for declaration in leaves(body, "declaration"):
        for declarator in declaration.children_by_field_name("declarator"):
            name = next(leaves(declarator, "identifier"), None)
            value = declarator.child_by_field_name("value")
            if name is not None:
                found.own.add(text(name))
            if name is not None and value is not None and "array" not in declarator.type:
                found.values[text(name)] = value
    counted = [inner for node in leaves(body, "for_statement") if (inner := loop_of(found.source, node)) is not None]
    for node in leaves(body, "assignment_expression", "update_expression"):
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        found.values.pop(text(target) if target is not None else "", None)
    for inner in counted:
        first = found.polynomial(inner.first)
        if set(first) <= {()} and first.get((), 0) >= 0:
            one = polynomial.constant(int(inner.closed))
            found.extents[inner.variable] = polynomial.added(found.polynomial(inner.end), one)


def _walk(found: Turns, node: Node, pure: set[int], *, nested: bool) -> None:
    """Collects what is written and read; nested: a break ends an inner loop only."""
    kind = node.type
    if kind in _LEFT or (kind == "break_statement" and not nested):
        found.refuse("a turn may end the loop")
    elif kind in _HIDDEN or node.is_missing:
        found.refuse(f"`{found.name(node)[:24]}` hides what a turn does")
    elif kind == "delete_expression" or (kind == "new_expression" and node.start_byte not in pure):
        found.refuse(f"a turn calls `{kind.partition('_')[0]}`")
    elif kind in ("assignment_expression", "update_expression"):
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        if target is not None:
            _take(found, target, found.writes)
            if source_operator(node) != "=":
                _take(found, target, found.reads)
            _walk_indices(found, target, pure)
    elif kind == "call_expression" and node.start_byte not in pure:
        _call(found, node)
    elif kind in ("subscript_expression", "field_expression", "identifier") or (
        kind == "pointer_expression" and not found.name(node).startswith("&")
    ):
        _take(found, node, found.reads)
        _walk_indices(found, node, pure)
        return
    value = node.child_by_field_name("right" if kind == "assignment_expression" else "value")
    children = [value] if kind in ("assignment_expression", "init_declarator") else node.named_children
    if kind in ("update_expression", "type_descriptor", "sizeof_expression"):
        return
    for child in children:
        if child is not None and not (kind == "call_expression" and child == node.child_by_field_name("function")):
            _walk(found, child, pure, nested=nested or kind in ("switch_statement", *_LOOPS))


_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")


def _walk_indices(found: Turns, node: Node, pure: set[int]) -> None:
    """What an expression for memory reads to find it."""
    for child in node.named_children:
        if child.type in ("identifier", "field_identifier"):
            continue
        _walk(found, child, pure, nested=True)


def _take(found: Turns, node: Node, elements: list[Element]) -> None:
    element = found.place(node)
    if node.type == "call_expression":
        found.refuse(f"`{found.name(node)}` is a call")
    elif element.indices or element.root not in found.own:
        elements.append(element)


def _call(found: Turns, node: Node) -> None:
    function = node.child_by_field_name("function")
    name = found.name(function) if function is not None else ""
    if not _is_pure(found.source, name, depth=0):
        found.refuse(f"a turn calls `{name}`")
    arguments = node.child_by_field_name("arguments")
    for argument in arguments.named_children if arguments is not None else []:
        if found.name(argument).startswith("&"):
            found.refuse(f"`{name}` gets an address")


def _is_pure(source: Source, name: str, depth: int) -> bool:
    """True if the file defines the function, and it writes to nothing but its own variables, and reads no pointers."""
    for function in source.matches("function"):
        head = next(leaves(function, "function_declarator"), None)
        named = head.child_by_field_name("declarator") if head is not None else None
        body = function.child_by_field_name("body")
        if named is None or body is None or source.text(named) != name:
            continue
        own = {
            source.text(each)
            for part in leaves(function, "parameter_declaration", "declaration")
            for each in leaves(part, "identifier")
        }
        targets = [
            node.child_by_field_name("left") or node.child_by_field_name("argument")
            for node in leaves(body, "assignment_expression", "update_expression")
        ]
        pointers = any(leaves(head, "pointer_declarator", "reference_declarator", "array_declarator")) if head else True
        static = any(source.text(each) == "static" for each in leaves(body, "storage_class_specifier"))
        plain = all(target is not None and source.text(target) in own for target in targets)
        hidden = any(leaves(body, *_HIDDEN, "goto_statement", "throw_statement", "new_expression"))
        known = {node.start_byte for node in source.matches("pure", body)}
        calls = [node for node in leaves(body, "call_expression") if node.start_byte not in known]
        inner = [call.child_by_field_name("function") for call in calls]
        return (
            not (pointers or static or hidden)
            and plain
            and depth < _MOST_DEPTH
            and all(each is not None and _is_pure(source, source.text(each), depth + 1) for each in inner)
        )
    return False


def _variable(found: Turns, name: str) -> None:
    """A variable of the function that turns write: private if each turn sets it first, and nobody reads it later."""
    node = next(each.node for each in found.writes if each.root == name)
    first = next((each for each in leaves(found.loop.body, "identifier") if found.source.text(each) == name), None)
    setting = first.parent if first is not None else None
    sets = (
        setting is not None
        and setting.type == "assignment_expression"
        and setting.child_by_field_name("left") == first
        and source_operator(setting) == "="
        and not any(found.source.text(each) == name for each in leaves(setting.named_children[-1], "identifier"))
        and _always(found, setting)
    )
    if node.type != "identifier" or not sets or _outlives(found, name):
        found.refuse(f"`{name}` is carried from turn to turn")
    else:
        found.private.append(name)


def _always(found: Turns, node: Node) -> bool:
    """Each turn gets to the statement, or it starts an inner loop."""
    parent = node.parent
    if parent is not None and parent.type == "expression_statement":
        parent = parent.parent
    if parent is not None and parent.type == "for_statement":
        parent = parent.parent if parent != found.loop.node else parent
    return parent in (found.loop.body, found.loop.node)


def _outlives(found: Turns, name: str) -> bool:
    """The value that the last turn leaves in a variable may be read."""
    source, node = found.source, found.loop.node
    around = source.around(node, "function")
    if not around:
        return True
    outer = [loop for loop in source.around(node, "loop") if contains(around[0], loop)]
    declared = [
        each
        for each in leaves(around[0], "declaration")
        if any(
            source.text(part) == name
            for declarator in each.children_by_field_name("declarator")
            for part in leaves(declarator, "identifier")
        )
    ]
    if not declared and not any(
        source.text(each) == name
        for part in leaves(around[0], "parameter_declaration")
        for each in leaves(part, "identifier")
    ):
        return True  # it is not the function's own
    before = [
        each
        for loop in outer[-1:]
        for each in leaves(loop, "identifier")
        if source.text(each) == name and each.end_byte <= node.start_byte
    ]
    after = [
        each
        for each in leaves(around[0], "identifier")
        if source.text(each) == name and each.start_byte >= node.end_byte
    ]
    return any(found and not _sets(source, found[0]) for found in (before, after))


def _sets(source: Source, node: Node) -> bool:
    parent = node.parent
    if parent is None or parent.child_by_field_name("left") != node:
        return (
            parent is not None and parent.type == "init_declarator" and parent.child_by_field_name("declarator") == node
        )
    return parent.type == "assignment_expression" and source_operator(parent) == "="


def _memory(found: Turns, root: str) -> None:
    """Turns write to elements of their own, and read none that another turn writes."""
    loop, text = found.loop, found.source.text
    same = [each for each in (*found.writes, *found.reads) if each.indices and _overlap(each.root, root)]
    shortest = min(len(each.indices) for each in same)
    if not any(_apart(found, [each.indices[at] for each in same]) for at in range(shortest)):
        node = next((each.node for each in same if loop.variable not in text(each.node)), same[-1].node)
        found.refuse(f"turns may share `{found.name(node)[:40]}`")
    others = {each.root for each in (*found.writes, *found.reads) if each.indices and not _overlap(each.root, root)}
    for other in sorted(others):
        if not (_separate(found, root) and _separate(found, other)):
            found.refuse(f"`{root}` and `{other}` may be the same memory")


def _overlap(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _apart(found: Turns, indices: list[Polynomial]) -> bool:
    """True if no two turns have the same value of these indices, whichever of them each takes."""
    variable = found.loop.variable
    steps = [polynomial.stride(index, variable) for index in indices]
    step = steps[0]
    if not step or any(other != step for other in steps):
        return False
    rests = [polynomial.without(index, variable) for index in indices]
    moving = set(found.extents) | found.own
    if any(any(variable in names(part) or part.startswith("[") for part in term) for rest in rests for term in rest):
        return False
    fixed = {term: factor for term, factor in rests[0].items() if term and not set(term) & moving}
    alike = [polynomial.added(rest, fixed, -1) for rest in rests]
    if all(rest == alike[0] for rest in alike) and not any(set(term) & moving for term in alike[0]):
        return True
    return all(polynomial.within(rest, found.extents, step) for rest in alike)


def _separate(found: Turns, root: str) -> bool:
    """True if no other name stands for the memory: an array, or what this file allocates for that name only."""
    source, last = found.source, root.rpartition(".")[2]
    inside = source.around(found.loop.node, "function")[-1:] if last == root else []
    kinds: set[bool] = set()
    for area in (*inside, source.root):
        kinds = kinds or set(_owners(source, area, last))
    return kinds == {True}


def _owners(source: Source, area: Node, last: str) -> Iterator[bool]:
    """Of each declaration and assignment of a name: True if no other name stands for its memory."""
    for node in leaves(
        area, "init_declarator", "assignment_expression", "array_declarator", "declaration", "parameter_declaration"
    ):
        target = node.child_by_field_name("declarator") or node.child_by_field_name("left")
        names = list(leaves(target, "identifier", "field_identifier")) if target is not None else []
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        if not names or source.text(names[-1]) != last or target is None or target.type == "subscript_expression":
            continue
        if node.type == "parameter_declaration":
            yield "restrict" in source.text(node)
        elif node.type == "array_declarator":
            yield True
        elif value is not None and "array" not in target.type:
            yield is_fresh(source, value)
        elif node.type == "declaration" and "vector" in source.text(node):
            yield True


def is_fresh(source: Source, value: Node) -> bool:
    """True for the value of a call that allocates, or for none."""
    value = bare(value)
    if source.text(value) in ("NULL", "0", "nullptr"):
        return True
    return any(node == value for node in source.matches("allocator", value))
