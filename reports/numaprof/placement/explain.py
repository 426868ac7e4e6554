# SPDX-License-Identifier: Apache-2.0
"""The decision in words: what is the matter, what to change, and what that rests on. No text is searched here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from numaprof.analysis.expected_gain import saves
from numaprof.analysis.naming import (
    command_to_copy,
    first_touch_at,
    homes_in_text,
    objects_in_text,
    positions,
    seen_faults,
    site_label,
    site_position,
    thread_in_text,
    threads_on_nodes,
)
from numaprof.analysis.object_users import Team, main_cause, main_use, storing_line, team, through, users
from numaprof.analysis.relevant_objects import init_sites, measured, of_remote, remote_part
from numaprof.analysis.remote_share import remote_share
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.samples import LibraryCall, Used
from numaprof.evidence.thresholds import (
    ALL_OF_IT,
    MAINLY,
    MIN_USES_OF_THREAD,
    NEARLY_ALL,
    ONLY_THREAD,
    REMOTE_LIGHT,
)
from numaprof.placement.advice import Advice, Kind, Remarked
from numaprof.placement.code import code_for, fixes_of, others_are_local, writes_zeros
from numaprof.placement.decide import MIN_GAIN, Decision, Scored, decide, decisions_of
from numaprof.placement.levers import Lever, Origin
from numaprof.placement.placements import Form, Placement
from numaprof.placement.runtime_options import option_of_runtime
from numaprof.placement.settings import SETTINGS
from numaprof.text.format import percent, plural, round_percent


def advise(evidence: Evidence, rows: Sequence[Scored] | None = None) -> list[Advice]:
    """All that should change, what pays most first; else why nothing should. rows: of all objects, where known."""
    decisions = decide(evidence) if rows is None else decisions_of(evidence, rows)
    changes = [_change(evidence, group) for group in _alike(decisions)]
    settings = [advice for rule in SETTINGS if (advice := rule(evidence)) is not None]
    found = sorted([*changes, *settings], key=lambda advice: (advice.kind.value, -advice.benefit))
    kept = [decision for decision in decisions if decision.kind == "leave" and decision.scored]
    return found or [_leave(evidence, decision) for decision in kept[:1]]


def _alike(decisions: Sequence[Decision]) -> list[list[Decision]]:
    """Edit sites that need the same change are one advice."""
    groups: dict[object, list[Decision]] = defaultdict(list)
    for decision in decisions:
        if decision.kind != "leave":
            serial = all(obj.main_share >= NEARLY_ALL for obj in decision.objects)
            toucher = decision.objects[0].main_thread if serial else None
            groups[decision.kind, decision.lever, toucher].append(decision)
    return list(groups.values())


class _Subject:
    """What the sentences about a group of decisions name."""

    def __init__(self, evidence: Evidence, decisions: Sequence[Decision]) -> None:
        self.evidence, self.decisions = evidence, decisions
        self.objects = [obj for decision in decisions for obj in decision.objects]
        self.uses: list[Used] = [row for obj in self.objects for row in obj.later]
        self.sites = [] if all(obj.placed_before for obj in self.objects) else init_sites(self.objects)
        self.working: list[Thread] = users(evidence, self.uses) or list(evidence.workers)
        self.toucher = evidence.by_id.get(self.objects[0].main_thread) if self.sites else None
        self.serial = all(obj.main_share >= NEARLY_ALL for obj in self.objects)
        self.team = team(evidence, self.objects[0].main_thread, self.working)
        self.part = remote_part(evidence, self.objects)
        mainly = not measured(evidence) or self.part > MAINLY
        self.use = (
            main_use(self.uses) or storing_line(evidence, self.objects) or (main_cause(evidence) if mainly else None)
        )
        share = remote_share(evidence)
        self.share = share.share if share is not None else 0.0
        self.placement: Placement = decisions[0].placement
        self.call: LibraryCall | None = evidence.samples.library_calls.get(self.sites[0]) if self.sites else None

    @property
    def loop(self) -> str:
        return f"the loop at {site_position(self.use)}" if self.use is not None else "the loop that uses it"


def _change(evidence: Evidence, decisions: Sequence[Decision]) -> Advice:
    about, lever = _Subject(evidence, decisions), decisions[0].lever
    code = code_for(evidence, decisions, about.use, about.team is Team.OPENMP)
    option = option_of_runtime(evidence, about.sites) if lever is Lever.RUNTIME else None
    divided = decisions[0].placement.form.divided
    removes = sum(decision.gain for decision in decisions) / about.share if divided and about.share else None
    low, high = (sum(decision.interval[side] for decision in decisions) / (about.share or 1.0) for side in (0, 1))
    change, lines = option or (_WORDS[lever](about, bool(code.lines)), code.lines)
    return Advice(
        kind=Kind.SETTING if lever in _WITHOUT_EDIT else Kind.FIX,
        decision=decisions[0].kind,
        finding=_finding(about),
        change=change,
        code=lines,
        edits=() if option else code.edits,
        fixes=() if option else fixes_of(evidence, decisions, about.sites, about.use, about.team is Team.OPENMP),
        remarked=_instead(evidence, decisions[0]),
        evidence=_rests_on(about),
        cause=_CAUSES.get(decisions[0].scored[0].origin),
        removes=min(1.0, removes) if removes is not None and not option else None,
        interval=(max(0.0, low), min(1.0, high)) if removes is not None and not option else None,
        concerns=about.part if removes is None else None,
        expects=None if divided else _after_interleaving(about),
        saves=saves(evidence, removes, about.objects) if removes is not None else None,
        shared=not divided,
        decisions=tuple(decisions),
        objects=tuple(about.objects),
        touched_at=tuple(about.sites),
        touched_by=about.toucher if about.serial else None,
        used_at=about.use if about.use not in about.sites else None,
        threads=tuple(about.working),
    )


def _instead(evidence: Evidence, decision: Decision) -> tuple[Remarked, ...]:
    """Where no sample tells who uses which part, what holds for any use."""
    share, later = remote_share(evidence), 1 - 1 / max(1, len(evidence.machine.memory_nodes))
    more = share is not None and later > share.share + REMOTE_LIGHT  # interleaved, more would be remote
    if more or not decision.placement.form.divided or not all(row.matrix.assumed for row in decision.scored):
        return ()
    command = f"numactl --interleave=all {command_to_copy(evidence)}"
    return (Remarked(command, "instead, if every thread uses all of it"),)


# --- what is the matter


_CAUSES = {
    Origin.FILE: "the page cache placed it when it was first read or written",
    Origin.RECYCLED: "written first, then freed and used again",
    Origin.HUGE: "one huge page holds parts of several nodes",
    Origin.POLICY: "a memory policy interleaves it",
    Origin.BEFORE: "placed before numaprof attached",
}


def _finding(about: _Subject) -> str:
    evidence, what = about.evidence, objects_in_text(about.evidence, about.objects)
    by = thread_in_text(about.toucher)
    first = about.decisions[0].scored[0]
    if first.origin is Origin.BEFORE:
        placed = f"{what} was placed before numaprof attached, on {homes_in_text(dict(first.matrix.homes))}."
    elif first.origin is Origin.RECYCLED:
        row = max(first.obj.before, key=lambda each: each.pages)
        toucher = thread_in_text(evidence.by_id.get(row.thread))
        placed = f"{site_label(row.site)} first touched {what}, from {toucher}, and freed it; it is handed out again."
    elif not about.sites:
        placed = f"{what} is on nodes other than those that use it."
    elif about.serial:
        share = min(obj.main_share for obj in about.objects)
        part = "all" if share >= ALL_OF_IT else f"{percent(share)} or more of it"
        placed = f"{first_touch_at(about.sites)} {what}, {part} from {by}."
    else:
        placed = f"{first_touch_at(about.sites)} {what} from several threads."
    if not about.uses:
        return f"{placed} {_unseen_users(about)}"
    line = site_label(about.use) if about.use is not None else "Code without line numbers"
    inner = through(about.uses)
    line += f" (through {site_label(inner)})" if inner is not None else ""
    who = threads_on_nodes(users(evidence, about.uses) or list(evidence.workers))
    divided = about.placement.form not in (Form.AS_IT_IS, Form.INTERLEAVED)
    pattern = in_words(about.placement) if divided else use_in_words(first)
    shown = pattern not in (NOT_KNOWN, ONE) and len(users(evidence, about.uses)) > 1
    return f"{placed} {line} uses it from {who}{f': {pattern}' if shown else ''}."


def _unseen_users(about: _Subject) -> str:
    evidence = about.evidence
    home = max(about.objects[0].homes, key=lambda node: about.objects[0].homes[node], default=None)
    away = [thread for thread in evidence.workers if thread.node is not None and thread.node != home]
    remote = threads_on_nodes(away or list(evidence.workers))
    if about.use is not None:
        return f"Most remote requests come from {site_label(about.use)}, in {remote}."
    return f"{threads_on_nodes(evidence.workers)} could use it; who did is not known here."


NOT_KNOWN, ONE, MAINLY_ONE = "not known", "one thread only", "nearly all by one of them"
ALL = "every thread all of it"


def use_in_words(row: Scored | None) -> str:
    """How the threads divide an object, as its samples tell."""
    if row is None or row.matrix.assumed or len(row.matrix.uses) < MIN_USES_OF_THREAD:
        return NOT_KNOWN
    shares = sorted(row.matrix.by_thread.values())
    if shares[-1] >= ONLY_THREAD * row.matrix.weight:
        return ONE if len(shares) == 1 else MAINLY_ONE
    if row.matrix.effective < MIN_USES_OF_THREAD:
        return NOT_KNOWN
    return in_words(row.owned) if row.owned is not None else ALL if row.bits < 0 else NOT_KNOWN


def in_words(placement: Placement) -> str:
    """How the threads divide what is placed so."""
    if placement.form is Form.PER_ALLOCATION:
        return "each thread allocations of its own"
    if placement.form is Form.PARTS and placement.periods > 1:
        return "each thread several blocks of its own"
    if placement.form.divided:
        return "each thread a block of its own"
    return "the threads of one node" if placement.form is Form.ONE_NODE else ALL


# --- what to change


def _first_touch(about: _Subject, has_code: bool) -> str:
    if about.placement.form is Form.ONE_NODE:
        return "One node alone uses it: let a thread of that node initialise it, and not the one that does so now."
    if about.call is not None and about.call.container:
        how = "Use an allocator that leaves elements unwritten, and initialise it in parallel"
    elif about.team is Team.PROCESSES:
        return (
            "Let each process initialise what it uses after the fork: a child's first write to a page decides its node."
        )
    else:
        how = "Initialise it in parallel"
    by_code = " Or place the parts by this code:" if has_code else ""
    if about.team is Team.OPENMP:
        zeros = writes_zeros(about.decisions, openmp=True)
        return (
            f"{how}, with the same schedule as {about.loop}, before anything else writes to it. The first write to a "
            f"page decides its node{(':' if has_code else '.') if zeros else '.' + by_code}"
        )
    now = f", instead of the first writes at {positions(about.sites)}" if about.sites else ""
    each = f"Let each thread write first to the part that it uses later{now}."
    allocator = "Use an allocator that leaves elements unwritten. " if how.startswith("Use") else ""
    return f"{allocator}{each}{by_code}"


def _policy(about: _Subject, has_code: bool) -> str:
    if about.placement.form is Form.PER_ALLOCATION:
        own = "Let each thread allocate and write first the blocks that it uses."
        return own + (
            " Or place each block on the node of its user, before anything is written to it:" if has_code else ""
        )
    return f"Let each thread write first to the parts that it uses at {_use(about)}." + (
        " Or place the parts by this code, before anything writes to them:" if has_code else ""
    )


def _use(about: _Subject) -> str:
    return site_position(about.use) if about.use is not None else "the place of use"


def _move(about: _Subject, has_code: bool) -> str:
    grows = f"It grows while one thread fills it at {positions(about.sites)}."
    better = "Allocate it at its final size before, and let each thread write first to the part that it uses later."
    return f"{grows} {better}" + (
        " Or, once it is full, move its parts to the nodes that use them:" if has_code else ""
    )


def _interleave(about: _Subject, has_code: bool) -> str:
    data = "it" if others_are_local(about.evidence, about.objects) else "all memory of the program"
    return (
        "A parallel initialisation would not help: no thread has a part of its own. If it is only read, a copy on each "
        f"node makes all reads local. Otherwise, interleave {data} over the nodes:"
    )


def _fresh_pages(about: _Subject, _: bool) -> str:
    return (
        "Freed memory is used again: its pages stay on the node where they were first written. Have glibc take large "
        "blocks fresh from the kernel:"
    )


def _small_pages(about: _Subject, _: bool) -> str:
    return "Begin each thread's part at a multiple of the huge page, or use small pages for it:"


def _spread_file(about: _Subject, _: bool) -> str:
    return (
        "Let each thread read() what it uses into memory of its own. Or drop the page cache of all files (as root), so "
        "that the next run interleaves this file over the nodes:"
    )


def _no_policy(about: _Subject, _: bool) -> str:
    return (
        f"{_first_touch(about, False)} Run without the policy that interleaves it (numactl, or mbind and set_mempolicy "
        "in the program)."
    )


def _migrate(about: _Subject, _: bool) -> str:
    return f"All its users run on node {about.placement.node}: move its memory there, now and without a restart:"


def _command(about: _Subject, _: bool) -> str:
    return "Interleave its memory over the nodes at the next start, or run it on one node:"


_WORDS = {
    Lever.FIRST_TOUCH: _first_touch,
    Lever.POLICY: _policy,
    Lever.MOVE: _move,
    Lever.INTERLEAVE: _interleave,
    Lever.FRESH_PAGES: _fresh_pages,
    Lever.SMALL_PAGES: _small_pages,
    Lever.SPREAD_FILE: _spread_file,
    Lever.NO_POLICY: _no_policy,
    Lever.MIGRATE: _migrate,
    Lever.COMMAND: _command,
    Lever.RUNTIME: _command,
}
_WITHOUT_EDIT = {Lever.SPREAD_FILE, Lever.MIGRATE, Lever.COMMAND}


def _after_interleaving(about: _Subject) -> str:
    """What it does to the remote share of this memory."""
    now, nodes = about.decisions[0].scored[0].now.remote, len(about.evidence.machine.memory_nodes)
    later = 1 - 1 / nodes
    if abs(now - later) < MIN_GAIN:
        stays = f"about {round_percent(later)} stays remote"
    else:
        stays = f"{round_percent(later)} is remote (now {round_percent(now)})"
    return f"All controllers share the load; {stays}."


# --- what it rests on


def _rests_on(about: _Subject) -> str:
    rows = [row for decision in about.decisions for row in decision.scored]
    if all(row.matrix.assumed for row in rows):
        pages = sum(obj.pages_at_most for obj in about.objects)
        part = percent(min(1.0, pages / (about.evidence.touched_pages or 1.0)))
        return (
            f"who first touched it: {part} of all memory touched{seen_faults(about.evidence)}. No sample tells who "
            "uses it later; a longer run, or more samples, would."
        )
    samples = sum(len(row.matrix.uses) for row in rows)
    text = f"{of_remote(about.evidence, about.part)} reach this memory; {plural(samples, 'sample')} tell who uses it"
    scored = about.decisions[0].scored[0]
    if scored.runner_up is not None and scored.runner_up.form is not Form.AS_IT_IS:
        text += f". Next best: {_in_short(scored.runner_up)}"
    return f"{text}."


def _in_short(placement: Placement) -> str:
    return {
        Form.AS_IT_IS: "as it is",
        Form.ONE_NODE: f"all on node {placement.node}",
        Form.INTERLEAVED: "interleaved",
        Form.PARTS: "parts in the order of the threads",
        Form.PIECES: "parts by their users",
        Form.PER_ALLOCATION: "each allocation with its user",
    }[placement.form]


def _leave(evidence: Evidence, decision: Decision) -> Advice:
    """Nothing pays: what the best placements would do."""
    about, scored = _Subject(evidence, [decision]), decision.scored[0]
    by_all = (
        " Every thread uses all of it. It helps to give each thread the same part each time (a static schedule). If it "
        "is only read, a copy on each node makes all reads local."
    )
    return Advice(
        kind=Kind.LEAVE,
        decision="leave",
        finding=_finding(about),
        change=f"Leave its placement alone: {percent(scored.now.remote)} of its requests are remote, and no other "
        f"placement saves {percent(MIN_GAIN)} of all requests.{by_all if use_in_words(scored) == ALL else ''}",
        evidence=_rests_on(about),
        concerns=about.part,
        decisions=(decision,),
        objects=tuple(about.objects),
        touched_at=tuple(about.sites),
        used_at=about.use,
        threads=tuple(about.working),
    )
