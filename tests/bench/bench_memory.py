# SPDX-License-Identifier: Apache-2.0
"""Peak memory of the recorder, without the kernel's rings, of a short run and of one five times as long."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from bench import NUMAPROF, build, folder, line

POLL_SECONDS = 0.02


class Rings(NamedTuple):
    mapped: int
    resident: int  # 0 where the kernel does not count them to a process (since 6.13)


class Peak(NamedTuple):
    own: int  # bytes: VmHWM without what of the rings is in it
    rings: int  # mapped


def field(status: str, name: str) -> int:
    words = [text.split() for text in status.splitlines() if text.startswith(f"{name}:")]
    return int(words[0][1]) * 1024 if words else 0


def rings(pid: int) -> Rings:
    sums, counted = {"Size:": 0, "Rss:": 0}, False
    for text in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        word = text.split(maxsplit=1)[0]
        if not word.endswith(":"):
            counted = "anon_inode:[perf_event]" in text
        elif counted and word in sums:
            sums[word] += int(text.split()[1]) * 1024
    return Rings(sums["Size:"], sums["Rss:"])


def peak(*program: object) -> Peak:
    with folder() as place:
        words = [NUMAPROF, "record", "-q", "-o", place / "x.numaprof", *program]
        recorder = subprocess.Popen([str(word) for word in words])
        highest, found = 0, Rings(0, 0)
        while recorder.poll() is None:
            try:
                now = field(Path(f"/proc/{recorder.pid}/status").read_text(), "VmHWM")
                if now > highest:
                    highest, found = now, max(found, rings(recorder.pid))
            except OSError:
                break
            time.sleep(POLL_SECONDS)
        if recorder.wait() != 0:
            raise SystemExit(f"{program}: exit status {recorder.returncode}")
    return Peak(highest - found.resident, found.mapped)


def main() -> None:
    faults = build("faults")
    for name, count in (("memory of the recorder", 1_000_000), ("  of a run five times longer", 5_000_000)):
        found = peak(faults, count)
        rest = f"and {found.rings / 2**20:.0f} MiB of rings ({count:,} faults)"
        line(name, f"{found.own / 2**20:.0f} MiB, {rest}", "<= 64 MiB and rings")


if __name__ == "__main__":
    main()
