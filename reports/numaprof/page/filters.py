# SPDX-License-Identifier: Apache-2.0
"""How the templates write values: the words of the terminal report."""

from __future__ import annotations

import re
from collections.abc import Callable

from numaprof.model import report_model as model
from numaprof.text.format import (
    NOT_KNOWN,
    counted_share,
    duration,
    nodes_in_text,
    number,
    number_list,
    percent,
    round_percent,
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
    return counted_share(row.remote_share, row.samples, row.lowest, row.highest)


def alternatives(code: tuple[str, ...]) -> list[tuple[str, str]]:
    """The code of an advice, then each line that says after `#` when it is to be taken instead: remark and code."""
    own, others = [], []
    for line in code:
        before, mark, remark = line.partition("    # ")
        if mark and before.strip():
            others.append((remark, before))
        else:
            own.append(line)
    return ([("", "\n".join(own))] if own else []) + others


def sentence(text: str) -> str:
    """Of a text that ends where its code would follow."""
    return f"{text[:-1]}." if text.endswith(":") else text


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
