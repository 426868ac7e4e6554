# SPDX-License-Identifier: Apache-2.0
"""SQL for the run: what was run, evidence levels, windows, notes, tables. The columns: core/recording/schema.sql."""

from __future__ import annotations

from typing import NamedTuple


class Run(NamedTuple):
    command: str
    cwd: str | None
    program: str | None
    pid: int | None
    started_at: str
    wall_ns: int | None
    exit_status: int | None
    term_signal: int | None
    complete: int
    host: str | None
    kernel: str | None
    cpu_name: str | None
    uarch: str | None
    emulated: str | None
    page_bytes: int
    balancing: int | None
    balancing_moved_pages: int | None
    huge_pages: str | None
    allowed_cpus: str | None
    allowed_nodes: str | None
    pin_policy: str
    pin_plan: str | None
    tool_cpu_ns: int | None
    repeat: int
    tool_version: str
    interval_ns: int  # 0: counts are totals of the whole run, whose error nothing tells


RUN = f"SELECT {', '.join(Run._fields)} FROM run"


class Tables(NamedTuple):
    found: int


TABLES = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = :name"


class Level(NamedTuple):
    level: int
    collector: str
    used: int
    detail: str | None
    why_not: str | None
    remedy: str | None


LEVELS = "SELECT level, collector, used, detail, why_not, remedy FROM evidence ORDER BY level"


class Attached(NamedTuple):
    pid: int
    age_ns: int | None  # how long it had run when the recorder came


ATTACHED = "SELECT pid, age_ns FROM attached JOIN process ON process.id = process ORDER BY process.id"


class Imported(NamedTuple):
    tool: str
    version: str | None
    form: str
    cut: int  # the end of the file is missing


class ImportedPart(NamedTuple):
    part: str
    there: int  # samples, nodes or mappings that have it
    of: int  # samples
    without: str | None  # what does not follow without it


IMPORTED = "SELECT tool, version, form, cut FROM imported"
IMPORTED_PARTS = "SELECT part, there, of, without FROM imported_part ORDER BY id"


class Rank(NamedTuple):
    """Of a parallel job, as its launcher told it."""

    number: int
    launcher: str
    job: str | None
    size: int | None
    local_number: int | None
    shares: int  # 1: no launcher bound the ranks, the pin plan is this rank's share


RANKS = f"SELECT {', '.join(Rank._fields)} FROM rank"


class CodeFile(NamedTuple):
    path: str


CODE_FILES = "SELECT path FROM code_file ORDER BY path"
CODE_MAKERS = "SELECT maker AS path FROM code_maker ORDER BY path"


class OpenBlas(NamedTuple):
    """A process that mapped it, and how many threads its environment asks for."""

    process: int
    variable: str | None  # which variable says so; None: none does
    threads: int | None


class RunDelay(NamedTuple):
    """Sums over threads that numaprof pinned. A thread without a row never waited, or was never looked at."""

    waited_ns: int | None
    ran_ns: int | None


RUN_DELAY = """
SELECT sum(run_delay.waited_ns) AS waited_ns, sum(run_delay.ran_ns) AS ran_ns
  FROM run_delay JOIN thread ON thread.id = run_delay.thread WHERE thread.pin = 'planned'
"""

OPENBLAS = "SELECT process, variable, threads FROM openblas"

# Functions of runtimes that are linked into the program; threads by name.
RUNTIME_FUNCTIONS = """
SELECT DISTINCT function AS path FROM place
 WHERE function IN ('runtime.goexit.abi0', 'runtime.goexit', 'runtime.mcall', 'runtime.main')
    OR function LIKE 'std::rt::lang_start%' OR function LIKE 'rayon_core::%'
 LIMIT 100
"""


class Window(NamedTuple):
    start_ns: int
    end_ns: int | None
    cause: str


WINDOWS = "SELECT start_ns, end_ns, cause FROM window ORDER BY start_ns"


class Local(NamedTuple):
    local: str | None  # what numaprof verify found that it means


LOCAL = "SELECT local FROM verification"


class NotRecorded(NamedTuple):
    processes: int


NOT_RECORDED = "SELECT count(*) FROM process WHERE followed = 'no'"


class Note(NamedTuple):
    kind: str
    text: str
    remedy: str | None
    times: int
    value: int | None


NOTES = """
SELECT kind, text, remedy, count(*), sum(value) FROM note GROUP BY kind, text, remedy ORDER BY min(id)
"""
