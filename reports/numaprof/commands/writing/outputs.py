# SPDX-License-Identifier: Apache-2.0
"""Writes files that people asked for: whole or not at all, never in silence, and never over something else.

An Output is where a command may write. Only check_output() makes one, and only write() and write_all() write one.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from numaprof.text.format import clean, size
from numaprof.text.messages import Failure

STDOUT = "-"
RECORDING = re.compile(rb"SQLite format 3\0")
_LOOKED_AT = 4096  # bytes from the start of a file, which tell its format


@dataclass(frozen=True)
class Format:
    """A kind of file that numaprof writes.

    Fields:
        name: In messages.
        begins: Matches the first bytes of each such file (of its contents, if it is compressed).
        ending: Of its usual name; STDOUT if people rather read it.
        many: True if a command writes a folder of such files.
    """

    name: str
    begins: re.Pattern[bytes]
    ending: str
    many: bool = False


def _format(name: str, begins: bytes, ending: str, many: bool = False) -> Format:
    return Format(name, re.compile(begins, re.DOTALL), ending, many)


PAGE = _format("a page of numaprof", rb'<!doctype html>.*<meta name="generator" content="numaprof', ".html")
JSON = _format("JSON of numaprof", rb'\{\s*"format":\s*"numaprof\.', STDOUT)
SCHEMA = _format("a JSON Schema of numaprof", rb'\{\s*"\$schema":.*"title":\s*"numaprof ', STDOUT)
TABLE = _format("a table of numaprof", rb"[a-z][a-z0-9_]*(,[a-z][a-z0-9_]*)*\r\n", ".csv", many=True)
SARIF = _format("SARIF of numaprof", rb'\{\s*"\$schema":[^\n]*/sarif.*"name":\s*"numaprof"', ".sarif")
JUNIT = _format("JUnit XML of numaprof", rb'<\?xml .*<testsuite name="numaprof check"', ".xml")
RANKS = _format("summaries of ranks", rb'\{"format":\s*"numaprof\.(rank|left-out)"', ".ranks")
PPROF = _format("a pprof profile", rb"\n.\x08", ".pb.gz")
PATCH = _format("a patch", rb"(#[^\n]*\n|diff [^\n]*\n)*--- [^\n]*\n\+\+\+ ", ".patch")
FOLDED = _format("folded stacks", rb"[^\n]*[^\n ] \d+\n", ".folded")
PERFETTO = _format("a trace", rb'\{"traceEvents": ', ".perfetto.json")
OPENMETRICS = _format("gauges of numaprof", rb"# (HELP|TYPE) numaprof_", ".prom")
PARQUET = _format("a Parquet file", rb"PAR1", ".parquet", many=True)


@dataclass(frozen=True)
class Output:
    """A file that may be written, or the folder of such files.

    Fields:
        option: The option that named it.
        inputs: Files that the command reads.
    """

    option: str
    path: str
    format: Format
    inputs: tuple[str, ...] = ()

    @property
    def is_stdout(self) -> bool:
        return self.path == STDOUT

    def inside(self, name: str) -> Output:
        """A file in this folder."""
        return check_output(self.option, os.path.join(self.path, name), self.format, self.inputs)

    def beside(self, name: str) -> Output:
        return check_output(self.option, os.path.join(os.path.dirname(self.path), name), self.format, self.inputs)


class WouldBeLost(Failure):
    """A file stands where the output would go."""

    def __init__(self, option: str, path: str, why: str, is_recording: bool) -> None:
        super().__init__(
            f"{option} {path}: this {'recording' if is_recording else 'file'} would be lost: {why}",
            "name another file, or remove this one",
        )
        self.is_recording = is_recording


def check_output(option: str, path: str, format_: Format, inputs: Sequence[str]) -> Output:
    """WouldBeLost: a file of another format, or one that the command reads, has this name."""
    if path != STDOUT and os.path.isfile(path):
        start = _start(path)
        is_recording = RECORDING.match(start) is not None
        if any(os.path.exists(name) and os.path.samefile(name, path) for name in inputs):
            raise WouldBeLost(option, path, "the command reads it", is_recording)
        if start and not format_.begins.match(start):
            raise WouldBeLost(option, path, f"it is not {format_.name}", is_recording)
    return Output(option, path, format_, tuple(inputs))


def _start(path: str) -> bytes:
    """The first bytes; a file that cannot be read is of no known format."""
    try:
        with open(path, "rb") as file:
            start = file.read(_LOOKED_AT)
    except OSError:
        return b"?"
    if start[:2] != b"\x1f\x8b":
        return start
    try:
        return zlib.decompressobj(wbits=31).decompress(start, _LOOKED_AT)
    except zlib.error:
        return start


def write(output: Output, text: str | bytes) -> None:
    """To stdout if the name is "-"."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    if output.is_stdout:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    _write(output, data)
    print(f"numaprof: wrote {clean(output.path)} ({size(len(data))})", file=sys.stderr)


def write_all(folder: Output, files: Iterable[tuple[str, bytes]]) -> int:
    """Into the folder, which is made. All names are checked before the first file is written. Returns how many."""
    checked = [(folder.inside(name), data) for name, data in files]
    make_folder(folder)
    for output, data in checked:
        _write(output, data)
    return len(checked)


def make_folder(folder: Output) -> None:
    try:
        os.makedirs(folder.path, exist_ok=True)
    except OSError as error:
        raise _failure(folder, error) from error


def _write(output: Output, data: bytes) -> None:
    check_output(output.option, output.path, output.format, output.inputs)  # it may be there by now
    try:
        _replace(output.path, data)
    except (OSError, ValueError) as error:
        raise _failure(output, error) from error


# The words of a remedy, where the place is not at fault.
_REMEDIES = {
    errno.ENOSPC: "free some space, or name a file on another disk",
    errno.EDQUOT: "free some space, or name a file on another disk",
    errno.EFBIG: "ulimit -f unlimited",
}


def _failure(output: Output, error: OSError | ValueError) -> Failure:
    number = error.errno if isinstance(error, OSError) else None
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Failure(
        f"{output.option}: cannot write {output.path}: {reason}",
        _REMEDIES.get(number or 0, "name a file in a folder you may write to"),
    )


def _replace(path: str, data: bytes) -> None:
    """A reader of that name sees the old file or the new one. What is no regular file, /dev/null say, is written to.

    Others may be able to write to the folder: a link in place of the file, or of the temporary one, is not followed.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        link = os.lstat(path)
        if stat.S_ISLNK(link.st_mode) and link.st_uid not in (0, os.geteuid()):
            raise OSError(errno.EACCES, "a link that another user made leads to no file")
        with open(path, "wb") as device:
            device.write(data)
        return
    folder = os.path.dirname(path) or "."
    descriptor, temporary = tempfile.mkstemp(prefix=".numaprof-", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(descriptor, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
