# SPDX-License-Identifier: Apache-2.0
"""Merging and reporting the recordings of 10 000 ranks, 1 MB each, on two CPUs: goals 60 s and 1 GiB."""

from __future__ import annotations

import resource
import sqlite3
import sys
from pathlib import Path

from bench import BUILD, TREE, folder, line, run

sys.path += [str(TREE / "tests" / "reports")]
from jobs import rank
from scenarios import parallel_init, serial_init

RANKS, PER_HOST, SERIAL, BYTES = 10_000, 64, 100, 700_000


def template(place: Path, serial: bool) -> bytes:
    """A recording of 1 MB."""
    builder = rank((serial_init if serial else parallel_init)(), 0, RANKS)
    builder.statements.append(f"CREATE TABLE filling (x BLOB); INSERT INTO filling VALUES (zeroblob({BYTES}));")
    path = builder.write(place / "template.numaprof")
    found = path.read_bytes()
    path.unlink()
    return found


def write(place: Path, number: int, data: bytes) -> None:
    host = f"host{number // PER_HOST:03}"
    path = place / f"rank-{number:04}.{host}.{4711 + number}.numaprof"
    path.write_bytes(data)
    recording = sqlite3.connect(path)
    recording.executescript("PRAGMA synchronous = off; PRAGMA journal_mode = memory;")
    recording.execute("UPDATE rank SET number = ?, local_number = ?", (number, number % PER_HOST))
    recording.execute("UPDATE run SET host = ?", (host,))
    recording.commit()
    recording.close()


def main() -> None:
    reports = BUILD / "numaprof-reports"
    with folder() as place:
        job, merged = place / "job.numaprof", place / "job.ranks"
        job.mkdir()
        templates = [template(place, serial) for serial in (False, True)]
        for number in range(RANKS):
            write(job, number, templates[number % SERIAL == 0])
        cost = run([reports, "merge", job, "-o", merged])
        line(f"merge of {RANKS:,} recordings", f"{cost.wall:.1f} s, CPU time {cost.cpu:.1f} s", "<= 60 s on 2 CPUs")
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        line("  largest process", f"{memory / 1024:.0f} MiB", "<= 1 GiB")
        line("  merged file", f"{merged.stat().st_size / RANKS:.0f} bytes a rank")
        cost = run([reports, "report", merged])
        line("report of the merged file", f"{cost.wall:.1f} s, CPU time {cost.cpu:.1f} s")
        cost = run([reports, "report", job])
        line(
            "report of the directory, the second", f"{cost.wall:.1f} s, CPU time {cost.cpu:.1f} s", "<= 60 s on 2 CPUs"
        )
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        line("  largest process so far", f"{memory / 1024:.0f} MiB", "<= 1 GiB")


if __name__ == "__main__":
    main()
