# SPDX-License-Identifier: Apache-2.0
"""Remote accesses by call stack: the same sums as the exported profile and the tables of the report."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from numaprof.document.build_profile import profile
from numaprof.document.build_report import report
from numaprof.document.open_recording import reading
from numaprof.document.sections import stacks_section
from numaprof.export.folded import folded
from numaprof.model import report_model as model
from scenarios import SCENARIOS

COUNTED, SAMPLED = "serial_init", "named_objects"


def stacks_and_profile(scenario: str, folder: Path) -> tuple[model.Report, str]:
    """The report, and the folded stacks that `export` writes."""
    path = SCENARIOS[scenario]().write(folder / "x.numaprof")
    with reading(str(path)) as source:
        found = profile(source.recording, source.evidence)
        return report(source), folded(found, found.main_value)


def path_of(stacks: model.RemoteStacks, frame: int | None) -> str:
    names: list[str] = []
    while frame is not None:
        names.append(stacks.frames[frame].name)
        frame = stacks.frames[frame].caller
    return ";".join(reversed(names)) or "[no call stack]"


@pytest.mark.parametrize("scenario", [COUNTED, SAMPLED])
def test_sums_are_those_of_the_exported_profile(scenario: str, tmp_path: Path) -> None:
    found, exported = stacks_and_profile(scenario, tmp_path)
    names = {thread.id: thread.name for thread in found.threads}
    sums: dict[str, float] = defaultdict(float)
    for row in found.remote_stacks.rows:
        sums[f"{names[row.thread]};{path_of(found.remote_stacks, row.frame)}"] += row.weight
    expected = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in exported.splitlines()}
    assert sums == pytest.approx(expected)


def test_objects_are_those_of_the_report(tmp_path: Path) -> None:
    found, _ = stacks_and_profile(SAMPLED, tmp_path)
    weights: dict[int | None, float] = defaultdict(float)
    for row in found.remote_stacks.rows:
        weights[row.object] += row.weight
    shares = {at: thing.of_all_remote for at, thing in enumerate(found.objects.rows)}
    assert {at: weight / sum(weights.values()) for at, weight in weights.items()} == pytest.approx(shares)


def test_lines_are_those_of_the_report(tmp_path: Path) -> None:
    found, _ = stacks_and_profile(COUNTED, tmp_path)
    weights: dict[int | None, float] = defaultdict(float)
    for row in found.remote_stacks.rows:
        weights[row.line] += row.weight
    assert weights == pytest.approx(
        {at: line.remote_events for at, line in enumerate(found.lines) if line.remote_events}
    )


def test_steps_lie_within_the_run(tmp_path: Path) -> None:
    found, _ = stacks_and_profile(COUNTED, tmp_path)
    stacks = found.remote_stacks
    end = found.timeline.moments[-1].start_ns + found.timeline.step_ns
    assert all(0 <= row.step * stacks.step_ns <= end for row in stacks.rows)
    assert all(frame.caller is None or frame.caller < at for at, frame in enumerate(stacks.frames))


def test_what_is_not_listed_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = stacks_and_profile(COUNTED, tmp_path)
    monkeypatch.setattr(stacks_section, "MOST_ROWS", 2)
    (tmp_path / "again").mkdir()
    cut, _ = stacks_and_profile(COUNTED, tmp_path / "again")
    total = sum(row.weight for row in whole.remote_stacks.rows)
    assert len(cut.remote_stacks.rows) == 2
    assert cut.remote_stacks.not_listed + sum(row.weight for row in cut.remote_stacks.rows) == pytest.approx(total)


def test_none_where_nothing_told_remote(tmp_path: Path) -> None:
    found, _ = stacks_and_profile("faults_only", tmp_path)
    assert found.remote_stacks.population is None
    assert found.remote_stacks.rows == ()
