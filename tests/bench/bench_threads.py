# SPDX-License-Identifier: Apache-2.0
"""Many threads: 10 000 short ones, and 2 000 at once with the events that a machine with a PMU would have for each."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from bench import TREE, build, collectors, folder, line, medians, raise_file_limit, ratio, record, run

LIVE = 2000


def fake_pmu() -> Path:
    """Lets every hardware event be opened, and counts nothing: descriptors and calls are there, as with a PMU. Events are
    a thread's, not a CPU's: how many CPUs there are does not matter to them."""
    source = TREE / "tests" / "launchers" / "fake_pmu.c"
    output = TREE / "build" / "bench" / "fake_pmu.so"
    output.parent.mkdir(parents=True, exist_ok=True)
    run(["gcc", "-shared", "-fPIC", "-O2", "-D_GNU_SOURCE", "-o", output, source, "-ldl"])
    return output


def counted_threads(recording: Path) -> str:
    with sqlite3.connect(recording) as connection:
        threads = connection.execute("SELECT count(*) FROM thread").fetchone()[0]
        events = connection.execute("SELECT count(*) FROM event WHERE collector = 'counters'").fetchone()[0]
        refused = connection.execute("SELECT coalesce(sum(value), 0) FROM note WHERE kind = 'refused'").fetchone()[0]
    return f"{threads} threads seen, {events} events each, {refused} refused"


def main() -> None:
    raise_file_limit()
    threads = build("threads")
    with folder() as place:
        recording = place / "x.numaprof"
        short = [threads, "short", 10_000]
        times = medians(7, bare=lambda: run(short), recorded=lambda: record(recording, *short))
        ratio("10 000 short threads", times["recorded"], times["bare"], "<= 1.5", collectors(recording))

        live = [threads, "live", LIVE]
        fake = {"LD_PRELOAD": str(fake_pmu())}
        times = medians(
            5,
            bare=lambda: run(live),
            recorded=lambda: record(recording, *live),
            pretended=lambda: record(place / "pretended.numaprof", *live, environment=fake),
        )
        ratio(f"{LIVE} live threads", times["recorded"], times["bare"], "", collectors(recording))
        pretended = counted_threads(place / "pretended.numaprof")
        ratio("  with a pretended PMU", times["pretended"], times["bare"], "", pretended)
        line(
            "", f"a thread's start: {1e6 * (times['pretended'].wall - times['bare'].wall) / LIVE:.0f} us longer with it"
        )


if __name__ == "__main__":
    main()
