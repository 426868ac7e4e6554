# SPDX-License-Identifier: Apache-2.0
"""Source files and their syntax trees."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from numaprof.source.request import Line, suffix
from numaprof.text.regular_file import open_regular
from numaprof.text.source_lines import MOST_BYTES, changed_since, found

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query

INSTALL = "pip install 'numaprof[source]'"
_KEPT_BYTES = 400  # of each line that the recording keeps
_LANGUAGES = {
    "c": (".c",),
    "cpp": (".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp"),
    "fortran": (".f90", ".f95", ".f03", ".f08"),
}
_PRAGMA = re.compile(rb"^[ \t]*#[ \t]*pragma\b(?:\\\r?\n|[^\r\n])*", re.MULTILINE)
_STARS = re.compile(rb"\bnew\s+[\w:]+\s*(\*[*\s]*)\[")
_QUERIES = os.path.join(os.path.dirname(__file__), "queries")


class Unreadable(Exception):
    """Why no code can be made from a file, in a few words."""


@dataclass(frozen=True)
class Source:
    """One file and its tree."""

    file: str
    path: str
    data: bytes
    language: str
    root: Node
    pragmas: tuple[tuple[int, int], ...] = ()  # offsets of directives that are blank in the tree

    def above(self, node: Node) -> list[tuple[int, int]]:
        """The pragmas in front of a statement, the nearest first: nothing but comments stand between."""
        found: list[tuple[int, int]] = []
        start = node.start_byte
        while (before := max((each for each in self.pragmas if each[1] <= start), default=None)) is not None:
            comments = [each for each in self._comments(before[1], start) if each.type == "comment"]
            text = self.data[before[1] : start]
            for comment in comments:
                text = text.replace(self.data[comment.start_byte : comment.end_byte], b"")
            if text.strip():
                break
            found.append(before)
            start = before[0]
        return found

    def _comments(self, start: int, end: int) -> list[Node]:
        """The comments between two offsets."""
        from tree_sitter import QueryCursor  # noqa: PLC0415

        cursor = QueryCursor(_query(self.language, "comment"))
        cursor.set_byte_range(start, end)
        return cursor.captures(self.root).get("comment", [])

    def text(self, node: Node) -> str:
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> str:
        return self.data[start:end].decode("utf-8", "surrogateescape")

    def line_start(self, at: int) -> int:
        return self.data.rfind(b"\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Offset of the line end, before a carriage return."""
        end = self.data.find(b"\n", at)
        end = len(self.data) if end < 0 else end
        return end - 1 if end > at and self.data[end - 1 : end] == b"\r" else end

    def indent(self, at: int) -> str:
        line = self.between(self.line_start(at), self.line_end(at))
        return line[: len(line) - len(line.lstrip())]

    @property
    def eol(self) -> str:
        return "\r\n" if b"\r\n" in self.data else "\n"

    @property
    def step(self) -> str:
        """One level of indentation, as most lines of the file have it."""
        for function in self.matches("function"):
            body = function.child_by_field_name("body")
            inside = body.named_children[:1] if body is not None else function.named_children[1:2]
            outer = self.indent(function.start_byte)
            for indent in (self.indent(node.start_byte) for node in inside):
                if indent.startswith(outer) and indent != outer:
                    return indent[len(outer) :]
        return "    "

    def free(self, name: str) -> str:
        """A name that the file does not use."""
        while re.search(rb"\b%s\b" % name.encode(), self.data):
            name += "_"
        return name

    def matches(self, name: str, node: Node | None = None) -> list[Node]:
        """The nodes that the query of this name captures as its own name, in the order of the text."""
        from tree_sitter import QueryCursor  # noqa: PLC0415 (an extra: reports work without)

        captured = QueryCursor(_query(self.language, name)).captures(node or self.root).get(name, [])
        return sorted(captured, key=lambda each: (each.start_byte, -each.end_byte))

    def at(self, line: int) -> list[Node]:
        """The innermost nodes that a query calls statements, on this line."""
        row = line - 1
        inside = [each for each in self.matches("statement") if each.start_point[0] <= row <= each.end_point[0]]
        return [each for each in inside if not any(contains(each, other) for other in inside if other != each)]

    def around(self, node: Node, query: str) -> list[Node]:
        """The nodes of a query that hold the node, the innermost first."""
        return [each for each in reversed(self.matches(query)) if contains(each, node)]


def contains(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte and outer != inner


def errors(node: Node) -> Iterator[Node]:
    """What the grammar could not read, the outermost nodes of it."""
    if node.is_error or node.is_missing:
        yield node
    elif node.has_error:
        for child in node.children:
            yield from errors(child)


@cache
def _language(name: str) -> Language:
    try:
        import tree_sitter  # noqa: PLC0415 (an extra: reports work without)

        module = __import__(f"tree_sitter_{name}")
    except ImportError:
        raise Unreadable(f"the source cannot be parsed: {INSTALL}") from None
    return tree_sitter.Language(module.language())


@cache
def _query(language: str, name: str) -> Query:
    """C++ has what C has, and more."""
    from tree_sitter import Query  # noqa: PLC0415

    texts = []
    for each in ("c", "cpp") if language == "cpp" else (language,):
        path = os.path.join(_QUERIES, f"{each}-{name}.scm")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
    return Query(_language(language), "\n".join(texts))


@dataclass
class Sources:
    """The program's source files, as far as they are what the program was made of."""

    cwd: str | None = None
    started_at: str = ""
    kept: Mapping[str, Mapping[int, str]] = field(default_factory=dict)  # lines of the recording, by file
    _read: dict[str, Source | Unreadable] = field(default_factory=dict)

    def get(self, file: str) -> Source:
        """Unreadable: says why."""
        if file not in self._read:
            try:
                self._read[file] = self._parsed(file)
            except Unreadable as why:
                self._read[file] = why
        source = self._read[file]
        if isinstance(source, Unreadable):
            raise source
        return source

    def at(self, line: Line) -> tuple[Source, list[Node]]:
        """The innermost statements on a line; Unreadable: none, or what is around them is not understood."""
        source = self.get(line.file)
        nodes = source.at(line.line)
        if not nodes:
            raise Unreadable(f"no statement is at {os.path.basename(line.file)}:{line.line}")
        return source, nodes

    def _parsed(self, file: str) -> Source:
        name = os.path.basename(file)
        language = next((each for each, suffixes in _LANGUAGES.items() if suffix(file) in suffixes), None)
        if language is None:
            raise Unreadable(f"{name} is not C, C++ or free-form Fortran")
        path = found(file, self.cwd)
        if path is None:
            raise Unreadable(f"{name} cannot be read here")
        data = _bytes(path)
        lines = data.split(b"\n")
        kept = self.kept.get(file, {})
        if any(not _same(lines[at - 1] if at <= len(lines) else b"", text) for at, text in kept.items()):
            raise Unreadable(f"{name} has changed since the recording")
        if not kept and self.started_at and changed_since(path, self.started_at):
            raise Unreadable(f"{name} was written to after the recording began, which keeps no line of it")
        from tree_sitter import Parser  # noqa: PLC0415

        # A pragma between the head of a loop and its body is an error to the grammars, and so is `new T *[n]`.
        pragmas = [found.span() for found in _PRAGMA.finditer(data)] if language != "fortran" else []
        stars = [found.span(1) for found in _STARS.finditer(data)] if language == "cpp" else []
        blank = bytearray(data)
        for start, end in (*pragmas, *stars):
            blank[start:end] = bytes(each if each in b"\r\n" else 32 for each in data[start:end])
        root = Parser(_language(language)).parse(bytes(blank)).root_node
        return Source(file, path, data, language, root, tuple(pragmas))


def _bytes(path: str) -> bytes:
    try:
        with open_regular(path, os.O_NOFOLLOW) as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError):
        data = b""
    if not data or len(data) > MOST_BYTES:
        raise Unreadable(f"{os.path.basename(path)} is {'too large' if data else 'empty or cannot be read'}")
    return data


def _same(line: bytes, kept: str) -> bool:
    """The recording cuts lines, and may not keep bytes that are no UTF-8."""
    text = line.split(b"\r")[0][:_KEPT_BYTES].decode("ascii", "ignore")
    return text == kept.encode("ascii", "ignore").decode()[:_KEPT_BYTES]
