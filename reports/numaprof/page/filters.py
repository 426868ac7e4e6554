# SPDX-License-Identifier: Apache-2.0
"""How the templates write values: the words of the terminal report."""

from __future__ import annotations

import re
from collections.abc import Callable

from numaprof.analysis.naming import nodes_in_text
from numaprof.evidence.thresholds import MIN_SHOWN_BYTES, MIN_USES_OF_THREAD
from numaprof.model import comparison_model
from numaprof.model import report_model as model
from numaprof.text.format import (
    NOT_KNOWN,
    duration,
    number,
    number_list,
    percent,
    round_percent,
    share_in_interval,
    size,
)


def words(value: float | None, how: str) -> str:
    if value is None:
        return "" if how.endswith("_or_none") else NOT_KNOWN
    return _HOW[how.replace("_or_none", "")](value)


_HOW: dict[str, Callable[[float], str]] = {
    "number": number,
    "size": size,
    "duration": duration,
    "percent": percent,
    "round": round_percent,
    "times": lambda value: f"{value:.2f}x",
    "plain": lambda value: f"{value:g}",
    "nanoseconds": lambda value: f"{value:.0f} ns",
    "rate": lambda value: f"{value / 1e9:.1f} GB/s",
}


def with_error(row: model.Verdict | model.Thread) -> str:
    """The remote share, and half its 95 % interval where it was counted: samples stand beside theirs."""
    known = row.samples is None and row.lowest is not None and row.highest is not None
    return share_in_interval(row.remote_share, (row.lowest or 0.0, row.highest or 0.0) if known else None)


_GAPS = re.compile(r"(?<=\d) (?=\d{3}\b|%|[kMGTPE]\b|[KMGTPE]?i?B\b|[nmu]?s\b)")


def unbroken(text: str) -> str:
    """A number stays on one line with its unit, and with its thousands."""
    return _GAPS.sub("\N{NO-BREAK SPACE}", text)


def nodes(found: tuple[int, ...]) -> str:
    return number_list(list(found)) or "?"


def nodes_or_none(found: tuple[int, ...]) -> str:
    return nodes_in_text(found) if found else ""


# Steps of remote share in the machine picture: below 5 % nobody minds, from 10 % on it is worth fixing (thresholds.py).
_STEPS = ((0.05, "< 5 %"), (0.10, "5 to 10 %"), (0.33, "10 to 33 %"), (0.67, "33 to 67 %"), (1.01, "> 67 % remote"))
LEGEND = tuple((number, text) for number, (_, text) in enumerate(_STEPS))


def step(share: float | None) -> str:
    """The class of a CPU's colour."""
    if share is None:
        return "unknown"
    return f"share{next(number for number, (limit, _) in enumerate(_STEPS) if share < limit)}"


def marks(thread: model.Thread) -> str:
    """What a reader must know of a thread beside its numbers."""
    found = (
        (thread.migrated, f"migrated: moved {thread.migrations or 0} times though pinned"),
        (thread.pin == "program", "pinned by the program"),
        (thread.pin in ("helper", "none"), "not pinned"),
        (not thread.from_start, "found late"),
        (thread.remote_heavy, "remote-heavy"),
    )
    return ", ".join(text for applies, text in found if applies)


def changed_object(found: comparison_model.Object) -> bool:
    """Another remote share of enough samples, or memory on other nodes, but for the few pages of libraries."""
    few = min(found.samples_before, found.samples_after) < MIN_USES_OF_THREAD
    return found.moved_bytes >= MIN_SHOWN_BYTES or (found.share_before != found.share_after and not few)
