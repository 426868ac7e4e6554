# SPDX-License-Identifier: Apache-2.0
"""Loops of C and C++ that allocate one piece after the other, and what else stands in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from numaprof.fixes.c_text import CText, Statement, matching, once_only

_FOR = re.compile(r"for\s*\(")
_FOR_HEAD = re.compile(r"\bfor\s*\([^;=]*=")
_INDEX = re.compile(
    r"for\s*\(\s*(?:[\w:]+\s+)*(\w+)\s*=[^;]*;\s*\1\s*(?:<|<=|!=)[^;]*;\s*(?:\+\+\s*\1|\1\s*\+\+)\s*\)$"
)
_OWN_INDEX = re.compile(r"for\s*\(\s*[A-Za-z_][\w:]*\s+\w+\s*=")
_SUBSCRIPTED = r"[A-Za-z_][\w.]*(?:->\w+)*(?:\[[^\[\]]*\])+(?:(?:\.|->)\w+|\[[^\[\]]*\])*"
# One allocation of one piece, or a value, and nothing that another one depends on.
_ALLOCATES = re.compile(
    rf"^(?:{_SUBSCRIPTED}\s*=\s*(?:\([^()]*\)\s*)?(?:std::)?"
    r"(?:\w*(?:(?i:alloc)|memalign)\w*\s*\([^;]*\)|new\s+[^;]*\](?:\s*\(\s*\))?|-?[\w.]+)"
    rf"|{_SUBSCRIPTED}\s*\.\s*(?:resize|reserve|assign)\s*\([^;]*\))$"
)
_DECLARES = re.compile(r"(?:[A-Za-z_][\w:]*[\s*&]+)+([A-Za-z_]\w*)\s*=\s*([^=].*)")
_SETS = re.compile(r"([A-Za-z_]\w*(?:(?:\.|->)\w+|\[[^\[\]]*\])*)\s*=\s*([^=].*)")


@dataclass(frozen=True)
class Nest:
    """Loops around a statement that allocates a piece for each turn, the outermost first."""

    heads: tuple[str, ...]
    own: int  # so many of them, the innermost, have no braces: they are part of the statement
    first: int  # line of the outermost
    last: int  # its last line
    indent: str  # of that line
    piece: str  # what the statement does in the innermost
    alone: bool  # the loops do nothing but allocate
    needs: tuple[str, ...] = ()  # what the loop declares or sets before and the statement uses, where it is moved out

    @property
    def head(self) -> str:
        return " ".join(self.heads)

    @property
    def own_head(self) -> str:
        return " ".join(self.heads[len(self.heads) - self.own :])

    def part(self, parts: int) -> str:
        """Expression: of so many equal parts of the outermost loop's turns, the one of this turn."""
        index, first, end = _turns(self.heads[0])
        turn, turns = (index, end) if first == "0" else (f"({index} - ({first}))", f"{end} - ({first})")
        return f"(size_t){turn} * {parts} / (size_t)({turns})"


def loop_heads(text: str) -> tuple[tuple[str, ...], str]:
    """All for (...) before a statement, and what stands behind them."""
    heads = []
    while _FOR.match(text):
        end = matching(text, text.index("("))
        heads.append(text[: end + 1])
        text = text[end + 1 :].strip()
    return tuple(heads), text


def nest(text: CText, statement: Statement, pointer: str) -> Nest | None:
    """The loops whose indices a pointer's subscripts use; None where they cannot be divided or moved."""
    own, piece = loop_heads(statement.text)
    heads, outermost, block = own, statement, None
    while (found := text.enclosing(outermost)) is not None:
        around, rest = loop_heads(found[0].text)
        if not around or rest or not all(_used(head, pointer) for head in around):
            break
        heads, outermost, block = (*around, *heads), found[0], found[0]
    if not heads or _INDEX.match(heads[0]) is None or not all(_used(head, pointer) for head in heads):
        return None
    if any(_OWN_INDEX.match(head) is None for head in heads[1:]) or not _free(text, outermost):
        return None
    if _OWN_INDEX.match(heads[0]) is None and _read_later(text, block or outermost, heads[0]):
        return None
    alone = block is None or _only_allocates(text, block, heads[0])
    needs = _needs(text.code[block.end + 1 : statement.start], piece) if block is not None and not alone else ()
    if needs is None:
        return None
    line, last = text.text.split("\n")[outermost.first - 1], text.rest_of_if(outermost).last
    indent = line[: len(line) - len(line.lstrip())]
    return Nest(heads, len(own), outermost.first, last, indent, f"{piece};", alone, needs)


def subscripted(text: CText, statement: Statement, pointer: str) -> str:
    """The pointer with what its first name stands for, where the loop names an element: cell *c = &cells[i]."""
    around = text.enclosing(statement)
    root = re.match(r"\w+", pointer)
    if around is None or root is None or "[" in pointer:
        return pointer
    before = text.code[around[0].end + 1 : statement.start]
    named = rf"[\w:]+\s*(?:\*\s*{root.group()}\s*=\s*&|&\s*{root.group()}\s*=)\s*({_SUBSCRIPTED})\s*;"
    found = re.findall(named, before)
    return f"{found[-1]}{pointer[root.end() :]}" if found else pointer


def _turns(head: str) -> tuple[str, str, str]:
    """Index, first value and end of a loop that goes up by one."""
    found = re.match(r"for\s*\([^=]*?(\w+)\s*=([^;]*);\s*\w+\s*(<=|<|!=)([^;]*);", head)
    index, first, compared, last = found.groups() if found else ("0", "0", "<", "1")
    return index, first.strip(), f"{last.strip()} + 1" if compared == "<=" else last.strip()


def outermost_loop(text: CText, statement: Statement, name: str) -> tuple[int, int] | None:
    """First and last line of the loop around a statement that no other is around; None: there is none, or what is named
    does not outlive it."""
    found, inner = None, statement
    while (around := text.enclosing(inner)) is not None and re.match(r"(?:for|while|do|if|else)\b", around[0].text):
        if re.match(r"(?:for|while|do)\b", around[0].text):
            found = around
        inner = around[0]
    if loop_heads(statement.text)[0] and found is None:
        found = (statement, statement.last)
    if found is None:
        return None
    inside = text.code[found[0].start : statement.end]
    declared = rf"\b(?!return\b|delete\b)[\w:>]+[\s*&]+{re.escape(name)}\s*(?:[=;:{{]|\()"
    return None if re.search(declared, inside) else (found[0].first, found[1])


def in_loop(text: CText, statement: Statement) -> bool:
    around = text.enclosing(statement)
    return around is not None and re.match(r"(for|while|do)\b", around[0].text) is not None


def _read_later(text: CText, loop: Statement, head: str) -> bool:
    """What follows the loop reads its index, which has no value after a parallel one."""
    end = matching(text.code, loop.end) if text.code[loop.end] == "{" else loop.end
    rest = text.code[end:].split("\n}", maxsplit=1)[0]
    index = _INDEX.match(head)
    later = re.search(rf"\b{index.group(1) if index else ''}\b\s*(=(?!=))?", rest)
    return later is not None and later.group(1) is None


def _used(head: str, pointer: str) -> bool:
    index = _INDEX.match(head)
    return index is not None and any(
        re.search(rf"\b{index.group(1)}\b", each) for each in re.findall(r"\[([^\[\]]*)\]", pointer)
    )


def _free(text: CText, outermost: Statement) -> bool:
    """Nothing stands before it on its line, and no pragma above."""
    lines = text.text.split("\n")
    alone = lines[outermost.first - 1].lstrip().startswith("for")
    return alone and not (outermost.first > 1 and lines[outermost.first - 2].lstrip().startswith("#pragma"))


def _only_allocates(text: CText, block: Statement, outermost: str) -> bool:
    """Each turn of the outermost loop allocates, or sets, what that loop's index tells apart."""
    body = text.code[block.end + 1 : matching(text.code, block.end)]
    index = _INDEX.match(outermost)
    of_turn = re.compile(rf"[^=]*\[[^\[\]=]*\b{index.group(1) if index else ''}\b")
    found = [loop_heads(" ".join(each.split())) for each in _statements(body)]
    own = all(_OWN_INDEX.match(head) for head in _FOR_HEAD.findall(body))
    return own and all(_ALLOCATES.match(each) and of_turn.match(each) for _, each in found)


def _statements(body: str) -> Sequence[str]:
    """Between ; { and }, outside of parentheses; loops without braces with their heads."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(body):
        depth += (char == "(") - (char == ")")
        if char in ";{}" and depth == 0:
            found.append(body[start:at])
            start = at + 1
    heads_only = [each.strip() for each in (*found, body[start:])]
    return [each for each in heads_only if each and loop_heads(" ".join(each.split()))[1]]


def _needs(before: str, piece: str) -> tuple[str, ...] | None:
    """What its loop declares or sets before an allocation that uses it; None: it uses what else was done there."""
    found: list[str] = []
    others: list[str] = []
    for each in reversed([" ".join(each.split()) for each in _statements(before)]):
        sets = _DECLARES.fullmatch(each) or _SETS.fullmatch(each)
        if sets and not once_only(sets.group(2)) and re.search(rf"(?<![\w.>]){re.escape(sets.group(1))}\b", piece):
            found.insert(0, f"{each};")
            piece = f"{piece} {sets.group(2)}"
        else:
            others.append(each)
    return None if _depends("; ".join(others), piece) else tuple(found)


def _depends(before: str, piece: str) -> bool:
    """What stands before an allocation in its loop declares or changes what the allocation uses."""
    names = set(re.findall(r"\b[A-Za-z_]\w*\b(?!\s*\()", piece))
    changed = re.findall(r"\b([A-Za-z_]\w*)\s*(?:\[[^\[\]]*\]\s*)*(?:[-+*/%&|^]|<<|>>)?=(?!=)", before)
    changed += [name for pair in re.findall(r"(?:\+\+|--)\s*(\w+)|(\w+)\s*(?:\+\+|--)", before) for name in pair]
    return bool(names & set(changed))
