# SPDX-License-Identifier: Apache-2.0
"""Command line of the reports: `numaprof-reports report|diff|check|export ...`, as numaprof hands it over."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from numaprof.text.messages import Failure, complain

COMMANDS = ("report", "diff", "check", "export", "merge", "sweep", "policies", "try", "top", "topology")
MODULES = {"try": "try_fix"}  # where the name is a word of the language


def run(arguments: Sequence[str]) -> int:
    try:
        return _command(arguments)
    except Failure as failure:
        return complain(failure)
    except (MemoryError, ImportError, OSError) as error:
        if _is_out_of_memory(error):
            return complain(Failure("out of memory", "ulimit -v unlimited, or free memory"))
        if isinstance(error, OSError) and error.filename is None:
            return complain(_unwritable(error))
        raise


def _is_out_of_memory(error: Exception) -> bool:
    """The dynamic linker says it in words only."""
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or (isinstance(error, ImportError) and ("failed to map segment" in str(error) or "Cannot alloc" in str(error)))
    )


def _command(arguments: Sequence[str]) -> int:
    """Only the module of the command that is asked for is loaded: start-up is part of every report."""
    name = arguments[0] if arguments else ""
    if name not in COMMANDS:
        raise Failure(f"no such command: {name!r}", f"there are {', '.join(COMMANDS)}")
    try:
        status: int = import_module(f"numaprof.commands.{MODULES.get(name, name)}").main(arguments[1:])
    finally:  # --help leaves by SystemExit
        flush()
    return status


def flush() -> None:
    """A full disk, or /dev/full, is found only here."""
    try:
        sys.stdout.flush()
    except OSError as error:
        raise _unwritable(error) from error


def _unwritable(error: OSError) -> Failure:
    # Python would try again when it ends, and complain in its own words.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Failure(f"cannot write to stdout: {error.strerror}", "free space there, or write elsewhere")


# Python looks for circles of garbage each 700 new objects: a sixth of the time of a large page, and it finds none.
OBJECTS_AT_ONCE = 100_000


def main() -> NoReturn:
    gc.set_threshold(OBJECTS_AT_ONCE)
    # A reader that goes away (`| head`) and Ctrl-C end the report as they end any filter: without a traceback.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # A stream that was closed (`>&-`) is None here; what it would have shown goes nowhere.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    # A terminal that cannot show a sign gets its code, not an error.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    status = run(sys.argv[1:])
    with suppress(OSError):
        sys.stderr.flush()
    # Python would first free each module and function, which is a tenth of the time of a short report.
    os._exit(status)
