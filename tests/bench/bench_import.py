# SPDX-License-Identifier: Apache-2.0
"""Importing a perf.data file of a million loads with call stacks: goals 3 s and 300 MiB."""

from __future__ import annotations

import os
import sqlite3
import struct
import sys
from collections.abc import Iterator
from contextlib import closing
from multiprocessing import Process
from pathlib import Path
from subprocess import Popen

from bench import NUMAPROF, TREE, Cost, folder, line, medians, run

sys.path += [str(TREE / "tests" / "importing")]
from perf_data import CALLCHAIN, LOADS, LOCAL_RAM, REMOTE_RAM, Event, PerfData

SAMPLES, ROUND, RUNS = 1_000_000, 1000, 3
DATA, CODE, BYTES = 0x7F0000000000, 0x400000, 1 << 30
TIME_AT = 24  # in a sample: behind header, instruction and thread


def program() -> PerfData:
    """Eight threads on two nodes."""
    file = PerfData((Event(LOADS | CALLCHAIN),)).host(host="h", kernel="6.8.0", perf="6.8.12", arch="x86_64", cpu="c")
    file.machine("0-3", "4-7").command("perf", "mem", "record", "./solve")
    file.comm(100, 100, "perf").comm(100, 100, "solve", 1000, run=True).mmap(100, CODE, 1 << 24, "/solve", time=1001)
    file.mmap(100, DATA, BYTES, "//anon", protection=3, time=1002)
    for thread in range(1, 8):
        file.fork(100, 100, 100 + thread, 100, 2000)
    return file


def samples(file: PerfData) -> Iterator[bytearray]:
    """One record for each of a round: a few call stacks, addresses all over the data."""
    for i in range(ROUND):
        thread, place = i % 8, (i * 7919 << 12) % BYTES
        chain = [(1 << 64) - 512, *(CODE + 64 * depth + i % 16 for depth in range(8))]
        source = LOCAL_RAM if thread < 4 else REMOTE_RAM
        where = {"pid": 100, "tid": 100 + thread, "cpu": thread, "addr": DATA + place, "physical": place}
        file.sample(**where, ip=CODE + i % 16, source=source, weight=300 + i % 64, chain=chain)
        yield bytearray(file.records.pop())


def write(path: Path) -> None:
    file = program()
    made = list(samples(file))
    for time in range(10_000, 10_000 + SAMPLES, ROUND):
        for i, sample in enumerate(made):
            struct.pack_into("<Q", sample, TIME_AT, time + i)
        file.records.append(b"".join(made))
        file.round()
    file.write(path)


def most_memory(*command: object) -> int:
    """Bytes of the process at its largest."""
    with Popen(list(map(str, command))) as process:
        return os.wait4(process.pid, 0)[2].ru_maxrss * 1024


def main() -> None:
    with folder() as place:
        path, output = place / "perf.data", place / "out.numaprof"
        # Linux counts the memory of the process that starts another one as that one's: this one has to stay small.
        writer = Process(target=write, args=(path,))
        writer.start()
        writer.join()

        def once() -> Cost:
            output.unlink(missing_ok=True)
            return run([NUMAPROF, "import", "-q", "-o", output, path])

        cost = medians(RUNS, once=once)["once"]
        with closing(sqlite3.connect(output)) as recording:
            (found,) = recording.execute("SELECT count(*) FROM sample").fetchone()
        line(f"import of {found:,} samples", f"{cost.wall:.1f} s, CPU time {cost.cpu:.1f} s", "<= 3 s")
        memory = most_memory(NUMAPROF, "import", "-q", "-o", place / "again.numaprof", path)
        line("  memory", f"{memory / (1 << 20):.0f} MiB", "<= 300 MiB")


if __name__ == "__main__":
    main()
