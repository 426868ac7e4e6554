# SPDX-License-Identifier: Apache-2.0
"""One thread first touches, threads of other nodes use: initialise in parallel, as the memory is used later."""

from __future__ import annotations

from numaprof.evidence import Evidence, InitSite
from numaprof.judgement import basis, judge
from numaprof.matrix import node_traffic
from numaprof.naming import (
    NAME_LIMIT,
    list_of_sites,
    nodes_in_text,
    site_label,
    site_position,
    thread_in_text,
    threads_on_nodes,
)
from numaprof.places import Site
from numaprof.rules.advice import Advice, Kind
from numaprof.samples import Used
from numaprof.text import clean, percent, plural, size, words
from numaprof.thresholds import ALL_OF_IT
from numaprof.uses import home_of, main_cause, main_use, others, serial_sites, shape_of, uses_of


def rule(evidence: Evidence) -> Advice | None:
    sites = serial_sites(evidence)
    if not judge(evidence).curable or not sites or not others(evidence, sites[0]):
        return None
    uses = uses_of(evidence, sites)
    if shape_of(evidence, sites).shared:
        return None  # shared_by_all speaks: a parallel initialisation would not help
    use = main_use(uses) or main_cause(evidence)
    if use == sites[0].site:
        use = None
    return Advice(
        kind=Kind.CURE,
        finding=_finding(evidence, sites, uses, use),
        change=_change(sites, use),
        code=(_pragma(sites),),
        evidence=_rests_on(evidence, sites, uses),
        removes=_removes(evidence, sites, uses),
    )


def _finding(evidence: Evidence, sites: list[InitSite], uses: list[Used], use: Site | None) -> str:
    bytes_ = size(evidence.bytes(sum(site.pages for site in sites)))
    places = list_of_sites([site.site for site in sites])
    verb = "touches" if len(sites) == 1 else "touch"
    by = thread_in_text(evidence.by_id.get(sites[0].main_thread))
    share = min(site.main_share for site in sites)
    part = "all" if share >= ALL_OF_IT else f"{percent(share)} or more of it"
    return f"{places} first {verb} {bytes_}, {part} from {by}. {_users(evidence, sites, uses, use)}"


def _users(evidence: Evidence, sites: list[InitSite], uses: list[Used], use: Site | None) -> str:
    if uses and use is not None:
        threads = [evidence.by_id[row.thread] for row in uses if row.thread in evidence.by_id]
        users = list({thread.row.id: thread for thread in threads}.values())
        return f"{site_label(use)} uses it from {threads_on_nodes(users)}."
    remote = threads_on_nodes(others(evidence, sites[0]))
    if use is not None:
        return f"Most remote reads come from {site_label(use)}, in {remote}."
    if basis(evidence) is not None:
        return f"{remote} read remotely; at which line, no sample tells."
    team = plural(len(evidence.workers), "thread") if evidence.machine.single else threads_on_nodes(evidence.workers)
    return f"{team} could use it; who did is not known here."


def _change(sites: list[InitSite], use: Site | None) -> str:
    like = f"the loop at {site_position(use)}" if use is not None else "the loop that uses it"
    change = f"Initialise it in parallel, divided among the threads as {like} divides it. "
    call = next((site for site in sites if site.library_call is not None), None)
    if call is None:
        return change + "With OpenMP and a static schedule there:"
    # Compilers turn loops that fill or copy into calls: the recording cannot tell which one the source has.
    name, where = clean(call.library_call or "", NAME_LIMIT), site_position(call.site)
    return (
        f"{change}What touches is {name}: if {where} calls it, let each thread do so for its own block; "
        "if it is a loop, with OpenMP and a static schedule there:"
    )


def _pragma(sites: list[InitSite]) -> str:
    above = words([site_position(site.site) for site in sites[:3]])
    return f"#pragma omp parallel for schedule(static)      above {above}"


def _removes(evidence: Evidence, sites: list[InitSite], uses: list[Used]) -> float | None:
    """Of all remote accesses: measured where addresses are known, else what memory at that home amounts to."""
    known = [row for row in evidence.samples.used if row.remote]
    if uses and known:
        return sum(row.accesses for row in uses if row.remote) / sum(row.accesses for row in known)
    remote = evidence.traffic.remote.estimate
    if basis(evidence) is None or not remote:
        return None
    nodes = evidence.machine.all_cpu_nodes
    gone = sum((node_traffic(evidence, node).remote.estimate or 0.0) * _reach(evidence, sites, node) for node in nodes)
    return min(1.0, gone / remote)


def _reach(evidence: Evidence, sites: list[InitSite], node: int) -> float:
    """How much of the memory that is remote for this node was touched at these places."""
    away = sum(pages for site in evidence.init_sites for home, pages in site.pages_by_home.items() if home != node)
    theirs = sum(pages for site in sites for home, pages in site.pages_by_home.items() if home != node)
    return theirs / away if away else 0.0


def _from_elsewhere(evidence: Evidence, home: int | None) -> float:
    """Remote requests from other nodes than the home of this memory."""
    nodes = [node for node in evidence.machine.all_cpu_nodes if node != home]
    return sum(node_traffic(evidence, node).remote.estimate or 0.0 for node in nodes)


def _part_of_home(evidence: Evidence, sites: list[InitSite]) -> float:
    """How much of the memory touched that is at that home was touched at these places."""
    home = home_of(evidence, sites[0])
    there = sum(site.pages for site in evidence.init_sites if home_of(evidence, site) == home)
    return sum(site.pages for site in sites if home_of(evidence, site) == home) / there if there else 0.0


def _rests_on(evidence: Evidence, sites: list[InitSite], uses: list[Used]) -> str:
    home = home_of(evidence, sites[0])
    share = percent(sum(site.pages for site in sites) / evidence.touched_pages)
    if uses:
        removed = _removes(evidence, sites, uses)
        return f"{percent(removed)} of the remote accesses with a known address reach this memory."
    if basis(evidence) is None or evidence.traffic.remote.estimate is None:
        return f"page faults only: {share} of all memory touched. They do not tell who uses it later."
    remote = evidence.traffic.remote.estimate
    elsewhere = percent(min(1.0, _from_elsewhere(evidence, home) / remote)) if remote else "none"
    where = "an unknown node" if home is None else nodes_in_text([home])
    return (
        f"{elsewhere} of all remote requests come from other nodes than {where}, and "
        f"{percent(_part_of_home(evidence, sites))} of the memory touched on {where} was touched here. "
        "Which array they read, the counters do not tell; if every thread reads all of it, interleave it instead "
        "(numactl --interleave=all)."
    )
