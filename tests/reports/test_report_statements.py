# SPDX-License-Identifier: Apache-2.0
"""Sentences of the report that were once false, each in the situation in which it was."""

from __future__ import annotations

import io
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from numaprof.analysis.node_matrix import left_out, matrix
from numaprof.document.build_report import document
from numaprof.page.report_page import report_page
from numaprof.placement.explain import advise
from numaprof.terminal.first_screen import print_first_screen
from numaprof.terminal.layout import Layout
from numaprof.text.format import percent_below
from reading import first_screen, printed, read
from recording_builder import FIRST_TOUCH, PAGE, RecordingBuilder
from scenarios import ARRAY, LOOP, PAGES, SCENARIOS, init_stack, levels, named_objects, serial_init, touched_serially
from test_export import made


def test_on_one_node_nothing_is_to_be_changed_for_placement(tmp_path: Path) -> None:
    text = printed(SCENARIOS["one_node_machine"](), tmp_path)
    assert "pragma" not in text
    assert "interleave" not in text
    assert "WHAT TO DO" not in text


def test_the_lab_runs_numaprof_and_may_not_be_there(tmp_path: Path) -> None:
    text = " ".join(printed(SCENARIOS["one_node_machine"](), tmp_path).split())
    assert "Where the lab is installed" in text
    assert "numaprof lab -- numaprof ./sum" in text


def test_a_small_part_of_one_thread_is_not_what_would_matter(tmp_path: Path) -> None:
    """An eighth: once "one thread first touched 5 % of the 47.5 MiB"."""
    builder = levels(RecordingBuilder(nodes=1, cpus_per_node=8), counters=False).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES // 8)
    stack = builder.stack(builder.place(LOOP))
    for thread in range(1, 8):
        builder.touch(stack, thread + 1, ARRAY + thread * (PAGES // 8) * PAGE, PAGES // 8)
    text = " ".join(printed(builder, tmp_path).split())
    assert "32 MiB were first touched, by 8 threads." in text
    assert "one thread" not in text


def bare(builder: RecordingBuilder) -> RecordingBuilder:
    """Node 1 has CPUs and no memory."""
    return builder.change("node", where="id = 1", mem_bytes=0, free_bytes=0)


def test_a_node_without_memory_reads_remotely_whatever_is_changed(tmp_path: Path) -> None:
    assert advise(read(serial_init(), tmp_path)) != []
    found = advise(read(bare(serial_init()), tmp_path))
    assert [advice.removes for advice in found if advice.removes] == []
    assert "node 1 (no memory): 4 threads" in first_screen(bare(serial_init()), tmp_path)


def test_maps_of_users_are_not_called_unknown_use(tmp_path: Path) -> None:
    """A slow tier answers: no sampled access tells local from remote DRAM, and the map shows who uses what."""
    report = document(str(SCENARIOS["slow_tier"]().write(tmp_path / "x.numaprof")))
    assert any(stretch.what == "used" for stretch in report.objects.rows[0].map)
    page = report_page(report)
    assert "No access with an address was sampled" not in page
    assert "No sampled access tells local from remote here: the maps show use without shares." in page


def test_a_node_without_memory_is_not_full(tmp_path: Path) -> None:
    """Its threads touch memory first, which comes from node 0."""
    builder = bare(
        levels(RecordingBuilder()).threads(8).counters("demand_rd", [100_000] * 4 + [0] * 4, [0] * 4 + [100_000] * 4)
    )
    stack = init_stack(builder)
    for thread in (1, 6):
        builder.touch(stack, thread, ARRAY + thread * PAGES * PAGE, PAGES, page_node=0)
    text = printed(builder, tmp_path)
    assert "too little free memory" not in text
    assert "memory policy" not in text


def test_threads_that_stayed_are_not_left_out_of_the_matrix(tmp_path: Path) -> None:
    """Of node 1 the remote requests are not known: too little was seen of one event."""
    builder = levels(RecordingBuilder()).threads(8)
    local, remote = builder.event("demand_rd", "local_dram"), builder.event("demand_rd", "remote_dram")
    for thread in range(1, 9):
        builder.count(local, thread, 100_000)
        builder.count(remote, thread, 200_000, 1.0 if thread < 5 else 0.01)
    evidence = read(builder, tmp_path)
    assert matrix(evidence)[1, 0] is None
    assert left_out(evidence) == 0.0
    assert "by threads that ran on several nodes" not in printed(builder, tmp_path)


@pytest.mark.parametrize(
    ("share", "shown"), [(0.05, "5 %"), (0.096, "9.6 %"), (0.0996, "9.96 %"), (0.099999, "9.9999 %")]
)
def test_what_is_too_little_looks_less_than_what_is_needed(share: float, shown: str) -> None:
    assert percent_below(share, 0.10) == shown


def test_one_user_is_not_each_thread(tmp_path: Path) -> None:
    builder = named_objects().change("sample", where="kind = 2", thread=6)
    text = " ".join(printed(builder, tmp_path).split())
    assert "used at sum.c:22 main._omp_fn.0 by thread 5 (sum 4716) alone" in text
    assert "1 thread on node 1: each thread" not in text
    assert "1 thread on node 1, each thread" not in text


def test_the_time_line_has_as_many_parts_as_it_says(tmp_path: Path) -> None:
    page = report_page(document(str(serial_init().write(tmp_path / "x.numaprof"))))
    said, table = re.search(r"In (\d+) parts of the run</caption>(.*?)</table>", page, re.S).groups()  # type: ignore[union-attr]
    assert table.count("<tr>") - 1 == int(said)


def test_tool_time_beside_a_program_that_waits(tmp_path: Path) -> None:
    """The share of a waiting program's CPU time would be thousands of percent."""
    waits = serial_init().change("run", tool_cpu_ns=30_000_000).change("thread", cpu_ns=1_000_000)
    assert "tool's own CPU time 50.0 % of one CPU" in " ".join(printed(waits, tmp_path, 120).split())
    attached = serial_init().change("run", tool_cpu_ns=6_000_000)
    attached.row("attached", process=1, age_ns=0)
    assert "tool's own CPU time 10.0 % of one CPU" in " ".join(printed(attached, tmp_path, 120).split())


def test_tool_time_of_an_emulated_run_is_not_told(tmp_path: Path) -> None:
    assert "tool's own CPU time" in " ".join(printed(serial_init(), tmp_path, 120).split())
    assert "tool's own CPU time" not in " ".join(printed(SCENARIOS["emulated"](), tmp_path, 120).split())


@pytest.mark.parametrize(
    "module", ["/usr/lib/numaprof/libnumaprof-preload.so", "/memfd:libnumaprof-preload.so (deleted)"]
)
def test_memory_and_lines_of_the_tool_are_not_the_users(module: str, tmp_path: Path) -> None:
    builder = touched_serially(levels(RecordingBuilder()).threads(8))
    place = builder.place(("/src/collectors/preload/ring.c", 7, "ring_open"), module=module)
    ring = builder.block(builder.object("mapping", builder.stack(place)), ARRAY << 1, PAGES)
    builder.touch(builder.stack(place), 2, ARRAY << 1, PAGES, page_node=0, block=ring)
    builder.block(builder.object("file", name=module), ARRAY << 2, PAGES)
    report = document(str(builder.write(tmp_path / "x.numaprof")))
    assert [line.place.label for line in report.lines] == ["sum.c:17 main"]
    assert not any("ring" in found.name or "preload" in found.name for found in report.objects.rows)


def test_what_is_left_at_the_end_is_not_the_programs_memory(tmp_path: Path) -> None:
    """32 MiB were freed before the last look, which found 80 KiB."""
    builder = levels(RecordingBuilder()).threads(8)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0).homes((ARRAY, 20, 0))
    report = document(str(builder.write(tmp_path / "x.numaprof")))
    assert [node.homed_pages for node in report.machine.nodes] == [None, None]
    assert "of it the program" not in report_page(report)


@pytest.mark.requires("go")
def test_the_tag_that_the_docs_name_chooses_samples(tmp_path: Path) -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "exports.md").read_text()
    focus = re.search(r"go tool pprof (-tagfocus=\S+)", text)
    assert focus is not None
    path = tmp_path / "x.pb.gz"
    path.write_bytes(made(SCENARIOS["serial_init"](), tmp_path, "pprof"))
    command = ["go", "tool", "pprof", focus.group(1).replace("'", ""), "-top", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "main._omp_fn.0" in done.stdout


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_remote_share_is_one(scenario: str, tmp_path: Path) -> None:
    """Verdict, sums by node and by process, and the matrix of nodes are of one population; objects name theirs."""
    found = document(str(SCENARIOS[scenario]().write(tmp_path / "x.numaprof")))
    share = found.verdict.remote_share
    sums = [row for row in (found.summary.nodes, found.summary.processes) if row]
    for rows in sums:
        local, remote = [row.local for row in rows], [row.remote for row in rows]
        if share is not None and None not in local and None not in remote:
            assert sum(filter(None, remote)) / sum(filter(None, [*local, *remote])) == pytest.approx(share, abs=0.005)
    pairs = found.machine.pairs
    if share is not None and found.machine.pairs_population == found.verdict.population and not found.machine.left_out:
        known = [pair for pair in pairs if pair.requests is not None]
        away = sum(pair.requests or 0.0 for pair in known if pair.from_node != pair.to_node)
        assert len(known) < len(pairs) or away / sum(pair.requests or 0.0 for pair in known) == pytest.approx(
            share, abs=0.005
        )
    if any(row.remote_share is not None for row in found.objects.rows):
        assert found.objects.population is not None and found.objects.population.startswith("sampled accesses")


def little_of_node_1() -> RecordingBuilder:
    """Of the threads of node 1 too little was counted to say how much they read remotely."""
    builder = touched_serially(levels(RecordingBuilder()).threads(8))
    local, remote = builder.event("demand_rd", "local_dram"), builder.event("demand_rd", "remote_dram")
    for thread in range(1, 9):
        builder.count(local, thread, 1_000_000)
        builder.count(remote, thread, 2_000_000, 1.0 if thread < 5 else 0.01)
    return builder


def test_what_was_counted_too_little_is_not_nothing(tmp_path: Path) -> None:
    builder = little_of_node_1()
    text = " ".join(printed(builder, tmp_path).split())
    assert "p to 0 %" not in text and " 0.0 % of all remote" not in text
    assert re.search(r"node 1: 4 threads on CPUs 4-7 +n/a", first_screen(builder, tmp_path))


def test_processes_are_summed_up_where_there_are_several(tmp_path: Path) -> None:
    builder = serial_init()
    builder.row("process", id=2, pid=5000, parent=1, exe="/home/u/sum", start_ns=0, followed="preload")
    builder.change("thread", where="id > 4", process=2)
    report = document(str(builder.write(tmp_path / "x.numaprof")))
    rows = report.summary.processes
    assert [(row.pid, row.threads) for row in rows] == [(5000, 4), (4711, 4)]
    assert rows[0].remote_share == pytest.approx(1.0, abs=0.01)
    screen = io.StringIO()
    print_first_screen(replace(report, advice=()), Layout(screen, 80))
    assert re.search(r"PROCESS 5000 sum: 4 threads +[>\d]+ % remote +[\d.]+ [kM] requests", screen.getvalue())
    assert document(str(serial_init().write(tmp_path / "y.numaprof"))).summary.processes == ()


def test_files_without_line_numbers_are_named_first(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(2)
    start = builder.add("place", module="/home/u/crt", address=0x40, function="_start", file=None, line=None)
    for page in range(64):
        builder.sample(FIRST_TOUCH, 1, builder.stack(start), address=ARRAY + page * PAGE)
    for module in ("/home/u/sum", "/home/u/libown.so", "/usr/lib/libc.so.6", "[kernel]"):
        place = builder.add("place", module=module, address=0x40, function=None, file=None, line=None)
        for page in range(64):
            builder.sample(FIRST_TOUCH, 1, builder.stack(place), address=ARRAY + page * PAGE)
    text = first_screen(builder, tmp_path).splitlines()
    assert "No line numbers: sum and libown.so lack debug information; build with -g." in " ".join(text[:2])
    assert "build with -g" not in first_screen(serial_init(), tmp_path)
