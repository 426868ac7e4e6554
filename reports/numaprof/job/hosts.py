# SPDX-License-Identifier: Apache-2.0
"""The hosts of a job: what they are, how their ranks are bound, and what differs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from numaprof.analysis.binding import BOUND_BY
from numaprof.evidence.machine import parse_list
from numaprof.job.shares import Population, of_population, together
from numaprof.model.job_model import JobHost
from numaprof.model.rank_model import RankBinding, RankHost, RankSummary
from numaprof.text.format import number_list, plural

NOT_KNOWN = "n/a"
BALANCING = {0: "off", 1: "on", 2: "tiering", None: NOT_KNOWN}


def host_name(rank: RankSummary) -> str:
    return rank.host.name or NOT_KNOWN


def rank_list(ranks: Sequence[RankSummary]) -> str:
    return number_list(sorted({each.number for each in ranks if each.number is not None}))


def topology(host: RankHost) -> str:
    """2 nodes x 64 CPUs, or the nodes one by one."""
    counts = [len(parse_list(node.cpus)) for node in host.nodes]
    if len(set(counts)) == 1:
        return f"{plural(len(counts), 'node')} x {plural(counts[0], 'CPU')}"
    return f"{plural(len(counts), 'node')} with {', '.join(map(str, counts))} CPUs"


def binding_in_words(binding: RankBinding) -> str:
    """CPUs 0-3, node 0, bound."""
    if binding.cpus is None:
        return NOT_KNOWN
    nodes = "/".join(map(str, binding.cpu_nodes)) or NOT_KNOWN
    return f"CPUs {binding.cpus}, node {nodes}, {BOUND_BY[binding.by]}"


def _shape(binding: RankBinding) -> str:
    """What ranks of one host have in common though their CPUs differ."""
    if binding.cpus is None:
        return NOT_KNOWN
    cpus, nodes = len(parse_list(binding.cpus)), len(binding.cpu_nodes)
    return f"{plural(cpus, 'CPU')} on {plural(nodes, 'node')} each, {BOUND_BY[binding.by]}"


_LOOKED_AT: tuple[tuple[str, Callable[[RankSummary], str]], ...] = (
    ("topology", lambda rank: topology(rank.host)),
    ("CPU", lambda rank: rank.host.cpu_name or NOT_KNOWN),
    ("kernel", lambda rank: rank.host.kernel or NOT_KNOWN),
    ("NUMA balancing", lambda rank: BALANCING.get(rank.host.balancing, str(rank.host.balancing))),
    ("huge pages", lambda rank: rank.host.huge_pages or NOT_KNOWN),
    ("binding", lambda rank: _shape(rank.binding)),
    ("numaprof", lambda rank: rank.tool_version),
)


def hosts(ranks: Sequence[RankSummary], population: Population | None) -> tuple[JobHost, ...]:
    groups: dict[str, list[RankSummary]] = defaultdict(list)
    for rank in ranks:
        groups[host_name(rank)].append(rank)
    values = {name: _values(group) for name, group in groups.items()}
    usual = {what: _usual([found[what] for found in values.values()]) for what, _ in _LOOKED_AT}
    return tuple(_host(name, group, values[name], usual, population) for name, group in sorted(groups.items()))


def _values(group: list[RankSummary]) -> dict[str, str]:
    """Of one host; several values where its ranks do not agree."""
    return {what: "; ".join(sorted({read(rank) for rank in group})) for what, read in _LOOKED_AT}


def _usual(values: list[str]) -> str:
    counts = Counter(values)
    return max(counts, key=lambda value: (counts[value], value))


def _host(
    name: str, group: list[RankSummary], values: dict[str, str], usual: dict[str, str], population: Population | None
) -> JobHost:
    first = group[0].host
    return JobHost(
        name=name,
        count=len(group),
        ranks=rank_list(group),
        topology=values["topology"],
        cpu_name=first.cpu_name,
        kernel=first.kernel,
        balancing=first.balancing,
        huge_pages=first.huge_pages,
        bindings=values["binding"],
        remote_share=together(of_population(group, population)).share,
        differs=tuple(
            f"{what}: {values[what]} (most hosts: {usual[what]})"
            for what, _ in _LOOKED_AT
            if values[what] != usual[what]
        ),
    )


def common_pattern(marked: Sequence[RankSummary], ranks: Sequence[RankSummary]) -> str | None:
    """What the marked ranks and no others have: hosts, a place on each host, or the node they are bound to."""
    mine = {each.number for each in marked}
    if not mine or len(mine) == len(ranks):
        return None
    names = sorted({host_name(each) for each in marked})
    several_hosts = len({host_name(each) for each in ranks}) > 1
    if several_hosts and mine == {each.number for each in ranks if host_name(each) in names}:
        return f"all ranks of {plural(len(names), 'host')}: {', '.join(names[:8])}{', ...' if len(names) > 8 else ''}"
    local = {each.local_number for each in marked}
    if several_hosts and len(local) == 1 and None not in local and len(mine) > 1:
        number = next(iter(local))
        if mine == {each.number for each in ranks if each.local_number == number}:
            return f"local rank {number} of each host"
    nodes = {each.binding.cpu_nodes for each in marked}
    if len(nodes) == 1 and len(mine) > 1:
        same = {each.number for each in ranks if each.binding.cpu_nodes in nodes}
        if mine == same:
            return f"all ranks bound to node {'/'.join(map(str, next(iter(nodes))))}"
    return None
