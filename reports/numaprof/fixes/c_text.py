# SPDX-License-Identifier: Apache-2.0
"""Statements of C and C++ text, found without a compiler: comments, literals and directives are blanked out first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

_NOT_CODE = re.compile(
    r"//[^\n]*|/\*.*?\*/|(?<=[0-9])'(?=[0-9a-fA-F])"
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*',
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Statement:
    """Text of a statement and the lines that it covers, counted from 1."""

    text: str
    first: int
    last: int
    start: int  # position in the file's text
    end: int


def _code(text: str) -> str:
    """What is not code is blank."""
    return _NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


class CText:
    """The text of one file, with its statements. Positions count characters from 0."""

    def __init__(self, lines: Sequence[str], wrapper: str | None = None, headers: Sequence[str] = ()) -> None:
        self.text = "\n".join(lines)
        self.wrapper = wrapper  # function of the program that returns memory which it allocates
        self.code = _code(self.text)
        self.known = f"{self.code}\n{_code(chr(10).join(headers))}"  # where declarations are looked up
        self._borders = _borders(self.code)

    def statements(self, line: int) -> list[Statement]:
        """Statements that have code on this line, in their order."""
        low = self._position(line)
        high = self._position(line + 1)
        found = []
        start = max((border + 1 for border in self._borders if border < low), default=0)
        while start < high:
            end = next((border for border in self._borders if border >= start), None)
            if end is None:
                break
            body = self.code[start:end]
            begin = start + len(body) - len(body.lstrip())
            if body.strip() and end >= low and begin < high:
                found.append(self._statement(start, end))
            start = end + 1
        return found

    def expanded(self, statement: Statement) -> list[Statement]:
        """Those that a macro of this file stands for; the statement itself, where it is no call of one."""
        call = re.fullmatch(r"(\w+)\s*\((.*)\)", statement.text)
        macro = rf"^[ \t]*#[ \t]*define[ \t]+{call.group(1)}\(([^()]*)\)((?:\\\n|[^\n])*)" if call else ""
        defined = re.search(macro, self.text, re.MULTILINE) if call else None
        if call is None or defined is None or re.search(r"\b(?:mem(?:set|cpy)|fill|for)\b|\]\s*=", defined.group(2)):
            return [statement]  # or it writes to what it allocates
        body, names = defined.group(2).replace("\\\n", " "), split(defined.group(1))
        if not all(map(str.isidentifier, names)):
            return [statement]
        for name, given in zip(names, split(call.group(2))):
            plain = re.fullmatch(r"[\w.>\[\]-]+", given) is not None
            body = re.sub(rf"(?:(?<=\*)\(\s*{name}\s*\)|\(\s*{name}\s*\)(?=\s*=))", name, body) if plain else body
            body = re.sub(rf"\b{name}\b", lambda _, text=given: text, body)
        return [replace(statement, text=" ".join(each.split())) for each in re.split(r"[;{}]", body) if each.strip()]

    def rest_of_if(self, statement: Statement) -> Statement:
        """The whole of an if statement of which only the head was found: with its block."""
        end = statement.end
        if self.code[end] == "{":
            end = matching(self.code, end)
        return self._statement(statement.start, end)

    def enclosing(self, statement: Statement) -> tuple[Statement, int] | None:
        """The head of the block around a statement, and the last line of that block."""
        depth = 0
        for border in sorted((b for b in self._borders if b < statement.start), reverse=True):
            depth += {"}": 1, "{": -1, ";": 0}[self.code[border]]
            if depth < 0:
                start = max((b + 1 for b in self._borders if b < border), default=0)
                end = matching(self.code, border)
                return self._statement(start, border), self.code.count("\n", 0, end) + 1
        return None

    def following(self, statement: Statement) -> Statement | None:
        """The next statement; of one with a block, the whole."""
        end = next((border for border in self._borders if border > statement.end), None)
        if end is None or not self.code[statement.end + 1 : end].strip():
            return None
        return self.rest_of_if(self._statement(statement.end + 1, end))

    def _position(self, line: int) -> int:
        position = 0
        for _ in range(line - 1):
            position = self.text.find("\n", position) + 1
            if position == 0:
                return len(self.text)
        return position

    def _statement(self, start: int, end: int) -> Statement:
        while start < end and self.code[start].isspace():
            start += 1
        first, last = (self.code.count("\n", 0, at) + 1 for at in (start, end))
        return Statement(self._uncommented(start, end), first, last, start, end)

    def _uncommented(self, start: int, end: int) -> str:
        """The text with its literals, but without comments, on one line."""
        text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", self.text[start:end], flags=re.DOTALL)
        text = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", " ", text, flags=re.MULTILINE)
        return " ".join(text.split())


@dataclass(frozen=True)
class Place:
    """A statement in the text of a file."""

    text: CText
    statement: Statement
    file: str
    line: int  # that was recorded

    @property
    def indent(self) -> str:
        line = self.text.text.split("\n")[self.statement.first - 1]
        return line[: len(line) - len(line.lstrip())]


def _borders(code: str) -> list[int]:
    """Where statements end: at ; { } outside of parentheses and of initialisers in braces."""
    borders: list[int] = []
    depth, before, inner = 0, "", 0
    for at, char in enumerate(code):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth = max(0, depth - 1)
        elif char == "{" and before and (inner or _is_value(code, borders, at, before)):
            inner += 1
        elif char == "}" and inner:
            inner -= 1
        elif char in ";{}" and depth == 0 and not inner:
            borders.append(at)
        if not char.isspace():
            before = char
    return borders


_PURE = (
    r"(?:sizeof|alignof|\w+_t|int|long|unsigned|double|\w+_cast|max|min|abs|ceil|floor|pow|sqrt|strlen|ato[il]|sto\w+)"
)
# Methods that tell how much there is, by their usual names.
_SIZE = (
    r"(?i:(?:get_?)?(?:(?:local|global|max|total)_?)?(?:size|length|count|rows|cols|columns|extent|width|height|depth)"
    r"|(?:get_?)?num(?:ber)?_?\w*|n|n[xyz]|nnz|n_?(?:rows|cols|cells|nodes|points|elements)"
    r"|dims?|dimensions?|capacity|at|front|back|c_str)"
)


def once_only(expression: str) -> bool:
    """True if the expression may change something, or read input: it counts, assigns or calls what is not known."""
    function = rf"(?<![\w.])(?<!->)(?:std::)?(?!{_PURE}\b)[a-z_]\w*\s*(?:<[\w\s:]+>\s*)?\("
    method = rf"(?:\.|->)\s*(?!{_SIZE}\b)[A-Za-z_]\w*\s*(?:<[\w\s:]+>\s*)?\("
    return re.search(rf"\+\+|--|(?<![=!<>])=(?!=)|{function}|{method}", expression) is not None


def operand(expression: str) -> str:
    """In parentheses, if it has an operator outside of brackets that binds no tighter than a comparison."""
    rest, bare = expression, ""
    while rest != bare:
        rest, bare = re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|(?<=\w)<[\w\s:,*]+>(?=\s*$|\()", "", rest), rest
    return f"({expression})" if re.search(r"[?|&^<>=,]", re.sub(r"->|<<|>>", "", rest)) else expression


def _is_value(code: str, borders: list[int], at: int, before: str) -> bool:
    """A brace that begins no block. That of a function which returns a pointer to an array does: T (*f(...))[N] {."""
    head = code[borders[-1] + 1 if borders else 0 : at]
    if re.fullmatch(r"[\w\s]*\(\s*\*\s*\w+\s*\([^(){}=;]*\)\s*\)\s*(?:\[[^\[\]]*\]\s*)+", head):
        return False
    returned = re.search(r"\breturn\s*(?:\([\w\s]+\)\s*)?$", head) is not None
    return before in "=]," or returned or _initialises(head)


_TYPE = r"(?:[\w:]+|[\w:]+\s*<[^;{}()]*>)[\s*&]+"
_NO_VARIABLE = r"\b(?:struct|class|union|enum|namespace|extern|concept|else|do|try|export|module)\b"


def _initialises(before: str) -> bool:
    """A brace behind the name of a variable, or of a member in the initialiser list of a constructor."""
    if re.fullmatch(rf"\s*(?:{_TYPE})+\w+\s*", before) and not re.search(_NO_VARIABLE, before):
        return True
    return re.search(r"\)\s*(?:noexcept\s*)?:(?!:).*\b(?!do\b|else\b|try\b)\w+\s*$", before, re.DOTALL) is not None


def matching(text: str, at: int) -> int:
    """Position of the bracket that closes the one at this position; the text's end if none does."""
    opening = text[at]
    closing = {"(": ")", "[": "]", "{": "}", "<": ">"}[opening]
    depth = 0
    for position in range(at, len(text)):
        depth += (text[position] == opening) - (text[position] == closing)
        if depth == 0:
            return position
    return len(text) - 1


def split(text: str, separator: str = ",") -> list[str]:
    """At separators outside of brackets. An angle is a bracket where it stands at a name; others compare or shift."""
    parts, depth, angles, start = [], 0, 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "<" and re.match(r"\w<(?!<)", text[at - 1 : at + 2]):
            angles += 1
        elif char == ">" and angles and text[at - 1] != "-":
            angles -= 1
        if char == separator and depth == angles == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]
