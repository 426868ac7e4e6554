# SPDX-License-Identifier: Apache-2.0
"""What a placement costs, and how well it describes who uses what.

Cost: the remote part of the accesses, plus OVERLOAD times the excess load of the busiest memory controller while
several nodes ask at once. A gain has an interval: a bootstrap over clusters of one thread and one time slice.

Description: the bits by which a placement shortens the list of the samples' threads. A placement with an owner for
each position predicts them; its own length is subtracted (minimum description length), so that a placement with many
borders must explain many samples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2
from random import Random

from numaprof.placement.placements import Form, Placement
from numaprof.placement.use_matrix import Use, UseMatrix

# Cost of a controller that serves all requests while all nodes ask, in remote lines: a controller of a two-package
# server that is asked by both packages gives each about two thirds of the bandwidth of its own.
OVERLOAD = 0.30

# A static schedule in team order is what most programs do: four of five programs in which one thread places the memory
# divide it so (docs/corpus). In bits: log2(0.8 / 0.2).
STATIC_BITS = 2.0

# Who makes an access to a part of its own: at least so often its owner, and a thread of its node. Neighbours' borders,
# serial phases and migrations are the rest.
OWN_THREAD, OWN_NODE = 0.50, 0.75

RESAMPLES = 200


@dataclass(frozen=True)
class Score:
    """Cost of a placement of an object, per access."""

    remote: float
    overload: float

    @property
    def cost(self) -> float:
        return self.remote + OVERLOAD * self.overload


class Scorer:
    """Scores placements of one object."""

    def __init__(self, matrix: UseMatrix, nodes: Sequence[int]) -> None:
        self.matrix, self.nodes = matrix, tuple(nodes)
        self.uses = [use for use in matrix.uses if use.home is not None] or list(matrix.uses)
        self.knows_homes = any(use.home is not None for use in matrix.uses)

    @cached_property
    def together(self) -> float:
        """How evenly the nodes ask: 1 if all ask alike, 0 if one asks alone."""
        count = len(self.nodes)
        sums: dict[int, float] = defaultdict(float)
        for use in self.uses:
            sums[use.node] += use.weight
        total = sum(sums.values())
        if count < 2 or not total:
            return 0.0
        effective = 1 / sum((weight / total) ** 2 for weight in sums.values())
        return min(1.0, (effective - 1) / (count - 1))

    def homes(self, placement: Placement, uses: Sequence[Use]) -> list[int | None]:
        """The node of each use; None: interleaved."""
        if placement.form is Form.AS_IT_IS:
            return [use.home for use in uses]
        return [placement.node_of(use) for use in uses]

    def score(self, placement: Placement, uses: Sequence[Use] | None = None) -> Score:
        uses = self.uses if uses is None else uses
        total, remote, count = 0.0, 0.0, len(self.nodes)
        loads: dict[int | None, float] = defaultdict(float)
        for use, home in zip(uses, self.homes(placement, uses)):
            total += use.weight
            loads[home] += use.weight
            remote += use.weight * ((1 - 1 / count) if home is None else home != use.node)
        if not total or count < 2:
            return Score(0.0, 0.0)
        spread = loads.pop(None, 0.0) / count
        busiest = (max(loads.values(), default=0.0) + spread) / total
        return Score(remote / total, max(0.0, (busiest * count - 1) / (count - 1)) * self.together)

    def described(self, placement: Placement, uses: Sequence[Use] | None = None) -> float:
        """Bits that the placement saves of the list of the samples' threads, less the length of its own description.

        Negative: the samples say that no thread keeps to its parts.
        """
        uses = self.uses if uses is None else uses
        if placement.team is None:
            return 0.0
        owners = [placement.owner(use) for use in uses]
        nodes = [placement.team.nodes[owner] for owner in owners if owner is not None]
        saved = _saved(uses, [use.node for use in uses], nodes, OWN_NODE)
        if placement.form is Form.PARTS:
            threads = [placement.team.threads[owner] for owner in owners if owner is not None]
            saved = max(saved, _saved(uses, [use.thread for use in uses], threads, OWN_THREAD))
        return saved - placement.bits

    def interval_of_gain(self, before: Placement, after: Placement) -> tuple[float, float]:
        """95 % interval of the remote part that `after` takes away from `before`, by resampled clusters."""
        rng = Random(1)
        clusters: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
        spread = 1 - 1 / len(self.nodes)
        for use, old, new in zip(self.uses, self.homes(before, self.uses), self.homes(after, self.uses)):
            gone = (spread if old is None else old != use.node) - (spread if new is None else new != use.node)
            clusters[use.cluster][0] += gone * use.weight
            clusters[use.cluster][1] += use.weight
        rows = list(clusters.values())
        found = []
        for _ in range(RESAMPLES):
            chosen = rng.choices(rows, k=len(rows))
            found.append(sum(row[0] for row in chosen) / sum(row[1] for row in chosen))
        found.sort()
        cut = RESAMPLES // 40
        return found[cut], found[-1 - cut]


def _saved(uses: Sequence[Use], actual: Sequence[int], predicted: Sequence[int], least: float) -> float:
    """Bits that predictions of who makes each access save, beyond what the frequencies of both tell.

    least: share of correct predictions of the least regular program that the placement is for.
    """
    total = sum(use.weight for use in uses)
    if not total:
        return 0.0
    of_actual: dict[int, float] = defaultdict(float)
    of_predicted: dict[int, float] = defaultdict(float)
    match = squares = 0.0
    for use, one, other in zip(uses, actual, predicted):
        of_actual[one] += use.weight / total
        of_predicted[other] += use.weight / total
        match += use.weight / total * (one == other)
        squares += use.weight**2
    chance = sum(part * of_predicted.get(key, 0.0) for key, part in of_actual.items())
    if chance >= least:
        return 0.0
    size = total**2 / squares
    expected = max(least, (size * match + 0.5) / (size + 1))
    right, wrong = log2(expected / chance), log2((1 - expected) / (1 - chance))
    return size * (match * right + (1 - match) * wrong) - log2(size + 1) / 2
