# SPDX-License-Identifier: Apache-2.0
"""What a placement costs, and how well it describes who uses what.

Cost: the remote requests, plus OVERLOAD times the square of the busiest memory controller's excess load while several
nodes ask at once. A gain has an interval: a bootstrap over clusters of one thread and one time slice.

Description: the bits by which a placement shortens the list of the samples' threads. A placement with an owner for
each position predicts them; its own length is subtracted (minimum description length), so that a placement with many
borders must explain many samples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from random import Random

from numaprof.placement.placements import AS_IT_IS, Form, Placement
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
class Demand:
    """Requests of the whole program.

    served: share of each node's memory of all requests. together: 1 if all nodes ask alike, 0 if one asks alone.
    """

    served: Mapping[int, float]
    together: float

    def load(self, mass: float, before: Mapping[int, float], after: Mapping[int, float]) -> float:
        """Square of the busiest controller's excess load, once a part of all requests is served otherwise.

        1: it serves all requests while all nodes ask; 0: all controllers serve as many.
        """
        count = len(self.served)
        if count < 2:
            return 0.0
        shares = [share + mass * (after.get(node, 0.0) - before.get(node, 0.0)) for node, share in self.served.items()]
        return self.together * max(0.0, (max(shares) * count - 1) / (count - 1)) ** 2


def demand(served: Mapping[int, float], asked: Mapping[int, float]) -> Demand:
    """served: requests by the node of the memory. asked: by the node of the thread."""
    total, asks = sum(served.values()) or 1.0, sum(asked.values())
    effective = 1 / sum((requests / asks) ** 2 for requests in asked.values()) if asks else 1.0
    together = min(1.0, (effective - 1) / max(1, len(served) - 1))
    return Demand({node: requests / total for node, requests in served.items()}, together)


@dataclass(frozen=True)
class Score:
    """What a placement of an object costs.

    remote: part of its requests. load: of the busiest controller, of all requests. mass: its part of all requests.
    """

    remote: float
    load: float
    mass: float

    @property
    def cost(self) -> float:
        """In remote requests, of all."""
        return self.remote * self.mass + OVERLOAD * self.load


class Scorer:
    """Scores placements of one object; remote: its remote requests as a part of all requests."""

    def __init__(self, matrix: UseMatrix, whole: Demand, remote: float) -> None:
        self.matrix, self.whole, self.nodes = matrix, whole, tuple(whole.served)
        self.uses = [use for use in matrix.uses if use.home is not None] or list(matrix.uses)
        away, self._now = self._served(AS_IT_IS)
        self.mass = min(1.0, remote / away) if away else 0.0

    def score(self, placement: Placement) -> Score:
        remote, served = self._served(placement)
        return Score(remote, self.whole.load(self.mass, self._now, served), self.mass)

    def _served(self, placement: Placement) -> tuple[float, dict[int, float]]:
        """Remote part of the uses, and their parts by the node that serves them."""
        total = sum(use.weight for use in self.uses) or 1.0
        remote, count = 0.0, max(1, len(self.nodes))
        served: dict[int, float] = dict.fromkeys(self.nodes, 0.0)
        everywhere = 0.0
        for use, home in zip(self.uses, self.homes(placement, self.uses)):
            if home is None:
                everywhere += use.weight / total
                remote += use.weight / total * (1 - 1 / count)
            else:
                served[home] = served.get(home, 0.0) + use.weight / total
                remote += use.weight / total * (home != use.node)
        return remote, {node: share + everywhere / count for node, share in served.items()}

    def homes(self, placement: Placement, uses: Sequence[Use]) -> list[int | None]:
        """The node of each use; None: interleaved."""
        if placement.form is Form.AS_IT_IS:
            return [use.home for use in uses]
        return [placement.node_of(use) for use in uses]

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
        spread = 1 - 1 / max(1, len(self.nodes))
        for use, old, new in zip(self.uses, self.homes(before, self.uses), self.homes(after, self.uses)):
            gone = (spread if old is None else old != use.node) - (spread if new is None else new != use.node)
            clusters[use.cluster][0] += gone * use.weight
            clusters[use.cluster][1] += use.weight
        rows = list(clusters.values())
        found = []
        for _ in range(RESAMPLES):
            chosen = rng.choices(rows, k=len(rows))
            found.append(sum(row[0] for row in chosen) / (sum(row[1] for row in chosen) or 1.0))
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
    size = total**2 / squares
    chance = max(sum(part * of_predicted.get(key, 0.0) for key, part in of_actual.items()), 0.5 / (size + 1))
    if chance >= least:
        return 0.0
    expected = max(least, (size * match + 0.5) / (size + 1))
    right, wrong = log2(expected / chance), log2((1 - expected) / (1 - chance))
    return size * (match * right + (1 - match) * wrong) - log2(size + 1) / 2
