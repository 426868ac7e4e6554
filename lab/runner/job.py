# SPDX-License-Identifier: Apache-2.0
"""What one run gives to the guest: an initrd of its own with the firmware's table, the settings, the command."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from runner import cpio, topology
from runner.machine import Machine

TREE = Path(__file__).resolve().parent.parent.parent

# Spinning threads of eight CPUs on two cores would keep each other from working.
DEFAULTS = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "PYTHONDONTWRITEBYTECODE": "1"}
STOP_SECONDS = 20  # between the polite and the other end of a command whose time is up
PARANOID = 2  # the kernel's own default, whatever the distribution's


@dataclass(frozen=True)
class Job:
    arguments: list[str]
    cwd: Path
    scratch: Path
    elsewhere: str  # name of the folder in scratch that files from outside of both come to


def initrd(built: Path, machine: Machine, job: Job) -> bytes:
    # Firmware tables must stand first and uncompressed.
    tables = cpio.archive({"kernel/firmware/acpi/madt.aml": topology.madt(machine)})
    files = {
        "job/settings": settings(machine, job).encode(),
        "job/arguments": _strings(job.arguments),
        "job/environment": _strings([f"{name}={value}" for name, value in environment(machine, job).items()]),
    }
    return tables + (built / "initrd").read_bytes() + cpio.archive(files)


def environment(machine: Machine, job: Job) -> dict[str, str]:
    return {**DEFAULTS, **os.environ, "NUMAPROF_SCRATCH": str(job.scratch), "NUMAPROF_MACHINE": machine.name}


def settings(machine: Machine, job: Job) -> str:
    """For the guest's init, a shell script."""
    values = {
        "machine": machine.name,
        "pmu": machine.pmu,
        "driver_parameters": driver_parameters(machine),
        "paranoid": PARANOID if machine.paranoid is None else machine.paranoid,
        "huge_pages": machine.huge_pages,
        "user": machine.user,
        "seccomp": machine.seccomp,
        "cwd": job.cwd,
        "scratch": job.scratch,
        "tree": TREE,
        "elsewhere": job.elsewhere,
        "stop_seconds": STOP_SECONDS,
    }
    return "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in values.items())


def driver_parameters(machine: Machine) -> str:
    """Words for insmod: none has a space."""
    words = ["cloud=1"] if machine.pmu == "cloud" else []
    if machine.defects:
        words.append("defects=" + ",".join(":".join(defect) for defect in machine.defects))
    return " ".join(words)


def _strings(values: list[str]) -> bytes:
    return b"".join(os.fsencode(value) + b"\0" for value in values)
