# SPDX-License-Identifier: Apache-2.0
"""What `numaprof try` prints."""

from __future__ import annotations

from numaprof.model.trial_model import HEAD, NOT_IMITATED, TrialText
from numaprof.terminal.layout import BOLD, Layout


def print_trial(trial: TrialText, layout: Layout) -> None:
    layout.line(trial.command, BOLD)
    layout.table(HEAD, trial.rows, (False, False, False, False, True, True))
    if trial.remote_is is not None:
        layout.paragraph(trial.remote_is)
    for placed in trial.placed:
        layout.line()
        layout.paragraph(f"{placed.label}: {placed.verdict}: {placed.why}.", style=BOLD)
        layout.paragraph(placed.placed, first="    ")
        for place in placed.places:
            layout.paragraph(place, first="    - ")
    for policy in trial.policies:
        layout.line()
        layout.paragraph(policy)
    _print_list("not tried", trial.not_tried, layout)
    _print_list(NOT_IMITATED, trial.cannot_imitate, layout)
    _print_list("remarks", trial.remarks, layout)
    if trial.without_edit is not None:
        layout.line()
        layout.paragraph(f"The placement without an edit: {trial.without_edit}")


def _print_list(title: str, items: tuple[str, ...], layout: Layout) -> None:
    if items:
        layout.line(f"\n{title}")
    for item in items:
        layout.paragraph(item, first="- ")
