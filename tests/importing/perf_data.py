# SPDX-License-Identifier: Apache-2.0
"""Builds perf.data files by hand: what perf record would have written, in every form it has.

tools/perf/Documentation/perf.data-file-format.txt of the kernel and include/uapi/linux/perf_event.h describe the bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

# PERF_SAMPLE_*
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU = (1 << bit for bit in range(8))
PERIOD, STREAM_ID, RAW, BRANCHES, REGS_USER, STACK_USER = (1 << bit for bit in range(8, 14))
WEIGHT, DATA_SRC, IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR = (1 << bit for bit in range(14, 20))
WEIGHT_STRUCT = 1 << 24
LOADS = IP | TID | TIME | ADDR | CPU | PERIOD | WEIGHT | DATA_SRC | PHYS_ADDR
EVERYTHING = LOADS | IDENTIFIER | READ | CALLCHAIN | RAW | BRANCHES | REGS_USER | STACK_USER | TRANSACTION | REGS_INTR

MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2, LOST_SAMPLES = 1, 2, 3, 4, 7, 9, 10, 13
ATTR, BUILD_ID, ROUND, ID_INDEX, FEATURE, COMPRESSED, COMPRESSED2 = 64, 67, 68, 69, 80, 81, 83
THREAD_MAP, CPU_MAP, STAT_CONFIG, STAT, STAT_ROUND, EVENT_UPDATE = range(73, 79)  # of perf stat record
HOSTNAME, OSRELEASE, VERSION, ARCH, NRCPUS, CPUDESC, CPUID, CMDLINE = 3, 4, 5, 6, 7, 8, 9, 11
EVENT_DESC, CPU_TOPOLOGY, NUMA_TOPOLOGY, MEM_TOPOLOGY = 12, 13, 14, 22
USER, KERNEL, GUEST_USER = 2, 1, 5  # cpumode of a record

# union perf_mem_data_src: op, level (number, remote) as Intel's kernel driver fills it since Skylake.
LOAD, STORE = 2, 4
L1, L3, RAM = (number << 33 for number in (1, 3, 0xD))
REMOTE = 1 << 37
LOCAL_RAM, REMOTE_RAM, IN_L1 = LOAD | RAM, LOAD | RAM | REMOTE, LOAD | L1

RAW_EVENT, SOFTWARE = 4, 1
PAGE_FAULTS = 2
ATTR_BYTES = 128
BLOCK = 128 << 20  # of physical memory


@dataclass
class Event:
    sample_type: int = LOADS
    type: int = RAW_EVENT
    config: int = 0x1CD
    period: int = 1000
    ids: tuple[int, ...] = (11, 12)
    frequency: bool = False
    read_format: int = 0
    name: str = "cpu/mem-loads,ldlat=30/P"
    config1: int = 0
    inherit: bool = False


@dataclass
class PerfData:
    events: tuple[Event, ...] = (Event(),)
    order: str = "<"
    attr_bytes: int = ATTR_BYTES
    features: dict[int, bytes] = field(default_factory=dict)
    records: list[bytes] = field(default_factory=list)

    def pack(self, form: str, *values: int) -> bytes:
        return struct.pack(self.order + form, *values)

    def text(self, text: str) -> bytes:
        raw = text.encode() + b"\0"
        raw += bytes(-len(raw) % 64)
        return self.pack("I", len(raw)) + raw

    # --- records

    def record(self, kind: int, body: bytes, misc: int = USER) -> PerfData:
        self.records.append(self.pack("IHH", kind, misc, 8 + len(body)) + body)
        return self

    def tail(self, pid: int, tid: int, time: int) -> bytes:
        """What sample_id_all puts behind records that are no samples."""
        kinds, event = self.events[0].sample_type, self.events[0]
        parts = [
            (TID, "II", (pid, tid)),
            (TIME, "Q", (time,)),
            (ID, "Q", (event.ids[0],)),
            (STREAM_ID, "Q", (0,)),
            (CPU, "II", (0, 0)),
            (IDENTIFIER, "Q", (event.ids[0],)),
        ]
        return b"".join(self.pack(form, *values) for bit, form, values in parts if kinds & bit)

    def comm(self, pid: int, tid: int, name: str, time: int = 0, run: bool = False) -> PerfData:
        raw = name.encode() + b"\0"
        body = self.pack("II", pid, tid) + raw + bytes(-len(raw) % 8) + self.tail(pid, tid, time)
        return self.record(COMM, body, USER | (1 << 13 if run else 0))

    def fork(self, pid: int, parent: int, tid: int, parent_tid: int, time: int) -> PerfData:
        body = self.pack("IIIIQ", pid, parent, tid, parent_tid, time) + self.tail(parent, parent_tid, time)
        return self.record(FORK, body)

    def exit(self, pid: int, tid: int, time: int) -> PerfData:
        return self.record(EXIT, self.pack("IIIIQ", pid, pid, tid, pid, time) + self.tail(pid, tid, time))

    def mmap(
        self,
        pid: int,
        address: int,
        size: int,
        path: str,
        *,
        offset: int = 0,
        protection: int = 5,
        time: int = 0,
        build_id: bytes = b"",
    ) -> PerfData:
        raw = path.encode() + b"\0"
        where = self.pack("IIQQ", 8, 1, 42, 0)
        if build_id:
            where = bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b"\0")
        body = self.pack("IIQQQ", pid, pid, address, size, offset) + where + self.pack("II", protection, 2)
        body += raw + bytes(-len(raw) % 8) + self.tail(pid, pid, time)
        return self.record(MMAP2, body, USER | (1 << 14 if build_id else 0))

    def read_values(self, form: int, event: int) -> bytes:
        """PERF_SAMPLE_READ. read_format: 1 and 2 times, 4 id, 8 group."""
        times = [7] * ((form & 1) + (form >> 1 & 1))
        value = [7] + ([event] if form & 4 else [])
        words = [1, *times, *value] if form & 8 else [value[0], *times, *value[1:]]
        return self.pack(f"{len(words)}Q", *words)

    def sample(self, event: int = 0, misc: int = USER, **given: int | list[int]) -> PerfData:
        """Fields by the names below; what is not given is 0."""

        def get(name: str) -> int:
            value = given.get(name, 0)
            assert isinstance(value, int)
            return value

        chain = given.get("chain", [])
        assert isinstance(chain, list)
        which = get("id") or self.events[event].ids[0]
        read = self.events[event].read_format
        fields: list[tuple[int, Callable[[], bytes]]] = [
            (IDENTIFIER, lambda: self.pack("Q", which)),
            (IP, lambda: self.pack("Q", get("ip"))),
            (TID, lambda: self.pack("II", get("pid"), get("tid") or get("pid"))),
            (TIME, lambda: self.pack("Q", get("time"))),
            (ADDR, lambda: self.pack("Q", get("addr"))),
            (ID, lambda: self.pack("Q", which)),
            (STREAM_ID, lambda: self.pack("Q", 0)),
            (CPU, lambda: self.pack("II", get("cpu"), 0)),
            (PERIOD, lambda: self.pack("Q", get("period") or 1000)),
            (READ, lambda: self.read_values(read, which)),
            (CALLCHAIN, lambda: self.pack(f"{len(chain) + 1}Q", len(chain), *chain)),
            (RAW, lambda: self.pack("I", 12) + bytes(12)),
            (BRANCHES, lambda: self.pack("Q", 2) + bytes(48)),
            (REGS_USER, lambda: self.pack("Q", 0)),
            (STACK_USER, lambda: self.pack("Q", 0)),
            (WEIGHT | WEIGHT_STRUCT, lambda: self.pack("Q", get("weight"))),
            (DATA_SRC, lambda: self.pack("Q", get("source"))),
            (TRANSACTION, lambda: self.pack("Q", 0)),
            (REGS_INTR, lambda: self.pack("Q", 0)),
            (PHYS_ADDR, lambda: self.pack("Q", get("physical"))),
        ]
        body = b"".join(value() for bits, value in fields if self.events[event].sample_type & bits)
        return self.record(SAMPLE, body, misc)

    def round(self) -> PerfData:
        return self.record(ROUND, b"", 0)

    def lost(self, count: int, samples: bool = False) -> PerfData:
        """The kernel's record; of samples, what perf writes since 6.1."""
        body = self.pack("Q", count) if samples else self.pack("QQ", 11, count)
        return self.record(LOST_SAMPLES if samples else LOST, body + self.tail(0, 0, 1))

    def id_index(self, cpus: dict[int, int]) -> PerfData:
        rows = b"".join(self.pack("QQQQ", each, 0, cpu, 0) for each, cpu in cpus.items())
        return self.record(ID_INDEX, self.pack("Q", len(cpus)) + rows, 0)

    def build_id(self, path: str, build_id: bytes) -> PerfData:
        raw = path.encode() + b"\0"
        body = self.pack("i", -1) + build_id.ljust(20, b"\0") + bytes([len(build_id), 0, 0, 0]) + raw
        return self.record(BUILD_ID, body + bytes(-len(body) % 8), USER | 1 << 15)

    # --- perf stat record

    def threads(self, names: dict[int, str]) -> PerfData:
        rows = b"".join(self.pack("q", tid) + name.encode().ljust(16, b"\0") for tid, name in names.items())
        return self.record(THREAD_MAP, self.pack("Q", len(names)) + rows, 0)

    def cpu_list(self, *cpus: int) -> PerfData:
        """-1: any."""
        body = self.pack("HH", 0, len(cpus)) + b"".join(self.pack("H", cpu & 0xFFFF) for cpu in cpus)
        return self.record(CPU_MAP, body + bytes(-len(body) % 8), 0)

    def cpu_mask(self, word: str, *cpus: int) -> PerfData:
        """word: I or Q."""
        size = struct.calcsize(word)
        words = [
            sum(1 << cpu % (8 * size) for cpu in cpus if cpu // (8 * size) == at)
            for at in range(max(cpus) // (8 * size) + 1)
        ]
        body = self.pack("HHH", 1, len(words), size) + bytes(4 * (size == 8)) + self.pack(f"{len(words)}{word}", *words)
        return self.record(CPU_MAP, body + bytes(-len(body) % 8), 0)

    def cpu_range(self, first: int, last: int) -> PerfData:
        return self.record(CPU_MAP, self.pack("HBBHH", 2, 0, 0, first, last), 0)

    def interval(self, milliseconds: int) -> PerfData:
        pairs = ((0, 3), (1, milliseconds), (2, 1))  # aggregation, interval, scaling
        return self.record(STAT_CONFIG, self.pack("Q", 3) + b"".join(self.pack("QQ", *pair) for pair in pairs), 0)

    def event_name(self, which: int, name: str) -> PerfData:
        raw = name.encode() + b"\0"
        return self.record(EVENT_UPDATE, self.pack("QQ", 2, which) + raw + bytes(-len(raw) % 8), 0)

    def count(  # noqa: PLR0917 (the fields of the record)
        self, which: int, cpu: int, thread: int, value: int, enabled: int, running: int
    ) -> PerfData:
        body = self.pack("QIIQQQ", which, cpu & 0xFFFFFFFF, thread, value, enabled, running)
        return self.record(STAT, body, 0)

    def end_of_round(self, time: int, last: bool = False) -> PerfData:
        return self.record(STAT_ROUND, self.pack("QQ", last, time), 0)

    # --- features

    def host(self, **texts: str) -> PerfData:
        bits = {"host": HOSTNAME, "kernel": OSRELEASE, "perf": VERSION, "arch": ARCH, "cpu": CPUDESC, "cpuid": CPUID}
        for name, text in texts.items():
            self.features[bits[name]] = self.text(text)
        return self

    def command(self, *words: str) -> PerfData:
        self.features[CMDLINE] = self.pack("I", len(words)) + b"".join(map(self.text, words))
        return self

    def machine(self, *cpus: str, memory: bool = True) -> PerfData:
        """A node for each list of CPUs, a package each; blocks of physical memory by turns."""
        count = 1 + max(int(word) for text in cpus for word in text.replace("-", ",").split(",") if word)
        package = {}
        for node, text in enumerate(cpus):
            for part in filter(None, text.split(",")):
                first, _, last = part.partition("-")
                package.update(dict.fromkeys(range(int(first), int(last or first) + 1), node))
        self.features[NRCPUS] = self.pack("II", count, count)
        places = b"".join(self.pack("II", cpu, package.get(cpu, 0)) for cpu in range(count))
        self.features[CPU_TOPOLOGY] = self.pack("I", 0) + self.pack("I", 0) + places
        nodes = [self.pack("IQQ", node, 1 << 20, 1 << 19) + self.text(text) for node, text in enumerate(cpus)]
        self.features[NUMA_TOPOLOGY] = self.pack("I", len(cpus)) + b"".join(nodes)
        if memory:
            blocks = [sum(1 << bit for bit in range(node, 64, len(cpus))) for node in range(len(cpus))]
            rows = b"".join(self.pack("QQQQ", node, 64, 64, bits) for node, bits in enumerate(blocks))
            self.features[MEM_TOPOLOGY] = self.pack("QQQ", 1, BLOCK, len(cpus)) + rows
        return self

    def compressed(self, kind: int = COMPRESSED, piece: int = 300) -> PerfData:
        """The same with its records in pieces of one Zstandard frame of stored blocks: RFC 8878, 3.1.1."""
        plain, file = b"".join(self.records), PerfData(self.events, self.order, self.attr_bytes, self.features)
        file.features = {**self.features, 27: self.pack("IIIII", 1, 1, 1, 3, 1 << 19)}  # HEADER_COMPRESSED
        pieces = [plain[at : at + piece] for at in range(0, len(plain), piece)]
        for i, stored in enumerate(pieces):
            raw = b"\x28\xb5\x2f\xfd\x00\x58" if i == 0 else b""  # magic, no size, a window of 2 MiB
            raw += (len(stored) << 3 | (i == len(pieces) - 1)).to_bytes(3, "little") + stored
            if kind == COMPRESSED2:
                raw = self.pack("Q", len(raw)) + raw + bytes(-len(raw) % 8)
            file.record(kind, raw, 0)
        return file

    # --- the file

    def attr(self, event: Event) -> bytes:
        flags = (1 << 10 if event.frequency else 0) | 1 << 18 | event.inherit << 1  # freq, sample_id_all
        if self.order == ">":  # the first flag is the highest bit of the first byte
            flags = int.from_bytes(bytes(int(f"{byte:08b}"[::-1], 2) for byte in flags.to_bytes(8, "little")), "big")
        raw = self.pack(
            "IIQQQQQ",
            event.type,
            self.attr_bytes,
            event.config,
            event.period,
            event.sample_type,
            event.read_format,
            flags,
        )
        if event.config1:
            raw += bytes(8) + self.pack("QQ", 0, event.config1)  # wakeups, kind of a breakpoint, config1
        return raw.ljust(self.attr_bytes, b"\0")

    def event_names(self) -> bytes:
        rows = [
            self.attr(event)
            + self.pack("I", len(event.ids))
            + self.text(event.name)
            + self.pack(f"{len(event.ids)}Q", *event.ids)
            for event in self.events
        ]
        return self.pack("II", len(rows), self.attr_bytes) + b"".join(rows)

    def data(self) -> bytes:
        """The file that perf record -o FILE writes."""
        features = {**self.features, EVENT_DESC: self.event_names()}
        ids_at = 104
        ids = [self.pack(f"{len(event.ids)}Q", *event.ids) for event in self.events]
        attrs_at = ids_at + sum(map(len, ids))
        attrs, at = b"", ids_at
        for event, raw in zip(self.events, ids):
            attrs += self.attr(event) + self.pack("QQ", at, len(raw))
            at += len(raw)
        data_at, records = attrs_at + len(attrs), b"".join(self.records)
        sections_at = data_at + len(records)
        payload_at = sections_at + 16 * len(features)
        sections, payload = b"", b""
        for bit in sorted(features):
            sections += self.pack("QQ", payload_at + len(payload), len(features[bit]))
            payload += features[bit]
        bits = sum(1 << bit for bit in features)
        header = self.pack("QQQ", int.from_bytes(b"PERFILE2", "little"), 104, self.attr_bytes + 16)
        header += self.pack("QQQQQQ", attrs_at, len(attrs), data_at, len(records), 0, 0)
        header += self.pack("QQQQ", bits & (1 << 64) - 1, bits >> 64, 0, 0)
        return header + b"".join(ids) + attrs + records + sections + payload

    def pipe(self) -> bytes:
        """What perf record -o - writes."""
        head = PerfData(self.events, self.order, self.attr_bytes)
        for event in self.events:
            head.record(ATTR, self.attr(event) + self.pack(f"{len(event.ids)}Q", *event.ids), 0)
        for bit, payload in sorted({**self.features, EVENT_DESC: self.event_names()}.items()):
            body = self.pack("Q", bit) + payload
            head.record(FEATURE, body + bytes(-len(body) % 8), 0)
        magic = self.pack("QQ", int.from_bytes(b"PERFILE2", "little"), 16)
        return magic + b"".join(head.records + self.records)

    def write(self, path: Path) -> Path:
        path.write_bytes(self.data())
        return path
