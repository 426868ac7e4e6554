# SPDX-License-Identifier: Apache-2.0
"""Weighted interleave: since Linux 6.9 the kernel deals out pages by a weight of each node, its bandwidth as a rule."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from numaprof.experiments.trials.placement import Place, Subject

FOLDER = "/sys/kernel/mm/mempolicy/weighted_interleave"


def by_weight(subjects: Sequence[Subject], folder: str = FOLDER) -> tuple[Subject, ...]:
    """What is interleaved over nodes whose weights differ is interleaved by weight."""
    return tuple(
        replace(subject, places=tuple(_weighted(place, folder) for place in subject.places)) for subject in subjects
    )


def _weighted(place: Place, folder: str) -> Place:
    if place.mode != "interleave":
        return place
    weights = {_weight(piece.node, folder) for piece in place.pieces}
    return replace(place, mode="weighted") if len(weights) > 1 and None not in weights else place


def _weight(node: int, folder: str) -> int | None:
    try:
        with open(os.path.join(folder, f"node{node}"), encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None
