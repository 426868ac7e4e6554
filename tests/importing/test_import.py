# SPDX-License-Identifier: Apache-2.0
"""`numaprof import` of perf.data files made by hand: every form tells the same, bad ones are refused in a line."""

from __future__ import annotations

import gzip
import json
import lzma
import re
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, PROGRAM, TREE, build_once
from perf_data import (
    ADDR,
    ATTR,
    BRANCHES,
    CALLCHAIN,
    COMPRESSED,
    COMPRESSED2,
    CPU,
    GUEST_USER,
    ID,
    IDENTIFIER,
    IN_L1,
    IP,
    KERNEL,
    LOADS,
    LOCAL_RAM,
    PAGE_FAULTS,
    PERIOD,
    PHYS_ADDR,
    RAW,
    READ,
    REGS_INTR,
    REGS_USER,
    REMOTE_RAM,
    SOFTWARE,
    STACK_USER,
    STREAM_ID,
    TID,
    TIME,
    TRANSACTION,
    WEIGHT,
    WEIGHT_STRUCT,
    Event,
    PerfData,
)
from running import one, reports, rows

DATA, CODE, BYTES = 0x7F0000000000, 0x400000, 1 << 24
SAMPLES = (
    "SELECT kind, t_ns, tid, cpu, weight, address, page_node, source, latency"
    " FROM sample JOIN thread ON thread.id = thread"
)
FAILED = 125


def program(file: PerfData) -> PerfData:
    """Process 100 of two threads, on nodes 0 and 1; a mapping of data that node 0 has, by its first block."""
    file.host(host="there", kernel="6.8.0", perf="6.8.12", arch="x86_64", cpu="Xeon", cpuid="GenuineIntel,6,85,4")
    file.machine("0-3", "4-7").command("/usr/bin/perf", "mem", "record", "--", "./solve", "test.in")
    file.comm(100, 100, "perf").comm(100, 100, "solve", 1000, run=True)
    file.mmap(100, CODE, BYTES, "/home/u/solve", time=1001).mmap(100, DATA, BYTES, "//anon", protection=3, time=1002)
    return file.fork(100, 100, 101, 100, 2000)


def loads(file: PerfData, count: int = 40) -> PerfData:
    """By turns of both threads: the one on node 0 reads its own memory, the other one that of node 0 too."""
    for i in range(count):
        far = i % 2
        file.sample(
            pid=100,
            tid=100 + far,
            cpu=4 * far,
            time=3000 + i,
            ip=CODE + 16 * far,
            addr=DATA + 64 * i,
            physical=64 * i + 8,
            source=REMOTE_RAM if far else LOCAL_RAM,
            weight=300 + far,
            period=1000 + far,
            chain=[(1 << 64) - 512, CODE + 16 * far, CODE + 256],
        )
    return file


def run_import(path: Path, *options: object, stdin: bytes | None = None) -> tuple[int, str]:
    command = [PROGRAM, "import", *map(str, options), str(path)]
    done = subprocess.run(command, capture_output=True, input=stdin, cwd=path.parent, check=False)
    assert done.stdout == b""
    return done.returncode, done.stderr.decode()


def imported(file: PerfData | bytes, tmp_path: Path, name: str = "perf.data") -> Path:
    path, output = tmp_path / name, tmp_path / f"{name}.numaprof"
    path.write_bytes(file if isinstance(file, bytes) else file.data())
    status, said = run_import(path, "-q", "-o", output)
    assert status == 0, said
    return output


def report(recording: Path) -> str:
    done = reports("report", "--full", recording)
    assert done.status == 0, done
    return " ".join(done.out.split())


def document(recording: Path) -> dict[str, dict[str, object]]:
    done = reports("report", "--json", "-", recording)
    assert done.status == 0, done
    found: dict[str, dict[str, object]] = json.loads(done.out)
    return found


@pytest.mark.requires("gcc")
def test_no_file_is_left_where_no_thread_can_be_made(tmp_path: Path) -> None:
    forbid = build_once(BUILD / "tests" / "forbid", str(TREE / "tests" / "launchers" / "forbid.c"))
    (tmp_path / "perf.data").write_bytes(loads(program(PerfData())).data())
    command = [forbid, "clone3", "EAGAIN", forbid, "clone", "EAGAIN", PROGRAM, "import", tmp_path / "perf.data"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == FAILED
    assert re.fullmatch(r"numaprof: cannot create .*: the limit of processes is used up; allow more .*\n", done.stderr)
    assert [path.name for path in tmp_path.iterdir()] == ["perf.data"]


@pytest.mark.parametrize(
    ("arch", "pages"), [("aarch64", 4096), ("aarch64", 16384), ("aarch64", 65536), ("x86_64", 4096)]
)
def test_the_page_size_is_that_of_the_mappings(arch: str, pages: int, tmp_path: Path) -> None:
    file = program(PerfData()).host(host="there", kernel="6.8.0", perf="6.8.12", arch=arch, cpu="", cpuid="")
    file.mmap(100, 0x7E0000000000, 7 * pages, "/home/u/lib.so", time=1003)
    file.mmap(100, 0x7D0000000040, 100, "/tmp/jitted-100-1.so", time=1004)
    assert one(imported(loads(file), tmp_path), "SELECT page_bytes FROM run") == pages


def expected(count: int = 40) -> list[tuple[object, ...]]:
    return [
        (2, i + 2000, 100 + i % 2, 4 * (i % 2), 1000 + i % 2, DATA + 64 * i, 0, 1 + i % 2, 300 + i % 2)
        for i in range(count)
    ]


def test_loads_with_their_nodes_and_sources(tmp_path: Path) -> None:
    recording = imported(loads(program(PerfData())), tmp_path)
    assert rows(recording, SAMPLES) == expected()
    assert rows(recording, "SELECT id, node, package FROM cpu") == [(i, i // 4, i // 4) for i in range(8)]
    assert one(recording, "SELECT command, program, host, kernel, uarch, complete FROM run") == (
        '["./solve", "test.in"]',
        "/home/u/solve",
        "there",
        "6.8.0",
        "skylake-sp",
        1,
    )
    assert rows(recording, "SELECT name, tid, from_start FROM thread") == [("solve", 100, 1), ("solve", 101, 1)]
    assert rows(recording, "SELECT kind, name, b.address, bytes FROM object o JOIN block b ON b.object = o.id") == [
        ("mapping", None, DATA, BYTES)
    ]


def test_the_report_of_an_imported_file(tmp_path: Path) -> None:
    """The verdict rests on the loads that memory answered; the head says by whom, where, and what is lacking."""
    recording = imported(loads(program(PerfData()), 400), tmp_path)
    text = report(recording)
    assert "IMPORTED: recorded by perf 6.8.12 on there. 2 nodes" in text
    assert "the file has sampled accesses with address, data source" in text
    assert "; it lacks page faults, first touches, allocations, counters and pinning" in text
    found = document(recording)
    assert found["run"]["imported"] == "perf 6.8.12"
    # Weights are periods: 200 loads of 1 001 of 200 of 1 000 and these.
    assert found["verdict"]["remote_share"] == pytest.approx(1001 / 2001)
    assert (found["verdict"]["judgement"], found["verdict"]["basis"], found["verdict"]["samples"]) == (
        "heavy",
        "loads",
        400,
    )


def test_cache_hits_are_not_among_the_accesses_to_memory(tmp_path: Path) -> None:
    file = loads(program(PerfData()), 400)
    for i in range(400):
        file.sample(pid=100, time=9000 + i, addr=DATA + i, physical=i + 8, source=IN_L1, ip=CODE)
    found = document(imported(file, tmp_path))
    assert found["verdict"]["samples"] == 400


def test_a_file_without_cpus_and_physical_addresses(tmp_path: Path) -> None:
    """The source tells remote from local; who accessed from where stays unknown, and that is said."""
    event = Event(sample_type=LOADS & ~(CPU | PHYS_ADDR))
    path = tmp_path / "perf.data"
    loads(program(PerfData((event,))), 400).write(path)
    status, said = run_import(path)
    assert status == 0
    assert "no CPU in the samples: who accessed from where is unknown; perf record --sample-cpu" in said
    recording = tmp_path / "perf.data.numaprof"
    assert rows(recording, "SELECT DISTINCT cpu, page_node FROM sample") == [(None, None)]
    text = report(recording)
    assert "CPU of the sample (who accessed from where is unknown)" in text
    assert document(recording)["verdict"]["judgement"] == "heavy"


def test_a_file_without_numa_topology_and_source_says_nothing_of_remote(tmp_path: Path) -> None:
    file = PerfData()
    file.comm(7, 7, "x").mmap(7, DATA, BYTES, "//anon", protection=3)
    for i in range(300):
        file.sample(pid=7, time=i + 1, addr=DATA + i, source=2, cpu=i % 4)
    recording = imported(file, tmp_path)
    assert document(recording)["verdict"]["judgement"] == "unknown"
    assert "nodes of the machine (which CPU is near which memory is unknown)" in report(recording)


def snapshot(folder: Path, *cpus: str) -> Path:
    """A machine with a node for each list of CPUs; two blocks of 1 GiB of physical memory, by turns."""
    for node, text in enumerate(cpus):
        here = folder / f"sys/devices/system/node/node{node}"
        (here / f"memory{node}").mkdir(parents=True)
        (here / "cpulist").write_text(f"{text}\n")
        (here / "meminfo").write_text(f"Node {node} MemTotal: 1048576 kB\nNode {node} MemFree: 524288 kB\n")
    for name, text in [
        ("memory/block_size_bytes", "40000000"),
        ("cpu/online", "0-7"),
        ("cpu/present", "0-7"),
        ("node/online", f"0-{len(cpus) - 1}"),
    ]:
        (folder / "sys/devices/system" / name).parent.mkdir(exist_ok=True)
        (folder / "sys/devices/system" / name).write_text(f"{text}\n")
    return folder


def without_nodes() -> PerfData:
    """A CPU of node 0 reads the first GiB of memory, one of node 1 the second, then the first."""
    file = PerfData()
    file.comm(7, 7, "x").mmap(7, DATA, BYTES, "//anon", protection=3)
    for i in range(300):
        gib = int(i % 3 == 1)
        file.sample(pid=7, time=i + 1, addr=DATA + i, cpu=4 * (i % 3 > 0), source=2, physical=(gib << 30) + 64)
    return file


def test_a_snapshot_of_the_machine_tells_the_nodes_that_the_file_lacks(tmp_path: Path) -> None:
    (tmp_path / "perf.data").write_bytes(without_nodes().data())
    output = tmp_path / "known.numaprof"
    status, said = run_import(
        tmp_path / "perf.data", "-q", "-o", output, "--sysroot", snapshot(tmp_path / "there", "0-3", "4-7")
    )
    assert status == 0, said
    nodes = "SELECT cpu, page_node, count(*) FROM sample GROUP BY 1, 2 ORDER BY 1, 2"
    assert rows(output, nodes) == [(0, 0, 100), (4, 0, 100), (4, 1, 100)]
    assert rows(output, "SELECT node, min(id), max(id) FROM cpu GROUP BY node") == [(0, 0, 3), (1, 4, 7)]
    assert "which CPU is near which memory is unknown" not in report(output)


def test_a_snapshot_of_another_machine_is_refused(tmp_path: Path) -> None:
    (tmp_path / "perf.data").write_bytes(loads(program(PerfData())).data())
    for folder, word in [
        (snapshot(tmp_path / "other", "0-1", "2-7"), "perf.data is of another machine"),
        (tmp_path, "no CPU is to be found below"),
    ]:
        status, said = run_import(tmp_path / "perf.data", "--sysroot", folder)
        assert status == FAILED and word in said and said.count("\n") == 1
    assert not (tmp_path / "perf.data.numaprof").exists()
    assert run_import(tmp_path / "perf.data", "--sysroot", snapshot(tmp_path / "same", "0-3", "4-7"))[0] == 0


def test_the_cpu_of_the_event_stands_in_for_that_of_the_sample(tmp_path: Path) -> None:
    event = Event(sample_type=(LOADS | IDENTIFIER) & ~CPU)
    file = loads(program(PerfData((event,)).id_index({11: 5, 12: 1})))
    recording = imported(file, tmp_path)
    assert rows(recording, "SELECT DISTINCT cpu FROM sample") == [5]


LAYOUTS = [
    LOADS,
    LOADS | IDENTIFIER,
    LOADS | ID | STREAM_ID,
    LOADS | READ | CALLCHAIN | RAW | BRANCHES,
    LOADS | IDENTIFIER | REGS_USER | STACK_USER | TRANSACTION | REGS_INTR,
    (LOADS | WEIGHT_STRUCT | CALLCHAIN) & ~WEIGHT,
]


@pytest.mark.parametrize("order", ["<", ">"], ids=["little", "big"])
@pytest.mark.parametrize("pipe", [False, True], ids=["file", "pipe"])
@pytest.mark.parametrize("layout", LAYOUTS, ids=hex)
def test_every_form_of_file_tells_the_same(layout: int, pipe: bool, order: str, tmp_path: Path) -> None:
    file = loads(program(PerfData((Event(sample_type=layout),), order)))
    recording = imported(file.pipe() if pipe else file.data(), tmp_path)
    assert rows(recording, SAMPLES) == expected()
    assert one(recording, "SELECT host, cpu_name FROM run") == ("there", "Xeon")
    assert rows(recording, "SELECT id, node, package FROM cpu") == [(i, i // 4, i // 4) for i in range(8)]
    assert one(recording, "SELECT name, config FROM event") == ("cpu/mem-loads,ldlat=30/P", 0x1CD)
    assert one(recording, "SELECT form FROM imported") == ("pipe" if pipe else "file")


@pytest.mark.parametrize("order", ["<", ">"], ids=["little", "big"])
@pytest.mark.parametrize("kind", [COMPRESSED, COMPRESSED2])
def test_compressed_records(kind: int, order: str, tmp_path: Path) -> None:
    """Pieces of one stream, cut anywhere; records of the older kind have odd lengths."""
    file = loads(program(PerfData(order=order)))
    for piece in (7, 300, 60000):
        packed = file.compressed(kind, piece)
        assert rows(imported(packed, tmp_path, f"file{piece}"), SAMPLES) == expected()
        assert rows(imported(packed.pipe(), tmp_path, f"pipe{piece}"), SAMPLES) == expected()


def test_damaged_and_boundless_compression(tmp_path: Path) -> None:
    """A stream that is none is refused, and one that expands without end."""
    path, packed = tmp_path / "perf.data", loads(program(PerfData())).compressed()
    path.write_bytes(packed.data().replace(b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfe"))
    assert "is damaged: its parts contradict each other" in run_import(path)[1]
    # Blocks of 4 bytes that stand for 128 KiB of one byte: records of 257 bytes, of no known kind.
    bomb = b"\x28\xb5\x2f\xfd\x00\x58" + 10000 * ((1 << 17 << 3 | 1 << 1).to_bytes(3, "little") + b"\x01")
    PerfData(features=packed.features).record(COMPRESSED, bomb[:65000], 0).write(path)
    assert "is damaged: it expands to more than a thousand times its size" in run_import(path)[1]
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_of_files(tmp_path: Path) -> None:
    """perf record --threads: the header in one file, the records of each thread in its own; one has none."""
    whole = loads(program(PerfData()))
    split = len(whole.records) // 2
    folder = tmp_path / "perf.data"
    folder.mkdir()
    head = PerfData(whole.events, features=whole.features, records=whole.records[:8])
    (folder / "data").write_bytes(head.data())
    (folder / "data.0").write_bytes(b"".join(whole.records[split:]))
    (folder / "data.1").write_bytes(b"")
    (folder / "data.2").write_bytes(b"".join(whole.records[8:split]))
    status, said = run_import(folder)
    assert (status, said.count("\n")) == (0, 1)
    assert rows(tmp_path / "perf.data.numaprof", SAMPLES) == expected()


@pytest.mark.parametrize("form", [0, 3, 4, 7, 8, 15])
def test_every_form_of_values_in_a_sample(form: int, tmp_path: Path) -> None:
    event = Event(sample_type=LOADS | READ | CALLCHAIN, read_format=form)
    for order in "<", ">":
        recording = imported(loads(program(PerfData((event,), order))), tmp_path, f"{ord(order)}")
        assert rows(recording, SAMPLES) == expected()


def test_standard_input(tmp_path: Path) -> None:
    """A pipe cannot be mapped or read twice."""
    output = tmp_path / "r.numaprof"
    command = f"cat | {PROGRAM} import -q -o {output} -"
    subprocess.run(["sh", "-c", command], input=loads(program(PerfData())).pipe(), check=True)
    assert rows(output, SAMPLES) == expected()


@pytest.mark.parametrize("attr_bytes", [64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 512])
def test_attributes_of_every_size(attr_bytes: int, tmp_path: Path) -> None:
    """From Linux 2.6.32 to one that is newer than this program."""
    file = loads(program(PerfData(attr_bytes=attr_bytes)))
    assert rows(imported(file, tmp_path), SAMPLES) == expected()
    assert rows(imported(file.pipe(), tmp_path, "piped"), SAMPLES) == expected()


def test_several_events_are_told_apart(tmp_path: Path) -> None:
    kinds = LOADS | IDENTIFIER
    events = (Event(kinds, ids=(1,), name="one"), Event(kinds & ~CPU, ids=(2, 3), name="other", config=5))
    file = program(PerfData(events))
    file.sample(0, pid=100, time=5000, addr=DATA, source=IN_L1, cpu=3).sample(
        1, pid=100, time=5001, addr=DATA, source=IN_L1
    )
    recording = imported(file, tmp_path)
    found = rows(recording, "SELECT e.name, s.cpu FROM sample s JOIN event e ON e.id = event")
    assert found == [("one", 3), ("other", None)]


def test_records_of_a_round_come_in_the_order_of_their_times(tmp_path: Path) -> None:
    """perf writes CPU after CPU: a sample may stand in the file before the mapping that it is in."""
    file = PerfData().machine("0", "1").comm(9, 9, "x")
    file.sample(pid=9, time=500, addr=DATA + 8, source=IN_L1).mmap(
        9, DATA, BYTES, "/dev/shm/data", protection=3, time=100
    )
    file.round().sample(pid=9, time=600, addr=DATA + 8, source=IN_L1).sample(
        pid=9, time=550, addr=DATA + 8, source=IN_L1
    )
    recording = imported(file.round(), tmp_path)
    assert rows(recording, "SELECT t_ns FROM sample ORDER BY id") == [400, 450, 500]
    assert rows(
        recording, "SELECT o.name, count(*) FROM sample s JOIN block b ON b.id = block JOIN object o ON o.id = object"
    ) == [("/dev/shm/data", 3)]


def test_page_faults_and_accesses_of_others(tmp_path: Path) -> None:
    """A fault in a file places nothing. Kernel addresses, guests and idle CPUs are counted apart."""
    faults = Event(
        IP | TID | TIME | ADDR | CPU | PERIOD | IDENTIFIER, SOFTWARE, PAGE_FAULTS, 1, (5,), name="page-faults"
    )
    other = Event(IP | TID | TIME | PERIOD | IDENTIFIER, 0, 0, 4000, (6,), frequency=True, name="cycles")
    file = program(PerfData((Event(LOADS | IDENTIFIER), faults, other)))
    file.sample(1, pid=100, time=4000, addr=CODE, period=1).sample(2, pid=100, time=4001)
    file.sample(0, pid=100, time=4002, addr=0xFFFF888000000000, source=IN_L1)
    file.sample(0, GUEST_USER, pid=100, time=4003, addr=DATA, source=IN_L1).lost(17)
    file.sample(0, pid=0xFFFFFFFF, tid=0xFFFFFFFF, time=4004, addr=DATA, source=IN_L1)
    recording = imported(file, tmp_path)
    assert rows(recording, "SELECT k.name, weight FROM sample s JOIN sample_kind k ON k.id = s.kind") == [("fault", 1)]
    assert dict(rows(recording, "SELECT kind, value FROM note WHERE kind <> 'missing_files'")) == {
        "lost": 17,
        "no_memory": 1,
        "kernel_addresses": 1,
        "foreign": 1,
        "unmatched": 1,
    }


def test_processes_without_samples_have_no_row(tmp_path: Path) -> None:
    """perf record -a names every thread of the machine."""
    file = program(PerfData())
    for pid in range(1000, 1500):
        file.comm(pid, pid, "idle")
    file.fork(300, 100, 300, 100, 2500).comm(300, 300, "child", 2600, run=True).exit(300, 300, 9000)
    file.sample(pid=100, time=3000, addr=DATA, source=IN_L1).sample(pid=300, time=3100, addr=DATA, source=IN_L1)
    recording = imported(file, tmp_path)
    assert rows(recording, "SELECT pid, parent, start_ns, end_ns FROM process") == [
        (100, None, 0, None),
        (300, 1, 1500, 8000),
    ]


# --- bad input


def damaged(cut: int) -> bytes:
    return loads(program(PerfData())).data()[:cut]


def without_memory() -> PerfData:
    event = Event(IP | TID | TIME | PERIOD, 0, 0, 4000, frequency=True, name="cycles")
    return PerfData((event,)).comm(1, 1, "x").sample(pid=1, time=1).sample(pid=1, time=2)


def of_the_kernel() -> PerfData:
    return PerfData().sample(0, KERNEL, pid=1, time=1, addr=0xFFFF888000000000, source=IN_L1)


BAD = {
    "text": (
        b"7f0000000000 |OP LOAD|LVL L3 hit\n" * 4,
        "is text, but not what perf script writes of samples; give the perf.data that it was made from, or ",
    ),
    "binary": (b"\0this is no perf.data file" * 4, "is not a perf.data file; give a file that"),
    "empty": (b"", "is not a perf.data file"),
    "gzip": (gzip.compress(bytes(100)), "is compressed by gzip; gzip -dc FILE | numaprof import -"),
    "zstd": (b"\x28\xb5\x2f\xfd" + bytes(100), "is compressed by zstd; zstd -dc FILE | numaprof import -"),
    "xz": (lzma.compress(bytes(100)), "is compressed by xz; xz -dc FILE | numaprof import -"),
    "recording": (
        b"SQLite format 3\0" + bytes(100),
        "is not a perf.data file; if it is a recording: numaprof report FILE",
    ),
    "short": (b"PERFILE2\x68\0\0\0\0\0\0\0", "is damaged: its parts contradict each other"),
    "first version": (b"PERFFILE" + bytes(200), "is of a version that perf itself gave up"),
    "attributes": (
        b"PERFILE2" + bytes([104, *[0] * 7, 8, *[0] * 7]) + bytes(200),
        "is damaged: its parts contradict each other",
    ),
    "no samples": (program(PerfData()).data(), "has no samples; record with perf mem record"),
    "no memory": (
        without_memory().data(),
        "has no memory samples: none of its 2 samples tells an address; record with perf mem",
    ),
    "kernel": (of_the_kernel().data(), "holds accesses to the kernel's memory only; record the program's own accesses"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_in_one_line_and_leave_nothing(name: str, tmp_path: Path) -> None:
    content, words = BAD[name]
    path = tmp_path / "perf.data"
    path.write_bytes(content)
    status, said = run_import(path)
    assert (status, said.count("\n")) == (FAILED, 1)
    assert said.startswith(f"numaprof: {path} ") and words in said
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("order", "<>")
def test_a_report_of_perf_data_says_how_it_is_made_one(order: str, tmp_path: Path) -> None:
    path = loads(program(PerfData(order=order))).write(tmp_path / "perf.data")
    done = subprocess.run([PROGRAM, "report", path], capture_output=True, text=True, check=False)
    assert f"{path} is not a recording of numaprof, but a file of perf record; numaprof import {path}" in done.stderr


def test_files_that_are_not_there_and_folders(tmp_path: Path) -> None:
    assert "there is no file" in run_import(tmp_path / "nothing")[1]
    empty = subprocess.run([PROGRAM, "import", ""], capture_output=True, text=True, check=False)
    assert "there is no file ''" in empty.stderr
    (tmp_path / "round").symlink_to("round")
    assert "is a link that leads to no file; give the file itself" in run_import(tmp_path / "round")[1]
    (tmp_path / "d").mkdir()
    assert "is a folder that perf record did not write" in run_import(tmp_path / "d")[1]
    path = loads(program(PerfData())).write(tmp_path / "perf.data")
    assert run_import(path)[0] == 0
    status, said = run_import(path)
    assert status == FAILED and "cannot create perf.data.numaprof: File exists" in said


def test_a_file_that_perf_did_not_finish(tmp_path: Path) -> None:
    """Killed perf leaves no length of the data in the header; a full disk cuts the data off. The rest is imported."""
    whole = loads(program(PerfData()))
    content = bytearray(whole.data())
    content[48:56] = bytes(8)  # bytes of the data section
    killed = imported(bytes(content[: -len(whole.event_names())]), tmp_path, "killed")
    assert len(rows(killed, SAMPLES)) == len(expected())
    assert one(killed, "SELECT cut FROM imported") == 1
    end = whole.data().index(whole.records[-3])
    path = tmp_path / "cut"
    path.write_bytes(whole.data()[: end + 20])
    status, said = run_import(path)
    assert status == 0 and f"{path} is cut off: the recording holds what comes before" in said
    assert len(rows(tmp_path / "cut.numaprof", SAMPLES)) == len(expected()) - 3
    assert "The end of the file is missing" in report(tmp_path / "cut.numaprof")


def test_records_of_unknown_kinds_are_skipped_by_their_length(tmp_path: Path) -> None:
    file = program(PerfData()).record(200, bytes(64)).record(40, bytes(16))
    recording = imported(loads(file), tmp_path)
    assert rows(recording, SAMPLES) == expected()
    assert one(recording, "SELECT value FROM note WHERE kind = 'unknown_records'") == 1


def test_arguments(tmp_path: Path) -> None:
    for words, said in [
        ([], "import: no file given; numaprof import perf.data"),
        (["a", "b"], "import: unexpected argument b"),
        (["--nothing", "a"], "import: unknown option --nothing"),
        (["--sysroot", "/etc/passwd", "a"], "--sysroot /etc/passwd is not a folder; give the folder that holds"),
        (["--symfs", "/etc/passwd", "a"], "--symfs /etc/passwd is not a folder; give the folder that holds"),
    ]:
        done = subprocess.run([PROGRAM, "import", *words], capture_output=True, text=True, check=False)
        assert done.returncode == FAILED and said in done.stderr


PAGE, HUGE = 4096, 2 << 20
FAULT = Event(IP | TID | TIME | ADDR | CPU | PERIOD, SOFTWARE, PAGE_FAULTS, 1, name="page-faults")
KINDS = "SELECT k.name, sum(s.weight) FROM sample s JOIN sample_kind k ON k.id = s.kind GROUP BY 1 ORDER BY 1"


def faulting(file: PerfData, *addresses: int, pid: int = 100, time: int = 3000) -> PerfData:
    for i, address in enumerate(addresses):
        file.sample(pid=pid, time=time + i, addr=address, period=1, ip=CODE)
    return file


def test_the_only_fault_of_a_page_is_its_first_touch(tmp_path: Path) -> None:
    """A page that faults twice was read untouched, or came back. Code and files place nothing of the program's."""
    file = faulting(program(PerfData((FAULT,))), DATA, DATA + PAGE, DATA + 2 * PAGE + 9, DATA + PAGE + 8, CODE)
    recording = imported(file, tmp_path)
    assert rows(recording, KINDS) == [("fault", 3), ("first_touch", 2)]
    assert one(recording, "SELECT there FROM imported_part WHERE part = 'first touches'") == 2
    assert one(recording, "SELECT value FROM note WHERE kind = 'first_touches'") == 2
    text = report(recording)
    assert "2 page faults are taken for first touches" in text and "page faults, call stacks" in text


def test_lone_faults_of_two_mebibytes_are_of_huge_pages(tmp_path: Path) -> None:
    """One alone in its mapping may be the used end of a stack."""
    file = program(PerfData((FAULT,)))
    file.mmap(100, DATA + BYTES, HUGE + PAGE, "//anon", protection=3, time=2500)
    few = (DATA + HUGE, DATA + HUGE + PAGE)
    beyond = DATA + BYTES + HUGE  # these 2 MiB are not all mapped
    recording = imported(faulting(file, DATA + 5, *few, DATA + 3 * HUGE, DATA + BYTES, beyond), tmp_path)
    assert rows(recording, "SELECT address, weight FROM sample WHERE kind = 10 ORDER BY 1") == [
        (DATA + 5, 512),
        *((address, 1) for address in few),
        (DATA + 3 * HUGE, 512),
        (DATA + BYTES, 1),
        (beyond, 1),
    ]
    assert one(recording, "SELECT value FROM note WHERE kind = 'huge_pages'") == 2


def test_faults_that_were_lost_are_said_and_counted_once(tmp_path: Path) -> None:
    """perf counts what it lost in two ways. A fault that is left alone in 2 MiB is of no huge page."""
    file = faulting(program(PerfData((FAULT,))), DATA + 5, DATA + 3 * HUGE).lost(14).lost(5).lost(18, samples=True)
    recording = imported(file, tmp_path)
    assert rows(recording, "SELECT kind, weight FROM sample") == [(10, 1), (10, 1)]
    assert rows(recording, "SELECT kind, value FROM note WHERE kind IN ('lost', 'faults')") == [
        ("lost", 19),
        ("faults", 21),
    ]
    text = report(recording)
    assert "first touched, by" in text and "(from 9.5 % of the page faults)" in text and "hardly matter" not in text


def test_an_event_that_a_pipe_tells_late_takes_no_sample_that_is_not_its(tmp_path: Path) -> None:
    """A sample of an unknown id is of the only event, and of none when another one comes."""
    kinds = LOADS | IDENTIFIER
    file = loads(program(PerfData((Event(kinds, ids=(1,)),))), 4)
    file.events = (Event(kinds, ids=(2,)),)
    late = Event(kinds, ids=(3,))
    file.record(ATTR, file.attr(late) + file.pack("Q", 3), 0)
    path = tmp_path / "perf.data"
    path.write_bytes(file.pipe())
    status, said = run_import(path)
    assert (status, said.count("\n")) == (FAILED, 1) and "has no samples" in said


MINOR_FAULTS, WITH_ID = 5, FAULT.sample_type | IDENTIFIER


@pytest.mark.parametrize(
    ("second", "times", "counted"),
    [
        ((PAGE_FAULTS, 1), (3005, 3006), [3001, 3002]),
        ((MINOR_FAULTS, 1), (3005, 3006), [3001, 3002]),
        ((PAGE_FAULTS, 50), (3005, 3006), [3001, 3002]),
        ((MINOR_FAULTS, 1), (3001, 3002), [3001, 3002]),
    ],
)
def test_faults_that_two_events_sample_count_once(
    second: tuple[int, int], times: tuple[int, int], counted: list[int], tmp_path: Path
) -> None:
    for order in (1, -1):
        events = (Event(WITH_ID, SOFTWARE, PAGE_FAULTS, 1, (1,)), Event(WITH_ID, SOFTWARE, *second, (2,)))
        file, best = program(PerfData(events[::order])), 0 if order == 1 or second == (PAGE_FAULTS, 1) else 1
        for index in (best, 1 - best):
            for i, time in enumerate(times if index != best else counted):
                file.sample(index, pid=100, time=time, addr=DATA + PAGE * i, period=events[::order][index].period)
        recording = imported(file, tmp_path, f"perf{order}")
        assert rows(recording, "SELECT t_ns + 1000, weight FROM sample ORDER BY 1") == [(time, 1) for time in counted]
        assert one(recording, "SELECT value FROM note WHERE kind = 'repeated'") == 2


@pytest.mark.parametrize(("events", "times"), [(2, [3000, 3001]), (1, [3000, 3000, 3001, 3001])])
def test_samples_of_one_id_and_time_repeat_each_other_where_two_events_sample(
    events: int, times: list[int], tmp_path: Path
) -> None:
    """As Linux 6.18 writes the samples of two events. Those of one event are faults of their own."""
    two = tuple(Event(WITH_ID, SOFTWARE, PAGE_FAULTS, 1, (i + 1,)) for i in range(events))
    file = program(PerfData(two))
    for i in range(4):
        file.sample(pid=100, time=3000 + i // 2, addr=DATA + PAGE, period=1)
    recording = imported(file, tmp_path)
    assert rows(recording, "SELECT t_ns + 1000 FROM sample ORDER BY 1") == times
    noted = rows(recording, "SELECT value FROM note WHERE kind = 'repeated'")
    assert sum(noted) == 4 - len(times)


def test_faults_of_which_not_all_is_known_are_no_first_touches(tmp_path: Path) -> None:
    """One of several is recorded; the program ran before; pages are shared with a child. After an exec all is new."""
    sampled = faulting(program(PerfData((Event(FAULT.sample_type, SOFTWARE, PAGE_FAULTS, 50),))), DATA)
    recording = imported(sampled, tmp_path, "sampled")
    assert rows(recording, "SELECT kind FROM sample") == [19]
    first = subprocess.run([PROGRAM, "report", recording], capture_output=True, text=True, check=True).stdout
    assert "Evidence: 1 other page fault" in first
    early = PerfData((FAULT,)).comm(5, 5, "early").mmap(5, DATA, BYTES, "//anon", protection=3)
    assert rows(imported(faulting(early, DATA, pid=5), tmp_path, "early"), "SELECT kind FROM sample") == [19]
    file = program(PerfData((FAULT,))).fork(200, 100, 200, 100, 2900)
    faulting(faulting(file, DATA), DATA + PAGE, pid=200, time=3100)
    file.comm(200, 200, "other", 3200, run=True).mmap(200, DATA, BYTES, "//anon", protection=3, time=3201)
    faulting(file, DATA, pid=200, time=3300)
    found = rows(imported(file, tmp_path), "SELECT t_ns, kind FROM sample ORDER BY t_ns")
    assert [kind for _, kind in found] == [19, 19, 10]


def test_check_and_diff_and_page_of_imported_files(tmp_path: Path) -> None:
    """By the interval of the sampled share: 50 % of 400 samples lie between 45 % and 55 %."""
    recording = imported(loads(program(PerfData()), 400), tmp_path)
    few = imported(loads(program(PerfData()), 20), tmp_path, "few")

    for limit, status, word in (
        ("10%", 121, "exceeded: "),
        ("60%", 0, "ok: "),
        ("50%", 122, "cannot say: the limit lies"),
    ):
        done = reports("check", "--max-remote", limit, recording)
        assert done.status == status and done.out.startswith(word)
    done = reports("check", "--max-remote", "10%", few)
    assert done.status == 122 and done.out.startswith("cannot say: n/a: 20 samples are too few to say")
    done = reports("diff", recording, recording)
    assert done.status == 0 and "Remote share unchanged" in " ".join(done.out.split())
    assert reports("report", "--html", tmp_path / "page.html", recording).status == 0
    assert "IMPORTED: recorded by perf 6.8.12 on there" in (tmp_path / "page.html").read_text()


RETIRED_LOCAL, RETIRED_REMOTE = 0x1D3, 0x2D3  # MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM and .REMOTE_DRAM of Skylake-SP


def test_events_that_tell_the_source_of_their_accesses(tmp_path: Path) -> None:
    """By the event catalogue: with an address a load, without one the line of a remote request."""
    kinds = IP | TID | TIME | ADDR | CPU | PERIOD | IDENTIFIER
    events = (
        Event(kinds, config=RETIRED_LOCAL, ids=(1,), name="local"),
        Event(kinds, config=RETIRED_REMOTE, ids=(2,), name="remote"),
        Event(kinds & ~ADDR, config=RETIRED_REMOTE, ids=(3,), name="lines"),
        Event(kinds & ~ADDR, config=RETIRED_LOCAL, ids=(4,), name="others"),
    )

    def file(cpuid: str) -> PerfData:
        made = program(PerfData(events)).host(cpuid=cpuid)
        for event in range(4):
            made.sample(event, pid=100, time=3000 + event, addr=DATA + event, ip=CODE + 4, cpu=1, period=100)
        return made

    recording = imported(file("GenuineIntel,6,85,4"), tmp_path)
    found = rows(recording, "SELECT k.name, address, source, weight FROM sample s JOIN sample_kind k ON k.id = s.kind")
    assert found == [("load", DATA, 1, 100), ("load", DATA + 1, 2, 100), ("overflow", None, None, 100)]
    assert rows(recording, "SELECT name, placement FROM event ORDER BY id")[2] == ("lines", "remote_dram")
    assert one(recording, "SELECT value FROM note WHERE kind = 'no_memory'") == 1
    other = tmp_path / "other"
    file("GenuineIntel,6,26,5").write(other)
    assert "has no memory samples: none of its 4 samples tells an address" in run_import(other)[1]


SERIAL_C = """
void fill(char *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = 1;
}
int sum(const char *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}
int main(void) { return 0; }
"""


@pytest.mark.requires("gcc")
def test_loads_and_page_faults_together_lead_to_the_line_to_change(tmp_path: Path) -> None:
    """One thread fills what eight threads of two nodes read: the advice names the line that fills."""
    source, binary = tmp_path / "serial.c", tmp_path / "serial"
    source.write_text(SERIAL_C)
    subprocess.run(["gcc", "-g", "-O1", "-no-pie", "-o", binary, source], check=True)
    names = subprocess.run(["nm", binary], capture_output=True, text=True, check=True).stdout.splitlines()
    at = {line.split()[-1]: int(line.split()[0], 16) for line in names if len(line.split()) == 3}
    kinds = LOADS | IDENTIFIER
    events = (Event(kinds, ids=(1,)), Event(kinds, SOFTWARE, PAGE_FAULTS, 1, (2,), name="page-faults"))
    file = program(PerfData(events)).mmap(100, CODE + 0x1000, 0x1000, str(binary), offset=0x1000, time=1500)
    file.mmap(100, DATA, BYTES, "//anon", protection=3, time=1501)
    for page in range(4096):
        file.sample(1, pid=100, time=2500 + page, ip=at["fill"] + 4, addr=DATA + page * PAGE, period=1)
    for i in range(1600):
        thread, source_of = i % 8, REMOTE_RAM if i % 8 >= 4 else LOCAL_RAM
        address = DATA + (thread * 512 + i // 8) * PAGE
        reads = {"cpu": thread, "time": 9000 + i, "ip": at["sum"] + 4, "addr": address, "physical": 8}
        file.sample(0, pid=100, tid=110 + thread, source=source_of, weight=400, **reads)
    text = report(imported(file, tmp_path))
    assert "50.0 % of 1 600 sampled accesses to DRAM are remote" in text
    assert re.search(r"serial\.c:[45] fill first touches 16 MiB, all from thread 0 \(solve 100\)\.", text)
    assert re.search(r"serial\.c:1[01] sum uses it from 8 threads on nodes 0-1", text)
