# SPDX-License-Identifier: Apache-2.0
"""The first screen: 24 lines of 80 columns that say: is it NUMA, at what cost, who, what, why, where, what to do."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Callable, TypeVar

import pytest
from numaprof.analysis.verdict import Judgement
from numaprof.document.build_report import document
from numaprof.document.headline import crossed_share, no_fix
from numaprof.evidence.evidence import load
from numaprof.model.report_model import ProcessThreads, Remarked, Report, Trial
from numaprof.placement.explain import advise
from numaprof.terminal import subject
from numaprof.terminal.first_screen import about, print_first_screen
from numaprof.terminal.layout import Layout, cells, rows
from numaprof.terminal.report_view import print_report
from reading import first_screen, printed
from recording_builder import PAGE, RAN, RecordingBuilder
from scenarios import (
    ARRAY,
    LOOP,
    PAGES,
    SCENARIOS,
    SERIAL,
    array,
    faults_only,
    init_stack,
    levels,
    named_objects,
    sampled,
    serial_init,
    touched_serially,
    use_all,
)
from test_report_recording import reports

ROWS, COLUMNS = 24, 80
TO_COPY = (" " * 12, "Try: ", "More: ")
Row = TypeVar("Row")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_first_screen_of_each_scenario(scenario: str, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    golden(f"report/first/{scenario}.txt", first_screen(SCENARIOS[scenario](), tmp_path))


def check_fits(report: Report) -> None:
    """One row stays for the prompt. Only what is to be copied may be wider: a terminal breaks it."""
    out = io.StringIO()
    print_first_screen(report, Layout(out, COLUMNS))
    text = out.getvalue()
    assert rows(text, COLUMNS) < ROWS, text
    wide = [line for line in text.splitlines() if cells(line) > COLUMNS and not line.startswith(TO_COPY)]
    assert wide == [], text


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_it_fits_a_screen(scenario: str, tmp_path: Path) -> None:
    check_fits(document(str(SCENARIOS[scenario]().write(tmp_path / "x.numaprof"))))


NAME = "std::vector<std::pair<unsigned long, 表>, my::allocator<std::pair<unsigned long, 表>>> " * 5
TEXT = "The recorder lost this, and that as well. " * 20


def many(count: int, row: Row) -> tuple[Row, ...]:
    return tuple(row for _ in range(count))


EXTREMES: dict[str, Callable[[Report], Report]] = {
    "command": lambda r: replace(r, run=replace(r.run, command_line=NAME)),
    "file": lambda r: replace(r, recording="/scratch/" + "a directory/" * 300 + "x.numaprof"),
    "file of one row": lambda r: replace(r, recording="d" * 50 + ".numaprof"),
    "cpu": lambda r: replace(r, run=replace(r.run, cpu_name="表" * 99)),
    "banner": lambda r: replace(r, overview=replace(r.overview, banner=(TEXT, NAME, TEXT, TEXT, NAME, NAME))),
    "notes": lambda r: replace(r, overview=replace(r.overview, qualifying=many(12_345, TEXT))),
    "decisive": lambda r: replace(r, overview=replace(r.overview, decisive=many(2, TEXT))),
    "headline": lambda r: replace(
        r, verdict=replace(r.verdict, judgement="unknown", remote_share=None, headline=TEXT, details=many(9, TEXT))
    ),
    "not certain": lambda r: replace(r, verdict=replace(r.verdict, crosses=0.1, lowest=0.0, highest=0.9)),
    "nodes": lambda r: replace(
        r,
        summary=replace(
            r.summary,
            nodes=tuple(
                replace(
                    r.summary.nodes[0], nodes=tuple(range(at, 400, 3)), cpus=tuple(range(at, 4000, 7)), threads=4096
                )
                for at in range(64)
            ),
        ),
    ),
    "processes": lambda r: replace(
        r,
        summary=replace(
            r.summary,
            processes=many(999, ProcessThreads(4_194_304, "表" * 20, 1000, 10.0**9, 10.0**12, 0.999, 0.1, 1.0, True)),
        ),
    ),
    "object": lambda r: with_object(r, name=NAME, home=TEXT, use_shape=TEXT),
    "change": lambda r: with_advice(r, change=TEXT, cause=TEXT),
    "change of one sentence": lambda r: with_advice(r, change="no end " * 400),
    "change without a space": lambda r: with_advice(r, change="x" * 900),
    "expects": lambda r: with_advice(r, expects=TEXT, removes=None),
    "code": lambda r: with_advice(r, code=("// " + "comment " * 50, *many(300, "    line;"))),
    "wide code": lambda r: with_advice(r, code=many(8, "call(" + "argument, " * 60 + "0);")),
    "remarks": lambda r: with_advice(r, remarked=many(9, Remarked("numactl " + "y" * 300, TEXT))),
    "advice": lambda r: replace(r, advice=r.advice * 40),
}


def with_advice(report: Report, **fields: object) -> Report:
    return replace(report, advice=(replace(report.advice[0], **fields), *report.advice[1:]))


def with_object(report: Report, **fields: object) -> Report:
    found = tuple(replace(row, **fields) for row in report.objects.rows)
    return replace(report, objects=replace(report.objects, rows=found))


@pytest.fixture(scope="module", params=["named_objects", "killed_recorder", "serial_init"])
def plain(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Report:
    path = SCENARIOS[request.param]().write(tmp_path_factory.mktemp("plain") / "x.numaprof")
    return replace(document(str(path)), recording="x.numaprof")


@pytest.mark.parametrize("extreme", [*EXTREMES, "all"])
def test_whatever_is_in_a_recording_fits_a_screen(plain: Report, extreme: str) -> None:
    report = plain
    for name in EXTREMES if extreme == "all" else (extreme,):
        report = EXTREMES[name](report)
    check_fits(report)


def test_what_fits_is_not_cut(tmp_path: Path) -> None:
    """Parts are given up in an order, and no more of them than needed."""
    report = document(str(SCENARIOS["killed_recorder"]().write(tmp_path / "x.numaprof")))
    few = replace(report, recording="x.numaprof", advice=report.advice * 2)
    rows_of = many(5, ProcessThreads(4711, "sum", 1, 1.0, 1.0, 0.5, 0.5, 0.5, True))
    out = io.StringIO()
    print_first_screen(replace(few, summary=replace(few.summary, processes=rows_of)), Layout(out, COLUMNS))
    text = out.getvalue()
    assert "by process (5 processes): --full" in text
    assert "1 more recommendation: --full." in text
    assert "numactl --interleave=all ./sum" in text
    assert "numactl --interleave=all ./sum" in text


@pytest.mark.parametrize(("cpus", "named"), [((0, 1), " on CPUs 0-1 "), ((0, 2, 4, 6, 8, 10, 12), "threads  ")])
def test_cpus_are_named_where_there_is_room(cpus: tuple[int, ...], named: str, tmp_path: Path) -> None:
    report = document(str(serial_init().write(tmp_path / "x.numaprof")))
    rows = tuple(replace(row, nodes=(10, 11), threads=128, cpus=cpus) for row in report.summary.nodes)
    out = io.StringIO()
    print_first_screen(replace(report, summary=replace(report.summary, nodes=rows)), Layout(out, COLUMNS))
    found = [line for line in out.getvalue().splitlines() if "nodes 10-11: 128 threads" in line]
    assert len(found) == len(rows)
    assert all(len(line) <= COLUMNS and named in line for line in found)


def test_source_lines_stand_beside_what_happens_there(tmp_path: Path) -> None:
    """Of files that are as they were when the program was recorded."""
    source = tmp_path / "sum.c"
    text = [""] * 30
    text[13], text[16], text[21] = "    long *a = malloc(bytes);", "    memset(a, 0, bytes);", "        sum += a[i];"
    source.write_text("\n".join(text))
    os.utime(source, (0, 0))
    builder = named_objects().change("place", where="file = '/home/u/src/sum.c'", file=str(source))
    shown = first_screen(builder, tmp_path)
    assert re.search(r"^WHAT    32 MiB, all of it on node 0 +sum.c:14  long \*a = malloc\(bytes\);$", shown, re.M)
    assert re.search(r"^WHY     one thread first touches all of it +sum.c:17  memset\(a, 0, bytes\);$", shown, re.M)
    assert re.search(r"^WHERE   8 threads use it, one block each +sum.c:22  sum \+= a\[i\];$", shown, re.M)
    os.utime(source)
    assert "malloc(bytes)" not in first_screen(builder, tmp_path)


def test_counts_of_cpus_without_threads_have_a_row_for_each_node(tmp_path: Path) -> None:
    builder = RecordingBuilder()
    builder.level(1, "counters", True).threads(8, pin="none", planned_cpu=None)
    local, remote = builder.event("demand_rd", "local_dram"), builder.event("demand_rd", "remote_dram")
    clock = builder.event("time", "")
    for cpu in range(8):
        builder.count(clock, None, RAN, cpu=cpu)
        builder.count(local, None, 1_000_000, cpu=cpu).count(remote, None, 3_000_000 * (cpu >= 4), cpu=cpu)
    shown = first_screen(builder, tmp_path)
    assert re.search(r"^WHO     node 1: CPUs 4-7  75 % remote +16 M requests$", shown, re.M), shown
    assert re.search(r"^        node 0: CPUs 0-3 +0 % remote +4 M requests$", shown, re.M), shown
    assert "Which threads read remotely is not known." in shown


def test_threads_with_hardly_a_request_stand_last(tmp_path: Path) -> None:
    builder = (
        levels(RecordingBuilder()).threads(8).counters("demand_rd", [1_000_000] * 4 + [0] * 4, [0] * 4 + [900] * 4)
    )
    report = document(str(builder.write(tmp_path / "x.numaprof")))
    assert [(row.nodes, row.remote) for row in report.summary.nodes] == [((0,), 0), ((1,), 3600)]
    assert re.search(r"node 1: .* on CPUs 4-7  +3 600 requests\n", first_screen(builder, tmp_path))


def test_memory_with_room_for_more_has_the_size_of_what_is_used(tmp_path: Path) -> None:
    builder = SCENARIOS["named_objects"]()
    assert "WHAT    32 MiB, all of it on node 0" in first_screen(builder, tmp_path)
    builder.change("block", bytes=4 * 32 << 20)
    assert "WHAT    32 MiB used of 128 MiB, all of it on node 0" in first_screen(builder, tmp_path)


def test_long_code_is_named_and_not_cut(tmp_path: Path) -> None:
    report = document(str(serial_init().write(tmp_path / "x.numaprof")))
    code = ("// after the allocation at sum.c:13, add", *[f"line {number};" for number in range(12)])
    out = io.StringIO()
    print_first_screen(replace(report, advice=(replace(report.advice[0], code=code),)), Layout(out, COLUMNS))
    assert "            (12 lines to add after the allocation at sum.c:13: see --full)\n" in out.getvalue()
    assert "line 0;" not in out.getvalue()


def test_a_long_recommendation_ends_with_a_sentence(tmp_path: Path) -> None:
    """Where not even its first sentence fits, it is cut."""
    report = document(str(serial_init().write(tmp_path / "x.numaprof")))
    first, rest = "Write zeros first.", " ".join(["Then come words that do not fit."] * 20)
    for text, end in ((f"{first} {rest}", " fit. (More: --full.)"), ("no end " * 99, " ...")):
        out = io.StringIO()
        advice = replace(report.advice[0], change=text, code=(), remarked=(), removes=None)
        print_first_screen(replace(report, advice=(advice,)), Layout(out, COLUMNS))
        shown = out.getvalue().split("DO ")[1].split("\n\n")[0]
        assert len(shown.splitlines()) <= 4
        assert shown.endswith(end)


def test_a_long_command_is_not_repeated_for_the_lab(tmp_path: Path) -> None:
    builder = SCENARIOS["one_node_machine"]().change("run", command='["./sum", "' + "x" * 60 + '"]')
    assert "numaprof lab -- numaprof PROGRAM" in " ".join(first_screen(builder, tmp_path).split())


@pytest.mark.parametrize(
    ("command", "copied"),
    [
        (["./sum", "a b", "y" * 200], f"numactl --interleave=all ./sum 'a b' {'y' * 200}\n"),
        (["./sum", "x" * 500], "numactl --interleave=all PROGRAM ARGUMENT...\n"),
        (["./sum", "two\nlines"], "numactl --interleave=all PROGRAM ARGUMENT...\n"),
    ],
)
def test_a_command_to_copy_is_whole(command: list[str], copied: str, tmp_path: Path) -> None:
    """A shortened or escaped one would run something else."""
    builder = serial_init().change("run", command=json.dumps(command))
    assert copied in first_screen(builder, tmp_path)


def test_a_recommendation_without_measured_reads_says_so(tmp_path: Path) -> None:
    said = "DO      Not proven, as remote reads were not measured. "
    starved = SCENARIOS["multiplexed"]().change("count", running_ns=1000)
    for builder, is_said in ((SCENARIOS["faults_only"](), True), (starved, True), (serial_init(), False)):
        assert (said in first_screen(builder, tmp_path)) == is_said


def test_where_little_is_to_gain_the_recommendation_is_optional(tmp_path: Path) -> None:
    """And interleaving all memory, which would make more remote, is not recommended."""
    builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", [1_000_000] * 8, [0] * 4 + [160_000] * 4)
    little = first_screen(touched_serially(builder), tmp_path)
    much = first_screen(serial_init(), tmp_path)
    for screen, is_little in ((little, True), (much, False)):
        assert ("LITTLE TO GAIN" in screen) == is_little
        assert ("DO      Optional, as there is little to gain. " in screen) == is_little
        assert ("numactl --interleave=all" in screen) == (not is_little)


def test_a_recommendation_about_no_data_says_why(tmp_path: Path) -> None:
    """Of a thread that moved, for example; where nothing is remote the recommendation is enough."""
    assert "WHY     thread 0 (app 4711) first touched 16 MiB on node 0, but ran on" in shown("wandering", tmp_path)
    assert "WHY" not in shown("parallel_init", tmp_path)


def shown(scenario: str, folder: Path) -> str:
    return first_screen(SCENARIOS[scenario](), folder)


@pytest.mark.parametrize(
    ("remote", "start"),
    [
        (
            [300_000, 2_000, 2_000, 0, 0, 0, 0, 0],
            "Start with thread 0 (sum 4711), which makes nearly all remote accesses.",
        ),
        (
            [300_000] * 2 + [2_000] * 3 + [0] * 3,
            "Start with the 2 threads of 8, which make nearly all remote accesses.",
        ),
        ([300_000] * 3 + [0] * 5, "Start at the 3 threads of 8 with 10 % remote or more."),
    ],
)
def test_where_to_start_goes_by_requests(remote: list[int], start: str, tmp_path: Path) -> None:
    """A thread with a large share of few requests is not worth a look."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand_rd", [9_000 if 0 < count < 9_000 else 300_000 for count in remote], remote)
    text = " ".join(first_screen(builder, tmp_path).split())
    assert f"No object explains this. {start}" in text, text


def test_what_no_rule_can_mend_is_not_called_worth_fixing(tmp_path: Path) -> None:
    builder = sampled()
    use_all(builder, array(builder, SERIAL, homes="interleaved"), None)
    assert "NO SIMPLE FIX" in first_screen(builder, tmp_path)
    assert "Worth fixing" not in printed(builder, tmp_path)


def test_one_thread_of_several_that_were_sampled_is_not_called_the_only_user(tmp_path: Path) -> None:
    report = document(str(named_objects().write(tmp_path / "x.numaprof")))
    rows = tuple(replace(row, used_by=1) for row in report.objects.rows)
    shown = replace(report, objects=replace(report.objects, rows=rows), advice=(replace(report.advice[0], threads=()),))
    out = io.StringIO()
    print_first_screen(shown, Layout(out, COLUMNS))
    assert "WHERE   threads use it, one block each" in out.getvalue()


@pytest.mark.parametrize(
    ("pages", "said"),
    [(8, "More nodes would hardly matter: only 32 KiB were"), (PAGES, "first touched all of the 32 MiB")],
)
def test_one_node_with_little_memory(pages: int, said: str, tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(nodes=1, cpus_per_node=8), counters=False).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, pages, page_node=0)
    text = " ".join(first_screen(builder, tmp_path).split())
    assert said in text
    assert ("numaprof lab" in text) == (pages == PAGES)


def test_processes_of_one_thread_are_no_threads_of_one_memory(tmp_path: Path) -> None:
    """make -j4."""
    builder = levels(RecordingBuilder(nodes=1, cpus_per_node=8), counters=False).threads(3)
    for thread in (2, 3):
        process = builder.add(
            "process", pid=4711 + thread, exe="/usr/bin/cc1", start_ns=0, end_ns=RAN, followed="preload"
        )
        builder.change("thread", f"id = {thread}", process=process)
    for thread in (1, 2, 3):
        builder.touch(init_stack(builder), thread, ARRAY, PAGES, page_node=0)
    text = " ".join(first_screen(builder, tmp_path).split())
    assert "by 3 processes of one thread each: unless they moved, only what they share" in text


def test_on_one_node_the_command_for_the_lab_is_one_line_and_processes_are_not_listed(tmp_path: Path) -> None:
    command = json.dumps(["sort", "--parallel=4", "-S", "200M", "numbers.txt"])
    builder = levels(RecordingBuilder(nodes=1, cpus_per_node=8, command=command), counters=False).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0)
    text = first_screen(builder, tmp_path)
    assert "numaprof lab -- numaprof sort --parallel=4 -S 200M numbers.txt" in text.splitlines()[6].strip()
    assert "most at sum.c:" in " ".join(text.split())
    assert "process" not in text


def test_one_thread_alone_gains_nothing_from_more_nodes(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(nodes=1, cpus_per_node=8), counters=False).threads(1)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0)
    text = " ".join(first_screen(builder, tmp_path).split())
    assert "the memory of one thread alone is on the thread's own node" in text
    assert "numaprof lab" not in text


@pytest.mark.parametrize(
    ("share", "ends", "shown"),
    [
        (0.003, (0.0, 0.004), "<1 % of DRAM requests"),
        (0.01, (0.002, 0.013), "1 % of DRAM requests (0-1 %)"),
        (0.95, (0.9, 0.998), "95 % of DRAM requests (90-100 %)"),
        (0.5, (0.498, 0.502), "50 % of DRAM requests"),
    ],
)
def test_an_interval_is_printed_in_plain_numbers(
    share: float, ends: tuple[float, float], shown: str, tmp_path: Path
) -> None:
    report = document(str(serial_init().write(tmp_path / "x.numaprof")))
    verdict = replace(report.verdict, remote_share=share, lowest=ends[0], highest=ends[1], crosses=None)
    out = io.StringIO()
    print_first_screen(replace(report, verdict=verdict), Layout(out, COLUMNS))
    assert f"{shown}  " in out.getvalue()


def test_sums_by_node_are_those_of_the_threads(tmp_path: Path) -> None:
    """A second way to the numbers: the rows of --csv."""
    report = document(str(SCENARIOS["many_threads"]().write(tmp_path / "x.numaprof")))
    for row in report.summary.nodes:
        mine = [thread for thread in report.threads if thread.nodes == row.nodes]
        assert row.threads == len(mine)
        assert row.local is not None
        assert row.remote is not None
        assert row.local + row.remote == sum(thread.requests or 0 for thread in mine)
        assert row.remote == pytest.approx(sum((t.requests or 0) * (t.remote_share or 0) for t in mine))


def test_a_handful_of_requests_is_not_marked(tmp_path: Path) -> None:
    """A thread with two requests, one of them remote, beside threads with a million."""
    builder = (
        levels(RecordingBuilder())
        .threads(8)
        .counters("demand_rd", [1_000_000] * 7 + [1], [0] * 3 + [500_000] * 4 + [1])
    )
    report = document(str(builder.write(tmp_path / "x.numaprof")))
    assert report.threads[7].remote_share == 0.5
    assert [thread.remote_heavy for thread in report.threads] == [False] * 3 + [True] * 4 + [False]


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "0 %"), (0.001, "<1 %"), (0.005, "<1 %"), (0.5, "50 %"), (0.999, ">99 %"), (1.0, "100 %")],
)
def test_a_share_is_never_none_or_all_unless_it_is(share: float, shown: str) -> None:
    assert about(share) == shown


def test_bandwidth_is_requests_times_lines_by_run_time(tmp_path: Path) -> None:
    report = document(str(serial_init(wall_ns=2_000_000_000).write(tmp_path / "x.numaprof")))
    assert report.summary.bytes_per_s == 8 * (131_072 + 11) * 64 / 2


def test_no_time_of_an_emulated_machine(tmp_path: Path) -> None:
    report = document(str(SCENARIOS["emulated"]().write(tmp_path / "x.numaprof")))
    assert (report.summary.bytes_per_s, report.summary.cost_most) == (None, None)


# --full and its filters


def full(builder: RecordingBuilder, folder: Path, *options: str) -> list[str]:
    done = reports("report", *options, builder.write(folder / "x.numaprof"))
    assert (done.returncode, done.stderr) == (0, "")
    return list(done.stdout.splitlines())


def thread_rows(lines: list[str]) -> list[str]:
    return [found.group(1) for found in (re.match(r" *\d+ +\d+  (\w+ \d+) ", line) for line in lines) if found]


def test_full_is_the_whole_report(tmp_path: Path) -> None:
    builder = serial_init()
    assert "\n".join(full(builder, tmp_path, "--full")).split("recorded to")[0] in printed(builder, tmp_path, 80)


def test_filters_of_threads(tmp_path: Path) -> None:
    builder = serial_init().change("thread", where="id = 6", name="io")
    assert thread_rows(full(builder, tmp_path, "--thread", "io")) == ["io 4716"]
    (tmp_path / "x.numaprof").unlink()
    assert thread_rows(full(serial_init(), tmp_path, "--thread", "4713")) == ["sum 4713"]
    (tmp_path / "x.numaprof").unlink()
    assert thread_rows(full(serial_init(), tmp_path, "--node", "1")) == [f"sum {4715 + at}" for at in range(4)]
    (tmp_path / "x.numaprof").unlink()
    assert thread_rows(full(serial_init(), tmp_path, "--node", "1", "--top", "2")) == ["sum 4715", "sum 4716"]


def test_most_rows_of_first_touches(tmp_path: Path) -> None:
    builder = faults_only()
    builder.touch(builder.stack(builder.place(LOOP)), 2, ARRAY, 512)
    text = "\n".join(full(builder, tmp_path, "--top", "1"))
    assert "sum.c:17 main" in text
    assert "… 1 more place, 2 MiB" in text


def test_order_of_threads(tmp_path: Path) -> None:
    builder = serial_init().change("count", where="thread = 2 AND event = 3", value=900_000)
    assert thread_rows(full(builder, tmp_path, "--sort", "requests"))[0] == "sum 4712"


@pytest.mark.parametrize("target", ["--html", "--json", "--csv"])
def test_files_have_all_rows(target: str, tmp_path: Path) -> None:
    path = serial_init().write(tmp_path / "x.numaprof")
    done = reports("report", "--node", "0", target, tmp_path / "out", path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert "--node" in done.stderr
    assert not (tmp_path / "out").exists()


def test_filter_of_objects(tmp_path: Path) -> None:
    lines = full(named_objects(), tmp_path, "--object", "tab")
    heads = [line.split()[0] for line in lines if re.search(r"\d+ (MiB|KiB) ", line) and line[0] != " "]
    assert heads == ["table"]


@pytest.mark.parametrize("options", [["--top", "0"], ["--node", "-1"], ["--sort", "size"]])
def test_bad_values_are_refused(options: list[str], tmp_path: Path) -> None:
    done = reports("report", *options, serial_init().write(tmp_path / "x.numaprof"))
    assert done.returncode == 125
    assert done.stdout == ""
    assert options[0] in done.stderr


def test_long_reports_go_through_the_pager(tmp_path: Path) -> None:
    """On a terminal, and only what does not fit it."""
    path = serial_init().write(tmp_path / "x.numaprof")
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\ncat > $0.saw\n")
    pager.chmod(0o755)
    shown = on_a_terminal(path, pager, "--full")
    assert "VERDICT" in (tmp_path / "pager.saw").read_text()
    assert "VERDICT" not in shown
    (tmp_path / "pager.saw").unlink()
    assert "REMOTE" in on_a_terminal(path, pager)
    assert not (tmp_path / "pager.saw").exists()


def on_a_terminal(path: Path, pager: Path, *options: str) -> str:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from numaprof.commands.cli import main; import sys; sys.exit(main())", "report"]
    environment = {**os.environ, "PAGER": str(pager), "LINES": "24", "COLUMNS": "80", "TERM": "dumb"}
    with subprocess.Popen([*command, *options, str(path)], stdout=theirs, env=environment) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end was closed
                break
            if not part:
                break
            text += part
    os.close(ours)
    assert process.returncode == 0
    return text.decode()


def test_objects_of_an_advice_are_named_and_added_up(tmp_path: Path) -> None:
    """Two arrays that one thread initialises."""
    builder = named_objects()
    other = builder.block(builder.object("static", name="b"), ARRAY + (2 << 32), 4096)
    init = builder.stack(builder.place(("/home/u/src/sum.c", 19, "main")))
    builder.touch(init, 1, ARRAY + (2 << 32), 4096, page_node=0, block=other)
    loop = builder.stack(builder.place(LOOP))
    for thread in range(8):
        start = ARRAY + (2 << 32) + thread * 512 * PAGE
        builder.loads(loop, thread + 1, range(start, start + 512 * PAGE, 16 * PAGE), 0, block=other)
    assert "WHAT    32 MiB, all of it on node 0; also b: 48 MiB in all\n" in first_screen(builder, tmp_path)


def test_only_so_many_objects_are_named(tmp_path: Path) -> None:
    """The others are counted; an object that the same line allocates is no name of its own."""
    report = document(str(named_objects().write(tmp_path / "x.numaprof")))
    first = replace(report.objects.rows[0], bytes=1 << 20)
    called = [replace(first, name=name) for name in ("b", "c", "d", "e")]
    assert subject._others(first, []) == ""
    assert subject._others(first, [first]) == "; also 1 more: 2 MiB in all"
    assert subject._others(first, called[:3]) == "; also b, c and d: 4 MiB in all"
    assert subject._others(first, called) == "; also b, c, d and 1 more: 5 MiB in all"


def test_a_trial_is_offered_or_told(tmp_path: Path) -> None:
    report = document(str(serial_init().write(tmp_path / "x.numaprof")))
    tried = Trial("worth the edit", "it ran faster", 5, 5, 1.5, 0.01, 0.5, (), 0.01, (), 1.0, 4096, ())
    for can, trial, said in (
        (True, None, "Try:      numaprof try x.numaprof    (the gain, before any edit)\n"),
        (True, tried, "Tried:    worth the edit: it ran faster.\n"),
        (False, None, ""),
    ):
        advice = replace(report.advice[0], can_be_tried=can, trial=trial, code=(), remarked=())
        out = io.StringIO()
        print_first_screen(replace(report, recording="x.numaprof", advice=(advice,)), Layout(out, COLUMNS))
        rows_ = [line + "\n" for line in out.getvalue().splitlines() if line.startswith("Tr")]
        assert rows_ == ([said] if said else [])


@pytest.mark.parametrize("machine", [None, "ring", "article"])
def test_advice_of_an_emulated_machine_is_tried_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: str | None
) -> None:
    """machine: the one that the report is read in."""
    if machine:
        monkeypatch.setenv("NUMAPROF_MACHINE", machine)
    else:
        monkeypatch.delenv("NUMAPROF_MACHINE", raising=False)
    report = document(str(serial_init(emulated="article").write(tmp_path / "x.numaprof")))
    advice = replace(report.advice[0], can_be_tried=True, code=())  # code takes the row of the trial on a first screen
    report = replace(report, recording="x.numaprof", advice=(advice,))
    command = ("" if machine == "article" else "numaprof lab --machine article -- ") + "numaprof try x.numaprof"
    for show in (print_first_screen, print_report):
        out = io.StringIO()
        show(report, Layout(out, COLUMNS))
        assert re.search(f"(Try:|Try it without an edit:) +{command}", out.getvalue())


@pytest.mark.parametrize(("low", "high", "said"), [(0.3, 0.9, True), (0.4, 0.6, False), (0.05, 0.9, False)])
def test_a_wide_range_above_the_threshold_is_firm(low: float, high: float, said: bool, tmp_path: Path) -> None:
    report = document(str(serial_init().write(tmp_path / "x.numaprof")))
    verdict = replace(report.verdict, lowest=low, highest=high, crosses=crossed_share(Judgement.HEAVY, (low, high)))
    out = io.StringIO()
    print_first_screen(replace(report, verdict=verdict, advice=()), Layout(out, COLUMNS))
    assert ("All of this range is above 10 %, the threshold for a fix." in out.getvalue()) is said


def test_indented_code_is_code(tmp_path: Path) -> None:
    """What a snippet indents is not taken for a remark on where the code goes."""
    lines = first_screen(serial_init(), tmp_path).splitlines()
    at = lines.index(" " * 12 + "#pragma omp parallel for schedule(static)")
    assert lines[at + 1 : at + 3] == [" " * 12 + "for (size_t i = 0; i < COUNT; i++)", " " * 16 + "POINTER[i] = 0;"]
    screen = io.StringIO()
    report = document(str(serial_init().write(tmp_path / "x.numaprof")))
    deep = replace(report.advice[0], code=("{", "        a[i] = 0;", "}"))
    print_first_screen(replace(report, advice=(deep,)), Layout(screen, COLUMNS))
    assert "            {\n                    a[i] = 0;\n            }\n" in screen.getvalue()


@pytest.mark.parametrize(
    ("lowest", "highest", "word"),
    [(0.0, 0.9, "NOT CERTAIN"), (0.05, 0.10, "NOT CERTAIN"), (0.10, 0.9, "WORTH FIXING"), (None, None, "WORTH FIXING")],
)
def test_an_interval_with_both_answers_is_not_certain(
    lowest: float | None, highest: float | None, word: str, tmp_path: Path
) -> None:
    report = document(str(serial_init().write(tmp_path / "x.numaprof")))
    out = io.StringIO()
    crosses = crossed_share(Judgement.HEAVY, None if lowest is None or highest is None else (lowest, highest))
    verdict = replace(report.verdict, lowest=lowest, highest=highest, crosses=crosses)
    print_first_screen(replace(report, verdict=verdict), Layout(out, COLUMNS))
    text = " ".join(out.getvalue().split())
    assert word in text
    assert ("a longer run settles it, or several (numaprof -n 5 PROGRAM)." in text) == (word == "NOT CERTAIN")


@pytest.mark.parametrize(("removes", "word"), [(0.09, "NO SIMPLE FIX"), (0.1, "WORTH FIXING"), (None, "WORTH FIXING")])
def test_advice_that_removes_next_to_nothing_is_no_fix(removes: float | None, word: str, tmp_path: Path) -> None:
    evidence = load(str(serial_init().write(tmp_path / "x.numaprof")))
    (first, *_) = advise(evidence)
    assert no_fix([replace(first, removes=removes)]) is (word == "NO SIMPLE FIX")
    report = document(str(serial_init().write(tmp_path / "y.numaprof")))
    out = io.StringIO()
    print_first_screen(replace(report, verdict=replace(report.verdict, no_fix=removes == 0.09)), Layout(out, COLUMNS))
    assert word in out.getvalue()


# What changes how the verdict is to be read is named; other notes are counted.

PACKAGE = "the memory of the own package, all its nodes"
NEAR = "Between nodes of one package: not known, these requests count as local."


def one_line(builder: RecordingBuilder, path: Path) -> str:
    return " ".join(first_screen(builder, path).split())


def test_a_share_between_packages_says_so(tmp_path: Path) -> None:
    note = f"in these counts local is, as numaprof verify found: {PACKAGE}"
    text = one_line(serial_init().verified(PACKAGE).note("clusters", note), tmp_path)
    assert "50 % of DRAM requests, from another package WORTH FIXING" in text
    assert NEAR in text
    assert "note" not in text


def test_little_between_packages_is_not_to_be_left_alone(tmp_path: Path) -> None:
    text = one_line(SCENARIOS["parallel_init"]().verified(PACKAGE).note("clusters", PACKAGE), tmp_path)
    assert "LITTLE IS REMOTE" in text
    assert NEAR in text
    assert "leave it alone" not in text.lower()


def test_local_that_is_the_node_needs_no_words(tmp_path: Path) -> None:
    text = one_line(serial_init().verified("the memory of the own node"), tmp_path)
    assert "50 % of DRAM requests WORTH FIXING" in text
    assert "package" not in text


def test_a_meaning_that_nobody_knows_is_in_doubt(tmp_path: Path) -> None:
    text = one_line(serial_init().note("clusters", "sockets have several nodes here: not documented"), tmp_path)
    assert "What remote means is in doubt: sockets have several nodes here: not documented." in text


def test_a_process_that_was_not_recorded_is_named_and_other_notes_are_counted(tmp_path: Path) -> None:
    builder = serial_init().note("not_followed", "sudo is setuid").note("throttled", "the kernel throttled sampling")
    builder.add("process", pid=4712, exe="/usr/bin/sudo", start_ns=0, followed="no")
    text = one_line(builder, tmp_path)
    assert "1 process could not be recorded: no number includes it." in text
    assert "1 more note on the numbers: --full" in text


@pytest.mark.parametrize(("waited", "cpus", "said"), [(12, 8, True), (12, 4, False), (8, 8, False)])
def test_pinned_threads_that_wait_for_their_cpus_are_said(waited: int, cpus: int, said: bool, tmp_path: Path) -> None:
    """At least 10 % of the time, and not for threads of the same program."""
    builder = serial_init(pin_plan=",".join(map(str, range(cpus))))
    for thread in range(1, 9):
        builder.row("run_delay", thread=thread, waited_ns=waited, ran_ns=100 - waited)
    text = " ".join(first_screen(builder, tmp_path).split())
    assert (f"Pinned threads waited {waited} % of the time for their CPUs, which other programs used" in text) == said
