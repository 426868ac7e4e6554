# SPDX-License-Identifier: Apache-2.0
"""Advice in the terms of the runtime that places the memory: a pragma or mbind is of no use to a JVM."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import replace

from numaprof.analysis.naming import command_to_copy, without_source
from numaprof.analysis.runtimes import Runtime, numa_flag, runtimes
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.source_location import Site
from numaprof.rules.advice import Advice, Kind
from numaprof.text.format import clean

_COMPILED = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".cu", ".f", ".f90", ".f95", ".f03", ".f08", ".for")


def in_own_terms(evidence: Evidence, advice: Advice) -> Advice:
    """The same advice; where a runtime allocates and the program's author has no C, C++ or Fortran line to change, what
    the runtime offers instead."""
    option = _option(evidence)
    if option is None and _is_pragma(advice) and _is_tbb_alone(evidence):
        return replace(advice, change=_BY_TBB, code=_TBB_LOOPS, removes=None)
    if option is None and without_source(evidence) and advice.kind is Kind.FIX and not _is_environment(advice):
        return replace(advice, change=_WITHOUT_SOURCE, code=_commands(evidence), remarked=(), removes=None)
    if option is None or not (advice.kind is Kind.FIX or _is_placed_before(advice)):
        return advice
    if any(_is_authors(evidence, site) for site in advice.touched_at):
        return advice
    change, code = option
    rest = advice.code if _is_placed_before(advice) else ()
    return replace(
        advice, change=change, code=(*code, *(line for line in rest if line not in code)), removes=None, expects=None
    )


_WITHOUT_SOURCE = "An installed program needs no edit: spread its memory over the nodes, or run it on one node:"


_BY_TBB = "Write to it first in a loop of TBB that is divided like that which uses it, both in an arena for each node:"
_TBB_LOOPS = (
    "for (auto node : tbb::info::numa_nodes()) arenas.emplace_back(tbb::task_arena::constraints{node});",
    "tbb::parallel_for(part_of_node, body, tbb::static_partitioner{}); // both loops, in the node's arena",
)
_OPENMP = re.compile(r"/lib(?:gomp|omp|iomp5)\.so")


def _is_pragma(advice: Advice) -> bool:
    return any("#pragma omp" in line for line in advice.code)


def _is_tbb_alone(evidence: Evidence) -> bool:
    """OpenMP would start threads of its own beside those of TBB."""
    has_tbb = any(found.runtime is Runtime.TBB for found in runtimes(evidence))
    return has_tbb and not any(_OPENMP.search(path) for path in evidence.code_files)


def _is_environment(advice: Advice) -> bool:
    """A variable of the environment before the command, as recycled has it: no edit."""
    return bool(advice.code) and all(re.match(r"[A-Z_]+=", line) for line in advice.code)


def _commands(evidence: Evidence) -> tuple[str, ...]:
    return _spread(evidence), _one_per_node(evidence)[0]


def _is_placed_before(advice: Advice) -> bool:
    return advice.kind is Kind.SETTING and "placed before numaprof attached" in advice.finding


def _is_authors(evidence: Evidence, site: Site) -> bool:
    """A line of C, C++ or Fortran beside or below the folder of the run: others are the runtime's or a library's."""
    home = os.path.dirname((evidence.run.cwd or "").rstrip("/"))
    file = site.file or ""
    return file.lower().endswith(_COMPILED) and len(home) > 1 and file.startswith(f"{home}/")


def _option(evidence: Evidence) -> tuple[str, tuple[str, ...]] | None:
    """The option of the first runtime that allocates."""
    for found in runtimes(evidence):
        if found.runtime.allocates_itself or found.runtime in _OTHERS:
            return _OPTIONS[found.runtime](evidence)
    return None


def _one_per_node(evidence: Evidence, before: str = "") -> tuple[str, ...]:
    command = command_to_copy(evidence)
    nodes = evidence.machine.all_cpu_nodes[:4]
    return tuple(f"{before}numactl --cpunodebind={node} --membind={node} {command}" for node in nodes)


def _spread(evidence: Evidence) -> str:
    return f"numactl --interleave=all {command_to_copy(evidence)}"


def _jvm(evidence: Evidence) -> tuple[str, tuple[str, ...]]:
    if numa_flag(evidence):
        return (
            "The JVM places its heap by node already (-XX:+UseNUMA). What stays remote is shared between nodes: run "
            "one JVM on each node, or spread the heap:",
            (*_one_per_node(evidence), _spread(evidence)),
        )
    flagged = _flagged(evidence, "java", "-XX:+UseNUMA")
    if flagged is None:
        flagged = f"JAVA_TOOL_OPTIONS=-XX:+UseNUMA {command_to_copy(evidence)}"
    return (
        "Let the JVM place each thread's new objects on the thread's node (Parallel, and G1 since JDK 14), or spread "
        "the heap:",
        (flagged, _spread(evidence)),
    )


def _flagged(evidence: Evidence, program: str, option: str) -> str | None:
    """The command with an option more, if it runs this program."""
    words = list(evidence.command)
    if not words or os.path.basename(words[0]) != program:
        return None
    words.insert(1, option)
    return clean(" ".join(map(shlex.quote, words)), 160)


def _go(evidence: Evidence) -> tuple[str, tuple[str, ...]]:
    cpus = max((len(evidence.machine.cpus_of(node)) for node in evidence.machine.all_cpu_nodes), default=1)
    return (
        "Go's scheduler and heap ignore nodes: run one process on each node with as many Ps as it has CPUs, or spread "
        "the heap:",
        (*_one_per_node(evidence, f"GOMAXPROCS={cpus} "), _spread(evidence)),
    )


def _python(evidence: Evidence) -> tuple[str, tuple[str, ...]]:
    if any(found.runtime is Runtime.PYTORCH for found in runtimes(evidence)):
        return (
            "Bind each process of the job to a node, with its threads and memory, or spread the memory:",
            ("torchrun --numa-binding=node --nproc-per-node=N SCRIPT", _spread(evidence)),
        )
    return (
        "Arrays are placed by the thread that first writes to them (np.zeros: at the first use): run one process on "
        "each node, write first in the workers that use the data, or spread the memory:",
        (*_one_per_node(evidence), _spread(evidence)),
    )


def _julia(evidence: Evidence) -> tuple[str, tuple[str, ...]]:
    return (
        "Pin Julia's threads, and first write to each array in a loop of the same static schedule as that which uses "
        "it, or spread the memory:",
        ("using ThreadPinning; pinthreads(:numa)", "Threads.@threads :static for i in eachindex(a)", _spread(evidence)),
    )


def _node(evidence: Evidence) -> tuple[str, tuple[str, ...]]:
    return (
        "V8 ignores nodes: run one process on each node, or spread the heap:",
        (*_one_per_node(evidence), _spread(evidence)),
    )


def _rust(evidence: Evidence) -> tuple[str, tuple[str, ...]]:
    pools = ""
    if any(function.startswith("rayon_core::") for function in evidence.runtime_functions):
        pools = ". Rayon steals work across nodes: give each node a thread pool of its own"
    return f"Write to it first in the threads that use it, divided alike{pools}, or spread the memory:", (
        _spread(evidence),
    )


def _postgresql(evidence: Evidence) -> tuple[str, tuple[str, ...]]:
    return (
        "Every backend reads all of the shared buffers: spread them over the nodes when the server starts:",
        (_spread(evidence),),
    )


def _mysql(evidence: Evidence) -> tuple[str, tuple[str, ...]]:
    option = "--innodb-numa-interleave=ON"
    return (
        "Every connection reads all of the buffer pool: spread it over the nodes when the server starts:",
        (_flagged(evidence, "mysqld", option) or f"mysqld {option}",),
    )


def _mariadb(evidence: Evidence) -> tuple[str, tuple[str, ...]]:
    return _mysql(evidence)[0], (_spread(evidence),)  # it has no such option any more


_OPTIONS = {
    Runtime.JVM: _jvm,
    Runtime.GO: _go,
    Runtime.JULIA: _julia,
    Runtime.NODE: _node,
    Runtime.PYTHON: _python,
    Runtime.RUST: _rust,
    Runtime.POSTGRESQL: _postgresql,
    Runtime.MYSQL: _mysql,
    Runtime.MARIADB: _mariadb,
}
# They do not allocate for others' code, and have terms of their own.
_OTHERS = (Runtime.RUST, Runtime.POSTGRESQL, Runtime.MYSQL, Runtime.MARIADB)
