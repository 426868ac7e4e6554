# SPDX-License-Identifier: Apache-2.0
"""What is known of an object without samples of its uses: its pages and their nodes, who touched them first, and how
much each thread asks of memory. It bounds the answer: any division beats memory that all lies on one node.

The uses are those of the documented prior, a static schedule in team order. If all threads use all of it instead, the
same parts are on all nodes, as if interleaved: the interval of the gain reaches down to that.
"""

from __future__ import annotations

from numaprof.analysis.relevant_objects import is_big
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import ELSEWHERE, UNKNOWN
from numaprof.evidence.thresholds import NEARLY_ALL
from numaprof.placement.teams import by_creation, node_of
from numaprof.placement.use_matrix import Block, Use, UseMatrix


def assumed(evidence: Evidence, obj: Object) -> UseMatrix | None:
    """None: nothing speaks for uses by other threads than the one that touched it first."""
    serial = obj.main_share >= NEARLY_ALL and obj.site not in (None, UNKNOWN, ELSEWHERE)
    big = is_big(evidence, obj.pages_at_most) and obj.kind not in ("file", "stack")
    if not serial or not big or not obj.homes or _gone_before_use(evidence, obj):
        return None
    team = [thread for thread in by_creation(evidence.workers) if thread.row.id not in evidence.stand_ins]
    total, uses = sum(obj.homes.values()), []
    for part, thread in enumerate(team):
        node = node_of(evidence, thread)
        asks = 1.0 if thread.traffic.total is None else thread.traffic.total
        at = (part + 0.5) / len(team)
        for home, pages in obj.homes.items() if node is not None and asks else ():
            weight = asks * pages / total
            uses.append(Use(at, at, 0, 0, thread.row.id, node or 0, home, weight, part))
    if len({use.node for use in uses}) < 2:
        return None
    block = Block(obj.things[0], 0, 0.0, int(obj.bytes or evidence.bytes(obj.pages)), obj.since, obj.until)
    slices = dict.fromkeys(range(len(team)), 0)
    return UseMatrix(tuple(uses), (), (block,), False, slices, assumed=True)


def _gone_before_use(evidence: Evidence, obj: Object) -> bool:
    """True if it was freed before any other worker started."""
    starts = [thread.row.start_ns for thread in evidence.workers if thread.row.id != obj.main_thread]
    return obj.until is not None and obj.until <= min(starts, default=0)
