# SPDX-License-Identifier: Apache-2.0
"""Code that places memory: a parallel loop that writes zeros, or a policy for its pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from numaprof.analysis.naming import positions
from numaprof.evidence.source_location import Site
from numaprof.fixes import edit
from numaprof.fixes.c_loops import Nest
from numaprof.fixes.c_text import operand
from numaprof.fixes.edit import Edit
from numaprof.fixes.find import is_fortran
from numaprof.fixes.memory import ANY, Memory
from numaprof.text.function_names import in_source

_STEP = "    "
_NUMA, _OPENMP = ("-lnuma",), ("-fopenmp",)
_MOVED = "// allocated above"


_BIND = "numa_tonode_memory((void *)part_first, part_end - part_first, part_node[{turn}]);"
# numa_tonode_memory leaves pages where they are.
_MOVE = """unsigned long node = 1UL << part_node[{turn}];
mbind((void *)part_first, part_end - part_first, MPOL_PREFERRED, &node, 64, MPOL_MF_MOVE);"""

Snippet = Callable[[Memory], list[Edit]]  # empty: not possible for this memory


def edits_of(memories: Iterable[Memory], snippet: Snippet) -> tuple[Edit, ...]:
    """The changes for all of them; empty if there is none for one."""
    edits = [_as_it_was(memory) if memory.kept else snippet(memory) for memory in _in_order(memories)]
    return tuple(dict.fromkeys(chain(*edits))) if all(edits) else ()


def printed(memories: Iterable[Memory], snippet: Snippet) -> tuple[str, ...]:
    """The code for all of them; empty if it is not possible for one."""
    return edit.printed(edits_of(memories, snippet))


def _in_order(memories: Iterable[Memory]) -> list[Memory]:
    """Those of one line as the line makes them: the first may begin what the last ends."""
    found = list(memories)
    lines = list(dict.fromkeys((memory.file, memory.first) for memory in found))
    return sorted(found, key=lambda memory: (lines.index((memory.file, memory.first)), memory.ordinal))


def _as_it_was(memory: Memory) -> list[Edit]:
    zeros = [_cleared(memory)] if memory.zeroed else []
    return [replace(_edit(memory, zeros, _needed(memory)[-1:] if zeros else (), ()), kept=True)]


def _cleared(memory: Memory) -> str:
    return memory.cleared or f"memset((void *){memory.pointer}, 0, {memory.size});"


def zeros_in_parallel(memory: Memory) -> list[Edit]:
    """Each thread of OpenMP writes zeros to its part first."""
    if memory.grown or memory.filled or (memory.unnumbered and not memory.divide_each):
        return []
    if memory.moved is not None:
        moved = memory.moved
        above = Edit(memory.file, moved.after + 1, moved.after, _shown(moved.lines, moved.indent), (), _OPENMP, True)
        if memory.divide_each:
            return list(chain(*map(zeros_in_parallel, moved.pieces)))
        return [above, replace(_instead(memory, ["! allocated above"]), fortran=True)]
    if memory.fortran:
        shown = _shown(_fortran_loop(memory), memory.indent)
        if memory.instead:
            shown = (memory.indent + memory.instead, *shown)
        first = memory.last + 1 if memory.instead is None else memory.first
        return [Edit(memory.file, first, memory.last, shown, (), _OPENMP, fortran=True)]
    if memory.nest is not None and not memory.divide_each:
        return _nest_in_parallel(memory, memory.nest)
    i = _free_name(memory, "i")
    count, zero, headers = memory.count, memory.zero_at(i), memory.headers
    if memory.row:
        pointer, row = memory.pointer, memory.row
        count, zero = f"({count}) / {row}", f"memset(&{pointer}[{i} * {row}], 0, {row} * sizeof *{pointer});"
        headers = (*headers, "string.h")
    loop = [_pragma(memory), f"for (size_t {i} = {memory.start}; {i} < {operand(count)}; {i}++)", _STEP + zero]
    return [_edit(memory, loop, tuple(dict.fromkeys(headers)), _OPENMP)]


def _pragma(memory: Memory) -> str:
    return f"#pragma omp parallel for schedule({memory.schedule})"


def _nest_in_parallel(memory: Memory, nest: Nest) -> list[Edit]:
    """The loops that allocate, divided; where they do more than that, the allocations move to loops of their own."""
    work = [nest.piece] if memory.writes else [nest.piece, f"memset({memory.pointer}, 0, {memory.size});"]
    needed = tuple(header for header in memory.headers if header != "string.h")
    headers = () if memory.writes else ("string.h", *needed)
    pragma = _pragma(memory)
    above = [pragma] if nest.alone else [pragma, *_braced(nest.head, [*nest.needs, *work])]
    divided = Edit(memory.file, nest.first, nest.first - 1, _shown(above, nest.indent), headers, _OPENMP)
    if nest.alone and memory.writes and memory.around is None:
        return [divided]
    inner = _braced(nest.own_head, work) if nest.alone else [_MOVED]
    if nest.alone and nest.first == memory.first:
        return [replace(_instead(memory, [pragma, *inner]), headers=headers, flags=_OPENMP)]
    return [divided, _instead(memory, inner)]


def _braced(head: str, lines: Sequence[str]) -> list[str]:
    return [f"{head} {{".strip(), *(_STEP + line for line in lines), "}"]


def _instead(memory: Memory, lines: Sequence[str]) -> Edit:
    shown = _shown(_within(memory, lines), memory.indent)
    return Edit(memory.file, memory.first, memory.last, shown, ordinal=memory.ordinal)


def _within(memory: Memory, lines: Sequence[str]) -> list[str]:
    """With what stands around loops of our own."""
    ahead, behind = memory.around or ((), ())
    return [*ahead, *lines, *behind]


def _shown(lines: Sequence[str], indent: str) -> tuple[str, ...]:
    return tuple(line if line.startswith("#") else indent + line for line in lines)


def interleaved(memory: Memory) -> list[Edit]:
    """Whole pages of it by turns on all nodes."""
    if not memory.size or memory.grown or memory.filled:
        return []
    call = "numa_interleave_memory((void *)page_first, page_end - page_first, numa_all_nodes_ptr);"
    return [_edit(memory, _on_pages(memory, [call]), ("numa.h", *_needed(memory)), _NUMA)]


def by_node(memory: Memory, nodes: Sequence[int]) -> list[Edit]:
    """Equal parts of it, each on its node: those that are known of this memory, else these."""
    nodes = memory.nodes or nodes
    if not memory.size or not nodes or (memory.unnumbered and not memory.divide_each):
        return []
    one_by_one = memory.nest is not None and not memory.divide_each
    if memory.small:
        return _by_turn(memory, memory.nest, nodes) if memory.nest is not None and one_by_one else []
    turn, table = ("part", tuple(nodes)) if memory.blocks or one_by_one else _by_turns(nodes)
    each = [f"static const int part_node[] = {{{', '.join(map(str, table))}}}; // the node that uses each part"]
    if memory.blocks:
        each.append(f"static size_t made; // of {memory.blocks} blocks, each of which is one part")
        scaled = "" if memory.blocks == len(nodes) else f" * {len(nodes)} / {memory.blocks}"
        turn = f"made++ % {memory.blocks}{scaled}"
    elif one_by_one and memory.nest is not None:
        turn = memory.nest.part(len(nodes))
    if memory.blocks or one_by_one:
        each.append(f"numa_tonode_memory((void *)page_first, page_end - page_first, part_node[{turn}]);")
    else:
        page, parts = memory.page_bytes, len(nodes)
        pages = f"(page_end - page_first) / {page}"
        each += [
            f"for (size_t part = 0; part < {parts}; part++) {{",
            f"{_STEP}size_t part_first = page_first + {pages} * part / {parts} * {page};",
            f"{_STEP}size_t part_end = page_first + {pages} * (part + 1) / {parts} * {page};",
            *(_STEP + line for line in (_MOVE if memory.grown else _BIND).format(turn=turn).split("\n")),
            "}",
        ]
    header = "numaif.h" if memory.grown else "numa.h"
    return [_edit(memory, _on_pages(memory, each), (header, *_needed(memory)), _NUMA)]


def _by_turn(memory: Memory, nest: Nest, nodes: Sequence[int]) -> list[Edit]:
    """The thread that makes small blocks, and writes to each first, asks for the node of each turn's user meanwhile."""
    each = [
        f"static const int part_node[] = {{{', '.join(map(str, nodes))}}}; // the node that uses each part",
        f"numa_set_preferred(part_node[{nest.part(len(nodes))}]);",
    ]
    inner = (
        [*each, nest.piece] if memory.writes else [*each, nest.piece, f"memset({memory.pointer}, 0, {memory.size});"]
    )
    headers = ("numa.h", *(header for header in memory.headers if header == "malloc.h"))
    headers = headers if memory.writes else (*headers, "string.h")
    loop, locally = _braced(nest.own_head, inner), "numa_set_localalloc();"
    if memory.around is not None:
        return [replace(_instead(memory, [*loop, locally]), headers=headers, flags=_NUMA)]
    made = _instead(memory, loop)
    after = Edit(memory.file, nest.last + 1, nest.last, _shown([locally], nest.indent))
    return [replace(made, headers=headers, flags=_NUMA), after]


def _by_turns(nodes: Sequence[int]) -> tuple[str, tuple[int, ...]]:
    """How a part finds its node in a table, and the table: once, where the nodes repeat."""
    for length in range(1, len(nodes)):
        if len(nodes) % length == 0 and list(nodes) == [*nodes[:length]] * (len(nodes) // length):
            return f"part % {length}", tuple(nodes[:length])
    return "part", tuple(nodes)


def huge_pages(memory: Memory, wanted: bool) -> list[Edit]:
    """Asks for huge pages, or for none, on the whole pages of it."""
    if not memory.size or memory.grown:
        return []
    advice = "MADV_HUGEPAGE" if wanted else "MADV_NOHUGEPAGE"
    call = f"madvise((void *)page_first, page_end - page_first, {advice});"
    return [_edit(memory, _on_pages(memory, [call]), ("sys/mman.h", *_needed(memory)), ())]


def _needed(memory: Memory) -> tuple[str, ...]:
    """Headers of what stands around a policy for pages."""
    mine = tuple(header for header in memory.headers if header == "malloc.h")
    return (*mine, "algorithm" if memory.cleared else "string.h") if memory.zeroed else mine


def _on_pages(memory: Memory, calls: list[str]) -> list[str]:
    """In a block of its own. mbind and madvise refuse addresses within a page; what is less than a page has one."""
    page = memory.page_bytes
    body = [
        f"size_t page_first = (size_t){memory.pointer} / {page} * {page};",
        f"size_t page_end = ((size_t){memory.pointer} + ({memory.size}) + {page - 1}) / {page} * {page};",
        *calls,
    ]
    if memory.zeroed:
        body.append(_cleared(memory))
    return _braced("", body)


def _fortran_loop(memory: Memory) -> list[str]:
    if memory.blocks:
        return _fortran_block(memory)
    return [
        "block",
        *(_STEP + line for line in memory.before),
        f"{_STEP}integer :: first_touch",
        f"{_STEP}!$omp parallel do schedule(static)",
        f"{_STEP}do first_touch = {memory.count}",
        f"{_STEP}{_STEP}{memory.zero_at('first_touch')}",
        f"{_STEP}end do",
        "end block",
    ]


def _fortran_block(memory: Memory) -> list[str]:
    """One of several blocks that are made here: the thread writes to it that a static schedule gives its turn."""
    zeros = f"{memory.pointer} = {memory.zero.partition(' = ')[2]}"
    return [
        "block",
        f"{_STEP}integer, save :: blocks_made = 0 ! of {memory.blocks}, each of which is one part",
        f"{_STEP}integer :: first_touch",
        f"{_STEP}!$omp parallel do schedule(static)",
        f"{_STEP}do first_touch = 0, {memory.blocks - 1}",
        f"{_STEP}{_STEP}if (first_touch == mod(blocks_made, {memory.blocks})) {zeros}",
        f"{_STEP}end do",
        f"{_STEP}blocks_made = blocks_made + 1",
        "end block",
    ]


def _edit(memory: Memory, lines: Sequence[str], headers: tuple[str, ...], flags: tuple[str, ...]) -> Edit:
    if memory.static:
        name = re.sub(r"\W", "", memory.pointer.replace("[0]", ""))
        head = [f"__attribute__((constructor)) static void place_{name}(void) // runs before main", "{"]
        lines = [*head, *(line if line.startswith("#") else _STEP + line for line in lines), "}"]
    lines = [*memory.before, *lines, *memory.after]
    first = memory.first if memory.before else memory.last + 1
    if memory.nest is not None:
        first = memory.first
        lines = _braced(memory.nest.own_head, lines if memory.writes else [memory.nest.piece, *lines])
    lines = _within(memory, lines)
    return Edit(memory.file, first, memory.last, _shown(lines, memory.indent), headers, flags, ordinal=memory.ordinal)


def _free_name(memory: Memory, name: str) -> str:
    """An index that the expressions of the program do not use."""
    used = set(re.findall(r"\w+", " ".join((memory.count, memory.size, memory.pointer))))
    return next(each for each in (name, "k", "n_touched", "touched_index") if each not in used)


def unplaced(
    snippet: Snippet, allocated: Sequence[Site], touched: Sequence[Site], grows: bool = False
) -> tuple[str, ...]:
    """For memory of which the text was not read: where to add it, and the code, in names to be replaced; C only.

    grows: the array reaches its size only when it is full.
    """
    if is_fortran((*allocated, *touched)):
        return ()
    sites = [site._replace(function=in_source(site.function or "") or None) for site in allocated or touched]
    at = positions(sites, most=len(sites))  # code at some of them only would leave the rest where it is
    where = f"after the allocation at {at}" if allocated else f"before {at}" if touched else "after the allocation"
    lines = {(site.file, site.line) for site in touched if site.line is not None}
    if allocated and lines.issuperset((site.file, site.line) for site in allocated):  # a macro, or one statement
        where = f"after the allocation and before the first write, both at {at}"
    edits = snippet(ANY)
    if grows:
        where = f"after the last write to it at {positions(touched)}" if touched else "after the last write to it"
    return edits[0].unplaced(where) if edits else ()
