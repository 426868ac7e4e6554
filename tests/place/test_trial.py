# SPDX-License-Identifier: Apache-2.0
"""numaprof try: what runs allow to say, whole trials on this machine, and bad input."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, TREE, build_c
from numaprof.evidence.spread import Spread
from numaprof.experiments.trial import change
from running import Ended, one, run

pytestmark = pytest.mark.requires("gcc")
SUM = BUILD / "examples" / "sum_serial"


# --- statistics


def test_a_clear_difference_is_a_difference_and_noise_is_none() -> None:
    """Of two sides from one distribution, as many seem to differ as the test's level allows; of shifted ones, all."""
    generator = random.Random(1)

    def side(shift: float) -> Spread:
        return Spread(tuple(generator.lognormvariate(0, 0.05) + shift for _ in range(5)))

    same = [change(side(0), side(0)) for _ in range(1000)]
    false = sum(each is not None and (each.faster or each.slower) for each in same)
    assert false <= 50  # the exact test of 5 and 5 runs at 0.05 has a level of 0.032: 32 of 1000, and three deviations
    found = [change(side(1), side(0)) for _ in range(100)]
    assert all(each is not None and each.faster and 1.8 < each.ratio < 2.2 for each in found)


def test_a_gain_below_one_per_cent_is_none() -> None:
    found = change(Spread((1.004, 1.005, 1.006, 1.007, 1.008)), Spread((1.0, 1.001, 1.002, 1.003, 1.0035)))
    assert found is not None and found.p < 0.05 and not found.faster


# --- whole trials


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "sum.numaprof"
    assert run("record", "-q", "-o", path, SUM, 2, 16).status == 0
    return path


def try_json(*arguments: object, **options: Any) -> dict[str, Any]:
    ended = run("try", "--json", *arguments, **options)
    assert ended.status == 0, ended.err
    document = json.loads(ended.out)
    assert isinstance(document, dict)
    return document


def side(document: dict[str, Any], label: str) -> dict[str, Any]:
    return next(each for each in document["sides"] if each["label"] == label)


@pytest.mark.requires("one_node")
def test_a_trial_on_one_node_places_everything_and_claims_nothing(recording: Path, tmp_path: Path) -> None:
    document = try_json(recording, "-n", 2, "--keep", tmp_path / "kept", cwd=tmp_path)
    placed = side(document, "advice 1")
    assert placed["allocations"]["asked"] == placed["allocations"]["placed"] == 2
    assert (placed["found_share"], placed["placed_share"], placed["verified_share"]) == (1, 1, 1)
    assert placed["verdict"]["words"] == "cannot tell" and "one node" in placed["verdict"]["why"]
    kept = {path.name for path in (tmp_path / "kept").iterdir()}
    assert {"plain.1.numaprof", "plain.2.numaprof", "advice-1.2.numaprof", "advice-1.placement"} <= kept
    # The phases are those of the recordings: the initialisation ends before the run does.
    for name in ("plain", "advice 1"):
        phases = zip(side(document, name)["initialisation_ns"], side(document, name)["wall_ns"])
        assert all(0 < initialised < wall for initialised, wall in phases)
    again = run("run", "--place", tmp_path / "kept" / "advice-1.placement", SUM, 2, 16)
    assert "placed 1 of 1 allocations" in again.err


@pytest.mark.requires("one_node")
def test_the_page_compares_the_sides(recording: Path, tmp_path: Path) -> None:
    page = tmp_path / "trial.html"
    ended = run("try", recording, "-n", 1, "--html", page, cwd=tmp_path)
    assert ended.status == 0, ended.err
    assert "<html" in page.read_text() and "sum.c" in page.read_text()


@pytest.mark.requires("one_node")
def test_the_file_that_keeps_the_effect_is_named_and_works(recording: Path, tmp_path: Path) -> None:
    ended = run("try", recording, "-n", 1, cwd=tmp_path)
    (file,) = tmp_path.glob("*.placement")
    assert f"--place {file.name}" in " ".join(ended.out.split())
    assert "will be run 2 times" in ended.err
    assert "what the trial cannot imitate" in ended.out
    assert run("run", "--place", file, SUM, 1, 16).status == 0


@pytest.mark.requires("one_node")
def test_a_rebuilt_program_is_tried_by_source_location(tmp_path: Path) -> None:
    program, path = tmp_path / "sum", tmp_path / "r.numaprof"
    source, flags = str(TREE / "examples" / "sum.c"), ("-fopenmp", "-O2", "-g", "-fno-tree-vectorize")
    build_c(program, source, *flags)
    assert run("record", "-q", "-o", path, program, 1, 16).status == 0
    build_c(program, source, *flags, "-fno-inline", "-DUNUSED")
    assert Path(program).stat().st_size > 0
    document = try_json(path, "-n", 1, cwd=tmp_path)
    rebuilt = any("rebuilt" in remark for remark in document["remarks"])
    assert side(document, "advice 1")["found_share"] == 1
    assert rebuilt


@pytest.mark.requires("one_node")
def test_programs_that_fail_now_and_then_are_counted(recording: Path, tmp_path: Path) -> None:
    flaky = tmp_path / "flaky"
    flaky.write_text(f'#!/bin/sh\nif [ -n "$NUMAPROF_PLACE" ]; then exit 3; fi\nexec {SUM} 1 16\n')
    flaky.chmod(0o755)
    ended = run("try", recording, "-n", 1, "--json", "--", flaky, cwd=tmp_path)
    assert ended.status == 1
    document = json.loads(ended.out)
    assert side(document, "advice 1")["failures"] == ["exit status 3"]
    assert side(document, "advice 1")["verdict"] == {"words": "cannot tell", "why": "no placed run ended well"}


@pytest.mark.requires("one_node")
def test_other_output_is_told(recording: Path, tmp_path: Path) -> None:
    script = tmp_path / "other"
    script.write_text(f'#!/bin/sh\n[ -n "$NUMAPROF_PLACE" ] && echo placed\n{SUM} 1 16\n')
    script.chmod(0o755)
    document = try_json(recording, "-n", 1, "--", script, cwd=tmp_path)
    assert any("output differs from the plain runs': advice 1" in remark for remark in document["remarks"])


@pytest.mark.requires("one_node")
def test_another_size_is_not_the_advised_allocation(recording: Path, tmp_path: Path) -> None:
    document = try_json(recording, "-n", 1, "--", SUM, 1, 64, cwd=tmp_path)
    placed = side(document, "advice 1")
    assert placed["found_share"] == 0
    assert placed["verdict"]["words"] == "cannot tell"


# --- bad input: one line, nothing run


def refused(ended: Ended, *words: str) -> None:
    assert ended.status == 125, ended
    assert ended.err.count("\n") == 1 and ended.err.startswith("numaprof: "), ended.err
    assert all(word in ended.err for word in words), ended.err


def changed(recording: Path, path: Path, statement: str) -> Path:
    shutil.copy(recording, path)
    with sqlite3.connect(path) as database:
        database.execute(statement)
    return path


def test_without_advice_there_is_nothing_to_try(tmp_path: Path) -> None:
    path = tmp_path / "true.numaprof"
    assert run("record", "-q", "-o", path, "true").status == 0
    refused(run("try", path), "nothing to try")


def test_no_recording_no_trial(tmp_path: Path) -> None:
    refused(run("try", tmp_path / "missing.numaprof"), "cannot read")
    (tmp_path / "text").write_text("hello")
    refused(run("try", tmp_path / "text"))
    refused(run("try"), "see numaprof try --help")


def test_a_deleted_program_is_named(recording: Path, tmp_path: Path) -> None:
    path = changed(recording, tmp_path / "r", """UPDATE run SET command = '["./gone"]', program = '/gone'""")
    refused(run("try", path), "./gone is not there any more")
    path = changed(recording, tmp_path / "s", """UPDATE run SET cwd = '/gone'""")
    refused(run("try", path), "/gone, which is gone")


def test_advice_numbers_are_those_of_the_report(recording: Path) -> None:
    refused(run("try", recording, "--advice", 7), "there is no advice 7")


def test_a_program_that_cannot_be_run_is_named(recording: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("hello")
    refused(run("try", recording, "--", text), "is not there any more")


def test_another_program_is_refused(recording: Path, tmp_path: Path) -> None:
    other = build_c(tmp_path / SUM.name, str(TREE / "tests" / "targets" / "placed.c"), "-pthread")
    ended = run("try", recording, "-n", 1, "--", other, cwd=tmp_path)
    assert ended.status == 125
    assert "another program than the recorded one" in ended.err
    assert not list(tmp_path.glob("*.placement"))


def test_nodes_that_are_not_here_are_named(recording: Path, tmp_path: Path) -> None:
    """A recording of a larger machine: its threads ran on node 5."""
    path = changed(recording, tmp_path / "r", "UPDATE node SET id = 5")
    path = changed(path, tmp_path / "s", "UPDATE cpu SET node = 5")
    refused(run("try", path, cwd=tmp_path), "needs node 5, which this process may not use here")


def test_a_recording_that_was_cut_short_is_tried_with_a_remark(recording: Path, tmp_path: Path) -> None:
    path = changed(recording, tmp_path / "r", "UPDATE run SET complete = 0")
    document = try_json(path, "-n", 1, cwd=tmp_path)
    assert any("cut short" in remark for remark in document["remarks"])


def test_what_hangs_is_ended_and_named(recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from numaprof.experiments import trial_runs  # noqa: PLC0415 (its constant is changed)

    monkeypatch.setenv("NUMAPROF_PROGRAM", str(BUILD / "numaprof"))
    monkeypatch.setattr(trial_runs, "GRACE_S", 60.0)
    program = trial_runs.Program(("sleep", "1000"), str(tmp_path), "none", (), 0.5)
    found = trial_runs.run_once(program, trial_runs.Arm("plain", "plain"), str(tmp_path / "plain.1"))
    assert found.failure is not None and "hangs" in found.failure
    assert found.recording is not None and one(Path(found.recording), "SELECT complete FROM run") == 1
