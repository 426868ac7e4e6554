# SPDX-License-Identifier: Apache-2.0
"""A decision for the tests of what follows from one."""

from __future__ import annotations

from numaprof.evidence.objects import Object
from numaprof.placement.advice import Advice, Kind
from numaprof.placement.decide import Decision, Scored
from numaprof.placement.levers import Lever, Origin
from numaprof.placement.placements import Form, Placement
from numaprof.placement.score import Score
from numaprof.placement.use_matrix import UseMatrix


def advised(obj: Object, node: int = 0) -> Advice:
    """To place an object whose uses nobody sampled on one node."""
    score, matrix = Score(0.0, 0.0, 0.0), UseMatrix((), (), (), dram=False)
    placement = Placement(Form.ONE_NODE, node=node)
    row = Scored(
        obj, matrix, Origin.FIRST_TOUCH, Lever.FIRST_TOUCH, placement, None, score, score, (0.0, 0.0), None, 0.0
    )
    decision = Decision("one node", (row,), Lever.FIRST_TOUCH, placement, 0.0, (0.0, 0.0))
    return Advice(Kind.FIX, "it is slow", "place it", "a test", objects=(obj,), decisions=(decision,))
