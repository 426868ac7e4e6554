# SPDX-License-Identifier: Apache-2.0
"""The head of the report: machine, evidence, pinning, and notes that affect the numbers."""

from __future__ import annotations

import signal
from collections import defaultdict
from collections.abc import Iterator

from numaprof.analysis.binding import BOUND_BY, binding, most_at_once
from numaprof.analysis.left_to_chance import wandering
from numaprof.analysis.naming import thread_in_text, touched_from
from numaprof.analysis.remote_share import COUNTERS, basis
from numaprof.analysis.runtimes import runtimes
from numaprof.analysis.slow_tier import slow_share_in_words
from numaprof.document.missing_lines import without_lines, without_names
from numaprof.evidence.counts import Traffic
from numaprof.evidence.evidence import Evidence, Imported
from numaprof.evidence.machine import Machine, parse_list
from numaprof.evidence.thresholds import MIN_COVERAGE, MOST_NOTES, MOST_SAMPLES, WAITS_FOR_CPU
from numaprof.recording.sql import sql_run, sql_samples
from numaprof.text.format import (
    clean,
    duration,
    either,
    nodes_in_text,
    number,
    number_list,
    percent,
    plural,
    round_percent,
    words,
)

SEPARATOR = " · "

# Names of sample kinds, in the order of the evidence line. All other kinds are "other page faults".
_SAMPLES = (
    ("overflow sample", "overflow samples", (sql_samples.OVERFLOW,)),
    ("sampled load or store", "sampled loads and stores", (sql_samples.LOAD, sql_samples.STORE)),
    ("first touch", "first touches", (sql_samples.FIRST_TOUCH,)),
    ("hint fault", "hint faults", (sql_samples.HINT,)),
)

# Kinds of notes that the evidence line counts itself.
LOST = "lost"
# ... the kind that the banner prints: why nothing more could be written,
CUT = "cut"
# ... and the kind that is printed with first touches, if some page faults were lost.
FAULTS = "faults"


def banner(evidence: Evidence) -> Iterator[str]:
    run = evidence.run
    if run.emulated is not None:
        yield f"EMULATED machine ({clean(run.emulated)}): counts and placement are valid, times are not."
    if not run.complete:
        cut = next((clean(note.text) for note in evidence.notes if note.kind == CUT), None)
        why = cut or "the recorder was killed, could not write (a full disk), or is still at work"
        yield f"CUT SHORT: {why}. The report shows what it had written."
    if evidence.attached:
        yield _attached(evidence.attached)
    if evidence.imported:
        yield from _imported(evidence.imported, evidence.run.host)
    yield from _waits_for_cpu(evidence)
    bare = without_lines(evidence)
    if bare:
        yield f"No line numbers: {words(bare)} {either(len(bare), 'lacks', 'lack')} debug information; build with -g."
    names = without_names(evidence)
    if names:
        yield names
    if run.term_signal is not None:
        yield f"The program was ended by {_signal(run.term_signal)}."
    elif run.exit_status:
        yield f"The program ended with status {run.exit_status}."


def _waits_for_cpu(evidence: Evidence) -> Iterator[str]:
    """Other programs use the CPUs of pinned threads. A program of more threads than CPUs waits for its own threads."""
    delay = evidence.run_delay
    if delay is None or not delay.waited_ns or evidence.run.emulated is not None:
        return
    part = delay.waited_ns / (delay.waited_ns + (delay.ran_ns or 0))
    cpus = set((evidence.run.pin_plan or "").split(","))
    if part >= WAITS_FOR_CPU and most_at_once(evidence) <= len(cpus):
        yield (
            f"Pinned threads waited {round_percent(part)} of the time for their CPUs, which other programs used: "
            "--pin none leaves the choice to the kernel, --pin LIST names other CPUs."
        )


def _signal(number_: int) -> str:
    """signal 15 (SIGTERM); most real-time signals have no names."""
    name = next((f" ({known.name})" for known in signal.Signals if known.value == number_), "")
    return f"signal {number_}{name}"


def _attached(attached: tuple[sql_run.Attached, ...]) -> str:
    ages = [row.age_ns for row in attached if row.age_ns is not None]
    after = f", {duration(max(ages))} after {either(len(attached), 'it', 'the first of them')} started" if ages else ""
    pids = words([str(row.pid) for row in attached[:4]] + [f"{len(attached) - 4} more"] * (len(attached) > 4))
    which = either(len(attached), "process", "processes")
    return f"ATTACHED to {which} {pids}{after}: which thread and line placed its memory before is not known."


def _imported(imported: Imported, host: str | None) -> Iterator[str]:
    """Only of what is missing that the answer suffers from; _parts has all of it."""
    row = imported.row
    by = clean(f"{row.tool} {row.version}" if row.version else row.tool)
    lacks = [f"no {clean(part.part)} ({clean(part.without)})" for part in imported.lacks if part.without]
    without = f", with {words(lacks)}" if lacks else ""
    yield f"IMPORTED: recorded by {by}{f' on {clean(host)}' if host else ''}{without}."
    if row.cut:
        yield "The end of the file is missing: the report shows the part before."


def _parts(imported: Imported) -> str:
    has, lacks = words([_has(part) for part in imported.has]), words([clean(part.part) for part in imported.lacks])
    return f"the file has {has}" + (f"; it lacks {lacks}" if lacks else "")


def _has(part: sql_run.ImportedPart) -> str:
    """With the share of the samples that have it, if not all do."""
    of_samples = part.part in ("data source", "latency", "CPU of the sample", "node of the page", "call stacks")
    some = of_samples and part.there < part.of
    return clean(part.part) + (f" ({percent(part.there / part.of)} of the samples)" if some else "")


def evidence_line(evidence: Evidence) -> Iterator[str]:
    lost = sum(note.value or note.times for note in evidence.notes if note.kind == LOST)
    parts = [_machine(evidence.machine), _counters(evidence), *_samples(evidence)]
    if evidence.samples.kinds:
        parts.append(f"{number(lost)} lost")
    yield SEPARATOR.join(part for part in parts if part)
    if slow := slow_share_in_words(evidence):
        yield slow
    if evidence.imported:
        yield _parts(evidence.imported)
    names = [runtime.name for runtime in runtimes(evidence)]
    if names:
        yield f"runtime: {clean(', '.join(names))}"
    yield from _why_not(list(_missing(evidence)))
    yield from _windows(evidence)


def _machine(machine: Machine) -> str:
    if not machine.nodes:
        return "nodes: unknown"
    counts = {len(machine.cpus_of(node)) for node in machine.all_cpu_nodes}
    nodes = plural(len(machine.nodes), "node")
    if len(counts) == 1 and len(machine.all_cpu_nodes) == len(machine.nodes):
        return f"{nodes} x {plural(counts.pop(), 'CPU')}"
    return f"{nodes}, {plural(machine.online, 'CPU')}"


def _counters(evidence: Evidence) -> str:
    if not evidence.counted:
        return ""
    level = evidence.level("counters")
    detail = clean(level.detail or "counters") if level else "counters"
    coverage = evidence.traffic.coverage
    seen = "n/a" if coverage is None else f"{round_percent(coverage)} of CPU time counted"
    if evidence.uncounted.part:
        seen += f", {round_percent(evidence.uncounted.part)} without counters"
    return f"counters: {detail} ({seen})"


def _samples(evidence: Evidence) -> Iterator[str]:
    named = {kind for _, _, kinds in _SAMPLES for kind in kinds}
    for one, several, kinds in _SAMPLES:
        taken = evidence.samples.taken(*kinds)
        if taken:
            yield f"{number(taken)} {either(taken, one, several)}"
    others = sum(row.samples for row in evidence.samples.kinds if row.kind not in named)
    if others:
        yield plural(others, "other page fault")


def _missing(evidence: Evidence) -> Iterator[sql_run.Level]:
    """Better levels than that of the verdict, and why they are missing."""
    resting = {COUNTERS: 1}.get(basis(evidence) or "", 5)
    for level in evidence.levels:
        same = any(other.used and other.collector == level.collector for other in evidence.levels)
        if not level.used and not same and level.level <= resting:
            yield level


def _why_not(missing: list[sql_run.Level]) -> Iterator[str]:
    """Several levels may be missing for one reason."""
    reasons: dict[tuple[str, str | None], dict[str, None]] = defaultdict(dict)
    for level in missing:
        reasons[level.why_not or "not used", level.remedy][level.collector] = None
    for (reason, remedy), collectors in reasons.items():
        why = f"{clean(words(list(collectors)))}: n/a, {clean(reason)}"
        yield f"{why}; {clean(remedy)}" if remedy else why


def _windows(evidence: Evidence) -> Iterator[str]:
    if not evidence.windows or all(window.cause == "run" for window in evidence.windows):
        return
    wall = evidence.run.wall_ns
    spans = []
    for window in evidence.windows:
        end = window.end_ns if window.end_ns is not None else wall
        until = duration(end) if end is not None else "the end"
        spans.append(f"{duration(window.start_ns)} to {until} ({clean(window.cause)})")
    whole = f" of {duration(wall)}" if wall is not None else ""
    yield f"recorded only from {', '.join(spans[:3])}" + (f" and {len(spans) - 3} more" if spans[3:] else "") + whole


def rank_line(evidence: Evidence) -> Iterator[str]:
    """rank 3 of 16, started by Slurm, CPUs 0-3: bound"""
    rank, cpus = evidence.rank, parse_list(evidence.run.allowed_cpus)
    if rank is None:
        return
    of = f" of {rank.size}" if rank.size is not None else ""
    which = f", CPUs {number_list(list(cpus))}" if cpus else ""
    yield f"rank {rank.number}{of}, started by {clean(rank.launcher)}{which}: {BOUND_BY[binding(evidence).by]}"


def pin_line(evidence: Evidence) -> Iterator[str]:
    run = evidence.run
    parts = [_pinning(evidence)]
    parts.append("automatic NUMA balancing: " + {0: "off", 1: "on", 2: "tiering"}.get(run.balancing or 0, "on"))
    if run.balancing is None:
        parts[-1] = "automatic NUMA balancing: n/a"
    if run.balancing and run.balancing_moved_pages is not None:
        parts[-1] += f", moved {plural(run.balancing_moved_pages, 'page')}"
    compared = sum(row.pages for row in evidence.samples.looked_at_twice)
    moved = sum(row.pages for row in evidence.samples.looked_at_twice if row.first != row.last)
    if moved:
        part = percent(moved / compared)
        parts.append(f"{part} of {plural(round(compared), 'page')} moved to another node after their first touch")
    parts.extend(_own_time(evidence))
    yield SEPARATOR.join(parts)


def _own_time(evidence: Evidence) -> Iterator[str]:
    """A share of what the program used; of a server or a program that waits, of one CPU."""
    own, wall = evidence.run.tool_cpu_ns, evidence.run.wall_ns
    if own is None or evidence.run.emulated is not None:
        return
    if evidence.cpu_ns > own and not evidence.attached:
        yield f"tool's own CPU time {percent(own / evidence.cpu_ns)} of the program's"
    elif wall:
        yield f"tool's own CPU time {percent(own / wall)} of one CPU"


def _pinning(evidence: Evidence) -> str:
    if evidence.imported:
        return "pinning: unknown"
    threads = evidence.threads
    pinned = [thread for thread in threads if thread.row.pin == "planned"]
    own = [thread for thread in threads if thread.row.pin == "program"]
    parts = []
    if pinned:
        migrated = sum(1 for thread in pinned if thread.migrated)
        parts.append(f"{plural(len(pinned), 'thread')} pinned {clean(evidence.run.pin_policy)}, {migrated} migrated")
    if wandering(evidence):
        parts.append("thread 0 ran on several nodes while it initialised")
    if own:
        parts.append(f"{plural(len(own), 'thread')} pinned by the program itself")
    if len(threads) > len(pinned) + len(own):
        parts.append(f"{plural(len(threads) - len(pinned) - len(own), 'thread')} not pinned")
    if len(evidence.worker_nodes) == 1 and len(evidence.machine.all_cpu_nodes) > 1:
        parts.append(f"all work on {nodes_in_text(evidence.worker_nodes)}")
    return ", ".join(parts) or "no threads were seen"


def notes(evidence: Evidence) -> Iterator[str]:
    """Everything that affects the numbers. Notes of one kind are one line."""
    late = [thread for thread in evidence.threads if not thread.row.from_start]
    if late and not evidence.attached:  # the banner says so
        were, their = either(len(late), "was", "were"), either(len(late), "its", "their")
        latest = max(thread.row.start_ns for thread in late)
        when = f" ({either(len(late), '', 'the last ')}{duration(latest)} after the start)" if latest else ""
        known = all(thread.row.uncounted_ns is not None for thread in late)
        missing = "was not counted" if known else "is neither recorded nor part of the coverage"
        yield f"{plural(len(late), 'thread')} {were} found late{when}: {their} time before {missing}."
    if evidence.counted and evidence.uncounted.part:
        allows = (
            ": the interval of the remote share allows for twice as many requests in that time, all local or remote."
            if evidence.traffic.interval is not None and evidence.uncounted.requests
            else "."
        )
        yield f"{round_percent(evidence.uncounted.part)} of the CPU time passed while threads had no counters{allows}"
    yield from _wandered(evidence)
    thin = [thread for thread in evidence.threads if _thin(thread.traffic)] if evidence.counted else []
    if thin:
        were, their = either(len(thin), "was", "were"), either(len(thin), "its", "their")
        least = round_percent(MIN_COVERAGE)
        yield f"{plural(len(thin), 'thread')} {were} counted for less than {least} of {their} time: n/a."
    if evidence.samples.downsampled:
        names = {kind: several for _, several, kinds in _SAMPLES for kind in kinds}
        read = words([f"{number(row.samples)} {names.get(row.kind, row.name)}" for row in evidence.samples.downsampled])
        yield (
            f"lines and their shares are estimated from {number(MOST_SAMPLES)} evenly chosen samples of {read}: "
            "the error is up to 0.7 %."
        )
    yield from _recorded_notes(evidence)


def _wandered(evidence: Evidence) -> Iterator[str]:
    """The first touches of a thread that nothing keeps on a node lie where the scheduler had it."""
    if pages := wandering(evidence):
        first = thread_in_text(evidence.threads[0])
        why = (
            "nothing kept it on one"
            if evidence.run.pin_policy == "none"
            else "numaprof keeps the first thread of the program that it starts on one node, not that of a static "
            "program, of one in Go, or of one that the program starts"
        )
        yield (
            f"{first} ran on several nodes while it initialised ({why}): it first touched "
            f"{touched_from(evidence, pages)}. The nodes of that memory are chance, and may be others in the next run."
        )


def _thin(traffic: Traffic) -> bool:
    return traffic.total is None and traffic.coverage is not None and traffic.coverage < MIN_COVERAGE


def _recorded_notes(evidence: Evidence) -> Iterator[str]:
    groups: dict[str, list[sql_run.Note]] = defaultdict(list)
    for note in evidence.notes:
        if note.kind != CUT and (note.kind != FAULTS or not evidence.touched_pages):
            groups[note.kind].append(note)
    for group in list(groups.values())[:MOST_NOTES]:
        first = group[0]
        text = clean(first.text)
        more = sum(note.times for note in group) - 1
        if more:
            text += f" (and {number(more)} more of this kind)"
        yield text + (f"; {clean(first.remedy)}" if first.remedy else "")
    if len(groups) > MOST_NOTES:
        yield f"and {plural(len(groups) - MOST_NOTES, 'more kind')} of notes."
