# SPDX-License-Identifier: Apache-2.0
"""How many samples a second the recorder takes from its rings and commits, on one core: see programs/ring.c."""

from __future__ import annotations

import os
import sqlite3
import statistics
import subprocess
from contextlib import closing

from bench import BUILD, build, folder, line

RUNS = 5


def main() -> None:
    program = build("ring", f"-I{BUILD / 'gen'}", BUILD / "libnumaprof.a", *["-lpfm", "-ldw", "-lelf", "-lsqlite3"])
    core = {min(os.sched_getaffinity(0))}
    walls, cpus, samples = [], [], 0
    with folder() as place:
        for number in range(RUNS):
            recording = place / f"{number}.numaprof"
            words = [str(program), str(recording)]
            done = subprocess.run(
                words, capture_output=True, text=True, check=True, preexec_fn=lambda: os.sched_setaffinity(0, core)
            )
            records, wall, cpu = map(float, done.stdout.split())
            walls.append(records / wall)
            cpus.append(records / cpu)
            with closing(sqlite3.connect(recording)) as connection, connection:
                samples = connection.execute("SELECT count(*) FROM sample").fetchone()[0]
            recording.unlink()
    rate = (
        f"{statistics.median(walls):,.0f} records/s on one core, {statistics.median(cpus):,.0f} per second of CPU time"
    )
    line("recorder throughput", f"{rate}   ({samples:,} samples committed)", ">= 1,000,000")


if __name__ == "__main__":
    main()
