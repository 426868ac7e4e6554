# SPDX-License-Identifier: Apache-2.0
"""Something moved pages or threads while the run was measured: the numbers mix two placements."""

from __future__ import annotations

from typing import Union

from numaprof.analysis.left_to_chance import roaming, wandering
from numaprof.analysis.naming import command_to_copy, thread_name, touched_from, without_source
from numaprof.analysis.runtimes import runtimes
from numaprof.analysis.verdict import Judgement, judge
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.thresholds import BALANCING_MOVED
from numaprof.placement.advice import Advice, Kind, Remarked
from numaprof.placement.settings.stay_on_node import NEEDS, bound_by_openmp, leave, stay
from numaprof.text.format import percent, plural, words


def rule(evidence: Evidence) -> Advice | None:
    if evidence.machine.single or judge(evidence) is Judgement.NO_TRAFFIC:
        return None
    found = [_balancing(evidence)]
    if not judge(evidence).light:  # threads that moved, and little is remote all the same
        found += [_migrated(evidence), _roamed(evidence), _wandered(evidence)]
    causes = [cause for cause in found if cause]
    if not causes:
        return None
    remarked = tuple(dict.fromkeys(each for _, code, _ in causes if not isinstance(code, str) for each in code))
    return Advice(
        kind=Kind.SETTING,
        finding=words([finding for finding, _, _ in causes]) + " during the run: the numbers mix several placements.",
        change="Record again with threads and pages that stay where they are"
        + (f" (code needs {NEEDS}):" if remarked else ":"),
        code=tuple(dict.fromkeys(code for _, code, _ in causes if isinstance(code, str))),
        remarked=remarked,
        evidence=words([source for _, _, source in causes]) + ".",
        threads=(*(thread for thread in evidence.threads if thread.migrated), *roaming(evidence)),
    )


# What happened; the command or the code against it; who says so.
Cause = tuple[str, Union[str, tuple[Remarked, ...]], str]


def _balancing(evidence: Evidence) -> Cause | None:
    moved = evidence.run.balancing_moved_pages or 0
    pages = evidence.touched_pages or sum(evidence.samples.homed_pages.values())
    if not evidence.run.balancing or moved == 0 or moved < BALANCING_MOVED * pages:
        return None
    relation = f" ({percent(moved / pages)} of those touched)" if pages and moved <= pages else ""
    return (
        f"automatic NUMA balancing moved {plural(moved, 'page')}{relation}",
        "sysctl kernel.numa_balancing=0",
        "the kernel's count for the whole machine",
    )


def _migrated(evidence: Evidence) -> Cause | None:
    migrated = [thread for thread in evidence.threads if thread.migrated]
    if not migrated:
        return None
    names = words([thread_name(thread) for thread in migrated[:3]]) + (" and others" if migrated[3:] else "")
    left = "left its CPU" if len(migrated) == 1 else "left their CPUs"
    return f"{plural(len(migrated), 'pinned thread')} {left} ({names})", _pinned(evidence), "the threads' migrations"


def _roamed(evidence: Evidence) -> Cause | None:
    roamed = roaming(evidence)
    if not roamed:
        return None
    # The plan is for threads: a process of one keeps the mask that it inherited.
    code: str | tuple[Remarked, ...] = (stay("in each process, before it touches its memory"),)
    if evidence.run.pin_policy == "none":
        code = _pinned(evidence)
    elif without_source(evidence):
        code = f"numactl --cpunodebind={evidence.machine.all_cpu_nodes[0]} numaprof {command_to_copy(evidence)}"
    where = f"the CPUs {'it' if len(roamed) == 1 else 'they'} ran on"
    return f"{plural(len(roamed), 'unpinned thread')} ran on several nodes", code, where


def _wandered(evidence: Evidence) -> Cause | None:
    """Unpinned, the first thread touches from several nodes on a busy host. Pinning keeps that of the program that
    numaprof starts on its node, but not that of a static program or of one that the program starts."""
    pages = wandering(evidence)
    code: str | tuple[Remarked, ...] = _main_stays()
    if not pages:
        return None
    if evidence.run.pin_policy == "none":
        code = _pinned(evidence)
    elif without_source(evidence) or runtimes(evidence):
        return None  # no command keeps the first thread on one node, and the others on all
    elif evidence.samples.openmp:
        code = bound_by_openmp(evidence, "numaprof")
    return (
        f"{thread_name(evidence.threads[0])} ran on several nodes while it initialised, and first touched "
        + touched_from(evidence, pages),
        code,
        "the node of the CPU at its page faults",
    )


def _main_stays() -> tuple[Remarked, ...]:
    return stay("in main, before it touches its memory"), leave("in main, before it starts threads")


def _pinned(evidence: Evidence) -> str:
    return f"numaprof --pin compact {command_to_copy(evidence)}"
