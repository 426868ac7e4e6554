# SPDX-License-Identifier: Apache-2.0
"""numaprof check: its exit codes, its one line, and when it refuses to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from machine_files import emptied
from numaprof.analysis.verdict import Judgement, judge
from numaprof.commands.arguments import percentage
from numaprof.commands.check import check as decide
from numaprof.document.headline import verdict
from numaprof.evidence.errors import Error, independent
from numaprof.evidence.evidence import Evidence, load
from numaprof.evidence.thresholds import MIN_COVERAGE, REMOTE_HEAVY
from numaprof.text.messages import EXIT_CANNOT_SAY, EXIT_FAILED, EXIT_LIMIT_EXCEEDED
from recording_builder import RAN, RecordingBuilder
from scenarios import SCENARIOS, levels
from test_report_recording import reports


def check(builder: RecordingBuilder, folder: Path, *arguments: str) -> tuple[int, str]:
    path = builder.write(folder / "sum.numaprof")
    done = reports("check", path, *arguments)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert str(path) in done.stdout
    return done.returncode, done.stdout


def test_within_the_limit(tmp_path: Path) -> None:
    status, line = check(SCENARIOS["parallel_init"](), tmp_path, "--max-remote", "10%")
    assert status == 0
    assert line.startswith(
        "ok: 0.6 % of DRAM requests are remote (demand reads + prefetches), limit 10.0 %, 100 % of CPU"
    )


def test_limit_exceeded(tmp_path: Path) -> None:
    status, line = check(SCENARIOS["serial_init"](), tmp_path, "--max-remote", "10%")
    assert status == EXIT_LIMIT_EXCEEDED
    assert line.startswith("exceeded: 50.0 %")


def test_the_limit_itself_is_within(tmp_path: Path) -> None:
    assert check(SCENARIOS["serial_init"](), tmp_path, "--max-remote", "50")[0] == 0


@pytest.mark.parametrize(
    ("builder", "why"),
    [
        (SCENARIOS["multiplexed"](), "the error is not known"),
        (SCENARIOS["faults_only"](), "no counters told local from remote"),
        (SCENARIOS["hinted"](), "no counters told local from remote"),
        (SCENARIOS["one_node_plan"](), "all threads ran on node 0"),
        (SCENARIOS["one_node_machine"](), "one node: nothing can be remote"),
        (SCENARIOS["killed_recorder"](), "cut short"),
        (SCENARIOS["serial_init"]().change("thread", cpu_ns=None), "an unknown part of CPU time counted"),
        (SCENARIOS["no_threads"](), "no counters"),
    ],
)
def test_cannot_say(builder: RecordingBuilder, why: str, tmp_path: Path) -> None:
    status, line = check(builder, tmp_path, "--max-remote", "10%")
    assert status == EXIT_CANNOT_SAY
    assert line.startswith("cannot say: ")
    assert why in line


def in_parts(builder: RecordingBuilder, remote: Sequence[int], share: float = 1 / 3) -> RecordingBuilder:
    """Eight intervals instead of one; remote: the counts of each, of a thousand requests."""
    builder.threads(2, cpus=(0, 4))
    clock, local = builder.event("time", ""), builder.event("demand_rd", "local_dram")
    away = builder.event("demand_rd", "remote_dram")
    for thread in (1, 2):
        for at, value in enumerate(remote, 1):
            builder.count(clock, thread, RAN, t_ns=at * RAN)
            builder.count(local, thread, 100 * (1000 - value), share, t_ns=at * RAN)
            builder.count(away, thread, 100 * value, share, t_ns=at * RAN)
    return builder


def test_multiplexed_counts_are_judged_by_their_interval(tmp_path: Path) -> None:
    def status(*remote: int) -> int:
        folder = tmp_path / "-".join(map(str, remote))
        folder.mkdir()
        return check(in_parts(levels(RecordingBuilder()), remote), folder, "--max-remote", "10%")[0]

    assert status(*[50] * 8) == 0
    assert status(300, 310, 290, 300, 295, 300, 310, 300) == EXIT_LIMIT_EXCEEDED
    assert status(20, 200, 20, 200, 20, 200, 20, 200) == EXIT_CANNOT_SAY


def test_little_coverage_is_enough_where_the_error_is_known(tmp_path: Path) -> None:
    remote = [300, 310, 290, 300, 295, 300, 310, 300]
    builder = in_parts(levels(RecordingBuilder()), remote, share=0.05)
    status, line = check(builder, tmp_path, "--max-remote", "10%")
    assert (status, "5 % of CPU time counted" in line) == (EXIT_LIMIT_EXCEEDED, True), line
    text = reports("report", tmp_path / "sum.numaprof").stdout
    assert "REMOTE  n/a" not in text


def test_more_coverage_can_be_asked_for(tmp_path: Path) -> None:
    status, line = check(
        in_parts(levels(RecordingBuilder()), [50] * 8), tmp_path, "--max-remote", "10%", "--min-coverage", "50%"
    )
    assert status == EXIT_CANNOT_SAY
    assert "33 % of CPU time counted, 50.0 % needed" in line


@pytest.mark.parametrize("name", SCENARIOS)
def test_check_agrees_with_the_report(name: str, tmp_path: Path) -> None:
    evidence = load(str(SCENARIOS[name]().write(tmp_path / "x.numaprof")))
    status, line = decide(evidence, 0.0, MIN_COVERAGE)
    if judge(evidence) is Judgement.NO_TRAFFIC:
        assert status != EXIT_LIMIT_EXCEEDED, line
    status, line = decide(evidence, REMOTE_HEAVY, MIN_COVERAGE)
    if judge(evidence) in (Judgement.LIGHT, Judgement.MODERATE, Judgement.ONE_NODE_USED):
        assert status != EXIT_LIMIT_EXCEEDED, line
    if judge(evidence) is Judgement.HEAVY:
        assert status != 0, line


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 40), st.integers(0, 60), st.integers(0, 2**16))
def test_multiplexed_runs_are_judged_as_the_report_says(tmp_path: Path, middle: int, spread: int, seed: int) -> None:
    """Whatever the share and its error: a limit at the report's own border is passed, exceeded or within the error."""
    random = Random(seed)
    parts = [min(1000, max(0, 5 * middle + random.randint(-spread, spread))) for _ in range(8)]
    evidence = load(str(in_parts(levels(RecordingBuilder()), parts).write(emptied(tmp_path) / "x.numaprof")))
    status, line = decide(evidence, REMOTE_HEAVY, MIN_COVERAGE)
    low, high = evidence.traffic.interval or (0.0, 1.0)
    says = verdict(evidence)
    not_certain = any("Not certain" in text for text in (says.headline, *says.details))
    if low < REMOTE_HEAVY <= high and judge(evidence) is not Judgement.NO_TRAFFIC:
        assert (status, not_certain) == (EXIT_CANNOT_SAY, True), (line, says)
    elif status == EXIT_LIMIT_EXCEEDED:
        assert judge(evidence) is Judgement.HEAVY, line
    else:
        assert judge(evidence) is not Judgement.HEAVY, line


def test_least_coverage_of_all_is_never_accepted(tmp_path: Path) -> None:
    builder = SCENARIOS["multiplexed"](share=0.05)
    assert check(builder, tmp_path, "--max-remote", "60%", "--min-coverage", "0%")[0] == EXIT_CANNOT_SAY


def test_no_requests_are_within_any_limit(tmp_path: Path) -> None:
    builder = SCENARIOS["little_traffic"]().change("count", value=0)
    status, line = check(builder, tmp_path, "--max-remote", "0%")
    assert status == 0
    assert "no request reached DRAM" in line


def test_nothing_to_gain_is_within_any_limit(tmp_path: Path) -> None:
    status, line = check(SCENARIOS["little_traffic"](), tmp_path, "--max-remote", "0%")
    assert status == 0
    assert line.startswith("ok: Nothing to gain here")


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        ((), "required: --max-remote"),
        (("--max-remote",), "expected one argument"),
        (("--max-remote", "much"), "'much' is not a percentage"),
        (("--max-remote", "nan"), "not between"),
        (("--max-remote", "101%"), "not between"),
        (("--max-remote", "-1%"), "expected one argument"),
        (("--max-remote", "0.1"), "write 0.1% or 10%"),
        (("--max-remote", "1%", "--frob"), "unrecognized arguments: --frob"),
        (("--max-remote", "1%", "two.numaprof"), "unrecognized arguments"),
    ],
)
def test_bad_arguments(arguments: tuple[str, ...], cause: str, tmp_path: Path) -> None:
    done = reports("check", SCENARIOS["serial_init"]().write(tmp_path / "sum.numaprof"), *arguments)
    assert done.returncode == EXIT_FAILED
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert cause in done.stderr
    assert "see numaprof check --help" in done.stderr


def test_percentage() -> None:
    assert percentage("10%") == percentage("10") == 0.1
    assert percentage("0.5%") == 0.005
    assert percentage("0") == 0


def test_help_names_the_codes() -> None:
    done = reports("check", "--help")
    assert done.returncode == 0
    assert str(EXIT_LIMIT_EXCEEDED) in done.stdout
    assert str(EXIT_CANNOT_SAY) in done.stdout


@pytest.mark.parametrize(
    ("remote", "half_width", "judgement"),
    [
        (30_000, 2, Judgement.NO_TRAFFIC),
        (30_000, 84_000, Judgement.HEAVY),
        # Too few blocks to know the error: a sum of which a share was seen is not hundreds of times that sum.
        (900, 500_000, Judgement.NO_TRAFFIC),
    ],
)
def test_few_remote_requests_cost_nothing_only_if_their_error_is_small(
    remote: int, half_width: float, judgement: Judgement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A count of 30 000 +- 84 000 does not tell that there is nothing to gain; 900 remote requests do in any case.

    In 400 ms of CPU time, 40 000 of 100 ns are 1 %; in an emulated machine, 10 000 of one thread matter.
    """
    strata = independent(Error((half_width / 1.96) ** 2))
    for name, empty in (("real", RecordingBuilder()), ("emulated", RecordingBuilder(emulated="two-nodes"))):
        builder = levels(empty).threads(8).counters("demand_rd", [remote // 2] * 8, [remote // 8] * 8)
        path = str(builder.write(tmp_path / name))
        with monkeypatch.context() as patch:
            traffic = load(path).traffic
            patch.setattr(Evidence, "traffic", replace(traffic, remote=replace(traffic.remote, strata=strata)))
            found = load(path)
            assert judge(found) is judgement
            status, _ = decide(found, 0.01, MIN_COVERAGE)
            assert (status == 0) == (judgement is Judgement.NO_TRAFFIC)


def test_a_share_between_packages_passes_no_limit_but_may_exceed_one(tmp_path: Path) -> None:
    """How many requests go to other nodes of the package is not known: the share of remote ones may be larger."""
    package = "the memory of the own package, all its nodes"
    for number, (scenario, status) in enumerate(
        (("parallel_init", EXIT_CANNOT_SAY), ("serial_init", EXIT_LIMIT_EXCEEDED))
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert check(SCENARIOS[scenario]().verified(package), folder, "--max-remote", "10%")[0] == status
