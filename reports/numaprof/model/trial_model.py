# SPDX-License-Identifier: Apache-2.0
"""A trial (`numaprof try`) as the terminal and the page show it."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = ("", "run time (fastest..slowest)", "initialisation", "compute", "remote", "busiest node")
NOT_IMITATED = "what the trial cannot imitate (the gain of an edit can be larger)"


@dataclass(frozen=True)
class PlacedText:
    """One placement: the verdict, what was placed in the runs, and where."""

    label: str
    verdict: str
    why: str
    placed: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class TrialText:
    """Everything a reader sees of a trial; rows: one for each side, as HEAD."""

    command: str
    rows: tuple[tuple[str, ...], ...]
    remote_is: str | None
    placed: tuple[PlacedText, ...]
    policies: tuple[str, ...]
    not_tried: tuple[str, ...]
    cannot_imitate: tuple[str, ...]
    remarks: tuple[str, ...]
    without_edit: str | None
