# SPDX-License-Identifier: Apache-2.0
"""The live view as lines of text, each at most as wide as asked for. Foreign text is cleaned here."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from numaprof.evidence.counts import Traffic
from numaprof.live.model import NodeRow, Rates, Row, View, margin
from numaprof.live.sample import Range
from numaprof.terminal.layout import cells
from numaprof.text.format import NOT_KNOWN, clean, number_list, plural

NOTHING = "-"  # it did not run, or made no request
FIRST_WIDTH, NAME_WIDTH = 7, 13


@dataclass(frozen=True)
class Choice:
    """What is shown of a view."""

    sort: str = "cpu"
    node: int | None = None  # only what ran there
    request: str | None = None  # key of a class; None: those of the verdict
    pid: int | None = None  # only the threads of this process


SORTS: dict[str, Callable[[Row, Choice], float]] = {
    "cpu": lambda row, _: row.cpu or 0.0,
    "remote": lambda row, choice: row.rates.bytes_per_s(choice.request)[1] or 0.0,
    "share": lambda row, choice: row.rates.of(choice.request).share or 0.0,
    "migrated": lambda row, _: row.migrated_per_s or 0.0,
    "memory": lambda row, _: row.memory or 0,
    "name": lambda row, _: 0.0,
}


def chosen(rows: Sequence[Row], choice: Choice) -> list[Row]:
    """Those wanted, in their order; equal ones by name and number."""
    wanted = [
        row
        for row in rows
        if (choice.node is None or choice.node in row.nodes) and (choice.pid is None or row.pid == choice.pid)
    ]
    return sorted(wanted, key=lambda row: (-SORTS[choice.sort](row, choice), row.name, row.pid, row.tid or 0))


# --- cells


def short(value: float | None) -> str:
    """Five characters at most: 0, 812, 1.2k, 34M, 1.5G."""
    if value is None:
        return NOT_KNOWN
    unit = 0
    while abs(value) >= 999.5 and unit < 5:
        value /= 1000
        unit += 1
    digits = 1 if unit and abs(value) < 9.95 else 0
    return f"{value:.{digits}f}{['', 'k', 'M', 'G', 'T', 'P'][unit]}"


def percent(share: float | None) -> str:
    """Never 0 or 100 of what is not exactly none or all."""
    if share is None:
        return NOT_KNOWN
    if 0 < share < 0.005:
        return "<1"
    return ">99" if 0.995 <= share < 1 else f"{100 * share:.0f}"


def _share(traffic: Traffic, is_idle: bool) -> str:
    if traffic.share is None and (is_idle or traffic.total == 0):
        return NOTHING
    return percent(traffic.share)


def _traffic(rates: Rates, choice: Choice, is_idle: bool) -> list[str]:
    """Share, local and remote bytes/s; with ~ where part of the CPU time was not counted."""
    local, remote = rates.bytes_per_s(choice.request)
    if is_idle and local is None:
        return [NOTHING] * 3
    sign = "" if rates.is_whole or local is None else "~"
    return [sign + _share(rates.of(choice.request), is_idle), sign + short(local), sign + short(remote)]


def placement(shares: Sequence[float] | None, nodes: Sequence[int]) -> str:
    """0:62 1:38, the largest first."""
    if shares is None:
        return NOT_KNOWN
    parts = sorted(zip(shares, nodes), key=lambda part: (-part[0], part[1]))
    return " ".join(f"{node}:{percent(share)}" for share, node in parts if share > 0)


def _moved(view: View, row: Row) -> str:
    is_off = row.migrated_per_s is None and view.sample.balancing == 0
    return "off" if is_off else short(row.migrated_per_s)


def _activity(view: View, row: Row, choice: Choice, amount: float | None) -> list[str]:
    """What a process and a thread have in common. amount: the table's own number."""
    traffic = _traffic(row.rates, choice, row.cpu == 0)
    return [clean(row.name, NAME_WIDTH), percent(row.cpu), *traffic, short(amount), _moved(view, row)]


def _nodes(view: View) -> list[int]:
    return [node.id for node in view.header.nodes]


def _table(
    head: Sequence[str], widths: Sequence[int], rows: Sequence[Sequence[str]], left: Sequence[int], width: int
) -> list[str]:
    """left: columns of text; the last column takes what is left of the width."""

    def line(texts: Sequence[str]) -> str:
        padded = []
        for index, (text, wanted) in enumerate(zip(texts, widths)):
            space = " " * (wanted - cells(text))
            padded.append(text + space if index in left else space + text)
        return cut(" ".join([*padded, *texts[len(widths) :]]), width)

    return [line(head), *map(line, rows)]


def cut(text: str, width: int) -> str:
    """With an ellipsis where something is missing."""
    text = text.rstrip()
    if cells(text) <= width:
        return text
    while text and cells(text) > width - 1:
        text = text[:-1]
    return text + "…" if width > 0 else ""


# --- tables


def process_table(view: View, choice: Choice, width: int) -> tuple[list[str], list[Row]]:
    """Lines with the head first, and the rows that the others show."""
    rows = chosen(view.processes, choice)
    nodes = _nodes(view)
    head = ["PID", "PROGRAM", "CPU%", "REM%", "LOCAL/s", "REMOTE/s", "MEMORY", "MOVED/s", "NODE:PAGES %"]
    texts = [[str(row.pid), *_activity(view, row, choice, row.memory), placement(row.placement, nodes)] for row in rows]
    return _table(head, (FIRST_WIDTH, NAME_WIDTH, 5, 5, 7, 8, 6, 7), texts, (1, 8), width), rows


def thread_table(view: View, choice: Choice, width: int) -> tuple[list[str], list[Row]]:
    rows = chosen(view.threads, choice)
    head = ["TID", "THREAD", "CPU%", "REM%", "LOCAL/s", "REMOTE/s", "FAULT/s", "MOVED/s", "NODE:CPU"]
    texts = [[str(row.tid), *_activity(view, row, choice, row.faults_per_s), _where(row)] for row in rows]
    return _table(head, (FIRST_WIDTH, NAME_WIDTH, 5, 5, 7, 8, 7, 7), texts, (1, 8), width), rows


def _where(row: Row) -> str:
    if not row.cpus:
        return NOTHING
    node = ",".join(map(str, sorted(row.nodes))) or "?"
    return f"{node}:{number_list(sorted(row.cpus))}"


def node_table(view: View, choice: Choice, width: int) -> tuple[list[str], list[NodeRow]]:
    rows = [row for row in view.nodes if choice.node is None or row.id == choice.node]
    head = ["NODE", "CPUS", "CPU%", "REM%", "LOCAL/s", "REMOTE/s", "PLACED", "FREE", "MEMORY"]
    texts = [
        [
            str(row.id),
            clean(number_list(list(row.cpus)) or "none", NAME_WIDTH),
            percent(row.cpu),
            *_traffic(row.rates, choice, row.cpu == 0),
            short(row.placed_bytes),
            short(row.free_bytes),
            short(row.mem_bytes),
        ]
        for row in rows
    ]
    return _table(head, (FIRST_WIDTH, NAME_WIDTH, 5, 5, 7, 8, 7, 7, 7), texts, (1,), width), rows


def range_table(view: View, pid: int, width: int) -> tuple[list[str], list[Range]]:
    """The process's largest mappings by what is resident of them."""
    rows = list(view.ranges.get(pid, ()))
    nodes = _nodes(view)
    head = ["ADDRESS", "SIZE", "RESIDENT", "ERROR", "MEMORY", "NODE:PAGES %"]
    texts = []
    for row in rows:
        resident = sum(row.nodes)
        shares = tuple(pages / resident for pages in row.nodes) if resident else None
        largest = max(shares, default=0.0) if shares else 0.0
        page = view.header.page_bytes
        texts.append(
            [
                f"{row.start:x}",
                short(row.pages * page),
                short(resident * page),
                f"±{100 * margin(largest, row.seen, row.pages) * (len(row.nodes) > 1):.0f}",
                _range_name(row),
                placement(shares, nodes),
            ]
        )
    return _table(head, (14, 6, 8, 5, 20), texts, (4, 5), width), rows


def _range_name(row: Range) -> str:
    name = clean(os.path.basename(row.path), 13) if row.path.startswith("/") else ""
    return cut({"static": f"{name} data", "shared": f"shared {name}"}.get(row.kind, row.kind), 20)


# --- around the tables


def head_lines(view: View, subject: str, choice: Choice, width: int) -> list[str]:
    """What is watched, what the remote share is of, who moves pages; in a fourth line what is not counted."""
    cost = f"own cost {100 * view.own_cpu:.1f} % of one CPU"
    machine = f"{plural(len(view.nodes), 'node')}{', emulated' if view.header.emulated else ''}"
    first = f"numaprof top: {machine}, last {view.seconds:.1f} s, {cost}; {subject}"
    lines = (first, _population(view, choice), _movers(view), _incomplete(view))
    return [cut(line, width) for line in lines if line]


def _population(view: View, choice: Choice) -> str:
    header = view.header
    if header.cause is not None:
        return f"remote share n/a: {header.cause}" + (f"; {header.remedy}" if header.remedy else "")
    population = header.events.verdict
    if population is None:
        return "remote share n/a: the events of this CPU do not tell local from remote; numaprof events"
    words = next((c.meaning for c in header.events.columns if c.key == choice.request), population.words)
    traffic, parts = view.total.of(choice.request), [f"{words}{'' if header.with_kernel else ', user mode'}"]
    if traffic.share is not None:
        parts.append(f"{percent(traffic.share)} % remote in all")
    if traffic.coverage is not None and view.total.counted is not None:
        parts.append(f"coverage {percent(min(1.0, traffic.coverage * view.total.counted))} %")
    return "; ".join(parts)


def _incomplete(view: View) -> str:
    sample, parts = view.sample, []
    if sample.uncounted:
        parts.append(f"{plural(sample.uncounted, 'thread')} uncounted: {sample.uncounted_cause}")
    if sample.left_out:
        parts.append(f"{plural(sample.left_out, 'class', 'es')} left out: raise ulimit -n")
    return "; ".join(parts)


def _movers(view: View) -> str:
    balancing = view.sample.balancing
    state = NOT_KNOWN if balancing is None else "on" if balancing else "off"
    moved = f"balancing {state}, {short(view.migrated_per_s)} pages/s moved on the machine"
    foreign = view.sample.foreign
    return moved + (f"; {plural(foreign, 'process', 'es')} not readable" if foreign else "")


def class_line(view: View, row: Row | NodeRow, width: int) -> str:
    """Local + remote bytes/s of each class, and which part is remote."""
    parts = []
    for column in view.header.events.columns:
        local, remote = row.rates.bytes_per_s(column.key)
        share = _share(row.rates.of(column.key), False)
        parts.append(f"{column.heading} {short(local)}+{short(remote)} {share}%")
    name = f"node {row.id}" if isinstance(row, NodeRow) else clean(row.name, NAME_WIDTH)
    return cut(f"{name}: {', '.join(parts)}; local+remote/s" if parts else "", width)


def plain(view: View, subject: str, choice: Choice, width: int, most: int) -> list[str]:
    """Everything on one page: processes, threads, nodes; the memory of a process that is watched alone."""
    lines = [*head_lines(view, subject, choice, width)]
    processes, rows = process_table(view, choice, width)
    threads, _ = thread_table(view, choice, width)
    nodes, _ = node_table(view, choice, width)
    parts = [_first(processes, most), _first(threads, most), nodes]
    if len(view.processes) == 1 and view.ranges:
        parts.append(range_table(view, view.processes[0].pid, width)[0])
    for part in parts:
        lines += ["", *part]
    if len(rows) == 1 and view.header.events.columns:
        lines += ["", class_line(view, rows[0], width)]
    return lines


def _first(lines: list[str], most: int) -> list[str]:
    left = len(lines) - 1 - most
    return lines if left <= 0 else [*lines[: 1 + most], f"... and {left} more"]
