# SPDX-License-Identifier: Apache-2.0
"""A placement: the node of each position of an object, written for a team, so that it holds on any machine.

`parts` gives equal parts of a period to the members of a team in their order; an object (or each of its blocks) may
hold several periods: arrays in one block, rows of a matrix, chunks that are dealt out. `pieces` are blocks of any
length. Both name owners by their position in the team: the node follows from where that thread runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from numaprof.placement.teams import Team
from numaprof.placement.use_matrix import Touch, Use


class Form(Enum):
    AS_IT_IS = "as it is"
    ONE_NODE = "one node"
    INTERLEAVED = "interleaved"
    PARTS = "parts in team order"
    PIECES = "parts by owner"
    PER_ALLOCATION = "per allocation"

    @property
    def divided(self) -> bool:
        """True if each part goes to the node of a thread."""
        return self in (Form.PARTS, Form.PIECES, Form.PER_ALLOCATION)


@dataclass(frozen=True)
class Placement:
    """Where memory goes.

    bits: length of its description beyond that of the simplest placement of its form.
    """

    form: Form
    team: Team | None = None
    folded: bool = False  # positions are those within a block, not in all blocks one behind the other
    periods: int = 1  # of PARTS: arrays, rows or rounds of chunks
    end: float = 1.0  # of PARTS: position of the end of what is used; the rest goes with the last part
    ends: tuple[float, ...] = ()  # of PIECES
    owners: tuple[int, ...] = ()  # of PIECES and PER_ALLOCATION: position in the team of the owner of each
    node: int | None = None  # of ONE_NODE
    bits: float = 0.0

    def owner(self, part: Use | Touch) -> int | None:
        """Position in the team of the owner; None: no thread owns it."""
        if self.team is None:
            return None
        if self.form is Form.PER_ALLOCATION:
            return self.owners[part.block]
        return self.owner_at(part.within if self.folded else part.at)

    def owner_at(self, position: float) -> int:
        """Of PARTS and PIECES."""
        if self.form is Form.PIECES:
            return self.owners[_piece(self.ends, position)]
        count = len(self.team.threads) if self.team is not None else 1
        position = min(position / self.end, 1.0 - 1e-12) * self.periods
        return int((position - int(position)) * count)

    def borders(self) -> Sequence[float]:
        """Of PARTS and PIECES: where one part ends and the next begins."""
        if self.form is Form.PIECES:
            return self.ends
        count = (len(self.team.threads) if self.team is not None else 1) * self.periods
        return [self.end * (part + 1) / count for part in range(count)]

    def node_of(self, part: Use | Touch) -> int | None:
        """None: it is interleaved, or stays where it is."""
        owner = self.owner(part)
        return self.node if owner is None or self.team is None else self.team.nodes[owner]


def _piece(ends: Sequence[float], position: float) -> int:
    low, high = 0, len(ends) - 1
    while low < high:
        middle = (low + high) // 2
        if position < ends[middle]:
            high = middle
        else:
            low = middle + 1
    return low


AS_IT_IS = Placement(Form.AS_IT_IS)
INTERLEAVED = Placement(Form.INTERLEAVED)
