# SPDX-License-Identifier: Apache-2.0
"""Text that places memory in C and C++, in the style of the file that gets it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from numaprof.source.files import Source, Unreadable
from numaprof.source.request import Edit

if TYPE_CHECKING:
    from tree_sitter import Node

PAGE = 4096  # the smallest page: a step of this size misses none of larger ones

_MOVE = """// Moves the whole pages of a part to the node of the thread that calls.
static void {name}(const void *first, const void *last)
{
    const uintptr_t page = sysconf(_SC_PAGESIZE);
    const uintptr_t begin = (uintptr_t)first / page * page, end = (uintptr_t)last / page * page;
    unsigned long node = 1UL << numa_node_of_cpu(sched_getcpu());
    if (begin < end)
        mbind((void *)begin, end - begin, MPOL_PREFERRED, &node, 8 * sizeof node, MPOL_MF_MOVE);
}
"""
_SPREAD = """// Spreads the pages of a block over all nodes.
static void {name}(const void *block, size_t size)
{
    const uintptr_t page = sysconf(_SC_PAGESIZE), begin = (uintptr_t)block / page * page;
    struct bitmask *nodes = numa_all_nodes_ptr;
    mbind((void *)begin, (uintptr_t)block + size - begin, MPOL_INTERLEAVE, nodes->maskp, nodes->size + 1, MPOL_MF_MOVE);
}
"""
_SMALL = """// Takes small pages for a block.
static void {name}(const void *block, size_t size)
{
    const uintptr_t page = sysconf(_SC_PAGESIZE), begin = (uintptr_t)block / page * page;
    madvise((void *)begin, (uintptr_t)block + size - begin, MADV_NOHUGEPAGE);
}
"""
_HELPERS = {
    "take_small_pages": (_SMALL, ("stdint.h", "sys/mman.h", "unistd.h")),
    "move_here": (_MOVE, ("numa.h", "numaif.h", "sched.h", "stdint.h", "unistd.h")),
    "spread_over_nodes": (_SPREAD, ("numa.h", "numaif.h", "stdint.h", "unistd.h")),
}


@dataclass
class Editor:
    """Edits of one file."""

    source: Source
    edits: list[Edit] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)

    def _insert(self, at: int, text: str) -> None:
        new = text.replace("\n", self.source.eol).encode("utf-8", "surrogateescape")
        self.edits.append(Edit(self.source.file, self.source.path, at, b"", new))

    def before(self, node: Node, lines: Iterable[str]) -> None:
        """Lines above the one on which a statement, or the directive for it, begins."""
        start = self.source.line_start(node.start_byte)
        if self.source.between(start, node.start_byte).strip():
            raise Unreadable("other code stands before the statement on its line")
        indent = self.source.indent(node.start_byte)
        start = min([start, *(first for first, _ in self.source.above(node))])
        self._insert(start, self._text(lines, indent))

    def after(self, node: Node, lines: Sequence[str]) -> None:
        """Lines below a statement; the statement gets braces where it has none, and its line ends behind it."""
        source, parent = self.source, node.parent
        if parent is not None and parent.type in ("else_clause", *_UNBRACED):
            self._braced(node, lines)
            return
        end, line_end = node.end_byte, source.line_end(node.end_byte)
        rest, indent = source.between(end, line_end), source.indent(node.start_byte)
        if rest.strip() and not rest.strip().startswith(("//", "/*", "!")):
            self._insert(end, f"\n{self._text(lines, indent)}{indent}")
            skipped = len(rest) - len(rest.lstrip())
            old = source.data[end : end + skipped]
            if old:
                self.edits[-1] = self.edits[-1]._replace(old=old)
        elif line_end == len(source.data):
            self._insert(line_end, "\n" + self._text(lines, indent))
        else:
            following = source.data.find(b"\n", line_end) + 1
            self._insert(following, self._text(lines, indent))

    def _braced(self, node: Node, lines: Sequence[str]) -> None:
        source = self.source
        indent = source.indent(node.start_byte)
        outer = source.indent(node.parent.start_byte) if node.parent is not None else indent
        before = source.data[: node.start_byte].rstrip()
        at, closing = len(before), source.line_end(node.end_byte)
        rest = source.between(node.end_byte, closing).strip()
        if rest and not rest.startswith("//"):
            raise Unreadable("other code stands behind the statement on its line")
        self._insert(at, " {" if source.data[at : at + 1].isspace() else " { ")
        self._insert(closing, f"\n{self._text(lines, indent)}{outer}}}")

    def begin(self, function: Node, lines: Sequence[str]) -> None:
        """Lines at the begin of a function."""
        body = function.child_by_field_name("body")
        if body is None or body.type != "compound_statement":
            raise Unreadable("the function has no body that is understood")
        inside, outer = body.named_children, self.source.indent(function.start_byte)
        if body.start_point[0] in (body.end_point[0], *(each.start_point[0] for each in inside[:1])):
            indent = outer + self.source.step
            rest = indent if inside else outer
            self._insert(body.start_byte + 1, f"\n{self._text(lines, indent)}{rest}")
            end = inside[0].start_byte if inside else body.end_byte - 1
            self.edits[-1] = self.edits[-1]._replace(old=self.source.data[body.start_byte + 1 : end])
            return
        indent = self.source.indent(inside[0].start_byte) if inside else outer + self.source.step
        self._insert(self.source.data.find(b"\n", body.start_byte) + 1, self._text(lines, indent))

    def _text(self, lines: Iterable[str], indent: str) -> str:
        step, shown = self.source.step, []
        for line in lines:
            deeper = (len(line) - len(line.lstrip(" "))) // 4
            own = "" if line.startswith("#") and self._flush else indent
            shown.append(own + step * deeper + line.lstrip(" ") if line else "")
        return "".join(f"{line}\n" for line in shown)

    @property
    def _flush(self) -> bool:
        """True if directives of the file begin their lines though code beside them does not."""
        return b"\n#pragma" in self.source.data or b"#pragma" not in self.source.data

    def helper(self, name: str) -> str:
        """A function of ours above the first of the file; its name."""
        text, headers = _HELPERS[name]
        name = self.source.free(name)
        top = next((node for node in self.source.root.named_children if self.source.matches("function", node)), None)
        if top is None:
            raise Unreadable("the file has no function")
        above = top.prev_sibling
        while above is not None and above.type == "comment" and above.end_point[0] + 1 == top.start_point[0]:
            top, above = above, above.prev_sibling
        shown = text.replace("{name}", name).replace("    ", self.source.step)
        for header in headers:  # first, as they may belong to the same line
            self.include(header)
        self._insert(self.source.line_start(top.start_byte), shown + "\n")
        if "numa.h" in headers:
            self.flag("-lnuma")
        if self.source.language == "c" and b"_GNU_SOURCE" not in self.source.data:
            self.flag("-D_GNU_SOURCE")
        return name

    def cut(self, start: int, end: int) -> None:
        self.edits.append(Edit(self.source.file, self.source.path, start, self.source.data[start:end], b""))

    def flag(self, flag: str) -> None:
        if flag not in self.flags:
            self.flags.append(flag)

    def include(self, header: str) -> None:
        source = self.source
        if f"<{header}>".encode() in source.data:
            return
        includes = [node for node in source.root.named_children if node.type == "preproc_include"]
        if includes:
            at = source.line_end(includes[-1].start_byte)
            at = source.data.find(b"\n", at) + 1 or len(source.data)
        else:
            first = next((node for node in source.root.named_children if node.type != "comment"), source.root)
            at = source.line_start(first.start_byte)
        self._insert(at, f"#include <{header}>\n")


_UNBRACED = ("if_statement", "for_statement", "while_statement", "do_statement", "for_range_loop")


def pragma(schedule: str, private: Sequence[str] = ()) -> str:
    also = f" private({', '.join(private)})" if private else ""
    return f"#pragma omp parallel for schedule({schedule}){also}"


def touching(pointer: str, size: str, schedule: str, variable: str) -> list[str]:
    """Writes to each page: nothing reads what it overwrites, as the memory is fresh."""
    return [
        pragma(schedule),
        f"for (size_t {variable} = 0; {variable} < {size}; {variable} += {PAGE}) // the first write places a page",
        f"    ((char *){pointer})[{variable}] = 0;",
    ]


def rows(pointer: str, size: str, schedule: str, variable: str, row: str) -> list[str]:
    """The same by rows, which the schedule deals out in chunks."""
    return [
        pragma(schedule),
        f"for (size_t {variable} = 0; {variable} < {size}; {variable} += {row}) // as the rows are dealt out later",
        f"    memset((char *){pointer} + {variable}, 0, {row});",
    ]


def moving(helper: str, pointer: str, size: str, free: Callable[[str], str]) -> list[str]:
    """Each thread of a team moves its part."""
    part, parts, bytes_ = map(free, ("part", "parts", "bytes"))
    first, end = (f"(char *){pointer} + {bytes_} * {number} / {parts}" for number in (part, f"({part} + 1)"))
    return [
        "#pragma omp parallel",
        "{",
        f"    const size_t {part} = omp_get_thread_num(), {parts} = omp_get_num_threads(), {bytes_} = {size};",
        f"    {helper}({first}, {end});",
        "}",
    ]
