# SPDX-License-Identifier: Apache-2.0
"""The decision: for each edit site the placement of its memory, or that it should stay as it is, with the reasons.

Each object is scored by itself; what one thread or function places is one edit site, whose gains are added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from numaprof.analysis.relevant_objects import part_of_remote
from numaprof.analysis.remote_share import remote_share
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import Site
from numaprof.placement.candidates import fitted, fixed
from numaprof.placement.levers import Lever, Origin, lever_for, origin_of
from numaprof.placement.placements import AS_IT_IS, Form, Placement
from numaprof.placement.score import STATIC_BITS, Score, Scorer
from numaprof.placement.teams import teams
from numaprof.placement.use_matrix import UseMatrix

# A change must take away so much of the cost of all requests: less is lost in the spread of run times.
MIN_GAIN = 0.03

Kind = Literal[
    "parts", "interleave", "one node", "per allocation", "copies", "move thread", "move", "setting", "leave",
    "too few samples",
]  # fmt: skip

_KINDS: dict[Form, Kind] = {
    Form.AS_IT_IS: "leave",
    Form.ONE_NODE: "one node",
    Form.INTERLEAVED: "interleave",
    Form.PARTS: "parts",
    Form.PIECES: "parts",
    Form.PER_ALLOCATION: "per allocation",
}


@dataclass(frozen=True)
class Scored:
    """An object with the best placement for it.

    mass: its requests as a part of all requests.
    removes: part of all requests that is remote now and would be local; interval: 95 % of that.
    gain: in cost, controllers included.
    bits: by which the samples speak for owners of parts; negative: against them.
    """

    obj: Object
    matrix: UseMatrix
    origin: Origin
    lever: Lever
    placement: Placement
    runner_up: Placement | None
    now: Score
    after: Score
    mass: float
    interval: tuple[float, float]
    bits: float

    @property
    def gain(self) -> float:
        return (self.now.cost - self.after.cost) * self.mass

    @property
    def removes(self) -> float:
        return (self.now.remote - self.after.remote) * self.mass


@dataclass(frozen=True)
class Decision:
    """What to do about the memory of one edit site.

    gain: part of all requests that is remote now and would be local; interval: 95 % of that.
    relief: part of the gain in cost that comes from the busiest controller's load.
    runner_up: the best of the other placements; None: there is none.
    reasons: why not the others, and what would tell more.
    """

    kind: Kind
    scored: tuple[Scored, ...]
    lever: Lever
    placement: Placement
    gain: float
    interval: tuple[float, float]
    relief: float = 0.0
    runner_up: Placement | None = None
    reasons: tuple[str, ...] = ()

    @property
    def objects(self) -> tuple[Object, ...]:
        return tuple(row.obj for row in self.scored)


def decide(evidence: Evidence) -> list[Decision]:
    """What pays most first. Empty: placement is no problem in this run, or nothing is known of its memory."""
    if not judge(evidence).fixable or evidence.machine.single:
        return []
    scored = list(_scored(evidence))
    sites: dict[tuple[object, ...], list[Scored]] = defaultdict(list)
    for row in scored:
        sites[_KINDS[row.placement.form], row.lever, _edit_site(row.obj)].append(row)
    decisions = [_decision(group) for group in sites.values()]
    return sorted(decisions, key=lambda decision: (decision.kind == "leave", -decision.gain - decision.relief))


def _edit_site(obj: Object) -> object:
    """Objects of one function are placed by one edit."""
    site: Site | None = obj.site or obj.allocated
    return (site.file, site.function) if site is not None and site.function is not None else obj.main_thread


def _decision(group: Sequence[Scored]) -> Decision:
    rows = sorted(group, key=lambda row: -row.gain)
    first, cost = rows[0], sum(row.gain for row in rows)
    removes = sum(row.removes for row in rows)
    kind = _KINDS[first.placement.form] if cost >= MIN_GAIN else "leave"
    low, high = (sum(row.interval[side] for row in rows) for side in (0, 1))
    return Decision(
        kind, tuple(rows), first.lever, first.placement, removes, (low, high), cost - removes, first.runner_up
    )


def _scored(evidence: Evidence) -> Iterator[Scored]:
    share = remote_share(evidence)
    whole = share.share if share is not None else 0.0
    for obj in evidence.objects.found:
        if obj.kind in ("stack", "tls") or obj.is_ours:
            continue
        part = part_of_remote(evidence, obj)
        row = of_object(evidence, obj, (part or 0.0) * whole)
        if row is not None:
            yield row


def of_object(evidence: Evidence, obj: Object, remote: float) -> Scored | None:
    """remote: its remote requests as a part of all requests. None: nothing is known of its uses."""
    nodes = evidence.machine.memory_nodes
    matrix = evidence.use_rows.matrix(obj.things, evidence.stand_ins, nodes)
    if not matrix.uses or not remote:
        return None
    scorer, groups, origin = Scorer(matrix, nodes), teams(evidence, matrix), origin_of(evidence, obj)
    now = scorer.score(AS_IT_IS)
    mass = min(1.0, remote / now.remote) if now.remote > 0 else 0.0
    whole: list[tuple[float, Placement]] = [(now.cost, AS_IT_IS)]
    divided: list[tuple[float, Placement]] = []
    for placement in fixed(matrix, groups, nodes, evidence.run.page_bytes):
        if lever_for(origin, placement.form) is None:
            continue
        if placement.form is Form.PARTS:
            divided.append((STATIC_BITS + scorer.described(placement), placement))
        elif placement.form is not Form.AS_IT_IS:
            whole.append((scorer.score(placement).cost, placement))
    for placement in fitted(matrix, groups[0], scorer.uses) if groups else ():
        if lever_for(origin, placement.form) is not None:
            divided.append((scorer.described(placement), placement))
    bits, owned = max(divided, key=lambda row: row[0], default=(0.0, None))
    whole.sort(key=lambda row: row[0])
    best, runner_up = whole[0][1], whole[1][1] if whole[1:] else None
    if owned is not None and bits > 0 and scorer.score(owned).cost < whole[0][0]:
        best, runner_up = owned, best
    low, high = scorer.interval_of_gain(AS_IT_IS, best)
    lever = lever_for(origin, best.form) or Lever.NOTHING
    return Scored(
        obj, matrix, origin, lever, best, runner_up, now, scorer.score(best), mass, (low * mass, high * mass), bits
    )
