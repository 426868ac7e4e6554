# SPDX-License-Identifier: Apache-2.0
"""Machine descriptions: text files of `word argument...` lines (docs/lab.md), read into a Machine that makes sense."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

MACHINES = Path(__file__).resolve().parent.parent / "machines"
SUFFIX = ".machine"

LIMIT_CPUS = 64  # the plugin's LAB_CPUS
LIMIT_NODES = 8  # the plugin's LAB_NODES
LIMIT_NODE_CPUS = 16  # the plugin's MACHINE_CPUS_OF_NODE
LIMIT_WAYS = 16  # the plugin's MACHINE_PRIVATE_WAYS, MACHINE_SHARED_WAYS
LIMIT_MEMORY = 60 << 30  # the plugin's words for lines reach to 64 GiB, of which the devices have 2
LINE_BYTES = 64
LOCAL_DISTANCE, REMOTE_DISTANCE, LIMIT_DISTANCE = 10, 20, 254
DEFECT_EVENTS = ("requests", "demand", "rfo", "prefetch", "loads")
DEFECT_KINDS = ("nothing", "double", "remote-caches", "local-caches", "sibling", "package")
LIMIT_DEFECTS = 8  # the driver's LAB_DEFECTS
SIZE_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class MachineError(Exception):
    """One line for people: what is wrong, and where."""


@dataclass(frozen=True)
class Node:
    package: int = 0
    cpus: tuple[int, ...] = ()
    memory: int = 0
    tier: str = "fast"


@dataclass(frozen=True)
class Cache:
    size: int
    ways: int


@dataclass(frozen=True)
class Prefetch:
    lines: int = 0  # 0: no prefetcher
    into: str = "private"
    crossing: bool = False
    skip: int = 0  # every skip-th prefetch is not made; 0: all are made


@dataclass
class Machine:
    name: str
    about: str = ""
    processor: str = "nehalem-ep"
    nodes: dict[int, Node] = field(default_factory=dict)
    distances: dict[tuple[int, int], int] = field(default_factory=dict)
    private: Cache = Cache(256 << 10, 8)
    shared: Cache = Cache(8 << 20, 16)
    prefetch: Prefetch = Prefetch()
    pmu: str = "full"
    paranoid: int | None = None
    user: str = "root"
    seccomp: str = "none"
    balancing: bool = False
    huge_pages: str = "always"
    clock: str = "host"
    truth: bool = False
    threads: int = 1  # of a core
    defects: list[tuple[str, str, str]] = field(default_factory=list)  # events, placement, kind

    @property
    def cpus(self) -> list[int]:
        return sorted(cpu for node in self.nodes.values() for cpu in node.cpus)

    @property
    def memory(self) -> int:
        return sum(node.memory for node in self.nodes.values())

    def distance(self, a: int, b: int) -> int:
        return self.distances.get((a, b), LOCAL_DISTANCE if a == b else REMOTE_DISTANCE)


def number(text: str, low: int, high: int) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
        raise MachineError(f"{text!r} is not a number from {low} to {high}")
    return int(text)


def size(text: str) -> int:
    match = re.fullmatch(r"([1-9][0-9]{0,5})([KMG])", text)
    if not match:
        raise MachineError(f"{text!r} is not a size like 512K, 64M or 1G")
    return int(match[1]) * SIZE_UNITS[match[2]]


def cpu_list(text: str) -> tuple[int, ...]:
    cpus: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        start = number(first, 0, LIMIT_CPUS - 1)
        cpus += range(start, (number(last, start, LIMIT_CPUS - 1) if dash else start) + 1)
    if len(set(cpus)) != len(cpus):
        raise MachineError(f"{text!r} names a CPU twice")
    return tuple(cpus)


def one_of(text: str, *words: str) -> str:
    if text not in words:
        raise MachineError(f"{text!r} is none of: {', '.join(words)}")
    return text


def pairs(words: list[str], **known: Callable[[str], object]) -> dict[str, object]:
    """`name value name value ...` with the names that are known."""
    if len(words) % 2:
        raise MachineError(f"{words[-1]!r} lacks its value")
    values: dict[str, object] = {}
    for name, text in zip(words[::2], words[1::2]):
        if one_of(name, *known) in values:
            raise MachineError(f"{name!r} stands twice")
        values[name] = known[name](text)
    return values


def _cache(words: list[str]) -> Cache:
    if len(words) != 3 or words[2] != "ways":
        raise MachineError("say SIZE WAYS ways, as in: 256K 8 ways")
    cache = Cache(size(words[0]), number(words[1], 1, LIMIT_WAYS))
    sets = cache.size // LINE_BYTES // cache.ways
    if sets < 1 or sets & (sets - 1) or sets * LINE_BYTES * cache.ways != cache.size:
        raise MachineError(f"{words[0]} in {cache.ways} ways does not give a power of two of sets")
    return cache


def _node(machine: Machine, words: list[str]) -> None:
    if not words:
        raise MachineError("say which node, as in: node 0 cpus 0-3 memory 1G")
    ident = number(words[0], 0, LIMIT_NODES - 1)
    if ident in machine.nodes:
        raise MachineError(f"node {ident} is there already")
    given = pairs(
        words[1:],
        package=lambda text: number(text, 0, LIMIT_NODES - 1),
        cpus=cpu_list,
        memory=size,
        tier=lambda text: one_of(text, "fast", "slow"),
    )
    machine.nodes[ident] = Node(**given)  # type: ignore[arg-type]


def _distance(machine: Machine, words: list[str]) -> None:
    if len(words) != 3:
        raise MachineError("say NODE NODE DISTANCE, as in: distance 0 1 21")
    a, b = (number(word, 0, LIMIT_NODES - 1) for word in words[:2])
    if a == b:
        raise MachineError("the distance of a node to itself is 10")
    machine.distances[a, b] = machine.distances[b, a] = number(words[2], LOCAL_DISTANCE + 1, LIMIT_DISTANCE)


def _prefetch(machine: Machine, words: list[str]) -> None:
    if words == ["none"]:
        machine.prefetch = Prefetch()
        return
    given = pairs(
        words,
        lines=lambda text: number(text, 1, 64),
        into=lambda text: one_of(text, "private", "shared"),
        crossing=lambda text: one_of(text, "yes", "no") == "yes",
        skip=lambda text: number(text, 0, 1000),
    )
    if "lines" not in given:
        raise MachineError("say how far, as in: prefetch lines 8")
    machine.prefetch = Prefetch(**given)  # type: ignore[arg-type]


def _defect(machine: Machine, words: list[str]) -> None:
    if len(words) != 3:
        raise MachineError("say EVENTS PLACEMENT KIND, as in: defect requests remote double")
    if len(machine.defects) == LIMIT_DEFECTS:
        raise MachineError(f"{LIMIT_DEFECTS} defects are the most")
    events, placement, kind = words
    one_of(events, *DEFECT_EVENTS)
    machine.defects.append((events, one_of(placement, "local", "remote"), one_of(kind, *DEFECT_KINDS)))


def _single(words: list[str]) -> str:
    if len(words) != 1:
        raise MachineError("one value is needed")
    return words[0]


def _set(name: str, convert: Callable[[str], object]) -> Callable[[Machine, list[str]], None]:
    return lambda machine, words: setattr(machine, name, convert(_single(words)))


def _set_cache(name: str) -> Callable[[Machine, list[str]], None]:
    return lambda machine, words: setattr(machine, name, _cache(words))


WORDS: dict[str, Callable[[Machine, list[str]], None]] = {
    "processor": _set("processor", str),
    "node": _node,
    "distance": _distance,
    "private": _set_cache("private"),
    "shared": _set_cache("shared"),
    "prefetch": _prefetch,
    "pmu": _set("pmu", lambda text: one_of(text, "full", "cloud", "none")),
    "defect": _defect,
    "truth": _set("truth", lambda text: one_of(text, "on", "off") == "on"),
    "threads": _set("threads", lambda text: number(text, 1, 2)),
    "paranoid": _set("paranoid", lambda text: number(text, 0, 4)),
    "user": _set("user", lambda text: one_of(text, "root", "ordinary")),
    "seccomp": _set("seccomp", lambda text: one_of(text, "none", "container")),
    "balancing": _set("balancing", lambda text: one_of(text, "on", "off") == "on"),
    "clock": _set("clock", lambda text: one_of(text, "host", "instructions")),
    "huge-pages": _set("huge_pages", lambda text: one_of(text, "always", "madvise", "never")),
}


def _check(machine: Machine, processors: frozenset[str]) -> None:
    cpus = machine.cpus
    if machine.processor not in processors:
        raise MachineError(f"processor {machine.processor!r} is none of: {', '.join(sorted(processors))}")
    if not cpus or cpus != list(range(len(cpus))):
        raise MachineError("the nodes' CPUs must be 0, 1, 2 ... with none missing and none twice")
    if sorted(machine.nodes) != list(range(len(machine.nodes))):
        raise MachineError("the nodes must be 0, 1, 2 ... with none missing")
    if any(node not in machine.nodes for pair in machine.distances for node in pair):
        raise MachineError("a distance names a node that is not there")
    first = next(node for node in machine.nodes.values() if 0 in node.cpus)
    if first.package != min(node.package for node in machine.nodes.values() if node.cpus):
        raise MachineError("CPU 0 must be in the first package: the machine boots on it")
    if machine.nodes[0].memory < 512 << 20:
        raise MachineError("node 0 needs 512M of memory or more: the kernel lives there")
    for ident, node in machine.nodes.items():
        if len(node.cpus) > LIMIT_NODE_CPUS:
            raise MachineError(f"node {ident} has {len(node.cpus)} CPUs; {LIMIT_NODE_CPUS} is the most")
    if machine.memory > LIMIT_MEMORY:
        raise MachineError(f"{machine.memory >> 30}G of memory; {LIMIT_MEMORY >> 30}G is the most")
    counts = dict.fromkeys((node.package for node in machine.nodes.values() if node.cpus), 0)
    for node in machine.nodes.values():
        if node.cpus:
            counts[node.package] += len(node.cpus)
    if len(set(counts.values())) != 1:
        raise MachineError("all packages must have the same number of CPUs")
    _check_tiers(machine)
    _check_threads(machine)


def _check_tiers(machine: Machine) -> None:
    for ident, node in machine.nodes.items():
        if node.cpus and node.tier == "slow":
            raise MachineError(f"node {ident} has CPUs: memory of a slow tier has none")


def _check_threads(machine: Machine) -> None:
    for ident, node in machine.nodes.items():
        if len(node.cpus) % machine.threads:
            raise MachineError(f"node {ident} has an odd number of CPUs: threads of a core share a node")
    if machine.threads > 1 and machine.processor == "zen3":
        raise MachineError("threads 2 needs a processor of Intel's: QEMU 7.2 has no threads of others")
    if machine.threads == 1 and any(kind == "sibling" for _, _, kind in machine.defects):
        raise MachineError("the defect sibling needs cores with two threads: threads 2")


def parse(name: str, text: str, processors: frozenset[str]) -> Machine:
    machine = Machine(name)
    for count, line in enumerate(text.splitlines(), start=1):
        code, _, comment = line.partition("#")
        words = code.split()
        if not words:
            machine.about = machine.about or ("" if "SPDX" in comment else comment.strip())
            continue
        try:
            WORDS[one_of(words[0], *WORDS)](machine, words[1:])
        except MachineError as error:
            raise MachineError(f"{name}:{count}: {error}") from None
    try:
        _check(machine, processors)
    except MachineError as error:
        raise MachineError(f"{name}: {error}") from None
    return machine


def names() -> list[str]:
    return sorted(path.stem for path in MACHINES.glob(f"*{SUFFIX}"))


def load(name: str, processors: frozenset[str]) -> Machine:
    """NAME is a machine of ours or the path of a description."""
    path = Path(name) if "/" in name or name.endswith(SUFFIX) else MACHINES / f"{name}{SUFFIX}"
    try:
        return parse(path.stem, path.read_text(), processors)
    except FileNotFoundError:
        raise MachineError(f"there is no machine {name!r}; there are: {', '.join(names())}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise MachineError(f"cannot read {path}: {error}") from None
