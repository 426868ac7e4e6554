# SPDX-License-Identifier: Apache-2.0
"""Sentences of the report that were once false, each in the situation in which it was."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from numaprof.analysis.node_matrix import left_out, matrix
from numaprof.document.build_report import document
from numaprof.page.report_page import report_page
from numaprof.rules import advise
from numaprof.text.format import percent_below
from reading import first_screen, printed, read
from recording_builder import PAGE, RecordingBuilder
from scenarios import ARRAY, PAGES, SCENARIOS, init_stack, levels, named_objects, serial_init, touched_serially
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


def bare(builder: RecordingBuilder) -> RecordingBuilder:
    """Node 1 has CPUs and no memory."""
    return builder.change("node", where="id = 1", mem_bytes=0, free_bytes=0)


def test_a_node_without_memory_reads_remotely_whatever_is_changed(tmp_path: Path) -> None:
    assert advise(read(serial_init(), tmp_path)) != []
    found = advise(read(bare(serial_init()), tmp_path))
    assert [advice.removes for advice in found if advice.removes] == []
    assert "node 1 (no memory): 4 threads" in first_screen(bare(serial_init()), tmp_path)


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
