# SPDX-License-Identifier: Apache-2.0
"""The decision where memory should go: what is decided, by which lever, about which objects."""

from __future__ import annotations

from pathlib import Path

import pytest
from numaprof.placement.decide import Decision, decide
from numaprof.placement.levers import Lever
from numaprof.placement.placements import Form
from reading import read
from recording_builder import RecordingBuilder
from test_report_object_rules import (
    PARALLEL,
    REVERSED,
    SERIAL,
    array,
    sampled,
    use_all,
    use_blocks,
)

NEAR, FAR = [0] * 4 + [1] * 4, [1] * 4 + [0] * 4


def decisions(builder: RecordingBuilder, folder: Path) -> list[Decision]:
    return [decision for decision in decide(read(builder, folder)) if decision.kind != "leave"]


@pytest.mark.parametrize(
    ("touchers", "homes"),
    [(SERIAL, [0] * 8), (REVERSED, FAR)],
    ids=["serial", "mismatched"],
)
def test_blocks_of_threads_become_parts_in_team_order(touchers: list[int], homes: list[int], tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, array(builder, touchers), homes)
    (decision,) = decisions(builder, tmp_path)
    assert (decision.kind, decision.lever) == ("parts", Lever.FIRST_TOUCH)
    assert decision.placement.form is Form.PARTS and decision.placement.team is not None
    assert decision.placement.team.nodes == (0, 0, 0, 0, 1, 1, 1, 1)
    low, high = decision.interval
    assert 0 < low <= decision.gain <= high


def test_what_all_threads_use_whole_is_interleaved(tmp_path: Path) -> None:
    builder = sampled()
    use_all(builder, array(builder, SERIAL), 0)
    (decision,) = decisions(builder, tmp_path)
    assert (decision.kind, decision.lever) == ("interleave", Lever.INTERLEAVE)
    low, high = decision.interval
    assert low < 0 < high  # as much stays remote: the gain is the controllers'
    assert decision.relief > 0


def test_blocks_that_lie_right_are_left(tmp_path: Path) -> None:
    builder = sampled()
    use_blocks(builder, array(builder, PARALLEL), NEAR)
    use_blocks(builder, array(builder, SERIAL, address=1 << 44), [0] * 8, address=1 << 44)
    (decision,) = decisions(builder, tmp_path)
    assert [obj.main_share for obj in decision.objects] == [1.0]
