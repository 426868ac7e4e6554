# SPDX-License-Identifier: Apache-2.0
"""The emulated machine: from start to the first command, and streaming sums in plain emulation, with memory simulated
and counted, and with instructions counted as well: of integers, which emulation adds fast, and of doubles, which take
it longer. A boot for each run; the programs themselves time their sweeps."""

from __future__ import annotations

import re
import statistics
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from bench import BUILD, TREE, line
from compiled import build

ROUNDS, SWEEPS, MIB = 3, 16, 64
OFFCORE = "cpu/event=0xb7,umask=1,offcore_rsp=0x4033/u"  # DRAM of the own node: reads, RFOs, prefetches
SIDES: dict[str, list[str]] = {
    "plain": [],
    "memory": ["-e", OFFCORE],
    "all": ["-e", f"{OFFCORE},instructions:u,cycles:u"],
}


class Times(NamedTuple):
    boot: float
    sweeps: list[float]  # by program


def boot_and_run(events: list[str], programs: list[Path]) -> Times:
    perf = f"perf stat {' '.join(events)} -- " if events else ""
    counted = "; ".join(f"{perf}{program} {SWEEPS} {MIB}" for program in programs)
    command = [TREE / "lab" / "run", "--machine", "article", "--", "sh", "-c", f"echo here; {counted}"]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout
        run.stdout.readline()
        boot = time.perf_counter() - start
        output, errors = run.communicate()
    found = re.findall(r" in ([0-9.]+) s", output)
    if len(found) != len(programs):
        raise SystemExit(f"{' '.join(map(str, command))}: {output}{errors}")
    return Times(boot, [float(seconds) for seconds in found])


def main() -> None:
    subprocess.run(["make", "-s", "-C", TREE, "lab", "examples"], check=True)
    programs = {"integers": BUILD / "examples" / "sum_parallel", "doubles": build("sum_doubles", "-fopenmp")}
    times: dict[str, list[Times]] = {side: [] for side in SIDES}
    for _ in range(ROUNDS):
        for side, events in SIDES.items():
            times[side].append(boot_and_run(events, list(programs.values())))
    boots = [one.boot for runs in times.values() for one in runs]
    line("lab: first command after", f"{min(boots):.1f} to {max(boots):.1f} s", "<= 10 s, two idle cores")
    loads = SWEEPS * (MIB << 20) / 8
    for number, summed in enumerate(programs):
        medians = {side: statistics.median(one.sweeps[number] for one in runs) for side, runs in times.items()}
        for side, name in (("memory", "memory simulated"), ("all", "and instructions")):
            ratio = f"{medians[side] / medians['plain']:5.2f} x plain emulation"
            line(f"lab: {summed}, {name}", f"{ratio}   {medians['plain']:.2f} -> {medians[side]:.2f} s", "<= 3")
        line(f"lab: {summed}, loads", f"{loads / medians['memory'] / 1e6:.0f} million a second, 8 threads")


if __name__ == "__main__":
    main()
