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


def write_seeds(folder: Path) -> list[Path]:
    paths = []
    for name, order in (("little", "<"), ("big", ">")):
        for form in ("data", "pipe"):
            for kind in ("plain", "compressed"):
                path = folder / f"{name}.{form}.{kind}"
                file = seed(order).compressed() if kind == "compressed" else seed(order)
                path.write_bytes(getattr(file, form)())
                paths.append(path)
    return paths
