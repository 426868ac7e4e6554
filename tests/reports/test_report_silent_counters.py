# SPDX-License-Identifier: Apache-2.0
"""Counters that ran and counted nothing, as where a hypervisor filters their events: the next level decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from numaprof.document.build_report import document
from numaprof.model.report_model import Report
from recording_builder import LOCAL, PAGE, REMOTE, SECOND, RecordingBuilder
from scenarios import levels

DATA = 0x7F0000000000


def guest(counted: int, cpu_ns: int = SECOND // 2, pages: int = 512) -> RecordingBuilder:
    """Thread 1 touches an array first, all four threads use it."""
    builder = levels(RecordingBuilder(cpus_per_node=2)).threads(4, cpu_ns=cpu_ns)
    init, use = (builder.stack(builder.place(("sum.c", line, name))) for line, name in ((10, "init"), (20, "sum")))
    builder.touch(init, 1, DATA, pages, page_node=0)
    for thread in range(1, 5):
        builder.hints(use, thread, [DATA + PAGE * page for page in range(60)], 0)
    return builder.counters("demand_rd", [counted] * 4, [0] * 4).homes((DATA, pages, 0))


def report(builder: RecordingBuilder, folder: Path) -> Report:
    return document(str(builder.write(folder / "x.numaprof")))


def test_counters_that_counted_nothing_are_dropped_and_named(tmp_path: Path) -> None:
    found = report(guest(0), tmp_path)
    assert found.verdict.basis == "hint faults"
    assert found.verdict.remote_share == pytest.approx(1 / 2)
    why = "counted nothing in 2.00 s of CPU time, though the program used memory"
    assert any(why in (level.why_not or "") for level in found.levels if level.collector == "counters")
    assert any(why in text for text in found.overview.decisive)


def test_sampled_loads_come_before_hint_faults(tmp_path: Path) -> None:
    builder = guest(0)
    for thread, source in enumerate((LOCAL, LOCAL, REMOTE, REMOTE), 1):
        builder.loads(builder.stack(builder.place(("sum.c", 20, "sum"))), thread, [DATA] * 30, 0, source=source)
    assert report(builder, tmp_path).verdict.basis == "loads"


@pytest.mark.parametrize(
    "builder",
    [guest(1), guest(0, cpu_ns=SECOND // 5), guest(0, pages=16)],
    ids=["something was counted", "a short run", "next to no memory used"],
)
def test_counters_that_may_be_right_stay(builder: RecordingBuilder, tmp_path: Path) -> None:
    assert report(builder, tmp_path).verdict.basis == "counters"


def test_without_another_level_nothing_is_known(tmp_path: Path) -> None:
    builder = guest(0).change("sample", where="kind = 14", kind=15)
    assert report(builder, tmp_path).verdict.judgement == "unknown"


def test_a_level_that_took_no_sample_is_not_called_used(tmp_path: Path) -> None:
    builder = guest(1).level(3, "samples", used=True, detail="PEBS load latency")
    unused = [level for level in report(builder, tmp_path).levels if level.collector == "samples" and not level.used]
    assert [level.why_not for level in unused] == ["no sample came"]
