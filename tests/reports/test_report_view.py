# SPDX-License-Identifier: Apache-2.0
"""The printed report: whole pages as golden files, and what must hold of every page."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import TREE
from hypothesis import given, settings
from hypothesis import strategies as st
from numaprof.terminal.layout import Layout, cells, wrapped
from reading import printed, read
from recording_builder import PAGE, RAN, RecordingBuilder
from scenarios import ARRAY, PAGES, SCENARIOS, init_stack, levels, touched_serially

Golden = Callable[[str, str], None]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_report(scenario: str, tmp_path: Path, golden: Golden) -> None:
    golden(f"report/{scenario}.txt", printed(SCENARIOS[scenario](), tmp_path))


@pytest.mark.parametrize("scenario", ["serial_init", "multiplexed", "hinted"])
def test_wide_report(scenario: str, tmp_path: Path, golden: Golden) -> None:
    golden(f"report/{scenario}-120.txt", printed(SCENARIOS[scenario](), tmp_path, 120))


def test_share_of_threads_that_are_not_shown_says_of_how_many_it_is_known(tmp_path: Path) -> None:
    many = SCENARIOS["many_threads"]
    assert re.search(r"… 184 more threads, [0-9.]+ % remote\n", printed(many(), tmp_path))
    thin = many().change("count", where="thread = 200", running_ns=1)
    assert re.search(r"… 184 more threads, [0-9.]+ % remote \(known of 183\)\n", printed(thin, tmp_path))


def test_threads_alike_are_a_line_for_each_node(tmp_path: Path) -> None:
    """64 of them; one of them that is not like the others has its own."""
    on_node_1 = [number % 8 >= 4 for number in range(64)]
    remote = [1_000_000 if there else 0 for there in on_node_1]
    for odd, rows in ((0, []), (500_000, ["sum 4711"])):
        builder = levels(RecordingBuilder()).threads(64, cpus=[number % 8 for number in range(64)])
        builder.counters("demand_rd", [0 if there else 1_000_000 for there in on_node_1], [odd, *remote[1:]])
        text = printed(builder, tmp_path)
        assert re.search(r"\nnode 1 +32 +0 +32 M +100.0 %  <- remote-heavy\nnode 0 +32 +32 M ", text)
        assert re.findall(r"^ +\d+ +\d  (sum \d+) ", text, re.M) == rows
        assert f"… {64 - len(rows)} more threads" in text


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("width", [80, 120])
def test_lines_fit(scenario: str, width: int, tmp_path: Path) -> None:
    """Everything but what is to be copied (commands, code, one long name) keeps to the width."""
    for line in printed(SCENARIOS[scenario](), tmp_path, width).splitlines():
        copied = re.match(r" {8}(?: {4})*\S|  numaprof -o", line)
        assert copied or cells(line) <= width, line


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    text = printed(SCENARIOS["hostile"](), tmp_path)
    assert all(character == "\n" or unicodedata.category(character)[0] != "C" for character in text)
    assert "\\x1b[2J[red]sum" in text
    assert "\\xff\\xfe\\x9b31m" in text
    assert "[red]sum[/red]" in text


@settings(max_examples=25)
@given(st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=30))
def test_any_name_stays_on_its_line(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    """Of thread, function, file, module, command, machine, note: the page keeps its lines."""
    folder = tmp_path_factory.mktemp("names")
    pages = []
    for text in ("plain", name):
        builder = SCENARIOS["serial_init"](emulated=text or "-", host=text)
        builder.note("odd", text, remedy=text).change("thread", name=text)
        builder.change("place", function=text, module="/home/u/" + text).change("evidence", detail=text)
        pages.append(printed(builder, folder))
    plain, odd = (page.splitlines() for page in pages)
    starts = ("CPU ", "FIRST TOUCHED", "VERDICT", "WHAT TO DO", "recorded to", "  4     1  ", "  7     1  ")
    assert [[s for s in starts if line.startswith(s)] for line in plain if line.startswith(starts)] == [
        [s for s in starts if line.startswith(s)] for line in odd if line.startswith(starts)
    ]


def test_requests_of_threads_that_moved_are_not_in_the_matrix(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]()
    builder.thread(name="mover", tid=1, pin="none", planned_cpu=None, migrations=9, own_cpus="0,4")
    for event in (1, 2, 3, 4):
        for cpu in (0, 4):
            builder.count(event, 9, 30_000, cpu=cpu, running_ns=RAN // 2)
    assert "not in it: 18.6 % of the requests, by threads that ran on several nodes" in said(builder, tmp_path)


# Colour


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("terminal", "environment", "coloured"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (False, {}, False),
    ],
)
def test_colour(terminal: bool, environment: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    out = Terminal() if terminal else io.StringIO()
    Layout(out, 80).table(["a", ""], [["1", "<- x"]], [True, False])
    assert ("\x1b[" in out.getvalue()) == coloured


# Widths


def test_cells() -> None:
    assert [cells(text) for text in ("abc", "größe", "漢字", "e\u0301", "")] == [3, 5, 4, 1, 0]


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"])), st.integers(20, 100))
def test_wrapping_loses_nothing(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert " ".join(lines) == text
    assert all(cells(line) <= width or " " not in line for line in lines)


def test_columns_align(tmp_path: Path) -> None:
    """Each number stands below its head, whatever the names are."""
    lines = printed(SCENARIOS["hostile"](), tmp_path).splitlines()
    head = next(line for line in lines if line.startswith("CPU  node"))
    rows = [line for line in lines if re.match(r" +\d +\d  ", line) and "%" in line]
    assert len(rows) == 8
    assert {line.index("%") for line in rows} == {head.index("remote", head.index("/ remote") + 8) + 5}


# Single facts


def said(builder: RecordingBuilder, folder: Path) -> str:
    """The report on one line, so that a sentence is found however it was wrapped."""
    return " ".join(printed(builder, folder).split())


def test_coverage_too_small(tmp_path: Path) -> None:
    text = said(SCENARIOS["multiplexed"](share=0.05), tmp_path)
    assert "VERDICT n/a: the counters ran 5 % of the CPU time, too little to say (10 % needed)." in text
    assert "8 threads were counted for less than 10 % of their time: n/a." in text
    assert "scaled" not in text


def test_unknown_cpu_time_is_refused(tmp_path: Path) -> None:
    text = said(SCENARIOS["serial_init"]().change("thread", cpu_ns=None), tmp_path)
    assert "how long the threads ran is not known" in text


def test_population_without_prefetches_says_so(tmp_path: Path) -> None:
    builder = (
        levels(RecordingBuilder()).threads(8).counters("retired_load", [10_000] * 4 + [0] * 4, [0] * 4 + [10_000] * 4)
    )
    text = said(builder.change("thread", cpu_ns=2_000_000).change("count", running_ns=2_000_000), tmp_path)
    assert "50.0 % of DRAM requests are remote (retired loads, without prefetches). Worth fixing." in text
    assert "Not counted: prefetches, which retired loads do not include." in text


def test_all_requests_win_where_they_are_counted(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", [100] * 8, [100] * 8)
    builder.counters("any", [100_000] * 8, [300_000] * 8)
    assert "75.0 % of DRAM requests are remote (all requests)" in said(builder, tmp_path)


def test_variants_of_one_placement_are_not_added(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(1)
    for placement, value in (("local_dram", 100), ("local_dram_anysnoop", 120), ("remote_dram", 50)):
        builder.count(builder.event("any", placement), 1, value)
    assert read(builder, tmp_path).traffic.total == 150


def test_prefetch_classes_that_overlap_are_not_added(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(1)
    for request, value in (("pf_any", 100), ("pf_l2_rd", 60), ("pf_l3", 40), ("demand_rd", 7)):
        for side in ("local_dram", "remote_dram"):
            builder.count(builder.event(request, side), 1, value)
    assert read(builder, tmp_path).traffic.total == 214


def test_clusters_of_a_socket(tmp_path: Path) -> None:
    """Sub-NUMA clusters: the neighbour cluster is another node."""
    builder = levels(RecordingBuilder()).threads(1)
    for placement, value in (("local_dram", 100), ("other_cluster_same_socket", 30), ("remote_dram", 70)):
        builder.count(builder.event("any", placement), 1, value)
    assert read(builder, tmp_path).traffic.share == pytest.approx(0.5)


def test_remote_as_what_is_left(tmp_path: Path) -> None:
    """Some CPUs count all memory and the local part: the rest is remote."""
    builder = levels(RecordingBuilder()).threads(1)
    for placement, value in (("local_dram", 300), ("any_dram", 400)):
        builder.count(builder.event("retired_load", placement), 1, value)
    assert read(builder, tmp_path).traffic.share == pytest.approx(0.25)


def test_near_and_far_remote_memory_add_up(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(1)
    for placement, value in (("local_dram", 100), ("remote_near_dram", 60), ("remote_far_dram", 40)):
        builder.count(builder.event("demand_rd", placement), 1, value)
    assert read(builder, tmp_path).traffic.share == pytest.approx(0.5)


def test_loads_and_stores_that_are_not_told_apart(tmp_path: Path) -> None:
    """AMD Zen: demand fills, and what the prefetchers brought into L1; the remark says what that misses."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.counters("demand", [60_000] * 8, [60_000] * 8).counters("pf_l1", [20_000] * 8, [20_000] * 8)
    builder.change("event", where="class = 'pf_l1'", remark="What the prefetchers brought into L1.")
    text = said(builder, tmp_path)
    assert "50.0 % of DRAM requests are remote (demand accesses + prefetches)" in text
    assert "prefetch: What the prefetchers brought into L1." in text


def test_one_side_alone_is_no_share(tmp_path: Path) -> None:
    """Arm counts what came from the other socket, not what was local."""
    builder = levels(RecordingBuilder()).threads(1)
    builder.count(builder.event("any", "other_socket"), 1, 100)
    evidence = read(builder, tmp_path)
    assert evidence.population is None
    assert evidence.traffic.share is None


def test_counts_by_cpu_are_the_threads_where_each_has_its_own(tmp_path: Path) -> None:
    shares = [thread.traffic.share for thread in read(counted_by_cpu(8), tmp_path).threads]
    assert shares == [0.0] * 4 + [1.0] * 4


def test_counts_by_cpu_where_threads_are_not_told_apart(tmp_path: Path, golden: Golden) -> None:
    builder = counted_by_cpu(8).threads(1, name="extra", cpus=(4,))
    assert read(builder, tmp_path).threads[4].traffic.share is None
    golden("report/by-cpu.txt", printed(builder, tmp_path))


def counted_by_cpu(threads: int) -> RecordingBuilder:
    """A static program: events are inherited, each counts what the whole program does on one CPU."""
    builder = levels(RecordingBuilder()).threads(threads, from_start=0)
    clock = builder.event("time", "")
    local, remote = builder.event("demand_rd", "local_dram"), builder.event("demand_rd", "remote_dram")
    for cpu in range(8):
        builder.count(clock, None, 50_000_000, cpu=cpu)
        builder.count(local, None, 100_000 if cpu < 4 else 0, cpu=cpu)
        builder.count(remote, None, 0 if cpu < 4 else 100_000, cpu=cpu)
    return builder


def test_more_than_two_nodes(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(nodes=4, cpus_per_node=2)).threads(8)
    builder.counters("demand_rd", [100_000] * 2 + [0] * 6, [0] * 2 + [100_000] * 6)
    assert "node by node: n/a; counters tell remote, not from which node" in said(touched_serially(builder), tmp_path)


def test_first_touch_that_nobody_saw(tmp_path: Path) -> None:
    """A buffer filled by read(2): its pages have a home, but the kernel touched them."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0)
    builder.homes((ARRAY, PAGES, 0), (ARRAY + (1 << 32), PAGES // 2, 1))
    assert "first touch not seen of 16 MiB more: inside system calls" in said(builder, tmp_path)


def test_home_comes_from_the_last_snapshot(tmp_path: Path) -> None:
    """The balancer moved the second half after it was touched."""
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0)
    builder.homes((ARRAY, PAGES, 0)).homes((ARRAY, PAGES // 2, 0), (ARRAY + PAGES // 2 * PAGE, PAGES // 2, 1))
    assert read(builder, tmp_path).init_sites[0].pages_by_home == {0: PAGES / 2, 1: PAGES / 2}


def test_homes_of_pages_left_out_or_gone_are_not_invented(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=None)
    builder.homes((ARRAY, PAGES // 4, 0), (ARRAY + PAGES // 2 * PAGE, PAGES // 4, None))
    assert read(builder, tmp_path).init_sites[0].pages_by_home == {0: PAGES / 4, None: 3 * PAGES / 4}


def test_window(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]().change("window", start_ns=10_000_000, end_ns=30_000_000, cause="control")
    assert "recorded only from 10.0 ms to 30.0 ms (control) of 60.0 ms" in said(builder, tmp_path)


def test_how_the_program_ended(tmp_path: Path) -> None:
    assert "ended by signal 11 (SIGSEGV)." in said(SCENARIOS["serial_init"](exit_status=None, term_signal=11), tmp_path)
    assert "ended with status 3" in said(SCENARIOS["serial_init"](exit_status=3), tmp_path)


@pytest.mark.parametrize(
    ("late", "sentence"),
    [
        (1, "note: 1 thread was found late: its time before is neither recorded nor part of the coverage."),
        (3, "note: 3 threads were found late: their time before is neither recorded nor part of the coverage."),
    ],
)
def test_threads_that_were_found_late(late: int, sentence: str, tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(8).threads(late, name="late", from_start=0, start_ns=0)
    assert sentence in said(touched_serially(builder), tmp_path)


def test_when_threads_were_found_late(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(8).threads(1, name="late", from_start=0, start_ns=2_300_000_000)
    assert "1 thread was found late (2.30 s after the start): its time before is neither recorded" in said(
        touched_serially(builder), tmp_path
    )


def test_one_of_a_kind(tmp_path: Path) -> None:
    """A program of one thread on one of two nodes, of which one page was sampled."""
    builder = levels(RecordingBuilder()).threads(1).counters("demand_rd", [100_000], [0], share=0.05)
    builder.touch(init_stack(builder), 1, ARRAY, 1, page_node=0)
    text = said(builder, tmp_path)
    assert "· 1 first touch ·" in text
    assert "1 thread was counted for less than 10 % of its time: n/a." in text


def test_many_notes_of_a_kind_are_one_line(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]()
    for number in range(500):
        builder.note("not_followed", f"process {number} could not be followed", value=1)
    text = said(builder, tmp_path)
    assert "process 0 could not be followed (and 499 more of this kind)" in text
    assert "process 1 " not in text


def test_lost_samples_stand_in_the_evidence_line(tmp_path: Path) -> None:
    assert "128 first touches · 17 lost" in said(
        SCENARIOS["serial_init"]().note("lost", "ring full", value=17), tmp_path
    )


def test_thinned_reading_is_said_and_stays_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only some of the samples are looked at: sums stay exact, shares of lines nearly so."""
    monkeypatch.setattr("numaprof.evidence.samples.MOST_SAMPLES", 2_000)
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    stacks = [builder.stack(builder.place(("/home/u/sum.c", line, "main"))) for line in (17, 18)]
    for page in range(12_000):
        builder.sample(10, 1, stacks[page % 4 == 0], address=ARRAY + page * PAGE, page_node=0)
    evidence = read(builder, tmp_path)
    assert sum(row.samples for row in evidence.samples.touched) == pytest.approx(2_000, rel=0.1)
    assert evidence.touched_pages == pytest.approx(12_000)
    assert evidence.init_sites[0].pages == pytest.approx(9_000, rel=0.05)
    assert "evenly chosen samples of 12 k first touches" in said(builder, tmp_path)


def test_the_page_that_explains_the_report_shows_real_ones(golden: Callable[[str, str], None]) -> None:
    page = (TREE / "docs" / "reading-a-report.md").read_text()
    folder = TREE / "tests" / "golden" / "report"
    reports = [(folder / name).read_text() for name in ("first/serial_init.txt", "serial_init.txt")]
    shown = iter(reports)
    real = re.sub(r"(?<=```text\n).*?(?=```)", lambda _: next(shown, "").rstrip() + "\n", page, flags=re.DOTALL)
    assert page.count("```text\n") == len(reports)
    golden("../../docs/reading-a-report.md", real)


def test_errata_of_sampled_loads_are_told(tmp_path: Path) -> None:
    """Their shares may be off. How the samples are taken is not told."""
    builder = SCENARIOS["serial_init"]()
    words = "Threshold in config1. The vendor lists errata BDM35 and BDM100 for these samples: their shares may be off."
    builder.event("load", "", collector="samples", name="MEM_TRANS_RETIRED:LOAD_LATENCY", remark=words)
    text = " ".join(printed(builder, tmp_path).split())
    assert "sampled loads: The vendor lists errata BDM35 and BDM100 for these samples: their shares may be off." in text
    assert "Threshold" not in text
