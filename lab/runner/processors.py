# SPDX-License-Identifier: Apache-2.0
"""The processors a machine may have. Features are those of Nehalem, which QEMU emulates in full; family, model and
stepping are the real ones, so that /proc/cpuinfo and CPUID lead every program to that processor's events."""

from __future__ import annotations

from typing import NamedTuple


class Processor(NamedTuple):
    vendor: str
    family: int
    model: int
    stepping: int
    name: str


PROCESSORS = {
    "nehalem-ep": Processor("GenuineIntel", 6, 0x1A, 5, "Intel(R) Xeon(R) X5570"),
    "westmere-ep": Processor("GenuineIntel", 6, 0x2C, 2, "Intel(R) Xeon(R) X5670"),
    "skylake-sp": Processor("GenuineIntel", 6, 0x55, 4, "Intel(R) Xeon(R) Platinum 8180"),
    "sapphire-rapids": Processor("GenuineIntel", 6, 0x8F, 8, "Intel(R) Xeon(R) Platinum 8480+"),
    "granite-rapids": Processor("GenuineIntel", 6, 0xAD, 1, "Intel(R) Xeon(R) 6980P"),
    "zen3": Processor("AuthenticAMD", 25, 1, 1, "AMD EPYC 7763"),
}
NAMES = frozenset(PROCESSORS)


def qemu_cpu(name: str) -> str:
    """QEMU's -cpu; the model name says that it is emulated."""
    cpu = PROCESSORS[name]
    identity = f"vendor={cpu.vendor},family={cpu.family},model={cpu.model},stepping={cpu.stepping}"
    return f"Nehalem,{identity},model-id={cpu.name} (emulated)"
