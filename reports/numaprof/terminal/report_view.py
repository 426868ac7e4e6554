# SPDX-License-Identifier: Apache-2.0
"""The terminal report, from top to bottom: evidence, pinning, verdict, who suffers, who touched first, what to do."""

from __future__ import annotations

from collections.abc import Sequence

from numaprof.model import report_model as model
from numaprof.terminal import objects_table, tables
from numaprof.terminal.layout import BOLD, Layout
from numaprof.terminal.try_command import try_command
from numaprof.terminal.wanted import EVERYTHING, Wanted
from numaprof.text.format import Spreads, clean, duration, in_words, percent, round_percent, shell_path


def print_report(report: model.Answer, layout: Layout, wanted: Wanted = EVERYTHING) -> None:
    for text in report.overview.banner:
        layout.paragraph(text, style=BOLD)
    for text in (*report.overview.measured, *report.overview.pinning):
        layout.paragraph(text, indent="  ")
    for text in report.overview.qualifying:
        layout.paragraph(text, first="  note: ")
    layout.line()
    layout.paragraph(report.verdict.headline, first="VERDICT   ", style=BOLD)
    for detail in report.verdict.details:
        layout.paragraph(detail, first=" " * 10)
    tables.threads(report, layout, wanted)
    tables.cpus(report, layout, wanted)
    tables.nodes(report, layout)
    objects_table.table(report, layout, wanted)
    if not any(found.matters for found in report.objects.rows):
        tables.first_touches(report.first_touches, layout, wanted)
    objects_table.modules(report, layout)
    _what_to_do(report, layout)
    _footer(report, layout)


def _what_to_do(report: model.Answer, layout: Layout) -> None:
    unclear = report.overview.unexplained
    if report.advice or unclear:
        layout.line()
        nothing = bool(report.advice) and report.advice[0].kind == "leave"
        layout.line("WHAT TO DO: NOTHING" if nothing else "WHAT TO DO", BOLD)
    if unclear:
        layout.paragraph(unclear, first="    ")
    for number, advice in enumerate(report.advice, 1):
        _advice(number, advice, layout)
        if advice.trial is not None:
            layout.paragraph(f"Tried: {advice.trial.verdict}: {advice.trial.why}.", first="    ")
        if advice.can_be_tried:
            command = f"{try_command(report.run.emulated)} {shell_path(report.recording)} --advice {number}"
            layout.line(f"    Try it without an edit: {command}")


def _advice(number: int, advice: model.Advice, layout: Layout) -> None:
    layout.paragraph(advice.finding, first=f" {number}  ")
    layout.paragraph(advice.change, first="    ")
    for code in advice.code:
        layout.line("        " + code)
    for each in advice.remarked:
        layout.line(f"        {each.code}      {each.remark}")
    if advice.removes is not None:
        layout.paragraph(f"Up to {round_percent(advice.removes)} of all remote accesses would be gone.", first="    ")
    elif advice.expects:
        layout.paragraph(advice.expects, first="    ")
    if advice.saves is not None:
        layout.paragraph(advice.saves, first="    ")
    layout.paragraph(f"Rests on: {advice.evidence}", first="    ")


def _footer(report: model.Answer, layout: Layout) -> None:
    layout.line()
    layout.line(f"recorded to {report.recording}")
    if report.verdict.judgement not in ("light", "no_traffic"):
        if report.run.launcher is not None:
            layout.line(f"after a change, started by {report.run.launcher} as before (NEW: this rank's recording):")
        else:
            layout.line("after a change (NEW: the recording that the first command names):")
        layout.line(f"  numaprof {'attach -p PID' if report.run.attached else report.run.command_to_copy}")
        layout.line(f"  numaprof diff {shell_path(report.recording)} NEW")


def print_repeats_head(count: int, time: Spreads | None, share: Spreads | None, chosen: str, layout: Layout) -> None:
    """Several runs of one command: how they spread. chosen: the one of median time."""
    times, shares = in_words(time, duration), in_words(share, percent)
    layout.paragraph(f"{count} runs: run time {times} · remote share {shares}", indent="  ", style=BOLD)
    layout.paragraph(f"Below: the run of median time, {clean(chosen)}.", indent="  ")


def print_repeats_end(recordings: Sequence[str], layout: Layout) -> None:
    files = " ".join(map(shell_path, recordings))
    layout.line(f"  all {len(recordings)} runs beside later ones: numaprof diff {files} -- AFTER...")
