# SPDX-License-Identifier: Apache-2.0
"""The verdict in words: a headline, and details."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numaprof.analysis.binding import binding
from numaprof.analysis.naming import command_to_copy, most_at, seen_faults, threads_on_nodes
from numaprof.analysis.relevant_objects import serial_sites
from numaprof.analysis.remote_cost import asks_little, gain
from numaprof.analysis.remote_meaning import NEAR_IS_LOCAL, between_packages, remote_requests
from numaprof.analysis.remote_share import COUNTERS, HINTS, LOADS, basis, remote_share
from numaprof.analysis.verdict import Judgement, judge
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.thresholds import (
    ALL_OF_IT,
    FULL_COVERAGE,
    MAINLY,
    MIN_COVERAGE,
    MIN_OBJECT_BYTES,
    MIN_REMOVED,
    MIN_SAMPLES,
    MOST_SERIAL_COST,
    REMOTE_HEAVY,
    REMOTE_LIGHT,
)
from numaprof.placement.advice import Advice, Kind
from numaprof.text.format import (
    clean,
    duration,
    either,
    nodes_in_text,
    number,
    percent,
    percent_below,
    plural,
    remote_word,
    round_percent,
    share_in_interval,
    size,
    words,
)

SHORT_COMMAND = 48  # characters
MOST_REASONS = 2  # of a verdict that is not known; --full has all


@dataclass(frozen=True)
class Verdict:
    judgement: Judgement
    headline: str
    details: tuple[str, ...]


def verdict(evidence: Evidence, advices: Sequence[Advice] = ()) -> Verdict:
    judgement = judge(evidence)
    headline, details = _WORDS[judgement](evidence)
    if judgement is Judgement.HEAVY and no_fix(advices):
        headline = f"{share_in_words(evidence)}. That is much, but no placement of the memory reduces it."
    return Verdict(judgement, headline, tuple(detail for detail in (*details, *_caveats(evidence)) if detail))


def no_fix(advices: Sequence[Advice]) -> bool:
    """The best advice is to change nothing, or all advice together removes next to nothing."""
    known = [each.removes for each in advices if each.removes is not None]
    little = len(known) == len(advices) and sum(known) < MIN_REMOVED
    return bool(advices) and (advices[0].kind is Kind.LEAVE or little)


Words = tuple[str, list[str]]


def share_in_words(evidence: Evidence) -> str:
    """50.1 % of DRAM requests are remote (demand reads + prefetches)."""
    share = remote_share(evidence)
    if share is None:
        return "no request reached DRAM" if evidence.traffic.total == 0 else "the remote share is n/a"
    if share.samples is None:
        population = evidence.population.words if evidence.population else ""
        remote = remote_word(between_packages(evidence))
        return f"{share_in_interval(share.share, share.interval)} of DRAM requests are {remote} ({population})"
    what = "sampled accesses to DRAM" if basis(evidence) == LOADS else "sampled accesses (hint faults)"
    low, high = share.interval or (0.0, 1.0)
    shown = percent(share.share) if share.least == share.share else f"{percent(share.least)} to {percent(share.share)}"
    return (
        f"{shown} of {number(share.samples)} {what} are remote "
        f"(the true share lies between {round_percent(low)} and {round_percent(high)})"
    )


def _heavy(evidence: Evidence) -> Words:
    share = remote_share(evidence)
    certain = crossed_share(Judgement.HEAVY, share.interval if share else None) is None
    return f"{share_in_words(evidence)}. {'Worth fixing' if certain else 'It may be worth fixing'}.", [_cost(evidence)]


def _moderate(evidence: Evidence) -> Words:
    return f"{share_in_words(evidence)}. There is little to gain.", [_cost(evidence)]


def _light(evidence: Evidence) -> Words:
    heavy = sum(1 for thread in evidence.threads if _thread_share(evidence, thread) >= REMOTE_HEAVY)
    detail = f"{plural(heavy, 'thread')} above {round_percent(REMOTE_HEAVY)}, with little traffic." if heavy else ""
    leave = " Leave it alone." if judge(evidence) is Judgement.LIGHT else ""
    return f"{share_in_words(evidence)}.{leave}", [detail]


def _thread_share(evidence: Evidence, thread: Thread) -> float:
    found = remote_share(evidence, thread)
    return found.share if found else 0.0


def _one_node_used(evidence: Evidence) -> Words:
    where = nodes_in_text(evidence.worker_nodes)
    pinned = all(thread.row.pin == "planned" for thread in evidence.workers)
    count = len(evidence.workers)
    how = f"numaprof pinned all {count} threads to" if pinned else f"all {count} threads ran on"
    return (
        f"This run proves nothing: {how} {where}.",
        [f"{share_in_words(evidence)}, as expected there."],
    )


def _no_traffic(evidence: Evidence) -> Words:
    found = gain(evidence)
    if found is None or not evidence.traffic.total:
        return "Nothing to gain here: no request was seen to reach DRAM.", []
    cost = either(found.remote, "costs", "cost")
    of_time = f"at most {percent(found.share)} of the CPU time" if found.share is not None else "next to nothing"
    share, population = evidence.traffic.share, evidence.population
    # No interval: of so few requests it may be all of 0 to 100 %.
    word = remote_word(between_packages(evidence))
    remote = f", {round_percent(share)} of them {word}" if share is not None else ""
    what = f" ({population.words})" if population else ""
    nothing = f"Nothing to gain here: {remote_requests(evidence, found.remote)} {cost} {of_time}."
    if not asks_little(evidence):
        return nothing, [f"{share_in_words(evidence)}."]
    return (
        nothing,
        [f"Only {plural(evidence.traffic.total, 'request')} reached DRAM{remote}{what}."],
    )


def _refused(evidence: Evidence) -> Words:
    share = remote_share(evidence)
    if basis(evidence) != COUNTERS and share is not None:
        are = either(share.samples or 0, "is", "are")
        return f"n/a: {plural(share.samples or 0, 'sample')} {are} too few to say ({MIN_SAMPLES} needed).", []
    coverage = evidence.traffic.coverage
    if evidence.traffic.total is not None:
        without = round_percent(evidence.uncounted.part)
        rest = "no request was seen" if share is None else "the error of the rest is not known"
        return f"n/a: threads had no counters for {without} of the CPU time, and {rest}.", [_SETTLES]
    if coverage is None:
        return "n/a: how long the threads ran is not known, so the coverage of the counters is unknown.", []
    return (
        f"n/a: the counters ran {percent_below(coverage, MIN_COVERAGE)} of the CPU time, too little to say "
        f"({round_percent(MIN_COVERAGE)} needed).",
        ["Record longer, or with fewer events."],
    )


def _unknown(evidence: Evidence) -> Words:
    where = f" The program ran {threads_on_nodes(evidence.workers)}." if evidence.workers else ""
    rests = "this report rests on page faults alone" if evidence.touched_pages else "nothing here could tell"
    more = "numaprof doctor says what would measure more."
    if evidence.imported:
        lacking = [part.without for part in evidence.imported.lacks if part.without]
        rests = words(lacking[:MOST_REASONS]) or rests
        more = "docs/recording-with-perf.md has the perf record lines that tell more."
    return (
        f"Who reads remote memory was not measured: {clean(rests)}.",
        [f"What is known: {_touch_in_words(evidence)}{where}", more],
    )


def _binding(evidence: Evidence) -> Words:
    fault = binding(evidence).fault
    return f"The binding is at fault, not the program's memory: {fault}.", [f"{share_in_words(evidence)}."]


def _single_node(evidence: Evidence) -> Words:
    return (
        "Nothing can be remote here: this machine has one node.",
        [_on_more_nodes(evidence), *(_in_the_lab(evidence) if _would_matter(evidence) else [])],
    )


def _in_the_lab(evidence: Evidence) -> list[str]:
    """The command is a line of its own: it is to be copied."""
    command = command_to_copy(evidence)
    shown = command if len(command) <= SHORT_COMMAND else "PROGRAM"
    return ["Where the lab is installed, two emulated nodes show more:", f"numaprof lab -- numaprof {shown}"]


def _would_matter(evidence: Evidence) -> bool:
    """On more nodes. One thread alone has its memory on its own node; processes of one thread may share memory."""
    enough = evidence.bytes(evidence.touched_pages) >= MIN_OBJECT_BYTES
    return enough and len(evidence.threads) > 1 and not evidence.attached


_WORDS = {
    Judgement.HEAVY: _heavy,
    Judgement.MODERATE: _moderate,
    Judgement.LIGHT: _light,
    Judgement.LIGHT_BETWEEN_PACKAGES: _light,
    Judgement.ONE_NODE_USED: _one_node_used,
    Judgement.NO_TRAFFIC: _no_traffic,
    Judgement.REFUSED: _refused,
    Judgement.UNKNOWN: _unknown,
    Judgement.BINDING: _binding,
    Judgement.SINGLE_NODE: _single_node,
}


def _on_more_nodes(evidence: Evidence) -> str:
    touched = evidence.bytes(evidence.touched_pages)
    if not touched:
        return ""
    if touched < MIN_OBJECT_BYTES and not seen_faults(evidence):
        return f"More nodes would hardly matter: only {size(touched)} were first touched."
    if len(evidence.threads) == 1 and not seen_faults(evidence):  # the start of another may be lost as well
        return "More nodes would hardly matter: the memory of one thread alone is on the thread's own node."
    return f"What would matter on more nodes: {_touch_in_words(evidence)}"


def _touch_in_words(evidence: Evidence) -> str:
    if not evidence.touched_pages:
        return "no first touches were seen."
    total = size(evidence.bytes(evidence.touched_pages))
    seen = seen_faults(evidence)
    serial = serial_sites(evidence)
    share = sum(site.pages for site in serial) / evidence.touched_pages
    if share < MAINLY or len(evidence.workers) < 2:
        return f"{total} were first touched, by {_touchers_in_words(evidence)}{seen}."
    part = "all" if share >= ALL_OF_IT else round_percent(share)
    where = most_at(serial[0].site) if serial[0].site.line is not None else ""
    return f"one thread first touched {part} of the {total}{seen}{where}."


def _touchers_in_words(evidence: Evidence) -> str:
    """Of make or git: what processes of one thread do not share is on their own node, unless they move."""
    touchers = len(_touchers(evidence))
    if touchers > 1 and len({thread.row.process for thread in evidence.threads}) == len(evidence.threads):
        return f"{touchers} processes of one thread each: unless they moved, only what they share could be remote"
    return plural(touchers, "thread")


def _touchers(evidence: Evidence) -> set[int]:
    return {row.thread for row in evidence.samples.touched}


def _cost(evidence: Evidence) -> str:
    found = gain(evidence)
    if found is None or found.share is None or found.share > MOST_SERIAL_COST:
        return ""
    each = f"{duration(found.extra_ns)} more each, {'measured' if evidence.machine.latencies else 'assumed'}"
    return (
        f"Remote reads cost {percent(found.least)} to {percent(found.share)} of the CPU time ({each}; least: ten "
        "demand reads overlap and prefetches cost nothing; most: no overlap); a crowded memory controller costs "
        "more."
    )


def _caveats(evidence: Evidence) -> list[str]:
    """What the numbers of the verdict leave out, and how they were scaled."""
    if judge(evidence) is Judgement.SINGLE_NODE:
        return []
    if basis(evidence) == HINTS:
        return ["Hint faults are accesses that the kernel's NUMA balancing samples; it may move pages meanwhile."]
    if basis(evidence) == LOADS:
        return ["Not counted: prefetches, which sampled loads do not include."]
    if evidence.population is None:
        return []
    misses = evidence.population.misses
    near = NEAR_IS_LOCAL if between_packages(evidence) else ""
    return [near, f"Not counted: {misses}." if misses else "", _scaling(evidence), _crossing(evidence)]


_SETTLES = "A longer run, fewer classes at a time (--events) or repeats (-n 5) would settle it."


def _scaling(evidence: Evidence) -> str:
    traffic = evidence.traffic
    if not traffic.scaled or traffic.coverage is None or traffic.coverage >= FULL_COVERAGE:
        return ""
    by = "instructions" if traffic.local.by_work and traffic.remote.by_work else "time"
    with_counters = traffic.coverage / (1 - traffic.uncounted.part)
    time = "time with counters" if traffic.uncounted.part else "time"
    counted = f"Counted {percent_below(with_counters, MIN_COVERAGE)} of the {time}, scaled by {by}"
    if traffic.share is not None and traffic.interval is None:
        return f"{counted}; the error is not known: threads ran too briefly. {_SETTLES}"
    return f"{counted}."


def crossed_share(judgement: Judgement, interval: tuple[float, float] | None) -> float | None:
    """The share from which remote memory is worth fixing, if the interval of the verdict holds it."""
    crosses = judgement.by_share and interval is not None and interval[0] < REMOTE_HEAVY <= interval[1]
    return REMOTE_HEAVY if crosses else None


def _crossing(evidence: Evidence) -> str:
    """The interval includes another verdict."""
    share = remote_share(evidence)
    if share is None or share.interval is None or not judge(evidence).by_share:
        return ""
    low, high = share.interval
    crossed = [limit for limit in (REMOTE_LIGHT, REMOTE_HEAVY) if low < limit <= high]
    if not crossed:
        return ""
    limits = words([round_percent(limit) for limit in crossed])
    return (
        f"Not certain: the share lies between {percent(low)} and {percent(high)} (95 %), on both sides of {limits}. "
        f"{_SETTLES}"
    )
