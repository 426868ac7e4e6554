# SPDX-License-Identifier: Apache-2.0
"""`numaprof import` of the text of perf script: it says what the perf.data that perf read says."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAM
from perf_data import CALLCHAIN, LOADS, PAGE_FAULTS, SOFTWARE, Event, PerfData
from running import one, rows, target
from seeds import text_seed
from test_import import CODE, DATA, FAILED, document, loads, program, report, run_import

FIELDS = "+pid,+addr,+data_src,+weight,+phys_addr"
EVERYTHING = "--ns --header -I --show-mmap-events --show-task-events --show-lost-events"
TOLD = (
    "SELECT kind, t_ns, tid, sample.cpu, weight, address, page_node, source, latency, stack, block"
    " FROM sample JOIN thread ON thread.id = thread",
    "SELECT * FROM place",
    "SELECT * FROM stack",
    "SELECT * FROM object",
    "SELECT * FROM block",
    "SELECT * FROM thread",
    "SELECT * FROM process",
    "SELECT * FROM node",
    "SELECT id, node, package, core FROM cpu",
    "SELECT * FROM event",
    "SELECT part, there, of FROM imported_part",
    "SELECT command, program, wall_ns, host, kernel, arch, cpu_vendor, cpu_model, cpu_name, uarch, page_bytes FROM run",
    "SELECT version, command FROM imported",
)


def script(data: Path, fields: str = FIELDS, options: str = EVERYTHING) -> Path:
    text = data.with_suffix(".txt")
    command = f"perf script {options} -F {fields} -i {data} > {text}"
    subprocess.run(["sh", "-c", command], check=True, capture_output=True)
    return text


def recording(file: Path) -> Path:
    output = file.with_suffix(f"{file.suffix}.numaprof")
    status, said = run_import(file, "-q", "-o", output)
    assert status == 0, said
    return output


def assert_same(data: Path, fields: str) -> None:
    one_way, other = recording(data), recording(script(data, fields))
    for query in TOLD:
        assert rows(other, query) == rows(one_way, query), query
    assert one(other, "SELECT form FROM imported") == "text"


@pytest.mark.requires("perf")
@pytest.mark.parametrize(
    ("sample_type", "fields"),
    [
        (LOADS, FIELDS),
        (LOADS, f"{FIELDS},-sym,-dso,-symoff"),
        (LOADS | CALLCHAIN, FIELDS),
        (LOADS | CALLCHAIN, f"{FIELDS},+period"),
    ],
)
def test_a_text_says_what_its_file_says(sample_type: int, fields: str, tmp_path: Path) -> None:
    data = tmp_path / "perf.data"
    loads(program(PerfData((Event(sample_type),))), 400).write(data)
    assert_same(data, fields)


@pytest.mark.requires("perf")
def test_loads_and_page_faults_in_one_text(tmp_path: Path) -> None:
    events = (Event(ids=(11,)), Event(LOADS, SOFTWARE, PAGE_FAULTS, 1, (12,), name="page-faults:u"))
    events = tuple(Event(e.sample_type | 1 << 16, e.type, e.config, e.period, e.ids, name=e.name) for e in events)
    file = loads(program(PerfData(events)), 40)
    for i in range(9):
        file.sample(1, pid=100, time=2500 + i, addr=DATA + 4096 * i, physical=8, ip=CODE, period=1)
    file.write(tmp_path / "perf.data")
    assert_same(tmp_path / "perf.data", FIELDS)


@pytest.mark.requires("perf", "perf_event", "gcc")
@pytest.mark.parametrize(
    "options",
    ["-e page-faults:u", "-g -e page-faults", "-g -e page-faults:u --buildid-mmap", "-e page-faults -e task-clock"],
)
def test_a_text_of_a_recording_says_what_the_recording_says(options: str, tmp_path: Path) -> None:
    data = tmp_path / "perf.data"
    subprocess.run(
        ["sh", "-c", f"perf record -q -d --sample-cpu -c 1 {options} -o {data} {target('touch')} 4 64"], check=True
    )
    assert_same(data, "+pid,+addr")


@pytest.mark.requires("perf")
def test_the_reports_are_the_same(tmp_path: Path) -> None:
    data = tmp_path / "perf.data"
    loads(program(PerfData()), 400).write(data)
    one_way, other = document(recording(data)), document(recording(script(data)))
    assert other["verdict"] == one_way["verdict"]
    assert "it lacks page faults, first touches, allocations" in report(tmp_path / "perf.txt.numaprof")


# --- what a text lacks


@pytest.mark.requires("perf")
def test_a_text_of_the_plain_fields_says_what_it_lacks(tmp_path: Path) -> None:
    """Without header, mappings and processes the data source still tells remote from local."""
    loads(program(PerfData()), 400).write(tmp_path / "perf.data")
    text = script(tmp_path / "perf.data", "+addr,+data_src,+weight,+phys_addr,-period", "")
    found = recording(text)
    assert rows(
        found,
        "SELECT DISTINCT tid, cpu, weight, page_node, source, latency, block IS NULL FROM sample JOIN thread"
        " ON thread.id = thread ORDER BY tid",
    ) == [(100, 0, 1, None, 1, 300, 1), (101, 4, 1, None, 2, 301, 1)]
    notes = dict(rows(found, "SELECT kind, value FROM note"))
    assert notes["no_period"] == notes["no_process"] == 400
    assert one(found, "SELECT type, config, period FROM event") == (None, None, None)
    shown = report(found)
    assert "it lacks nodes of the machine" in shown and "samples have no period and count as one event each" in shown
    assert document(found)["verdict"]["remote_share"] == pytest.approx(0.5)


def test_files_without_build_id_are_noted(tmp_path: Path) -> None:
    text = tmp_path / "script.txt"
    text.write_text(text_seed())
    found = recording(text)
    assert one(found, "SELECT value FROM note WHERE kind = 'no_build_ids'") == 2
    assert one(found, "SELECT value FROM note WHERE kind = 'lost'") == 3
    assert one(found, "SELECT count(*) FROM sample") == 30
    assert rows(found, "SELECT DISTINCT page_node FROM sample WHERE page_node IS NOT NULL") == [0]


# --- bad input


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Samples: 3 of event 'cycles'\n", "is text, but not what perf script writes of samples; give the perf.data"),
        ("# hostname : node17.cluster\n", "is text, but not what perf script writes of samples; give the perf.data"),
        (
            "x 7 [000] 1.000000: 1 cycles: 4010 main (/bin/a)\n",
            "has no memory samples: none of its 1 lines tells an address",
        ),
        ("x 7 [000] 1.000000: 1 loads: ffffffff81000000 1a |OP LOAD|LVL RAM 3 4010 f (/a)\n", "kernel's memory only"),
        ("x 7 [000] 1.000000: nonsense\n", "has no samples"),
        ("x 7/7 [000] 1.000000: PERF_RECORD_COMM: x:7/7\n", "has no samples"),
    ],
)
def test_bad_text_is_refused_in_a_line(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "script.txt"
    file.write_text(text)
    status, error = run_import(file)
    assert (status, error.count("\n")) == (FAILED, 1)
    assert said in error and "; " in error
    assert [path.name for path in tmp_path.iterdir()] == ["script.txt"]


def test_a_text_that_is_cut_off_holds_what_comes_before(tmp_path: Path) -> None:
    file = tmp_path / "script.txt"
    file.write_text(text_seed()[:-400])
    status, said = run_import(file, "-q")
    assert status == 0 and "is cut off" in said and "write the text again" in said


def test_mixed_up_lines_are_counted_or_left_out(tmp_path: Path) -> None:
    """Words of the lines change their places, at random with a fixed seed: a recording or one line of refusal."""
    chance, file = random.Random(19), tmp_path / "script.txt"
    lines, taken = text_seed().splitlines(), 0
    words = [word for line in lines for word in line.split(" ")]
    for _ in range(200):
        changed = [line.split(" ") for line in lines]
        for _ in range(chance.randrange(1, 60)):
            line = chance.choice(changed)
            line[chance.randrange(len(line))] = chance.choice(words)
        file.write_text("\n".join(" ".join(line) for line in changed) + "\n")
        output = tmp_path / "r.numaprof"
        output.unlink(missing_ok=True)
        status, said = run_import(file, "-q", "-o", output)
        assert (status == 0) == output.exists() and said.count("\n") == (status != 0), said
        taken += status == 0
    assert taken > 100


ENDLESS_MIB = 32


def test_a_long_text_takes_little_memory(tmp_path: Path) -> None:
    """A text with a line without an end is read within 400 MB of address space."""

    file, output = tmp_path / "script.txt", tmp_path / "r.numaprof"
    with file.open("w") as out:
        for i in range(100_000):
            out.write(f"x 7/7 [000] 1.{i:06}: 9 loads: {DATA:x} 1a00000002 |OP LOAD|LVL RAM 3 4010 f (/a) 8\n")
        for _ in range(ENDLESS_MIB):
            out.write("y" * (1 << 20))
    command = f"ulimit -v 400000; exec {PROGRAM} import -q -o {output} {file}"
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 0
    assert one(output, "SELECT count(*) FROM sample") == 100_000
