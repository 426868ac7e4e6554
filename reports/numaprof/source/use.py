# SPDX-License-Identifier: Apache-2.0
"""The part of the memory that a loop of use gives a thread, in C and C++."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from numaprof.source import polynomial
from numaprof.source.c_loops import Element, Loop, Turns, directive, leaves, looked_at
from numaprof.source.files import Source, Unreadable
from numaprof.source.memory import ancestors, loops_around

if TYPE_CHECKING:
    from tree_sitter import Node

_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")
_BRANCHES = ("if_statement", "switch_statement", "case_statement", "function_definition", "lambda_expression")


@dataclass(frozen=True)
class Part:
    """The elements that the turns of a loop use."""

    source: Source
    loop: Loop
    base: str  # expression: pointer to its first element, in front of the loop
    first: str  # expressions: indices
    end: str
    row: str  # expression: elements of one turn
    names: frozenset[str]  # that these expressions use


def elements(source: Source, statement: Node, loop: Loop, name: str) -> Iterator[tuple[Turns, Element]]:
    """Elements of the memory that a statement uses; without such a name, of the only memory that it uses."""
    found = looked_at(source, loop)
    used = [found.place(node) for node in leaves(statement, "subscript_expression")]
    named = [each for each in used if each.root.rpartition(".")[2] == name]
    roots = {each.root for each in used if each.position(loop.variable) is not None}
    yield from ((found, each) for each in named or (used if len(roots) == 1 else []))


def part_of(source: Source, statement: Node, name: str) -> Part:
    """Unreadable: no loop around the statement tells a part."""
    for loop in loops_around(source, statement):
        for found, element in elements(source, statement, loop, name):
            position = element.position(loop.variable)
            if position is not None:
                return _part(found, element, position)
    raise Unreadable(f"no loop of use counts elements of `{name}`" if name else "no loop of use counts elements")


def _part(found: Turns, element: Element, position: int) -> Part:
    source, loop = found.source, found.loop
    base = element.bases[position]
    step = polynomial.stride(element.indices[position], loop.variable)
    own = {*found.own, *found.extents, loop.variable}
    if not step or not loop.by_one or any(factor < 0 for factor in step.values()):
        raise Unreadable("turns of the loop of use do not use one part after the other")
    if len(element.indices) > position + 1 and not _is_array(source, element):
        raise Unreadable("rows are allocated one by one")
    factor = " + ".join(_product(term, times) for term, times in step.items())
    first, end = source.text(loop.first), source.text(loop.end) + (" + 1" if loop.closed else "")
    scaled = [text if factor == "1" else f"{_in_brackets(text)} * {_in_brackets(factor)}" for text in (first, end)]
    used = {source.text(each) for node in (base, loop.first, loop.end) for each in leaves(node, "identifier")}
    used |= {part for term in step for part in term}
    if used & own:
        raise Unreadable(f"`{min(used & own)}` is not known in front of the loop of use")
    return Part(source, loop, source.text(base), scaled[0], scaled[1], factor, frozenset(used))


def _is_array(source: Source, element: Element) -> bool:
    """True if rows stand one after the other."""
    last = element.root.rpartition(".")[2]
    declared = (
        [source.text(each) for each in leaves(node, "identifier", "field_identifier")][:1]
        for node in leaves(source.root, "array_declarator")
    )
    return [last] in declared


def _product(term: tuple[str, ...], times: int) -> str:
    factors = [part.strip("[]") for part in term]
    return " * ".join([str(times), *factors] if times != 1 or not factors else factors)


def _in_brackets(text: str) -> str:
    return text if text.replace("_", "").isalnum() else f"({text})"


def in_front(part: Part, *, outside_region: bool) -> Node:
    """The outermost statement in front of which the part is known and the same: loops around it repeat the use."""
    source, place = part.source, part.loop.node
    for around in ancestors(part.loop.node):
        region = bool({"parallel", "teams"} & set(directive(source, around)))
        if around.type in _BRANCHES or (region and not outside_region):
            break
        if around.type in _LOOPS or region:
            if _changes(source, around, part.names):
                break
            place = around
    if place.parent is not None and place.parent.type != "compound_statement":
        raise Unreadable("no statement can stand in front of the loop of use")
    return place


def _changes(source: Source, loop: Node, used: frozenset[str]) -> bool:
    """True if the loop declares or sets one of these names."""
    for node in leaves(loop, "declaration", "assignment_expression", "update_expression"):
        targets = node.children_by_field_name("declarator")
        targets += [each for name in ("left", "argument") if (each := node.child_by_field_name(name)) is not None]
        named = (next(leaves(target, "identifier"), None) for target in targets if "expression" not in target.type)
        if any(name is not None and source.text(name) in used for name in named):
            return True
    return False
