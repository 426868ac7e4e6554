# SPDX-License-Identifier: Apache-2.0
"""Machines as files: snapshots (tests/machines/*.txt) unpacked into a folder, and machines made from a few numbers."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from conftest import TREE

MACHINES = TREE / "tests" / "machines"


def snapshot(name: str) -> str:
    """The text of a snapshot without its comment."""
    lines = (MACHINES / f"{name}.txt").read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("#"))


def names() -> list[str]:
    return sorted(path.stem for path in MACHINES.glob("*.txt"))


def unpack(text: str, root: Path) -> Path:
    """Makes the files that a snapshot describes: `PATH: TEXT`, `PATH:` with an indented block, `PATH -> TARGET`."""
    path = root
    for line in text.splitlines():
        if line.startswith("\t"):
            with path.open("a") as file:
                file.write(line[1:] + "\n")
            continue
        match = re.fullmatch(r"(/\S+?)(?:: (.*)|:| -> (.*))", line)
        assert match, f"not a line of a snapshot: {line!r}"
        path = root / match[1][1:]
        path.parent.mkdir(parents=True, exist_ok=True)
        if match[3] is not None:
            path.symlink_to(match[3])
        else:
            path.write_text("" if match[2] is None else match[2] + "\n")
    return root


def emptied(folder: Path) -> Path:
    """Hypothesis runs many examples in one test; each starts in an empty folder."""
    shutil.rmtree(folder)
    folder.mkdir()
    return folder


def ranges(numbers: Iterable[int]) -> str:
    """The kernel's list format: 0-3,7."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts)


@dataclass
class Cpu:
    id: int
    node: int
    package: int
    core: object  # CPUs with equal ones are hyperthreads of one core
    cache: object = None  # CPUs with equal ones share a last-level cache; None: no cache files
    online: bool = True


@dataclass
class Machine:
    cpus: list[Cpu]
    memory_kib: dict[int, int]  # nodes
    distances: dict[int, list[int]] = field(default_factory=dict)
    cache_kib: int = 32768
    possible_nodes: str = ""
    allowed_cpus: str = ""
    allowed_nodes: str = ""

    def files(self) -> dict[str, str]:
        online = [cpu for cpu in self.cpus if cpu.online]
        cores, caches, nodes = defaultdict(list), defaultdict(list), defaultdict(list)
        for cpu in online:
            cores[cpu.core].append(cpu.id)
            caches[cpu.cache].append(cpu.id)
            nodes[cpu.node].append(cpu.id)
        total = sum(self.memory_kib.values())
        files = {
            "sys/devices/system/cpu/online": ranges(cpu.id for cpu in online),
            "sys/devices/system/cpu/present": ranges(cpu.id for cpu in self.cpus),
            "sys/devices/system/node/online": ranges(self.memory_kib),
            "sys/devices/system/node/possible": self.possible_nodes or ranges(self.memory_kib),
            "proc/meminfo": f"MemTotal:       {total} kB\nMemFree:        {total // 2} kB",
            "proc/self/status": f"Cpus_allowed_list:\t{self.allowed_cpus or ranges(cpu.id for cpu in online)}\n"
            f"Mems_allowed_list:\t{self.allowed_nodes or ranges(n for n, kib in self.memory_kib.items() if kib)}",
        }
        for cpu in online:
            here = f"sys/devices/system/cpu/cpu{cpu.id}"
            files[f"{here}/topology/physical_package_id"] = str(cpu.package)
            files[f"{here}/topology/thread_siblings_list"] = ranges(cores[cpu.core])
            if cpu.cache is not None:
                files[f"{here}/cache/index0/level"] = "1"
                files[f"{here}/cache/index1/level"] = "3"
                files[f"{here}/cache/index1/size"] = f"{self.cache_kib}K"
                files[f"{here}/cache/index1/shared_cpu_list"] = ranges(caches[cpu.cache])
        for node, kib in self.memory_kib.items():
            here = f"sys/devices/system/node/node{node}"
            files[f"{here}/cpulist"] = ranges(nodes[node])
            files[f"{here}/meminfo"] = f"Node {node} MemTotal:  {kib} kB\nNode {node} MemFree:   {kib // 2} kB"
            if node in self.distances:
                files[f"{here}/distance"] = " ".join(map(str, self.distances[node]))
        return files

    def write(self, root: Path) -> Path:
        for name, text in self.files().items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
        return root
