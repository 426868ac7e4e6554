# SPDX-License-Identifier: Apache-2.0
"""The terminal report, from top to bottom: evidence, pinning, verdict, who suffers, who touched first, what to do."""

from __future__ import annotations

from numaprof.analysis.naming import command_to_copy, shell_path
from numaprof.analysis.verdict import Judgement
from numaprof.compare.sides import Side
from numaprof.document import overview_text
from numaprof.document.headline import verdict
from numaprof.document.unexplained import unexplained
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.spread import in_words
from numaprof.evidence.thresholds import MOST_ADVICES
from numaprof.experiments.trials.stored_trial import stored
from numaprof.rules import advise
from numaprof.rules.advice import Advice, Kind
from numaprof.terminal import objects_table, tables
from numaprof.terminal.layout import BOLD, Layout
from numaprof.terminal.wanted import EVERYTHING, Wanted
from numaprof.text.format import clean, duration, percent, round_percent


def print_report(evidence: Evidence, layout: Layout, wanted: Wanted = EVERYTHING) -> None:
    for text in overview_text.banner(evidence):
        layout.paragraph(text, style=BOLD)
    for text in (*overview_text.evidence_line(evidence), *overview_text.pin_line(evidence)):
        layout.paragraph(text, indent="  ")
    for text in overview_text.notes(evidence):
        layout.paragraph(text, first="  note: ")
    advices = advise(evidence)
    _verdict(evidence, advices, layout)
    tables.threads(evidence, layout, wanted)
    tables.cpus(evidence, layout, wanted)
    tables.nodes(evidence, layout)
    objects_table.table(evidence, layout, wanted)
    if not objects_table.shown(evidence, EVERYTHING):
        tables.first_touches(evidence, layout)
    objects_table.modules(evidence, layout)
    _what_to_do(evidence, advices, layout)
    _footer(evidence, layout)


def _verdict(evidence: Evidence, advices: list[Advice], layout: Layout) -> None:
    found = verdict(evidence, advices)
    layout.line()
    layout.paragraph(found.headline, first="VERDICT   ", style=BOLD)
    for detail in found.details:
        layout.paragraph(detail, first=" " * 10)


def _what_to_do(evidence: Evidence, advices: list[Advice], layout: Layout) -> None:
    unclear, trials = unexplained(evidence, advices), stored(evidence, advices)
    if advices or unclear:
        layout.line()
        nothing = bool(advices) and advices[0].kind is Kind.LEAVE
        layout.line("WHAT TO DO: NOTHING" if nothing else "WHAT TO DO", BOLD)
    if unclear:
        layout.paragraph(unclear, first="    ")
    for number, advice in enumerate(advices[:MOST_ADVICES], 1):
        _advice(number, advice, layout)
        trial = trials[number - 1]
        if trial is not None:
            layout.paragraph(f"Tried: {trial.verdict}: {trial.why}.", first="    ")
        if advice.can_be_tried:
            layout.line(f"    Try it without an edit: numaprof try {shell_path(evidence.path)} --advice {number}")


def _advice(number: int, advice: Advice, layout: Layout) -> None:
    layout.paragraph(advice.finding, first=f" {number}  ")
    layout.paragraph(advice.change, first="    ")
    for code in advice.code:
        layout.line("        " + code)
    for each in advice.remarked:
        layout.line(f"        {each.code}      {each.remark}")
    if advice.removes is not None:
        layout.paragraph(f"Up to {round_percent(advice.removes)} of all remote accesses would be gone.", first="    ")
    if advice.saves is not None:
        layout.paragraph(advice.saves, first="    ")
    layout.paragraph(f"Rests on: {advice.evidence}", first="    ")


def _footer(evidence: Evidence, layout: Layout) -> None:
    path = shell_path(evidence.path)
    layout.line()
    layout.line(f"recorded to {clean(evidence.path)}")
    if verdict(evidence).judgement not in (Judgement.LIGHT, Judgement.NO_TRAFFIC):
        layout.line("after a change:")
        before, behind = ("attach -p PID ", "") if evidence.attached else ("", f" {command_to_copy(evidence)}")
        layout.line(f"  numaprof {before}-o after.numaprof{behind} && numaprof diff {path} after.numaprof")


def print_repeats_head(runs: Side, layout: Layout) -> Evidence:
    """Several runs of one command: how they spread. Returns the one of median time."""
    chosen = runs.median_run
    times, shares = in_words(runs.time, duration), in_words(runs.share, percent)
    count = len(runs.runs)
    layout.paragraph(f"{count} runs: run time {times} · remote share {shares}", indent="  ", style=BOLD)
    layout.paragraph(f"Below: the run of median time, {clean(chosen.path)}.", indent="  ")
    return chosen


def print_repeats(runs: Side, layout: Layout) -> None:
    """Their spread, and the report of the one of median time."""
    print_report(print_repeats_head(runs, layout), layout)
    count = len(runs.runs)
    files = " ".join(shell_path(run.path) for run in runs.runs)
    layout.line(f"  all {count} runs beside later ones: numaprof diff {files} -- AFTER...")
