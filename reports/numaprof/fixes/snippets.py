# SPDX-License-Identifier: Apache-2.0
"""Code that places memory: a parallel loop that writes zeros, or a policy for its pages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from numaprof.fixes.edit import Edit
from numaprof.fixes.memory import Memory

_STEP = "    "
_NUMA = ("-lnuma",)


def zeros_in_parallel(memory: Memory) -> Edit:
    """Each thread of OpenMP writes zeros to its part first."""
    if memory.fortran:
        return _edit(memory, _fortran_loop(memory), (), ("-fopenmp",))
    i = _free_name(memory, "i")
    if memory.loop is not None:
        body = [memory.piece, f"memset({memory.pointer}, 0, {memory.size});"]
        lines = [
            "#pragma omp parallel for schedule(static)",
            f"{memory.loop} {{",
            *(_STEP + line for line in body),
            "}",
        ]
        return _edit(memory, lines, ("string.h",), ("-fopenmp",))
    loop = [
        "#pragma omp parallel for schedule(static)",
        f"for (size_t {i} = {memory.start}; {i} < {memory.count}; {i}++)",
        _STEP + memory.zero.format(i=i),
    ]
    return _edit(memory, loop, memory.headers, ("-fopenmp",))


def interleaved(memory: Memory) -> Edit | None:
    """Whole pages of it by turns on all nodes."""
    if memory.fortran:
        return None
    call = "numa_interleave_memory((void *)page_first, page_end - page_first, numa_all_nodes_ptr);"
    return _edit(memory, _on_pages(memory, [call]), ("numa.h", *_usable(memory)), _NUMA)


def by_node(memory: Memory, nodes: Sequence[int]) -> Edit | None:
    """Equal parts of it, each on its node."""
    if memory.fortran:
        return None
    names = ", ".join(map(str, nodes))
    each = [
        f"static const int part_node[] = {{{names}}}; // the node that uses each part",
        f"for (size_t part = 0; part < {len(nodes)}; part++) {{",
        f"{_STEP}size_t part_first = page_first + (page_end - page_first) / 4096 * part / {len(nodes)} * 4096;",
        f"{_STEP}size_t part_end = page_first + (page_end - page_first) / 4096 * (part + 1) / {len(nodes)} * 4096;",
        f"{_STEP}numa_tonode_memory((void *)part_first, part_end - part_first, part_node[part]);",
        "}",
    ]
    return _edit(memory, _on_pages(memory, each), ("numa.h", *_usable(memory)), _NUMA)


def huge_pages(memory: Memory, wanted: bool) -> Edit | None:
    """Asks for huge pages, or for none, on the whole pages of it."""
    if memory.fortran:
        return None
    advice = "MADV_HUGEPAGE" if wanted else "MADV_NOHUGEPAGE"
    call = f"madvise((void *)page_first, page_end - page_first, {advice});"
    return _edit(memory, _on_pages(memory, [call]), ("sys/mman.h", *_usable(memory)), ())


def _usable(memory: Memory) -> tuple[str, ...]:
    return tuple(header for header in memory.headers if header == "malloc.h")


def _on_pages(memory: Memory, calls: list[str]) -> list[str]:
    """In a block of its own. mbind and madvise refuse addresses within a page."""
    body = [
        f"size_t page_first = ((size_t){memory.pointer} + 4095) / 4096 * 4096;",
        f"size_t page_end = ((size_t){memory.pointer} + ({memory.size})) / 4096 * 4096;",
        *calls,
    ]
    head = "{" if memory.loop is None else f"{memory.loop} {{"
    return [head, *(_STEP + line for line in ([memory.piece, *body] if memory.piece else body)), "}"]


def _fortran_loop(memory: Memory) -> list[str]:
    return [
        "block",
        f"{_STEP}integer :: first_touch",
        f"{_STEP}!$omp parallel do schedule(static)",
        f"{_STEP}do first_touch = {memory.count}",
        f"{_STEP}{_STEP}{memory.zero.format(i='first_touch')}",
        f"{_STEP}end do",
        "end block",
    ]


def _edit(memory: Memory, lines: Sequence[str], headers: tuple[str, ...], flags: tuple[str, ...]) -> Edit:
    if memory.static:
        name = re.sub(r"\W", "", memory.pointer.replace("[0]", ""))
        head = [f"__attribute__((constructor)) static void place_{name}(void) // runs before main", "{"]
        lines = [*head, *(line if line.startswith("#") else _STEP + line for line in lines), "}"]
    lines = [*memory.before, *lines, *memory.after]
    first = memory.first if memory.before or memory.piece else memory.last + 1
    shown = tuple(line if line.startswith("#") else memory.indent + line for line in lines)
    return Edit(memory.file, first, memory.last, shown, headers, flags, memory.fortran)


def _free_name(memory: Memory, name: str) -> str:
    """An index that the expressions of the program do not use."""
    used = set(re.findall(r"\w+", " ".join((memory.count, memory.size, memory.pointer))))
    return next(each for each in (name, "k", "n_touched", "touched_index") if each not in used)
