# SPDX-License-Identifier: Apache-2.0
"""The one report document: what terminal, page, JSON, tables and exports render. docs/json.md, `report --schema`.

The docstring of a class explains its fields; json_schema.py makes the JSON Schema of both.

Texts are cleaned (numaprof.text.clean). None means "not known". Times are nanoseconds from the start of the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional

from numaprof.model.machine_model import Cpu, Machine, Measured, Mover, Node, Pair, Requests, SlowTier
from numaprof.model.memory_model import (
    FirstTouch,
    FirstTouches,
    Line,
    Module,
    Modules,
    Move,
    Object,
    Objects,
    Place,
    SourceLine,
    Stretch,
)
from numaprof.model.stacks_model import RemoteStacks, StackFrame, StackWeight

VERSION = 2  # raised when a field changes its meaning or goes; new fields do not raise it

Series = tuple[Optional[float], ...]

__all__ = [  # of other modules
    "Cpu",
    "FirstTouch",
    "FirstTouches",
    "Line",
    "Machine",
    "Measured",
    "Module",
    "Modules",
    "Move",
    "Mover",
    "Node",
    "Object",
    "Objects",
    "Pair",
    "Place",
    "RemoteStacks",
    "Requests",
    "SlowTier",
    "SourceLine",
    "StackFrame",
    "StackWeight",
    "Stretch",
]


@dataclass(frozen=True)
class Run:
    """What was run, where, and how it ended.

    Fields:
        command: The arguments.
        command_line: In shell syntax; the middle of a very long one is left out.
        command_to_copy: In shell syntax, whole; PROGRAM ARGUMENT... in its place if it is too long or not printable.
        started_at: UTC, ISO 8601.
        attached: Ids of the processes that ran before the recorder attached; empty: the program was launched.
        imported: The tool that recorded it, if not numaprof: perf 6.1.187.
        launcher: What started it as a rank of a parallel job: Slurm; null: nothing did.
        wall_ns: From exec to the end of the program; where `attached`, from then to the end of the recording.
        cpu_ns: CPU time of all threads while the recorder counted.
        exit_status: null if a signal ended it, or its end was not seen.
        term_signal: null if it exited.
        complete: false: the recorder was killed or is still at work.
        uarch: The event catalogue's name of the CPU.
        emulated: Name of the emulated machine; null on real hardware. Emulated times mean nothing.
        page_bytes: Size of a base page.
        balancing: kernel.numa_balancing: 0 off, 1 on, 2 tiering.
        balancing_moved_pages: Moved machine-wide while the program ran.
        pin_policy: compact, scatter, none or list.
        pin_plan: CPUs in the order in which threads take them.
        tool_cpu_ns: CPU time of the recorder itself.
        repeat: Which of run -n REPEATS, from 1.
    """

    command: tuple[str, ...]
    command_line: str
    command_to_copy: str
    cwd: str | None
    program: str | None
    pid: int | None
    started_at: str
    attached: tuple[int, ...]
    imported: str | None
    launcher: str | None
    wall_ns: int | None
    cpu_ns: int
    exit_status: int | None
    term_signal: int | None
    complete: bool
    host: str | None
    kernel: str | None
    cpu_name: str | None
    uarch: str | None
    emulated: str | None
    page_bytes: int
    balancing: int | None
    balancing_moved_pages: int | None
    pin_policy: str
    pin_plan: str | None
    tool_cpu_ns: int | None
    repeat: int


@dataclass(frozen=True)
class Verdict:
    """Whether remote memory matters in this run.

    Fields:
        judgement: In one word: binding: the launcher bound the rank to the wrong CPUs or memory; light is leave it
            alone, light_between_packages not so, as much may go between the nodes of a package; moderate little to
            gain, heavy worth fixing; the others say why nothing can be said.
        no_fix: There is advice, and no advice reduces the remote share noticeably.
        headline: The verdict as a sentence.
        details: Sentences that limit or explain the headline.
        basis: counters, loads, hint faults; null: no evidence distinguished local from remote.
        between_packages: Remote is another package: requests between nodes of one package count as local.
        population: What the remote share is a share of.
        remote_share: Remote part of the population.
        lowest: Lower end of the 95 % interval; the share itself if everything was counted all the time;
            null: not known.
        highest: Upper end of the 95 % interval.
        threshold: The share from which remote memory is worth fixing.
        crosses: The threshold, if the interval holds it; null: it does not.
        requests: Counted requests that DRAM answered, scaled to all of the time in which threads had counters.
        requests_error: Half of their 95 % interval; null: not known.
        samples: Number of samples behind the share; null if it is counted.
        coverage: Part of the CPU time in which the events had a counter.
        uncounted: Part of the CPU time in which threads had no counters; 0 if it is less than 0.005.
    """

    judgement: Literal[
        "binding",
        "single_node",
        "unknown",
        "refused",
        "no_traffic",
        "one_node_used",
        "light_between_packages",
        "light",
        "moderate",
        "heavy",
    ]
    no_fix: bool
    headline: str
    details: tuple[str, ...]
    basis: str | None
    between_packages: bool
    population: str | None
    remote_share: float | None
    lowest: float | None
    highest: float | None
    threshold: float
    crosses: float | None
    requests: float | None
    requests_error: float | None
    samples: int | None
    coverage: float | None
    uncounted: float | None


@dataclass(frozen=True)
class NodeThreads:
    """The threads that ran on the same nodes, summed up.

    Fields:
        nodes: The nodes they ran on; empty: not known.
        threads: How many they are; with `by_cpu`, those that are known to have run there.
        by_cpu: Threads were not told apart: the row is of all that ran on the node's CPUs.
        cpus: The CPUs they are known to have run on.
        local: Requests to memory of the node, counted or sampled as the verdict's.
        remote: Requests to memory of other nodes.
        remote_share: Remote part of both.
        lowest: Lower end of the share's 95 % interval; the share itself if everything was counted all the time; null:
            not known.
        highest: Upper end of it.
        remote_heavy: At least a tenth is remote, and it is not a handful of requests.
    """

    nodes: tuple[int, ...]
    threads: int
    by_cpu: bool
    cpus: tuple[int, ...]
    local: float | None
    remote: float | None
    remote_share: float | None
    lowest: float | None
    highest: float | None
    remote_heavy: bool


@dataclass(frozen=True)
class ProcessThreads:
    """The threads of one process, summed up.

    Fields:
        name: Of its first thread.
        threads: How many they are.
        local: Requests to memory of the threads' nodes, counted or sampled as the verdict's.
        remote: Requests to memory of other nodes.
        remote_share: Remote part of both.
        lowest: Lower end of the share's 95 % interval; the share itself if everything was counted all the time; null:
            not known.
        highest: Upper end of it.
        remote_heavy: At least a tenth is remote, and it is not a handful of requests.
    """

    pid: int
    name: str
    threads: int
    local: float | None
    remote: float | None
    remote_share: float | None
    lowest: float | None
    highest: float | None
    remote_heavy: bool


@dataclass(frozen=True)
class Summary:
    """The answer in short; what it does not hold stands in verdict and advice.

    Fields:
        cost_least: Least part of the CPU time that remote reads cost, if as many overlap as a core can have under way.
        cost_most: Most of it, if none overlaps; null: not known, or emulated time.
        extra_ns: What a remote read takes longer than a local one.
        extra_measured: false: extra_ns is assumed; topology --measure measures it.
        bytes_per_s: Bytes from DRAM per second of run time: requests times cache lines.
        nodes: Threads by the nodes they ran on, those with most remote requests first.
        processes: Threads by process, likewise; empty where there is but one.
    """

    cost_least: float | None
    cost_most: float | None
    extra_ns: float
    extra_measured: bool
    bytes_per_s: float | None
    nodes: tuple[NodeThreads, ...]
    processes: tuple[ProcessThreads, ...]


@dataclass(frozen=True)
class Level:
    """One level of evidence.

    Fields:
        collector: counters, samples, faults or pages.
        detail: What was used.
        remedy: What would make it usable.
    """

    level: int
    collector: str
    used: bool
    detail: str | None
    why_not: str | None
    remedy: str | None


@dataclass(frozen=True)
class Taken:
    """Samples of one kind.

    Fields:
        kind: Word of sample_kind in the recording's schema.
        weight: What they stand for: base pages for faults, else events.
    """

    kind: str
    samples: int
    weight: int


@dataclass(frozen=True)
class Note:
    """What qualifies a number.

    Fields:
        kind: One word, listed in docs/recording.md.
        times: How often this was noted.
        value: The numbers of these notes, added up.
    """

    kind: str
    text: str
    remedy: str | None
    times: int
    value: int | None


@dataclass(frozen=True)
class Overview:
    """The head of the report, in words.

    Fields:
        banner: What must be known before anything else is read: emulated, cut short, how it ended.
        measured: The machine, the counters and samples there are, and what is missing and why.
        pinning: Which rank of a job and who bound it, pinning, NUMA balancing, the tool's own CPU time.
        counted: What the requests of each class include or miss.
        qualifying: Notes that affect the numbers.
        decisive: In short, those of them that change how the verdict is to be read.
        unexplained: Where to look, if much is remote and there is no advice.
    """

    banner: tuple[str, ...]
    measured: tuple[str, ...]
    pinning: tuple[str, ...]
    counted: tuple[str, ...]
    qualifying: tuple[str, ...]
    decisive: tuple[str, ...]
    unexplained: str | None


@dataclass(frozen=True)
class Thread:
    """One thread.

    Fields:
        id: Of this recording.
        position: In the order of start, from 0.
        name: Name and thread id.
        cpu: The only CPU it is known to have run on.
        cpus: All CPUs it is known to have run on; empty: not known.
        nodes: Where it ran; empty: not known.
        pin: planned: by numaprof; program: by itself; helper: left free; none.
        migrated: It was pinned and yet moved.
        from_start: false: found late, at start_ns; its time before was not counted.
        local: Requests to memory of its nodes, counted or sampled as the verdict's; null: not known.
        remote: Likewise, to memory of other nodes.
        remote_share: Remote part of the verdict's population.
        lowest: Lower end of what the true share may be (95 %); null: not known.
        highest: Upper end of the 95 % interval.
        requests: Counted requests that DRAM answered; null without counters.
        samples: Number of samples behind the share; null if it is counted.
        coverage: Part of its CPU time in which its events had a counter.
        uncounted_ns: CPU time before its counters were open, which cpu_ns lacks; null: not known, or none were opened.
        remote_heavy: At least a tenth is remote, and there is enough traffic to matter.
        classes: Kinds of requests that do not overlap.
    """

    id: int
    position: int
    name: str
    pid: int
    tid: int
    cpu: int | None
    cpus: tuple[int, ...]
    nodes: tuple[int, ...]
    pin: str
    migrated: bool
    from_start: bool
    migrations: int | None
    cpu_ns: int | None
    start_ns: int
    end_ns: int | None
    local: float | None
    remote: float | None
    remote_share: float | None
    lowest: float | None
    highest: float | None
    requests: float | None
    samples: int | None
    coverage: float | None
    uncounted_ns: int | None
    remote_heavy: bool
    classes: tuple[Requests, ...]


@dataclass(frozen=True)
class Phase:
    """A time in which the recorder counted.

    Fields:
        end_ns: null: to the end of the run.
        cause: run, delay, control or mark.
    """

    start_ns: int
    end_ns: int | None
    cause: str


@dataclass(frozen=True)
class Moment:
    """One step of the time line.

    Fields:
        local: In this step, scaled where coverage is below 0.99; null: not counted.
        remote: Likewise.
        touched_pages: Base pages first touched in this step.
    """

    start_ns: int
    local: float | None
    remote: float | None
    coverage: float | None
    touched_pages: int


@dataclass(frozen=True)
class ThreadLine:
    """One thread's part of the time line.

    Fields:
        thread: Thread.id.
        local: One value for each step from the start of the run.
        remote: Likewise.
    """

    thread: int
    local: tuple[float | None, ...]
    remote: tuple[float | None, ...]


@dataclass(frozen=True)
class Timeline:
    """Requests and first touches over time.

    Fields:
        step_ns: Length of a moment.
        thread_step_ns: Length of a step of the threads' lines.
        population: What local and remote count: requests of the verdict's population, else sampled accesses.
        phases: When the recorder was counting, and why.
    """

    step_ns: int
    thread_step_ns: int
    population: str | None
    phases: tuple[Phase, ...]
    moments: tuple[Moment, ...]
    threads: tuple[ThreadLine, ...]


@dataclass(frozen=True)
class Remarked:
    """A line of code.

    Fields:
        remark: Where it goes, or when it is the better one.
    """

    code: str
    remark: str


@dataclass(frozen=True)
class Change:
    """Lines of a source file that give way to others.

    Fields:
        file: As the recording names it.
        first: The first line that is replaced.
        last: The last; if it is less than `first`, the new lines stand between these two.
        lines: The new ones.
    """

    file: str
    first: int
    last: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """Runs of the program with the advised placement, beside plain runs: the result of `numaprof try`.

    Fields:
        verdict: Whether the edit is worth it.
        why: What that rests on.
        plain_runs: Runs as it is that ended well.
        placed_runs: Runs with the placement that ended well.
        times_as_fast: Median run time before, divided by that after; null: not known.
        p: How often chance alone would separate the sides as clearly; null: not known.
        remote_before: Median remote share of the plain runs; null: not known.
        remote_before_range: Lowest and highest of these shares and their 95 % intervals; empty: an error is not known.
        remote_after: Median remote share of the placed runs; null: not known.
        remote_after_range: As remote_before_range.
        verified: Part of the checked bytes that lay on the asked node; null: none was checked.
        checked_bytes: Touched memory whose node was looked up, of all placed runs.
        placements: What was placed, and how.
    """

    verdict: Literal["worth the edit", "leave it", "cannot tell"]
    why: str
    plain_runs: int
    placed_runs: int
    times_as_fast: float | None
    p: float | None
    remote_before: float | None
    remote_before_range: tuple[float, ...]
    remote_after: float | None
    remote_after_range: tuple[float, ...]
    verified: float | None
    checked_bytes: int
    placements: tuple[str, ...]


@dataclass(frozen=True)
class Advice:
    """One recommendation.

    Fields:
        kind: fix: change the program; setting: run it differently; leave: change nothing.
        decision: What it decides about memory: parts, per allocation, interleave, one node, leave; else setting.
        finding: The problem.
        change: What to do about it.
        code: The change as code or command.
        changes: The same as changes of whole lines; empty: the code is no edit of the program's source.
        patch: These as a unified diff relative to the root of the source, as git apply and patch -p1 take it.
        flags: Flags of the compiler and the linker that the edits need.
        why_not_better: Why a better form of the edits is not safe, or why there is none; empty: nothing is in its way.
        remarked: More code, each line by itself.
        evidence: What the advice rests on, and what is unknown.
        cause: Why the data is where it is, in a few words; null: `touched_at` and `touched_by` tell.
        expects: What the change does where `removes` is not known: a sentence; null: not known.
        removes: Part of all remote accesses that the change removes; null: not known.
        removes_lowest: Lower end of the 95 % interval of `removes`; null: not known.
        removes_highest: Upper end of that interval.
        concerns: If the change removes no remote accesses but makes them cheaper: the part that becomes cheaper.
        saves: Gain in time, a range with its assumptions.
        shared: No thread has a part of the data, so as much stays remote, wherever it is.
        objects: The data of the advice: positions in `objects.rows`, most important first.
        touched_at: Where that data is first touched.
        touched_by: Id of the thread that first touches most of it.
        used_at: Line that uses that data most.
        threads: Ids of the threads that use the data; without objects, of the threads of the advice.
        can_be_tried: `numaprof try` can imitate it without an edit.
        trial: Result of the last `numaprof try` of this recording; null: the advice was not tried.
        shown_in: Parts of this report that show the evidence, by the names the HTML page gives them.
    """

    kind: Literal["fix", "setting", "leave"]
    decision: str
    finding: str
    change: str
    code: tuple[str, ...]
    changes: tuple[Change, ...]
    patch: str
    flags: tuple[str, ...]
    why_not_better: tuple[str, ...]
    remarked: tuple[Remarked, ...]
    evidence: str
    cause: str | None
    expects: str | None
    removes: float | None
    removes_lowest: float | None
    removes_highest: float | None
    concerns: float | None
    saves: str | None
    shared: bool
    objects: tuple[int, ...]
    touched_at: tuple[Place, ...]
    touched_by: int | None
    used_at: Place | None
    threads: tuple[int, ...]
    can_be_tried: bool
    trial: Trial | None
    shown_in: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """What the terminal shows.

    Fields:
        format: What this file is.
        version: Raised when a field changes its meaning or goes. New fields do not raise it.
        tool_version: Of the recorder.
        recording: The file that was read.
        run: What was run, where, and how it ended.
        verdict: The remote share and its judgement.
        overview: The head of the report in sentences.
        advice: What to do, most profitable first.
        taken: Samples by kind.
        machine: Nodes, CPUs, and who reads where.
        threads: In the order of their start, which is the order in which the pinning plan deals out CPUs.
        objects: Variables, allocations and other memory with a name, the most remote first.
        lines: The 60 places that matter most for first touches or for remote accesses.
        lines_not_listed: Places with less than the last of `lines`.
        first_touches: Where most memory is touched first.
        modules: In whose code the instructions stand that read remotely.
    """

    format: Literal["numaprof.report"]
    version: int
    tool_version: str
    recording: str
    run: Run
    verdict: Verdict
    summary: Summary
    overview: Overview
    advice: tuple[Advice, ...]
    taken: tuple[Taken, ...]
    machine: Machine
    threads: tuple[Thread, ...]
    objects: Objects
    lines: tuple[Line, ...]
    lines_not_listed: int
    first_touches: FirstTouches
    modules: Modules


@dataclass(frozen=True)
class Report(Answer):
    """All that one recording tells.

    Texts that came from the program are cleaned: what is not printable stands as \\xNN. null means not known, never
    nothing. Times are nanoseconds; _ns points in time count from the start of the run. Shares lie between 0 and 1.

    Fields:
        levels: Evidence levels, 1 is the best: used or not, and why not.
        notes: Whatever qualifies a number, as recorded.
        timeline: Requests over time.
        remote_stacks: Remote accesses by call stack, thread, object and time.
    """

    levels: tuple[Level, ...]
    notes: tuple[Note, ...]
    timeline: Timeline
    remote_stacks: RemoteStacks
