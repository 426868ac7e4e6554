# SPDX-License-Identifier: Apache-2.0
"""Indices as sums of products, so that those of two turns of a loop can be compared."""

from __future__ import annotations

from collections.abc import Mapping

Term = tuple[str, ...]  # sorted factors
Polynomial = dict[Term, int]  # coefficients; the empty term is the constant


def constant(value: int) -> Polynomial:
    return {(): value} if value else {}


def symbol(name: str) -> Polynomial:
    return {(name,): 1}


def added(one: Mapping[Term, int], other: Mapping[Term, int], sign: int = 1) -> Polynomial:
    found = dict(one)
    for term, factor in other.items():
        found[term] = found.get(term, 0) + sign * factor
    return {term: factor for term, factor in found.items() if factor}


def multiplied(one: Mapping[Term, int], other: Mapping[Term, int]) -> Polynomial:
    found: Polynomial = {}
    for term, factor in one.items():
        for second, times in other.items():
            found = added(found, {tuple(sorted((*term, *second))): factor * times})
    return found


def stride(index: Mapping[Term, int], variable: str) -> Polynomial | None:
    """What one more turn adds. None: the index is not linear in the variable."""
    found: Polynomial = {}
    for term, factor in index.items():
        if term.count(variable) > 1:
            return None
        if variable in term:
            rest = list(term)
            rest.remove(variable)
            found = added(found, {tuple(rest): factor})
    return found


def without(index: Mapping[Term, int], variable: str) -> Polynomial:
    return {term: factor for term, factor in index.items() if variable not in term}


def at_most(small: Mapping[Term, int], large: Mapping[Term, int]) -> bool:
    """True if the difference is known, and not negative."""
    difference = added(large, small, -1)
    return all(term == () for term in difference) and difference.get((), 0) >= 0


def within(index: Polynomial, extents: Mapping[str, Polynomial], limit: Polynomial) -> bool:
    """True if the sum is from 0 to less than the limit, whatever these variables are below their extents."""
    rest, room = dict(index), constant(1)  # the index fills all below `room`
    variables = {name for term in index for name in term if name in extents}
    while variables:
        name = next((each for each in variables if at_most(room, stride(rest, each) or {})), None)
        step = stride(rest, name) if name is not None else None
        if name is None or not step:
            return False
        room, rest = multiplied(step, extents[name]), without(rest, name)
        variables.remove(name)
    offset = added(rest, room)
    return rest.get((), 0) >= 0 and at_most(offset, limit)
