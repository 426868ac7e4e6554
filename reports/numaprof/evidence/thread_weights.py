# SPDX-License-Identifier: Apache-2.0
"""What the sampled accesses of one thread weigh against those of the others. docs/errors.md has the measurements."""

from __future__ import annotations

from collections.abc import Mapping

from numaprof.evidence.counts import Traffic

DIRECT = ("demand", "retired")  # columns of what load samples see themselves


def thread_weights(sampled: Mapping[int, float], counted: Mapping[int, Mapping[str, Traffic]]) -> dict[int, float]:
    """Factors that make the accesses of threads as many, against each other, as was counted. The sum of all stays.

    sampled: accesses that DRAM answered, by thread. A thread that is not in the result keeps its weights.
    """
    known = {thread: _total(counted.get(thread, {})) for thread, accesses in sampled.items() if accesses > 0}
    totals = {thread: total for thread, total in known.items() if total}
    accesses = sum(sampled[thread] for thread in totals) / (sum(totals.values()) or 1.0)
    return {thread: total * accesses / sampled[thread] for thread, total in totals.items()}


def _total(columns: Mapping[str, Traffic]) -> float | None:
    """None: not known well enough. Local requests of some time slices and remote ones of others make no sum: with a
    single offcore register such sums were off by a factor of two."""
    traffic = next((columns[key] for key in DIRECT if key in columns), Traffic())
    together = not traffic.scaled or traffic.local.coverage == traffic.remote.coverage
    return traffic.total if together else None
