# SPDX-License-Identifier: Apache-2.0
"""A cpio archive (newc), the form of initrds, made in memory."""

from __future__ import annotations

import stat
from pathlib import PurePosixPath


def archive(files: dict[str, bytes]) -> bytes:
    """Files by path, with the folders they need."""
    folders = {str(parent) for path in files for parent in PurePosixPath(path).parents if str(parent) != "."}
    parts = [_entry(path, stat.S_IFDIR | 0o755, b"", ident) for ident, path in enumerate(sorted(folders), start=1)]
    parts += [
        _entry(path, stat.S_IFREG | 0o644, data, len(parts) + ident)
        for ident, (path, data) in enumerate(files.items(), start=1)
    ]
    return b"".join(parts) + _entry("TRAILER!!!", 0, b"", 0)


def _entry(path: str, mode: int, data: bytes, ident: int) -> bytes:
    name = path.encode() + b"\0"
    fields = [ident, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0]
    head = b"070701" + b"".join(b"%08X" % value for value in fields) + name
    return _aligned(head) + _aligned(data)


def _aligned(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
