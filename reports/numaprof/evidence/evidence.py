# SPDX-License-Identifier: Apache-2.0
"""All that the report and the rules use, read once from a recording, and immutable."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar, cast

from numaprof.evidence.counts import Traffic, Uncounted
from numaprof.evidence.counts_in_doubt import (
    SAMPLES_TELL,
    count_packages,
    counted_nothing,
    samples_decide,
    uses_memory,
    without,
)
from numaprof.evidence.estimates import load_estimates
from numaprof.evidence.first_touches import Touches
from numaprof.evidence.lines.lines_without_loads import Footprint
from numaprof.evidence.lines.remote_lines import RemoteLines, load_remote_lines
from numaprof.evidence.machine import Machine, parse_list
from numaprof.evidence.nodes.read_machine import read_machine
from numaprof.evidence.objects import Object, Objects, load_objects
from numaprof.evidence.request_classes import Population, sort_events
from numaprof.evidence.samples import (
    LibraryCall,
    Samples,
    Spells,
    Touched,
    load_samples,
    load_spells,
    pick_samples,
    weigh_threads,
)
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import IN_CACHE_BYTES, LINE_BYTES, REMOTE_HEAVY, WORKER_TIME
from numaprof.evidence.traffic import Ledger, ledger, sole_cpu, verdict_traffic
from numaprof.evidence.uncounted import uncounted
from numaprof.evidence.waves import stand_ins
from numaprof.placement.use_matrix import UseRows, load_use_rows
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_counts, sql_locations, sql_run, sql_samples, sql_threads
from numaprof.text.messages import Failure

Answer = TypeVar("Answer")
KeptSource = Mapping[str, Mapping[int, str]]  # by file and line, as it was when the run ended

MOST_PAGE_BYTES = 1 << 30  # the kernel's largest base page has 256 KiB


@dataclass(frozen=True)
class Thread:
    """One thread, with where it ran and what it asked of memory."""

    position: int  # in the order of their creation, from 0: the position in the pinning plan
    row: sql_threads.Thread
    cpus: tuple[int, ...]  # all it is known to have run on
    nodes: tuple[int, ...]  # where it ran; empty: not known
    columns: dict[str, Traffic]
    traffic: Traffic  # of the verdict's population

    @property
    def cpu(self) -> int | None:
        """The only CPU that it is known to have run on."""
        return self.cpus[0] if len(self.cpus) == 1 else None

    @property
    def node(self) -> int | None:
        return self.nodes[0] if len(self.nodes) == 1 else None

    @property
    def migrated(self) -> bool:
        return self.row.pin == "planned" and bool(self.row.migrations)


@dataclass(frozen=True)
class InitSite(Touches):
    """A source location that first touches memory: pages, threads and nodes."""

    site: Site
    library_call: LibraryCall | None = None  # what the place calls that does the touching, e.g. memset


@dataclass(frozen=True)
class Imported:
    """The recording of another tool, and the kinds of data in its file."""

    row: sql_run.Imported
    parts: tuple[sql_run.ImportedPart, ...]

    @property
    def has(self) -> tuple[sql_run.ImportedPart, ...]:
        return tuple(part for part in self.parts if part.there)

    @property
    def lacks(self) -> tuple[sql_run.ImportedPart, ...]:
        return tuple(part for part in self.parts if not part.there)


@dataclass(frozen=True)
class Evidence:
    path: str
    run: sql_run.Run
    levels: tuple[sql_run.Level, ...]
    windows: tuple[sql_run.Window, ...]
    machine: Machine
    events: tuple[sql_counts.Event, ...]
    ledger: Ledger
    uncounted: Uncounted  # of all threads
    threads: tuple[Thread, ...]
    samples: Samples
    spells: Spells
    objects: Objects
    remote_lines: RemoteLines  # by object, prefetches included
    use_rows: UseRows  # by object: what placement/ decides from
    notes: tuple[sql_run.Note, ...]
    counts_dropped: str | None  # why counters that ran do not give the verdict; None: they do, or there are none
    local: str | None  # what numaprof verify found that it means in counts; None: it did not run, or did not find out
    not_recorded: int  # processes that the kernel does not allow to be measured
    stand_ins: Mapping[int, int] = field(default_factory=dict)  # threads of later waves -> of the first
    source: KeptSource = field(default_factory=dict)
    code_files: tuple[str, ...] = ()  # that the program mapped; empty: not known
    code_makers: tuple[str, ...] = ()  # what made some of them: "Go 1.22.3"
    openblas: tuple[sql_run.OpenBlas, ...] = ()  # processes that use it
    run_delay: sql_run.RunDelay | None = None  # of pinned threads; None: an older recording
    runtime_functions: tuple[str, ...] = ()  # of runtimes that are linked into the program
    attached: tuple[sql_run.Attached, ...] = ()  # processes that ran before the recorder came
    imported: Imported | None = None  # another tool recorded it
    rank: sql_run.Rank | None = None  # None: no launcher of a parallel job started the run

    @cached_property
    def population(self) -> Population | None:
        """What the verdict counts; None: no counters told local from remote."""
        return self.ledger.events.verdict

    @cached_property
    def columns(self) -> dict[str, Traffic]:
        return self.ledger.total

    @cached_property
    def traffic(self) -> Traffic:
        return replace(verdict_traffic(self.ledger.events, self.columns), uncounted=self.uncounted)

    @property
    def counted(self) -> bool:
        """True if counters distinguished local from remote in this run, and give the verdict."""
        return self.ledger.tells_remote and self.counts_dropped is None

    @property
    def told_apart(self) -> bool:
        """True if counts are known by thread, not only by CPU."""
        return any(thread.traffic.coverage is not None for thread in self.threads)

    @cached_property
    def cpu_ns(self) -> int:
        """CPU time of all threads while the recorder counted."""
        return sum(thread.row.cpu_ns or 0 for thread in self.threads) + self.ledger.whole_ns

    @cached_property
    def workers(self) -> tuple[Thread, ...]:
        """The threads that do the work: helpers of runtimes are left out."""
        times = sorted((thread.row.cpu_ns or 0 for thread in self.threads), reverse=True)
        # Where one thread alone prepares for long, the others are compared among each other, if their work matters.
        together = sum(times[1:]) >= REMOTE_HEAVY * sum(times)
        least = WORKER_TIME * max(times[1 if together else 0 :], default=0)
        return tuple(t for t in self.threads if t.row.cpu_ns is None or t.row.cpu_ns >= least)

    @cached_property
    def worker_nodes(self) -> tuple[int, ...]:
        return tuple(sorted({node for thread in self.workers for node in thread.nodes}))

    @cached_property
    def by_id(self) -> dict[int, Thread]:
        return {thread.row.id: thread for thread in self.threads}

    @cached_property
    def init_sites(self) -> tuple[InitSite, ...]:
        """Source locations of first touch, the largest first."""
        groups: dict[Site, list[Touched]] = defaultdict(list)
        for row in self.samples.touched:
            groups[row.site].append(row)
        sites = [InitSite(tuple(rows), site, self.samples.library_calls.get(site)) for site, rows in groups.items()]
        return tuple(sorted(sites, key=lambda site: -site.pages))

    @cached_property
    def touched_pages(self) -> float:
        return sum(row.pages for row in self.samples.touched)

    @cached_property
    def _answers(self) -> dict[object, object]:
        return {}

    def once(self, question: Callable[[Evidence], Answer]) -> Answer:
        """Asks a question that many rows have in common, the first time only."""
        if question not in self._answers:
            self._answers[question] = question(self)
        return cast("Answer", self._answers[question])

    @property
    def fault_coverage(self) -> float | None:
        """Share of the counted page faults that samples stand for; None: these were not counted."""
        counted = sum(note.value or 0 for note in self.notes if note.kind == "faults")
        seen = sum(row.weight for row in self.samples.kinds if row.kind in sql_samples.FAULT_KINDS)
        return min(1.0, seen / counted) if counted else None

    @cached_property
    def recorded_ns(self) -> int | None:
        """Time in which the recorder counted; None: not known."""
        wall = self.run.wall_ns
        if wall is None or not self.windows:
            return wall
        ends = [(row.start_ns, wall if row.end_ns is None else min(wall, row.end_ns)) for row in self.windows]
        return sum(max(0, end - start) for start, end in ends)

    @cached_property
    def command(self) -> tuple[str, ...]:
        return _arguments(self.run.command)

    def bytes(self, pages: float) -> float:
        return pages * self.run.page_bytes

    def level(self, collector: str) -> sql_run.Level | None:
        """The best level of a collector that was used, else the best that was not."""
        mine = [level for level in self.levels if level.collector == collector]
        return next((level for level in mine if level.used), mine[0] if mine else None)


def load(path: str) -> Evidence:
    with Recording(path) as recording:
        return evidence_of(recording)


def _imported(recording: Recording) -> Imported | None:
    rows = recording.rows_if("imported", sql_run.Imported, sql_run.IMPORTED)
    return Imported(rows[0], tuple(recording.rows(sql_run.ImportedPart, sql_run.IMPORTED_PARTS))) if rows else None


def evidence_of(recording: Recording) -> Evidence:
    """Reads the evidence. Its temporary tables stay, for further queries of the same recording."""
    run = recording.one(sql_run.Run, sql_run.RUN)
    if not 1 <= run.page_bytes <= MOST_PAGE_BYTES:
        raise Failure(f"{recording.path} is damaged: a page size of {run.page_bytes} bytes", "record again")
    machine = read_machine(recording)
    events = recording.rows(sql_counts.Event, sql_counts.EVENTS)
    counts = recording.rows(sql_counts.Count, sql_counts.COUNTS)
    knows_uncounted = recording.one(sql_threads.HasUncounted, sql_threads.HAS_UNCOUNTED).found > 0
    rows = recording.rows(sql_threads.Thread, sql_threads.threads(knows_uncounted))
    sampled_on = pick_samples(recording)
    sorted_events = sort_events(events)
    wanted = set(sorted_events.counted)
    ran_on = _ran_on(rows, counts)
    nodes = {row.id: _nodes(row, ran_on[row.id], sampled_on.get(row.id, ()), machine) for row in rows}
    estimates = load_estimates(recording, wanted, sorted_events.time) if run.interval_ns else {}
    books = ledger(sorted_events, counts, rows, estimates, nodes=nodes, machine=machine)
    counted = list(_threads(rows, ran_on, nodes, books))
    weigh_threads(recording, {thread.row.id: thread.columns for thread in counted})
    samples = load_samples(recording, run.page_bytes)
    of_threads, of_all = uncounted(
        books, rows, [thread.traffic for thread in counted], verdict_traffic(books.events, books.total)
    )
    threads = tuple(
        replace(thread, traffic=replace(thread.traffic, uncounted=mine)) for thread, mine in zip(counted, of_threads)
    )
    instead = stand_ins(rows)
    objects = load_objects(recording, samples, run.page_bytes)
    notes = tuple(recording.rows(sql_run.Note, sql_run.NOTES))
    local = next((row.local for row in recording.rows_if("verification", sql_run.Local, sql_run.LOCAL)), None)
    cpu_ns = sum(row.cpu_ns or 0 for row in rows) + books.whole_ns
    silent, packages = counted_nothing(books, cpu_ns), count_packages(machine, notes, local)
    trusted = books.tells_remote and silent is None and not packages
    spells = load_spells(recording, trusted, bool(machine.slow_nodes))
    works = uses_memory(cpu_ns, run.page_bytes * sum(row.pages for row in samples.touched), spells)
    sampled = samples.taken(sql_samples.LOAD, sql_samples.STORE) > 0
    dropped = silent if works else None
    if dropped is None and packages and samples_decide(spells):
        dropped = SAMPLES_TELL
    footprint = _footprint(threads, objects, run.page_bytes)
    return Evidence(
        path=recording.path,
        run=run,
        levels=without(
            recording.rows(sql_run.Level, sql_run.LEVELS),
            {"counters": dropped, "samples": "no sample came" if works and not sampled else None},
        ),
        windows=tuple(recording.rows(sql_run.Window, sql_run.WINDOWS)),
        machine=machine,
        events=tuple(events),
        ledger=books,
        uncounted=of_all,
        threads=threads,
        stand_ins=instead,
        samples=samples,
        spells=spells,
        objects=objects,
        use_rows=load_use_rows(recording, run.page_bytes),
        remote_lines=RemoteLines() if dropped else load_remote_lines(recording, books, events, footprint),
        notes=notes,
        counts_dropped=dropped if books.tells_remote else None,
        local=local,
        not_recorded=sum(row.processes for row in recording.rows(sql_run.NotRecorded, sql_run.NOT_RECORDED)),
        source=_kept_source(recording),
        code_files=tuple(row.path for row in recording.rows_if("code_file", sql_run.CodeFile, sql_run.CODE_FILES)),
        code_makers=tuple(row.path for row in recording.rows_if("code_maker", sql_run.CodeFile, sql_run.CODE_MAKERS)),
        openblas=tuple(recording.rows_if("openblas", sql_run.OpenBlas, sql_run.OPENBLAS)),
        run_delay=next(iter(recording.rows_if("run_delay", sql_run.RunDelay, sql_run.RUN_DELAY)), None),
        runtime_functions=tuple(row.path for row in recording.rows(sql_run.CodeFile, sql_run.RUNTIME_FUNCTIONS)),
        attached=tuple(recording.rows_if("attached", sql_run.Attached, sql_run.ATTACHED)),
        imported=_imported(recording),
        rank=next(iter(recording.rows_if("rank", sql_run.Rank, sql_run.RANKS)), None),
    )


def _kept_source(recording: Recording) -> KeptSource:
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for row in recording.rows_if("source_line", sql_locations.SourceLine, sql_locations.SOURCE_LINES):
        found[row.file][row.line] = row.text
    return dict(found)


def _footprint(threads: tuple[Thread, ...], objects: Objects, page_bytes: int) -> Footprint:
    """Nodes of threads and pages of objects. Stacks and files are not data of the program."""
    data = [found for found in objects.found if found.kind not in ("stack", "file") and found.things]
    nodes = {thread.row.id: thread.node for thread in threads if thread.node is not None}
    small = (found for found in objects.found if _in_cache(found, page_bytes))
    pages = {found.things[0]: found.known_homes for found in data}
    in_cache = frozenset(thing for found in small for thing in found.things)
    return Footprint(nodes, pages, page_bytes // LINE_BYTES, in_cache)


def _in_cache(found: Object, page_bytes: int) -> bool:
    """It fits the caches of a core; of the stacks of threads, each does. By first touches, where any was seen."""
    size = page_bytes * sum(found.known_homes.values()) or found.bytes or 0.0
    size /= len(found.things) if found.kind == "stack" else 1
    return 0 < size < IN_CACHE_BYTES


def _ran_on(rows: list[sql_threads.Thread], counts: list[sql_counts.Count]) -> dict[int, tuple[int, ...]]:
    """The CPUs that each thread is known to have run on."""
    seen: dict[int, set[int]] = defaultdict(set)
    for count in counts:
        if count.thread is not None and count.cpu is not None:
            seen[count.thread].add(count.cpu)
    cpus = {row.id: sole_cpu(row, seen[row.id]) for row in rows}
    return {thread: tuple(sorted(seen[thread])) if cpu is None else (cpu,) for thread, cpu in cpus.items()}


def _threads(
    rows: list[sql_threads.Thread],
    ran_on: Mapping[int, tuple[int, ...]],
    nodes: Mapping[int, tuple[int, ...]],
    books: Ledger,
) -> Iterator[Thread]:
    apart = all(len(cpus) == 1 for cpus in ran_on.values()) and len(set(ran_on.values())) == len(ran_on)
    for position, row in enumerate(rows):
        cpus = ran_on[row.id]
        # Threads were not told apart, but each has a CPU of its own: the CPU's counts are the thread's.
        columns = books.cpu(cpus[0]) if books.unattributed and apart else books.thread(row.id)
        yield Thread(
            position=position,
            row=row,
            cpus=cpus,
            nodes=nodes[row.id],
            columns=columns,
            traffic=verdict_traffic(books.events, columns),
        )


def _nodes(
    row: sql_threads.Thread, cpus: tuple[int, ...], sampled: tuple[int, ...], machine: Machine
) -> tuple[int, ...]:
    """Where a thread ran: by its counts, else by its pinning, else by its samples."""
    allowed = machine.nodes_of(parse_list(row.own_cpus))
    if cpus:
        return machine.nodes_of(cpus)
    if len(allowed) == 1:
        return allowed
    return sampled or (machine.all_cpu_nodes if len(machine.all_cpu_nodes) == 1 else ())


def _arguments(command: str) -> tuple[str, ...]:
    """Words of run.command, a JSON array of strings; other text is one word."""
    try:
        arguments = json.loads(command)
    except (ValueError, RecursionError):
        return (command,)
    return tuple(map(str, arguments)) if isinstance(arguments, list) else (command,)
