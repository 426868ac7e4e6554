# SPDX-License-Identifier: Apache-2.0
"""Writes files that people asked for: whole or not at all, and never in silence."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress

from numaprof.text.format import clean, size
from numaprof.text.messages import Failure

STDOUT = "-"


def write_text(path: str, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str, data: bytes) -> None:
    """To stdout if the name is "-"."""
    if path == STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    guarded(path, lambda: replace(path, data))
    print(f"numaprof: wrote {clean(path)} ({size(len(data))})", file=sys.stderr)


def guarded(path: str, write: Callable[[], object]) -> None:
    try:
        write()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Failure(f"cannot write {path}: {reason}", "name a file in a folder you may write to") from error


def replace(path: str, data: bytes) -> None:
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
