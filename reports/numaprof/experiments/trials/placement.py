# SPDX-License-Identifier: Apache-2.0
"""The placement file (docs/trying-a-fix.md) as data, and as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from numaprof.text.format import clean

VERSION = 1
MOST_SUBJECTS, MOST_FRAMES, MOST_PLACES, MOST_CPUS = 256, 32, 4096, 1024  # collectors/placement/placement_file.h
PIECES_SHOWN = 8  # of a place, to people


@dataclass(frozen=True)
class Frame:
    build_id: str
    offset: int  # in the module's file, inside the call instruction
    label: str  # for people


@dataclass(frozen=True)
class Piece:
    node: int
    end: float  # as a fraction of the allocation


@dataclass(frozen=True)
class Place:
    mode: str  # blocks, interleave, weighted
    pieces: tuple[Piece, ...]
    ordinal: int | None = None  # among the subject's allocations of one thread; None: all others

    @property
    def text(self) -> str:
        if self.mode != "blocks":
            return f"{self.mode} {','.join(str(piece.node) for piece in self.pieces)}"
        if len(self.pieces) == 1:
            return f"node {self.pieces[0].node}"
        return "blocks " + " ".join(f"{piece.node}:{_fraction(piece.end)}" for piece in self.pieces)

    @property
    def short(self) -> str:
        """The text, of many pieces the first."""
        first = replace(self, pieces=self.pieces[:PIECES_SHOWN])
        return self.text if first == self else f"{first.text} ... ({len(self.pieces)} pieces)"


@dataclass(frozen=True)
class Subject:
    """What is placed: the allocations of one call stack, or one static variable."""

    kind: str  # allocation, mapping, static
    label: str
    places: tuple[Place, ...]
    basis: str  # what the placement rests on
    frames: tuple[Frame, ...] = ()
    bytes_range: tuple[int, int] = (0, 0)  # sizes that belong to it
    variable: tuple[str, int, int] | None = None  # build id, address, bytes
    recorded: int = 0  # allocations in the recording
    recorded_bytes: int = 0


def write(subjects: Sequence[Subject], comment: str, cpus: Sequence[int] = (), threads: Sequence[int] = ()) -> str:
    """The file's text.

    comment: what it was made from, one line. cpus: in the order threads take them. threads: the CPU of each of the
    first threads, in the order of their creation.
    """
    lines = [f"numaprof-placement {VERSION}", f"# {_comment(comment)}"]
    if cpus:
        lines.append(f"pin {','.join(map(str, cpus[:MOST_CPUS]))}")
    if threads:
        lines.append(f"threads {','.join(map(str, threads[:MOST_CPUS]))}")
    for subject in subjects:
        lines += ["", f"{subject.kind}  # {_comment(subject.label)}"]
        if subject.variable is not None:
            build_id, address, size = subject.variable
            lines.append(f"  range {build_id} {address:#x} {size}")
        else:
            lines.append(f"  bytes {subject.bytes_range[0]} {subject.bytes_range[1]}")
            lines += [
                f"  frame {frame.build_id} {frame.offset:#x}  # {_comment(frame.label)}" for frame in subject.frames
            ]
        for place in subject.places:
            ordinal = "*" if place.ordinal is None else str(place.ordinal)
            lines.append(f"  place {ordinal} {place.text}")
        lines.append("end")
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    """Text of the target, on one line."""
    return clean(text).replace("\n", " ")


def _fraction(value: float) -> str:
    return f"{min(1.0, value):.6f}".rstrip("0").rstrip(".")


def size_class(smallest: int, largest: int) -> tuple[int, int]:
    """Powers of two around the sizes that were seen: another input may shift them a little."""
    return 1 << (max(1, smallest).bit_length() - 1), (1 << max(1, largest).bit_length()) - 1


def whole(node: int) -> Place:
    return Place("blocks", (Piece(node, 1.0),))


def interleave(nodes: Sequence[int]) -> Place:
    return whole(nodes[0]) if len(nodes) == 1 else Place("interleave", tuple(Piece(node, 1.0) for node in nodes))


def joined(pieces: Sequence[Piece]) -> Place:
    """Neighbours on one node are one piece."""
    kept = [p for p, after in zip(pieces, [*pieces[1:], None]) if after is None or after.node != p.node]
    return Place("blocks", tuple(kept))
