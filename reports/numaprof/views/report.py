# SPDX-License-Identifier: Apache-2.0
"""The terminal report, from top to bottom: evidence, pinning, verdict, who suffers, who touched first, what to do."""

from __future__ import annotations

from numaprof.evidence import Evidence
from numaprof.judgement import Judgement
from numaprof.naming import command_line, shell_path
from numaprof.rules import advise
from numaprof.rules.advice import Advice, Kind
from numaprof.text import clean, percent
from numaprof.thresholds import MOST_ADVICES
from numaprof.verdict import verdict
from numaprof.views import header, tables
from numaprof.views.paper import BOLD, Paper


def print_report(evidence: Evidence, paper: Paper) -> None:
    for text in header.banner(evidence):
        paper.paragraph(text, style=BOLD)
    for text in (*header.evidence_line(evidence), *header.pin_line(evidence)):
        paper.paragraph(text, indent="  ")
    for text in header.notes(evidence):
        paper.paragraph(text, first="  note: ")
    _verdict(evidence, paper)
    tables.threads(evidence, paper)
    tables.cpus(evidence, paper)
    tables.nodes(evidence, paper)
    tables.first_touches(evidence, paper)
    _what_to_do(advise(evidence), paper)
    _footer(evidence, paper)


def _verdict(evidence: Evidence, paper: Paper) -> None:
    found = verdict(evidence)
    paper.line()
    paper.paragraph(found.headline, first="VERDICT   ", style=BOLD)
    for detail in found.details:
        paper.paragraph(detail, first=" " * 10)


def _what_to_do(advices: list[Advice], paper: Paper) -> None:
    if not advices:
        return
    paper.line()
    paper.line("WHAT TO DO" if advices[0].kind is not Kind.LEAVE else "WHAT TO DO: NOTHING", BOLD)
    for number, advice in enumerate(advices[:MOST_ADVICES], 1):
        paper.paragraph(advice.finding, first=f" {number}  ")
        paper.paragraph(advice.change, first="    ")
        for code in advice.code:
            paper.line("        " + code)
        if advice.removes is not None:
            paper.paragraph(f"Up to {percent(advice.removes)} of all remote accesses would be gone.", first="    ")
        paper.paragraph(f"Rests on: {advice.evidence}", first="    ")


def _footer(evidence: Evidence, paper: Paper) -> None:
    path = shell_path(evidence.path)
    paper.line()
    paper.line(f"recorded to {clean(evidence.path)}")
    if verdict(evidence).judgement not in (Judgement.LIGHT, Judgement.NO_TRAFFIC):
        paper.line("after a change:")
        paper.line(f"  numaprof -o after.numaprof {command_line(evidence)} && numaprof diff {path} after.numaprof")
