# SPDX-License-Identifier: Apache-2.0
"""What memory costs on the machine of a recording, as `numaprof topology --measure` found it (docs/measuring.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Optional

from numaprof import queries
from numaprof.queries import Measured, Measurement
from numaprof.recording import Recording

Pair = tuple[int, Optional[int]]  # node of the CPUs, node of the memory (None: interleaved over all)


class _Tables(NamedTuple):
    number: int


@dataclass(frozen=True)
class Costs:
    measurement: Measurement
    rows: tuple[Measured, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """In the order in which they were measured."""
        return tuple(dict.fromkeys(row.metric for row in self.rows))

    def matrix(self, metric: str) -> dict[Pair, Measured]:
        """What a heat map shows: empty if this was not measured."""
        return {(row.from_node, row.to_node): row for row in self.rows if row.metric == metric}

    @property
    def latency_metric(self) -> str:
        """The random walk's: on huge pages where there were any."""
        return "latency_random" if self.matrix("latency_random") else "latency_random_4k"

    def latency_ns(self, from_node: int, to_node: int) -> float | None:
        row = self.matrix(self.latency_metric).get((from_node, to_node))
        return None if row is None else row.median

    def extra_ns(self, from_node: int, to_node: int) -> float | None:
        """What a read of that memory costs more than one of the CPUs' own; None where either was not measured."""
        here, there = self.latency_ns(from_node, from_node), self.latency_ns(from_node, to_node)
        return None if here is None or there is None else there - here


def read_costs(recording: Recording) -> Costs | None:
    """None: the machine had not been measured when this was recorded, or its times mean nothing (emulated)."""
    if recording.one(_Tables, queries.HAS_MEASURED).number < 2:
        return None
    found = recording.rows(Measurement, queries.MEASUREMENTS)
    return Costs(found[0], tuple(recording.rows(Measured, queries.MEASURED))) if found else None
