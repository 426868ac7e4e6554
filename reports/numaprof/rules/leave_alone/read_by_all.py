# SPDX-License-Identifier: Apache-2.0
"""Memory is spread over all nodes and every thread reads all of it: some of it is remote whoever initialises."""

from __future__ import annotations

from numaprof.analysis.naming import objects_in_text, site_position, threads_on_nodes
from numaprof.analysis.object_users import later_uses, leading, main_use, shared, users
from numaprof.analysis.placement import is_spread
from numaprof.analysis.relevant_objects import init_sites, measured, of_remote, remote_part, suspects
from numaprof.analysis.remote_share import COUNTERS, basis
from numaprof.analysis.verdict import judge
from numaprof.evidence.access_patterns import Shape
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.thresholds import ALL_TO_ALL
from numaprof.fixes import find as fixes
from numaprof.rules.advice import Advice, Kind
from numaprof.rules.change_program import shared_by_all
from numaprof.rules.change_program.shared_by_all import is_dealt
from numaprof.rules.change_run import policy
from numaprof.text.format import plural, round_percent, words

_CHANGE = (
    "Leave it: neither a parallel initialisation nor interleaving would help, as no thread has a part of its own. Only "
    "a copy for each node would help, if the data never change."
)

_LEAVE_UNEVEN = (
    "Leave it: no initialisation makes it local, as no thread has a part of its own, and to interleave memory "
    "would make more remote. Only a copy for each node would help, if the data never change."
)


def rule(evidence: Evidence) -> Advice | None:
    if not judge(evidence).fixable or evidence.machine.single:
        return None
    uneven = shared_by_all.used_whole(evidence)
    at_random = bool(uneven) and all(o.use_shape is Shape.RANDOM for o in uneven)
    if at_random and shared_by_all.spreading_it_adds(evidence, uneven, shared_by_all.edits(evidence, uneven)):
        return _by_addresses(evidence, uneven, "", _LEAVE_UNEVEN)
    if not measured(evidence):
        return _by_counts(evidence)
    spread = [o for o in suspects(evidence) if o.pages and is_spread(evidence, o.known_homes, o.home_samples)]
    group, apart = shared_by_all.told_alike([o for o in spread if shared(evidence, o)])
    change = _divide_alike(group) if apart else _dealt(evidence, group) or _CHANGE
    return _by_addresses(evidence, group, " on all nodes", change)


def _divide_alike(group: list[Object]) -> str:
    lines = " and ".join(map(site_position, leading(group).apart_at))
    return (
        f"Divide the work alike at {lines}, so that each thread keeps to one block: no placement brings the memory "
        "near the threads of both. Look at the schedule, the direction and the bounds of the loops, and the number of "
        "threads. Each thread should then be the first to touch its block."
    )


def _dealt(evidence: Evidence, group: list[Object]) -> str:
    """Where the program's text has a schedule that takes from the threads what they first touched; else empty."""
    use = main_use(later_uses(group))
    schedule = fixes.schedule_at(evidence, use)
    swept = all(o.touch_shape.divided and o.use_shape is Shape.ALL for o in group)
    if use is None or not swept or not is_dealt(schedule):
        return ""
    return (
        f"Leave the memory where it is. If each turn of the loop at {site_position(use)} uses a part of its own, "
        f"schedule(static) instead of schedule({schedule}) gives each thread the part that it first touched; uneven "
        "work is then divided less evenly."
    )


def _by_addresses(evidence: Evidence, group: list[Object], where: str, change: str) -> Advice | None:
    uses = later_uses(group)
    if not uses:
        return None
    part = remote_part(evidence, group) if measured(evidence) else None
    here = f"; {of_remote(evidence, part)} are here" if part is not None else ", most of which caches answered"
    return Advice(
        kind=Kind.LEAVE,
        finding=f"{objects_in_text(evidence, group)}{where}: "
        f"{shared_by_all.used_in_words(group, users(evidence, uses), main_use(uses))}.",
        change=change,
        evidence=f"addresses of {plural(sum(row.samples for row in uses), 'access', 'es')}{here}.",
        cause=policy.BY_NUMACTL if policy.interleaves(evidence.command) else None,
        concerns=part,
        objects=tuple(group),
        touched_at=tuple(init_sites(group)),
        used_at=main_use(uses),
        threads=tuple(users(evidence, uses)),
    )


def _by_counts(evidence: Evidence) -> Advice | None:
    """Every thread's remote share is that of the memory elsewhere."""
    homed = {node: float(pages) for node, pages in evidence.samples.homed_pages.items()}
    if basis(evidence) != COUNTERS or len(evidence.worker_nodes) < 2 or not is_spread(evidence, homed):
        return None
    shares = {node: homed.get(node, 0.0) / (sum(homed.values()) or 1.0) for node in evidence.machine.memory_nodes}
    for thread in evidence.workers:
        expected = 1 - shares.get(thread.node, 0.0) if thread.node is not None else None
        if expected is None or thread.traffic.share is None or abs(thread.traffic.share - expected) > ALL_TO_ALL:
            return None
    spread = words([f"{round_percent(share)} on node {node}" for node, share in shares.items()])
    return Advice(
        kind=Kind.LEAVE,
        finding=f"Memory is spread over the nodes ({spread}), and every thread reads all of it: the "
        f"part on other nodes is remote for each of {threads_on_nodes(evidence.workers)}.",
        change=_CHANGE,
        evidence="each thread's remote share, compared with the nodes of the pages; addresses are unknown.",
        threads=evidence.workers,
    )
