# SPDX-License-Identifier: Apache-2.0
"""Ranks of one host that are bound to the same CPUs and have more threads than these can run.

No rank sees it: one thread for each CPU looks right from within.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from numaprof.analysis.binding import LAUNCHER, cpu_options
from numaprof.evidence.machine import parse_list
from numaprof.evidence.thresholds import CROWDED
from numaprof.model.rank_model import RankAdvice, RankSummary
from numaprof.text.format import plural


def with_crowded_bindings(ranks: Sequence[RankSummary]) -> tuple[RankSummary, ...]:
    """The ranks; those that share too few CPUs with others have their binding as the fault."""
    groups: dict[tuple[str | None, str], list[RankSummary]] = defaultdict(list)
    for rank in ranks:
        if rank.binding.by == LAUNCHER and rank.binding.fault is None and rank.binding.cpus is not None:
            groups[rank.host.name, rank.binding.cpus].append(rank)
    faulty: dict[int | None, RankSummary] = {}
    for (_, cpus), group in groups.items():
        threads = sum(max(1, rank.binding.threads) for rank in group)
        if len(group) > 1 and threads >= CROWDED * len(parse_list(cpus)):
            faulty.update((rank.number, _at_fault(rank, len(group), threads)) for rank in group)
    return tuple(faulty.get(rank.number, rank) for rank in ranks)


def _at_fault(rank: RankSummary, ranks: int, threads: int) -> RankSummary:
    cpus, others = rank.binding.cpus or "", plural(ranks - 1, "other rank")
    fault = f"this rank shares {plural(len(parse_list(cpus)), 'CPU')} ({cpus}) with {others}: {threads} threads in all"
    fixes = cpu_options(rank.launcher or "", max(1, rank.binding.threads))
    advice = RankAdvice(
        kind="setting",
        finding=f"{fault[0].upper()}{fault[1:]}.",
        change="Bind the ranks to CPUs of their own, with the launcher's own option" + (":" if fixes else "."),
        code=fixes,
        place=None,
        removes=None,
    )
    return replace(
        rank,
        binding=replace(rank.binding, fault=fault, fixes=fixes),
        share=replace(rank.share, judgement="binding"),
        advice=(advice, *rank.advice),
    )
