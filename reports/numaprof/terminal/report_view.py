# SPDX-License-Identifier: Apache-2.0
"""The terminal report, from top to bottom: evidence, pinning, verdict, who suffers, who touched first, what to do."""

from __future__ import annotations

from numaprof.analysis.naming import command_line, shell_path
from numaprof.analysis.verdict import Judgement
from numaprof.compare.sides import Side
from numaprof.document import overview_text
from numaprof.document.headline import verdict
from numaprof.document.unexplained import unexplained
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.spread import in_words
from numaprof.evidence.thresholds import MOST_ADVICES
from numaprof.rules import advise
from numaprof.rules.advice import Advice, Kind
from numaprof.terminal import objects_table, tables
from numaprof.terminal.layout import BOLD, Paper
from numaprof.terminal.wanted import EVERYTHING, Wanted
from numaprof.text.format import clean, duration, percent, round_percent


def print_report(evidence: Evidence, paper: Paper, wanted: Wanted = EVERYTHING) -> None:
    for text in overview_text.banner(evidence):
        paper.paragraph(text, style=BOLD)
    for text in (*overview_text.evidence_line(evidence), *overview_text.pin_line(evidence)):
        paper.paragraph(text, indent="  ")
    for text in overview_text.notes(evidence):
        paper.paragraph(text, first="  note: ")
    _verdict(evidence, paper)
    tables.threads(evidence, paper, wanted)
    tables.cpus(evidence, paper, wanted)
    tables.nodes(evidence, paper)
    objects_table.table(evidence, paper, wanted)
    if not objects_table.shown(evidence, EVERYTHING):
        tables.first_touches(evidence, paper)
    objects_table.modules(evidence, paper)
    _what_to_do(evidence, advise(evidence), paper)
    _footer(evidence, paper)


def _verdict(evidence: Evidence, paper: Paper) -> None:
    found = verdict(evidence)
    paper.line()
    paper.paragraph(found.headline, first="VERDICT   ", style=BOLD)
    for detail in found.details:
        paper.paragraph(detail, first=" " * 10)


def _what_to_do(evidence: Evidence, advices: list[Advice], paper: Paper) -> None:
    unclear = unexplained(evidence, advices)
    if advices or unclear:
        paper.line()
        nothing = bool(advices) and advices[0].kind is Kind.LEAVE
        paper.line("WHAT TO DO: NOTHING" if nothing else "WHAT TO DO", BOLD)
    if unclear:
        paper.paragraph(unclear, first="    ")
    for number, advice in enumerate(advices[:MOST_ADVICES], 1):
        _advice(number, advice, paper)
        if advice.can_be_tried:
            paper.line(f"    Try it without an edit: numaprof try {shell_path(evidence.path)} --advice {number}")


def _advice(number: int, advice: Advice, paper: Paper) -> None:
    paper.paragraph(advice.finding, first=f" {number}  ")
    paper.paragraph(advice.change, first="    ")
    for code in advice.code:
        paper.line("        " + code)
    if advice.removes is not None:
        paper.paragraph(f"Up to {round_percent(advice.removes)} of all remote accesses would be gone.", first="    ")
    if advice.saves is not None:
        paper.paragraph(advice.saves, first="    ")
    paper.paragraph(f"Rests on: {advice.evidence}", first="    ")


def _footer(evidence: Evidence, paper: Paper) -> None:
    path = shell_path(evidence.path)
    paper.line()
    paper.line(f"recorded to {clean(evidence.path)}")
    if verdict(evidence).judgement not in (Judgement.LIGHT, Judgement.NO_TRAFFIC):
        paper.line("after a change:")
        paper.line(f"  numaprof -o after.numaprof {command_line(evidence)} && numaprof diff {path} after.numaprof")


def print_repeats_head(runs: Side, paper: Paper) -> Evidence:
    """Several runs of one command: how they spread. Returns the one of median time."""
    chosen = runs.median_run
    times, shares = in_words(runs.time, duration), in_words(runs.share, percent)
    count = len(runs.runs)
    paper.paragraph(f"{count} runs: run time {times} · remote share {shares}", indent="  ", style=BOLD)
    paper.paragraph(f"Below: the run of median time, {clean(chosen.path)}.", indent="  ")
    return chosen


def print_repeats(runs: Side, paper: Paper) -> None:
    """Their spread, and the report of the one of median time."""
    print_report(print_repeats_head(runs, paper), paper)
    count = len(runs.runs)
    files = " ".join(shell_path(run.path) for run in runs.runs)
    paper.line(f"  all {count} runs beside later ones: numaprof diff {files} -- AFTER...")
