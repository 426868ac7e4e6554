# SPDX-License-Identifier: Apache-2.0
"""All threads use all of it: no initialisation makes that local. Spread it, or keep a copy on each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numaprof.analysis.naming import (
    command_to_copy,
    list_of_sites,
    most_at,
    objects_in_text,
    site_label,
    site_position,
    threads_on_nodes,
)
from numaprof.analysis.object_users import Team, is_refilled, later_uses, leading, main_use, shared, team, users
from numaprof.analysis.placement import is_spread, spreading_adds
from numaprof.analysis.relevant_objects import (
    allocation_sites,
    init_sites,
    measured,
    of_remote,
    remote_part,
    remote_share_of,
    suspects,
    used_by_owner,
    worth_placing,
)
from numaprof.analysis.remote_share import remote_share
from numaprof.analysis.verdict import Judgement, judge
from numaprof.evidence.access_patterns import Shape
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.first_touches import summed
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import Site
from numaprof.evidence.spread import effective_size, sampled_interval
from numaprof.evidence.thresholds import ONE_CONTROLLER, ONE_HOME, REMOTE_LIGHT
from numaprof.fixes import find as fixes
from numaprof.fixes.edit import Edit, printed
from numaprof.fixes.snippets import edits_of, interleaved, unplaced
from numaprof.recording.sql.sql_samples import STORE
from numaprof.rules.advice import Advice, Kind
from numaprof.rules.change_run import policy
from numaprof.rules.change_run.one_controller import served_by
from numaprof.rules.division import by_turns
from numaprof.text.format import either, percent, plural, round_percent

_SCHEDULE = {
    Team.OPENMP: " If the loop has a dynamic schedule, a static one would give each thread a part.",
    Team.THREADS: " If threads take their work from a queue, a fixed division of it would give each a part.",
}


def rule(evidence: Evidence) -> Advice | None:
    """Addresses show that every thread reaches all of what lies on one node."""
    if not judge(evidence).fixable or policy.forces(evidence):
        return None
    group, _ = told_alike(used_whole(evidence))
    uses = later_uses(group)
    if not group or not ((uses and measured(evidence)) or judge(evidence) is Judgement.HEAVY):
        return None
    sites, part = init_sites(group), remote_part(evidence, group) if measured(evidence) else None
    working = users(evidence, uses) or list(evidence.workers)
    changes = edits(evidence, group)
    if spreading_it_adds(evidence, group, changes):
        return None
    what = objects_in_text(evidence, group)
    lines = printed(changes) or _unplaced(evidence, group)
    all_memory = "numactl" in "".join(lines)
    where, served = _homes_in_words(evidence, group)
    placed = f"{list_of_sites(sites)} first touched {what}{where}; it is" if sites else f"{what}{where} is"
    return Advice(
        kind=Kind.FIX,
        finding=f"{placed} {used_in_words(group, working, main_use(uses))}. {served}",
        change=_change(evidence, group, working),
        code=lines,
        edits=changes,
        evidence=_rests_on(evidence, group, part),
        expects=interleaved_share(evidence, group, all_memory),
        concerns=part,
        shared=True,
        objects=tuple(group),
        touched_at=tuple(sites),
        touched_by=evidence.by_id.get(group[0].main_thread),
        used_at=main_use(uses),
        threads=tuple(working),
    )


def used_whole(evidence: Evidence) -> list[Object]:
    """What all threads use whole, and lies on some nodes more than on others."""
    group = [found for found in suspects(evidence) if _serves_all(evidence, found)]
    return group if worth_placing(evidence, group) else []


def told_alike(group: list[Object]) -> tuple[list[Object], bool]:
    """Of these what is used whole, or (true) what two lines divide differently: that with more remote accesses."""
    apart = [found for found in group if found.apart_at]
    whole = [found for found in group if not found.apart_at]
    if sum(found.remote for found in apart) > sum(found.remote for found in whole):
        return apart, True
    return whole, False


def used_in_words(group: list[Object], working: Sequence[Thread], use: Site | None) -> str:
    """Of told_alike."""
    apart = leading(group).apart_at
    if not apart:
        return f"used whole by {threads_on_nodes(working)}{most_at(use)}"
    lines = " and ".join(map(site_label, apart))
    return f"divided among {threads_on_nodes(working)} in blocks at {lines}, but differently at each"


def spreading_it_adds(evidence: Evidence, group: list[Object], changes: tuple[Edit, ...]) -> bool:
    """Spread, what all use whole would be more remote, or all memory where it cannot be spread alone; and no controller
    serves nearly all."""
    if _one_serves_all(evidence):
        return False
    now, later = remote_share_of(group), 1 - 1 / len(evidence.machine.memory_nodes)
    if not changes or now is None:
        return spreading_adds(evidence)
    uses = later_uses(group)
    samples = effective_size(sum(row.accesses for row in uses), sum(row.squares for row in uses))
    return max(now + REMOTE_LIGHT, sampled_interval(now, samples)[1]) < later  # and that is no chance of the samples


def _one_serves_all(evidence: Evidence) -> bool:
    return max(served_by(evidence).values(), default=1.0) >= ONE_CONTROLLER


def _homes(group: list[Object]) -> dict[int, float]:
    return summed(each for found in group for each in found.homes.items())


def _homes_in_words(evidence: Evidence, group: list[Object]) -> tuple[str, str]:
    """Where the memory is, all objects together, and what these nodes do."""
    homes, nodes = _homes(group), len(evidence.machine.memory_nodes)
    total, most = sum(homes.values()), max(homes.values())
    if is_spread(evidence, homes):
        return "", "Each of these is on some nodes more than on others."
    if most >= ONE_HOME * total:
        return " on one node", "One node's memory serves all."
    if most > total / 2:
        return f", {percent(most / total)} of it on one node", "One node's memory serves most."
    above = [pages for pages in homes.values() if pages > total / nodes]
    where = f", {percent(sum(above) / total)} of it on {len(above)} of {nodes} nodes"
    return where, f"{either(len(above), 'That node serves', 'Those nodes serve')} more than the others."


def interleaved_share(evidence: Evidence, group: list[Object], all_memory: bool, how: str = "Spread") -> str:
    """What it does to the remote share: threads beside the memory, and one that fills it alone, lose local memory."""
    whole, later = remote_share(evidence), 1 - 1 / len(evidence.machine.memory_nodes)
    part = remote_share_of(group)
    now = part if not all_memory else whole.share if whole is not None else None
    what = "" if all_memory else " of its samples"
    if now is None:
        change = f"{how}, about {round_percent(later)}{what} remote"
    elif abs(now - later) < REMOTE_LIGHT:
        change = f"{how}, as much remote"
    else:
        change = f"{how}, about {round_percent(later)}{what} remote (now {round_percent(now)})"
    if now is not None and later < now - REMOTE_LIGHT:
        return f"{change}, and all nodes serve it."
    return f"{change}, but all nodes serve it: faster only if {_busiest(evidence, _homes(group))} is the limit now."


def _busiest(evidence: Evidence, homes: Mapping[int, float]) -> str:
    """Whose memory may be the limit, and how much it has to do."""
    node = max(homes, key=lambda each: homes[each])
    if homes[node] <= sum(homes.values()) / 2:
        return "a node's memory"
    share = served_by(evidence).get(node)
    return f"node {node}'s memory" + (f" ({round_percent(share)} of all requests)" if share else "")


def _rests_on(evidence: Evidence, group: list[Object], part: float | None) -> str:
    apart = bool(leading(group).apart_at)
    if part is None:
        whole = "" if apart else ": each thread's span all of it"
        return f"addresses of sampled loads, most of which caches answered{whole}."
    seen = sum(row.samples for row in later_uses(group)) or sum(found.known_samples for found in group)
    samples = plural(seen, "access", "es")
    whole = "" if apart else " each thread's span all of it,"
    return f"addresses of {samples}:{whole} {of_remote(evidence, part)} are here."


def _serves_all(evidence: Evidence, found: Object) -> bool:
    """True if no thread has a part of it and its pages are not spread (read_by_all is for spread pages)."""
    uneven = bool(found.homes) and not is_spread(evidence, found.homes, found.home_samples)
    if not uneven or not shared(evidence, found) or by_turns(evidence, found):
        return False
    return not used_by_owner(evidence, found) and not is_refilled(evidence, found)


def _change(evidence: Evidence, group: list[Object], working: list[Thread]) -> str:
    if leading(group).apart_at:
        lines = " and ".join(map(site_position, leading(group).apart_at))
        alike = f"{lines} divide the work alike: then each thread has a part of its own"
        return f"A parallel initialisation helps only where {alike}. Else spread it:"
    written = sum(found.stores for found in group)
    stores_seen = any(row.kind == STORE for row in evidence.samples.kinds)
    if written:
        remedy = "Spread"
    elif stores_seen:
        remedy = "Only loads of it were sampled: copy it to each node, which makes all reads local. Or spread"
    else:
        remedy = "If it is only read, copy it to each node, which makes all reads local. Else spread"
    hint = _in_order(group) and not _is_divided(evidence, group)
    schedule = _schedule(evidence, group, working) if hint else ""
    return f"A parallel initialisation would not help: no thread has a part of its own.{schedule} {remedy} it:"


def _schedule(evidence: Evidence, group: list[Object], working: list[Thread]) -> str:
    by = team(evidence, group[0].main_thread, working)
    told = fixes.schedule_at(evidence, main_use(later_uses(group))) if by is Team.OPENMP else None
    if is_dealt(told):
        return f" The loop has schedule({told}): if its turns use parts, a static one would give each thread a part."
    divided = told is not None and (not told or told.startswith("static"))
    return "" if divided else _SCHEDULE.get(by, "")


def is_dealt(schedule: str | None) -> bool:
    """True for a schedule that gives pieces to the threads that ask first."""
    return schedule is not None and schedule.startswith(("dynamic", "guided"))


def _in_order(group: list[Object]) -> bool:
    """True for sweeps that are divided among threads; no division helps random access."""
    return any(found.use_shape is Shape.ALL for found in group)


def _is_divided(evidence: Evidence, group: list[Object]) -> bool:
    """True if the code that uses the group gives each thread a part of another object: its work is divided already."""
    code = {_user(found) for found in group} - {None}
    return any(
        found.use_shape in (Shape.BLOCKS, Shape.HALO) and _user(found) in code for found in evidence.objects.found
    )


def _user(found: Object) -> str | None:
    use = main_use(found.later)
    return use.function if use is not None else None


def edits(evidence: Evidence, group: list[Object]) -> tuple[Edit, ...]:
    """For this memory, where spreading all of the program's would spread what has parts of its own, or is local."""
    others = not all(shared(evidence, found) for found in suspects(evidence))
    local = spreading_adds(evidence) and not _one_serves_all(evidence)
    alone = others or (local and all(found.use_shape is Shape.RANDOM for found in group))
    return edits_of(fixes.memories(evidence, group) or (), interleaved) if alone else ()


def _unplaced(evidence: Evidence, group: list[Object]) -> tuple[str, ...]:
    """For the whole program, unless that would spread what has parts of its own; then where the text was not read.

    No code can stand where a container allocates and fills in one statement: then for the whole program too, if threads
    have no parts of other memory.
    """
    everything = (f"numactl --interleave=all {command_to_copy(evidence)}",)
    divided = [found for found in suspects(evidence) if not shared(evidence, found)]
    if not divided:
        return everything
    allocated, sites = allocation_sites(group), init_sites(group)
    calls = [evidence.samples.library_calls.get(site) for site in allocated if site in sites]
    by_container = any(call is not None and call.container for call in calls)
    mainly = not measured(evidence) or remote_part(evidence, group) >= remote_part(evidence, divided)
    alone = by_container and not any(found.use_shape.divided for found in divided)
    if mainly and (not allocated or alone or fixes.memories(evidence, group) is not None):
        return everything
    return unplaced(interleaved, allocated, sites) or (everything if mainly else ())
