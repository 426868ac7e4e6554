# SPDX-License-Identifier: Apache-2.0
"""The answer on one screen: is it NUMA, what does it cost, who, what data, why, where, what to do, how sure."""

from __future__ import annotations

import re

from numaprof.model import report_model as model
from numaprof.terminal.layout import ALARM, BOLD, Layout, cells, wrapped
from numaprof.terminal.subject import Row, subject
from numaprof.text.format import clean, duration, number, number_list, percent, plural, round_percent

INDENT = 8
BAR = 16
MOST_NODES, MOST_PROCESSES, MOST_TEXT, MOST_CODE = 4, 3, 4, 8  # lines
_COMMENTS = ("// ", "! ", "# ")

# What the numbers say; any other verdict is a sentence.
_NO_FIX, _UNCERTAIN = "NO SIMPLE FIX", "NOT CERTAIN"
_CROSSES = "The interval includes {}: a longer run, fewer classes (--events) or repeats (-n 5) would settle it."
_NOT_MEASURED, _NOT_PROVEN = ("unknown", "refused"), "Not proven, as remote reads were not measured. "
_OPTIONAL = "Optional, as there is little to gain. "
_WORDS = {"heavy": "WORTH FIXING", "moderate": "LITTLE TO GAIN", "light": "LEAVE IT ALONE"}


def print_first_screen(report: model.Answer, layout: Layout) -> None:
    for text in report.overview.banner:
        layout.paragraph(text, style=BOLD)
    _title(report, layout)
    _remote(report, layout)
    _who(report, layout)
    advice = report.advice[0] if report.advice else None
    _table(layout, subject(report, advice))
    _do(report, advice, layout)
    _evidence(report, layout)


def _title(report: model.Answer, layout: Layout) -> None:
    run, machine = report.run, report.machine
    time = [duration(run.wall_ns)] if run.wall_ns is not None and run.emulated is None else []
    facts = [*time, plural(len(report.threads), "thread"), _nodes_and_cpus(machine)]
    text = ", ".join(facts) + (f" ({_short_cpu(run.cpu_name)})" if run.cpu_name else "")
    command = clean(run.command_line, layout.width)
    if cells(command) + 4 + cells(text) > layout.width:
        layout.line(command, BOLD)
        layout.paragraph(text, first=" " * INDENT)
    else:
        layout.line(f"{command}    {text}", BOLD)


def _nodes_and_cpus(machine: model.Machine) -> str:
    if not machine.nodes:
        return "nodes: unknown"
    counts = {sum(1 for cpu in machine.cpus if cpu.node == node.id and cpu.online) for node in machine.nodes}
    nodes = plural(len(machine.nodes), "node")
    if len(counts) == 1:
        return f"{nodes} x {plural(counts.pop(), 'CPU')}"
    return f"{nodes}, {plural(sum(1 for cpu in machine.cpus if cpu.online), 'CPU')}"


def _short_cpu(name: str) -> str:
    """Xeon X5570, of Intel(R) Xeon(R) CPU X5570 @ 2.93GHz."""
    short = re.sub(r"\((R|TM|r|tm)\)|\bIntel\b|\b\d+-Core\b|\bCPU\b|\bProcessor\b|@.*", " ", name)
    return clean(" ".join(short.split()) or name, 32)


def about(share: float) -> str:
    """50 %, <1 %, >99 %: whole per cent are what a share can promise."""
    if 0 < share <= 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1 else round_percent(share)


def _remote(report: model.Answer, layout: Layout) -> None:
    verdict = report.verdict
    word = _WORDS.get(verdict.judgement, "")
    if verdict.judgement == "heavy" and report.advice and report.advice[0].kind == "leave":
        word = _NO_FIX
    if verdict.crosses is not None:
        word = _UNCERTAIN
    alarm = ALARM if verdict.judgement == "heavy" and verdict.crosses is None else BOLD
    if verdict.remote_share is not None:
        filled = round(BAR * verdict.remote_share)
        bar = "#" * filled + "." * (BAR - filled)
        line = f"REMOTE  {bar}  {about(verdict.remote_share)} of {_population(verdict)}{_interval(verdict)}"
        fits = cells(line) + 2 + len(word) <= layout.width
        layout.line(f"{line}  {word}".rstrip() if fits else line, alarm)
        if not fits:
            layout.line(" " * INDENT + word, alarm)
        if verdict.crosses is not None:
            layout.paragraph(_CROSSES.format(round_percent(verdict.crosses)), first=" " * INDENT)
    else:
        layout.paragraph(verdict.headline, first="REMOTE  ", style=BOLD)
    if not word:
        texts = verdict.details if verdict.remote_share is None else (verdict.headline,)
        for text in texts[:2]:
            layout.paragraph(text, first=" " * INDENT)
    cost = _cost(report)
    if cost:
        layout.paragraph(cost, first=" " * INDENT)


def _population(verdict: model.Verdict) -> str:
    if verdict.samples is None:
        return "DRAM requests"
    return f"{number(verdict.samples)} sampled accesses"


def _interval(verdict: model.Verdict) -> str:
    """95 %. Nothing where both ends are printed alike."""
    if verdict.lowest is None or verdict.highest is None:
        return " (error unknown)"
    low, high = about(verdict.lowest), about(verdict.highest)
    return f" ({low.removesuffix(' %') if low.endswith(' %') else low}-{high})" if low != high else ""


def _cost(report: model.Answer) -> str:
    found, parts = report.summary, []
    if found.cost_most is not None and report.verdict.judgement in _WORDS:
        each = f"({duration(found.extra_ns)} each, {'measured' if found.extra_measured else 'assumed'})"
        parts.append(f"costs {_range(found.cost_least or 0.0, found.cost_most)} of CPU time {each}")
    if found.bytes_per_s is not None:
        parts.append(f"DRAM {number(found.bytes_per_s)}B/s")
    return "; ".join(parts)


def _range(least: float, most: float) -> str:
    if most < 0.01:
        return "under 1 %"
    return f"{about(least)} to {about(most)}" if least >= 0.01 else f"at most {about(most)}"


def _who(report: model.Answer, layout: Layout) -> None:
    counted = report.verdict.basis == "counters"
    bare = {node.id for node in report.machine.nodes if node.mem_bytes == 0}
    nodes, processes = report.summary.nodes[:MOST_NODES], report.summary.processes[:MOST_PROCESSES]
    rows = [_node_row(row, counted, bare) for row in nodes] + [_process_row(row, counted) for row in processes]
    widths = [max(map(cells, column)) for column in zip(*rows)]
    heavy = [each.remote_heavy for each in nodes] + [each.remote_heavy for each in processes]
    for number_, (row, is_heavy) in enumerate(zip(rows, heavy)):
        name, share, requests = row
        text = f"{name}{' ' * (widths[0] - cells(name))}  {share:>{widths[1]}}  {requests:>{widths[2]}}"
        layout.line(("WHO     " if number_ == 0 else " " * INDENT) + text.rstrip(), ALARM if is_heavy else "")
    rest = report.summary.nodes[MOST_NODES:]
    if rest:
        threads = sum(row.threads for row in rest)
        layout.line(" " * INDENT + f"and {plural(threads, 'more thread')}: --full")
    if report.summary.processes[MOST_PROCESSES:]:
        count = len(report.summary.processes) - MOST_PROCESSES
        layout.line(" " * INDENT + f"and {plural(count, 'more process', 'es')}: --full")


def _node_row(row: model.NodeThreads, counted: bool, bare: set[int]) -> tuple[str, str, str]:
    nodes = f"node{'s' * (len(row.nodes) > 1)} {number_list(list(row.nodes))}" if row.nodes else "node not known"
    cpus = number_list(list(row.cpus))
    where = f" on CPU{'s' * (len(row.cpus) > 1)} {cpus}" if row.cpus and len(cpus) <= 16 else ""
    nodes += " (no memory)" if row.nodes and bare.issuperset(row.nodes) else ""
    name = f"{nodes}: {plural(row.threads, 'thread')}{where}"
    return name, *_sums(row, counted)


def _process_row(row: model.ProcessThreads, counted: bool) -> tuple[str, str, str]:
    return f"process {row.pid} {clean(row.name, 16)}: {plural(row.threads, 'thread')}", *_sums(row, counted)


def _sums(row: model.NodeThreads | model.ProcessThreads, counted: bool) -> tuple[str, str]:
    if row.local is None or row.remote is None:
        return ("n/a", "") if counted else ("", "")
    share = f"{about(row.remote_share)} remote" if row.remote_share is not None else ""
    total = row.local + row.remote
    return share, plural(total, "request") if counted else plural(total, "access", "es")


def _table(layout: Layout, rows: list[Row]) -> None:
    """What is known, and beside it the source line; below it where the terminal is too narrow."""
    room = layout.width - INDENT
    left = max((cells(row.text) for row in rows if row.source and cells(row.text) <= room // 2 + 4), default=0)
    for row in rows:
        if not row.source:
            layout.paragraph(row.text, first=f"{row.label:<{INDENT}}")
        elif cells(row.text) <= left:
            beside = _source(row.source, max(16, room - left - 2))
            layout.line(f"{row.label:<{INDENT}}{row.text}{' ' * (left - cells(row.text))}  {beside}")
        else:
            layout.paragraph(row.text, first=f"{row.label:<{INDENT}}")
            layout.line(" " * (INDENT + 4) + _source(row.source, max(16, room - 4)))


def _source(text: str, room: int) -> str:
    """The place and the beginning of its code: a statement's beginning says most."""
    text = clean(text)
    return text if len(text) <= room else text[: room - 1].rstrip() + "…"


def _do(report: model.Answer, advice: model.Advice | None, layout: Layout) -> None:
    if advice is None:
        if report.overview.unexplained:
            layout.paragraph(report.overview.unexplained, first="DO      ")
        return
    _shortened(_limits(report.verdict, advice) + advice.change, layout)
    _code(advice.code, layout)
    for each in advice.remarked:
        layout.paragraph(f"{each.remark}:", first=" " * INDENT)
        layout.line(" " * (INDENT + 4) + each.code)
    share = report.verdict.remote_share
    if advice.removes is not None and share is not None:
        left = share * (1 - advice.removes)
        after = "under 1 %" if left < 0.01 else about(left)
        layout.line(" " * INDENT + f"expected: remote {about(share)} -> {after} at best")
    if report.advice[1:]:
        layout.line(" " * INDENT + f"{plural(len(report.advice) - 1, 'more recommendation')}: --full")


def _limits(verdict: model.Verdict, advice: model.Advice) -> str:
    if verdict.judgement in _NOT_MEASURED:
        return _NOT_PROVEN
    little = verdict.judgement == "moderate" and verdict.crosses is None and advice.kind != "leave"
    return _OPTIONAL if little else ""


def _code(code: tuple[str, ...], layout: Layout) -> None:
    """All of it, or what it says of its place: half a loop helps nobody."""
    comments = tuple(line for line in code if line.startswith(_COMMENTS))
    shown = code if len(code) <= MOST_CODE else comments[:1]
    for each in shown:
        for line in _code_lines(each, layout.width - INDENT - 4):
            layout.line(" " * (INDENT + 4) + line)
    if len(code) > MOST_CODE:
        layout.line(" " * (INDENT + 4) + f"... {plural(len(code) - len(shown), 'line')} of code: --full")


def _code_lines(code: str, width: int) -> list[str]:
    """A long comment stays a comment on each line; code is never broken."""
    mark = next((mark for mark in _COMMENTS if code.startswith(mark)), None)
    return [mark + text for text in wrapped(code[len(mark) :], width - len(mark))] if mark else [code]


def _shortened(text: str, layout: Layout) -> None:
    """Whole sentences: half of one misleads. A first sentence that is too long is cut all the same."""
    width = layout.width - INDENT
    lines, sentences = wrapped(text, width), re.split(r"(?<=[.:;]) (?=[A-Z])", text)
    while len(lines) > MOST_TEXT and len(sentences) > 1:
        sentences.pop()
        lines = wrapped(" ".join([*sentences, "(More: --full.)"]), width)
    if len(lines) > MOST_TEXT:
        lines = [*lines[: MOST_TEXT - 1], lines[MOST_TEXT - 1][: width - 4].rstrip() + " ..."]
    for at, line in enumerate(lines):
        layout.line(("DO      " if at == 0 else " " * INDENT) + line)


def _evidence(report: model.Answer, layout: Layout) -> None:
    verdict = report.verdict
    parts = []
    if verdict.coverage is not None:
        coverage = percent(verdict.coverage) if verdict.judgement == "refused" else round_percent(verdict.coverage)
        parts.append(f"counters {coverage} of the time")
    samples = sum(row.samples for row in report.taken if row.kind in ("overflow", "load", "store", "hint"))
    touches = sum(row.samples for row in report.taken if row.kind == "first_touch")
    parts += [plural(samples, "sample")] if samples else []
    parts += [plural(touches, "first touch", "es")] if touches else []
    notes = len(report.overview.qualifying)
    parts += [f"{plural(notes, 'note')} in --full"] if notes else []
    layout.line()
    layout.paragraph(f"{', '.join(parts) or 'none'}.", first="Evidence: ")
    layout.line(f"More:     numaprof report --full {clean(report.recording)}    (or --html OUT)")
