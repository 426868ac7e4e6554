# SPDX-License-Identifier: Apache-2.0
"""The tables of the report: threads, CPUs, nodes, first touches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from numaprof.model import report_model as model
from numaprof.terminal.layout import BOLD, PROCESS_NAME, Layout
from numaprof.terminal.wanted import EVERYTHING, Wanted
from numaprof.text.format import (
    NOT_KNOWN,
    clean,
    counted_share,
    cpu_order,
    cpus_in_text,
    nodes_in_text,
    number,
    number_list,
    percent,
    plural,
    size,
)

HEAVY = "<- remote-heavy"
MOST_THREADS, MOST_PROCESSES, MOST_SITES = 16, 8, 8  # rows
STANDS_OUT = 0.1  # how far a thread's share is from that of its node's threads
MOST_LEFT_OUT = 0.01  # of the requests: above it, it is said that the table of nodes lacks them
COUNTERS = "counters"


def _amount(value: float | None) -> str:
    return NOT_KNOWN if value is None else number(value)


def _classes(rows: Sequence[model.Thread | model.Cpu]) -> Iterator[tuple[str, list[str]]]:
    """Head and cells of each class: 131 k /    0, aligned at the stroke."""
    for found in zip(*(row.classes for row in rows)):
        left, right = [_amount(each.local) for each in found], [_amount(each.remote) for each in found]
        wide, narrow = max(map(len, left)), max(map(len, right))
        yield f"{found[0].request}\nlocal / remote", [f"{a:>{wide}} / {b:>{narrow}}" for a, b in zip(left, right)]


def _print(layout: Layout, head: list[str], columns: list[list[str]]) -> None:
    """CPU, node, name, numbers, remote share, flag. Shortens the flags where they would not fit."""
    rows = [list(row) for row in zip(*columns)]
    names = [name.rpartition("\n")[2] for name in head[:-1]]
    used = sum(max(map(len, column)) + 2 for column in zip(names, *(row[:-1] for row in rows)))
    if used + len(HEAVY) > layout.width:
        rows = [[*row[:-1], row[-1][:2]] for row in rows]
    layout.line()
    layout.table(head, rows, [True, True, False, *[True] * (len(head) - 4), False])


def told_apart(report: model.Answer) -> bool:
    """Counts are known by thread, not only by CPU."""
    return any(thread.coverage is not None for thread in report.threads)


def threads(report: model.Answer, layout: Layout, wanted: Wanted) -> None:
    """Threads by CPU, the remote-heavy ones first when not all can be shown: then after their sums by node."""
    basis = report.verdict.basis
    if basis is None or not report.threads or (basis == COUNTERS and not told_apart(report)):
        return
    summed = len(report.threads) > MOST_THREADS and wanted == EVERYTHING
    if summed:
        _sums(report, layout)
    shown = _worth_showing(report, wanted, summed)
    if shown:
        _threads(report, shown, layout)
    elif not summed:
        layout.line("\nno thread matches")
        return
    _rest([thread for thread in report.threads if thread not in shown], layout)
    for text in report.overview.counted:
        layout.paragraph(text, indent="  ")


def _sums(report: model.Answer, layout: Layout) -> None:
    """Threads by the nodes that they ran on, and by process where there are several."""
    found: list[tuple[str, model.NodeThreads | model.ProcessThreads]] = [
        (nodes_in_text(row.nodes) if row.nodes else "node ?", row) for row in report.summary.nodes
    ]
    processes = report.summary.processes[:MOST_PROCESSES]
    found += [(f"process {row.pid} {clean(row.name, PROCESS_NAME)}", row) for row in processes]
    rows = [
        [
            name,
            str(row.threads),
            _amount(row.local),
            _amount(row.remote),
            counted_share(row.remote_share, report.verdict.samples, row.lowest, row.highest),
            HEAVY if row.remote_heavy else "",
        ]
        for name, row in found
    ]
    layout.line()
    layout.table(
        ["THREADS OF", "threads", "local", "remote", "share", ""], rows, [False, True, True, True, True, False]
    )
    if report.summary.processes[MOST_PROCESSES:]:
        layout.line(f"… {plural(len(report.summary.processes) - MOST_PROCESSES, 'more process', 'es')}")


def _threads(report: model.Answer, shown: list[model.Thread], layout: Layout) -> None:
    basis = report.verdict.basis
    names = ["CPU", "node", "thread"]
    cells = [
        [cpus_in_text(thread.cpus) for thread in shown],
        [number_list(list(thread.nodes)) or "?" for thread in shown],
        [thread.name for thread in shown],
    ]
    sampled = [(basis or "", [number(thread.samples or 0) for thread in shown])]
    for head, column in _classes(shown) if basis == COUNTERS else sampled:
        names.append(head)
        cells.append(column)
    cells.append([counted_share(each.remote_share, each.samples, each.lowest, each.highest) for each in shown])
    cells.append([HEAVY if thread.remote_heavy else "" for thread in shown])
    _print(layout, [*names, "remote", ""], cells)


def _worth_showing(report: model.Answer, wanted: Wanted, summed: bool) -> list[model.Thread]:
    """By CPU unless another order is wanted; those with most remote requests where not all can be shown, and below
    sums those alone that differ from theirs."""
    found = [thread for thread in report.threads if _is_wanted(thread, wanted)]
    if summed:
        shares = {row.nodes: row.remote_share for row in report.summary.nodes}
        found = [thread for thread in found if _stands_out(thread.remote_share, shares.get(thread.nodes))]
    chosen = sorted(found, key=_SORT[wanted.sort or "remote"])[: wanted.top or MOST_THREADS]
    return chosen if wanted.sort else sorted(chosen, key=_SORT["cpu"])


def _stands_out(share: float | None, together: float | None) -> bool:
    return share is not None and together is not None and abs(share - together) >= STANDS_OUT


def is_named(thread: model.Thread, text: str) -> bool:
    return text in thread.name.rpartition(" ")[0] or text == str(thread.tid)


def _is_wanted(thread: model.Thread, wanted: Wanted) -> bool:
    named = wanted.thread is None or is_named(thread, wanted.thread)
    return named and (wanted.node is None or wanted.node in thread.nodes)


_SORT: dict[str, Callable[[model.Thread], Any]] = {
    "remote": lambda thread: (-(thread.remote or 0.0), thread.position),
    "requests": lambda thread: (-(thread.requests or thread.samples or 0), thread.position),
    "cpu": lambda thread: cpu_order(thread.cpus, thread.position),
    "name": lambda thread: (thread.name.rpartition(" ")[0], thread.position),
}


def _rest(hidden: list[model.Thread], layout: Layout) -> None:
    """Of those whose requests are known, and how many they are."""
    if not hidden:
        return
    known = [(row.local, row.remote) for row in hidden if row.local is not None and row.remote is not None]
    remote = sum(remote for _, remote in known)
    total = remote + sum(local for local, _ in known)
    share = percent(remote / total if total else None)
    of = f" (known of {len(known)})" if 0 < len(known) < len(hidden) else ""
    layout.line(f"… {plural(len(hidden), 'more thread')}, {share} remote{of}")


def cpus(report: model.Answer, layout: Layout, wanted: Wanted) -> None:
    """By CPU, where that says more than the threads do: threads were not told apart, or moved."""
    own = {thread.cpu for thread in report.threads if thread.cpu is not None}
    one_each = len(own) == len(report.threads) and told_apart(report)
    counted = sorted((cpu for cpu in report.machine.cpus if cpu.classes), key=lambda cpu: cpu.id)
    if one_each or not counted:
        return
    found = [cpu for cpu in counted if wanted.node in (None, cpu.node)]
    most = sorted(found, key=lambda cpu: -(cpu.remote or 0.0))[: wanted.top or MOST_THREADS]
    shown = [cpu for cpu in found if cpu in most]
    names = ["CPU", "node", "threads"]
    cells = [
        [str(cpu.id) for cpu in shown],
        ["?" if cpu.node is None else str(cpu.node) for cpu in shown],
        # With one pinned thread on a CPU, the CPU's counts are the thread's.
        [cpu.first_thread or "" if cpu.threads < 2 else plural(cpu.threads, "thread") for cpu in shown],
    ]
    for head, column in _classes(shown):
        names.append(head)
        cells.append(column)
    cells.append([percent(cpu.remote_share) for cpu in shown])
    cells.append([HEAVY if cpu.remote_heavy else "" for cpu in shown])
    _print(layout, [*names, "remote", ""], cells)
    if len(found) > len(shown):
        layout.line(f"… {plural(len(found) - len(shown), 'more CPU')} with fewer remote requests")


def nodes(report: model.Answer, layout: Layout) -> None:
    """Who reads where."""
    pairs = report.machine.pairs
    memory, rows = list(dict.fromkeys(each.to_node for each in pairs)), dict.fromkeys(each.from_node for each in pairs)
    basis = report.verdict.basis
    if basis is None or len(memory) < 2:
        return
    layout.line()
    if basis == COUNTERS and len(memory) > 2:
        layout.paragraph("DRAM requests, node by node: n/a; counters tell remote, not from which node")
        return
    title = f"{'DRAM requests' if basis == COUNTERS else basis}, from node (row) to node (column)"
    cells = [[str(row), *(_amount(each.requests) for each in pairs if each.from_node == row)] for row in rows]
    if len(title) + 8 * len(memory) > layout.width:
        layout.line(title, BOLD)
        title = ""
    layout.table([title, *map(str, memory)], cells, [True] * (1 + len(memory)))
    if report.machine.left_out > MOST_LEFT_OUT:
        part = percent(report.machine.left_out)
        layout.line(f"not in it: {part} of the requests, by threads that ran on several nodes, or on unknown ones")


def first_touches(found: model.FirstTouches, layout: Layout, wanted: Wanted) -> None:
    if not found.rows:
        return
    most = wanted.top or MOST_SITES
    shown, rest = found.rows[:most], found.rows[most:]
    width = max(24, layout.width - 52)
    cells = [[clean(row.place.label, width), row.by, size(row.bytes), percent(row.share), row.home] for row in shown]
    layout.line()
    head = ["FIRST TOUCHED AT", "by", "size", "share", "node"]
    layout.table(head, cells, [False, False, True, True, False])
    if rest or found.not_listed:
        more = sum(row.bytes for row in rest) + found.bytes_not_listed
        layout.line(f"… {plural(len(rest) + found.not_listed, 'more place')}, {size(more)}")
    for line in found.remarks:
        layout.paragraph(line)
