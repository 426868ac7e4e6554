# SPDX-License-Identifier: Apache-2.0
"""Which runtimes run the program: from the files whose code it mapped, its functions, threads and command line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from numaprof.evidence.evidence import Evidence
from numaprof.text.format import plural


class Runtime(Enum):
    """In the order in which a report names them: what decides about memory first."""

    JVM = "OpenJDK"
    GO = "Go"
    JULIA = "Julia"
    NODE = "Node.js"
    POSTGRESQL = "PostgreSQL"
    MYSQL = "MySQL"
    MARIADB = "MariaDB"
    PYTHON = "CPython"
    RUST = "Rust"
    PYTORCH = "PyTorch"
    OPENBLAS = "OpenBLAS"
    MKL = "MKL"
    TBB = "TBB"


@dataclass(frozen=True)
class Found:
    runtime: Runtime
    detail: str = ""  # version and what else is known

    @property
    def name(self) -> str:
        return f"{self.runtime.value} {self.detail}".rstrip()


# The base name of a file, or the end of its path.
_FILES = (
    (Runtime.JVM, re.compile(r"/libjvm\.so$")),
    (Runtime.JULIA, re.compile(r"/libjulia(?:-internal)?\.so")),
    (Runtime.NODE, re.compile(r"/(?:node|nodejs|libnode\.so[.\d]*)$")),
    (Runtime.POSTGRESQL, re.compile(r"/postgres$")),
    (Runtime.MYSQL, re.compile(r"/mysqld$")),
    (Runtime.MARIADB, re.compile(r"/mariadbd$")),
    (Runtime.PYTHON, re.compile(r"/(?:lib)?python(3\.\d+)t?(?:\.so[.\d]*)?$")),
    (Runtime.PYTORCH, re.compile(r"/libtorch_cpu\.so")),
    (Runtime.OPENBLAS, re.compile(r"/lib(?:scipy_)?openblas")),
    (Runtime.MKL, re.compile(r"/libmkl_core")),
    (Runtime.TBB, re.compile(r"/libtbb(?:12)?\.so")),
)
_FUNCTIONS = ((Runtime.GO, "runtime."), (Runtime.RUST, "std::rt::"), (Runtime.RUST, "rayon_core::"))
_GO = re.compile(r"Go(?: ([\d.]+))?")  # its build information
_JDK = re.compile(r"/(?:java|jdk|openjdk|temurin|zulu|corretto)-?(\d+)")
# Threads of collectors: java/share/gc of OpenJDK names them so.
_COLLECTORS = (("G1 ", "G1"), ("ZWorker", "ZGC"), ("ZDriver", "ZGC"), ("XWorker", "ZGC"), ("Shenandoah", "Shenandoah"))
_NUMA_BY_DEFAULT = ("ZGC", "Shenandoah")  # zArguments.cpp and shenandoahArguments.cpp


def runtimes(evidence: Evidence) -> tuple[Found, ...]:
    """The runtimes of the program; empty: none, or not known."""
    found: dict[Runtime, Found] = {}
    for path in evidence.code_files:
        for runtime, pattern in _FILES:
            match = pattern.search(path)
            if match is not None and runtime not in found:
                told = {Runtime.JVM: _jvm, Runtime.OPENBLAS: _openblas}.get(runtime)
                found[runtime] = Found(runtime, told(evidence, path) if told else "".join(match.groups()))
    for maker in evidence.code_makers:
        match = _GO.fullmatch(maker)
        if match is not None:
            found.setdefault(Runtime.GO, Found(Runtime.GO, match[1] or ""))
    for runtime, start in _FUNCTIONS:
        if any(function.startswith(start) for function in evidence.runtime_functions):
            found.setdefault(runtime, Found(runtime))
    return tuple(found[runtime] for runtime in Runtime if runtime in found)


def _jvm(evidence: Evidence, path: str) -> str:
    """21, G1, -XX:+UseNUMA off."""
    version = _JDK.search(path)
    flag = numa_flag(evidence)
    parts = [version[1] if version else "", _collector(evidence), f"-XX:+UseNUMA {'on' if flag else 'off'}"]
    return ", ".join(part for part in parts if part)


def _openblas(evidence: Evidence, path: str) -> str:
    """2 threads (OPENBLAS_NUM_THREADS), but no more than there are CPUs; a program may have asked for fewer since.
    Where the environment says nothing, or more threads than were seen, the number of the process's threads is known."""
    told = [(sum(thread.row.process == row.process for thread in evidence.threads), row) for row in evidence.openblas]
    if not told:
        return ""
    seen, row = max(told, key=lambda each: each[0])
    asked = min(row.threads or 0, evidence.machine.online)
    if row.variable is not None and 0 < asked <= seen:
        return f"{plural(asked, 'thread')} ({row.variable})"
    return f"in a process of {plural(seen, 'thread')}"


def _collector(evidence: Evidence) -> str:
    names = [thread.row.name or "" for thread in evidence.threads]
    for start, collector in _COLLECTORS:
        if any(name.startswith(start) for name in names):
            return collector
    return "Parallel" if any(name.startswith("GC Thread#") for name in names) else ""


def numa_flag(evidence: Evidence) -> bool:
    """The NUMA option on the command line; the last one counts. Without one, the collector's default."""
    said = [word for word in evidence.command if word in ("-XX:+UseNUMA", "-XX:-UseNUMA")]
    return said[-1] == "-XX:+UseNUMA" if said else _collector(evidence) in _NUMA_BY_DEFAULT
