# SPDX-License-Identifier: Apache-2.0
"""The verdict over all ranks. Ranks wait for the slowest: what is worth fixing on one rank is worth fixing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from numaprof.job.hosts import common_pattern, rank_list
from numaprof.job.shares import Population, Together, of_population, together
from numaprof.model.job_model import JobVerdict
from numaprof.model.rank_model import RankSummary
from numaprof.text.format import clean, percent, plural, remote_word, share_in_interval

WORTH_FIXING = ("binding", "heavy")
NOT_SAID = ("refused", "unknown")
# Of as many ranks the earlier judgement is the job's.
WORST_FIRST = (
    "binding",
    "heavy",
    "moderate",
    "refused",
    "unknown",
    "light_between_packages",
    "light",
    "one_node_used",
    "no_traffic",
    "single_node",
)
_SAYS = {
    "binding": "The binding is at fault",
    "heavy": "Worth fixing",
    "moderate": "Little to gain",
    "refused": "n/a: seen for too short a time to say",
    "unknown": "Who reads remote memory was not measured",
    "light_between_packages": "Little is remote",
    "light": "Leave it alone",
    "one_node_used": "This run proves nothing: the threads ran on one node",
    "no_traffic": "Nothing to gain here: too little memory traffic",
    "single_node": "Nothing can be remote here: hosts of one node",
}
MOST_LISTED = 60  # characters of a list of ranks in the headline


def verdict(ranks: Sequence[RankSummary], population: Population | None, apart: Sequence[RankSummary]) -> JobVerdict:
    counted = of_population(ranks, population)
    whole = together(counted)
    word = _word(ranks)
    mine = [rank for rank in ranks if rank.share.judgement == word]
    return JobVerdict(
        judgement=word,
        headline=f"{_SAYS[word]} {_on(mine, ranks)}{_share(word, mine, population)}.",
        details=tuple(_details(ranks, mine, whole, population, apart)),
        between_packages=population is not None and population.between_packages,
        population=population.words if population else None,
        remote_share=whole.share,
        lowest=whole.lowest,
        highest=whole.highest,
        ranks=whole.ranks,
        without_error=whole.without_error,
    )


def _word(ranks: Sequence[RankSummary]) -> str:
    """What is worth fixing on one rank is worth fixing; else what holds of most ranks."""
    counts = Counter(rank.share.judgement for rank in ranks)
    known = [word for word in WORST_FIRST if word in counts]
    worst = [word for word in known if word in WORTH_FIXING]
    return worst[0] if worst else max(known, key=lambda word: counts[word], default="unknown")


def _on(mine: Sequence[RankSummary], ranks: Sequence[RankSummary]) -> str:
    if len(mine) == len(ranks):
        return "on the only rank" if len(ranks) == 1 else f"on all {len(ranks)} ranks"
    listed = rank_list(mine)
    listed = f"rank {listed}" if len(mine) == 1 else listed
    named = f" ({listed})" if len(listed) <= MOST_LISTED else ""
    return f"on {len(mine)} of {len(ranks)} ranks{named}"


def in_words(found: Together) -> str:
    interval = (found.lowest, found.highest) if found.lowest is not None and found.highest is not None else None
    return share_in_interval(found.share, interval)


def _share(word: str, mine: Sequence[RankSummary], population: Population | None) -> str:
    found = together(of_population(mine, population))
    if found.share is None or population is None or word == "no_traffic":  # of so few requests a share is chance
        return ""
    whose = "its" if len(mine) == 1 else "their"
    return f": {in_words(found)} of {whose} {_what(population)} are {remote_word(population.between_packages)}"


def _what(population: Population) -> str:
    return "DRAM requests" if population.basis == "counters" else "sampled accesses"


def _details(
    ranks: Sequence[RankSummary],
    mine: Sequence[RankSummary],
    whole: Together,
    population: Population | None,
    apart: Sequence[RankSummary],
) -> list[str]:
    found = []
    if mine and mine[0].share.judgement == "binding":
        kinds = {rank.binding.fault.partition(" (")[0] for rank in mine if rank.binding.fault}
        who = "Each of them, as rank" if len(kinds) == 1 and len(mine) > 1 else "Rank"
        found.append(f"{who} {mine[0].number}: {mine[0].binding.fault}.")
    pattern = common_pattern(mine, ranks)
    if pattern and not apart and mine[0].share.judgement in WORTH_FIXING:  # ranks that stand apart have their own
        found.append(f"These are {pattern}.")
    if whole.share is not None and population is not None and len(mine) < len(ranks):
        numbers = {rank.number for rank in mine}
        rest = together(of_population([rank for rank in ranks if rank.number not in numbers], population))
        if rest.share is not None:
            found.append(f"On the other {plural(rest.ranks, 'rank')}: {in_words(rest)}.")
        found.append(f"On all {whole.ranks} that were measured: {in_words(whole)} ({population.words}).")
    elif population is not None:
        found.append(f"The population: {population.words}.")
    open_ = [
        rank for rank in ranks if rank.share.judgement in NOT_SAID and rank.share.judgement != mine[0].share.judgement
    ]
    if open_:
        found.append(f"Not known for {plural(len(open_), 'rank')}: {clean(rank_list(open_), MOST_LISTED)}.")
    if whole.without_error:
        found.append(
            f"For {plural(whole.without_error, 'rank')} the error is not known; the interval allows any share for them."
            if whole.lowest is not None
            else "The error is not known."
        )
    cost = [rank.share.cost_most for rank in mine if rank.share.cost_most is not None]
    if cost and mine[0].share.judgement in ("heavy", "moderate"):
        found.append(f"Remote reads cost up to {percent(max(cost))} of the CPU time of the rank that waits most.")
    if apart and list(apart) != list(mine):  # else the headline has them
        stand = "stands" if len(apart) == 1 else "stand"
        found.append(f"{plural(len(apart), 'rank')} {stand} apart: {clean(rank_list(apart), MOST_LISTED)}.")
    return found
