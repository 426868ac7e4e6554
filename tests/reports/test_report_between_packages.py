# SPDX-License-Identifier: Apache-2.0
"""Where numaprof verify found that local is the whole package: every report says what its shares are shares of."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from jobs import job_of, job_of_summaries, one_summary, rank
from numaprof.analysis.verdict import Judgement, judge
from numaprof.compare.sides import Side
from numaprof.document.build_comparison import comparison
from numaprof.document.build_report import document
from numaprof.evidence.evidence import load
from numaprof.job.check_job import check_job
from numaprof.job.compare_jobs import compare_jobs
from numaprof.model.comparison_model import Comparison
from numaprof.model.job_model import Job
from numaprof.page.job_page import job_page
from numaprof.page.overview_picture import overview_picture
from numaprof.page.report_page import report_page
from numaprof.terminal.job_view import print_job
from numaprof.terminal.layout import Layout
from numaprof.text.messages import EXIT_CANNOT_SAY, EXIT_LIMIT_EXCEEDED
from recording_builder import RecordingBuilder
from scenarios import SCENARIOS, levels, parallel_init, serial_init

PACKAGE = "the memory of the own package, all its nodes"
NEAR = "Between nodes of one package: not known, these requests count as local."


def split_socket() -> RecordingBuilder:
    """Nodes 0 and 1 are one package, node 2 another. Threads of nodes 0 and 2 read from another package as well."""
    builder = levels(RecordingBuilder(nodes=3, cpus_per_node=2)).change("cpu", where="node = 1", package=0)
    builder.verified(PACKAGE).threads(6)
    return builder.counters("demand_rd", [700_000] * 6, [300_000, 300_000, 0, 0, 200_000, 200_000])


def few() -> RecordingBuilder:
    """In 400 ms of CPU time remote reads cost 3 ms, all reads together 20 ms."""
    return levels(RecordingBuilder()).threads(8).counters("demand_rd", [21_250] * 8, [3_750] * 8)


def job(folder: Path, *builders: RecordingBuilder) -> Job:
    folder.mkdir()
    for number, builder in enumerate(builders):
        rank(builder, number, len(builders)).write(folder / f"rank-{number}.host0.{4711 + number}.numaprof")
    return job_of(folder)


def shown(found: Job) -> str:
    out = io.StringIO()
    print_job(found, Layout(out, 80))
    return " ".join(out.getvalue().split())


def compared(folder: Path, before: RecordingBuilder, after: RecordingBuilder) -> Comparison:
    sides = [
        Side((load(str(builder.write(folder / f"{name}.numaprof"))),))
        for name, builder in (("before", before), ("after", after))
    ]
    return comparison(sides[0], sides[1])


def test_a_job_says_that_its_share_is_one_between_packages(tmp_path: Path) -> None:
    found = job(tmp_path / "job", *(serial_init().verified(PACKAGE) for _ in range(2)))
    assert "of their DRAM requests are from another package." in found.verdict.headline
    assert "remote is another package" in (found.verdict.population or "")
    assert found.remarks.count(NEAR) == 1
    assert NEAR in shown(found)
    page = job_page(found, {})
    assert "<span>from another package, on all ranks</span>" in page and NEAR in page
    assert check_job(found, 0.1, 0.0)[0] == EXIT_LIMIT_EXCEEDED


def test_a_job_is_not_left_alone_where_little_goes_between_packages(tmp_path: Path) -> None:
    found = job(tmp_path / "job", *(parallel_init().verified(PACKAGE) for _ in range(2)))
    assert found.verdict.judgement == found.ranks[0].judgement == "light_between_packages"
    assert found.verdict.headline.startswith("Little is remote on all 2 ranks: ")
    assert "leave it alone" not in (shown(found) + job_page(found, {})).lower()
    status, line = check_job(found, 0.1, 0.0)
    assert status == EXIT_CANNOT_SAY
    assert "requests between nodes of one package are not known of 2 ranks (0-1)" in line


def test_ranks_to_leave_alone_are_told_from_those_between_packages(tmp_path: Path) -> None:
    found = job(tmp_path / "job", parallel_init(), parallel_init(), parallel_init().verified(PACKAGE))
    assert found.verdict.headline.startswith("Leave it alone on 2 of 3 ranks (0-1)")
    assert {each.judgement: each.ranks for each in found.judged} == {"light": "0-1", "light_between_packages": "2"}


def test_shares_of_two_meanings_are_not_added(tmp_path: Path) -> None:
    found = job(tmp_path / "job", serial_init(), serial_init(), parallel_init().verified(PACKAGE))
    assert found.verdict.ranks == 2 and not found.verdict.between_packages
    assert "are remote." in found.verdict.headline
    assert any(text.startswith("In no sum, 1 rank") for text in found.remarks)
    assert f"1 rank, where remote is another package: 2. {NEAR}" in found.remarks


def test_a_job_names_the_ranks_where_nobody_knows_what_remote_means(tmp_path: Path) -> None:
    doubted = serial_init().note("clusters", "sockets have several nodes here: not documented")
    found = job(tmp_path / "job", serial_init(), doubted)
    assert "What remote means is in doubt on 1 rank, whose own reports say why: 1." in found.remarks


def test_of_ranks_with_next_to_no_traffic_the_headline_has_no_share(tmp_path: Path) -> None:
    found = job(tmp_path / "job", *(SCENARIOS["little_traffic"]() for _ in range(2)))
    assert found.verdict.headline == "Nothing to gain here: too little memory traffic on all 2 ranks."


@pytest.mark.parametrize("verified", [(True, True), (True, False), (False, False)])
def test_a_comparison_says_it_too_and_compares_no_other_meaning(verified: Sequence[bool], tmp_path: Path) -> None:
    builders = [
        builder.verified(PACKAGE) if known else builder
        for builder, known in zip((serial_init(), parallel_init()), verified)
    ]
    found = compared(tmp_path, *builders)
    assert (NEAR in found.noise) == any(verified)
    assert ("remote is another package" in found.headline) == any(verified)
    assert found.change == ("not known" if any(verified) != all(verified) else "better")


def test_a_comparison_of_next_to_no_traffic_says_that_nothing_matters(tmp_path: Path) -> None:
    little = SCENARIOS["little_traffic"]
    told = "Both made too few requests for the placement of memory to matter."
    assert told in compared(tmp_path, little(), little()).noise
    (tmp_path / "one").mkdir()
    assert told not in compared(tmp_path / "one", serial_init(), little()).noise


def test_few_requests_between_packages_do_not_prove_that_nothing_is_to_be_gained(tmp_path: Path) -> None:
    """How many of the others go between the nodes of a package is not known."""
    judged = [
        judge(load(str(builder.write(tmp_path / f"{number}.numaprof"))))
        for number, builder in enumerate((few(), few().verified(PACKAGE)))
    ]
    assert judged == [Judgement.NO_TRAFFIC, Judgement.MODERATE]


def test_few_requests_of_all_kinds_prove_it_between_packages_as_well(tmp_path: Path) -> None:
    found = document(str(SCENARIOS["little_traffic"]().verified(PACKAGE).write(tmp_path / "x.numaprof")))
    assert found.verdict.judgement == "no_traffic"
    assert "requests from another package cost at most" in found.verdict.headline
    assert "remote" not in found.verdict.headline + "".join(found.verdict.details).replace("remote is", "")


def test_the_page_names_the_share_and_draws_no_flow_to_the_own_node(tmp_path: Path) -> None:
    """Which node of the own package answered is not known; of the other package, which has one node, it is."""
    report = document(str(split_socket().write(tmp_path / "x.numaprof")))
    page = report_page(report)
    assert "<span>from another package</span>" in page and NEAR in page
    picture = overview_picture(report)
    assert picture is not None
    flows = {(flow.from_node, flow.to_node): flow for flow in picture.flows}
    assert {ends: flow.requests for ends, flow in flows.items()} == pytest.approx(
        {(0, 2): 600_000, (0, None): 1_400_000, (1, None): 1_400_000, (2, 2): 1_400_000, (2, None): 400_000}
    )
    assert flows[0, None].label == "1.4 M, from which node is not known"
    assert flows[2, None].label == "remote 400 k, from which node is not known"


def test_two_jobs_are_compared_in_one_meaning_only(tmp_path: Path) -> None:
    plain = job(tmp_path / "plain", serial_init(), serial_init())
    near = job(tmp_path / "near", *(parallel_init().verified(PACKAGE) for _ in range(2)))
    assert compare_jobs(plain, near).headline.startswith("The remote shares cannot be compared")
    alike = compare_jobs(job(tmp_path / "before", *(serial_init().verified(PACKAGE) for _ in range(2))), near)
    assert alike.headline.startswith("The remote share fell")
    assert NEAR in alike.before.remarks and NEAR in alike.after.remarks


def test_summaries_carry_the_meaning(tmp_path: Path) -> None:
    summary = one_summary(tmp_path, rank(serial_init().verified(PACKAGE), 0))
    assert summary.share.between_packages
    assert job_of_summaries(summary).verdict.between_packages
