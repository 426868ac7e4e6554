# SPDX-License-Identifier: Apache-2.0
"""Which of QEMU's CPUs is which of the guest's.

QEMU numbers CPUs package by package. Linux takes them in the order of the firmware's MADT, which QEMU does not let us
choose, and so could never have CPUs 0,2,4,6 in one package. The kernel lets an initrd replace firmware tables by newer
revisions: we give it a MADT in the machine description's order.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from runner.machine import Machine


class Place(NamedTuple):
    """One of QEMU's CPUs, by its index there."""

    cpu: int  # the guest's number
    node: int
    package: int  # QEMU's number: packages with CPUs, counted from 0
    core: int  # counts threads: the threads of a core are neighbours


def places(machine: Machine) -> list[Place]:
    found = []
    packages = sorted({node.package for node in machine.nodes.values() if node.cpus})
    for index, package in enumerate(packages):
        inside = [
            (ident, cpu)
            for ident, node in sorted(machine.nodes.items())
            if node.package == package
            for cpu in node.cpus
        ]
        found += [Place(cpu, node, index, core) for core, (node, cpu) in enumerate(inside)]
    return found


def cores_per_package(machine: Machine) -> int:
    return 1 + max(place.core for place in places(machine))


def apic_id(place: Place, cores: int) -> int:
    """As QEMU makes them: the package's number above as many bits as the cores need."""
    return place.package << (cores - 1).bit_length() | place.core


def madt(machine: Machine) -> bytes:
    """ACPI 6.4, 5.2.12: what QEMU's q35 has, with the CPUs in the guest's order."""
    cores = cores_per_package(machine)
    body = struct.pack("<II", 0xFEE00000, 1)  # local APICs' address; flags: there is an 8259 as well
    for place in sorted(places(machine)):
        body += struct.pack("<BBBBI", 0, 8, place.cpu, apic_id(place, cores), 1)
    body += struct.pack("<BBBBII", 1, 12, 0, 0, 0xFEC00000, 0)
    for source, interrupt, flags in [(0, 2, 0), (5, 5, 0xD), (9, 9, 0xD), (10, 10, 0xD), (11, 11, 0xD)]:
        body += struct.pack("<BBBBIH", 2, 10, 0, source, interrupt, flags)
    body += struct.pack("<BBBHB", 4, 6, 0xFF, 0, 1)
    return _table(b"APIC", body)


def _table(signature: bytes, body: bytes) -> bytes:
    # The kernel replaces a table of the same OEM identity by a higher revision only; QEMU's is 1.
    length = 36 + len(body)
    header = struct.pack("<4sIBB6s8sI4sI", signature, length, 3, 0, b"BOCHS ", b"BXPC    ", 2, b"NUMA", 1)
    checksum = -sum(header + body) & 0xFF
    return header[:9] + bytes([checksum]) + header[10:] + body
