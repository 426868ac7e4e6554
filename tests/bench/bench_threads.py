# SPDX-License-Identifier: Apache-2.0
"""Many threads: 10 000 short ones, and 2 000 at once with the events that a machine with a PMU would have for each."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import TREE, Cost, build, collectors, folder, line, medians, perf, raise_file_limit, ratio, record, run
from machine_files import snapshot, unpack

LIVE = 2000


def pretended_pmu(place: Path) -> list[object]:
    """Before a command: it finds the CPU model and the PMU of a two-socket Xeon and can open every hardware event,
    which counts nothing: the descriptors and the calls for them are there, as with a PMU. Events are a thread's, not
    a CPU's: how many CPUs a machine has does not matter to them."""
    source, fake = TREE / "tests" / "launchers" / "fake_pmu.c", place / "fake_pmu.so"
    run(["gcc", "-shared", "-fPIC", "-O2", "-D_GNU_SOURCE", "-o", fake, source, "-ldl"])
    (place / "machine").mkdir()
    root, pmus = unpack(snapshot("two-packages-snc2-ht"), place / "machine"), "/sys/bus/event_source/devices"
    mounts = (
        f"mount --bind {root}/proc/cpuinfo /proc/cpuinfo && mount -t tmpfs none {pmus} && cp -r {root}{pmus}/. {pmus}"
    )
    return ["unshare", "-m", "sh", "-c", f'{mounts} && LD_PRELOAD={fake} exec "$@"', "sh"]


def counted(recording: Path) -> str:
    with closing(sqlite3.connect(recording)) as connection, connection:
        threads = connection.execute("SELECT count(*) FROM thread").fetchone()[0]
        events = connection.execute("SELECT count(*) FROM event WHERE collector = 'counters'").fetchone()[0]
        left_out = connection.execute("SELECT text FROM note WHERE kind = 'refused'").fetchall()
    return "; ".join([f"{threads} threads seen, {events} events each", *(text for (text,) in left_out)])


def floors(words: list[object]) -> dict[str, Callable[[], Cost]]:
    """What others pay for a part of it: threads that pin themselves, and the event of perf stat that each inherits."""
    sides = {"pinned": lambda: run([*words, "pin"])}
    if perf():
        sides["perf stat"] = lambda: run([perf(), "stat", "-e", "page-faults", *words])
        sides["perf stat, pinned"] = lambda: run([perf(), "stat", "-e", "page-faults", *words, "pin"])
    return sides


def print_floors(costs: dict[str, Cost]) -> None:
    for name in ("pinned", "perf stat", "perf stat, pinned"):
        if name in costs:
            ratio(f"  {name}", costs[name], costs["bare"], "")


def short(place: Path, threads: Path) -> None:
    recording, words = place / "short.numaprof", [threads, "short", 10_000]
    costs = medians(7, bare=lambda: run(words), recorded=lambda: record(recording, *words), **floors(words))
    ratio("10 000 short threads", costs["recorded"], costs["bare"], "<= 2.6", collectors(recording))
    print_floors(costs)


def live(place: Path, threads: Path) -> None:
    recording, pretended = place / "live.numaprof", place / "pretended.numaprof"
    words = [threads, "live", LIVE]
    sides = {"bare": lambda: run(words), "recorded": lambda: record(recording, *words), **floors(words)}
    if os.geteuid() == 0:
        before = pretended_pmu(place)
        sides["pretended"] = lambda: record(pretended, *words, before=before)
    costs = medians(7, **sides)
    ratio(f"{LIVE} live threads", costs["recorded"], costs["bare"], "<= 2", collectors(recording))
    print_floors(costs)
    if "pretended" in costs:
        ratio("  with a pretended PMU", costs["pretended"], costs["bare"], "", counted(pretended))
    else:
        line("  with a pretended PMU", "not measured: needs root, to mount another machine's /sys")


def main() -> None:
    raise_file_limit()
    threads = build("threads")
    with folder() as place:
        short(place, threads)
        live(place, threads)


if __name__ == "__main__":
    main()
