# SPDX-License-Identifier: Apache-2.0
"""What the Trace Event Format asks of a file, and ui.perfetto.dev on top of it, as far as numaprof writes it.

Sources: Trace Event Format ("Metadata", "Complete", "Counter" and "Async Events"); perfetto.dev/docs/faq: slices of one
thread must nest, what overlaps otherwise is not shown.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from typing import Any

Event = dict[str, Any]
NAMES = ("process_name", "thread_name")


def mistakes(text: str | bytes) -> list[str]:
    """What a reader of the format would refuse, drop or show wrongly."""
    found = json.loads(text, parse_constant=lambda word: f"not JSON: {word}")
    events: list[Event] = found["traceEvents"]
    wrong = [f"{fault}: {event}" for event in events for fault in _shape(event)]
    return wrong or [*_nesting(events), *_pairs(events), *_counters(events), *_named(events)]


def _shape(event: Event) -> list[str]:
    """Fields and their types. No Linux thread has the number 0: viewers take it for the idle task."""
    kind = event.get("ph")
    faults = {
        "unknown phase": kind not in ("M", "X", "C", "b", "e"),
        "no name": not isinstance(event.get("name"), str) or not event["name"],
        "no ids": not all(type(event.get(field)) is int and event[field] > 0 for field in ("pid", "tid")),
        "args": not isinstance(event.get("args"), dict),
        "time": kind != "M" and not _time(event.get("ts")),
        "duration": kind == "X" and not _time(event.get("dur")),
        "id": kind in ("b", "e") and ("id" not in event or not event.get("cat")),
        "values": kind == "C" and not (event.get("args") and all(_time(value) for value in event["args"].values())),
        "metadata": kind == "M"
        and not (event.get("name") in NAMES and isinstance(event.get("args", {}).get("name"), str)),
    }
    return [name for name, applies in faults.items() if applies]


def _time(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _nesting(events: list[Event]) -> list[str]:
    by_thread: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            by_thread[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    wrong = []
    for thread, slices in by_thread.items():
        open_: list[float] = []
        for start, end in sorted(slices, key=lambda span: (span[0], -span[1])):
            while open_ and open_[-1] <= start:
                open_.pop()
            if open_ and end > open_[-1]:
                wrong.append(f"slices of {thread} overlap at {start}")
            open_.append(end)
    return wrong


def _pairs(events: list[Event]) -> list[str]:
    pairs: dict[tuple[object, ...], dict[str, float]] = defaultdict(dict)
    for event in events:
        if event["ph"] in ("b", "e"):
            pairs[event["pid"], event["cat"], event["id"], event["name"]][event["ph"]] = event["ts"]
    good = {key for key, ends in pairs.items() if ends.keys() == {"b", "e"} and ends["b"] <= ends["e"]}
    return [f"{key} does not begin and end" for key in pairs.keys() - good]


def _counters(events: list[Event]) -> list[str]:
    """One value of a counter at a time, always of the same series."""
    of = [event for event in events if event["ph"] == "C"]
    times = Counter((event["pid"], event["name"], event["ts"]) for event in of)
    series: dict[tuple[int, str], set[tuple[str, ...]]] = defaultdict(set)
    for event in of:
        series[event["pid"], event["name"]].add(tuple(event["args"]))
    twice = [f"{key} has two values" for key, count in times.items() if count > 1]
    return twice + [f"{key} changes its series" for key, found in series.items() if len(found) > 1]


def _named(events: list[Event]) -> list[str]:
    """Every process, and every thread with a slice, has one name."""
    names = Counter(
        (event["name"], event["pid"], event["tid"] if event["name"] == "thread_name" else 0)
        for event in events
        if event["ph"] == "M"
    )
    wanted = {("process_name", event["pid"], 0) for event in events}
    wanted |= {("thread_name", event["pid"], event["tid"]) for event in events if event["ph"] == "X"}
    return [f"{key} is missing" for key in wanted - names.keys()]
