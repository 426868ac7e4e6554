# SPDX-License-Identifier: Apache-2.0
"""The build id of an ELF file: the note that tells one build of a program from another."""

from __future__ import annotations

import mmap
import struct

from numaprof.text.regular_file import open_regular

_PT_NOTE, _NT_GNU_BUILD_ID = 4, 3


def build_id_of(path: str) -> str | None:
    """Hexadecimal; None: not an ELF file of 64 bits, or one without a build id, or not readable."""
    try:
        with open_regular(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _found(data)
    except (OSError, ValueError, struct.error):
        return None


def _found(data: mmap.mmap) -> str | None:
    if data[:5] != b"\x7fELF\x02":
        return None
    order = "<" if data[5] == 1 else ">"
    (headers,) = struct.unpack_from(order + "Q", data, 32)
    size, count = struct.unpack_from(order + "HH", data, 54)
    for at in range(headers, headers + size * count, size):
        (kind,) = struct.unpack_from(order + "I", data, at)
        offset, length = struct.unpack_from(order + "Q16xQ", data, at + 8)
        found = _note(data, order, offset, offset + length) if kind == _PT_NOTE else None
        if found is not None:
            return found
    return None


def _note(data: mmap.mmap, order: str, at: int, end: int) -> str | None:
    while at + 12 <= end:
        name, length, kind = struct.unpack_from(order + "III", data, at)
        start = at + 12 + (name + 3 & ~3)
        if kind == _NT_GNU_BUILD_ID and data[at + 12 : at + 16] == b"GNU\0":
            return data[start : start + length].hex()
        at = start + (length + 3 & ~3)
    return None
