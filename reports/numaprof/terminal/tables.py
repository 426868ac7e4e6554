# SPDX-License-Identifier: Apache-2.0
"""The tables of the report: threads, CPUs, nodes, first touches."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from numaprof.analysis.naming import homes_in_text, site_label, thread_name
from numaprof.analysis.node_matrix import left_out, matrix
from numaprof.analysis.remote_share import COUNTERS, basis, remote_share
from numaprof.analysis.verdict import is_heavy
from numaprof.document.object_remarks import touch_coverage
from numaprof.evidence.counts import Amount, Traffic
from numaprof.evidence.evidence import Evidence, InitSite, Thread
from numaprof.evidence.request_classes import ANY, LOCAL, REMOTE, RETIRED, Column
from numaprof.evidence.thresholds import (
    ALL_OF_IT,
    MIN_SHOWN,
    MIN_SHOWN_BYTES,
    MOST_LEFT_OUT,
    MOST_SITES,
    MOST_THREADS,
)
from numaprof.evidence.traffic import verdict_traffic
from numaprof.terminal.layout import BOLD, Layout
from numaprof.terminal.wanted import Wanted
from numaprof.text.format import (
    NOT_KNOWN,
    clean,
    cpu_order,
    cpus_in_text,
    number,
    number_list,
    percent,
    plural,
    share_in_interval,
    size,
)

HEAVY = "<- remote-heavy"


def amount(value: Amount) -> str:
    return NOT_KNOWN if value.estimate is None else number(value.estimate)


def _pairs(traffics: Sequence[Traffic]) -> list[str]:
    """131 k /    0, aligned at the stroke."""
    left = [amount(traffic.local) for traffic in traffics]
    right = [amount(traffic.remote) for traffic in traffics]
    wide, narrow = max(map(len, left), default=0), max(map(len, right), default=0)
    return [f"{a:>{wide}} / {b:>{narrow}}" for a, b in zip(left, right)]


def _columns(evidence: Evidence) -> list[Column]:
    """The kinds of requests, where they are counted one by one; else what the verdict rests on."""
    kinds = [column for column in evidence.ledger.events.columns if column not in (ANY, RETIRED)]
    return kinds or list(evidence.population.columns if evidence.population else ())


def _flag(evidence: Evidence, share: float | None, remote: float | None, rows: int) -> str:
    return HEAVY if is_heavy(evidence, share, remote, rows) else ""


def _print(layout: Layout, head: list[str], columns: list[list[str]]) -> None:
    """CPU, node, name, numbers, remote share, flag. Shortens the flags where they would not fit."""
    rows = [list(row) for row in zip(*columns)]
    names = [name.rpartition("\n")[2] for name in head[:-1]]
    used = sum(max(map(len, column)) + 2 for column in zip(names, *(row[:-1] for row in rows)))
    if used + len(HEAVY) > layout.width:
        rows = [[*row[:-1], row[-1][:2]] for row in rows]
    layout.line()
    layout.table(head, rows, [True, True, False, *[True] * (len(head) - 4), False])


def threads(evidence: Evidence, layout: Layout, wanted: Wanted) -> None:
    """Threads by CPU, the remote-heavy ones first when not all can be shown."""
    if basis(evidence) is None or not evidence.threads or (evidence.counted and not evidence.told_apart):
        return
    shown = _worth_showing(evidence, wanted)
    if not shown:
        layout.line("\nno thread is like that")
        return
    names = ["CPU", "node", "thread"]
    cells = [
        [cpus_in_text(thread.cpus) for thread in shown],
        [number_list(list(thread.nodes)) or "?" for thread in shown],
        [thread_name(thread) for thread in shown],
    ]
    if basis(evidence) == COUNTERS:
        for column in _columns(evidence):
            names.append(f"{column.heading}\nlocal / remote")
            cells.append(_pairs([thread.columns.get(column.key, Traffic()) for thread in shown]))
    else:
        names.append(f"{basis(evidence)}")
        cells.append([number(_sampled(evidence, thread)) for thread in shown])
    shares = [_share(evidence, thread) for thread in shown]
    count = len(evidence.threads)
    flags = [_flag(evidence, share, _weight(evidence, thread), count) for thread, share in zip(shown, shares)]
    cells += [[_share_in_words(evidence, thread) for thread in shown], flags]
    _print(layout, [*names, "remote", ""], cells)
    _rest(evidence, shown, layout)
    _remarks(evidence, layout)


def _remarks(evidence: Evidence, layout: Layout) -> None:
    """What the numbers of the columns include or miss, in the catalogue's words; each sentence once."""
    columns: dict[str, dict[str, None]] = {}  # sentence -> the columns it speaks of
    for column in _columns(evidence) if evidence.counted else ():
        ids = {id for side in (LOCAL, REMOTE) for id in evidence.ledger.events.of(column, side)}
        for event in evidence.events:
            for sentence in _sentences(event.remark or "") if event.id in ids else ():
                columns.setdefault(sentence, {})[column.heading] = None
    for part in evidence.ledger.events.partial:
        sentence = f"counted in {part.counted} of {plural(part.threads, 'thread')}, for lack of open files."
        columns.setdefault(sentence, {})[part.column.heading] = None
    for sentence, headings in columns.items():
        layout.paragraph(f"{', '.join(headings)}: {sentence}", indent="  ")


def _sentences(text: str) -> list[str]:
    return re.findall(r"\S.*?(?:\.(?= |$)|$)", clean(text))


def _share(evidence: Evidence, thread: Thread) -> float | None:
    found = remote_share(evidence, thread)
    return found.share if found else None


def _share_in_words(evidence: Evidence, thread: Thread) -> str:
    """With its error where it was counted: that of samples follows from their number beside it."""
    found = remote_share(evidence, thread)
    return share_in_interval(found.share if found else None, found.counted_interval if found else None)


def _sampled(evidence: Evidence, thread: Thread) -> int:
    found = remote_share(evidence, thread)
    return (found.samples or 0) if found else 0


def _weight(evidence: Evidence, thread: Thread) -> float:
    found = remote_share(evidence, thread)
    return found.remote if found else 0.0


def _worth_showing(evidence: Evidence, wanted: Wanted) -> list[Thread]:
    """By CPU unless another order is wanted; those with most remote requests where not all can be shown."""
    found = [thread for thread in evidence.threads if _is_wanted(thread, wanted)]
    order = _SORT[wanted.sort or "remote"]
    chosen = sorted(found, key=lambda thread: order(evidence, thread))[: wanted.top or MOST_THREADS]
    if wanted.sort:
        return chosen
    return sorted(chosen, key=lambda thread: cpu_order(thread.cpus, thread.position))


def is_named(thread: Thread, text: str) -> bool:
    return text in (thread.row.name or "") or text == str(thread.row.tid)


def _is_wanted(thread: Thread, wanted: Wanted) -> bool:
    named = wanted.thread is None or is_named(thread, wanted.thread)
    return named and (wanted.node is None or wanted.node in thread.nodes)


_SORT: dict[str, Callable[[Evidence, Thread], Any]] = {
    "remote": lambda evidence, thread: (-_weight(evidence, thread), thread.position),
    "requests": lambda evidence, thread: (-(thread.traffic.total or _sampled(evidence, thread)), thread.position),
    "cpu": lambda _, thread: cpu_order(thread.cpus, thread.position),
    "name": lambda _, thread: (thread.row.name or "", thread.position),
}


def _rest(evidence: Evidence, shown: list[Thread], layout: Layout) -> None:
    visible = {thread.row.id for thread in shown}
    hidden = [thread for thread in evidence.threads if thread.row.id not in visible]
    if not hidden:
        return
    if basis(evidence) == COUNTERS:
        columns = evidence.ledger.threads_on([thread.row.id for thread in hidden], [])
        share = verdict_traffic(evidence.ledger.events, columns).share
    else:
        shares = [found for found in (remote_share(evidence, thread) for thread in hidden) if found]
        total = sum(found.total for found in shares)
        share = sum(found.remote for found in shares) / total if total else None
    layout.line(f"… {plural(len(hidden), 'more thread')}, {percent(share)} remote")


def cpus(evidence: Evidence, layout: Layout, wanted: Wanted) -> None:
    """By CPU, where that says more than the threads do: threads were not told apart, or moved."""
    own = {thread.cpu for thread in evidence.threads if thread.cpu is not None}
    one_each = len(own) == len(evidence.threads) and evidence.told_apart
    if basis(evidence) != COUNTERS or one_each or not evidence.ledger.by_cpu:
        return
    chosen = [cpu for cpu in sorted(evidence.ledger.by_cpu) if wanted.node in (None, evidence.machine.node_of(cpu))]
    by_cpu = {cpu: evidence.ledger.cpu(cpu) for cpu in chosen}
    totals = {cpu: verdict_traffic(evidence.ledger.events, columns) for cpu, columns in by_cpu.items()}
    most = wanted.top or MOST_THREADS
    if len(chosen) > most:
        chosen = sorted(sorted(chosen, key=lambda cpu: -(totals[cpu].remote.estimate or 0))[:most])
    names = ["CPU", "node", "threads"]
    cells = [
        [str(cpu) for cpu in chosen],
        ["?" if evidence.machine.node_of(cpu) is None else str(evidence.machine.node_of(cpu)) for cpu in chosen],
        [_threads_of(evidence, cpu) for cpu in chosen],
    ]
    for column in _columns(evidence):
        names.append(f"{column.heading}\nlocal / remote")
        cells.append(_pairs([by_cpu[cpu].get(column.key, Traffic()) for cpu in chosen]))
    flags = [_flag(evidence, totals[cpu].share, totals[cpu].remote.estimate, len(totals)) for cpu in chosen]
    cells += [[percent(totals[cpu].share) for cpu in chosen], flags]
    _print(layout, [*names, "remote", ""], cells)
    if len(totals) > len(chosen):
        layout.line(f"… {plural(len(totals) - len(chosen), 'more CPU')} with fewer remote requests")


def _threads_of(evidence: Evidence, cpu: int) -> str:
    """With one pinned thread on a CPU, the CPU's counts are the thread's."""
    mine = [thread for thread in evidence.threads if thread.cpu == cpu]
    return thread_name(mine[0]) if len(mine) == 1 else plural(len(mine), "thread") if mine else ""


def nodes(evidence: Evidence, layout: Layout) -> None:
    """Who reads where."""
    memory, rows = evidence.machine.memory_nodes, evidence.machine.all_cpu_nodes
    if basis(evidence) is None or len(memory) < 2 or not rows:
        return
    counted = basis(evidence) == COUNTERS
    layout.line()
    if counted and len(memory) > 2:
        layout.paragraph("DRAM requests, node by node: n/a; counters tell remote, not from which node")
        return
    numbers = matrix(evidence)
    title = f"{'DRAM requests' if counted else basis(evidence)}, from node (row) to node (column)"
    cells = [[str(row), *(_cell(numbers.get((row, column))) for column in memory)] for row in rows]
    if len(title) + 8 * len(memory) > layout.width:
        layout.line(title, BOLD)
        title = ""
    layout.table([title, *map(str, memory)], cells, [True] * (1 + len(memory)))
    if left_out(evidence) > MOST_LEFT_OUT:
        layout.line(f"not in it: {percent(left_out(evidence))} of the requests, by threads that ran on several nodes")


def _cell(value: float | None) -> str:
    return NOT_KNOWN if value is None else number(value)


def first_touches(evidence: Evidence, layout: Layout) -> None:
    sites = evidence.init_sites
    if not sites:
        return
    least = max(MIN_SHOWN * evidence.bytes(evidence.touched_pages), MIN_SHOWN_BYTES)
    shown = [site for site in sites if evidence.bytes(site.pages) >= least][:MOST_SITES] or sites[:3]
    cells = [
        [site_label(site.site, max(24, layout.width - 52)) for site in shown],
        [_touchers(evidence, site) for site in shown],
        [size(evidence.bytes(site.pages)) for site in shown],
        [percent(site.pages / evidence.touched_pages) for site in shown],
        [homes_in_text(site.known_homes) for site in shown],
    ]
    layout.line()
    head = ["FIRST TOUCHED AT", "by", "size", "share", "node"]
    layout.table(head, [list(row) for row in zip(*cells)], [False, False, True, True, False])
    if len(sites) > len(shown):
        rest = sum(site.pages for site in sites[len(shown) :])
        layout.line(f"… {plural(len(sites) - len(shown), 'more place')}, {size(evidence.bytes(rest))}")
    for line in touch_coverage(evidence):
        layout.paragraph(line)
    _unseen(evidence, layout)


def _touchers(evidence: Evidence, site: InitSite) -> str:
    if len(site.pages_by_thread) > 1 and site.main_share < ALL_OF_IT:
        return plural(len(site.pages_by_thread), "thread")
    thread = evidence.by_id.get(site.main_thread)
    return "?" if thread is None else thread_name(thread)


def _unseen(evidence: Evidence, layout: Layout) -> None:
    """Memory that has a home but no first touch: made inside system calls, or before the recorder looked."""
    homed = sum(evidence.samples.homed_pages.values())
    missing = homed - evidence.touched_pages
    if evidence.touched_pages and missing > 0.1 * homed:
        layout.paragraph(
            f"first touch not seen of {size(evidence.bytes(missing))} more: inside system calls (not visible at this "
            "privilege), or before the recording began"
        )
