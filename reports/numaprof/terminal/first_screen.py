# SPDX-License-Identifier: Apache-2.0
"""The answer on one screen: is it NUMA, what does it cost, who, what data, why, where, what to do, how sure."""

from __future__ import annotations

import io
import re
import shlex
from typing import NamedTuple, TypeVar

from numaprof.model import report_model as model
from numaprof.terminal.layout import ALARM, BOLD, PROCESS_NAME, Layout, cells, fitted, rows, wrapped
from numaprof.terminal.subject import Row, subject
from numaprof.terminal.try_command import try_command
from numaprof.text.format import (
    clean,
    duration,
    nodes_in_text,
    number,
    number_list,
    percent,
    plural,
    remote_word,
    round_percent,
)

INDENT, GAP = 8, "  "
BAR = 16
ALL_THE_TIME = 0.99  # of the time an event could run: the rest is its start and end
ROWS, COLUMNS = 23, 80  # one more row is for the prompt
SHOWN_WIDTH = 0.1  # of an interval beside a node's share
SHOWN_PART = 0.01  # of all requests, of a node whose share is shown
WIDE = 0.4  # of the verdict's interval: that it is above the threshold is said
MOST_COMMAND = 2  # rows of a command to copy, which is never broken


class Room(NamedTuple):
    """How many lines each part may have; text that is cut, and rows that are left out, are in --full."""

    processes: int = 3
    evidence: int = 3
    expected: int = 3
    others: int = 1  # 0: other recommendations are named beside the evidence
    change: int = 4
    nodes: int = 4
    row: int = 3
    title: int = 3
    banner: int = 4
    details: int = 3
    code: int = 8
    remarks: int = 4
    headline: int = 4
    trial: int = 1
    sure: int = 1


# What else is given up, by what is missed least, until a screen holds the rest. The last step fits any recording.
_TIGHTER: tuple[dict[str, int], ...] = (
    {},
    {"sure": 0},
    {"processes": 1},
    {"evidence": 1},
    {"expected": 1},
    {"processes": 0, "others": 0},
    {"nodes": 2},
    {"trial": 0},
    {"change": 3},
    {"change": 2},
    {"row": 1},
    {"title": 2, "banner": 2, "details": 2},
    {"change": 3, "headline": 3, "code": 2, "remarks": 2},
    {"change": 2, "headline": 2, "title": 1, "banner": 1, "details": 1, "nodes": 1, "code": 1, "remarks": 0},
    {"change": 1, "headline": 1},
)

_EVIDENCE = "Evidence: "
_COMMENTS = ("// ", "! ", "# ")

# What the numbers say; any other verdict is a sentence.
_NO_FIX, _UNCERTAIN, _SPREAD, _LITTLE = "NO SIMPLE FIX", "NOT CERTAIN", "SPREADING MAY HELP", "LITTLE IS REMOTE"
_UNEXPLAINED = "CAUSE NOT KNOWN"
_CROSSES = (
    "The share may be above or below {}, the threshold for a fix: a longer run settles it, or several (numaprof -n 5 "
    "PROGRAM)."
)
_ABOVE = "All of this range is above {}, the threshold for a fix."
_NOT_MEASURED, _NOT_PROVEN = ("unknown", "refused"), "Not proven, as remote reads were not measured. "
_OPTIONAL, _IF_CONFIRMED = "Optional, as there is little to gain. ", "If more runs confirm it: "
_WORDS = {
    "heavy": "WORTH FIXING",
    "moderate": "LITTLE TO GAIN",
    "light_between_packages": _LITTLE,
    "light": "LEAVE IT ALONE",
}


def print_first_screen(report: model.Answer, layout: Layout, above: int = 0) -> None:
    """In 24 rows of 80 columns, of which `above` are taken; a narrower terminal takes more."""
    most = (ROWS - above) * COLUMNS // min(COLUMNS, layout.width)
    room = Room()
    for step in _TIGHTER:
        room = room._replace(**step)
        trial = io.StringIO()
        _print(report, room, Layout(trial, layout.width))
        if rows(trial.getvalue(), layout.width) <= most:
            break
    _print(report, room, layout)


def _print(report: model.Answer, room: Room, layout: Layout) -> None:
    _banner(report.overview.banner, room, layout)
    _title(report, room, layout)
    _remote(report, room, layout)
    _who(report, room, layout)
    advice = report.advice[0] if report.advice else None
    _table(layout, subject(report, advice), room.row)
    _do(report, advice, room, layout)
    _evidence(report, room, layout)


def _banner(texts: tuple[str, ...], room: Room, layout: Layout) -> None:
    for text in texts[: room.banner]:
        layout.paragraph(text, style=BOLD, most=room.banner)
    if texts[room.banner :]:
        layout.line(f"and {plural(len(texts) - room.banner, 'more remark')}: --full", BOLD)


def _title(report: model.Answer, room: Room, layout: Layout) -> None:
    run, machine = report.run, report.machine
    time = [duration(run.wall_ns)] if run.wall_ns is not None and run.emulated is None else []
    facts = [*time, plural(len(report.threads), "thread"), _nodes_and_cpus(machine)]
    text = ", ".join(facts) + (f" ({_short_cpu(run.cpu_name)})" if run.cpu_name else "")
    command = fitted(clean(run.command_line), layout.width)
    if cells(command) + 4 + cells(text) > layout.width:
        layout.line(command, BOLD)
        layout.paragraph(text, first=" " * INDENT, most=room.title)
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


def _word(report: model.Answer) -> str:
    if report.verdict.crosses is not None:
        return _UNCERTAIN
    if report.verdict.judgement == "heavy" and report.verdict.no_fix:
        return _NO_FIX
    first = report.advice[0] if report.advice else None
    if report.verdict.judgement == "heavy" and first is None:
        return _UNEXPLAINED
    change = first if first is not None and first.kind != "leave" else None
    if report.verdict.judgement == "heavy" and change is not None and change.shared:
        return _SPREAD  # as much stays remote
    if report.verdict.judgement == "light" and change is not None:
        return _LITTLE  # and something else is to be done
    return _WORDS.get(report.verdict.judgement, "")


def _remote(report: model.Answer, room: Room, layout: Layout) -> None:
    verdict, word = report.verdict, _word(report)
    alarm = ALARM if verdict.judgement == "heavy" and verdict.crosses is None else BOLD
    # A share of next to no requests is chance: the headline, that they are few, replaces it.
    shown = verdict.remote_share if verdict.judgement != "no_traffic" else None
    if shown is not None:
        filled = round(BAR * shown)
        bar = "#" * filled + "." * (BAR - filled)
        line = f"REMOTE  {bar}  {about(shown)} of {_population(verdict)}{_interval(verdict)}"
        fits = cells(line) + 2 + len(word) <= layout.width
        layout.line(f"{line}  {word}".rstrip() if fits else line, alarm)
        if not fits:
            layout.line(" " * INDENT + word, alarm)
        if verdict.crosses is not None:
            layout.paragraph(_CROSSES.format(round_percent(verdict.crosses)), first=" " * INDENT, most=room.details)
        elif room.sure and verdict.judgement == "heavy" and (verdict.highest or 0.0) - (verdict.lowest or 0.0) >= WIDE:
            layout.line(" " * INDENT + _ABOVE.format(round_percent(verdict.threshold)))
    else:
        layout.paragraph(verdict.headline, first="REMOTE  ", style=BOLD, most=room.headline)
    texts: tuple[str, ...] = ()
    if not word:
        texts = verdict.details if shown is None else (verdict.headline,)
        texts = texts[: 1 if verdict.judgement == "no_traffic" else room.details]
    for text in dict.fromkeys([*texts, *report.overview.decisive]):
        layout.paragraph(text, first=" " * INDENT, most=room.details)
    cost = _cost(report)
    if cost:
        layout.paragraph(cost, first=" " * INDENT, most=room.details)


def _population(verdict: model.Verdict) -> str:
    if verdict.samples is None:
        return f"DRAM requests, {remote_word(True)}" if verdict.between_packages else "DRAM requests"
    return f"{number(verdict.samples)} sampled accesses"


def _interval(found: model.Verdict | model.NodeThreads | model.ProcessThreads) -> str:
    """The 95 % interval; empty if both ends would be printed the same."""
    if found.lowest is None or found.highest is None:
        return " (error unknown)"
    low, high = about(found.lowest).removesuffix(" %"), about(found.highest).removesuffix(" %")
    low, high = "0" if low == "<1" else low, "100" if high == ">99" else high
    return f" ({low}-{high} %)" if high not in (low, "<1") else ""


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


def _who(report: model.Answer, room: Room, layout: Layout) -> None:
    bare = {node.id for node in report.machine.nodes if node.mem_bytes == 0}
    # On one node nothing of a process can be remote: their rows would say nothing.
    processes = report.summary.processes if report.verdict.judgement != "single_node" else ()
    nodes, rest = _first(report.summary.nodes, room.nodes)
    shown, other = _first(processes, room.processes) if room.processes else ((), processes)
    both: list[model.NodeThreads | model.ProcessThreads] = [*nodes, *shown]
    sums = [_sums(row, report.verdict) for row in both]
    widths = [max(map(cells, column)) for column in zip(*sums)]
    left = max(16, layout.width - INDENT - 2 * len(GAP) - sum(widths))
    names = [_node_name(row, bare, left) for row in nodes] + [fitted(_process_name(row), left) for row in shown]
    widest = max(map(cells, names), default=0)
    labels = {0: "WHO", len(nodes): "PROCESS"}  # each process again, by itself
    for number_, (name, (share, requests), row) in enumerate(zip(names, sums, both)):
        text = f"{name}{' ' * (widest - cells(name))}{GAP}{share:>{widths[0]}}{GAP}{requests:>{widths[1]}}"
        layout.line(f"{labels.get(number_, ''):<{INDENT}}{text}".rstrip(), ALARM if row.remote_heavy else "")
    if rest:
        by_cpu, threads = rest[0].by_cpu, sum(row.threads for row in rest)
        more = plural(len(rest), "more node") if by_cpu else plural(threads, "more thread")
        layout.line(" " * INDENT + f"and {more}: --full")
    if other:
        count = plural(len(other), "more process" if shown else "process", "es")
        layout.line(" " * INDENT + (f"and {count}: --full" if shown else f"by process ({count}): --full"))


Shown = TypeVar("Shown")


def _first(rows_: tuple[Shown, ...], most: int) -> tuple[tuple[Shown, ...], tuple[Shown, ...]]:
    """The rows to show, and the rest. A rest of one row is shown: counting it takes a line too."""
    most = len(rows_) if len(rows_) == most + 1 else most
    return rows_[:most], rows_[most:]


def _node_name(row: model.NodeThreads, bare: set[int], room: int) -> str:
    """With its CPUs where there is room: --full has them as well."""
    nodes = nodes_in_text(row.nodes) if row.nodes else "node not known"
    cpus = f"CPU{'s' * (len(row.cpus) > 1)} {number_list(list(row.cpus))}"
    if row.by_cpu:
        return fitted(f"{nodes}: {cpus}", room)
    nodes += " (no memory)" if row.nodes and bare.issuperset(row.nodes) else ""
    count = plural(row.threads, "thread")
    name = f"{nodes}: {count}"
    with_cpus = f"{name} on {cpus}" if row.cpus else name
    return with_cpus if cells(with_cpus) <= room else fitted(name, room)


def _process_name(row: model.ProcessThreads) -> str:
    return f"{row.pid} {clean(row.name, PROCESS_NAME)}: {plural(row.threads, 'thread')}"


def _sums(row: model.NodeThreads | model.ProcessThreads, verdict: model.Verdict) -> tuple[str, str]:
    """Share, with its interval where that is wide, and requests; few requests have no share worth a look."""
    counted = verdict.basis == "counters"
    if row.local is None or row.remote is None:
        return ("n/a", "") if counted else ("", "")
    total, width = row.local + row.remote, (row.highest or 0.0) - (row.lowest or 0.0)
    shown = _interval(row) if width >= SHOWN_WIDTH else ""
    share = f"{about(row.remote_share)}{shown} remote" if row.remote_share is not None else ""
    if 0 < total < SHOWN_PART * (verdict.requests or verdict.samples or 0):
        share = ""
    if not counted:
        return share, f"about {plural(total, 'access', 'es')}"
    scaled = total >= 1 and verdict.coverage is not None and verdict.coverage < ALL_THE_TIME
    return share, f"{'about ' if scaled else ''}{plural(total, 'request')}"


def _table(layout: Layout, found: list[Row], most: int) -> None:
    """What is known, and beside it the source line; below it where the terminal is too narrow."""
    room = layout.width - INDENT
    widest = room // 2 + 4
    texts = [_text(row, most, widest) for row in found]
    left = max((cells(text) for row, text in zip(found, texts) if row.source and cells(text) <= widest), default=0)
    for row, text in zip(found, texts):
        label = f"{row.label:<{INDENT}}"
        if row.source and cells(text) <= left:
            source = _source(row.source, max(16, room - left - 2))
            layout.line(f"{label}{text}{' ' * (left - cells(text))}  {source}")
            continue
        layout.paragraph(text, first=label, most=most)
        if row.source:
            layout.line(" " * (INDENT + 4) + _source(row.source, max(16, room - 4)))


def _text(row: Row, most: int, widest: int) -> str:
    """Whole, or what fits beside its source line."""
    return fitted(row.brief or row.text, widest) if most == 1 and row.source else row.text + row.more


def _source(text: str, room: int) -> str:
    """The place and the beginning of its code: a statement's beginning says most."""
    text = clean(text)
    if cells(text) <= room:
        return text
    while cells(text) >= room:
        text = text[:-1]
    return text.rstrip() + "…"


def _do(report: model.Answer, advice: model.Advice | None, room: Room, layout: Layout) -> None:
    if advice is None:
        if report.overview.unexplained:
            layout.paragraph(report.overview.unexplained, first="DO      ", most=room.change)
        return
    layout.paragraph(_limits(report.verdict, advice) + advice.change, first="DO      ", most=room.change)
    _code(advice.code, room, layout)
    for each in advice.remarked[: room.remarks]:
        layout.paragraph(f"{each.remark}:", first=" " * INDENT, most=1)
        layout.line(" " * (INDENT + 4) + each.code)
    expected = _expected(report.verdict.remote_share, advice)
    if expected:
        # On one line, its first clause.
        expected = expected if room.expected > 1 else re.split("[;:] ", expected)[0]
        layout.paragraph(f"expected: {expected}", first=" " * INDENT, most=room.expected)
    if report.advice[1:] and room.others:
        layout.line(" " * INDENT + f"{_others(report)}: --full")


def _others(report: model.Answer) -> str:
    return plural(len(report.advice) - 1, "more recommendation")


def _expected(share: float | None, advice: model.Advice) -> str:
    if advice.removes is not None and share is not None:
        left = share * (1 - advice.removes)
        return f"remote {about(share)} -> {'under 1 %' if left < 0.01 else about(left)} at best"
    return f"{advice.expects[0].lower()}{advice.expects[1:]}" if advice.expects else ""


def _limits(verdict: model.Verdict, advice: model.Advice) -> str:
    if verdict.judgement in _NOT_MEASURED:
        return _NOT_PROVEN
    if verdict.crosses is not None:
        return _IF_CONFIRMED if advice.kind == "fix" else ""
    return _OPTIONAL if verdict.judgement == "moderate" and advice.kind != "leave" else ""


def _code(code: tuple[str, ...], room: Room, layout: Layout) -> None:
    """Prints all code if it fits, else where it goes and how long it is."""
    width = layout.width - INDENT - 4
    lines = [line for each in code for line in _code_lines(each, width)]
    if len(code) > room.code or sum(-(-cells(line) // width) for line in lines) > 2 * room.code:
        lines = wrapped(f"({_where_to(code) if room.code > 1 else 'the code'}: see --full)", width)
    for line in lines:
        layout.line(" " * (INDENT + 4) + line)


_PLACE = re.compile(r"(?://|!) ((?:after|before) .*?|\S+: (?:after|instead of) lines? [\d-]+)(?:, add.*|;.*)?$")


def _where_to(code: tuple[str, ...]) -> str:
    """How much code there is, and its first place, by the comment before it."""
    places = [found[1] for found in map(_PLACE.match, code) if found]
    count = plural(len(code) - len(places), "line")
    if not places:
        return f"{count} of code"
    more = f" and {plural(len(places) - 1, 'more place')}" if places[1:] else ""
    return f"{count} {'to add ' if places[0].startswith(('after', 'before')) else 'of code, '}{places[0]}{more}"


def _code_lines(code: str, width: int) -> list[str]:
    """A long comment stays a comment on each line; code is never broken."""
    mark = next((mark for mark in _COMMENTS if code.startswith(mark)), None)
    return [mark + text for text in wrapped(code[len(mark) :], width - len(mark))] if mark else [code]


def _evidence(report: model.Answer, room: Room, layout: Layout) -> None:
    verdict = report.verdict
    parts = _counted(verdict)
    if verdict.uncounted:
        parts.append(f"{round_percent(verdict.uncounted)} of the CPU time not counted")
    samples = sum(row.samples for row in report.taken if row.kind in ("overflow", "load", "store", "hint"))
    touches = sum(row.samples for row in report.taken if row.kind == "first_touch")
    faults = 0 if samples or touches else sum(row.samples for row in report.taken)
    left = [_others(report)] if report.advice[1:] and not room.others else []
    others = len(report.overview.qualifying) - len(report.overview.decisive)  # those are above
    more = "more note" if report.overview.decisive else "note"
    left += [f"{plural(others, more)} on the numbers"] if others > 0 else []
    notes = [f"{', '.join(left)}: --full"] if left else []
    parts += [plural(samples, "sample")] if samples else []
    parts += [plural(touches, "first touch", "es")] if touches else []
    parts += [plural(faults, "other page fault")] if faults else []
    width = layout.width - len(_EVIDENCE)
    while parts[1:] and len(wrapped(", ".join([*parts, *notes, ""]), width)) > room.evidence:
        parts.pop()
    layout.line()
    layout.paragraph(f"{', '.join([*parts, *notes]) or 'none'}.", first=_EVIDENCE, most=room.evidence)
    _try(report, room, layout)
    _more(report.recording, layout)


def _try(report: model.Answer, room: Room, layout: Layout) -> None:
    """What a trial of the first advice found, or the command that makes one."""
    advice = report.advice[0] if report.advice else None
    if advice is None or not room.trial:
        return
    if advice.trial is not None:
        layout.paragraph(f"{advice.trial.verdict}: {advice.trial.why}.", first="Tried:    ", most=1)
    elif advice.can_be_tried:
        _command("Try:", try_command(report.run.emulated), report.recording, "    (the gain, before any edit)", layout)


def _counted(verdict: model.Verdict) -> list[str]:
    """How long the verdict's events ran while threads had counters."""
    if verdict.coverage is None:
        return []
    if verdict.judgement == "refused":
        return [f"counted {percent(verdict.coverage)} of the time"]
    without = verdict.uncounted or 0.0
    seen = verdict.coverage / (1 - without) if without < 1 else 0.0
    if seen >= ALL_THE_TIME:
        return [] if without else ["counted all the time"]
    return [f"counts scaled from {round_percent(seen)} of the time"]


def _more(recording: str, layout: Layout) -> None:
    _command("More:", "numaprof report --full", recording, "    (or --html OUT)", layout)


def _command(label: str, command: str, recording: str, also: str, layout: Layout) -> None:
    """To be copied: whole, or with a word in place of the name."""
    line = f"{label:<10}{command} {shlex.quote(recording)}"
    if not recording.isprintable() or rows(line, layout.width) > MOST_COMMAND:
        line = f"{label:<10}{command} FILE"
    layout.line(line + also if cells(line + also) <= layout.width else line)
