# SPDX-License-Identifier: Apache-2.0
"""The numbers of `make truth` as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from statistics import median

from truth.judge import Run
from truth.programs import PATTERNS

POINTS = 0.10  # an object's share of the remote lines should be this near to the truth


def text(runs: list[Run]) -> str:
    machines = list(dict.fromkeys(run.machine for run in runs))
    counts = [_counts(machine, [run for run in runs if run.machine == machine]) for machine in machines]
    return "\n".join(
        [
            f"Measured on {datetime.now(timezone.utc):%Y-%m-%d}.",
            "",
            "Counts, default events, by thread, class and side; of cells with 1000 lines or more:",
            "",
            *_table(
                [
                    "machine",
                    "runs",
                    "cells",
                    "with an interval",
                    "that holds the truth",
                    "median error, remote",
                    "9 of 10 below",
                ],
                counts,
            ),
            "",
            "Objects, share of the remote lines in percent: truth / reported. In bold: more than 10 points apart.",
            "",
            *_table(
                ["machine", "program", "objects", "worst, points", "ambiguous"],
                [row for run in runs for row in _objects(run)],
            ),
            "",
            _summary(runs),
        ]
    )


def _table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    return [_line(head), _line(["---"] * len(head)), *map(_line, rows)]


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _counts(machine: str, runs: list[Run]) -> list[str]:
    cells = [cell for run in runs for cell in run.cells]
    judged = [cell for cell in cells if cell.held is not None]
    errors = sorted(cell.error for cell in cells if cell.remote and cell.error is not None)
    return [
        machine,
        str(len(runs)),
        str(len(cells)),
        _percent(len(judged), len(cells)),
        _percent(sum(bool(cell.held) for cell in judged), len(judged)),
        f"{100 * median(errors):.1f} %" if errors else "n/a",
        f"{100 * errors[len(errors) * 9 // 10]:.1f} %" if errors else "n/a",
    ]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "n/a"


def _objects(run: Run) -> list[list[str]]:
    if not run.parts:
        return []
    listed = ", ".join(f"{part.name} {_shares(part.truth, part.reported)}" for part in run.parts)
    return [[run.machine, run.program, listed, _worst(run), f"{100 * run.ambiguous:.0f} %"]]


def _shares(truth: float, reported: float | None) -> str:
    if reported is None:
        return f"**{100 * truth:.0f}/n/a**"
    both = f"{100 * truth:.0f}/{100 * reported:.0f}"
    return f"**{both}**" if abs(truth - reported) > POINTS else both


def _apart(run: Run) -> float | None:
    known = [abs(part.truth - part.reported) for part in run.parts if part.reported is not None]
    return max(known) if len(known) == len(run.parts) else None


def _worst(run: Run) -> str:
    apart = _apart(run)
    return "n/a" if apart is None else f"{100 * apart:.0f}"


def _summary(runs: list[Run]) -> str:
    lines = []
    for name, chosen in (("Patterns", True), ("Examples", False)):
        mine = [run for run in runs if run.parts and (run.program in PATTERNS) == chosen]
        good = sum((_apart(run) or 0.0) <= POINTS and _apart(run) is not None for run in mine)
        lines.append(f"{name}: every object within {100 * POINTS:.0f} points in {good} of {len(mine)} runs.")
    return "\n".join(lines)
