# SPDX-License-Identifier: Apache-2.0
"""The numbers of `make truth` as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from statistics import median

from truth.judge import Part, Run
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
                    "of all cells",
                    "median error, remote",
                    "9 of 10 below",
                ],
                counts,
            ),
            "",
            "The verdict's remote share, of runs with 100 000 lines or more; errors in points:",
            "",
            *_table(
                [
                    "machine",
                    "runs",
                    "with an interval",
                    "that holds the truth",
                    "median error",
                    "9 of 10 below",
                    "not held",
                ],
                [_verdicts(machine, [run for run in runs if run.machine == machine]) for machine in machines],
            ),
            "",
            "Objects, share of the remote lines in percent: truth (without and with lines from other nodes' caches) / "
            "reported ± half the 95 % interval. In bold: more than 10 points apart.",
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
        _percent(sum(bool(cell.held) for cell in judged), len(cells)),
        f"{100 * median(errors):.1f} %" if errors else "n/a",
        f"{100 * errors[len(errors) * 9 // 10]:.1f} %" if errors else "n/a",
    ]


def _verdicts(machine: str, runs: list[Run]) -> list[str]:
    shares = {run.program: run.share for run in runs if run.share is not None}
    held = {program: share.held for program, share in shares.items() if share.held is not None}
    errors = sorted(100 * share.error for share in shares.values())
    return [
        machine,
        str(len(shares)),
        _percent(len(held), len(shares)),
        _percent(sum(held.values()), len(held)),
        f"{median(errors):.1f}" if errors else "n/a",
        f"{errors[len(errors) * 9 // 10]:.1f}" if errors else "n/a",
        ", ".join(program for program, good in held.items() if not good) or "none",
    ]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "n/a"


def _objects(run: Run) -> list[list[str]]:
    if not run.parts:
        return []
    # A file without its folder: where the table was made is nobody's business.
    names = [part.name.rpartition("/")[2] for part in run.parts]
    listed = ", ".join(f"{name} {_shares(part)}" for name, part in zip(names, run.parts))
    return [[run.machine, run.program, listed, _worst(run), f"{100 * run.ambiguous:.0f} %"]]


def _shares(part: Part) -> str:
    low, high = (f"{100 * end:.0f}" for end in part.truth)
    truth = low if low == high else f"{low}-{high}"
    if part.reported is None or part.apart is None:
        return f"{truth}/n/a"
    error = f" ± {100 * part.half_width:.0f}" if part.half_width is not None else ""
    both = f"{truth}/{100 * part.reported:.0f}{error}"
    return f"**{both}**" if part.apart > POINTS else both


def _apart(run: Run) -> float | None:
    known = [part.apart for part in run.parts if part.apart is not None]
    return max(known) if len(known) == len(run.parts) else None


def _worst(run: Run) -> str:
    apart = _apart(run)
    return "n/a" if apart is None else f"{100 * apart:.0f}"


def _summary(runs: list[Run]) -> str:
    lines = []
    for name, chosen in (("Patterns", True), ("Examples", False)):
        judged = [run for run in runs if run.parts and run.ambiguous <= POINTS]
        mine = [_apart(run) for run in judged if (run.program in PATTERNS) == chosen]
        told = [apart for apart in mine if apart is not None]
        good = f"{sum(apart <= POINTS for apart in told)} of {len(told)} runs"
        untold = f"; of {len(mine) - len(told)} the report says that it cannot tell" if len(told) < len(mine) else ""
        lines.append(f"{name}: every object within {100 * POINTS:.0f} points in {good}{untold}.")
    held = [part.held for run in runs if run.ambiguous <= POINTS for part in run.parts if part.held is not None]
    lines.append(f"Of {len(held)} shares of objects with an interval, {_percent(sum(held), len(held))} hold the truth.")
    return "\n".join(lines)
