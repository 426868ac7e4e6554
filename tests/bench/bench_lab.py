# SPDX-License-Identifier: Apache-2.0
"""The emulated machine: from start to the first command, and a streaming sum in plain emulation, with memory simulated
and counted, and with instructions counted as well. A boot for each run; the program itself times its sweeps."""

from __future__ import annotations

import re
import statistics
import subprocess
import time
from typing import NamedTuple

from bench import BUILD, TREE, line

ROUNDS, SWEEPS, MIB = 3, 8, 64
OFFCORE = "cpu/event=0xb7,umask=1,offcore_rsp=0x4033/u"  # DRAM of the own node: reads, RFOs, prefetches
SIDES = {"plain": [], "memory": ["-e", OFFCORE], "all": ["-e", f"{OFFCORE},instructions:u,cycles:u"]}


class Times(NamedTuple):
    boot: float
    sweeps: float


def boot_and_run(events: list[str]) -> Times:
    program = f"{BUILD}/examples/sum_parallel {SWEEPS} {MIB}"
    counted = f"perf stat {' '.join(events)} -- {program}" if events else program
    command = [TREE / "lab" / "run", "--machine", "article", "--", "sh", "-c", f"echo here; {counted}"]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout
        run.stdout.readline()
        boot = time.perf_counter() - start
        output, errors = run.communicate()
    found = re.search(r" in ([0-9.]+) s", output)
    if not found:
        raise SystemExit(f"{' '.join(map(str, command))}: {output}{errors}")
    return Times(boot, float(found[1]))


def main() -> None:
    subprocess.run(["make", "-s", "-C", TREE, "lab", "examples"], check=True)
    times = {side: [] for side in SIDES}
    for _ in range(ROUNDS):
        for side, events in SIDES.items():
            times[side].append(boot_and_run(events))
    boots = [one.boot for runs in times.values() for one in runs]
    line("lab: first command after", f"{min(boots):.1f} to {max(boots):.1f} s", "<= 10 s, two idle cores")
    sweeps = {side: statistics.median(one.sweeps for one in runs) for side, runs in times.items()}
    for side, name in (("memory", "memory simulated"), ("all", "and instructions")):
        text = (
            f"{sweeps[side] / sweeps['plain']:5.2f} x plain emulation   {sweeps['plain']:.2f} -> {sweeps[side]:.2f} s"
        )
        line(f"lab: {name}", text, "<= 3")
    loads = SWEEPS * (MIB << 20) / 8
    line("lab: loads", f"{loads / sweeps['memory'] / 1e6:.0f} million a second, 8 threads")


if __name__ == "__main__":
    main()
