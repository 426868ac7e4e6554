# SPDX-License-Identifier: Apache-2.0
"""Loops and allocations of free-form Fortran."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from numaprof.source import polynomial
from numaprof.source.c_loops import leaves, names
from numaprof.source.files import Source, Unreadable, contains
from numaprof.source.polynomial import Polynomial

if TYPE_CHECKING:
    from tree_sitter import Node

_REFUSED = {
    "print_statement": "prints", "write_statement": "writes to a file", "read_statement": "reads a file",
    "stop_statement": "may stop", "where_statement": "assigns whole arrays", "preproc_if": "has a directive",
    "preproc_ifdef": "has a directive", "ERROR": "is not understood",
}  # fmt: skip
_LITERALS = ("number_literal", "unary_expression", "complex_literal", "boolean_literal")
_NUMBERS = ("integer", "real", "double", "complex")


class Loop(NamedTuple):
    node: Node
    variable: str
    head: Node


class Element(NamedTuple):
    root: str
    indices: tuple[Polynomial, ...]
    node: Node


@dataclass(frozen=True)
class Array:
    """An array that a statement allocates, or that is there when the program starts."""

    statement: Node
    name: str  # as the program writes it, with components and their indices
    rank: int
    zero: str
    module: str = ""  # that has to be used where code for it stands
    source: tuple[int, int] | None = None  # offsets of SOURCE= in its statement, whose value is `zero`


def loop_of(source: Source, node: Node) -> Loop | None:
    control = next(leaves(node.children[0], "loop_control_expression"), None) if node.type == "do_loop" else None
    if control is None or len(control.named_children) != 3:  # a step is no part of it
        return None
    return Loop(node, source.text(control.named_children[0]).lower(), control)


def directive(source: Source, node: Node) -> list[str]:
    """Tokens of the OpenMP directive above a loop."""
    tokens: list[str] = []
    above = node.prev_named_sibling
    while above is not None and above.type == "comment":
        text = source.text(above).lower()
        if text.startswith("!$omp"):
            tokens = re.findall(r"\w+|[^\w\s&!$]", text.removeprefix("!$omp")) + tokens
        above = above.prev_named_sibling
    return tokens


def schedule_at(source: Source, node: Node) -> str | None:
    """What stands in schedule() of the loop around a statement that a team divides. None: there is no such loop."""
    for each in [node, *source.around(node, "loop")]:
        tokens = directive(source, each)
        if "do" in tokens and loop_of(source, each) is not None:
            at = tokens.index("schedule") + 2 if "schedule" in tokens else 0
            return "".join(tokens[at : tokens.index(")", at)]).replace(",", ", ") if at else "static"
    return None


def in_parallel(source: Source, node: Node) -> bool:
    """True if a directive above opens a region that does not end before the statement."""
    unit = source.around(node, "function")
    if unit and {"pure", "elemental"} & set(source.text(unit[0].children[0]).lower().split("(")[0].split()):
        raise Unreadable("a pure procedure holds no directive")
    opened = 0
    for comment in leaves(unit[0], "comment") if unit else ():
        text = " ".join(source.text(comment).lower().split())
        if comment.start_byte < node.start_byte and text.startswith(("!$omp parallel", "!$omp end parallel")):
            region = not re.match(r"!\$omp (end )?parallel do", text)
            opened += region * (-1 if "end" in text.split()[1] else 1)
    return opened > 0 or any(directive(source, each) for each in [node, *source.around(node, "loop")])


def place(source: Source, node: Node) -> Element:
    """The name of an array element without indices, and the indices of all parts of the name."""
    if node.type == "call_expression" and node.named_child_count == 2:
        base = place(source, node.named_children[0])
        indices = tuple(index(source, each) for each in node.named_children[1].named_children)
        return Element(base.root, (*base.indices, *indices), node)
    if node.type == "derived_type_member_expression":
        base = place(source, node.named_children[0])
        return Element(f"{base.root}%{source.text(node.named_children[-1]).lower()}", base.indices, node)
    return Element(source.text(node).lower(), (), node)


def index(source: Source, node: Node) -> Polynomial:
    text = "".join(source.text(node).lower().split())
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if text.isdigit():
        return polynomial.constant(int(text))
    if node.type == "math_expression" and left is not None and right is not None:
        operator = source.between(left.end_byte, right.start_byte).strip()
        if operator in ("+", "-"):
            sign = 1 if operator == "+" else -1
            return polynomial.added(index(source, left), index(source, right), sign)
    return polynomial.symbol(text)


def loops_around(source: Source, node: Node) -> list[Loop]:
    units = source.around(node, "function")
    inside = [each for each in [node, *source.around(node, "loop")] if units and contains(units[0], each)]
    return [loop for each in reversed(inside) if (loop := loop_of(source, each)) is not None]


def safe_loop(source: Source, node: Node) -> tuple[Loop, list[str]]:
    """The outermost loop around a statement that counts elements, and its private variables. Unreadable: it is not
    safe, or there is none."""
    for loop in loops_around(source, node):
        writes = [place(source, target) for target in _targets(loop.node)]
        inside = {
            each for write in writes for part in write.indices for term in part for word in term for each in names(word)
        }
        if loop.variable in inside:
            return loop, _private(source, loop, writes)
    raise Unreadable("no loop counts the elements")


def _targets(node: Node) -> Iterator[Node]:
    for assignment in leaves(node, "assignment_statement"):
        if (left := assignment.child_by_field_name("left")) is not None:
            yield left


def _private(source: Source, loop: Loop, writes: list[Element]) -> list[str]:
    for node in leaves(loop.node, *_REFUSED, "subroutine_call", "keyword_statement"):
        if node.type == "subroutine_call":
            raise Unreadable(f"a turn calls `{source.text(node.named_children[0])}`")
        if node.type != "keyword_statement" or source.text(node).lower().split()[0] not in ("cycle", "continue"):
            raise Unreadable(f"a turn {_REFUSED.get(node.type, 'may leave the loop')}")
    counted = {inner.variable for node in leaves(loop.node, "do_loop") if (inner := loop_of(source, node)) is not None}
    arrays = {each.root for each in writes if each.indices}
    known = {node.start_byte for node in source.matches("pure", loop.node)}
    for name in arrays:
        same = [each for each in _elements(source, loop.node) if each.root == name]
        positions = range(min(len(each.indices) for each in same))
        if not any(_same_turn(loop.variable, [each.indices[at] for each in same]) for at in positions):
            raise Unreadable(f"turns may share `{source.text(same[0].node)}`")
        if _declared(source, name.rpartition("%")[2], "pointer"):
            raise Unreadable(f"`{name}` is a pointer")
    for node in leaves(loop.node, "call_expression"):
        called = place(source, node).root
        if node.start_byte not in known and called not in arrays and not _is_array(source, called.rpartition("%")[2]):
            raise Unreadable(f"a turn calls `{called}`")
    private = []
    for name in dict.fromkeys(each.root for each in writes if not each.indices):
        if _is_array(source, name.rpartition("%")[2]):
            raise Unreadable(f"each turn writes all of `{name}`")
        if "%" in name or _carried(source, loop, name):
            raise Unreadable(f"`{name}` is carried from turn to turn")
        if name not in counted:
            private.append(name)
    return private


def _elements(source: Source, node: Node) -> Iterator[Element]:
    """Elements of arrays and whole arrays that stand in a statement."""
    if node.type in ("call_expression", "derived_type_member_expression", "identifier"):
        yield place(source, node)
        for inner in leaves(node, "argument_list"):
            for child in inner.named_children:
                yield from _elements(source, child)
        return
    for child in node.named_children:
        yield from _elements(source, child)


def _same_turn(variable: str, indices: list[Polynomial]) -> bool:
    """True if equal values of these indices are of one turn only."""
    return polynomial.stride(indices[0], variable) == {(): 1} and all(each == indices[0] for each in indices)


def _carried(source: Source, loop: Loop, name: str) -> bool:
    """True unless each turn sets a variable before it is read, and what follows the loop does so too."""
    unit = source.around(loop.node, "function")[0]
    if not any(
        source.text(each).lower() == name
        for part in leaves(unit, "variable_declaration")
        for each in leaves(part, "identifier")
    ):
        return True
    same = [each for each in leaves(unit, "identifier") if source.text(each).lower() == name]
    inside = [each for each in same if contains(loop.node, each)]
    after = [each for each in same if each.start_byte >= loop.node.end_byte]
    sets = inside[0].parent
    once = (
        sets is not None
        and sets.type == "assignment_statement"
        and _sets(inside[0])
        and not any(each != inside[0] and contains(sets, each) for each in inside)
    )
    ancestors = [each.type for each in _up(inside[0], loop.node)]
    outer = [each for each in source.around(loop.node, "loop") if contains(unit, each)]
    before = [each for each in same if outer and contains(outer[-1], each) and each.end_byte <= loop.node.start_byte]
    return not once or "if_statement" in ancestors or any(found and not _sets(found[0]) for found in (after, before))


def _up(node: Node, top: Node) -> Iterator[Node]:
    while node.parent is not None and node.parent != top:
        node = node.parent
        yield node


def _sets(node: Node) -> bool:
    return node.parent is not None and node.parent.child_by_field_name("left") == node


def _declaration(source: Source, name: str) -> Node | None:
    for node in leaves(source.root, "variable_declaration"):
        for declarator in node.children_by_field_name("declarator"):
            first = next(leaves(declarator, "identifier"), None)
            if first is not None and source.text(first).lower() == name.lower():
                return node
    return None


def _declared(source: Source, name: str, attribute: str) -> bool:
    node = _declaration(source, name)
    return node is not None and any(
        source.text(each).lower().startswith(attribute) for each in leaves(node, "type_qualifier")
    )


def _is_array(source: Source, name: str) -> bool:
    node = _declaration(source, name)
    if node is None:
        return False
    own = (part for part in node.children_by_field_name("declarator") if part.type == "sized_declarator")
    sized = any(source.text(next(leaves(part, "identifier"))).lower() == name.lower() for part in own)
    return sized or _declared(source, name, "dimension")


def _zero(source: Source, name: str) -> str:
    """A value of the type of a variable or component. Unreadable: it is not a number."""
    node = _declaration(source, re.split("%", name)[-1])
    type_ = node.child_by_field_name("type") if node is not None else None
    text = source.text(type_).lower() if type_ is not None else ""
    if text.startswith(_NUMBERS):
        return "0"
    if text.startswith("logical"):
        return ".false."
    raise Unreadable(
        f"`{name}` is no array of numbers" if text else f"the type of `{name}` is not declared in this file"
    )


def allocated(source: Source, statement: Node) -> list[Array]:
    """Unreadable: it copies another array."""
    if statement.type != "allocate_statement":
        return []
    arrays = [each for each in statement.children_by_field_name("allocation") if each.type == "sized_allocation"]
    copied = [
        each
        for each in leaves(statement, "keyword_argument")
        if source.text(each.named_children[0]).lower() in ("source", "mold")
    ]
    if copied and (len(arrays) != 1 or copied[0].named_children[-1].type not in _LITERALS):
        raise Unreadable("the allocation copies another array")
    found = []
    for each in arrays:
        name, extents = each.named_children[0], each.named_children[-1].named_child_count
        found.append(Array(statement, source.text(name), extents, _zero(source, place(source, name).root)))
    if copied:
        value, end = source.text(copied[0].named_children[-1]), copied[0].end_byte
        comma = source.data.rfind(b",", 0, copied[0].start_byte)
        return [replace(found[0], zero=value, source=(comma, end))]
    return found


def variable(source: Source, name: str) -> Array:
    """An array of a module or of the main program. Unreadable: it is none, or has values."""
    module, _, last = name.removeprefix("__").rpartition("_MOD_")
    node, program = _declaration(source, last), next(leaves(source.root, "program"), None)
    if node is None or program is None or not _is_array(source, last):
        raise Unreadable(f"`{last}` is no array that this file and its main program declare")
    if any("=" in source.text(each) for each in node.children_by_field_name("declarator")) or (
        not module and not contains(program, node)
    ):
        raise Unreadable(f"`{last}` has values, or is a procedure's own")
    sized = next((each for each in leaves(node, "size", "argument_list")), None)
    for each in node.children_by_field_name("declarator"):
        if each.type == "sized_declarator" and source.text(each.named_children[0]).lower() == last.lower():
            sized = each.named_children[-1]
    last_declaration = [
        each
        for each in program.named_children
        if each.type in ("use_statement", "implicit_statement", "variable_declaration", "parameter_statement")
    ][-1]
    return Array(
        last_declaration, last, sized.named_child_count if sized is not None else 1, _zero(source, last), module
    )


def touching(array: Array, schedule: str) -> list[str]:
    """Zeros for an array, in a block of its own."""
    index_ = ":, " * (array.rank - 1) + "first_touch"
    used = [f"    use {array.module}, only: {array.name}"] if array.module else []
    return [
        "block",
        *used,
        "    integer :: first_touch",
        f"    !$omp parallel do schedule({schedule})",
        f"    do first_touch = lbound({array.name}, {array.rank}), ubound({array.name}, {array.rank})",
        f"        {array.name}({index_}) = {array.zero}",
        "    end do",
        "end block",
    ]


def pragma(schedule: str, private: list[str]) -> str:
    also = f" private({', '.join(private)})" if private else ""
    return f"!$omp parallel do schedule({schedule}){also}"
