# SPDX-License-Identifier: Apache-2.0
"""Decisions about placement on compact recordings of corpus programs, against the truth in each program's source."""

from __future__ import annotations

import pytest
from compact import read_archive
from judge import ARCHIVE, Verdict, is_frozen, judge_all

RIGHT = 0.90  # of the two thirds; docs/corpus.md has the numbers of the day
FROZEN_BELOW = 0.03  # the frozen third may be this much below the two thirds
TOO_FEW = 0.06


@pytest.fixture(scope="module")
def verdicts() -> list[Verdict]:
    return judge_all(read_archive(ARCHIVE))


def part_right(verdicts: list[Verdict]) -> float:
    return sum(verdict.right for verdict in verdicts) / len(verdicts)


def test_the_right_kind_of_fix_is_decided(verdicts: list[Verdict]) -> None:
    mended = [verdict for verdict in verdicts if not is_frozen(verdict.program)]
    assert part_right(mended) >= RIGHT


def test_the_frozen_third_is_judged_about_as_well(verdicts: list[Verdict]) -> None:
    frozen, mended = ([v for v in verdicts if is_frozen(v.program) is third] for third in (True, False))
    assert part_right(frozen) >= part_right(mended) - FROZEN_BELOW


def test_the_model_does_better_than_one_line(verdicts: list[Verdict]) -> None:
    assert part_right(verdicts) > sum(verdict.baseline_right for verdict in verdicts) / len(verdicts)


def test_few_decisions_are_left_open(verdicts: list[Verdict]) -> None:
    assert sum(verdict.undecided for verdict in verdicts) <= TOO_FEW * len(verdicts)
