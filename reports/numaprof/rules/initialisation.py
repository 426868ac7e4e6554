# SPDX-License-Identifier: Apache-2.0
"""How to say "place it where it is used" in the program's own terms: OpenMP, threads, processes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from numaprof.analysis.naming import command_to_copy, positions, site_position, where_to_add
from numaprof.analysis.object_users import Team, later_uses, main_use, team, users
from numaprof.analysis.placement import (
    gained,
    gained_by_turns,
    node_order,
    owners,
    spreading_adds,
    stored_once,
    team_order,
)
from numaprof.analysis.relevant_objects import allocation_sites
from numaprof.evidence.access_patterns import Shape
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.objects import UNNAMED, Object
from numaprof.evidence.samples import LibraryCall
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import AS_GOOD, BINS, MIN_PHASE_USES
from numaprof.fixes.find import dealt, is_fortran, memories, zeroed_beside
from numaprof.fixes.fortran_allocation import each_level
from numaprof.fixes.memory import ANY, Memory
from numaprof.fixes.snippets import by_node, printed, zeros_in_parallel
from numaprof.text.format import words
from numaprof.text.function_names import library_function


@dataclass(frozen=True)
class Initialisation:
    """An initialisation to change, and the later use of its memory."""

    sites: tuple[Site, ...]
    allocated: tuple[Site, ...]  # where the memory is allocated
    use: Site | None
    working: tuple[Thread, ...]
    shape: Shape
    nodes: tuple[int, ...] | None  # of equal parts of the memory, that which uses each; None: not known
    owners: tuple[int, ...]  # the same of as many parts as can be told apart
    by_team: tuple[int | None, ...]  # the nodes of as many parts as BINS, in the order of a static schedule
    as_one: bool  # `nodes` is that order for the whole memory, not for each of several arrays in it
    in_team_order: bool  # the parts follow each other as a static schedule of OpenMP hands them out
    team: Team
    calls: Mapping[Site, LibraryCall]  # what sites call that does the touching
    command: str
    grows: bool  # the allocator copies what was there to a larger place, again and again
    each_block: bool  # the code divides each block
    spreads: bool  # interleaving all memory is no loss: the remote share is high enough now
    dealt: bool  # the code hands it out in chunks, by turns, as the loop that uses it does
    zeroed: tuple[tuple[Object, list[Memory]], ...]  # what else one thread would touch first where code is added
    memories: tuple[Memory, ...] | None  # its allocations in the program's text; None: not understood, or no text

    @property
    def call(self) -> LibraryCall | None:
        """The library call of the source location that touches most."""
        return self.calls.get(self.sites[0]) if self.sites else None

    @property
    def contained(self) -> bool:
        """True if a container of C++ touches the memory."""
        return self.call is not None and self.call.container

    @property
    def calling(self) -> tuple[Site, ...]:
        """Places that call alike: a container each, or functions."""
        return tuple(site for site in self.sites if site in self.calls and self.calls[site].container == self.contained)

    @property
    def callees(self) -> str:
        return words(list(dict.fromkeys(library_function(self.calls[site].function) for site in self.calling)))

    @property
    def loop(self) -> str:
        return f"the loop at {site_position(self.use)}" if self.use is not None else "the loop that uses it"

    @property
    def spread(self) -> str:
        return f"numactl --interleave=all {self.command}"

    @property
    def without_edit(self) -> tuple[str, ...]:
        return (self.spread,) if self.spreads else ()

    def or_spread(self, words: str) -> str:
        """The change in words, and the alternative without an edit, if there is one."""
        return f"{words} Without an edit, spread it over the nodes:" if self.spreads else words


def initialisation_of(
    evidence: Evidence, group: Sequence[Object], sites: Sequence[Site], use: Site | None, shape: Shape
) -> Initialisation:
    """The initialisation of objects that are used at this source location, in this access pattern."""
    uses = later_uses(group)
    many = sum(row.samples for row in uses) >= MIN_PHASE_USES  # few samples miss threads of a team, and so its order
    working = (users(evidence, uses) if many else []) or list(evidence.workers)
    most_used = max(group, key=lambda found: found.known_samples)
    order = node_order(most_used) or _order_of_threads(evidence, most_used, use)
    call = evidence.samples.library_calls.get(sites[0]) if sites else None
    by_team = team_order(evidence, working, BINS)
    whole, each = (gained(evidence, group, by_team, each_block) for each_block in (False, True))
    text = memories(evidence, group, use) or []
    found = [replace(memory, divide_each=each > whole + AS_GOOD) for memory in text] or None
    levels = max((memory.levels for memory in text), default=0)
    by_level = team_order(evidence, working, BINS // levels) * levels if levels else ()
    if levels and gained(evidence, group, by_level, False) > whole + AS_GOOD:
        found, order, by_team = [each_level(memory) for memory in text], None, by_level
    as_one = order is None or order == team_order(evidence, working, len(order))
    zeroed = zeroed_beside(evidence, group, use) if found else []
    return Initialisation(
        sites=tuple(sites),
        allocated=tuple(allocation_sites(group)),
        use=use,
        working=tuple(working),
        shape=shape,
        nodes=order,
        owners=owners(most_used),
        by_team=by_team,
        as_one=as_one,
        in_team_order=as_one or most_used.kind == UNNAMED or each > whole + AS_GOOD,
        team=team(evidence, group[0].main_thread, working),
        calls=evidence.samples.library_calls,
        command=command_to_copy(evidence),
        grows=group[0].grows or (call is not None and library_function(call.function).startswith("realloc")),
        memories=(*found, *(memory for _, there in zeroed for memory in there)) if found is not None else None,
        zeroed=tuple(zeroed),
        each_block=all(memory.pointer for memory in found or ())
        and (each > whole + AS_GOOD or not any(memory.nest for memory in found or ())),
        spreads=not spreading_adds(evidence),
        dealt=any(memory.schedule != Memory.schedule for memory in found or ()),
    )


def by_turns(evidence: Evidence, found: Object) -> bool:
    """The text says that the loop which uses it hands out its rows by turns, however few samples saw that."""
    return evidence.samples.openmp and bool(dealt(evidence, found, main_use(found.later)))


def _order_of_threads(evidence: Evidence, found: Object, use: Site | None) -> tuple[int, ...] | None:
    """Nodes of equal parts, where samples too few for more tell that threads have blocks in the order of their start.

    The threads are those that access anything from the same place.
    """
    working = users(evidence, [row for row in evidence.samples.used if use is not None and row.loop == use])
    if evidence.samples.openmp or found.use_shape is not Shape.BLOCKS:
        return None
    order = team_order(evidence, working, len(working))
    nodes = tuple(node for node in order if node is not None)
    return nodes if len(set(nodes)) > 1 and len(nodes) == len(working) else None


def change(init: Initialisation) -> str:
    if init.team is Team.PROCESSES:
        return (
            "Let each process initialise after fork what it uses (a page that a child writes first comes from the "
            "child's node). What they all only read, spread over the nodes before they are forked:"
        )
    if init.shape is Shape.ONE:
        return "One thread alone uses it: let that thread initialise it, and not the one that does so now."
    if init.grows and not init.memories:
        return (
            f"It grows while one thread fills it at {positions(init.sites)}: allocate it at its final size before, and "
            f"write zeros to it in parallel, divided as {init.loop} divides it. Without an edit, spread it:"
        )
    if _made_of_nodes(init):
        return init.or_spread(
            f"{init.callees} allocates its elements one by one at {positions(init.calling)}, so that no loop can place "
            "them beforehand: let the threads insert what they use later, each into a container of its own."
        )
    text = _openmp_change(init) if init.team is Team.OPENMP else _threads_change(init)
    return f"{_written_by_call(init)}{_zeroed_beside(init)}{text}"


def _made_of_nodes(init: Initialisation) -> bool:
    """A map, a set or a list: a small allocation for each element."""
    function = init.call.function if init.call is not None else ""
    return init.contained and re.search(r"\b(?:unordered_|multi)*(?:map|set|list|deque)\s*<", function) is not None


def _written_by_call(init: Initialisation) -> str:
    if init.call is None:
        return ""
    verb = "write" if " and " in init.callees else "writes"
    end = "Allocate without writing." if init.contained and not init.memories else ""
    names = re.sub("^a function", "A function", init.callees)
    return f"{names} {verb} all of it at {positions(init.calling)}. {end}".rstrip() + " "


def _zeroed_beside(init: Initialisation) -> str:
    """Why the code is for more memory than the finding."""
    if not init.zeroed or not _placed(init):
        return ""
    names = words([f"`{memory.pointer}`" for _, there in init.zeroed for memory in there])
    return (
        f"The compiler has {names} allocated as zeros instead of writing them, which it may not do once other code "
        "stands between: the code is for that memory too. "
    )


def _openmp_change(init: Initialisation) -> str:
    if by_policy(init):
        return f"Place its parts on the nodes that use them at {_use(init)}, before anything is written to it:"
    if code(init) == init.without_edit:
        return init.or_spread(f"Write to it in parallel, divided as {init.loop} divides it.")
    return (
        f"Before anything else is written to it, write zeros in parallel, divided among the threads as {init.loop} "
        "divides it: who writes a page first decides its node."
    )


def _threads_change(init: Initialisation) -> str:
    if init.nodes is not None:
        return (
            f"Let each thread write to its part first, or place the parts on the nodes that use them at {_use(init)}, "
            "before anything is written to it (for threads pinned as in this run):"
        )
    return init.or_spread("Let each thread write first to the part that it uses later.")


def _use(init: Initialisation) -> str:
    return site_position(init.use) if init.use is not None else "the place of use"


def by_policy(init: Initialisation) -> bool:
    """True if a static schedule would place the parts on other nodes than their users'."""
    return init.team is Team.THREADS or (init.nodes is not None and not init.in_team_order and not init.dealt)


def _placed(init: Initialisation) -> tuple[str, ...]:
    """Code in its place; empty: the text does not tell where that is."""
    if not init.memories:
        return ()
    if not by_policy(init):
        return printed(init.memories, zeros_in_parallel)
    return printed(init.memories, lambda memory: by_node(memory, init.nodes or ()))


def nodes_of_parts(init: Initialisation) -> tuple[int | None, ...] | None:
    """The node of each of equal parts of the memory, after the change that `code` prints; None: spread by turns."""
    if init.spread in code(init):
        return None
    if by_policy(init) and init.nodes is not None:
        return init.nodes
    if init.nodes is not None and not init.as_one and not (init.memories and init.each_block):
        return init.owners  # each of several arrays in it is divided
    return init.by_team


def promised(evidence: Evidence, group: Sequence[Object], init: Initialisation) -> float | None:
    """Share of all remote accesses that the printed code removes.

    Spread by turns, one node's load goes, and about as much is remote as before. Of unknown parts, and of what only
    words describe, nothing is promised.
    """
    if init.shape is Shape.UNKNOWN or init.spread in code(init) or not code(init):
        return None
    nodes = init.by_team if init.dealt else nodes_of_parts(init)
    pages = sum(each.pages for each, _ in init.zeroed)
    zeroed = stored_once(evidence, group[0].main_thread, pages, nodes or ())
    if init.dealt:
        return gained_by_turns(evidence, group, init.by_team) - zeroed
    return gained(evidence, group, nodes, bool(init.memories) and init.each_block) - zeroed


def code(init: Initialisation) -> tuple[str, ...]:
    if init.shape is Shape.ONE or init.team is Team.PROCESSES:
        return () if init.shape is Shape.ONE else (init.spread,)
    if init.grows and not init.memories:
        return (init.spread,)
    if found := _placed(init):
        return found
    where = where_to_add(init.allocated, init.sites)
    if init.memories is None and init.nodes is not None and by_policy(init):
        return init.without_edit if init.contained else by_node(ANY, init.nodes)[0].unplaced(where)
    if by_policy(init) or init.memories is not None or init.contained or is_fortran((*init.sites, *init.allocated)):
        return init.without_edit
    return zeros_in_parallel(ANY)[0].unplaced(where)
