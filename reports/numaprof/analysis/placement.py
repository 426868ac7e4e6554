# SPDX-License-Identifier: Apache-2.0
"""Which node uses which part of an object, and where each part would be after a fix."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from math import ceil, sqrt

from numaprof.analysis.relevant_objects import part_of_remote, suspects
from numaprof.analysis.remote_share import remote_share
from numaprof.evidence.access_patterns import Parts, whole_of
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.objects import Object
from numaprof.evidence.samples import Used
from numaprof.evidence.spread import median
from numaprof.evidence.thresholds import (
    AS_GOOD,
    BEYOND_CHANCE,
    BINS,
    LINE_BYTES,
    MIN_MEETINGS,
    MIN_MIXED,
    MIN_SAMPLES_OF_PART,
    MIN_USES_OF_THREAD,
    MOST_ARRAYS,
    MOST_OF_SPREAD,
    MUCH_REFILLED,
    NO_CHANCE,
    OWN_PARTS,
    REFILLED_PART,
    REMOTE_LIGHT,
    SERIAL_TOUCH,
    WORKER_TIME,
)

MOST_PARTS_PER_NODE = 16
MOST_RANGES = 30_000  # with a node of their own: each is a mapping, of which the kernel allows a process 65 530


def is_spread(evidence: Evidence, homes: Mapping[int, float], samples: int | None = None) -> bool:
    """True if spreading its pages would take little off the node that holds most of them.

    samples: those that tell the homes; None: all pages were looked at. Enough samples may be off by their error.
    """
    nodes = evidence.machine.memory_nodes
    known = [homes.get(node, 0.0) for node in nodes]
    if len(nodes) < 2 or not sum(known):
        return False
    most = MOST_OF_SPREAD / len(nodes)
    told = samples is not None and samples >= MIN_SAMPLES_OF_PART * len(nodes)
    error = 1.96 * sqrt(most * (1 - most) / samples) if samples and told else 0.0
    return max(known) <= (most + error) * sum(known)


def node_order(found: Object) -> tuple[int, ...] | None:
    """The node that uses each of equal parts of an object, in its steady phase: the fewest whose users hardly mix.

    None: they mix, or too few samples tell.
    """
    uses, seen = found.steady_uses, found.steady_seen
    nodes = sorted(uses)
    if len(nodes) < 2:
        return None
    orders, parts = [], len(nodes)
    while parts <= MOST_PARTS_PER_NODE * len(nodes):
        order = tuple(max(nodes, key=lambda node: weight_of_part(uses[node], part, parts)) for part in range(parts))
        needed = max(MIN_USES_OF_THREAD * len(nodes), MIN_SAMPLES_OF_PART * parts)
        # A few samples of long periods make accesses uncertain: then the samples themselves have to agree.
        sure = found.steady_samples >= needed or (whole_of(seen) >= needed and _keep_to_parts(seen, order))
        if sure and _keep_to_parts(uses, order) and len(set(order)) == len(nodes):
            orders.append((_own(uses, order), order))
        parts *= 2
    best = max((own for own, _ in orders), default=0.0)
    return next((order for own, order in orders if own >= best - AS_GOOD), None)


def _own(uses: Parts, order: Sequence[int]) -> float:
    """Share of the accesses, or samples, that the nodes of equal parts make there."""
    return sum(weight_of_part(uses[node], part, len(order)) for part, node in enumerate(order)) / whole_of(uses)


def _keep_to_parts(uses: Parts, order: Sequence[int]) -> bool:
    """More than by chance, when the node that uses most of all would be the user of each part."""
    most = max(sum(bins.values()) for bins in uses.values()) / whole_of(uses)
    return _own(uses, order) >= _beyond_chance(most)


def parts_order(evidence: Evidence, found: Object, working: Sequence[Thread]) -> tuple[int, ...] | None:
    """As node_order; preferred are parts of the threads in their order, if they explain more, or arrays of one size,
    each divided among the threads, if they explain as much."""
    if found.blocks == 1 and (rows := order_in_rows(evidence, found, working)) is not None:
        return rows
    free = node_order(found)
    arrays = order_of_arrays(evidence, found, working, sure=free is None)
    team = order_as_filled(evidence, working, found)
    if free and len(set(team)) > 1 and _misplaced(found.steady_uses, team) < _misplaced(found.steady_uses, free):
        free = team
    if free is None or arrays is None:
        return free or arrays
    return arrays if _misplaced(found.steady_uses, arrays) <= _misplaced(found.steady_uses, free) + AS_GOOD else free


def has_parts(evidence: Evidence, found: Object, working: Sequence[Thread]) -> bool:
    """There is a parts_order."""
    return node_order(found) is not None or order_of_arrays(evidence, found, working, sure=True) is not None


def order_in_rows(evidence: Evidence, found: Object, working: Sequence[Thread]) -> tuple[int, ...] | None:
    """The node of each page of a block, where the rows of a matrix have whole pages and all threads divide each row.

    Only the length of a row is chosen. None: no length explains the uses, beyond chance.
    """
    uses = found.page_uses
    if len(uses) < 2:
        return None
    team = team_order(evidence, working, len(working), [found])
    if len(set(team)) < 2:
        return None
    orders, pages = {}, ceil((found.bytes or 0.0) / (found.blocks or 1) / found.page_bytes)
    for length in range(2, min(BINS, pages // 2) + 1):
        row = _in_parts(team, length)
        ranges = pages // length * len(list(groupby(row)))
        if pages % length <= 1 and ranges <= MOST_RANGES:  # 1: the page of an allocator's header
            orders[length] = row * (pages // length)
    own = {length: 1 - _misplaced_pages(uses, order) for length, order in orders.items()}
    best = max(own.values(), default=0.0)
    most = max(sum(each.values()) for each in uses.values()) / whole_of(uses)
    if best < max(OWN_PARTS, most + NO_CHANCE / (2 * sqrt(max(1.0, found.steady_samples)))):
        return None
    return orders[next(length for length, each in own.items() if each >= best - AS_GOOD)]


def order_of_arrays(evidence: Evidence, found: Object, working: Sequence[Thread], sure: bool) -> tuple[int, ...] | None:
    """Only the number of arrays is chosen: fewer samples tell it than any order of the parts.

    sure: beyond chance. None: no number explains the uses better than one array does, or the parts of one are too
    small to be told apart.
    """
    uses, seen = found.steady_uses, found.steady_samples
    team = team_order(evidence, working, len(working), [found])
    runs = [(node, len(list(same))) for node, same in groupby(team)]
    once = tuple(node for node, _ in runs) if len({length for _, length in runs}) == 1 else team
    if len(uses) < 2 or not 2 <= len(once) <= BINS:
        return None
    most = max(sum(bins.values()) for bins in uses.values()) / whole_of(uses)
    owned = {count: 1 - _misplaced(uses, once * count) for count in range(1, min(MOST_ARRAYS, BINS // len(once)) + 1)}
    best = max(owned.values())
    # A share of half the samples has the largest error.
    clear = max(most, owned[1]) + NO_CHANCE / (2 * sqrt(max(1.0, seen))) if sure else 0.0
    if best < max(OWN_PARTS, _beyond_chance(most), clear):
        return None
    return once * next(count for count, own in owned.items() if own >= best - AS_GOOD)


def mixed(evidence: Evidence, found: Object) -> bool:
    """Samples too few for a shape refute parts: neither in the order of the threads nor in any other do nodes keep to
    theirs."""
    in_parallel = found.came_in_huge_pages and found.main_share < SERIAL_TOUCH
    if in_parallel and found.nodes_apart is not False:
        return False  # parts may be smaller than a huge page
    if found.team_samples >= MIN_MIXED:
        return _refuted(evidence, found, found.team_uses.accesses, found.team_samples)
    # A few samples of long periods make accesses uncertain: then the samples themselves have to agree.
    return all(
        _refuted(evidence, found, each, whole_of(found.team_uses.seen))
        for each in (found.team_uses.accesses, found.team_uses.seen)
    )


def _refuted(evidence: Evidence, found: Object, uses: Parts, seen: float) -> bool:
    by_node = sorted(sum(bins.values()) for bins in uses.values())
    places = {bin for bins in uses.values() for bin in bins}
    if len(by_node) < 2 or len(places) < MIN_MEETINGS or seen < MIN_MIXED:
        return False
    if by_node[-2] / sum(by_node) * seen < MIN_SAMPLES_OF_PART:
        return False
    parts = parts_told_apart(seen)
    own = sum(max(weight_of_part(bins, part, parts) for bins in uses.values()) for part in range(parts)) / sum(by_node)
    most = by_node[-1] / sum(by_node)
    in_order = team_order(evidence, evidence.workers, BINS, [found])
    by_team = 1 - min(_misplaced(each, in_order) for each in (uses, found.block_uses) if each)
    return max(own, by_team) < max(OWN_PARTS, _beyond_chance(most))


def _beyond_chance(most: float) -> float:
    """Least share that a node per part must have, where one node alone has most."""
    return most + BEYOND_CHANCE * (1 - most)


def parts_told_apart(samples: float) -> int:
    return max(1, min(BINS, int(samples) // MIN_SAMPLES_OF_PART))


def spreading_adds(evidence: Evidence) -> bool:
    """True if interleaving all memory makes clearly more of the requests remote."""
    now, nodes = remote_share(evidence), len(evidence.machine.memory_nodes)
    return now is not None and now.share + REMOTE_LIGHT < 1 - 1 / max(1, nodes)


def _misplaced(uses: Parts, nodes: Sequence[int | None]) -> float:
    """Share of the accesses that would be remote after the fix."""
    seen = whole_of(uses)
    away = sum(n for node, bins in uses.items() for bin, n in bins.items() if nodes[bin * len(nodes) // BINS] != node)
    return away / seen if seen else 0.0


def _misplaced_pages(uses: Parts, nodes: Sequence[int | None]) -> float:
    """As _misplaced, for a node of each page."""
    last = len(nodes) - 1
    away = sum(n for node, pages in uses.items() for page, n in pages.items() if nodes[min(page, last)] != node)
    return away / (whole_of(uses) or 1.0)


def owners(found: Object) -> tuple[int, ...]:
    """The node that makes most accesses to each of as many equal parts as samples can tell apart."""
    uses = found.steady_uses
    parts = parts_told_apart(found.steady_samples)
    return tuple(max(uses, key=lambda node: weight_of_part(uses[node], part, parts)) for part in range(parts) if uses)


def team_order(
    evidence: Evidence, working: Sequence[Thread], parts: int, group: Sequence[Object] = ()
) -> tuple[int, ...]:
    """The node of each of equal parts of these, as a static schedule hands them to threads in the order of their
    creation."""
    nodes = [_working_node(evidence, thread) for thread in one_pass(evidence, working, group)]
    team = [node for node in nodes if node is not None]
    return _in_parts(team, parts)


def _in_parts(team: Sequence[int], parts: int) -> tuple[int, ...]:
    """The node of each of so many equal parts, of those of a team's threads in their order."""
    return tuple(team[(2 * part + 1) * len(team) // (2 * parts)] for part in range(parts)) if team else ()


def order_as_filled(evidence: Evidence, working: Sequence[Thread], found: Object) -> tuple[int, ...]:
    """A part for each thread of what is used of it; of the rest, parts of that size for the last one."""
    parts = min(BINS, round(len(working) / found.filled))
    order = team_order(evidence, working, len(working), [found])
    return tuple(order[min(part, len(order) - 1)] for part in range(parts)) if order else ()


def one_pass(evidence: Evidence, threads: Sequence[Thread], group: Sequence[Object]) -> list[Thread]:
    """In the order of their creation; where later threads take the parts of others, those of the pass that uses these
    objects most."""
    ids = {thread.row.id for thread in threads}
    turns: dict[int, list[int]] = {}  # threads of a place, one for each pass
    for later, first in evidence.stand_ins.items():
        turns.setdefault(first, [first]).append(later)
    team = ids.difference(*turns.values())
    for process in {evidence.by_id[first].row.process for first in turns}:
        places = [turn for first, turn in turns.items() if evidence.by_id[first].row.process == process]
        if any(ids.intersection(place) for place in places):
            team |= _of_one_pass(evidence, ids, group, places)
    return sorted((evidence.by_id[thread] for thread in team), key=lambda thread: thread.position)


def _of_one_pass(
    evidence: Evidence, ids: set[int], group: Sequence[Object], places: Sequence[Sequence[int]]
) -> set[int]:
    """Threads of all places that have parts, also those that no sample saw.

    Who was sampled as often, but elsewhere, has another role, as has who hardly ran.
    """
    here = _samples_by_thread(row for found in group for row in found.used if row.thread in ids)
    anywhere = _samples_by_thread(evidence.samples.used)
    users = [place for place in places if any(here.get(thread) for thread in place)]
    users = users or [place for place in places if ids.intersection(place)]
    least = max(1, min(_total(here, place) for place in users))
    ran = {thread: evidence.by_id[thread].row.cpu_ns or 0 for place in places for thread in place}
    long = WORKER_TIME * max(_total(ran, place) for place in users)
    parts = [p for p in places if p in users or (_total(anywhere, p) < least and _total(ran, p) >= long)]
    most = max(range(len(places[0])), key=lambda turn: sum(here.get(place[turn], 0) for place in parts))
    return {place[most] for place in parts}


def _samples_by_thread(uses: Iterable[Used]) -> dict[int, int]:
    sums: dict[int, int] = defaultdict(int)
    for row in uses:
        sums[row.thread] += row.samples
    return sums


def _total(sums: Mapping[int, int], threads: Sequence[int]) -> int:
    return sum(sums.get(thread, 0) for thread in threads)


def _working_node(evidence: Evidence, thread: Thread) -> int | None:
    """Node of the thread; if it migrated before others started, the node of its accesses in the steady phase."""
    if thread.node is not None:
        return thread.node
    sums: dict[int, int] = defaultdict(int)
    for row in evidence.samples.used:
        if row.thread == thread.row.id and row.steady and row.node is not None:
            sums[row.node] += row.samples
    return max(sums, key=lambda node: sums[node], default=None)


def gained(evidence: Evidence, group: Sequence[Object], nodes: Sequence[int | None] | None, each_block: bool) -> float:
    """Share of all remote accesses that become local, less the accesses that become remote.

    Equal parts of each object, or of each of its blocks, would be on these nodes; None: by turns on all nodes. Serial
    phases count as well.
    """
    saved = sum(_saved(evidence, found, _away(evidence, found, nodes, each_block)) for found in group)
    return saved - _serial_requests(evidence, group, nodes or ())


def gained_by_turns(evidence: Evidence, group: Sequence[Object], nodes: Sequence[int | None]) -> float:
    """As gained, for rows that are placed on these nodes in turn. A page of two rows is on the node of either."""
    saved = sum(_saved(evidence, found, found.mixed_in_pages or 0.0) for found in group)
    return saved - _serial_requests(evidence, group, nodes)


def _saved(evidence: Evidence, found: Object, away: float) -> float:
    """Share of the remote accesses saved in one object, by its sampled loads."""
    if not found.remote:
        return 0.0
    return (part_of_remote(evidence, found) or 0.0) * (1 - away * found.known / found.remote)


def _serial_requests(evidence: Evidence, group: Sequence[Object], nodes: Sequence[int | None]) -> float:
    """What the thread that first touches all of it would ask for elsewhere, and no load sample has seen: it stores.

    In relation to all remote requests. One pass over the memory at least, else what that thread asks for beyond what
    the others do; but no more than all that it asks for: what the kernel has just zeroed is in the cache.
    """
    serial = [found for found in group if found.main_share >= SERIAL_TOUCH]
    toucher = evidence.by_id.get(serial[0].main_thread) if serial else None
    if toucher is None:
        return 0.0
    pages = sum(found.pages for found in serial)
    unseen = _unseen_requests(evidence, toucher) * pages / max(1.0, _touched(evidence, toucher))
    lines = max(evidence.bytes(pages) / LINE_BYTES, unseen)
    return _elsewhere(evidence, toucher, min(lines, _most_requests(toucher, lines)), nodes)


def _most_requests(thread: Thread, unknown: float) -> float:
    """Upper end of the 95 % interval of a thread's requests; `unknown` where they or their error are not known."""
    total, error = thread.traffic.total, thread.traffic.total_error
    return unknown if total is None or error is None else total + error.half_width


def stored_once(evidence: Evidence, toucher: int, pages: float, nodes: Sequence[int | None]) -> float:
    """What a thread asks for elsewhere that writes once to memory on these nodes, of all remote requests."""
    thread = evidence.by_id.get(toucher)
    return _elsewhere(evidence, thread, evidence.bytes(pages) / LINE_BYTES, nodes) if thread is not None else 0.0


def _elsewhere(evidence: Evidence, toucher: Thread, lines: float, nodes: Sequence[int | None]) -> float:
    """The part of a thread's requests for lines on these nodes that is remote, in relation to all remote requests."""
    node, remote = _working_node(evidence, toucher), evidence.traffic.remote.estimate
    if node is None or not nodes or not remote or not evidence.counted:
        return 0.0
    return lines * sum(each != node for each in nodes) / len(nodes) / remote


def refills(evidence: Evidence, found: Object) -> float:
    """How often the threads that first touched it wrote to its memory, by requests that no load sample has seen.

    0.0 where these are less than MUCH_REFILLED of the remote requests: then an initialisation explains them.
    """
    toucher, remote = evidence.by_id.get(found.main_thread), evidence.traffic.remote.estimate
    if toucher is None or not remote or not evidence.counted:
        return 0.0
    if found.main_share < SERIAL_TOUCH:
        unseen, touched = _stored_by_several(evidence, found)
    else:
        unseen, touched = _unseen_requests(evidence, toucher), evidence.bytes(_touched(evidence, toucher))
    lines = touched / LINE_BYTES
    return unseen / lines if lines and unseen >= MUCH_REFILLED * remote else 0.0


def _stored_by_several(evidence: Evidence, found: Object) -> tuple[float, float]:
    """Requests that no load sample has seen, and bytes of the memory they are for; zeros where other memory than what
    is used remotely may be what threads wrote to."""
    there, samples = [each for each in suspects(evidence) if each.much_remote], evidence.samples
    pages, near = sum(row.pages for row in samples.touched), sum(row.accesses for row in samples.used if _is_near(row))
    pages_there = sum(each.pages for each in there)
    near_there = sum(row.accesses for each in there for row in each.used if _is_near(row))
    if found not in there or pages_there < REFILLED_PART * pages or near_there < REFILLED_PART * near:
        return 0.0, 0.0
    # Page faults may be lost: then the objects are larger than what was seen of them.
    return _unseen_local(evidence), max(evidence.bytes(pages), sum(each.bytes or 0.0 for each in there))


def _is_near(row: Used) -> bool:
    return row.remote is False


def _unseen_local(evidence: Evidence) -> float:
    """Local requests of threads beyond those that go with their remote ones by their load samples: a thread stores near
    itself. Of one thread's samples as many of both kinds were lost; threads of few remote ones are left out."""
    rows: dict[int, list[Used]] = defaultdict(list)
    for row in evidence.samples.used:
        if row.remote is not None:
            rows[row.thread].append(row)
    unseen = 0.0
    for thread in evidence.threads:
        mine = rows[thread.row.id]
        remote = [row for row in mine if row.remote]
        if sum(row.samples for row in remote) >= MIN_SAMPLES_OF_PART:
            seen = sum(row.accesses for row in mine if not row.remote) / sum(row.accesses for row in remote)
            unseen += (thread.traffic.local.estimate or 0.0) - seen * (thread.traffic.remote.estimate or 0.0)
    return unseen


def _touched(evidence: Evidence, toucher: Thread) -> float:
    """Pages that the thread first touched."""
    return sum(row.pages for row in evidence.samples.touched if row.thread == toucher.row.id)


def _unseen_requests(evidence: Evidence, toucher: Thread) -> float:
    """Requests of a thread beyond those of the other threads that no load sample accounts for; 0.0: none to compare."""
    others = [thread for thread in evidence.workers if thread is not toucher]
    if not others:
        return 0.0
    alone = (toucher.traffic.total or 0.0) - median([thread.traffic.total or 0.0 for thread in others])
    sampled = evidence.samples.told_by_thread
    seen = sampled.get(toucher.row.id, 0.0) - median([sampled.get(thread.row.id, 0.0) for thread in others])
    return alone - seen * (evidence.traffic.remote.estimate or 0.0) / max(1.0, evidence.samples.remote_accesses)


def _away(evidence: Evidence, found: Object, nodes: Sequence[int | None] | None, each_block: bool) -> float:
    """Share of the accesses to an object that would be remote after the fix."""
    if not nodes:
        return 1 - 1 / max(1, len(evidence.machine.memory_nodes))
    if found.page_uses and len(nodes) > BINS:
        return _misplaced_pages(found.page_uses, nodes)
    uses = found.block_uses if each_block and found.block_uses else found.node_uses
    return _misplaced(uses, nodes)


def weight_of_part(bins: Mapping[int, float], part: int, parts: int) -> float:
    return sum(bins.get(bin, 0.0) for bin in range(part * BINS // parts, (part + 1) * BINS // parts))
