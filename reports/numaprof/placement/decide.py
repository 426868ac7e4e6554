# SPDX-License-Identifier: Apache-2.0
"""The decision: for each edit site the placement of its memory, or that it should stay as it is, with the reasons.

Each object is scored by itself; what one thread or function places is one edit site, whose gains are added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from numaprof.analysis import node_matrix
from numaprof.analysis.relevant_objects import is_code, measured, part_of_remote
from numaprof.analysis.remote_share import remote_share
from numaprof.analysis.verdict import judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import Site
from numaprof.evidence.thresholds import MIN_OBJECT_SHARE
from numaprof.placement.candidates import fitted, fixed
from numaprof.placement.few_samples import assumed
from numaprof.placement.levers import Lever, Origin, lever_for, origin_of
from numaprof.placement.placements import AS_IT_IS, INTERLEAVED, Form, Placement
from numaprof.placement.policies import forced_homes
from numaprof.placement.score import STATIC_BITS, Demand, Score, Scorer, demand
from numaprof.placement.teams import teams
from numaprof.placement.use_matrix import UseMatrix

# A change must take away so much of the cost of all requests: less is lost in the spread of run times.
MIN_GAIN = 0.03

# Fewer samples do not tell who uses an object.
FEW_SAMPLES = 8

# Of the many ways to cut an object into parts, so many are scored on all samples: the best on a few of these.
BEST_PARTS, FEW_USES = 8, 400

Kind = Literal[
    "parts", "interleave", "one node", "per allocation", "pages", "threshold", "setting", "leave", "too few samples",
]  # fmt: skip

_KINDS: dict[Form, Kind] = {
    Form.AS_IT_IS: "leave",
    Form.ONE_NODE: "one node",
    Form.INTERLEAVED: "interleave",
    Form.PARTS: "parts",
    Form.PIECES: "parts",
    Form.PER_ALLOCATION: "per allocation",
}

_OF_LEVER: dict[Lever, Kind] = {Lever.SMALL_PAGES: "pages", Lever.FRESH_PAGES: "threshold"}


@dataclass(frozen=True)
class Scored:
    """An object with the best placement for it.

    removes: part of all requests that is remote now and would be local; interval: 95 % of that.
    gain: in cost, controllers included.
    owned: the division among threads that describes the uses best; None: no samples, or they speak against any.
    bits: by which the samples speak for that division; negative: against it.
    """

    obj: Object
    matrix: UseMatrix
    origin: Origin
    lever: Lever
    placement: Placement
    runner_up: Placement | None
    now: Score
    after: Score
    interval: tuple[float, float]
    owned: Placement | None
    bits: float

    @property
    def gain(self) -> float:
        return self.now.cost - self.after.cost

    @property
    def removes(self) -> float:
        return (self.now.remote - self.after.remote) * self.now.mass


@dataclass(frozen=True)
class Decision:
    """What to do about the memory of one edit site.

    gain: part of all requests that is remote now and would be local; interval: 95 % of that.
    relief: part of the gain in cost that comes from the busiest controller's load.
    runner_up: the best of the other placements; None: there is none.
    """

    kind: Kind
    scored: tuple[Scored, ...]
    lever: Lever
    placement: Placement
    gain: float
    interval: tuple[float, float]
    relief: float = 0.0
    runner_up: Placement | None = None

    @property
    def objects(self) -> tuple[Object, ...]:
        return tuple(row.obj for row in self.scored)


def decide(evidence: Evidence) -> list[Decision]:
    """What pays most first. Empty: placement is no problem in this run, or nothing is known of its memory."""
    return decisions_of(evidence, list(scored(evidence)))


def decisions_of(evidence: Evidence, rows: Sequence[Scored]) -> list[Decision]:
    if not judge(evidence).fixable or len(forced_homes(evidence)) == 1:
        return []  # of what a policy binds to one node the findings in settings/ speak
    sites: dict[tuple[object, ...], list[Scored]] = defaultdict(list)
    for row in rows:
        if row.now.mass:
            sites[_KINDS[row.placement.form], row.lever, _edit_site(row.obj)].append(row)
    decisions = [_decision(group) for group in sites.values() if _tells(group)]
    return sorted(decisions, key=lambda decision: (decision.kind == "leave", -decision.gain - decision.relief))


def _tells(rows: Sequence[Scored]) -> bool:
    """True if the samples of all objects of an edit site together tell who uses them."""
    return any(row.matrix.assumed for row in rows) or sum(row.matrix.effective for row in rows) >= FEW_SAMPLES


def _edit_site(obj: Object) -> object:
    """Objects of one function are placed by one edit."""
    site: Site | None = obj.site or obj.allocated
    return (site.file, site.function) if site is not None and site.function is not None else obj.main_thread


def _decision(group: Sequence[Scored]) -> Decision:
    rows = sorted(group, key=lambda row: -row.gain)
    rows = [row for row in rows if row.gain >= MIN_OBJECT_SHARE * rows[0].gain]
    first, cost = rows[0], sum(row.gain for row in rows)
    removes = sum(row.removes for row in rows)
    kind = _OF_LEVER.get(first.lever, _KINDS[first.placement.form]) if cost >= MIN_GAIN else "leave"
    low, high = (sum(row.interval[side] for row in rows) for side in (0, 1))
    return Decision(
        kind, tuple(rows), first.lever, first.placement, removes, (low, high), cost - removes, first.runner_up
    )


def _fast_nodes(evidence: Evidence) -> tuple[int, ...]:
    """Nodes with memory, without the slow tier."""
    return tuple(node for node in evidence.machine.memory_nodes if node not in evidence.machine.slow_nodes)


def _demand(evidence: Evidence) -> Demand:
    """By counts, where these tell; else by samples."""
    nodes = _fast_nodes(evidence)
    served = {node: part for node, part in node_matrix.served(evidence).items() if node in nodes}
    used = [row for row in evidence.samples.used if row.page_node in nodes and row.node is not None]
    asked = {node: node_matrix.node_traffic(evidence, node).total or 0.0 for node in nodes}
    if not sum(served.values()):
        served = {node: sum(row.accesses for row in used if row.page_node == node) for node in nodes}
    if not sum(asked.values()):
        asked = {node: sum(row.accesses for row in used if row.node == node) for node in nodes}
    return demand(served, asked)


def scored(evidence: Evidence) -> Iterator[Scored]:
    """Each object whose uses were sampled."""
    if evidence.machine.single:
        return
    share, requests = remote_share(evidence), _demand(evidence)
    whole = share.share if share is not None else 0.0
    for obj in evidence.objects.found:
        if obj.kind in ("stack", "tls") or obj.is_ours or is_code(evidence, obj):
            continue
        matrix = evidence.use_rows.matrix(obj.things, evidence.stand_ins, _fast_nodes(evidence), obj.grows)
        part = part_of_remote(evidence, obj)
        if matrix.effective < FEW_SAMPLES:
            matrix = (None if measured(evidence) and not part else assumed(evidence, obj)) or matrix
            part = obj.pages / evidence.touched_pages if matrix.assumed and not part else part
        if matrix.uses:
            remote = whole if share is not None else matrix.remote_now or 0.0
            yield of_object(evidence, obj, matrix, (part or 0.0) * remote, requests)


def of_object(evidence: Evidence, obj: Object, matrix: UseMatrix, remote: float, whole: Demand) -> Scored:
    """remote: its remote requests as a part of all requests."""
    nodes = _fast_nodes(evidence)
    scorer, groups, origin = Scorer(matrix, whole, remote), teams(evidence, matrix), origin_of(evidence, obj)
    now = scorer.score(AS_IT_IS)
    undivided: list[tuple[float, Placement]] = [(now.cost, AS_IT_IS)]
    divided: list[tuple[float, Placement]] = []
    parts: list[Placement] = []
    for placement in fixed(matrix, groups, nodes, evidence.run.page_bytes):
        if lever_for(origin, placement.form) is None:
            continue
        if placement.form is Form.PARTS:
            parts.append(placement)
        elif placement.form is not Form.AS_IT_IS:
            undivided.append((scorer.score(placement).cost, placement))
    few = scorer.uses[:: -(-len(scorer.uses) // FEW_USES)]
    parts.sort(key=lambda placement: -scorer.described(placement, few))
    divided += [(STATIC_BITS + scorer.described(placement), placement) for placement in parts[:BEST_PARTS]]
    for placement in fitted(matrix, groups[0], scorer.uses) if groups else ():
        if lever_for(origin, placement.form) is not None:
            divided.append((scorer.described(placement), placement))
    bits, owned = max(divided, key=lambda row: row[0], default=(0.0, None))
    undivided.sort(key=lambda row: row[0])
    best, runner_up = undivided[0][1], undivided[1][1] if undivided[1:] else None
    if owned is not None and bits > 0 and scorer.score(owned).cost < undivided[0][0]:
        best, runner_up = owned, best
    low, high = scorer.interval_of_gain(AS_IT_IS, best)
    if matrix.assumed and best.form.divided:
        low = now.remote - scorer.score(INTERLEAVED).remote  # if all threads use all of it
    lever = lever_for(origin, best.form) or Lever.NOTHING
    return Scored(
        obj,
        matrix,
        origin,
        lever,
        best,
        runner_up,
        now,
        scorer.score(best),
        (low * now.mass, high * now.mass),
        owned if bits > 0 else None,
        bits,
    )
