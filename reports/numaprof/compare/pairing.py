# SPDX-License-Identifier: Apache-2.0
"""What stands beside what when two sides are compared: measures, threads by position, lines by place."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace

from numaprof.analysis.naming import site_label
from numaprof.analysis.node_matrix import served
from numaprof.analysis.remote_share import COUNTERS, basis, remote_share
from numaprof.compare.sides import ShareChange, Side, share_change, spread_of_shares
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.source_location import Site
from numaprof.evidence.spread import Spread
from numaprof.evidence.thresholds import ONE_CONTROLLER
from numaprof.text.format import clean, round_percent, share_in_interval
from numaprof.text.function_names import NAME_LIMIT


def headline(before: Side, after: Side) -> str:
    change = share_change(before, after)
    if change == ShareChange.UNKNOWN or before.share is None or after.share is None:
        return f"Remote share: {_why_unknown(before, after)}."
    old, new = _in_words(before.share), _in_words(after.share)
    if change == ShareChange.SAME:
        unchanged = f"Remote share unchanged as far as these runs can tell: {old}, then {new}"
        return f"{unchanged} ({before.population}).{_load(before, after)}"
    fell = after.share.middle < before.share.middle
    return f"Remote share {change} from {old} to {new} ({before.population}).{'' if fell else _load(before, after)}"


def _in_words(share: Spread) -> str:
    """With the interval of a single run; how far several lie apart stands in the table."""
    single = len(share.values) == 1 and share.certain
    return share_in_interval(share.middle, (share.lowest, share.highest) if single else None)


def _load(before: Side, after: Side) -> str:
    """What is interleaved is remote as often as before, but no longer waits for one node's memory."""
    nodes = before.first.machine.memory_nodes
    old, new = ({node: served_share(side, node) for node in nodes} for side in (before, after))
    if len(nodes) < 2 or None in old.values() or None in new.values():
        return ""
    shares = [{node: found.middle for node, found in side.items() if found is not None} for side in (old, new)]
    busiest = max(shares[0], key=lambda node: shares[0][node])
    most = max(shares[1].values())
    if shares[0][busiest] < ONE_CONTROLLER or most >= ONE_CONTROLLER:
        return ""
    share = round_percent(shares[0][busiest])
    now = f"now no node answers more than {round_percent(most)}"
    return f" But node {busiest} alone answered {share} of the requests before; {now}."


def _why_unknown(before: Side, after: Side) -> str:
    for name, side in (("before", before), ("after", after)):
        if side.population is None:
            return f"not known {name}: nothing measured it in every run"
        if side.share is None:
            return f"not known {name}: too little was seen"
    return f"not comparable: {before.population} before, {after.population} after"


def requests(side: Side) -> Spread | None:
    """With their errors."""
    found = side.values(lambda run: run.traffic.total if basis(run) == COUNTERS else None)
    errors = [run.traffic.total_error for run in side.runs]
    if found is None or None in errors:
        return found and replace(found, certain=False)
    known = [error.half_width for error in errors if error is not None]
    bounds = [bound for value, half in zip(found.values, known) for bound in (max(0.0, value - half), value + half)]
    return replace(found, bounds=tuple(bounds))


def served_share(side: Side, node: int) -> Spread | None:
    """Its error is known only where nothing was scaled: then there is none."""
    found = side.values(lambda run: served(run).get(node))
    return found and replace(found, certain=not any(run.traffic.scaled for run in side.runs))


def names_of(before: Thread, after: Thread) -> str:
    names = dict.fromkeys(clean(thread.row.name or "?", NAME_LIMIT) for thread in (before, after))
    return " / ".join(names)


def shares_of_threads(side: Side) -> dict[int, Spread]:
    """Of those threads that have a share in every run of the side."""
    count = min(len(run.threads) for run in side.runs)
    found = {at: spread_of_shares(remote_share(run, run.threads[at]) for run in side.runs) for at in range(count)}
    return {at: values for at, values in found.items() if values is not None}


def touched_bytes(run: Evidence) -> Iterable[tuple[Site, float]]:
    return ((row.site, run.bytes(row.pages)) for row in run.samples.touched)


def remote_events(run: Evidence) -> Iterable[tuple[Site, float]]:
    return ((row.site, row.events) for row in run.samples.caused)


def by_site(side: Side, amounts: Callable[[Evidence], Iterable[tuple[Site, float]]]) -> dict[Site, float]:
    """Mean over the runs of a side."""
    sums: dict[Site, float] = defaultdict(float)
    for run in side.runs:
        for site, amount in amounts(run):
            sums[site] += amount / len(side.runs)
    return sums


def site_labels(before: Site | None, after: Site | None) -> str:
    if before is None or after is None:
        return site_label(before or after or Site(None))
    if before.position == after.position:
        return site_label(after)
    return f"{site_label(before)} -> {site_label(after)}"


Pair = tuple["Site | None", "Site | None"]


def match_sites(old: Iterable[Site], new: Iterable[Site]) -> list[Pair]:
    """Same place first; then the same line of a file of that name: the builds were in two folders; then the only one
    left in a function of a file of that name: an edit moves lines."""
    before, after = set(old), set(new)
    pairs: list[Pair] = [(site, site) for site in sorted(before & after, key=lambda site: site.position)]
    before, after = before - after, after - before
    for key in (_line, _function):
        left, right = _groups(before, key), _groups(after, key)
        for name in sorted(left.keys() & right.keys()):
            if len(left[name]) == len(right[name]) == 1:
                pairs.append((left[name][0], right[name][0]))
                before.discard(left[name][0])
                after.discard(right[name][0])
    pairs += [(site, None) for site in sorted(before, key=lambda site: site.position)]
    pairs += [(None, site) for site in sorted(after, key=lambda site: site.position)]
    return pairs


def _function(site: Site) -> str:
    return f"{os.path.basename(site.file or site.module or '')} {site.function or ''}"


def _line(site: Site) -> str:
    return f"{_function(site)} {site.line}"


def _groups(sites: set[Site], key: Callable[[Site], str]) -> dict[str, list[Site]]:
    groups: dict[str, list[Site]] = defaultdict(list)
    for site in sites:
        groups[key(site)].append(site)
    return groups
