# SPDX-License-Identifier: Apache-2.0
"""What perf counts in the guest is what the hardware did: every class of request, every answer, in every dialect."""

from __future__ import annotations

import json
from typing import Any, Callable

import pytest
from meanings import (
    NEHALEM,
    NEVER_HERE,
    READ,
    RETIRED,
    SAPPHIRE,
    SKYLAKE,
    WESTMERE,
    WRITE_BACK,
    WRITTEN,
    ZEN,
    Meaning,
    total,
)


def check(lab_program: Callable[..., str], cpus: tuple[int, ...], events: dict[str, Meaning], silent: set[int]) -> None:
    """silent: outcomes that need not happen for the test to mean something. An interrupt ends a stream: where the
    hardware did nothing in an event's round, a second one must have something."""
    nothing = in_vain(lab_program, cpus, events, silent)
    if nothing:
        nothing = in_vain(lab_program, cpus, nothing, silent)
    assert not nothing, f"{list(nothing)}: nothing happened, so nothing is proved"


def in_vain(
    lab_program: Callable[..., str], cpus: tuple[int, ...], events: dict[str, Meaning], silent: set[int]
) -> dict[str, Meaning]:
    """The events in whose round nothing happened."""
    rounds: list[dict[str, Any]] = [json.loads(line) for line in lab_program("truth", *cpus, *events).splitlines()]
    assert [r["event"] for r in rounds] == list(events)
    nothing = {}
    for r in rounds:
        classes, outcomes = events[r["event"]]
        done = total(r["hardware"], classes, outcomes)
        assert r["perf"] == done, r["event"]
        loud = outcomes - silent
        if classes == {WRITE_BACK}:
            loud &= WRITTEN
        if loud and done == 0:
            nothing[r["event"]] = events[r["event"]]
    return nothing


@pytest.mark.lab("tests/lab/machines/small-nehalem.machine")
def test_nehalem_counts_are_the_hardwares(lab_program: Callable[..., str]) -> None:
    check(lab_program, (0, 1, 4, 5), NEHALEM, NEVER_HERE)


@pytest.mark.lab("tests/lab/machines/small-westmere.machine")
def test_westmere_counts_are_the_hardwares(lab_program: Callable[..., str]) -> None:
    without_prefetches = {name: meaning for name, meaning in WESTMERE.items() if ":PF_" not in name}
    check(lab_program, (1, 0, 5, 4), without_prefetches, NEVER_HERE)


@pytest.mark.lab("tests/lab/machines/small-skylake.machine")
def test_skylake_counts_are_the_hardwares(lab_program: Callable[..., str]) -> None:
    check(lab_program, (2, 3, 0, 6), SKYLAKE, set())


@pytest.mark.lab("tests/lab/machines/small-sapphire.machine")
def test_sapphire_rapids_counts_are_the_hardwares(lab_program: Callable[..., str]) -> None:
    check(lab_program, (0, 1, 2, 4), SAPPHIRE, set())


@pytest.mark.lab("tests/lab/machines/small-zen.machine")
def test_zen_counts_are_the_hardwares(lab_program: Callable[..., str]) -> None:
    check(lab_program, (6, 7, 0, 1), ZEN, set())


def retired(prefix: str) -> dict[str, Meaning]:
    return {name: ({READ}, outcomes) for name, outcomes in RETIRED.items() if name.startswith(prefix)}


@pytest.mark.lab("tests/lab/machines/small-nehalem.machine")
def test_nehalem_retired_loads(lab_program: Callable[..., str]) -> None:
    check(lab_program, (0, 1, 4, 5), retired("nhm"), NEVER_HERE)


@pytest.mark.lab("tests/lab/machines/small-westmere.machine")
def test_westmere_retired_loads(lab_program: Callable[..., str]) -> None:
    check(lab_program, (0, 1, 4, 5), retired("wsm"), NEVER_HERE)


@pytest.mark.lab("tests/lab/machines/small-skylake.machine")
def test_skylake_retired_loads(lab_program: Callable[..., str]) -> None:
    check(lab_program, (2, 3, 0, 6), retired("skx"), set())


@pytest.mark.lab("tests/lab/machines/small-sapphire.machine")
def test_sapphire_rapids_retired_loads(lab_program: Callable[..., str]) -> None:
    check(lab_program, (0, 1, 2, 4), retired("spr"), set())
