# SPDX-License-Identifier: Apache-2.0
"""Objects and source locations of a report. report_model.py says what holds of all fields."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceLine:
    """One line of source text."""

    number: int
    text: str


@dataclass(frozen=True)
class Place:
    """A source location.

    Fields:
        label: As the report names it.
        module: Where neither file nor line is known.
        of_runtime: Code of an interpreter or a virtual machine, or made by it: not of whoever wrote the program.
    """

    label: str
    function: str | None
    file: str | None
    line: int | None
    module: str | None
    of_runtime: bool


@dataclass(frozen=True)
class Line:
    """A source line, or the best place there is, with all that is known to happen there.

    Fields:
        allocated_bytes: Size of the objects allocated here; the first objects' lines are listed whether or not anything
            else happens there.
        touched_bytes: Memory first touched here.
        touched_by: The threads that touched most of it.
        homes: Nodes where that memory is.
        library_call: What the line calls that does the touching.
        remote_events: Remote requests attributed to this line, from overflow samples.
        accesses: Accesses with an address from this line that samples stand for.
        remote_accesses: Those of them that are remote; null: not known.
        samples: Samples that the remote share of these accesses is of.
        source: The text around it, where the file could be read when the report was made.
        source_changed: The file was written to after the recording began.
        matters: A part of the first touches, the remote accesses or the allocations of all lines that can be seen.
    """

    place: Place
    allocated_bytes: float
    touched_bytes: float
    touched_by: tuple[str, ...]
    homes: tuple[int, ...]
    library_call: str | None
    remote_events: float
    accesses: float
    remote_accesses: float | None
    samples: int
    source: tuple[SourceLine, ...]
    source_changed: bool
    matters: bool


HOME, TOUCHED, USED = "home", "first touched", "used"  # what holds in a stretch


@dataclass(frozen=True)
class Stretch:
    """A part of an object in which one thing holds. Positions are shares of the object, from 0 to 1.

    Fields:
        what: home, first touched or used.
        start: Start of the part, from 0; several blocks follow one another.
        end: End of the part, up to 1.
        node: home: node of the pages; else the node of the thread.
        thread: Thread.id; null: threads of one node together, or a home.
        share: home and first touched: how much of the stretch this holds for, at least; used: how much it is used,
            against the part used most.
    """

    what: str
    start: float
    end: float
    node: int | None
    thread: int | None
    share: float


@dataclass(frozen=True)
class Move:
    """Memory that was on another node when last looked at than after its first touch: the kernel or the program moved
    it."""

    from_node: int
    to_node: int
    bytes: float


@dataclass(frozen=True)
class Object:
    """What a user can name: a variable, or the memory of one allocation site.

    Fields:
        name: Variable, allocation site, or the line that first touched it.
        short_name: The same without functions.
        kind: heap, static, tls, stack, mapping, file, shared, huge; memory: told apart by its first touch alone.
        blocks: Number of blocks; null: not known.
        bytes: Most that lived at one time.
        filled: The share of that, from its start, beyond which nothing was touched or used; 1: all, or not known.
        remote_share: Of its sampled accesses whose placement is known.
        of_all_remote: Its part of all remote lines, prefetched ones included, where counters tell; else of all sampled
            remote accesses; null: not known, or too few samples tell.
        of_all_remote_error: Half its 95 % interval, by the counts of the classes and the samples that divide them;
            null: not known.
        samples: Number of samples behind the share.
        home: Nodes of its pages, in words.
        allocated_at: The user's line that allocates it.
        first_touched_at: The place that first touches most of it.
        used_at: The place that accesses it most.
        touched_by: Number of threads.
        used_by: Threads that make more than stray accesses, after the initialisation where that could be told.
        use_shape: Access pattern, in words.
        remarks: The same as sentences.
        matters: By size or by remote accesses: the terminal shows it, and the page maps it.
        moved: What lies on another node than at first, most first, if its nodes were asked twice.
        map: Position against home, first toucher and users; of the first 24 objects, in 64 parts.
    """

    name: str
    short_name: str
    kind: str
    blocks: int | None
    bytes: float
    filled: float
    remote_share: float | None
    of_all_remote: float | None
    of_all_remote_error: float | None
    samples: int
    home: str
    allocated_at: Place | None
    first_touched_at: Place | None
    used_at: Place | None
    touched_by: int
    used_by: int
    use_shape: str
    remarks: tuple[str, ...]
    matters: bool
    moved: tuple[Move, ...]
    map: tuple[Stretch, ...]


@dataclass(frozen=True)
class Objects:
    """Objects, the most remote first.

    Fields:
        population: Population of the remote shares; null: no access with an address was recorded.
        attribution: Shares of the samples in objects, as sentences.
        not_listed: Number of objects that are too small or without samples.
        enough_samples: Remote shares of objects that have fewer are chance.
        enough_for_threads: With fewer samples, more threads may use an object than were seen, and no share is certain.
    """

    population: str | None
    attribution: tuple[str, ...]
    not_listed: int
    enough_samples: int
    enough_for_threads: int
    rows: tuple[Object, ...]


@dataclass(frozen=True)
class FirstTouch:
    """A place where memory is touched first.

    Fields:
        by: The thread that does, or how many do.
        share: Of all memory touched.
        home: Nodes of the pages, in words.
    """

    place: Place
    by: str
    bytes: float
    share: float
    home: str


@dataclass(frozen=True)
class FirstTouches:
    """Places where memory is touched first, the largest first.

    Fields:
        not_listed: Number of smaller places.
        bytes_not_listed: What is touched first there.
        remarks: What the sizes leave out, as sentences.
    """

    rows: tuple[FirstTouch, ...]
    not_listed: int
    bytes_not_listed: float
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Module:
    """One file of code.

    Fields:
        name: Of the ELF file, or [kernel].
        share: Of the remote reads sampled.
    """

    name: str
    share: float


@dataclass(frozen=True)
class Modules:
    """Whose code reads remotely.

    Fields:
        rests_on: Kind of samples, and whether the kernel was counted.
    """

    rests_on: str
    rows: tuple[Module, ...]
