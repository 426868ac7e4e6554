# SPDX-License-Identifier: Apache-2.0
"""A commit that the recorder's death cut short: its pages stand behind the database, and belong into it.

core/recording/recording_vfs.h describes the layout. This is its reader: the file itself is never changed.
"""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple

from numaprof.text.regular_file import open_regular

MAGIC = 0x74696D6D6F43504E
_FOOTER = struct.Struct("<QQQQ")
_ENTRY = struct.Struct("<QQ")
_FNV_OFFSET, _FNV_PRIME, _WORD = 14695981039346656037, 1099511628211, (1 << 64) - 1


class Commit(NamedTuple):
    pages: list[tuple[int, bytes]]  # offset in the database, bytes
    end: int  # size of the database with them


def checksum(data: bytes) -> int:
    """FNV-1a by little-endian 64-bit words, then by bytes."""
    total = _FNV_OFFSET
    whole = len(data) - len(data) % 8
    for (word,) in struct.iter_unpack("<Q", data[:whole]):
        total = ((total ^ word) * _FNV_PRIME) & _WORD
    for byte in data[whole:]:
        total = ((total ^ byte) * _FNV_PRIME) & _WORD
    return total


def finished_commit(path: str) -> Commit | None:
    """The commit behind the database, if it was written whole."""
    with open_regular(path) as file:
        footer_at = os.fstat(file.fileno()).st_size - _FOOTER.size
        if footer_at <= 0:
            return None
        file.seek(footer_at)
        magic, start, end, total = _FOOTER.unpack(file.read(_FOOTER.size))
        if magic != MAGIC or start > footer_at:
            return None
        file.seek(start)
        log = file.read(footer_at - start)
    pages = _entries(log) if checksum(log) == total else None
    return None if pages is None else Commit(pages, end)


def _entries(log: bytes) -> list[tuple[int, bytes]] | None:
    pages, at = [], 0
    while at < len(log):
        if len(log) - at < _ENTRY.size:
            return None
        offset, length = _ENTRY.unpack_from(log, at)
        at += _ENTRY.size + length
        if at > len(log):
            return None
        pages.append((offset, log[at - length : at]))
    return pages


@contextmanager
def restored_copy(path: str, commit: Commit) -> Iterator[str]:
    """A temporary file with the database after the commit; it may be opened and then left behind."""
    with tempfile.NamedTemporaryFile(prefix="numaprof-", suffix=".numaprof") as copy:
        with open_regular(path) as file:
            shutil.copyfileobj(file, copy)
        _apply(copy, commit)
        yield copy.name


def _apply(file: IO[bytes], commit: Commit) -> None:
    for offset, data in commit.pages:
        if offset + len(data) > commit.end:
            raise OSError("a page of the last commit lies outside the database")
        file.seek(offset)
        file.write(data)
    file.truncate(commit.end)
    file.flush()
