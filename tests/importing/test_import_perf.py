# SPDX-License-Identifier: Apache-2.0
"""Files that perf writes on this computer: the import says what perf script says."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Optional

import pytest
from conftest import PROGRAM
from running import one, rows, target

pytestmark = pytest.mark.requires("perf", "perf_event", "gcc")

FAULTS = "perf record -q -d --sample-cpu -c 1 -e page-faults:u"
USER_END = 1 << 63
FEATURE_BITS = slice(72, 104)  # in the header of a file


def script(data: Path, fields: str) -> list[list[str]]:
    done = subprocess.run(
        ["perf", "script", "--ns", "-i", data, "-F", fields], capture_output=True, text=True, check=True
    )
    return [line.split() for line in done.stdout.splitlines() if line.strip()]


def perf_samples(data: Path) -> Counter[tuple[int, int, int, int]]:
    """Thread, CPU, address and period of the samples of the program's memory."""
    lines = script(data, "tid,cpu,period,addr")
    found = [(int(tid), int(cpu.strip("[]")), int(address, 16), int(period)) for tid, cpu, period, address in lines]
    return Counter(sample for sample in found if sample[2] < USER_END)


def imported_samples(recording: Path) -> Counter[tuple[int, int, int, int]]:
    return Counter(rows(recording, "SELECT tid, cpu, address, weight FROM sample JOIN thread ON thread.id = thread"))


@pytest.mark.parametrize("options", ["", "-g", "-T --no-inherit", "-e task-clock:u", "-N -B", "-z", "--threads"])
def test_samples_are_those_of_perf_script(options: str, tmp_path: Path) -> None:
    data, recording = tmp_path / "perf.data", tmp_path / "r.numaprof"
    subprocess.run(["sh", "-c", f"{FAULTS} {options} -o {data} {target('touch')} 4 512"], check=True)
    subprocess.run([PROGRAM, "import", "-q", "-o", recording, data], check=True)
    if "task-clock" in options:
        lines = script(data, "event,tid,cpu,period,addr")
        others = sum(not words[3].startswith("page-faults") for words in lines)
        assert one(recording, "SELECT coalesce(sum(value), 0) FROM note WHERE kind = 'no_memory'") == others
        assert len(rows(recording, "SELECT id FROM sample")) == len(lines) - others
        return
    assert imported_samples(recording) == perf_samples(data)
    assert one(recording, "SELECT count(*) FROM sample WHERE stack IS NULL") == 0


@pytest.mark.parametrize(("twice", "count"), [("page-faults:u", 2), ("minor-faults:u", 2), ("page-faults:k", 1)])
def test_page_faults_that_two_events_sample_count_once(twice: str, count: int, tmp_path: Path) -> None:
    """Faults of the kernel's own accesses are others than those of the program's."""
    data, recording = tmp_path / "perf.data", tmp_path / "r.numaprof"
    subprocess.run(["sh", "-c", f"{FAULTS} -e {twice} -o {data} {target('touch')} 4 512"], check=True)
    subprocess.run([PROGRAM, "import", "-q", "-o", recording, data], check=True)
    addresses = Counter((int(tid), int(address, 16)) for tid, address in script(data, "tid,addr"))
    found = Counter(rows(recording, "SELECT tid, address FROM sample JOIN thread ON thread.id = thread"))
    assert sum(found.values()) > 512 and set(found) == set(addresses)
    assert sum(found.values()) * count == pytest.approx(sum(addresses.values()), rel=0.01)  # some faults are major


def test_a_pipe_tells_what_a_file_tells(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    command = f"{FAULTS} -o - {target('touch')} 4 512 | tee {tmp_path}/piped | {PROGRAM} import -q -o {recording} -"
    subprocess.run(["sh", "-c", command], check=True)
    assert imported_samples(recording) == perf_samples(tmp_path / "piped")
    assert one(recording, "SELECT form FROM imported") == "pipe"


def test_counts_and_text_of_perf_are_named_for_what_they_are(tmp_path: Path) -> None:
    data, text = tmp_path / "perf.data", tmp_path / "script.txt"
    subprocess.run(["perf", "stat", "record", "-o", data, "-e", "page-faults", "true"], check=True, capture_output=True)
    subprocess.run(["sh", "-c", f"{FAULTS} -o {data}.faults true && perf script -i {data}.faults > {text}"], check=True)
    for file, words in (
        (data, "(counts no event that the event catalogue knows on this CPU: page-faults|of a CPU model whose events)"),
        (text, "has no memory samples: none of its "),
    ):
        done = subprocess.run([PROGRAM, "import", file], capture_output=True, text=True, cwd=tmp_path, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (125, 1) and re.search(words, done.stderr), done.stderr


EVENTS = ["page-faults", "context-switches"]


def as_loads(file: bytes) -> bytes:
    """perf's own file, its two software events renumbered as events of local and of remote loads on Skylake."""
    for config, loads in ((2, 0x1D3), (3, 0x2D3)):
        attr = re.compile(b"\\x01\0\0\0(.\0\0\0)" + re.escape(config.to_bytes(8, "little")), re.DOTALL)
        found = attr.search(file)  # a file describes its events twice; the first counts
        assert found
        raw = (4).to_bytes(4, "little") + found[1] + loads.to_bytes(8, "little")
        file = file[: found.start()] + raw + file[found.end() :]
    return file


def import_as_skylake(file: bytes, tmp_path: Path) -> Path:
    root, recording = tmp_path / "root", tmp_path / "r.numaprof"
    (root / "proc").mkdir(parents=True)
    (root / "sys").symlink_to("/sys")
    identity = {"processor": 0, "vendor_id": "GenuineIntel", "cpu family": 6, "model": 85, "stepping": 4}
    (root / "proc/cpuinfo").write_text("".join(f"{name}\t: {value}\n" for name, value in identity.items()))
    (tmp_path / "loads").write_bytes(file)
    subprocess.run([PROGRAM, "import", "-q", "--sysroot", root, "-o", recording, tmp_path / "loads"], check=True)
    return recording


Counts = Counter[tuple[Optional[float], Optional[str], str]]  # seconds, CPU, event


def printed(text: str) -> Counts:
    found: Counts = Counter()
    for words in map(str.split, text.splitlines()):
        event = next((word for word in words if word in EVENTS), None)
        if event is not None and "counted>" not in words:  # nothing ran in this interval
            before = words[: words.index(event)]
            moment = float(before[0]) if "." in before[0] else None
            found[moment, next((word for word in before if word.startswith("CPU")), None), event] += int(before[-1])
    return found


@pytest.mark.requires("root")
@pytest.mark.parametrize("by_cpu", [False, True])
@pytest.mark.parametrize("interval", [False, True])
def test_counts_are_those_that_perf_stat_prints(by_cpu: bool, interval: bool, tmp_path: Path) -> None:
    """Of a program and of CPUs, in all or by interval. The file is perf's; event numbers and CPU model are changed."""
    data, options = tmp_path / "perf.data", ["-a", "-A"] * by_cpu + ["-I", "20"] * interval
    command = [
        "perf",
        "stat",
        "record",
        "-o",
        data,
        *options,
        "-e",
        ",".join(EVENTS),
        "--",
        target("touch"),
        "4",
        "65536",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    file = bytearray(data.read_bytes())
    file[FEATURE_BITS] = bytes(32)
    shown = printed(done.stderr)
    recording = import_as_skylake(as_loads(bytes(file)), tmp_path)
    found: Counts = Counter()
    names = dict(zip(("local_dram", "remote_dram"), EVENTS))
    for t_ns, cpu, placement, value in rows(
        recording, "SELECT t_ns, cpu, placement, value FROM count JOIN event e ON e.id = event WHERE placement <> ''"
    ):
        at_once = [at for at, *_ in shown if at is None or abs(at - t_ns / 1e9) < 1e-8]
        if interval and not at_once:  # read after the last interval: in the file, but not printed
            assert t_ns / 1e9 > max(at for at, *_ in shown if at is not None)
            continue
        moment = at_once[0]
        found[moment, None if cpu is None else f"CPU{cpu}", names[placement]] += value
    assert +found == +shown and sum(found.values()) > 1000
    clock = "SELECT sum(value), sum(enabled_ns) FROM count JOIN event e ON e.id = event WHERE class = 'time'"
    value, enabled = rows(recording, clock)[0]
    assert value == enabled > 0


def test_counts_in_a_pipe(tmp_path: Path) -> None:
    """perf writes nothing of the machine there."""
    command = ["perf", "stat", "record", "-o", "-", "-e", ",".join(EVENTS), "--", target("touch"), "4", "65536"]
    piped = subprocess.run(command, capture_output=True, check=True).stdout
    recording = import_as_skylake(as_loads(piped), tmp_path)
    assert one(recording, "SELECT form, (SELECT sum(value) > 100 FROM count WHERE event = 1) FROM imported") == (
        "pipe",
        1,
    )


def test_the_machine_is_the_one_that_perf_describes(tmp_path: Path) -> None:
    """Nodes with their CPUs and memory, packages and cores, by perf's own listing of the header."""
    data, recording = tmp_path / "perf.data", tmp_path / "r.numaprof"
    subprocess.run(["sh", "-c", f"{FAULTS} -o {data} true"], check=True)
    subprocess.run([PROGRAM, "import", "-q", "-o", recording, data], check=True)
    command = ["perf", "report", "--header-only", "-I", "-i", data]
    header = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    nodes = re.findall(r"^# node(\d+) meminfo *: total = (\d+) kB, free = (\d+) kB", header, re.MULTILINE)
    listed = [(int(node), int(total) * 1024, int(free) * 1024) for node, total, free in nodes]
    assert rows(recording, "SELECT id, mem_bytes, free_bytes FROM node") == listed
    places = re.findall(r"^# CPU (\d+): Core ID (\d+),(?: Die ID \d+,)? Socket ID (\d+)", header, re.MULTILINE)
    assert rows(recording, "SELECT id, core, package FROM cpu") == [tuple(map(int, place)) for place in places]
    (version,) = re.findall(r"^# perf version : (.*)", header, re.MULTILINE)
    (host,) = re.findall(r"^# hostname : (.*)", header, re.MULTILINE)
    found = one(recording, "SELECT version, host, cpu_name FROM imported JOIN run USING (id)")
    assert found[:2] == (version, host) and f"# cpudesc : {found[2]}\n" in header
    blocks = re.findall(r"^# +(\d+) \[\d+[KMGT]?\]: (.*)", header, re.MULTILINE)
    assert all(
        page in {None, *(int(node) for node, _ in blocks)} for page in rows(recording, "SELECT page_node FROM sample")
    )


def test_names_come_from_the_program_of_the_same_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions, lines and variables: of the recorded build, from its place, --symfs or the cache of perf."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    source = tmp_path / "fill.c"
    source.write_text(
        "static char table[1 << 22];\n"
        "__attribute__((noinline)) static void fill(void)\n"
        "{\n"
        "    for (unsigned i = 0; i < sizeof table; i += 4096)\n"
        "        *(volatile char *)&table[i] = 1;\n"
        "}\n"
        "int main(void) { fill(); return 0; }\n"
    )
    program, data = tmp_path / "fill", tmp_path / "perf.data"
    build = ["gcc", "-g", "-O1", "-Wl,--build-id", "-o", program, source]
    subprocess.run(build, check=True)
    subprocess.run(["sh", "-c", f"{FAULTS} -o {data} {program}"], check=True)

    def named(name: str, *options: object) -> tuple[int, int]:
        """Samples at the line that writes, and samples in the variable."""
        recording = tmp_path / f"{name}.numaprof"
        subprocess.run([PROGRAM, "import", "-q", *options, "-o", recording, data], check=True)
        lines = "SELECT count(*) FROM sample JOIN stack s ON s.id = stack JOIN place p ON p.id = s.place"
        objects = "SELECT count(*) FROM sample JOIN block b ON b.id = block JOIN object o ON o.id = b.object"
        at_line = one(recording, f"{lines} WHERE function = 'fill' AND file = '{source}' AND line IN (4, 5)")
        return at_line, one(recording, f"{objects} WHERE o.name = 'table'")

    pages = (1 << 22) // 4096
    assert min(named("here")) >= pages * 0.99  # a page may have been placed by the loader
    elsewhere = tmp_path / "symfs"
    (elsewhere / program.parent.relative_to("/")).mkdir(parents=True)
    program.rename(elsewhere / program.relative_to("/"))
    assert min(named("cached")) >= pages * 0.99
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    assert named("gone") == (0, 0)
    assert min(named("symfs", "--symfs", elsewhere)) >= pages * 0.99
    subprocess.run([*build, "-O2"], check=True)
    assert named("other") == (0, 0)
    assert one(tmp_path / "other.numaprof", "SELECT value FROM note WHERE kind = 'replaced'") >= 1
    assert one(tmp_path / "gone.numaprof", "SELECT value FROM note WHERE kind = 'missing_files'") >= 1


def test_copied_stacks_are_unwound_from_the_files(tmp_path: Path) -> None:
    """Without frame pointers: perf record --call-graph dwarf."""
    source, program = tmp_path / "deep.c", tmp_path / "deep"
    source.write_text(
        "static char table[1 << 20];\n"
        "#define STEP __attribute__((noinline)) static void\n"
        '#define KEEP __asm__ volatile("" ::: "memory")\n'
        "STEP inner(void) { for (int i = 0; i < 1 << 20; i += 4096) table[i] = 1; KEEP; }\n"
        "STEP middle(void) { inner(); KEEP; }\n"
        "int main(void) { middle(); KEEP; return table[5]; }\n"
    )
    subprocess.run(["gcc", "-g", "-O2", "-fomit-frame-pointer", "-o", program, source], check=True)
    recording = imported(f"--call-graph dwarf {program}", tmp_path)
    callers = (
        "SELECT a.function, b.function, c.function FROM sample"
        " JOIN stack s ON s.id = stack JOIN place a ON a.id = s.place"
        " JOIN stack t ON t.id = s.caller JOIN place b ON b.id = t.place"
        " JOIN stack u ON u.id = t.caller JOIN place c ON c.id = u.place"
    )
    assert Counter(rows(recording, callers))["inner", "middle", "main"] >= 250


FIRST_TOUCHES = (
    "SELECT sum(weight) FROM sample JOIN thread ON thread.id = thread WHERE kind = 10 GROUP BY tid ORDER BY 1"
)
HUGE_C = """
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(int argc, char **argv)
{
    size_t bytes = 16 << 20;
    char *memory = aligned_alloc(2 << 20, bytes);
    madvise(memory, bytes, argc > 1 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memset(memory, 1, bytes);
    return memory[bytes / 2] != 1;
}
"""


def imported(command: str, tmp_path: Path) -> Path:
    data, recording = tmp_path / "perf.data", tmp_path / "r.numaprof"
    subprocess.run(["sh", "-c", f"{FAULTS} -m 16M -o {data} {command}"], check=True)
    subprocess.run([PROGRAM, "import", "-q", "-o", recording, data], check=True)
    return recording


def test_first_touches_are_the_pages_that_the_threads_touch(tmp_path: Path) -> None:
    """Each of four threads: its memory, and a few pages of its stack."""
    pages = rows(imported(f"{target('touch')} 4 2048", tmp_path), FIRST_TOUCHES)
    assert len(pages) == 5
    assert all(512 <= count <= 512 + 24 for count in pages[-4:])


@pytest.mark.requires("huge_pages")
@pytest.mark.parametrize("word", ["", "huge"])
def test_bytes_of_first_touches_with_and_without_huge_pages(word: str, tmp_path: Path) -> None:
    (tmp_path / "huge.c").write_text(HUGE_C)
    subprocess.run(["gcc", "-O1", "-o", tmp_path / "huge", tmp_path / "huge.c"], check=True)
    (pages,) = rows(imported(f"{tmp_path / 'huge'} {word}", tmp_path), FIRST_TOUCHES)
    assert 4096 <= pages <= 4096 + 200
