# SPDX-License-Identifier: Apache-2.0
"""Reports of jobs: the verdict over all ranks, the ranks that stand apart, and what is left out of every sum."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jobs import job_directory, job_of, job_of_summaries, one_summary, rank
from jsonschema import Draft202012Validator
from numaprof.evidence.evidence import load
from numaprof.export.json_document import plain
from numaprof.job.check_job import check_job
from numaprof.job.collect import Collected, Refused, collect, merged_lines
from numaprof.job.combine import combine
from numaprof.job.compare_jobs import compare_jobs
from numaprof.job.paths import recording_path
from numaprof.job.select import select
from numaprof.job.shares import together
from numaprof.job.summary_line import from_line, summary_of, to_line
from numaprof.model.job_model import Job, LeftOut
from numaprof.model.rank_model import VERSION, RankSummary
from numaprof.text.format import percent
from numaprof.text.messages import Failure
from recording_builder import LOAD, PAGE, REMOTE, RecordingBuilder
from scenarios import ARRAY, BLOCK, LOOP, PAGES, faults_only, named_objects, parallel_init, serial_init
from test_report_recording import reports


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> RankSummary:
    """Of rank 0, which initialises serially."""
    return one_summary(tmp_path_factory.mktemp("summary"), rank(serial_init(), 0))


def with_share(summary: RankSummary, number: int, remote: float, error: float | None = 0.01) -> RankSummary:
    """A rank of a million requests."""
    low, high = (None, None) if error is None else (max(0.0, remote - error), min(1.0, remote + error))
    word = "heavy" if remote >= 0.1 else "light"
    share = replace(
        summary.share, judgement=word, remote=remote * 1e6, total=1e6, lowest=low, highest=high, samples=None
    )
    return replace(summary, number=number, local_number=number % 4, recording=f"rank-{number}.numaprof", share=share)


def outliers(job: Job) -> list[int]:
    return [each.number for each in job.ranks if each.outlier]


@pytest.mark.parametrize("serial", [[0, 4, 8, 12], [3], [4, 5, 6, 7], []])
def test_outliers_are_exactly_the_ranks_that_initialise_serially(tmp_path: Path, serial: list[int]) -> None:
    job = job_of(job_directory(tmp_path / "job", serial))
    assert outliers(job) == serial
    assert (job.found, job.size, job.missing, job.left_out) == (16, 16, "", ())
    assert job.verdict.judgement == ("heavy" if serial else "light")
    for advice in job.advice:
        if advice.kind == "fix":
            assert advice.place == "sum.c:17 main"
            assert advice.count == len(serial) and advice.representative in serial


def test_share_of_the_job_is_that_of_all_requests(tmp_path: Path) -> None:
    """Against a sum over the recordings themselves."""
    folder = job_directory(tmp_path / "job", [1, 2])
    traffic = [load(str(path)).traffic for path in sorted(folder.iterdir())]
    remote, total = sum(each.remote.estimate or 0 for each in traffic), sum(each.total or 0 for each in traffic)
    verdict = job_of(folder).verdict
    assert verdict.remote_share == pytest.approx(remote / total)
    assert verdict.ranks == 16 and verdict.without_error == 0
    assert verdict.headline == "Worth fixing on 2 of 16 ranks (1-2): 50.0 % of their DRAM requests are remote."


def test_what_outliers_have_in_common(tmp_path: Path) -> None:
    assert job_of(job_directory(tmp_path / "a", [4, 5, 6, 7])).pattern == "all ranks of 1 host: host1"
    assert job_of(job_directory(tmp_path / "b", [0, 4, 8, 12])).pattern == "local rank 0 of each host"
    assert job_of(job_directory(tmp_path / "c", [0, 4])).pattern is None


def test_what_the_ranks_to_fix_have_in_common(summary: RankSummary) -> None:
    """Half of all ranks: no majority that the others stand apart from."""
    ranks = [with_share(summary, number, 0.5 * (number % 2)) for number in range(8)]
    bound = [replace(each, binding=replace(each.binding, cpu_nodes=(number % 2,))) for number, each in enumerate(ranks)]
    assert "These are all ranks bound to node 1." in job_of_summaries(*bound).verdict.details
    assert not any("These are" in line for line in job_of_summaries(*ranks).verdict.details)


def test_one_rank_of_many_decides_only_if_it_is_worth_fixing(summary: RankSummary) -> None:
    light = [with_share(summary, number, 0.02) for number in range(8)]
    short = replace(light[0], number=8, share=replace(light[0].share, judgement="refused", remote=None, total=None))
    found = job_of_summaries(*light, short).verdict
    assert found.judgement == "light" and found.headline.startswith("Leave it alone on 8 of 9 ranks (0-7)")
    assert "Not known for 1 rank: 8." in found.details
    assert job_of_summaries(*light, with_share(summary, 8, 0.5)).verdict.judgement == "heavy"
    assert job_of_summaries(short).verdict.judgement == "refused"


def test_an_error_of_its_own_makes_no_outlier(summary: RankSummary) -> None:
    ranks = [with_share(summary, number, 0.02) for number in range(8)]
    apart = with_share(summary, 8, 0.12, error=0.02)
    assert outliers(job_of_summaries(*ranks, apart)) == [8]
    unsure = with_share(summary, 8, 0.12, error=0.11)
    assert outliers(job_of_summaries(*ranks, unsure)) == []
    unknown = job_of_summaries(*ranks, with_share(summary, 8, 0.12, error=None))
    assert outliers(unknown) == [] and unknown.without_comparison == 1


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.001, 0.2), st.floats(1, 1e9)), min_size=1, max_size=12))
@settings(max_examples=50, deadline=None)
def test_interval_of_the_whole_is_no_wider_than_its_ranks(
    summary: RankSummary, rows: list[tuple[float, float, float]]
) -> None:
    ranks = [
        replace(each, share=replace(each.share, remote=share * total, total=total))
        for number, (share, error, total) in enumerate(rows)
        for each in [with_share(summary, number, share, error)]
    ]
    found = together(ranks)
    assert found.share is not None and found.lowest is not None and found.highest is not None
    assert found.lowest <= found.share <= found.highest
    assert found.highest - found.lowest <= 2 * max(error for _, error, _ in rows) + 1e-9


def test_a_rank_without_a_known_error_widens_the_interval_by_its_weight(summary: RankSummary) -> None:
    found = together([with_share(summary, 0, 0.2, 0.01), with_share(summary, 1, 0.2, None)])
    assert (found.share, found.without_error) == (pytest.approx(0.2), 1)
    assert found.lowest == pytest.approx(0.2 - 0.005 - 0.1) and found.highest == pytest.approx(0.2 + 0.005 + 0.4)
    assert together([with_share(summary, 1, 0.2, None)]).lowest is None


def test_different_populations_are_not_added(tmp_path: Path) -> None:
    folder = job_directory(tmp_path / "job", [], size=4)
    rank(named_objects(), 3, 4).write(tmp_path / "other.numaprof")
    (tmp_path / "other.numaprof").replace(folder / sorted(os.listdir(folder))[3])
    job = job_of(folder)
    assert job.verdict.ranks == 3
    assert "1 rank counted something else and are in no sum: 3." in job.remarks or any(
        "counted something else" in text and text.endswith(": 3.") for text in job.remarks
    )


def loads_by_object(path: Path) -> dict[str, tuple[int, int]]:
    """Sampled loads of a recording: remote ones and all, by the object's kind."""
    with closing(sqlite3.connect(path)) as recording:
        found = recording.execute(
            "SELECT object.kind, sum(source = ?), count(*) FROM sample JOIN block ON block.id = sample.block"
            " JOIN object ON object.id = block.object WHERE sample.kind = ? GROUP BY object.kind",
            (REMOTE, LOAD),
        )
        return {kind: (remote, total) for kind, remote, total in found}


def test_objects_by_site_over_ranks(tmp_path: Path) -> None:
    """Against sums over the recordings: rank n reads n lots more of the array from the other node; 3 has no table."""
    (tmp_path / "job").mkdir()
    paths = [tmp_path / "job" / f"rank-{number}.numaprof" for number in range(4)]
    for number, path in enumerate(paths):
        builder = rank(named_objects(), number, 4)
        builder.loads(builder.stack(builder.place(LOOP)), 5, range(ARRAY, ARRAY + number * 64 * PAGE, PAGE), 0, block=1)
        if number == 3:
            builder.statements.append("DELETE FROM sample WHERE block = 2; DELETE FROM block WHERE id = 2;")
        builder.write(path)
    loads = [loads_by_object(path) for path in paths]
    all_remote = sum(remote for found in loads for remote, _ in found.values())
    rows = {row.kind: row for row in job_of(tmp_path / "job").objects}
    assert [(row.name, row.site) for row in rows.values()] == [("sum.c:14 main",) * 2, ("table", "sum.c:17 main")]
    for kind, one, having in (("heap", PAGES * PAGE, 4), ("static", BLOCK * PAGE, 3)):
        row, its = rows[kind], [found[kind] for found in loads if kind in found]
        shares = [remote / total for remote, total in its]
        assert (row.count, row.ranks, row.bytes, row.bytes_most) == (having, f"0-{having - 1}", having * one, one)
        assert (row.remote_least, row.remote_most) == (pytest.approx(min(shares)), pytest.approx(max(shares)))
        assert row.remote_median == pytest.approx(median(shares))
        assert row.of_all_remote == pytest.approx(sum(remote for remote, _ in its) / all_remote)
    shown = reports("report", "job", cwd=tmp_path).stdout
    assert "OBJECTS OVER RANKS" in shown and "sum.c:14 main" in shown


def test_the_report_of_a_job(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    """Rank 5 alone is bound, and initialises serially like the first of each host."""
    folder = job_directory(tmp_path / "job", [0, 4, 8, 12])
    bound = sorted(folder.iterdir())[5]
    bound.unlink()
    rank(serial_init(), 5, cpus="0-6").write(bound)
    golden("report/of-a-job.txt", reports("report", "job", cwd=tmp_path).stdout)


def test_ranks_of_other_versions_and_commands_are_said(summary: RankSummary) -> None:
    ranks = [with_share(summary, number, 0.02) for number in range(4)]
    alike = job_of_summaries(*ranks)
    ranks[1] = replace(ranks[1], tool_version="0.0.9", command_line="./other")
    found = job_of_summaries(*ranks)
    assert set(found.remarks) - set(alike.remarks) == {
        "The ranks run 2 different commands.",
        f"Recorded by numaprof 0.0.9, {summary.tool_version}.",
    }
    assert found.command_line == summary.command_line


def test_ranks_without_counters_say_so(tmp_path: Path) -> None:
    job = job_of(job_directory(tmp_path / "job", [], size=4, build=faults_only))
    assert job.verdict.judgement == "unknown" and job.verdict.remote_share is None
    assert job.spread is None and job.verdict.headline.startswith("Who reads remote memory was not measured on all 4")


# What is left out is named and counted


def test_missing_damaged_and_foreign_recordings(tmp_path: Path) -> None:
    folder = job_directory(tmp_path / "job", [0])
    names = sorted(os.listdir(folder))
    whole = job_of(folder)
    (folder / names[3]).unlink()
    (folder / names[5]).write_bytes((folder / names[5]).read_bytes()[:5000])
    (folder / names[6]).write_text("not a recording")
    serial_init().write(folder / "alone.numaprof")
    rank(serial_init(), 2, 16, job="99.0").write(folder / "of-another-job.numaprof")
    rank(serial_init(), 40).write(folder / "beyond.numaprof")
    newer = rank(parallel_init(), 7).write(folder / names[7]) if not (folder / names[7]).unlink() else None
    assert newer is not None
    make_newer(newer)
    os.symlink("/nowhere/rank-8.numaprof", folder / "rank-88.host9.1.numaprof")
    job = job_of(folder)
    reasons = {left.why: (left.count, left.files) for left in job.left_out}
    assert job.missing == "3,5-7" and job.missing_count == 4 and job.found == 12
    assert reasons["is not a recording of numaprof"] == (1, (names[6],))
    assert reasons["of no rank: no launcher of a parallel job started it"] == (1, ("alone.numaprof",))
    assert reasons["of another job (Slurm 99.0 of 16 ranks)"] == (1, ("of-another-job.numaprof",))
    assert reasons["of rank 40, in a job of 16 ranks"] == (1, ("beyond.numaprof",))
    assert any("is cut off" in why and files == (names[5],) for why, (_, files) in reasons.items())
    assert any("has recording version 9" in why for why in reasons)
    assert any("not moved here" in why for why in reasons)
    assert "4 ranks of 16 left no recording that can be read: 3,5-7." in job.remarks
    # The ranks that are left say what they said before.
    assert [each for each in whole.ranks if each.number not in (3, 5, 6, 7)] == list(job.ranks)


def test_many_reasons_are_few_lines(summary: RankSummary) -> None:
    """A full disk cuts each recording at a place of its own."""
    cut = tuple(Refused(f"{number}.numaprof", f"is cut off: {number} bytes of 90000") for number in range(500))
    other = tuple(Refused(f"other{number}", "of no use: " + "x" * number) for number in range(20))
    job = combine(select(Collected((summary,), cut + other)), ["test"])
    assert job.left_out[0] == LeftOut("is cut off: … bytes of …", 500, tuple(sorted(each.name for each in cut)[:5]))
    assert job.left_out[-1].why == "for other reasons" and sum(left.count for left in job.left_out) == 520
    assert len(job.left_out) == 13


def make_newer(path: Path) -> None:
    """user_version stands at offset 60 of the file."""
    data = bytearray(path.read_bytes())
    data[60:64] = (9).to_bytes(4, "big")
    path.write_bytes(data)


def test_an_earlier_run_in_the_same_directory_is_in_no_sum(tmp_path: Path) -> None:
    """The launcher told no name of the job; rank 2 of the second run left no recording."""
    for number in range(4):
        old = rank(serial_init(started_at="2026-11-20T20:00:00.000Z"), number, 4, job=None)
        old.write(tmp_path / f"old-{number}.numaprof")
        if number != 2:
            new = rank(parallel_init(started_at="2026-11-20T21:00:00.000Z"), number, 4, job=None)
            new.write(tmp_path / f"new-{number}.numaprof")
    job = job_of(tmp_path)
    assert [each.recording for each in job.ranks] == [f"new-{number}.numaprof" for number in (0, 1, 3)]
    assert job.missing == "2"
    assert [(left.why, left.count) for left in job.left_out] == [
        ("of an earlier run in the same directory, by its time", 4)
    ]


def test_two_jobs_at_once_without_names_are_refused(tmp_path: Path) -> None:
    for number in range(4):
        rank(serial_init(), number, 4, job=None).write(tmp_path / f"a{number}.numaprof")
        rank(parallel_init(), number, 4, job=None).write(tmp_path / f"b{number}.numaprof")
    with pytest.raises(Failure, match="rank 0 is there twice at the same time"):
        job_of(tmp_path)


def test_two_jobs_in_one_directory(tmp_path: Path) -> None:
    for number in range(4):
        rank(serial_init(started_at="2026-11-20T20:00:00.000Z"), number, 4, job="1").write(
            tmp_path / f"a{number}.numaprof"
        )
        rank(parallel_init(started_at="2026-11-20T20:01:00.000Z"), number, 4, job="2").write(
            tmp_path / f"b{number}.numaprof"
        )
    job = job_of(tmp_path)
    assert (job.job, job.found, job.verdict.judgement) == ("2", 4, "light")
    assert [(left.why, left.count) for left in job.left_out] == [("of another job (Slurm 1 of 4 ranks)", 4)]


def test_ranks_bound_to_the_same_cpus_have_the_binding_as_their_verdict(summary: RankSummary) -> None:
    """Four ranks of eight threads on seven CPUs; each alone has enough of them."""
    ranks = [with_share(summary, number, 0.02) for number in range(16)]
    for number in range(16):
        host = replace(summary.host, name=f"host{number // 4}")
        by, cpus = ("launcher", "0-6") if number < 4 else ("none", "0-7")
        ranks[number] = replace(
            ranks[number], host=host, advice=(), binding=replace(summary.binding, by=by, cpus=cpus, threads=8)
        )
    job = job_of_summaries(*ranks)
    assert job.verdict.judgement == "binding"
    assert job.verdict.headline.startswith("The binding is at fault on 4 of 16 ranks (0-3)")
    assert "rank 0: this rank shares 7 CPUs (0-6) with 3 other ranks: 32 threads in all." in job.verdict.details[0]
    (advice,) = job.advice
    assert advice.count == 4 and advice.code == ("srun --cpus-per-task=8 --cpu-bind=cores",)
    apart = [
        replace(each, binding=replace(each.binding, cpus=f"{number}"), host=ranks[0].host) if number < 4 else each
        for number, each in enumerate(ranks)
    ]
    assert job_of_summaries(*apart).verdict.judgement == "light"
    assert job_of_summaries(*ranks[3:]).verdict.judgement == "light"


@pytest.mark.parametrize("size,said", [(8, "clocks of hosts differ"), (4, "others had ended: the ranks did not run")])
def test_clocks_that_differ_are_said(tmp_path: Path, size: int, said: str) -> None:
    """Ranks of one host have one clock."""
    folder = job_directory(tmp_path / "job", [], size=size)
    name = sorted(os.listdir(folder))[-1]
    (folder / name).unlink()
    rank(parallel_init(started_at="2026-11-20T20:05:00.000Z"), size - 1, size).write(folder / name)
    assert any(said in text for text in job_of(folder).remarks)


def test_hosts_that_differ_are_said(tmp_path: Path) -> None:
    folder = job_directory(tmp_path / "job", [], size=12)
    for number in range(4, 8):
        name = sorted(os.listdir(folder))[number]
        (folder / name).unlink()
        rank(parallel_init(balancing=1, kernel="6.8.0", cpu_name="Other CPU"), number, 12).write(folder / name)
    (one,) = [host for host in job_of(folder).hosts if host.differs]
    assert one.name == "host1" and one.ranks == "4-7"
    assert set(one.differs) == {
        "NUMA balancing: on (most hosts: off)",
        "kernel: 6.8.0 (most hosts: 6.1.0)",
        "CPU: Other CPU (most hosts: Test CPU)",
    }


def test_nothing_of_use(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="no recording of a rank"):
        job_of(tmp_path)
    serial_init().write(tmp_path / "alone.numaprof")
    with pytest.raises(Failure, match=r"alone\.numaprof: of no rank") as refused:
        job_of(tmp_path)
    assert refused.value.remedy == "numaprof report FILE shows it alone"


def test_recordings_of_no_rank_are_not_merged(tmp_path: Path) -> None:
    """No report could read the file."""
    serial_init().write(tmp_path / "alone.numaprof")
    done = reports("merge", "alone.numaprof", "-o", "all.ranks", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (125, "")
    assert "no recording of a rank: no launcher of a parallel job started alone.numaprof; " in done.stderr
    assert not (tmp_path / "all.ranks").exists()


# Summaries and merging


@pytest.mark.parametrize("build", [serial_init, parallel_init, named_objects, faults_only])
def test_a_summary_survives_its_line(tmp_path: Path, build: type[RecordingBuilder]) -> None:
    path = str(rank(build(), 3).write(tmp_path / "r.numaprof"))
    summary = summary_of(path)
    assert from_line(to_line(summary)) == summary and summary.share.headline
    assert len(to_line(summary)) < 16 << 10


def test_why_a_recording_is_left_out_is_shown_without_its_control_characters(tmp_path: Path) -> None:
    """SQLite repeats the text that it cannot read."""
    folder = job_directory(tmp_path / "job", [], size=2)
    path = folder / sorted(os.listdir(folder))[1]
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = 'CREATE \x1b[31m' WHERE name = 'process'")
        database.commit()
    (left,) = job_of(folder).left_out
    assert "is damaged" in left.why and left.why.isprintable()


def test_a_damaged_summary_is_left_out(tmp_path: Path) -> None:
    text = json.dumps({"format": "numaprof.rank", "version": VERSION})
    folder = job_directory(tmp_path / "job", [], size=4)
    (folder / "other.ranks").write_text(f"{text}\n")
    (left,) = job_of(folder).left_out
    assert left.files == ("other.ranks, line 1",) and left.why.startswith("damaged: ")


def test_ranks_that_were_not_followed_are_named(summary: RankSummary) -> None:
    ranks = [with_share(summary, number, 0.02) for number in range(4)]
    assert not any("followed" in text for text in job_of_summaries(*ranks).remarks)
    ranks[2] = replace(ranks[2], losses=("lost", "not_followed"))
    assert "1 rank with programs that were not pinned or followed: 2." in job_of_summaries(*ranks).remarks


def test_a_copy_of_a_recording_is_no_second_rank(tmp_path: Path) -> None:
    folder = job_directory(tmp_path / "job", [0, 4], size=8)
    first = sorted(folder.iterdir())[0]
    before = job_of(folder)
    shutil.copy(first, folder / "saved.numaprof")
    job = job_of(folder)
    assert (job.ranks, job.verdict, job.missing) == (before.ranks, before.verdict, "")
    assert job.left_out == (LeftOut(f"a copy of {first.name}", 1, ("saved.numaprof",)),)


@pytest.mark.parametrize(
    "name,value",
    [
        ("remote", -5.0),
        ("remote", 1e300),
        ("total", 1e-3),
        ("lowest", -1.0),
        ("highest", 50.0),
        ("remote", float("nan")),
    ],
)
def test_a_share_that_cannot_be_is_in_no_sum(summary: RankSummary, tmp_path: Path, name: str, value: float) -> None:
    path = tmp_path / "j.ranks"
    good = [with_share(summary, number, 0.2) for number in range(4)]
    damaged = json.loads(to_line(good[3]))
    damaged["share"][name] = value
    path.write_text("".join(line + "\n" for line in (*map(to_line, good[:3]), json.dumps(damaged))))
    found = collect([str(path)])
    assert list(found.summaries) == good[:3] and "line 4" in found.refused[0].name
    assert combine(select(found), []).verdict.remote_share == pytest.approx(0.2)


def test_a_summary_names_no_file_elsewhere(summary: RankSummary, tmp_path: Path) -> None:
    """A merged file from anybody may say anything."""
    folder = tmp_path / "job"
    folder.mkdir()
    serial_init().write(tmp_path / "secret.numaprof")
    for name in ("../secret.numaprof", str(tmp_path / "secret.numaprof"), ".."):
        assert recording_path([str(folder)], name) is None
    line = to_line(replace(with_share(summary, 0, 0.5), recording="../secret.numaprof"))
    (folder / "j.ranks").write_text(line + "\n")
    assert reports("check", "job", "--max-remote", "10%", "--sarif", "j.sarif", cwd=tmp_path).returncode == 121
    assert json.loads((tmp_path / "j.sarif").read_text())["runs"][0]["results"][0]["locations"] == []
    assert reports("report", "job", "--html", "j.html", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "j_ranks").exists()


def merged(found: Collected, folder: Path, name: str) -> str:
    path = folder / f"{name}.ranks"
    path.write_text("".join(merged_lines(found)))
    return str(path)


def document(paths: Sequence[str]) -> object:
    made = plain(combine(select(collect(paths)), []))
    return made


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_any_tree_of_merges_is_one_merge(
    summary: RankSummary, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    shares = data.draw(st.lists(st.floats(0, 1), min_size=1, max_size=12))
    parts = [
        merged(Collected((with_share(summary, number, share),)), folder, f"rank{number}")
        for number, share in enumerate(shares)
    ]
    (folder / "bad.ranks").write_text("{}\n")
    parts.append(str(folder / "bad.ranks"))
    expected = document(parts)
    for step in range(100):
        if len(parts) == 1:
            break
        chosen = data.draw(st.lists(st.sampled_from(parts), min_size=2, max_size=4, unique=True))
        keep = data.draw(st.booleans())  # merging the same once more changes nothing
        parts = [part for part in parts if part not in chosen[1 if keep else 0 :]]
        parts.append(merged(collect(chosen), folder, f"step{step}"))
        data.draw(st.randoms()).shuffle(parts)
    assert document(parts) == expected


@given(st.text(max_size=200) | st.binary(max_size=200).map(repr))
@settings(max_examples=100, deadline=None)
def test_any_line_of_a_merged_file_is_a_summary_or_refused(text: str) -> None:
    with pytest.raises(ValueError):
        from_line(text)


def test_any_damage_to_a_summary_is_refused_or_harmless(summary: RankSummary) -> None:
    good = json.loads(to_line(summary))
    for name in good:
        for value in (None, -1, "x\x1b[31m", [], {}, True):
            try:
                found = from_line(json.dumps({**good, name: value}))
            except ValueError:
                continue
            assert "\x1b" not in to_line(found).encode().decode("unicode_escape")


# Commands


def test_report_and_merge_commands(tmp_path: Path) -> None:
    job_directory(tmp_path / "job", [0, 4], size=8)
    (tmp_path / "job" / "junk.numaprof").write_text("junk")
    direct = reports("report", "job", cwd=tmp_path)
    assert direct.returncode == 0 and "Worth fixing on 2 of 8 ranks (0,4)" in direct.stdout
    assert "junk.numaprof" in direct.stdout
    done = reports("merge", "job", "-o", "all.ranks", cwd=tmp_path)
    assert done.returncode == 0 and "8 recordings merged, 1 left out" in done.stderr
    assert reports("report", "all.ranks", cwd=tmp_path).stdout == direct.stdout
    assert reports("merge", "job", "-o", "all", cwd=tmp_path).returncode == 125
    found = json.loads(reports("report", "all.ranks", "--json", "-", cwd=tmp_path).stdout)
    assert found["format"] == "numaprof.job" and found["found"] == 8 and found["left_out"][0]["count"] == 1
    assert reports("report", "job", "--full", cwd=tmp_path).returncode == 125


@pytest.mark.parametrize(
    "columns,bound",
    [
        ({"cpus": "0-3"}, "CPUs 0-3: bound"),
        ({"shares": 1}, "CPUs 0-7: not bound, shared out by numaprof"),
        ({}, "CPUs 0-7: not bound"),
    ],
)
def test_the_report_of_a_rank_says_which_it_is_and_who_bound_it(
    tmp_path: Path, columns: dict[str, Any], bound: str
) -> None:
    rank(serial_init(), 5, **columns).write(tmp_path / "r.numaprof")
    shown = reports("report", "--full", "r.numaprof", "--html", "r.html", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    text = reports("report", "--full", "r.numaprof", cwd=tmp_path).stdout
    assert f"\nrank 5 of 16, started by Slurm, {bound}\n" in text
    assert text.splitlines()[-3] == "after a change, started by Slurm as before (NEW: this rank's recording):"
    page = " ".join(re.sub(r"<[^>]*>", "", (tmp_path / "r.html").read_text()).split())
    assert f"rank 5 of 16, started by Slurm, {bound}" in page
    assert "After a change, started by Slurm as before: numaprof ./sum" in page and "NEW is this rank" in page


def test_page_links_the_pages_of_ranks(tmp_path: Path) -> None:
    job_directory(tmp_path / "job", [2], size=8)
    assert reports("report", "job", "--html", "j.html", cwd=tmp_path).returncode == 0
    text = (tmp_path / "j.html").read_text()
    assert os.listdir(tmp_path / "j_ranks") == ["rank-2.html"]
    assert (
        'href="j_ranks/rank-2.html"' in text
        and "Worth fixing on 1 of 8 ranks (rank 2): 50.0 % of its DRAM requests" in text
    )


def test_without_counts_no_rank_has_most(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    for number in range(4):
        rank(faults_only(), number, 4, cpus="0").write(tmp_path / "job" / f"rank-{number}.numaprof")
    said = reports("report", "job", "--html", "j.html", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    page = (tmp_path / "j.html").read_text()
    for text in (reports("report", "job", cwd=tmp_path).stdout, re.sub(r"<[^>]*>", "", page)):
        assert "On 4 ranks (0-3), such as rank 0: This rank may use 1 CPU (0)" in " ".join(text.split())


def test_check_of_a_job(tmp_path: Path) -> None:
    folder = job_directory(tmp_path / "job", [0, 4], size=8)

    def check(*words: str) -> tuple[int, str]:
        done = reports("check", "job", *words, cwd=tmp_path)
        return done.returncode, done.stdout

    assert check("--max-remote", "60%") == (0, "ok: 8 ranks, 50.0 % at most, limit 60.0 % · job\n")
    assert check("--max-remote", "10%") == (
        121,
        "exceeded: by 2 ranks (0,4) of 8, 50.0 % on rank 0, limit 10.0 % · job\n",
    )
    (folder / sorted(os.listdir(folder))[3]).unlink()
    assert check("--max-remote", "60%")[0] == 122
    assert check("--max-remote", "10%")[0] == 121  # what is above is above, whoever is missing


@pytest.mark.parametrize(
    "change,reason",
    [
        ({"complete": False}, "the recordings were cut short"),
        ({"judgement": "unknown"}, "the remote share is not known"),
        ({"remote_share": None}, "the remote share is not known"),
        ({"coverage": 0.2}, "too little CPU time was counted"),
        ({"highest": None, "lowest": None}, "the error is not known"),
        ({"highest": 0.9}, "the limit lies within the error"),
    ],
)
def test_check_of_a_job_cannot_say(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    job = job_of(job_directory(tmp_path / "job", [], size=4))
    assert check_job(job, 0.3, 0.5)[0] == 0
    changed = replace(job, ranks=(*job.ranks[:3], replace(job.ranks[3], **change)))
    status, line = check_job(changed, 0.3, 0.5)
    assert status == 122 and reason in line and "1 rank (3)" in line


def test_diff_of_two_jobs(tmp_path: Path) -> None:
    job_directory(tmp_path / "before", [0, 4], size=8)
    job_directory(tmp_path / "after", [0], size=8)
    done = reports("diff", "before", "after", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shares = [percent(job_of(tmp_path / name).verdict.remote_share) for name in ("before", "after")]
    assert done.stdout.startswith(f"VERDICT   The remote share fell: {shares[0]} before, {shares[1]} after.")
    assert "1 read less remotely, 0 more, 7 alike" in " ".join(done.stdout.split())
    assert "less: rank 4: 50.0 % before, 0.6 % after" in done.stdout
    assert "fix: sum.c:17 main: 2 ranks before, 1 rank after" in done.stdout
    found = json.loads(reports("diff", "before", "after", "--json", "-", cwd=tmp_path).stdout)
    jobs = [job_of(tmp_path / name).verdict.remote_share or 0 for name in ("before", "after")]
    assert found["change"] == pytest.approx(jobs[1] - jobs[0])
    same = json.loads(reports("diff", "before", "before", "--json", "-", cwd=tmp_path).stdout)
    assert same["headline"].startswith("No change") and same["better"] == same["worse"] == []
    assert reports("diff", "before", "after", "--html", "x.html", cwd=tmp_path).returncode == 125


def test_a_change_within_the_errors_is_none(summary: RankSummary) -> None:
    """Each rank rose by four points, with an error of five in both runs."""
    before = job_of_summaries(*(with_share(summary, number, 0.20, error=0.05) for number in range(2)))
    after = job_of_summaries(*(with_share(summary, number, 0.24, error=0.05) for number in range(2)))
    found = compare_jobs(before, after)
    assert found.change == pytest.approx(0.04)
    assert found.error == pytest.approx(math.hypot(0.05, 2**0.5 * 1.96 * 0.02), rel=1e-3)
    assert found.headline.startswith("No change") and found.compared == 2 and not found.worse


def test_jobs_that_counted_different_things_are_not_compared(summary: RankSummary) -> None:
    other = replace(summary, share=replace(summary.share, population="something else"))
    found = compare_jobs(job_of_summaries(with_share(summary, 0, 0.2)), job_of_summaries(with_share(other, 0, 0.1)))
    assert found.change is None and found.compared == 0 and "cannot be compared" in found.headline


@pytest.mark.parametrize("words", [("report", "job"), ("diff", "job", "job")])
def test_json_is_as_its_schema_says(tmp_path: Path, words: tuple[str, ...]) -> None:
    job_directory(tmp_path / "job", [1], size=4)
    schema = json.loads(reports(*words, "--schema", "-", cwd=tmp_path).stdout)
    Draft202012Validator.check_schema(schema)
    found = json.loads(reports(*words, "--json", "-", cwd=tmp_path).stdout)
    assert list(Draft202012Validator(schema).iter_errors(found)) == []


def kept_job(folder: Path, ranks: int) -> list[bytes]:
    """A directory that was reported once. Returns the recordings."""
    job_directory(folder, [], size=ranks)
    recordings = [path.read_bytes() for path in sorted(folder.iterdir())]
    collect([str(folder)])
    return recordings


def test_a_second_report_uses_the_summaries_of_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No recording changes, and none is summarized again, also where the directory has another name by now."""
    before = kept_job(tmp_path / "job", 40)
    first = collect([str(tmp_path / "job")])
    (tmp_path / "job").rename(tmp_path / "moved")
    monkeypatch.setattr("numaprof.job.collect.summary_of", lambda _: pytest.fail("summarized again"))
    assert collect([str(tmp_path / "moved")]) == first
    assert len(first.summaries) == 40 and first.refused == ()
    assert [path.read_bytes() for path in sorted((tmp_path / "moved").glob("*.numaprof"))] == before


def test_a_recording_that_changed_or_is_new_is_summarized_again(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    kept_job(folder, 3)
    first, second, third = sorted(folder.glob("*.numaprof"))
    first.unlink()
    rank(serial_init(), 7, 8).write(second)
    rank(serial_init(), 6, 8).write(folder / "new.numaprof")
    numbers = [2, 6, 7]
    assert [each.number for each in collect([str(folder)]).summaries] == numbers
    assert [each.number for each in collect([str(folder)]).summaries] == numbers
    assert third.exists()


@pytest.mark.parametrize("damage", [b"\n[]\n{}\n", b"[" * 100_000, b'["../../etc/passwd", 1, 2, "{}"]\n', b"\xff\xfe"])
def test_damaged_kept_summaries_are_made_again(damage: bytes, tmp_path: Path) -> None:
    kept_job(tmp_path / "job", 2)
    (tmp_path / "job" / ".summaries").write_bytes(damage)
    assert [each.number for each in collect([str(tmp_path / "job")]).summaries] == [0, 1]


def test_a_fifo_of_that_name_keeps_nobody_waiting(tmp_path: Path) -> None:
    kept_job(tmp_path / "job", 2)
    for name in (".summaries", "other.ranks", "other.numaprof"):
        (tmp_path / "job" / name).unlink(missing_ok=True)
        os.mkfifo(tmp_path / "job" / name)
    left_out = {left.files: left.why for left in job_of(tmp_path / "job").left_out}
    assert left_out == {
        ("other.numaprof",): "is not a regular file",
        ("other.ranks",): "cannot be read: not a regular file",
    }


@pytest.mark.requires("root")
def test_a_directory_of_another_user_keeps_no_summaries(tmp_path: Path) -> None:
    job_directory(tmp_path / "job", [], size=2)
    os.chown(tmp_path / "job", 65534, 65534)
    assert len(collect([str(tmp_path / "job")]).summaries) == 2
    assert not (tmp_path / "job" / ".summaries").exists()


def test_ranks_on_which_the_part_of_an_object_is_not_known_are_no_part_of_the_whole(summary: RankSummary) -> None:
    """On two of eight ranks nine tenths of the remote lines are the array's; the others do not know."""
    array = replace(summary.objects[0], name="array", bytes=1e9)
    ranks = [
        replace(with_share(summary, number, 0.5), objects=(replace(array, of_all_remote=0.9 if number < 2 else None),))
        for number in range(8)
    ]
    (row,) = (obj for obj in job_of_summaries(*ranks).objects if obj.name == "array")
    assert row.of_all_remote == pytest.approx(0.9)
