# SPDX-License-Identifier: Apache-2.0
"""One thread first touches, threads of other nodes use: initialise in parallel, as the memory is used later."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from numaprof.analysis.expected_gain import saves
from numaprof.analysis.naming import (
    first_touch_at,
    objects_in_text,
    seen_faults,
    site_label,
    site_position,
    thread_in_text,
    threads_on_nodes,
)
from numaprof.analysis.node_matrix import node_traffic
from numaprof.analysis.object_users import (
    Team,
    home_of,
    later_uses,
    main_cause,
    main_use,
    others,
    shape_of,
    shared,
    storing_line,
    through,
    users,
)
from numaprof.analysis.placement import is_spread, node_order
from numaprof.analysis.relevant_objects import (
    init_sites,
    measured,
    of_remote,
    remote_part,
    serial_suspects,
    stored_beside,
    worth_placing,
)
from numaprof.analysis.remote_share import basis
from numaprof.analysis.verdict import judge
from numaprof.evidence.access_patterns import Shape
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.samples import Used
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import ALL_OF_IT, HARDLY_USED, LINE_BYTES, MAINLY, MIN_PASSES, MIN_PHASE_USES
from numaprof.rules.advice import Advice, Kind, Remarked
from numaprof.rules.change_program.shared_by_all import interleaved_share
from numaprof.rules.change_run import policy
from numaprof.rules.division import by_turns
from numaprof.rules.initialisation import Initialisation, change, code, edits, initialisation_of, is_moved, promised
from numaprof.text.format import nodes_in_text, percent, plural

_OTHER_LINES = 2  # that a finding names beside the first
_MOVED_ONCE = "What the others access would be local, for the price of one copy."


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).fixable or policy.forces(evidence):
        return None
    # Of what all threads share, shared_by_all speaks: a parallel initialisation would not help.
    group = [found for found in serial_suspects(evidence) if not shared(evidence, found) or by_turns(evidence, found)]
    group = [found for found in group if found.use_shape.divided or not _spread_by_policy(evidence, found)]
    if not group or not worth_placing(evidence, group):
        return None
    if not measured(evidence) and (not others(evidence, group[0]) or _used_once(evidence, group)):
        return None
    uses = later_uses(group)
    group += stored_beside(evidence, group)
    sites = init_sites(group)
    # The line that causes most remote reads is this group's own only if most of them are the group's.
    mainly = not measured(evidence) or remote_part(evidence, group) > MAINLY
    use = main_use(uses) or storing_line(evidence, group) or (main_cause(evidence) if mainly else None)
    if use in sites:
        use = None
    init = initialisation_of(evidence, group, sites, use, _shape(evidence, group))
    if init.shape is Shape.INTERLEAVED and _saves_little(evidence, group, init):
        init = replace(init, memories=())  # its pages are not divided as the code would divide it
    removes = _removes(evidence, group, init)
    part = remote_part(evidence, group) if measured(evidence) else _part_of_home_traffic(evidence, group)
    alone = _worked_on_alone(group) if (removes or 0.0) <= 0 and measured(evidence) else None
    if alone is not None:
        return _copy_later(evidence, group, alone, part)
    if removes is None and not code(init) and _stays_with_its_toucher(evidence, group):
        return None
    return Advice(
        kind=Kind.FIX,
        finding=_finding(evidence, group, uses, use),
        change=change(init),
        code=code(init),
        edits=edits(init),
        remarked=_instead(init),
        evidence=_rests_on(evidence, group, uses),
        removes=removes,
        concerns=part if removes is None else None,
        expects=_expects(evidence, group, init),
        saves=saves(evidence, removes if measured(evidence) else part, group),
        objects=tuple(group),
        touched_at=tuple(sites),
        touched_by=evidence.by_id.get(group[0].main_thread),
        used_at=use,
        threads=tuple(init.working),
    )


def _saves_little(evidence: Evidence, group: list[Object], init: Initialisation) -> bool:
    saved = promised(evidence, group, init)
    return saved is not None and saved < MAINLY * remote_part(evidence, group)


def _worked_on_alone(group: list[Object]) -> Site | None:
    """Where the thread that first touches it works on it before any other thread does; None: hardly, or the others have
    no parts."""
    begun = min((row.first_ns for row in _later(group) if row.thread != group[0].main_thread), default=0)
    own = [row for row in _later(group) if row.last_ns < begun]
    enough = sum(row.accesses for row in own) >= MAINLY * sum(found.remote for found in group) > 0
    return main_use(own) if enough and shape_of(group).divided else None


def _stays_with_its_toucher(evidence: Evidence, group: list[Object]) -> bool:
    """The thread that first touches it goes on using it so much that divided among the others more would be remote."""
    own = sum(row.accesses for row in _later(group) if row.thread == group[0].main_thread)
    becomes_remote = 1 - 1 / max(1, len(evidence.machine.memory_nodes))
    return measured(evidence) and becomes_remote * own > sum(found.remote for found in group)


def _later(group: list[Object]) -> list[Used]:
    return [row for found in group for row in found.used if row.steady]


def _copy_later(evidence: Evidence, group: list[Object], alone: Site, part: float | None) -> Advice:
    """Makes its parts local for the threads that divide it, and keeps it local for the one that works on it before."""
    uses = [row for row in _later(group) if row.loop != alone and row.thread != group[0].main_thread]
    use, toucher = main_use(uses), evidence.by_id.get(group[0].main_thread)
    as_used = f", divided as the loop at {site_position(use)} divides it," if use is not None else ""
    return Advice(
        kind=Kind.FIX,
        finding=_finding(evidence, group, uses, use),
        change=f"After the work of {thread_in_text(toucher)} at {site_label(alone)}, copy it in parallel{as_used} to "
        "memory that nobody has written to. With its parts on other nodes from the start, that work would have as many "
        "remote accesses as the others save.",
        evidence=_rests_on(evidence, group, uses),
        concerns=part,
        expects=_MOVED_ONCE,
        untriable="it copies data in the middle of the run",
        objects=tuple(group),
        touched_at=tuple(init_sites(group)),
        touched_by=toucher,
        used_at=use,
        threads=tuple(users(evidence, uses)),
    )


def _spread_by_policy(evidence: Evidence, found: Object) -> bool:
    """One thread touched it first, and still it is on all nodes."""
    return len(evidence.machine.memory_nodes) > 1 and is_spread(evidence, found.known_homes, found.home_samples)


def _used_once(evidence: Evidence, group: list[Object]) -> bool:
    """Other nodes ask for hardly more lines than they need to pass over it once: to initialise it costs as much."""
    if not {"rfo", "prefetch"} <= set(evidence.columns):
        return False  # not all lines are counted
    asked = _from_elsewhere(evidence, home_of(evidence, group[0]))
    lines = evidence.bytes(sum(found.pages for found in group)) / LINE_BYTES
    elsewhere = 1 - 1 / max(1, len(evidence.machine.memory_nodes))
    return asked is not None and asked < MIN_PASSES * elsewhere * lines


def _shape(evidence: Evidence, group: list[Object]) -> Shape:
    """Access pattern. With few samples only a division is accepted: a single thread may be chance."""
    found = shape_of(group)
    return found if measured(evidence) or found.divided else Shape.UNKNOWN


def _expects(evidence: Evidence, group: list[Object], init: Initialisation) -> str | None:
    """What the command that spreads all memory does to the remote share: where much is local, more becomes remote."""
    if is_moved(init):
        return _MOVED_ONCE
    spread = init.spread in code(init) and measured(evidence) and any(found.homes for found in group)
    if not spread:
        return None
    return interleaved_share(evidence, group, all_memory=True, how="Without an edit" if init.sites else "Spread")


def _instead(init: Initialisation) -> tuple[Remarked, ...]:
    """Where it is not known which part each thread uses, a parallel initialisation may be the wrong fix."""
    if init.shape is not Shape.UNKNOWN or init.team is Team.PROCESSES or not init.spreads or init.spread in code(init):
        return ()
    return (Remarked(init.spread, "instead, if every thread uses all of it"),)


def _finding(evidence: Evidence, group: list[Object], uses: list[Used], use: Site | None) -> str:
    sites = init_sites(group)
    by = thread_in_text(evidence.by_id.get(group[0].main_thread))
    share = min(found.main_share for found in group)
    part = "all" if share >= ALL_OF_IT else f"{percent(share)} or more of it"
    touched = f"{first_touch_at(sites)} {objects_in_text(evidence, group)}, {part} from {by}."
    return f"{touched} {_users(evidence, group, uses, use)}"


def _users(evidence: Evidence, group: list[Object], uses: list[Used], use: Site | None) -> str:
    if uses and measured(evidence):
        shape = shape_of(group)
        line = site_label(use) if use is not None else "Code without line numbers"
        inner = through(uses)
        line += f" (through {site_label(inner)})" if inner is not None and use == main_use(uses) else ""
        alone = len(users(evidence, uses)) == 1
        each = f", {shape.among_several}" if not alone and (shape.divided or shape is Shape.ONE) else ""
        told = f"{line} uses it from {threads_on_nodes(users(evidence, uses))}{each}."
        return " ".join([told, *_used_elsewhere(evidence, group, use)])
    remote = threads_on_nodes(others(evidence, group[0]))
    if use is not None:
        return f"Most remote requests come from {site_label(use)}, in {remote}."
    if basis(evidence) is not None:
        return f"{remote} read remotely; no sample tells at which line."
    everyone = threads_on_nodes(evidence.workers)
    working = plural(len(evidence.workers), "thread") if evidence.machine.single else everyone
    return f"{working} could use it; who did is not known here."


def _used_elsewhere(evidence: Evidence, group: list[Object], use: Site | None) -> list[str]:
    """A sentence for each other function that uses objects which the line named first does not use."""
    lines: dict[Site, list[Object]] = defaultdict(list)
    for found in group:
        here = sum(row.accesses for row in found.later if row.loop == use)
        known = sum(row.samples for row in found.later) >= MIN_PHASE_USES
        line = main_use(found.later)
        if (
            known
            and line is not None
            and (use is None or line.function != use.function)
            and here < HARDLY_USED * sum(row.accesses for row in found.later)
        ):
            lines[line].append(found)
    told = sorted(lines.items(), key=lambda item: -sum(found.pages for found in item[1]))[:_OTHER_LINES]
    return [f"Of it, {site_label(line)} uses {objects_in_text(evidence, those)}." for line, those in told]


def _removes(evidence: Evidence, group: list[Object], init: Initialisation) -> float | None:
    """Share of all remote accesses that the fix removes, by the users of each part; None: not known."""
    if measured(evidence) and init.shape is Shape.ONE:
        return remote_part(evidence, group)
    return promised(evidence, group, init) if measured(evidence) else None


def _part_of_home_traffic(evidence: Evidence, group: list[Object]) -> float | None:
    """Estimated share of all remote requests that go to these objects."""
    remote = evidence.traffic.remote.estimate
    if basis(evidence) is None or not remote:
        return None
    nodes = sorted(set(evidence.machine.all_cpu_nodes) & set(evidence.machine.memory_nodes))
    amounts = [_remote(evidence, node) for node in nodes]
    if None in amounts:
        return None
    theirs = sum((amount or 0.0) * _reach(evidence, group, node) for node, amount in zip(nodes, amounts))
    return min(1.0, theirs / remote)


def _remote(evidence: Evidence, node: int) -> float | None:
    """Remote requests of the node's threads, 0 where it has none. None: too little of them was counted."""
    found = node_traffic(evidence, node)
    return 0.0 if found.coverage is None else found.remote.estimate


def _reach(evidence: Evidence, group: list[Object], node: int) -> float:
    """Share of these objects in the memory that is remote for this node."""
    away = sum(pages for site in evidence.init_sites for home, pages in site.pages_by_home.items() if home != node)
    theirs = sum(pages for found in group for home, pages in found.pages_by_home.items() if home != node)
    return theirs / away if away else 0.0


def _from_elsewhere(evidence: Evidence, home: int | None) -> float | None:
    """Remote requests from nodes other than the node of this memory."""
    amounts = [_remote(evidence, node) for node in evidence.machine.all_cpu_nodes if node != home]
    return None if None in amounts else sum(amount or 0.0 for amount in amounts)


def _part_of_home(evidence: Evidence, group: list[Object]) -> float:
    """Share of the touched memory on that node that was touched at these source locations."""
    home = home_of(evidence, group[0])
    there = sum(site.pages for site in evidence.init_sites if home_of(evidence, site) == home)
    return sum(found.pages for found in group if home_of(evidence, found) == home) / there if there else 0.0


def _rests_on(evidence: Evidence, group: list[Object], uses: list[Used]) -> str:
    if measured(evidence):
        return _measured(evidence, group, uses)
    if basis(evidence) is None or evidence.traffic.remote.estimate is None:
        unclear = sum(row.pages for found in group for row in found.unclear)
        share = percent((sum(found.pages for found in group) + unclear) / (evidence.touched_pages + unclear))
        touched = f"{share} of all memory touched{seen_faults(evidence)}"
        return f"page faults only: {touched}. They do not tell who uses it later."
    home, remote = home_of(evidence, group[0]), evidence.traffic.remote.estimate
    theirs = _from_elsewhere(evidence, home)
    elsewhere = "An unknown part" if theirs is None else percent(min(1.0, theirs / remote)) if remote else "none"
    where = "an unknown node" if home is None else nodes_in_text([home])
    parts = ", nor which part each"
    if shape_of(group).divided:
        parts = f"; who uses which part, from {plural(sum(row.samples for row in uses), 'sample')}"
    return (
        f"{elsewhere} of all remote requests come from other nodes than {where}, and "
        f"{percent(_part_of_home(evidence, group))} of the memory touched on {where} was touched here. "
        f"The counters do not tell which array they read{parts}."
    )


def _measured(evidence: Evidence, group: list[Object], uses: list[Used]) -> str:
    text = f"{of_remote(evidence, remote_part(evidence, group))} reach this memory"
    shape = shape_of(group)
    if shape.divided or shape is Shape.ONE:
        return f"{text}; who uses which part, from {plural(sum(row.samples for row in uses), 'sample')}."
    if all(node_order(found) is not None for found in group):
        return f"{text}; which node uses which part, from {plural(sum(row.samples for row in uses), 'sample')}."
    return f"{text}. Which part each thread uses is not known."
