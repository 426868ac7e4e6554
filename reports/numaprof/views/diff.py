# SPDX-License-Identifier: Apache-2.0
"""What `numaprof diff` prints: the verdict first, then what else differs, then runs, threads and lines side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from numaprof.compare import ShareChange, Side, differences, share_change, time_change
from numaprof.evidence import Evidence, Thread
from numaprof.judgement import COUNTERS, basis, remote_share
from numaprof.matrix import served
from numaprof.naming import NAME_LIMIT, site_label
from numaprof.places import Site
from numaprof.spread import Spread, in_words, spread
from numaprof.text import NOT_KNOWN, clean, duration, number, percent, plural, round_percent, size
from numaprof.thresholds import MOST_SITES, MOST_THREADS, REMOTE_HEAVY, SHARE_CHANGE
from numaprof.views.paper import BOLD, Paper
from numaprof.views.tables import HEAVY


def print_diff(before: Side, after: Side, paper: Paper) -> None:
    paper.paragraph(_verdict(before, after), first="VERDICT   ", style=BOLD)
    paper.paragraph(time_change(before, after).words, first=" " * 10, style=BOLD)
    for difference in differences(before, after):
        paper.paragraph(f"differs: {clean(difference)}", first=" " * 10)
    _files(before, after, paper)
    _runs(before, after, paper)
    _threads(before, after, paper)
    _lines(before, after, paper)


def _verdict(before: Side, after: Side) -> str:
    change = share_change(before, after)
    if change == ShareChange.UNKNOWN or before.share is None or after.share is None:
        return f"Remote share: {_why_unknown(before, after)}."
    old, new = percent(before.share.middle), percent(after.share.middle)
    if change == ShareChange.SAME:
        return f"Remote share unchanged as far as these runs can tell: {old}, then {new} ({before.population})."
    return f"Remote share {change} from {old} to {new} ({before.population})."


def _why_unknown(before: Side, after: Side) -> str:
    for name, side in (("before", before), ("after", after)):
        if side.population is None:
            return f"not known {name}: nothing measured it in every run"
        if side.share is None:
            return f"not known {name}: too little was seen"
    return f"not comparable: {before.population} before, {after.population} after"


def _files(before: Side, after: Side, paper: Paper) -> None:
    paper.line()
    for name, side in (("before", before), ("after ", after)):
        names = clean(side.first.path) + (f" and {len(side.runs) - 1} more" if side.runs[1:] else "")
        paper.line(f"{name}  {plural(len(side.runs), 'run')}  {names}")


def _runs(before: Side, after: Side, paper: Paper) -> None:
    rows = []
    if not (before.first.run.emulated or after.first.run.emulated):
        rows.append(["run time", in_words(before.time, duration), in_words(after.time, duration)])
    rows.append(["remote share", in_words(before.share, percent), in_words(after.share, percent)])
    rows.append(
        [
            "DRAM requests",
            in_words(before.values(_requests), number),
            in_words(after.values(_requests), number),
        ]
    )
    for node in sorted({node for run in (before.first, after.first) for node in run.machine.memory_nodes}):
        served = (_served_share(side, node) for side in (before, after))
        rows.append([f"served by node {node}", *(in_words(values, round_percent) for values in served)])
    paper.line()
    paper.table(["", "before", "after"], [row for row in rows if set(row[1:]) != {NOT_KNOWN}], [False, True, True])


def _requests(run: Evidence) -> float | None:
    return run.traffic.total if basis(run) == COUNTERS else None


def _served_share(side: Side, node: int) -> Spread | None:
    return side.values(lambda run: served(run).get(node))


def _threads(before: Side, after: Side, paper: Paper) -> None:
    """By position in the plan: the n-th thread of one side beside the n-th of the other."""
    old, new = _shares_of_threads(before), _shares_of_threads(after)
    both = [position for position in sorted(old) if position in new]
    changed = [at for at in both if abs(old[at].middle - new[at].middle) >= SHARE_CHANGE]
    shown = both if len(both) <= MOST_THREADS else sorted(changed, key=lambda at: new[at].middle - old[at].middle)
    shown = sorted(shown[:MOST_THREADS])
    if not shown:
        return
    rows = [
        [
            str(at),
            _name(before.first.threads[at], after.first.threads[at]),
            in_words(old[at], percent),
            in_words(new[at], percent),
            HEAVY if new[at].middle >= REMOTE_HEAVY else "",
        ]
        for at in shown
    ]
    paper.line()
    paper.table(["", "thread", "remote before", "remote after", ""], rows, [True, False, True, True, False])
    if len(both) > len(shown):
        paper.line(f"… {plural(len(both) - len(shown), 'more thread')} that changed less")


def _name(before: Thread, after: Thread) -> str:
    names = dict.fromkeys(clean(thread.row.name or "?", NAME_LIMIT) for thread in (before, after))
    return " / ".join(names)


def _shares_of_threads(side: Side) -> dict[int, Spread]:
    """Of those threads that have a share in every run of the side."""
    count = min(len(run.threads) for run in side.runs)
    found = {at: spread(_share(run, at) for run in side.runs) for at in range(count)}
    return {at: values for at, values in found.items() if values is not None}


def _share(run: Evidence, position: int) -> float | None:
    share = remote_share(run, run.threads[position])
    return share.share if share else None


def _lines(before: Side, after: Side, paper: Paper) -> None:
    """Lines that touch first, and lines that cause remote reads."""
    touched = [_by_site(side, _touched) for side in (before, after)]
    _beside(paper, "FIRST TOUCHED AT", touched, size)
    caused = [_by_site(side, _caused) for side in (before, after)]
    _beside(paper, "REMOTE READS AT (sampled)", caused, number)


def _touched(run: Evidence) -> Iterable[tuple[Site, float]]:
    return ((row.site, run.bytes(row.pages)) for row in run.samples.touched)


def _caused(run: Evidence) -> Iterable[tuple[Site, float]]:
    return ((row.site, row.events) for row in run.samples.caused)


def _by_site(side: Side, amounts: Callable[[Evidence], Iterable[tuple[Site, float]]]) -> dict[Site, float]:
    """Mean over the runs of a side."""
    sums: dict[Site, float] = defaultdict(float)
    for run in side.runs:
        for site, amount in amounts(run):
            sums[site] += amount / len(side.runs)
    return sums


def _beside(paper: Paper, title: str, sides: list[dict[Site, float]], words: Callable[[float], str]) -> None:
    old, new = sides
    pairs = match_sites(old, new)
    pairs.sort(key=lambda pair: -max(old.get(pair[0], 0.0) if pair[0] else 0, new.get(pair[1], 0.0) if pair[1] else 0))
    if not pairs:
        return
    rows = [
        [
            _moved(first, second),
            words(old[first]) if first is not None else "-",
            words(new[second]) if second is not None else "-",
        ]
        for first, second in pairs[:MOST_SITES]
    ]
    paper.line()
    paper.table([title, "before", "after"], rows, [False, True, True])
    if pairs[MOST_SITES:]:
        paper.line(f"… {plural(len(pairs) - MOST_SITES, 'more place')}")


def _moved(before: Site | None, after: Site | None) -> str:
    if before is None or after is None:
        return site_label(before or after or Site(None))
    if before.position == after.position:
        return site_label(after)
    return f"{site_label(before)} -> {site_label(after)}"


Pair = tuple["Site | None", "Site | None"]


def match_sites(old: Iterable[Site], new: Iterable[Site]) -> list[Pair]:
    """Same place first; then the only one left in a function of the same file: an edit moves lines."""
    before, after = set(old), set(new)
    pairs: list[Pair] = [(site, site) for site in sorted(before & after, key=lambda site: site.position)]
    left, right = _by_function(before - after), _by_function(after - before)
    for key in sorted(left.keys() | right.keys()):
        ones, others = left.get(key, []), right.get(key, [])
        if len(ones) == len(others) == 1:
            pairs.append((ones[0], others[0]))
        else:
            pairs += [(site, None) for site in ones]
            pairs += [(None, site) for site in others]
    return pairs


def _by_function(sites: set[Site]) -> dict[tuple[str, str], list[Site]]:
    groups: dict[tuple[str, str], list[Site]] = defaultdict(list)
    for site in sorted(sites, key=lambda site: site.position):
        groups[site.file or site.module or "", site.function or ""].append(site)
    return groups
