# SPDX-License-Identifier: Apache-2.0
"""numaprof lab: runs one command in the emulated NUMA machine."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NoReturn

from runner import elsewhere, guest, machine, processors, qemu
from runner.job import TREE, Job

BUILT = TREE / "build" / "lab"
EXIT_FAILED = 125
DEFAULT_MACHINE = "article"
DEFAULT_SECONDS = 600


def fail(cause: str, remedy: str = "") -> NoReturn:
    print(f"numaprof: {cause}; {remedy}" if remedy else f"numaprof: {cause}", file=sys.stderr)
    raise SystemExit(EXIT_FAILED)


def name(text: str) -> Path:
    """Path("") would be the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("'' is not a file name")
    return Path(text)


def unused(text: str) -> Path:
    """An empty file, or what is no regular file, may be there."""
    wanted = name(text)
    if wanted.is_file() and wanted.stat().st_size:
        raise argparse.ArgumentTypeError(f"{text!r}: this file would be lost")
    return wanted


def log_file(wanted: Path) -> BinaryIO:
    try:
        return wanted.open("wb")
    except OSError as error:
        fail(f"cannot write {wanted}: {error.strerror}")


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        fail(message, "see numaprof lab --help")


def seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1e6:
        raise ValueError(text)
    return value


def parser() -> Parser:
    made = Parser(
        prog="numaprof lab",
        usage="%(prog)s [options] -- COMMAND [ARGUMENT...]",
        description="Runs COMMAND in an emulated NUMA machine whose local/remote counters work. It sees this "
        "computer's files. New and changed files in its working folder and in the scratch folder ($NUMAPROF_SCRATCH) "
        "come back, and new files elsewhere, but for hidden ones and those of the system (/etc, /usr, /var ...). "
        "Counts, placement and samples are exact; times mean nothing.",
        allow_abbrev=False,
    )
    made.add_argument(
        "--machine",
        default=DEFAULT_MACHINE,
        metavar="NAME",
        help=f"a machine of --list, or a file (default: {DEFAULT_MACHINE})",
    )
    made.add_argument("--list", action="store_true", help="list the machines")
    made.add_argument(
        "--time-limit",
        type=seconds,
        default=DEFAULT_SECONDS,
        metavar="S",
        help=f"seconds for the command, 0 for no limit (default: {DEFAULT_SECONDS})",
    )
    made.add_argument(
        "--scratch", type=name, metavar="DIR", help="folder for files that come back (default: the working folder)"
    )
    made.add_argument(
        "--truth", action="store_true", help="keep the truth by page: /sys/kernel/debug/numaprof-lab/lines in the guest"
    )
    made.add_argument(
        "--console", type=unused, metavar="FILE", help="write the output of the guest's kernel to FILE, a new one"
    )
    made.add_argument("--quiet", action="store_true", help="no progress while booting")
    made.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    return made


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    signal.signal(signal.SIGHUP, lambda number, frame: sys.exit(128 + number))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # nobody reads on; QEMU dies with us
    if options.list:
        return list_machines()
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        fail("no command given", "numaprof lab -- COMMAND, or --list for the machines")
    try:
        chosen = machine.load(options.machine, processors.NAMES)
        chosen.truth |= options.truth
        check_host()
        with scratch_folder(options.scratch) as scratch:
            job = Job(command, Path.cwd(), scratch, f".numaprof-lab-{os.getpid()}")
            try:
                return run(chosen, job, options.time_limit, options.console, options.quiet)
            finally:
                put_in_place(scratch / job.elsewhere)
    except machine.MachineError as error:
        fail(str(error))
    except guest.GuestError as error:
        fail(str(error), error.remedy)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def list_machines() -> int:
    for name in machine.names():
        print(f"{name:<12} {machine.load(name, processors.NAMES).about}")
    return 0


def check_host() -> None:
    if os.uname().machine != "x86_64":
        fail(f"the emulated machine needs an x86-64 host, this is {os.uname().machine}")
    if not shutil.which(qemu.PROGRAM):
        fail(f"{qemu.PROGRAM} is missing", "apt-get install qemu-system-x86")
    missing = [name for name in ("vmlinuz", "initrd", "hardware.so") if not (BUILT / name).exists()]
    if missing:
        fail(f"the emulated machine is not built ({', '.join(missing)} missing)", "run make lab")


def put_in_place(brought: Path) -> None:
    lost = elsewhere.put_in_place(brought) if os.path.isdir(brought) else []
    if lost:
        print(
            f"numaprof: not brought back: {elsewhere.in_words(lost)}; let the command write into the working folder",
            file=sys.stderr,
        )


@contextmanager
def scratch_folder(wanted: Path | None) -> Iterator[Path]:
    if wanted:
        try:
            wanted.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fail(f"cannot use the scratch folder {wanted}: {error.strerror}")
        yield wanted.resolve()
        return
    here = Path.cwd()
    if here != Path("/") and os.access(here, os.W_OK):
        yield here
        return
    made = Path(tempfile.mkdtemp(prefix="numaprof-lab-"))
    try:
        yield made
    finally:
        if any(made.iterdir()):
            print(f"numaprof: files brought back to {made}", file=sys.stderr)
        else:
            made.rmdir()


class Progress:
    """One line on a terminal, that goes away when the command writes something."""

    def __init__(self, chosen: machine.Machine, quiet: bool) -> None:
        self.about = f"{chosen.name} (emulated, {len(chosen.nodes)} nodes, {len(chosen.cpus)} CPUs)"
        self.wanted = not quiet and sys.stderr.isatty()
        self.shown = False

    def __call__(self, phase: str) -> None:
        if self.wanted and (phase or self.shown):
            text = f"numaprof: {self.about}: {phase} ..." if phase else ""
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
            self.shown = bool(phase)


def run(chosen: machine.Machine, job: Job, time_limit: float, console: Path | None, quiet: bool) -> int:
    progress = Progress(chosen, quiet)
    progress("booting: kernel")
    outputs = guest.Outputs(sys.stdout.buffer, sys.stderr.buffer, progress)
    try:
        if console:
            with log_file(console) as outputs.console:
                return guest.run(chosen, BUILT, job, time_limit, outputs)
        return guest.run(chosen, BUILT, job, time_limit, outputs)
    finally:
        progress("")
