# SPDX-License-Identifier: Apache-2.0
"""Text for people: what came from the target is made harmless, numbers are made short."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from typing import Protocol

NOT_KNOWN = "n/a"
_CPUS_WIDTH = 7  # of a cell


def clean(text: str, limit: int | None = None) -> str:
    """What a terminal shows as text and nothing else.

    Whatever str.isprintable refuses (controls, escapes, line ends, direction marks, lone surrogates, unassigned)
    becomes \\xNN, byte by byte of its UTF-8, as core/text/diag.c does. With a limit, the middle of a longer text
    becomes an ellipsis.
    """
    if not text.isprintable():
        text = "".join(character if character.isprintable() else _escaped(character) for character in text)
    if limit is not None and len(text) > limit:
        tail = (limit - 1) // 3
        text = text[: limit - 1 - tail] + "…" + text[len(text) - tail :]
    return text


def _escaped(character: str) -> str:
    # A byte of a file name that is not UTF-8 reaches Python as a lone surrogate: show the byte.
    raw = "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", raw))


def shell_path(path: str) -> str:
    return clean(shlex.quote(path))


def number(value: float) -> str:
    """9 412, 13.1 k, 131 k, 1.05 M: three digits that count, all of them below ten thousand."""
    if abs(value) < 9999.5:
        return f"{value:,.0f}".replace(",", " ")
    value, unit = _unit(value, 1000.0, ("", "k", "M", "G", "T", "P", "E"))
    digits = 0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    return f"{_trimmed(value, digits)} {unit}"


def size(value: float) -> str:
    """64 KiB, 32 MiB, 1.5 GiB, as core/text/units.c has it."""
    value, unit = _unit(value, 1024.0, ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))
    return f"{_trimmed(value, 0 if value >= 99.95 or unit == 'B' else 1)} {unit}"


def _unit(value: float, base: float, units: tuple[str, ...]) -> tuple[float, str]:
    power = 0
    while abs(value) >= 999.5 and power < len(units) - 1:  # 999.5 would be printed as 1000
        value /= base
        power += 1
    return value, units[power]


def _trimmed(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if digits else text


def percent(share: float | None) -> str:
    """50.1 %. Never says 0.0 or 100.0 of what is not exactly none or all."""
    if share is None:
        return NOT_KNOWN
    if 0 < share < 0.0005:
        return "<0.1 %"
    if 0.9995 <= share < 1:
        return ">99.9 %"
    return f"{100 * share:.1f} %"


def share_in_interval(share: float | None, interval: tuple[float, float] | None) -> str:
    """46 % ± 4, or 4.1 % ± 0.3: a share and half its 95 % interval, in points; 50.1 % where that is next to nothing;
    36 % (2..76) where half of it would reach beyond 0 or 100 %."""
    if share is None or interval is None:
        return percent(share)
    low, high = interval
    half = max(high - share, share - low)
    if half < 0.0005:
        return percent(share)
    if half >= 0.1 and (share + half > 1 or share < half):
        return f"{100 * share:.0f} % ({100 * low:.0f}..{100 * high:.0f})"
    digits = 0 if half >= 0.0095 else 1
    return f"{100 * share:.{digits}f} % ± {100 * half:.{digits}f}"


def share_with_error(share: float | None, error: float | None) -> str:
    if share is None or error is None:
        return percent(share)
    return share_in_interval(share, (max(0.0, share - error), min(1.0, share + error)))


def counted_share(share: float | None, samples: int | None, lowest: float | None, highest: float | None) -> str:
    """With its error where it was counted, or 50 %±? where that is not known; that of samples follows from their number
    beside it."""
    if share is None or samples is not None:
        return percent(share)
    if lowest is None or highest is None:
        return f"{round_percent(share)}±?"
    return share_in_interval(share, (lowest, highest))


def round_percent(share: float) -> str:
    """33 %: for coverage and thresholds, where the decimal says nothing."""
    return percent(share) if 0 < share < 0.005 else f"{100 * share:.0f} %"


def percent_below(share: float, limit: float) -> str:
    """A share that is too small, with as many digits as tell it from the limit: 9.96 %, where 10 % are needed."""
    if 0 < share < 0.0005:
        return percent(share)
    for digits in range(6):
        text = f"{100 * share:.{digits}f}"
        if share >= limit or float(text) < 100 * limit:
            return f"{text} %"
    return f"less than {round_percent(limit)}"


def duration(nanoseconds: float) -> str:
    """2.10 s, 35.0 ms, 4 min 10 s, 2 h 5 min."""
    if nanoseconds >= 7200e9:
        hours, minutes = divmod(round(nanoseconds / 60e9), 60)
        return f"{hours} h {minutes} min"
    if nanoseconds >= 120e9:
        minutes, seconds = divmod(round(nanoseconds / 1e9), 60)
        return f"{minutes} min {seconds} s"
    unit, name = next((pair for pair in ((1e9, "s"), (1e6, "ms"), (1e3, "us")) if nanoseconds >= pair[0]), (1, "ns"))
    value = nanoseconds / unit
    digits = 0 if unit == 1 or value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{digits}f} {name}"


def plural(count: float, noun: str, ending: str = "s") -> str:
    """1 thread, 8 threads."""
    return f"{number(count)} {noun}{either(count, '', ending)}"


def either(count: float, one: str, several: str) -> str:
    """What follows a count, as the count is printed: 1 thread was, 8 threads were."""
    return one if number(count) == "1" else several


def words(items: list[str]) -> str:
    """a, b and c."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def remote_word(between_packages: bool) -> str:
    """What a remote request is; it stands beside each share of them."""
    return "from another package" if between_packages else "remote"


def cpus_in_text(cpus: tuple[int, ...]) -> str:
    """For a cell: 3, 0,4 or 0-3; where they are scattered only how many there are; "?" if none is known."""
    text = number_list(list(cpus))
    return (text if len(text) <= _CPUS_WIDTH else f"{len(cpus)} CPUs") or "?"


def number_list(values: list[int]) -> str:
    """List format of the kernel: 0-3,8."""
    runs: list[list[int]] = []
    for value in sorted(set(values)):
        if runs and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def nodes_in_text(nodes: Iterable[int]) -> str:
    """node 1, nodes 0-3, or unknown nodes."""
    known = sorted(set(nodes))
    return f"node{'s' * (len(known) > 1)} {number_list(known)}" if known else "unknown nodes"


def cpu_order(cpus: tuple[int, ...], position: int) -> tuple[bool, tuple[int, ...], int]:
    """Sorts threads by where they ran, then by their start; those of which it is not known come last."""
    return not cpus, cpus, position


class Spreads(Protocol):
    """Several values of one thing: the middle one, and how far they lie apart."""

    @property
    def middle(self) -> float: ...
    @property
    def lowest(self) -> float: ...
    @property
    def highest(self) -> float: ...
    @property
    def certain(self) -> bool: ...


def in_words(values: Spreads | None, words: Callable[[float], str]) -> str:
    """2.10 s (2.05 s..2.20 s)."""
    if values is None:
        return NOT_KNOWN
    text = between(values.lowest, values.middle, values.highest, words)
    return text if values.certain else f"{text}, error not known"


def between(lowest: float | None, middle: float | None, highest: float | None, words: Callable[[float], str]) -> str:
    if lowest is None or middle is None or highest is None:
        return NOT_KNOWN
    low, high = words(lowest), words(highest)
    return low if low == high else f"{words(middle)} ({low}..{high})"
