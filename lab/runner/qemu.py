# SPDX-License-Identifier: Apache-2.0
"""QEMU's arguments for a machine."""

from __future__ import annotations

from pathlib import Path

from runner import processors, topology
from runner.machine import Machine

PROGRAM = "qemu-system-x86_64"
SHARED_BYTES = 4 << 20  # shared.h: LAB_SHARED_BYTES
TRUTH_BYTES = 60 << 20  # shared.h: LAB_TRUTH_BYTES
PORTS = ("control", "stdout", "stderr")  # virtio ports, by the names the guest looks for

# schedstats, numa_balancing: what is set here need not change the kernel's code once all CPUs run.
# norandmaps: addresses, and so counts, are the same in every run. tsc=reliable: no watchdog that a busy host confuses.
# mitigations=off, cryptomgr.notests: time spent for nothing here.
KERNEL = (
    "console=ttyS0 quiet panic=-1 norandmaps tsc=reliable mitigations=off cryptomgr.notests oops=panic "
    "rcupdate.rcu_cpu_stall_suppress=1 nowatchdog random.trust_cpu=on schedstats=enable"
)


def arguments(machine: Machine, built: Path, scratch: Path, fds: dict[str, int]) -> list[str]:
    """fds: shared (memory of counters and samples), initrd, console and the PORTS, as QEMU will inherit them."""
    words = [PROGRAM, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
    words += [*_clock(machine), "-machine", "q35,max-ram-below-4g=2G"]
    words += ["-cpu", processors.qemu_cpu(machine.processor)]
    words += _memory_and_cpus(machine)
    words += ["-kernel", str(built / "vmlinuz"), "-initrd", f"/dev/fd/{fds['initrd']}"]
    balancing = "enable" if machine.balancing else "disable"
    words += ["-append", f"{KERNEL} numa_balancing={balancing} numaprof.machine={machine.name}"]
    words += ["-virtfs", "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap"]
    words += ["-virtfs", f"local,path={_escaped(scratch)},mount_tag=scratch,security_model=none,multidevs=remap"]
    words += ["-chardev", f"socket,id=console,fd={fds['console']}", "-serial", "chardev:console"]
    words += ["-device", "virtio-serial-pci"]
    for port in PORTS:
        words += [
            "-chardev",
            f"socket,id={port},fd={fds[port]}",
            "-device",
            f"virtserialport,chardev={port},name={port}",
        ]
    return words + _hardware(machine, built, fds["shared"])


def _clock(machine: Machine) -> list[str]:
    """By instructions: guest time passes with what the guest executes, 1 ns each, and leaps while it rests. What the
    kernel does by the clock, like turning counters over, is then the same on a busy host; all CPUs share one thread."""
    if machine.clock == "instructions":
        return ["-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off"]
    return ["-accel", "tcg,thread=multi"]


def _escaped(path: Path) -> str:
    return str(path).replace(",", ",,")


def _memory_and_cpus(machine: Machine) -> list[str]:
    places = topology.places(machine)
    cores = topology.cores_per_package(machine)
    words = ["-m", f"{machine.memory >> 20}M"]
    words += [
        "-smp",
        f"{len(places)},sockets={len(places) // cores},cores={cores // machine.threads},threads={machine.threads}",
    ]
    for ident, node in sorted(machine.nodes.items()):
        memory = ""
        if node.memory:
            words += ["-object", f"memory-backend-ram,id=memory{ident},size={node.memory}"]
            memory = f",memdev=memory{ident}"
        words += ["-numa", f"node,nodeid={ident}{memory}"]
    for place in places:
        core, thread = divmod(place.core, machine.threads)
        words += ["-numa", f"cpu,node-id={place.node},socket-id={place.package},core-id={core},thread-id={thread}"]
    for a in machine.nodes:
        for b in machine.nodes:
            words += ["-numa", f"dist,src={a},dst={b},val={machine.distance(a, b)}"]
    return words


def shared_bytes(machine: Machine) -> int:
    """Of the device that the hardware and its driver share; a power of two."""
    return SHARED_BYTES + (TRUTH_BYTES if machine.truth else 0)


def _hardware(machine: Machine, built: Path, shared: int) -> list[str]:
    memory = f"memory-backend-file,id=shared,share=on,mem-path=/dev/fd/{shared},size={shared_bytes(machine)}"
    plugin = f"{_escaped(built / 'hardware.so')},shared=/dev/fd/{shared},{hardware_options(machine)}"
    # The memory of the counters comes last: the nodes' memory must start at 0 in QEMU's numbering.
    device = [] if machine.pmu == "none" else ["-object", memory, "-device", "ivshmem-plain,memdev=shared"]
    return [*device, "-plugin", plugin]  # always: it heals QEMU's errors as well


def hardware_options(machine: Machine) -> str:
    """The plugin's arguments; lists are separated by colons."""
    nodes = [node for _, node in sorted(machine.nodes.items())]
    prefetch = machine.prefetch
    lists = {
        "memory": [node.memory for node in nodes],
        "slow": [int(node.tier == "slow") for node in nodes],
        "packages": [node.package for node in nodes],
        "distances": [machine.distance(a, b) for a in machine.nodes for b in machine.nodes],
        "cpus": [place.node for place in topology.places(machine)],
        "private": [machine.private.size, machine.private.ways],
        "shared-cache": [machine.shared.size, machine.shared.ways],
        "truth": [int(machine.truth)],
        "prefetch": [prefetch.lines, int(prefetch.into == "shared"), int(prefetch.crossing), prefetch.skip],
    }
    return ",".join(f"{name}={':'.join(map(str, values))}" for name, values in lists.items())
