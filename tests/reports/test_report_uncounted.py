# SPDX-License-Identifier: Apache-2.0
"""CPU time in which threads had no counters: it widens the interval of the remote share, for every reader of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from numaprof.analysis.verdict import Judgement, judge
from numaprof.commands.check import check
from numaprof.compare.sides import ShareChange, Side, share_change
from numaprof.document.headline import verdict
from numaprof.evidence.evidence import Evidence, load
from numaprof.text.messages import EXIT_CANNOT_SAY, EXIT_LIMIT_EXCEEDED
from reading import first_screen
from recording_builder import RAN, RecordingBuilder
from scenarios import levels, serial_init
from test_report_view import said


def late(uncounted_ns: int | None, where: str = "id > 4") -> RecordingBuilder:
    """Half the threads, those of node 1, which read remotely. Each was counted for RAN."""
    return serial_init().change("thread", where=where, from_start=0, uncounted_ns=uncounted_ns)


def loaded(builder: RecordingBuilder, folder: Path) -> Evidence:
    return load(str(builder.write(folder / "sum.numaprof")))


def test_the_interval_of_the_verdict_and_of_threads(tmp_path: Path) -> None:
    """As much time was not counted as was, with up to twice the requests: all of them local, or all remote."""
    evidence = loaded(late(2 * RAN), tmp_path)
    assert evidence.uncounted.part == pytest.approx(0.5)
    assert evidence.traffic.share == pytest.approx(0.5)
    assert evidence.traffic.interval == pytest.approx((1 / 6, 5 / 6))
    assert evidence.traffic.coverage == pytest.approx(0.5)
    assert evidence.threads[0].traffic.interval == (0.0, 0.0)
    assert evidence.threads[4].traffic.interval == pytest.approx((1 / 5, 1.0))
    assert evidence.threads[4].traffic.coverage == pytest.approx(1 / 3)


def test_time_that_is_not_counted_is_as_busy_as_the_busiest_thread(tmp_path: Path) -> None:
    """Four threads that nearly only wait for others: the time of those that work is missing."""
    builder = levels(RecordingBuilder()).threads(8).change("thread", where="id > 4", uncounted_ns=RAN)
    builder.counters("demand_rd", [1000] * 5 + [0] * 3, [0] * 8)
    evidence = loaded(builder, tmp_path)
    assert evidence.uncounted.part == pytest.approx(1 / 3)
    assert evidence.uncounted.requests == pytest.approx(8000)
    assert evidence.traffic.interval == pytest.approx((0.0, 8 / 13))


def test_threads_without_counters_were_not_counted_at_all(tmp_path: Path) -> None:
    evidence = loaded(serial_init().change("count", where="thread = 8", thread=7), tmp_path)
    assert evidence.threads[7].traffic.interval is None
    assert evidence.uncounted.part == pytest.approx(1 / 8)


def test_the_time_of_a_thread_without_counters_is_at_most_its_life(tmp_path: Path) -> None:
    """Its CPU time is not known: the recorder got no CPU while the thread ran, and read its time before."""
    builder = serial_init().change("count", where="thread = 8", thread=7)
    known = loaded(builder, tmp_path)
    (tmp_path / "unknown").mkdir()
    evidence = loaded(builder.change("thread", where="id = 8", cpu_ns=None), tmp_path / "unknown")
    life = evidence.threads[7].row.end_ns - evidence.threads[7].row.start_ns
    assert life == pytest.approx(RAN, rel=0.1)
    assert evidence.uncounted.part == pytest.approx(life / (life + 7 * RAN), rel=0.1)
    assert evidence.uncounted.requests == pytest.approx(known.uncounted.requests, rel=0.1)


def test_threads_that_their_cpus_count_are_not_missing(tmp_path: Path) -> None:
    """A static program: inherited events on each CPU."""
    builder = levels(RecordingBuilder()).threads(2, from_start=0)
    clock, away = builder.event("time", ""), builder.event("demand_rd", "remote_dram")
    near = builder.event("demand_rd", "local_dram")
    for cpu in (0, 1):
        for event in (clock, near, away):
            builder.count(event, None, RAN, cpu=cpu)
    evidence = loaded(builder, tmp_path)
    assert evidence.ledger.unattributed and evidence.uncounted.part == 0


@pytest.mark.parametrize("uncounted_ns", [None, 0, RAN // 125])
def test_a_tiny_part_changes_nothing(uncounted_ns: int | None, tmp_path: Path) -> None:
    """None: an older recording, or a kernel that does not tell. RAN / 125 of half the threads is 0.4 %."""
    evidence = loaded(serial_init().change("thread", where="id > 4", uncounted_ns=uncounted_ns), tmp_path)
    assert (evidence.uncounted.part, evidence.traffic.coverage) == (0.0, 1.0)
    assert evidence.traffic.interval == (0.5, 0.5)


def test_it_is_said(tmp_path: Path) -> None:
    text = said(late(2 * RAN), tmp_path)
    assert "(50 % of CPU time counted, 50 % without counters)" in text
    assert "after the start): their time before was not counted." in text
    assert "50 % of the CPU time passed while threads had no counters" in text
    shown = first_screen(late(2 * RAN), tmp_path)
    assert "50 % of the CPU time not counted" in " ".join(shown.split())


def test_the_verdict_says_what_it_crosses(tmp_path: Path) -> None:
    found = verdict(loaded(late(20 * RAN), tmp_path))
    assert found.judgement is Judgement.HEAVY
    assert any(detail.startswith("Not certain: the share lies between 2.4 % and 97.6 %") for detail in found.details)


@pytest.mark.parametrize(("uncounted_ns", "status"), [(0, EXIT_LIMIT_EXCEEDED), (2 * RAN, EXIT_CANNOT_SAY)])
def test_check_cannot_say(uncounted_ns: int, status: int, tmp_path: Path) -> None:
    assert check(loaded(late(uncounted_ns), tmp_path), 0.3, 0.0)[0] == status


def test_check_asks_for_counted_time(tmp_path: Path) -> None:
    evidence = loaded(late(2 * RAN), tmp_path)
    assert [check(evidence, 0.9, least)[0] for least in (0.4, 0.6)] == [0, EXIT_CANNOT_SAY]


@pytest.mark.parametrize(("uncounted_ns", "change"), [(0, ShareChange.FELL), (2 * RAN, ShareChange.SAME)])
def test_diff_calls_nothing_changed_that_was_not_counted(uncounted_ns: int, change: str, tmp_path: Path) -> None:
    """50 % ± 33, then 43 %."""
    after = serial_init().change("count", where="thread = 5", value=0)
    (tmp_path / "after").mkdir()
    sides = Side((loaded(late(uncounted_ns), tmp_path),)), Side((loaded(after, tmp_path / "after"),))
    assert share_change(*sides) == change


def test_little_traffic_beside_much_time_without_counters_is_not_called_nothing_to_gain(tmp_path: Path) -> None:
    idle = levels(RecordingBuilder()).threads(8).counters("demand_rd", [10] * 8, [10] * 8)
    assert judge(loaded(idle, tmp_path)) is Judgement.NO_TRAFFIC
    (tmp_path / "late").mkdir()
    idle.change("thread", uncounted_ns=2 * RAN)
    assert judge(loaded(idle, tmp_path / "late")) is not Judgement.NO_TRAFFIC


def test_no_request_in_little_counted_time_says_nothing(tmp_path: Path) -> None:
    idle = levels(RecordingBuilder()).threads(8).counters("demand_rd", [0] * 8, [0] * 8)
    idle.change("thread", uncounted_ns=9 * RAN)
    evidence = loaded(idle, tmp_path)
    found = verdict(evidence)
    assert found.judgement is Judgement.REFUSED
    assert found.headline == "n/a: threads had no counters for 90 % of the CPU time, and no request was seen."
    assert check(evidence, 0.1, 0.0)[0] == EXIT_CANNOT_SAY


def test_recordings_without_the_column(tmp_path: Path) -> None:
    builder = late(None)
    builder.statements.append("ALTER TABLE thread DROP COLUMN uncounted_ns;")
    assert loaded(builder, tmp_path).traffic.interval == (0.5, 0.5)
    (tmp_path / "said").mkdir()
    assert "their time before is neither recorded nor part of the coverage" in said(builder, tmp_path / "said")
