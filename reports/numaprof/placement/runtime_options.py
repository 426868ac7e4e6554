# SPDX-License-Identifier: Apache-2.0
"""What runtimes offer where they, and not a line of the program's source, decide who touches memory first."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence

from numaprof.analysis.naming import command_to_copy
from numaprof.analysis.runtimes import Runtime, numa_flag, runtimes
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.source_location import Site
from numaprof.text.format import clean

Option = tuple[str, tuple[str, ...]]  # what to do, and the commands or lines

_COMPILED = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".cu", ".f", ".f90", ".f95", ".f03", ".f08", ".for")


def option_of_runtime(evidence: Evidence, sites: Sequence[Site]) -> Option | None:
    """Of the first runtime that has one; None: the program's author has a line of C, C++ or Fortran to change."""
    if any(_is_authors(evidence, site) for site in sites):
        return None
    options = (_OPTIONS[found.runtime](evidence) for found in runtimes(evidence) if found.runtime in _OPTIONS)
    return next(options, None)


def _is_authors(evidence: Evidence, site: Site) -> bool:
    """A line of C, C++ or Fortran beside or below the folder of the run: others are the runtime's or a library's."""
    home = os.path.dirname((evidence.run.cwd or "").rstrip("/"))
    file = site.file or ""
    return file.lower().endswith(_COMPILED) and len(home) > 1 and file.startswith(f"{home}/")


def _one_per_node(evidence: Evidence, before: str = "") -> tuple[str, ...]:
    command = command_to_copy(evidence)
    nodes = evidence.machine.all_cpu_nodes[:4]
    return tuple(f"{before}numactl --cpunodebind={node} --membind={node} {command}" for node in nodes)


def _spread(evidence: Evidence) -> str:
    return f"numactl --interleave=all {command_to_copy(evidence)}"


def _jvm(evidence: Evidence) -> Option:
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


def _go(evidence: Evidence) -> Option:
    cpus = max((len(evidence.machine.cpus_of(node)) for node in evidence.machine.all_cpu_nodes), default=1)
    return (
        "Go's scheduler and heap ignore nodes: run one process on each node with as many Ps as it has CPUs, or spread "
        "the heap:",
        (*_one_per_node(evidence, f"GOMAXPROCS={cpus} "), _spread(evidence)),
    )


def _python(evidence: Evidence) -> Option:
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


def _julia(evidence: Evidence) -> Option:
    return (
        "Pin Julia's threads, and first write to each array in a loop of the same static schedule as that which uses "
        "it, or spread the memory:",
        ("using ThreadPinning; pinthreads(:numa)", "Threads.@threads :static for i in eachindex(a)", _spread(evidence)),
    )


def _node(evidence: Evidence) -> Option:
    return (
        "V8 ignores nodes: run one process on each node, or spread the heap:",
        (*_one_per_node(evidence), _spread(evidence)),
    )


def _rust(evidence: Evidence) -> Option:
    pools = ""
    if any(function.startswith("rayon_core::") for function in evidence.runtime_functions):
        pools = ". Rayon steals work across nodes: give each node a thread pool of its own"
    return f"Write to it first in the threads that use it, divided alike{pools}, or spread the memory:", (
        _spread(evidence),
    )


def _postgresql(evidence: Evidence) -> Option:
    return (
        "Every backend reads all of the shared buffers: spread them over the nodes when the server starts:",
        (_spread(evidence),),
    )


def _mysql(evidence: Evidence) -> Option:
    option = "--innodb-numa-interleave=ON"
    return (
        "Every connection reads all of the buffer pool: spread it over the nodes when the server starts:",
        (_flagged(evidence, "mysqld", option) or f"mysqld {option}",),
    )


def _mariadb(evidence: Evidence) -> Option:
    return _mysql(evidence)[0], (_spread(evidence),)  # it has no such option any more


_OPTIONS: dict[Runtime, Callable[[Evidence], Option]] = {
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
