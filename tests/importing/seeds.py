# SPDX-License-Identifier: Apache-2.0
"""perf.data files of every form, for whoever damages them."""

from __future__ import annotations

from pathlib import Path

from perf_data import (
    EVERYTHING,
    ID,
    IDENTIFIER,
    LOADS,
    LOCAL_RAM,
    PAGE_FAULTS,
    REMOTE_RAM,
    SOFTWARE,
    STREAM_ID,
    Event,
    PerfData,
)


def seed(order: str) -> PerfData:
    events = (
        Event(EVERYTHING, ids=(1, 2), read_format=15),
        Event(LOADS | IDENTIFIER | ID | STREAM_ID, ids=(3,)),
        Event(LOADS | IDENTIFIER, SOFTWARE, PAGE_FAULTS, 1, (4,)),
    )
    file = PerfData(events, order).host(
        host="h", kernel="6", perf="6", arch="x86_64", cpu="c", cpuid="GenuineIntel,6,85,4"
    )
    file.machine("0-3", "4-7").command("perf", "record", "./x").id_index({1: 0, 2: 4, 3: 1})
    file.comm(7, 7, "x").comm(7, 7, "x", 10, run=True).mmap(
        7, 0x400000, 1 << 20, "/bin/true", time=11, build_id=b"12345678"
    )
    file.mmap(7, 0x7F0000000000, 1 << 24, "//anon", protection=3, time=12).fork(8, 7, 8, 7, 13).build_id(
        "/bin/true", b"1234"
    )
    for i in range(20):
        chain = [(1 << 64) - 128, (1 << 64) - 4096, (1 << 64) - 512, 0x400000 + i, 0x400400]
        file.sample(
            i % 3,
            pid=7 + i % 2,
            time=100 - i,
            addr=0x7F0000000000 + i,
            physical=i << 27,
            chain=chain,
            source=LOCAL_RAM if i % 3 else REMOTE_RAM,
            cpu=i % 8,
            ip=0x400000 + i,
        )
        if i % 5 == 0:
            file.round()
    return file.lost(3).exit(8, 8, 200)


def stat_seed(order: str) -> PerfData:
    """Of perf stat record: three threads, two rounds."""
    events = tuple(
        Event(IDENTIFIER, config=config, ids=(at, at + 1, at + 2), inherit=True)
        for config, at in ((0x1D3, 1), (0x2D3, 4), (0x3C, 7))
    )
    file = PerfData(events, order).host(
        host="h", kernel="6", perf="6", arch="x86_64", cpu="c", cpuid="GenuineIntel,6,85,4"
    )
    file.machine("0-3", "4-7").command("perf", "stat", "record", "./x").event_name(1, "near")
    file.threads({7: "x", 8: "x", 9: ""}).cpu_list(-1).interval(10)
    for turn in (1, 2):
        for which in range(1, 10):
            file.count(which, -1, (which - 1) % 3, which * turn * 1000, turn * 10_000_000, turn * 9_000_000)
        file.end_of_round(turn * 10_000_000)
    return file.count(1, -1, 0, 3000, 21_000_000, 20_000_000)


TEXT = """\
# hostname : h
# arch : x86_64
# cpuid : GenuineIntel,6,85,4
# cmdline : /usr/bin/perf mem record ./x
# event : name = loads, , id = { 1 }, type = 4, size = 128, config = 0x1cd, { sample_period, sample_freq } = 1000
# CPU 0: Core ID 0, Socket ID 0
# CPU 4: Core ID 0, Socket ID 1
# node0 meminfo  : total = 1048576 kB, free = 524288 kB
# node0 cpu list : 0-3
# node1 meminfo  : total = 1048576 kB, free = 524288 kB
# node1 cpu list : 4-7
# memory nodes (nr 2, block size 0x8000000):
#    0 [4G]: 0,2,4-8
#    1 [4G]: 1,3
x 7/7 [000] 0.000010: PERF_RECORD_COMM exec: x:7/7
x 7/7 [000] 0.000011: PERF_RECORD_MMAP2 7/7: [0x400000(0x100000) @ 0 08:01 42 0]: r-xp /bin/true
x 7/7 [000] 0.000012: PERF_RECORD_MMAP2 7/7: [0x7f0000000000(0x1000000) @ 0 <0123456789abcdef>]: rw-p //anon
x 7/7 [000] 0.000012: PERF_RECORD_MMAP 7/7: [0x7e0000000000(0x1000000) @ 0]: r /dev/shm/a
x 7/7 [000] 0.000013: PERF_RECORD_FORK(8:8):(7:7)
"""
WORDS = "|OP LOAD|LVL RAM|SNP N/A|TLB N/A|LCK No|BLK  N/A"


def text_seed() -> str:
    lines = [TEXT]
    for i in range(10):
        head = f"x {7 + i % 2}/{7 + i % 2} [00{i % 8}] 1.00000{i}:"
        source = f"{0x3A00000002 if i % 2 else 0x1A00000002:x} {WORDS}"
        lines.append(f"{head} 1000 loads: {0x7F0000000000 + i:x} {source} 300 {0x400000 + i:x} f+0x1 (/bin/true) 8\n")
        chain = "\tffffffff81000130 k ([kernel.kallsyms])\n\t 100 f+0x1 (/bin/true)\n\t 200 m (inlined)\n"
        lines.append(f"{head} 1000 loads: {0x7F0000000000 + i:x} {source} 300\n{chain}        8\n")
        lines.append(f"{head} 1 page-faults: {0x7F0000001000 + i:x} [unknown] (//anon) 400010 f (/bin/true)\n\n")
    return "".join(
        [*lines, "x 8/8 [000] 2.000000: PERF_RECORD_LOST lost 3\nx 8/8 [000] 2.000000: PERF_RECORD_EXIT(8:8):(7:7)\n"]
    )


def write_seeds(folder: Path) -> list[Path]:
    paths = [folder / "script.txt"]
    paths[0].write_text(text_seed())
    for name, order in (("little", "<"), ("big", ">")):
        for form in ("data", "pipe"):
            for kind in ("plain", "compressed"):
                for what in (seed, stat_seed):
                    path = folder / f"{what.__name__}.{name}.{form}.{kind}"
                    file = what(order).compressed() if kind == "compressed" else what(order)
                    path.write_bytes(getattr(file, form)())
                    paths.append(path)
    return paths
