# SPDX-License-Identifier: Apache-2.0
"""How to say "place it where it is used" in the program's own terms: OpenMP, threads, processes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from numaprof.analysis.naming import command_to_copy, objects_in_text, positions, site_position
from numaprof.analysis.object_users import Team, later_uses, leading, team, users
from numaprof.analysis.placement import (
    gained,
    gained_by_turns,
    owners,
    parts_order,
    spreading_adds,
    stored_once,
    team_order,
)
from numaprof.analysis.relevant_objects import allocation_sites, remote_part
from numaprof.evidence.access_patterns import Shape
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.first_touches import summed
from numaprof.evidence.objects import UNNAMED, Object
from numaprof.evidence.samples import LibraryCall
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import ALL_OF_IT, MAINLY, MIN_PHASE_USES, WORTH_CODE
from numaprof.fixes.edit import Edit, printed
from numaprof.fixes.find import memories, touched_by_allocator, zeroed_beside
from numaprof.fixes.memory import Memory
from numaprof.fixes.snippets import Snippet, by_node, edits_of, unplaced, zeros_in_parallel
from numaprof.rules.division import Division, Group, divided_by_threads, dividing_team, order_of_threads
from numaprof.text.format import words
from numaprof.text.function_names import is_copying, library_function


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
    in_region: bool  # allocated within a parallel region, where a loop for the team cannot stand
    calls: Mapping[Site, LibraryCall]  # what sites call that does the touching
    pages: Mapping[Site, float]  # first touched at each site
    command: str
    grows: bool  # the allocator copies what was there to a larger place, again and again
    divisions: tuple[Division, ...]  # of each object
    spreads: bool  # interleaving all memory is no loss: the remote share is high enough now
    unlike: bool  # one allocation makes objects that the threads divide in different ways
    dealt: bool  # the code hands it out in chunks, by turns, as the loop that uses it does
    zeroed: tuple[tuple[Object, list[Memory]], ...]  # what else one thread would touch first where code is added
    reached: tuple[Object, ...]  # the objects that the code is for
    left: str  # the others, in words
    unseen: tuple[Object, ...]  # others that the code is for, of the same lines: nobody saw them touched first
    also: str  # these, in words
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
    def copied(self) -> bool:
        """True if that container is made as a copy of another one."""
        return self.contained and self.call is not None and is_copying(self.call.function)

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
    working = dividing_team(evidence, group, users(evidence, uses) if many else [])
    lead = leading(group)
    in_region = any(each.in_region for each in group)
    order = parts_order(evidence, lead, working) or order_of_threads(evidence, lead, use, in_region)
    call = evidence.samples.library_calls.get(sites[0]) if sites else None
    reached, text = _told_by_text(evidence, group, use)
    divided = divided_by_threads(evidence, Group(group, use, text), working, order)
    found = divided.memories or []
    as_one = divided.nodes is None or divided.nodes == team_order(evidence, working, len(divided.nodes), group)
    zeroed = zeroed_beside(evidence, group, use) if found else []
    unseen = _unseen(evidence, group, lead.use_shape, found)
    return Initialisation(
        sites=tuple(sites),
        allocated=tuple(allocation_sites(group)),
        use=use,
        working=tuple(working),
        shape=shape,
        nodes=divided.nodes,
        owners=owners(lead),
        by_team=divided.by_team,
        as_one=as_one,
        in_team_order=as_one or lead.kind == UNNAMED or divided.each_block,
        team=team(evidence, group[0].main_thread, working),
        in_region=in_region,
        calls=evidence.samples.library_calls,
        pages=summed(each for found in group for each in found.pages_by_site.items()),
        command=command_to_copy(evidence),
        grows=group[0].grows or (call is not None and library_function(call.function).startswith("realloc")),
        memories=(*found, *(memory for _, there in zeroed for memory in there)) or None,
        zeroed=tuple(zeroed),
        reached=tuple(reached),
        left=objects_in_text(evidence, [each for each in group if each not in reached])
        if len(reached) < len(group)
        else "",
        unseen=tuple(unseen),
        also=objects_in_text(evidence, unseen),
        divisions=divided.divisions,
        spreads=not spreading_adds(evidence),
        unlike=divided.unlike,
        dealt=any(memory.schedule != Memory.schedule for memory in found),
    )


def _unseen(evidence: Evidence, group: Sequence[Object], shape: Shape, text: Sequence[Memory]) -> list[Object]:
    """Other objects of the lines that the code is for, used alike: their page faults were lost."""
    lines = [(memory.file, memory.first, memory.last) for memory in text if not memory.kept]
    return [
        each
        for each in evidence.objects.found
        if each not in group
        and not each.pages_at_most
        and each.use_shape is shape
        and shape.divided
        and (made := each.allocated) is not None
        and any(made.file == file and first <= (made.line or 0) <= last for file, first, last in lines)
    ]


def _told_by_text(
    evidence: Evidence, group: Sequence[Object], use: Site | None
) -> tuple[Sequence[Object], Sequence[Memory]]:
    """The objects whose allocations the program's text tells, if enough of the remote lines are theirs; else all,
    and no allocation."""
    if found := memories(evidence, group, use):
        return group, found
    told = [each for each in group if not touched_by_allocator(evidence, each) and memories(evidence, [each], use)]
    enough = remote_part(evidence, told) >= WORTH_CODE * remote_part(evidence, group)
    return (told, memories(evidence, told, use) or ()) if told and enough else (group, ())


_ANOTHER_TIME = " If that is a task or a dynamic chunk, another thread may run it next time: then divide the work."
_UNWRITTEN = "Use an allocator that leaves elements unwritten"
_UNCONSTRUCTED = "Allocate it by operator new[] as bytes, which calls no constructor of elements"
_OF_AN_ELEMENT = re.compile(r"std::(?:complex|pair|tuple|atomic|optional)\b")
_UNCOPIED = (
    "That copies another container, which writes all elements whatever the allocator: make it at its size with an "
    "allocator that leaves them unwritten"
)


def change(init: Initialisation) -> str:
    if init.team is Team.PROCESSES:
        return _processes_change(init)
    if init.shape is Shape.ONE:
        another = "" if init.team is not Team.OPENMP else _ANOTHER_TIME
        return f"One thread alone uses it: let that thread initialise it, and not the one that does so now.{another}"
    if init.grows and not init.memories:
        return (
            f"It grows while one thread fills it at {positions(init.sites)}: allocate it at its final size before, and "
            f"write zeros to it in parallel, divided as {init.loop} divides it. Without an edit, spread it:"
        )
    if by_pieces := _made_by_pieces(init):
        return init.or_spread(by_pieces)
    by_team = _openmp_change if init.team is Team.OPENMP else _threads_change
    text = (_grown_change if is_moved(init) or _moves_unknown_parts(init) else by_team)(init)
    more = [part for part in (_cut(init), _unlike(init), _left(init), _zeroed_beside(init), _same_lines(init)) if part]
    # What to do comes first: the first screen has room for few sentences. A colon stands before the code only.
    text = f"{text[:-1]}." if more and text.endswith(":") else text
    return _written_by_call(init) + " ".join([text, *more])


def _made_by_pieces(init: Initialisation) -> str:
    """What to do where no loop can place the memory beforehand; empty: one can."""
    if _made_of_nodes(init):
        return (
            f"{init.callees} allocates its elements one by one at {positions(init.calling)}, so that no loop can place "
            "them beforehand: let the threads insert what they use later, each into a container of its own."
        )
    if _appended(init) and not edits(init):
        return (
            f"{_written_by_call(init)}Each thread uses containers of its own: once they are full, let it copy those "
            "that it uses, and use its copies, which it writes first."
        )
    if _made_one_by_one(init) and not edits(init):
        return (
            f"It is allocated in small blocks, one after the other, at {positions(init.sites)}, so that no loop can "
            "place them beforehand: let each thread allocate and write first the blocks that it uses later."
        )
    return ""


def _made_one_by_one(init: Initialisation) -> bool:
    """Small blocks of a loop whose turns have no number."""
    return any(memory.small and memory.nest is None for memory in init.memories or ())


def _made_of_nodes(init: Initialisation) -> bool:
    """A map, a set or a list: a small allocation for each element."""
    function = init.call.function if init.call is not None else ""
    return init.contained and re.search(r"\b(?:unordered_|multi)*(?:map|set|list|deque)\s*<", function) is not None


def _appended(init: Initialisation) -> bool:
    """Vectors of a thread each, which grow: an allocator that writes nothing would not change who writes them first."""
    function = init.call.function if init.call is not None else ""
    appends = re.search(r"\bvector\b.*::(?:push_back|emplace_back|insert|_M_realloc\w+)\b", function) is not None
    return init.contained and init.shape is Shape.OWN and appends


def _written_by_call(init: Initialisation) -> str:
    # Without lines all calls of a function are one place: another one may have written.
    if init.call is None or init.sites[0].line is None:
        return ""
    written = sum(init.pages.get(site, 0.0) for site in init.calling)
    if written <= MAINLY * sum(init.pages.values()):
        return ""
    all_of_it = "all" if written >= ALL_OF_IT * sum(init.pages.values()) else "most"
    verb = "write" if " and " in init.callees else "writes"
    names = re.sub("^a function", "A function", init.callees)
    return f"{names} {verb} {all_of_it} of it at {positions(init.calling)}. "


def _unwritten(init: Initialisation) -> str:
    """How to get the memory unwritten: what writes is no container where new T[n] calls constructors."""
    by_elements = init.call is not None and _OF_AN_ELEMENT.match(init.call.function)
    return _UNCONSTRUCTED if by_elements else _UNWRITTEN


def _zeroed_beside(init: Initialisation) -> str:
    """Why the code is for more memory than the finding."""
    if not init.zeroed or not edits(init):
        return ""
    names = words([f"`{memory.pointer}`" for _, there in init.zeroed for memory in there])
    return (
        f"The compiler has {names} allocated as zeros instead of writing them, which it may not do once other code "
        "stands between: the code is for that memory too."
    )


def _cut(init: Initialisation) -> str:
    """What only samples tell of it, and the code relies on."""
    arrays = max((memory.arrays for memory in init.memories or ()), default=0)
    return f"By its samples it holds {arrays} arrays of one size: each is divided." if arrays and edits(init) else ""


def _unlike(init: Initialisation) -> str:
    """Why the code leaves remote requests."""
    if not (init.unlike and by_policy(init) and edits(init)):
        return ""
    return (
        "One line makes several objects, which the threads divide in different ways: one code suits them only in part."
    )


def _left(init: Initialisation) -> str:
    """What the code does not reach."""
    if not init.left or not edits(init):
        return ""
    return f"Do the same for {init.left}, where the program's text does not tell the place of the code."


def _same_lines(init: Initialisation) -> str:
    """Why the code does more than the finding tells."""
    if not init.unseen or not edits(init):
        return ""
    return f"The code is also for {init.also}: who touched that first was not seen."


def is_moved(init: Initialisation) -> bool:
    """The code moves pages that were written to."""
    return any(memory.grown for memory in init.memories or ()) and bool(edits(init))


def _moves_unknown_parts(init: Initialisation) -> bool:
    """Code would move pages that were written to, but no samples tell to whom."""
    return init.shape is Shape.UNKNOWN and any(memory.grown for memory in init.memories or ())


def _grown_change(init: Initialisation) -> str:
    grows = f"It grows while one thread fills it at {positions(init.sites)}."
    if _moves_unknown_parts(init):
        return init.or_spread(
            f"{grows} If each thread uses a part of its own, allocate it at its final size before, and let each thread "
            "write first to its part."
        )
    return (
        f"{grows} Better allocate it at its final size before, "
        "and let each thread write first to the part that it uses later. Or, once it is full, move its parts, by this "
        f"code, to the nodes that use them at {_use(init)} (threads must be pinned as in this run):"
    )


def _openmp_change(init: Initialisation) -> str:
    if by_policy(init) and init.nodes is not None and code(init) != init.without_edit:
        return f"Place its parts on the nodes that use them at {_use(init)}, before anything is written to it:"
    if code(init) == init.without_edit:
        if init.copied:
            return init.or_spread(f"{_UNCOPIED}, and copy in parallel, divided as {init.loop} divides it.")
        if init.contained:
            return init.or_spread(
                f"{_unwritten(init)}, and write to the memory in parallel, divided as {init.loop} divides it."
            )
        return init.or_spread(
            f"Before anything else is written to it, write to it in parallel, divided as {init.loop} divides it: the "
            "first write to a page decides its node."
        )
    if any(memory.blocks for memory in init.memories or ()):
        return (
            f"Before anything else is written to a block of it, let the thread write zeros there that {init.loop} "
            "gives that block: who writes a page first decides its node."
        )
    return (
        f"Before anything else is written to it, write zeros in parallel, divided among the threads as {init.loop} "
        "divides it: who writes a page first decides its node."
    )


def _threads_change(init: Initialisation) -> str:
    if init.nodes is not None and code(init) != init.without_edit:
        return (
            "Let each thread write to its part first. Or place the parts, by this code, on the nodes that use them at "
            f"{_use(init)}, before anything is written to it (threads must be pinned as in this run):"
        )
    if init.copied:
        return init.or_spread(f"{_UNCOPIED}, and let each thread copy the part that it uses later.")
    if init.contained:
        return init.or_spread(f"{_unwritten(init)}, and let each thread write first to the part that it uses later.")
    if init.shape is Shape.UNKNOWN:
        return init.or_spread("If each thread uses a part of its own, let it write to that part first.")
    return init.or_spread("Let each thread write first to the part that it uses later.")


def _processes_change(init: Initialisation) -> str:
    own = (
        "Let each process initialise after fork what it uses (a page that a child writes first comes from the child's "
        "node)."
    )
    if edits(init):
        return (
            f"{own} Or place the parts, by this code, on the nodes that use them at {_use(init)}, before anything is "
            "written to it (processes must be pinned as in this run):"
        )
    return f"{own} Before the fork, spread over the nodes what all of them only read:"


def _use(init: Initialisation) -> str:
    return site_position(init.use) if init.use is not None else "the place of use"


def by_policy(init: Initialisation) -> bool:
    """True if a static schedule would place the parts on other nodes than their users'."""
    made = init.memories or ()
    placed_so = any((each.blocks and not each.fortran) or each.grown or each.filled for each in made)
    if init.team is not Team.OPENMP or init.in_region or placed_so:
        return True
    return init.nodes is not None and not init.in_team_order and not init.dealt


def edits(init: Initialisation) -> tuple[Edit, ...]:
    """Code in its place; empty: the text does not tell where that is, or no code of this memory's own is the change."""
    if init.shape is Shape.ONE or not init.memories or _moves_unknown_parts(init):
        return ()
    if init.team is Team.PROCESSES and init.nodes is None:
        return ()
    return edits_of(init.memories, _snippet(init))


def _snippet(init: Initialisation) -> Snippet:
    return (lambda memory: by_node(memory, init.nodes or ())) if by_policy(init) else zeros_in_parallel


def _nodes_after(init: Initialisation, division: Division) -> tuple[int | None, ...] | None:
    """The node of each of equal parts of the object, after the change that `code` prints; None: spread by turns."""
    if init.spread in code(init):
        return None
    if by_policy(init) and init.nodes is not None:
        return division.nodes or init.nodes
    if division.by_level:
        return division.by_level
    if init.nodes is not None and not init.as_one and not division.each_block:
        return init.owners  # each of several arrays in it is divided
    return init.by_team


def promised(evidence: Evidence, group: Sequence[Object], init: Initialisation) -> float | None:
    """Share of all remote accesses that the printed code removes.

    Spread by turns, one node's load goes, and about as much is remote as before. Of unknown parts, and of what only
    words describe, nothing is promised.
    """
    if init.shape is Shape.UNKNOWN or init.spread in code(init) or not code(init) or is_moved(init):
        return None
    nodes = init.by_team if init.dealt or init.nodes is None else init.nodes
    pages = sum(each.pages for each, _ in init.zeroed)
    zeroed = stored_once(evidence, group[0].main_thread, pages, nodes or ())
    if init.dealt:
        return gained_by_turns(evidence, group, init.by_team) - zeroed
    # A policy for a block comes after malloc has written its size; that of the thread that makes it does not.
    late = by_policy(init) and not any(memory.small for memory in init.memories or ())
    reached = [
        division
        for division in init.divisions
        if division.found in init.reached and not (late and touched_by_allocator(evidence, division.found))
    ]
    saved = sum(gained(evidence, [each.found], _nodes_after(init, each), each.each_block) for each in reached)
    first = reached[0] if reached and edits(init) else None
    beside = gained(evidence, init.unseen, _nodes_after(init, first), first.each_block) if first is not None else 0.0
    return saved + beside - zeroed


def code(init: Initialisation) -> tuple[str, ...]:
    if init.shape is Shape.ONE:
        return ()
    if init.grows and not init.memories:
        return (init.spread,)
    if found := edits(init):
        return printed(found)
    if init.team is Team.PROCESSES:
        return (init.spread,)
    if init.memories is not None or init.contained or (by_policy(init) and init.nodes is None):
        return init.without_edit
    return unplaced(_snippet(init), init.allocated, init.sites) or init.without_edit
